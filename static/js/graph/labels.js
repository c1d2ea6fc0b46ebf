// Labels of constant size on screen, placed greedily: the most important first, on the free side that crosses
// fewest lines. What finds no room waits for a zoom or a hover; the list beside the picture holds every title.
import { LABEL_PX, SIZE } from './tokens.js';

const pen = document.createElement('canvas').getContext('2d');
const measured = new Map();

export function wrap(text, size, max, lines, font) {
  const key = `${size}|${max}|${lines}|${text}`;
  const known = measured.get(key);
  if (known) return known;
  pen.font = `500 ${size}px ${font}`;
  const out = [''];
  for (const word of text.split(' ')) {
    const next = `${out[out.length - 1]} ${word}`.trim();
    if (pen.measureText(next).width <= max || !out[out.length - 1]) out[out.length - 1] = next;
    else if (out.length < lines) out.push(word);
    else { out[out.length - 1] += '…'; break; }
  }
  const result = { text: out.join('\n'), w: Math.max(...out.map((line) => pen.measureText(line).width)), h: out.length * size * 1.22 };
  if (measured.size > 5000) measured.clear();
  measured.set(key, result);
  return result;
}

const overlaps = (a, b) => a.owner !== b.owner && a.x1 < b.x2 && a.x2 > b.x1 && a.y1 < b.y2 && a.y2 > b.y1;

function crossings(lines, x, y, w, h) {
  let sum = 0;
  for (const l of lines) {
    if (!l.cost || Math.max(l.ax, l.bx) < x || Math.min(l.ax, l.bx) > x + w || Math.max(l.ay, l.by) < y || Math.min(l.ay, l.by) > y + h) continue;
    const side = (px, py) => Math.sign((l.bx - l.ax) * (py - l.ay) - (l.by - l.ay) * (px - l.ax));
    const q = side(x, y);
    if (side(x + w, y) !== q || side(x, y + h) !== q || side(x + w, y + h) !== q) sum += l.cost;
  }
  return sum;
}

const rank = (n) => (n.hasClass('sel') ? -100 : 0) + (n.hasClass('hubknot') ? -60 : 0) + (n.hasClass('fresh') ? -50 : 0) + (n.hasClass('near') ? -20 : 0) + (n.hasClass('dim') ? 50 : 0)
  + n.data('depth') * 4 + (n.hasClass('superseded') ? 2 : 0) - Math.min(n.degree(), 6) / 3;

// `obstacles`: rectangles in model coordinates that labels keep clear of (the hub shelf, the zoom buttons).
export function place(cy, font, obstacles) {
  const zoom = cy.zoom();
  const k = 1 / zoom;
  const ext = cy.extent();
  const grow = Math.min(1.3, Math.max(0.8, k ** 0.6));
  const nodes = cy.nodes(':visible');
  const taken = obstacles(k, ext);
  const lines = cy.edges(':visible').map((e) => {
    const a = e.source().position();
    const b = e.target().position();
    const cost = e.hasClass('onpath') || e.target().hasClass('fresh') ? 3 : e.hasClass('dim') ? 0 : 1;
    return { ax: a.x, ay: a.y, bx: b.x, by: b.y, cost };
  });
  let shown = 0;
  cy.startBatch();
  nodes.forEach((n) => {
    const p = n.position();
    const s = (n.hasClass('rec') ? SIZE[Math.min(Math.floor(n.data('depth')), 3)] : 8) * grow;
    n.data('size', s);
    const r = s / 2 + 1.5 * k;
    taken.push({ owner: n.id(), x1: p.x - r, x2: p.x + r, y1: p.y - r, y2: p.y + r, label: n.is('.origin, .sel, .near.rec') });
  });
  nodes.sort((a, b) => rank(a) - rank(b)).forEach((n) => {
    n.removeClass('lb lt lr ll');
    if (n.hasClass('dim')) return;
    const knot = n.hasClass('knot');
    const big = n.hasClass('origin') || n.hasClass('sel');
    const size = knot ? LABEL_PX - 0.5 : LABEL_PX;
    let m = wrap(n.data('full') || '', size, knot ? 120 : big ? 150 : 106, big ? 3 : 2, font);
    const p = n.position();
    const s = n.data('size') / 2;
    const g = (knot ? 2 : 4) * k;
    let w; let h; let tries;
    const measure = () => {
      w = m.w * k + 4 * k; h = m.h * k + 2 * k;
      tries = { lb: [p.x - w / 2, p.y + s + g], lr: [p.x + s + g, p.y - h / 2], ll: [p.x - s - g - w, p.y - h / 2], lt: [p.x - w / 2, p.y - s - g - h] };
    };
    measure();
    const box = (c) => ({ owner: n.id(), x1: tries[c][0], y1: tries[c][1], x2: tries[c][0] + w, y2: tries[c][1] + h, label: true });
    const free = (c, loose) => {
      const r = box(c);
      if (r.x1 < ext.x1 + 2 * k || r.x2 > ext.x2 - 2 * k || r.y1 < ext.y1 + 2 * k || r.y2 > ext.y2 - 2 * k) return false;
      return !taken.some((t) => (!loose || t.label) && overlaps(r, t));
    };
    const best = (loose) => Object.keys(tries).filter((c) => free(c, loose))
      .map((c, i) => [crossings(lines, tries[c][0], tries[c][1], w, h) + i * 0.1, c]).sort((a, b) => a[0] - b[0])[0]?.[1];
    let where = best(false);
    // a hub's knot at least says how much of it is shown: the shelf has its name
    if (!where && n.data('note')) { m = wrap(n.data('note'), size, 120, 1, font); measure(); where = best(false); }
    // the selected, its neighbours, what is new and the name of a hub may cover a dot, never another label
    if (!where && (big || n.hasClass('near') || n.hasClass('fresh') || n.hasClass('hubknot'))) where = best(true);
    n.data({ text: m.text, fs: size * k, gap: g, ngap: -g });
    n.style('text-outline-width', 2.5 * k);
    if (where) { taken.push(box(where)); n.addClass(where); shown += 1; }
  });
  cy.edges().forEach((e) => { e.data('w', e.data('w0') * Math.max(k, 0.7)); });
  cy.endBatch();
  return shown;
}
