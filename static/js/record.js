// The record page: text and properties, and the blast radius as a picture and a list over one walk. The server draws
// the list and sends the picture's data with it, so both always show the same records.
import { $, Gone, all, clock, dateWords, debounce, el, fetchPart, icon, isOffline, readJSON, toast } from './dom.js';
import { GraphView } from './graph/view.js';
import { end, isEnded, onEnd, onNews, rewatch, watchAlso } from './live.js';

const MANY = 20; // more new records than this at once are offered, not moved in
const PICTURE_MOST = 400;
const LEGEND = 8;
const SHELVED = 5; // hubs over the picture; the list holds all of them
const number = new Intl.NumberFormat('en-GB');
const origin = document.body.dataset.origin;
const partTemplate = document.body.dataset.partUrl;
const partURL = (name) => partTemplate.replace('PART', name);

let data = null; // the last walk the server answered
let view = null;
let most = null; // how many records were asked for, when more than the default
let picking = null; // 'from' id while the other end of a path is being chosen
let path = null;
let held = null; // a walk with many new records, waiting for "Show them"
let walk = 0;
let marked = false; // the picture marks what was found in the list
const fresh = new Set();
// What the person opened beyond the walk: hub pages, walks on, records of a path. Ordinary news leaves it standing.
const opened = { nodes: new Map(), props: new Map(), hubs: new Map(), walks: [] };

const controls = () => $('radius-controls');
const asOf = () => {
  const slider = $('asof');
  if (Number(slider.value) >= Number(slider.max)) return null;
  const from = Date.parse(data.range.start);
  const to = Date.parse(data.range.end);
  return new Date(from + ((to - from) * slider.value) / slider.max);
};

function params() {
  const out = new URLSearchParams();
  const depth = controls().querySelector('input[name="depth"]:checked')?.value;
  if (depth) out.set('depth', depth);
  const boxes = all('input[name="label"]', controls());
  if (boxes.some((b) => !b.checked)) boxes.filter((b) => b.checked).forEach((b) => out.append('label', b.value));
  if (boxes.length && boxes.every((b) => !b.checked)) out.append('label', '');
  if (most) out.set('max', most);
  const at = asOf();
  if (at) out.set('as_of', at.toISOString());
  return out;
}

// The controls and the address as the last answer had them.
function restore() {
  for (const box of all('input[name="depth"]', controls())) box.checked = Number(box.value) === data.depth;
  const on = new Map(data.labels.map((l) => [l.label, l.on]));
  for (const box of all('input[name="label"]', controls())) box.checked = on.get(box.value) ?? true;
  most = data.asked;
  showAsOf();
  remember(); counts();
}

// The walk with other controls. Where no answer comes, the controls say again what the picture shows.
async function change(options) {
  const before = data;
  try { await reload(options); } catch (error) {
    if (data !== before || isEnded()) throw error;
    restore();
    const steps = `${data.depth} ${data.depth === 1 ? 'step' : 'steps'}`;
    toast(`${isOffline(error) ? 'There is no connection to the server' : 'The server could not answer just now'}. The picture and the list stay as they were: ${steps}${data.asOf ? `, as of ${data.asOfWords}` : ''}.`, 'danger');
  }
}

function showAsOf() {
  const slider = $('asof');
  const from = Date.parse(data.range.start); const to = Date.parse(data.range.end);
  slider.value = data.asOf ? ((Date.parse(data.asOf) - from) / (to - from)) * slider.max : slider.max;
  $('asofout').textContent = data.asOfWords;
}

function remember() {
  const url = new URL(location.href);
  url.search = params();
  history.replaceState(null, '', url);
}

// The labels one may walk along are of records one may read: they change with them.
function labels(next) {
  const boxes = new Map(all('input[name="label"]', controls()).map((box) => [box.value, box]));
  for (const { label, words, on } of next) {
    if (boxes.delete(label)) continue;
    const box = el('input', { type: 'checkbox', name: 'label', value: label, checked: on });
    $('labelfilter').append(el('label', { class: 'item' }, box, el('span', {}, words)));
  }
  for (const box of boxes.values()) box.closest('label').remove();
}

