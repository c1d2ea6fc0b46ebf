// The timeline's picture over the table's facts: a day is a dot, a month a bar as wide as the month, a year an
// outline as wide as the year. The table is the interface; the picture is for overview.
import { $, Gone, all, dateWords as format, debounce, fetchPart, readJSON } from './dom.js';
import { end, onEnd, onNews, rewatch } from './live.js';

const DAY = 864e5;
const NS = 'http://www.w3.org/2000/svg';
const pen = document.createElement('canvas').getContext('2d');
const long = { day: 'numeric', month: 'short', year: 'numeric' };

let facts = [];
let bands = [];
let min = 0;
let max = 0;
let win = [0, 0];
let on = -1;
let drag = null;
const partURL = document.body.dataset.partUrl;

function node(tag, attrs, ...children) {
  const out = document.createElementNS(NS, tag);
  for (const [k, v] of Object.entries(attrs)) out.setAttribute(k, v);
  out.append(...children);
  return out;
}

function load(keepWindow) {
  const data = readJSON('timeline-data') || { facts: [], now: Date.now() };
  facts = data.facts;
  const order = new Map();
  for (const f of facts) if (!order.has(f.laneSlug)) order.set(f.laneSlug, { slug: f.laneSlug, name: f.laneName, colour: f.lane });
  bands = [...order.values()];
  const first = facts.length ? Math.min(...facts.map((f) => f.a)) : data.now - 365 * DAY;
  const last = facts.length ? Math.max(...facts.map((f) => f.b)) : data.now;
  const pad = Math.max((last - first) * 0.03, 5 * DAY);
  const oldMin = min; const oldMax = max;
  min = first - pad; max = last + pad;
  if (keepWindow && win[0] >= oldMin && win[1] <= oldMax) win = [Math.max(min, win[0]), Math.min(max, win[1])];
  else win = (data.centre && windowAround(data.centre)) || startWindow();
  win.now = data.now;
}

// So many facts on either side of an instant, with it in the middle.
const ABOUT = 8;
function windowAround(centre) {
  const starts = facts.map((f) => f.a).sort((x, y) => x - y);
  const at = starts.filter((a) => a < centre).length;
  const half = Math.max(20 * DAY, centre - (starts[Math.max(0, at - ABOUT)] ?? centre), (starts[Math.min(starts.length - 1, at + ABOUT)] ?? centre) - centre) * 1.08;
  min = Math.min(min, centre - half); max = Math.max(max, centre + half);
  return [centre - half, centre + half];
}

// The densest stretch that holds most facts, so that the first look is of where things happened.
function startWindow() {
  if (facts.length < 12) return [min, max];
  const starts = facts.map((f) => f.a).sort((x, y) => x - y);
  const share = innerWidth < 720 ? 0.35 : 0.8;
  const n = Math.max(2, Math.floor(starts.length * share));
  let best = [starts[0], starts[starts.length - 1]];
  for (let i = 0; i + n - 1 < starts.length; i += 1) if (starts[i + n - 1] - starts[i] < best[1] - best[0]) best = [starts[i], starts[i + n - 1]];
  const pad = Math.max((best[1] - best[0]) * 0.06, 6 * DAY);
  const chosen = [Math.max(min, best[0] - pad), Math.min(max, best[1] + pad)];
  return chosen[1] - chosen[0] > (max - min) * 0.85 ? [min, max] : chosen;
}

function ticks(width) {
  const out = [];
  const step = (win[1] - win[0]) / DAY / (width / 90);
  const d = new Date(win[0]);
  if (step <= 16) {
    let t = Date.UTC(d.getUTCFullYear(), d.getUTCMonth(), d.getUTCDate());
    t -= ((new Date(t).getUTCDay() + 6) % 7) * DAY;
    for (const n = step <= 8 ? 7 : 14; t < win[1]; t += n * DAY) out.push([t, format(t, { day: 'numeric', month: 'short' }), false]);
    return out;
  }
  const months = step <= 31 ? 1 : step <= 95 ? 3 : 12 * Math.ceil(step / 366);
  let m = months >= 12 ? Date.UTC(Math.floor(d.getUTCFullYear() / (months / 12)) * (months / 12), 0, 1) : Date.UTC(d.getUTCFullYear(), Math.floor(d.getUTCMonth() / months) * months, 1);
  while (m < win[1]) {
    const x = new Date(m);
    const january = x.getUTCMonth() === 0;
    out.push([m, months >= 12 ? format(m, { year: 'numeric' }) : format(m, january ? { month: 'short', year: 'numeric' } : { month: 'short' }), january]);
    m = Date.UTC(x.getUTCFullYear(), x.getUTCMonth() + months, 1);
  }
  return out;
}