// ---- list, panel and everything else said about the walk
function afterList() {
  const by = view?.colourBy || 'lane';
  for (const button of all('#list button[data-id]')) {
    const id = button.dataset.id;
    const dot = button.querySelector('.dot');
    dot.className = dot.className.replace(/\bl\d\b/, `l${by === 'kind' ? dot.dataset.kind : dot.dataset.lane}`);
    button.setAttribute('aria-pressed', String(id === view?.selected));
    if (fresh.has(id)) { button.classList.add('new'); button.querySelector('.t').append(' ', el('span', { class: 'badge ok' }, 'New')); }
  }
  find();
  hubs(); legend(); counts(); ticks();
}

// What the list is narrowed to: its headings count it, and the picture marks it.
function find({ mark = false } = {}) {
  const want = $('listfind').value.trim().toLowerCase();
  const found = new Set();
  for (const li of all('#list li')) {
    li.hidden = Boolean(want) && !li.textContent.toLowerCase().includes(want);
    const id = li.querySelector(':scope > button[data-id]')?.dataset.id;
    if (want && id && !li.hidden) found.add(id);
  }
  for (const heading of all('#list > h3')) {
    const count = heading.querySelector('.count');
    count.dataset.all ||= count.textContent;
    const rows = [...(heading.nextElementSibling?.children || [])];
    count.textContent = want ? `${rows.filter((row) => !row.hidden).length} of ${count.dataset.all}` : count.dataset.all;
  }
  $('listnone').hidden = !want || found.size > 0 || all('#list li').some((li) => !li.hidden);
  if (!view || path || picking) return;
  if (want && (mark || !view.selected)) { view.mark(found); marked = true; } else if (!want && marked) { marked = false; view.select(view.selected && view.has(view.selected) ? view.selected : null); }
}

function counts() {
  const walked = data.nodes.length - 1;
  // what was opened beyond the walk stands in the picture too, and is counted apart
  const beyond = view ? [...view.model.nodes.keys()].filter((id) => opened.nodes.has(id) && !data.nodes.some((n) => n.id === id)).length : 0;
  const line = $('shown');
  line.replaceChildren();
  const within = `within ${data.depth} ${data.depth === 1 ? 'step' : 'steps'}`;
  const total = data.cut ? data.totalWords : number.format(walked);
  line.append(el('b', {}, `${number.format(walked + beyond)} shown`), beyond ? `: ${number.format(walked)} of ${total} ${within}, and ${number.format(beyond)} opened beyond them. ` : ` of ${total} ${within}. `);
  if (data.cut) {
    line.append(`${data.cutWords} cut, weakest links first. `);
    if (data.nodes.length < data.mostAllowed) {
      const more = el('button', { class: 'linkish', type: 'button' }, 'Show 50 more');
      more.addEventListener('click', () => { most = Math.min(data.mostAllowed, data.maxNodes + 50); change({ relayout: true }); });
      line.append(more);
    }
  } else line.append('Nothing cut.');
  const closed = data.hubs.filter((hub) => !hubPage.has(hub.key)).length;
  if (closed) line.append(` ${closed} ${closed === 1 ? 'hub' : 'hubs'} not expanded.`);
  const heading = $('hubheading');
  if (heading) heading.firstChild.textContent = closed === data.hubs.length ? 'Hubs, not expanded ' : closed ? `Hubs, ${closed} not expanded ` : 'Hubs ';
  const on = all('input[name="label"]:checked', controls()).length;
  const n = all('input[name="label"]', controls()).length;
  $('labelcount').textContent = on === n ? 'all' : `${on} of ${n}`;
  $('radius-updated').textContent = `Updated ${clock()}`;
}

function legend() {
  const by = view?.colourBy || 'lane';
  const used = new Map();
  for (const node of view ? view.model.nodes.values() : data.nodes) {
    const name = by === 'kind' ? node.kindWords : node.laneName;
    const entry = used.get(name) || { name, colour: by === 'kind' ? node.kindColour : node.lane, n: 0 };
    entry.n += 1;
    used.set(name, entry);
  }
  // the record's own first, then those with most records; there are eight colours, and the panel names the matter of each record
  const [own, ...rest] = [...used.values()];
  const shown = [own, ...rest.sort((a, b) => b.n - a.n)].filter(Boolean);
  const cut = shown.length > LEGEND + 1 ? shown.splice(LEGEND) : [];
  const items = shown.map((entry) => el('li', { class: `lane l${entry.colour}` }, entry.name));
  if (cut.length) items.push(el('li', { title: cut.map((entry) => entry.name).join(', ') }, `and ${cut.length} more ${by === 'kind' ? 'kinds' : 'matters'}`));
  $('legendlanes').replaceChildren(...items);
}

function hubs() {
  const shelf = $('hubs');
  if (!data.hubs.length) { shelf.replaceChildren(); return; }
  const shown = data.hubs.length > SHELVED + 1 ? data.hubs.slice(0, SHELVED) : data.hubs;
  const some = data.hubs.some((hub) => hubPage.has(hub.key));
  shelf.replaceChildren(el('span', {}, some ? 'Hubs' : 'Hubs, not expanded'), ...shown.map((hub, i) => el('button', { type: 'button', 'data-hub': i, 'aria-pressed': 'false' },
    el('span', {}, hub.words), hub.value, el('span', { class: 'count' }, hubPage.has(hub.key) ? `${hubPage.get(hub.key).shown} of ${hub.countWords}` : hub.countWords))));
  if (shown.length < data.hubs.length) shelf.append(el('span', {}, `and ${data.hubs.length - shown.length} more in the list`));
}

function ticks() {
  const from = Date.parse(data.range.start);
  const span = Date.parse(data.range.end) - from || 1;
  const svg = $('asofticks');
  svg.setAttribute('viewBox', '0 0 1000 10'); svg.setAttribute('preserveAspectRatio', 'none');
  svg.replaceChildren(...data.nodes.filter((n) => n.at).map((n) => {
    const rect = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
    const x = ((Date.parse(n.at) - from) / span) * 1000;
    for (const [k, v] of Object.entries({ x: (x - 1).toFixed(1), y: 2, width: 2, height: 8 })) rect.setAttribute(k, v);
    return rect;
  }));
}

const nodeOf = (id) => view?.model.nodes.get(id) || data.nodes.find((n) => n.id === id);

function panel() {
  const box = $('sel');
  const id = view?.selected;
  const node = id && nodeOf(id);
  const row = id && !node && $('list').querySelector(`button[data-id="${id}"][data-url]`);
  if (row) {
    box.replaceChildren(el('h3', {}, el('a', { class: 'quiet', href: row.dataset.url }, row.querySelector('.t').textContent)),
      el('p', { class: 'small' }, 'Shares only a hub with this record, so it is not in the picture.'), el('div', { class: 'row tight' }, el('a', { class: 'btn sm', href: row.dataset.url }, 'Open')));
    return;
  }
  if (!node) {
    box.replaceChildren(el('p', { class: 'hint' }, picking ? 'Choose the record at the other end of the path.' : 'Select a record to see why it is here.',
      picking ? null : el('span', { class: 'wide-only' }, ' Double-click to walk on from it. ', el('kbd', {}, '↑'), ' ', el('kbd', {}, '↓'), ' move through the list.')));
    return;
  }
  const badges = [el('span', { class: 'badge' }, icon(node.icon), node.kindWords)];
  if (node.privileged) badges.push(el('span', { class: 'badge priv' }, icon('lock'), 'Privileged'));
  if (node.agent) badges.push(el('span', { class: 'badge agent' }, icon('agent'), 'Agent'));
  if (node.superseded) badges.push(el('span', { class: 'badge superseded' }, icon('replace'), 'Superseded'));
  const via = node.from && nodeOf(node.from);
  const why = node.id === origin ? el('p', { class: 'small' }, 'The record you started from.')
    : el('p', { class: 'small' }, node.depth === 1 || !via ? 'Shares ' : `${node.depth} steps away, through `, node.depth > 1 && via ? el('b', {}, via.title) : null, node.depth > 1 && via ? '. Shares ' : null, el('b', {}, node.shares), '.');
  const act = (name, text, run) => { const b = el('button', { class: 'btn sm', type: 'button' }, icon(name, 's'), text); b.addEventListener('click', run); return b; };
  box.replaceChildren(
    el('div', { class: 'row tight' }, el('span', { class: `small lane l${node.lane}` }, el('span', { class: 'clip' }, node.laneName)), el('span', { class: 'small muted push' }, node.when)),
    el('h3', {}, el('a', { class: 'quiet', href: node.url }, node.title)), el('div', { class: 'row tight' }, ...badges), why,
    el('div', { class: 'row tight' }, el('a', { class: 'btn sm', href: node.url }, 'Open'), node.id === origin ? null : act('target', 'Centre here', () => centre(node.id)),
      node.id === origin ? null : act('walk', 'Walk on', () => walkOn(node.id)), act('path', 'Path', () => (node.id === origin ? pick(origin) : showPath(origin, node.id)))),
  );
}