function mark(f, x, width, y, rows) {
  const x1 = Math.max(x(f.a), -4);
  const x2 = Math.min(x(f.b), width + 4);
  const dot = f.p === 'day' || f.p === 'time';
  const cx = f.p === 'time' ? x(f.a) : x(f.a + DAY / 2);
  const l = dot ? cx - 6 : x1;
  const r = dot ? cx + 6 : Math.max(x2, x1 + 6);
  const words = pen.measureText(f.t).width;
  let side = 1; let from = l; let to = r + 5 + words;
  if (to > width - 4 && l - 5 - words > 4) { side = -1; from = l - 5 - words; to = r; } else if (to > width - 4) {
    if (!dot && x2 - x1 > 140) { side = 0; to = r; } else if (width - 9 - r < 60) { side = 2; to = r; } else { to = width; }
  }
  const seat = () => { let k = 0; while (rows[k]?.some((o) => from < o[1] + 10 && to > o[0] - 10)) k += 1; return k; };
  let k = seat();
  // no room for its words: the mark stays, the words are in its title and in the table
  if (k > 7) { side = 2; from = l; to = r; k = Math.min(seat(), 24); }
  (rows[k] ||= []).push([from, to]);
  const cy = y + k * 22 + 8;
  const g = node('g', { class: `ev l${f.lane}${f.i === on ? ' on' : ''}`, 'data-i': f.i });
  const title = node('title', {}); title.textContent = `${f.when}: ${f.t}`; g.append(title);
  if (dot) g.append(node('circle', { class: 'halo', cx, cy, r: 8 }), node('circle', { class: 'day', cx, cy, r: 5 }));
  else if (f.p === 'range') g.append(node('rect', { class: 'halo', x: l - 3, y: cy - 6, width: r - l + 6, height: 12, rx: 6 }), node('rect', { class: 'span', x: l, y: cy - 3, width: r - l, height: 6, rx: 3 }));
  else g.append(node('rect', { class: f.p, x: l, y: cy - 5, width: r - l, height: 10, rx: 3 }));
  let text = f.t;
  if (side === 1 && to === width) { while (text.length > 6 && pen.measureText(`${text}…`).width > width - 9 - r) text = text.slice(0, -1); if (text !== f.t) text = `${text.trim()}…`; }
  const at = { 1: { x: r + 5 }, '-1': { x: l - 5, 'text-anchor': 'end' }, 0: { x: Math.max(l, 0) + 8 } }[side];
  if (at) { const label = node('text', { ...at, y: cy + 4 }); label.textContent = text; g.append(label); }
  return g;
}

function draw() {
  const svg = $('tl');
  if (!svg) return;
  const width = svg.clientWidth;
  const x = (t) => ((t - win[0]) / (win[1] - win[0])) * width;
  const back = []; const front = [];
  const text = (attrs, words) => { const n = node('text', attrs); n.textContent = words; return n; };
  const marks = ticks(width);
  let y = 26;
  for (const band of bands) {
    const top = y;
    const rows = [];
    y += 24;
    for (const f of facts) if (f.laneSlug === band.slug && f.b > win[0] && f.a < win[1]) front.push(mark(f, x, width, y, rows));
    // a band with nothing in this stretch of time keeps its place and name, and little room
    y += rows.length ? rows.length * 22 + 6 : 2;
    front.push(text({ class: 'lname', x: 12, y: top + 15 }, band.name));
    back.push(node('line', { class: 'lanesep', x1: 0, x2: width, y1: y, y2: y }));
  }
  if (!bands.length) y = 90;
  for (const [t, words, major] of marks) {
    const at = x(t);
    back.unshift(node('line', { class: `grid${major ? ' major' : ''}`, x1: at, x2: at, y1: 22, y2: y }));
    if (at > -2 && at < width - 46) back.push(text({ class: `axis${major ? ' big' : ''}`, x: at + 4, y: 15 }, words));
  }
  if (win.now > win[0] && win.now < win[1]) {
    const at = x(win.now); const right = at > width - 50;
    back.push(node('line', { class: 'today', x1: at, x2: at, y1: 22, y2: y }), text({ class: 'todaylbl', x: right ? at - 4 : at + 4, y: 36, ...(right ? { 'text-anchor': 'end' } : {}) }, 'Today'));
  }
  svg.setAttribute('height', y); svg.setAttribute('viewBox', `0 0 ${width} ${y}`);
  svg.replaceChildren(...back, ...front);
  $('range').textContent = `${format(win[0], long)} to ${format(win[1], long)}`;
  drawMini(); table();
}