function select(id, { fromList = false } = {}) {
  if (picking && id && id !== picking) { const from = picking; picking = null; showPath(from, id); return; }
  if (path) clearPath();
  for (const b of all('#hubs button')) b.setAttribute('aria-pressed', 'false');
  if (id) fresh.delete(id);
  view?.select(id && view.has(id) ? id : null);
  if (view && id && !view.has(id)) view.selected = id;
  panel();
  for (const b of all('#list button[data-id]')) {
    const on = b.dataset.id === id;
    b.setAttribute('aria-pressed', String(on));
    if (on && !fromList) b.scrollIntoView({ block: 'nearest' });
  }
}

const centre = (id) => { const node = nodeOf(id); if (node) location.assign(`${node.url}?${new URLSearchParams({ depth: data.depth })}`); };

async function guarded(work) {
  try { return await work(); } catch (error) {
    if (error.name === 'AbortError') return null;
    if (error instanceof Gone) { await check(); return null; }
    throw error;
  }
}

// The same for what the person asked for: when no answer comes, it is said, and nothing has changed.
const asked = (work) => guarded(work).catch((error) => { toast(`${isOffline(error) ? 'There is no connection to the server' : 'The server could not answer just now'}, so nothing was changed.`, 'danger'); return null; });

// Something could not be seen: is it this page, or just that part?
async function check() {
  try { await fetchPart(partURL('head')); } catch (error) { if (error instanceof Gone) end(error.message); }
}

// Neighbours of a chosen record join the picture, without asking the whole walk again.
const walkOn = (id) => asked(async () => {
  const url = $('radius').dataset.radiusUrl.replace(origin, id);
  const text = await fetchPart(`${url}?depth=1&max=26`);
  const part = JSON.parse(new DOMParser().parseFromString(text, 'text/html').getElementById('radius-data').textContent);
  const base = nodeOf(id).depth;
  const nodes = part.nodes.filter((n) => n.id !== id && !view.has(n.id)).map((n) => ({ ...n, depth: base + 1, from: id }));
  const known = new Set([...view.model.nodes.keys(), ...nodes.map((n) => n.id)]);
  const props = part.props.map((p) => ({ ...p, members: p.members.filter((m) => known.has(m)) }));
  keepOpen(nodes, props);
  view.arrive({ nodes, props }, { mark: false });
  legend(); counts();
  if (nodes.length) {
    const section = [el('h3', {}, `From ${nodeOf(id).title} `, el('span', { class: 'count' }, String(nodes.length))), el('ol', {}, ...nodes.map(listItem))];
    opened.walks.push(section);
    $('list').prepend(...section);
  }
  $('tip').textContent = nodes.length ? `${nodes.length} more from here` : 'Nothing more from here: all its neighbours are shown, or only hubs lead on.';
  $('tip').hidden = false;
  rewatch();
});

function keepOpen(nodes, props) {
  for (const node of nodes) opened.nodes.set(node.id, node);
  for (const prop of props) opened.props.set(prop.key, { ...prop, members: [...new Set([...(opened.props.get(prop.key)?.members || []), ...prop.members])] });
}
function dropOpened() { opened.nodes.clear(); opened.props.clear(); opened.hubs.clear(); opened.walks.length = 0; hubPage.clear(); }

// The walk's answer with what was opened beyond it.
function withOpened(next) {
  const have = new Set(next.nodes.map((n) => n.id));
  const nodes = [...next.nodes, ...[...opened.nodes.values()].filter((n) => !have.has(n.id))];
  const known = new Set(nodes.map((n) => n.id));
  const props = new Map(next.props.map((p) => [p.key, p]));
  for (const [key, prop] of opened.props) {
    const members = [...new Set([...(props.get(key)?.members || []), ...prop.members])].filter((m) => known.has(m));
    props.set(key, { ...prop, members });
  }
  return { ...next, nodes, props: [...props.values()] };
}

// Put opened parts of the list back after the server drew it anew.
function reopen() {
  data.hubs.forEach((hub, i) => {
    const part = opened.hubs.get(hub.key);
    const row = part && $('list').querySelector(`button.hubrow[data-hub="${i}"]`);
    if (!row) return;
    row.parentElement.querySelector('.newest')?.remove();
    row.after(part);
    row.querySelector('.go').textContent = hubPage.get(hub.key)?.cursor === null ? 'All shown' : 'Show 25 more';
  });
  for (const section of opened.walks) $('list').prepend(...section);
}

function listItem(node) {
  return el('li', {}, el('button', { type: 'button', 'data-id': node.id, 'data-sr-id': node.id, 'data-version': node.version, 'aria-pressed': 'false' },
    el('span', { class: `dot l${node.lane}${node.agent ? ' sq' : ''}${node.superseded ? ' hollow' : ''}`, 'data-lane': node.lane, 'data-kind': node.kindColour, 'aria-hidden': 'true' }),
    el('span', { class: 't' }, node.title), el('span', { class: 's' }, node.shares || '')));
}

// ---- hubs: light up what carries one, or expand it a page at a time
const hubPage = new Map();
const expandHub = (i) => asked(async () => {
  const hub = data.hubs[i];
  const state = hubPage.get(hub.key) || { cursor: '', shown: 0 };
  if (state.cursor === null) return;
  const part = await fetchPart(`${$('radius').dataset.hubUrl}?${new URLSearchParams({ label: hub.label, value: hub.value, cursor: state.cursor })}`, { json: true });
  const row = $('list').querySelector(`button[data-hub="${i}"]`);
  const nodes = part.nodes.filter((n) => n.id !== origin).map((n) => ({ ...n, depth: 1, from: origin, via: [hub.key], shares: `${hub.words}: ${hub.value}` }));
  const room = PICTURE_MOST - view.model.nodes.size;
  const drawn = nodes.filter((n) => !view.has(n.id)).slice(0, Math.max(0, room));
  state.shown += part.nodes.length; state.cursor = part.next;
  hubPage.set(hub.key, state);
  const members = [origin, ...nodes.map((n) => n.id)].filter((id) => view.has(id) || drawn.some((n) => n.id === id));
  const prop = { key: hub.key, label: hub.label, words: hub.words, value: hub.value, members, note: `${state.shown} of ${hub.countWords}` };
  keepOpen(drawn, [prop]);
  view.expand({ nodes: drawn, props: [prop] }, hub.key);
  let list = opened.hubs.get(hub.key);
  if (!list) { list = el('ol', { class: 'hubpage' }); opened.hubs.set(hub.key, list); row.parentElement.querySelector('.newest')?.remove(); row.after(list); }
  list.append(...nodes.map(listItem));
  row.querySelector('.go').textContent = part.next === null ? 'All shown' : 'Show 25 more';
  hubs(); legend(); counts(); find(); panel();
  rewatch();
});

// ---- path
const showPath = (from, to) => asked(async () => {
  const part = await fetchPart(`${$('radius').dataset.pathUrl}?${new URLSearchParams({ from, to })}`, { json: true });
  select(null);
  const text = $('pathtext');
  text.replaceChildren();
  if (!part.steps.length) {
    text.append(el('b', {}, 'No path.'), ` Nothing that you can read joins these two records within ${part.maxDepth} steps.`);
  } else {
    const missing = part.nodes.filter((n) => !view.has(n.id)).map((n) => ({ ...n, depth: 2 }));
    if (missing.length || part.props.some((p) => !view.model.props.has(p.key))) { keepOpen(missing, part.props); view.arrive({ nodes: missing, props: part.props }, { mark: false }); }
    text.append(el('b', {}, `Path, ${part.steps.length} ${part.steps.length === 1 ? 'step' : 'steps'}.`), ' ', from === origin ? 'This record' : el('a', { href: nodeOf(from).url }, nodeOf(from).title));
    for (const step of part.steps) text.append(' ', el('span', { class: 'hop' }, `${step.words}: ${step.value}`), ' ', step.to === origin ? 'this record' : el('a', { href: nodeOf(step.to).url, 'data-sr-id': step.to }, nodeOf(step.to).title));
    text.append('.');
  }
  path = part.steps;
  $('pathstrip').hidden = false;
  $('pathbtn').setAttribute('aria-pressed', 'true');
  if (part.steps.length) view.showPath(part.steps); else view.resized();
});
function clearPath() {
  path = null; picking = null;
  $('pathstrip').hidden = true;
  $('pathbtn').setAttribute('aria-pressed', 'false');
  view.clearPath(); view.resized(); panel();
}
function pick(from) {
  select(null);
  picking = from;
  $('pathbtn').setAttribute('aria-pressed', 'true');
  panel();
}