function drawMini() {
  const svg = $('mini');
  const width = svg.clientWidth;
  const x = (t) => ((t - min) / (max - min)) * width;
  const bins = 60;
  const counts = new Array(bins).fill(0);
  for (const f of facts) if (f.p !== 'year') counts[Math.min(bins - 1, Math.max(0, Math.floor(((f.a - min) / (max - min)) * bins)))] += 1;
  const most = Math.max(1, ...counts);
  const out = [];
  counts.forEach((n, i) => { if (n) { const h = Math.max(2, (n / most) * 24); out.push(node('rect', { class: 'mbar', x: (i * width) / bins, y: 28 - h, width: width / bins - 2, height: h, rx: 1 })); } });
  const years = (max - min) / DAY / 365;
  const months = years > 12 ? 12 * Math.ceil(years / 8) : years > 3 ? 12 : years > 0.7 ? 3 : 1;
  const d = new Date(min);
  let q = Date.UTC(d.getUTCFullYear(), months >= 12 ? 12 : Math.ceil((d.getUTCMonth() + 1) / months) * months, 1);
  let last = -100;
  while (q < max) {
    const t = new Date(q); const january = t.getUTCMonth() === 0;
    if (x(q) - last > 48 && x(q) < width - 40) { const label = node('text', { class: `axis${january ? ' big' : ''}`, x: x(q) + 3, y: 40 }); label.textContent = january || months >= 12 ? t.getUTCFullYear() : format(q, { month: 'short' }); out.push(label); last = x(q); }
    q = Date.UTC(t.getUTCFullYear(), t.getUTCMonth() + months, 1);
  }
  out.push(node('rect', { class: 'mwin', x: x(win[0]), y: 1, width: Math.max(4, x(win[1]) - x(win[0])), height: 42, rx: 3 }),
    node('rect', { class: 'mgrip', x: x(win[0]) - 2, y: 14, width: 4, height: 16, rx: 2 }), node('rect', { class: 'mgrip', x: x(win[1]) - 2, y: 14, width: 4, height: 16, rx: 2 }));
  svg.setAttribute('height', 44); svg.setAttribute('viewBox', `0 0 ${width} 44`);
  svg.replaceChildren(...out);
  svg.setAttribute('aria-valuenow', Math.round(((win[0] - min) / (max - min)) * 100));
  svg.setAttribute('aria-valuetext', $('range').textContent);
}

function table() {
  const only = $('follow')?.checked;
  let inside = 0;
  for (const f of facts) {
    const visible = f.b > win[0] && f.a < win[1];
    inside += visible;
    const row = rowOf(f.i);
    if (row) { row.hidden = only && !visible; row.classList.toggle('on', f.i === on); }
  }
  for (const head of all('#facts tr.yr')) {
    let next = head.nextElementSibling; let any = false;
    while (next && !next.classList.contains('yr')) { any ||= !next.hidden; next = next.nextElementSibling; }
    head.hidden = !any;
  }
  if ($('factcount')) $('factcount').textContent = `${inside} in the picture, ${facts.length} in the table`;
}

const clamp = (a, b) => { const now = win.now; win = [Math.max(min, a), Math.min(max, b)]; win.now = now; };
function zoom(k, at = (win[0] + win[1]) / 2) {
  const a = at - (at - win[0]) * k; const b = at + (win[1] - at) * k;
  if (b - a < 10 * DAY && k < 1) return;
  clamp(a, b); draw();
}
function shift(dt) { const d = Math.max(min - win[0], Math.min(max - win[1], dt)); clamp(win[0] + d, win[1] + d); draw(); }