// ---- fetching the walk again
let aborter = null;
async function reload({ relayout = false, live = false, must = false } = {}) {
  const mine = ++walk;
  aborter?.abort();
  aborter = new AbortController();
  const html = await guarded(() => fetchPart(`${$('radius').dataset.radiusUrl}?${params()}`, { signal: aborter.signal }));
  if (html === null || mine !== walk || isEnded()) return;
  const doc = new DOMParser().parseFromString(html, 'text/html');
  const next = JSON.parse(doc.getElementById('radius-data').textContent);
  // what may have gone goes, whatever waits to be shown
  if (must) clearHeld();
  else if (live && !held) {
    const came = next.nodes.filter((n) => !view.has(n.id)).length;
    if (came > MANY) {
      held = true;
      document.querySelector('[data-many]').textContent = `${came} new.`;
      $('manynew').hidden = false;
      return;
    }
  } else if (live) return;
  labels(next.labels);
  const at = asOf();
  const range = data.range;
  data = next;
  if (at) data.range = range;
  const scroll = $('list').scrollTop;
  const focused = document.activeElement?.closest('#list') ? document.activeElement.dataset.id : null;
  if (live) for (const n of next.nodes) if (!view.has(n.id)) fresh.add(n.id);
  if (relayout) dropOpened();
  $('list').replaceChildren(...doc.body.childNodes);
  reopen();
  if (relayout) {
    const keep = view.selected;
    hubs();
    view.model.load(data); view.draw();
    view.selected = null;
    afterList();
    if (keep && view.has(keep)) select(keep); else panel();
  } else if (at) {
    const unknown = next.nodes.filter((n) => !view.has(n.id));
    if (unknown.length) view.arrive({ nodes: unknown, props: next.props }, { mark: false });
    view.showOnly(next.nodes.map((n) => n.id));
    afterList(); panel();
  } else {
    view.showOnly(null);
    const keep = view.selected;
    view.update(withOpened(next), { mark: live });
    afterList();
    if (keep && view.has(keep)) { view.select(keep); }
    if (keep && !view.has(keep)) view.selected = null;
    panel();
  }
  $('list').scrollTop = scroll;
  if (focused) $('list').querySelector(`button[data-id="${focused}"]`)?.focus({ preventScroll: true });
  rewatch();
}

async function refreshParts(which) {
  await Promise.all(which.map(async (name) => {
    const box = document.querySelector(`[data-part="${name}"]`);
    const html = await fetchPart(partURL(name));
    if (!box || !box.isConnected) return;
    if (box.querySelector('dialog[open]')) return; // never under someone's hands
    window.htmx.swap(box, html, { swapStyle: 'innerHTML', settleDelay: 0, swapDelay: 0 });
  }));
}

async function onLive(news) {
  const own = news.ids.has(origin);
  const version = news.ids.get(origin);
  if (news.gone.has(origin) || own || news.access || news.all) {
    // the head first: when it may not be seen any more, nothing else is asked for
    try { await refreshParts(['head']); await refreshParts(['text', 'carries', 'about']); } catch (error) { if (error instanceof Gone) { end(error.message); return; } throw error; }
    const text = $('part-text');
    if (own && text && version > Number(text.dataset.version)) {
      text.dataset.version = version;
      $('changednote').hidden = false;
      const who = document.querySelector('h1[data-changed-by]')?.dataset.changedBy;
      document.querySelector('[data-changed-who]').textContent = who ? `${who} changed this record` : 'This record changed';
    }
    const title = document.querySelector('h1')?.textContent;
    if (title) document.title = `${title} · Lanewise`;
  } else {
    await refreshParts(['carries']);
  }
  // what was opened beyond the walk is not asked for again: when it may have gone, it goes
  const must = news.access || news.all || news.gone.size > 0;
  if (news.access || news.all || [...news.gone].some((id) => opened.nodes.has(id))) dropOpened();
  if (must && path) clearPath();
  await reload({ live: true, must });
}