const rowOf = (i) => document.querySelector(`#facts tr[data-i="${i}"]`);

async function refetch() {
  const chosen = rowOf(on)?.dataset.srId;
  const html = await fetchPart(partURL, { wrong: true });
  const doc = new DOMParser().parseFromString(html, 'text/html');
  if (!doc.getElementById('tl-data')) throw new Error('not a timeline');
  for (const id of ['tl-summary', 'tl-exports', 'tl-notice', 'tl-data']) { const next = doc.getElementById(id); if (next && $(id)) $(id).replaceChildren(...next.childNodes); }
  const again = chosen && document.querySelector(`#facts tr[data-sr-id="${chosen}"]`);
  on = again ? Number(again.dataset.i) : -1;
  load(true); bindTable(); draw(); rewatch();
}

function bindTable() {
  $('follow')?.addEventListener('change', table);
  $('facts')?.addEventListener('click', (event) => {
    const row = event.target.closest('tr[data-i]');
    if (!row || event.target.closest('a')) return;
    on = Number(row.dataset.i);
    const f = facts[on];
    if (f.a < win[0] || f.b > win[1]) { const c = (f.a + f.b) / 2; const half = (win[1] - win[0]) / 2; clamp(c - half, c + half); }
    draw();
  });
}

export function start() {
  pen.font = `500 11.5px ${getComputedStyle(document.body).fontFamily}`;
  const middle = $('around');
  if (middle?.dataset.i) on = Number(middle.dataset.i);
  load(false); bindTable();
  const svg = $('tl'); const mini = $('mini');
  $('tin').addEventListener('click', () => zoom(0.6));
  $('tout').addEventListener('click', () => zoom(1.6));
  $('tall').addEventListener('click', () => { clamp(min, max); draw(); });
  svg.addEventListener('wheel', (event) => {
    const zooms = event.ctrlKey || event.metaKey;
    if (!zooms && Math.abs(event.deltaX) < Math.abs(event.deltaY)) return;
    event.preventDefault();
    if (zooms) zoom(event.deltaY > 0 ? 1.15 : 0.87, win[0] + (event.offsetX / svg.clientWidth) * (win[1] - win[0]));
    else shift((event.deltaX / svg.clientWidth) * (win[1] - win[0]));
  }, { passive: false });
  svg.addEventListener('pointerdown', (event) => { drag = { x: event.clientX, from: win[0], to: win[1], moved: false }; svg.classList.add('drag'); });
  addEventListener('pointermove', (event) => {
    if (!drag) return;
    if (Math.abs(event.clientX - drag.x) > 3) drag.moved = true;
    if (!drag.moved) return;
    const dt = (-(event.clientX - drag.x) / svg.clientWidth) * (drag.to - drag.from);
    const d = Math.max(min - drag.from, Math.min(max - drag.to, dt));
    clamp(drag.from + d, drag.to + d); draw();
  });
  addEventListener('pointerup', () => { setTimeout(() => { drag = null; }, 0); svg.classList.remove('drag'); });
  svg.addEventListener('click', (event) => {
    const g = event.target.closest('[data-i]');
    if (!g || drag?.moved) return;
    on = Number(g.dataset.i); draw();
    document.querySelector('#facts tr.on')?.scrollIntoView({ block: 'nearest' });
  });
  mini.addEventListener('pointerdown', (event) => { const t = min + (event.offsetX / mini.clientWidth) * (max - min); shift(t - (win[0] + win[1]) / 2); });
  mini.addEventListener('keydown', (event) => {
    const s = (win[1] - win[0]) / 6;
    const act = { ArrowLeft: () => shift(-s), ArrowRight: () => shift(s), '+': () => zoom(0.7), '=': () => zoom(0.7), '-': () => zoom(1.4) }[event.key];
    if (act) { event.preventDefault(); act(); }
  });
  addEventListener('resize', debounce(draw, 60));
  onNews(async () => { try { await refetch(); } catch (error) { if (error instanceof Gone) end(error.message); else throw error; } });
  onEnd(() => { facts = []; bands = []; $('tl')?.replaceChildren(); });
  draw();
  if (middle) { middle.scrollIntoView({ block: 'center' }); middle.querySelector('a').focus({ preventScroll: true }); }
}