export function start() {
  data = readJSON('radius-data');
  if (!data) return;
  most = data.asked;
  hubs();
  const boot = () => {
    view = new GraphView($('graph'), data, { shelf: $('hubs'), zoom: document.querySelector('.zoom'), tip: $('tip') }, { select: (id) => select(id === view.selected ? null : id), open: centre });
    window.lanewise = { view }; // for tests and for a look from the console
    afterList(); panel();
    if (data.asOf) view.showOnly(data.nodes.map((n) => n.id));
  };
  // above 200 records the list paints first
  if (data.nodes.length > 200) requestAnimationFrame(() => setTimeout(boot, 0)); else boot();
  if (data.asOf) showAsOf();

  $('zin').addEventListener('click', () => view.zoomBy(1.35));
  $('zout').addEventListener('click', () => view.zoomBy(1 / 1.35));
  $('zfit').addEventListener('click', () => view.fit(true));
  controls().addEventListener('submit', (event) => event.preventDefault());
  controls().addEventListener('change', (event) => {
    if (event.target.id === 'colourby') { view.recolour(event.target.value); afterList(); return; }
    most = event.target.name === 'depth' ? null : most;
    clearHeld(); remember(); change({ relayout: true });
  });
  $('listfind').addEventListener('input', () => find({ mark: true }));
  $('list').addEventListener('click', (event) => {
    const hub = event.target.closest('button[data-hub]');
    if (hub) { expandHub(Number(hub.dataset.hub)); return; }
    const b = event.target.closest('button[data-id]');
    if (b) select(b.dataset.id === view.selected ? null : b.dataset.id, { fromList: true });
  });
  $('list').addEventListener('dblclick', (event) => { const b = event.target.closest('button[data-id]'); if (b) centre(b.dataset.id); });
  $('list').addEventListener('keydown', (event) => {
    if (!/^(ArrowDown|ArrowUp|Home|End)$/.test(event.key)) return;
    const rows = all('#list button').filter((b) => b.offsetParent);
    const i = rows.indexOf(document.activeElement);
    const j = { Home: 0, End: rows.length - 1, ArrowDown: Math.min(rows.length - 1, i + 1), ArrowUp: Math.max(0, i - 1) }[event.key];
    event.preventDefault();
    rows[j].focus();
    if (rows[j].dataset.id) select(rows[j].dataset.id, { fromList: true });
  });
  $('pathbtn').addEventListener('click', () => {
    if (path || picking) { clearPath(); return; }
    if (view.selected && view.selected !== origin) showPath(origin, view.selected); else pick(origin);
  });
  $('pathclear').addEventListener('click', clearPath);
  $('hubs').addEventListener('click', (event) => {
    const b = event.target.closest('button');
    if (!b) return;
    const was = b.getAttribute('aria-pressed') === 'true';
    select(null);
    for (const other of all('#hubs button')) other.setAttribute('aria-pressed', String(other === b && !was));
    view.light(was ? null : data.hubs[Number(b.dataset.hub)].members);
  });
  $('shownew').addEventListener('click', () => { clearHeld(); change({ relayout: true }); });
  const slide = debounce(() => { remember(); change(); }, 140);
  $('asof').addEventListener('input', () => {
    const at = asOf();
    $('asofout').textContent = at ? dateWords(at, { day: 'numeric', month: 'short', year: 'numeric' }) : 'Now';
    slide();
  });
  document.addEventListener('lanewise:theme', () => view?.restyle());
  watchAlso(() => ({ sr: [...(view?.model.nodes.keys() || [])], keys: [...data.watchKeys, ...(view?.model.props.keys() || [])] }));
  onNews(onLive);
  // a control used before this script had come: what it says holds
  if (all('input', controls()).some((box) => box.checked !== box.defaultChecked)) { remember(); change({ relayout: true }); }
  onEnd(() => { view?.destroy(); data = { origin: null, nodes: [], props: [], hubs: [], watchKeys: [], range: {} }; fresh.clear(); dropOpened(); if (window.lanewise) delete window.lanewise; view = null; });
}

function clearHeld() { held = null; $('manynew').hidden = true; }
