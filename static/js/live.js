// Live news. The socket carries ids and versions only; whoever shows a region fetches it again over HTTP, under the
// viewer's own permissions. States: connecting, connected, catching-up, offline, each said by a shape and a word.
import { $, Gone, all, clock, debounce, fetchPart, selectorOf } from './dom.js';

const TEXT = { connecting: 'Connecting', connected: 'Live', 'catching-up': 'Catching up', offline: 'Offline' };
const BACKOFF = [0.5, 1, 2, 4, 8, 15, 30];
const COALESCE_MS = 250;

let socket = null;
let attempt = 0;
let opened = false;
let lastNews = null;
let lostAt = null;
let retryTimer = null;
let countdown = null;
let pongTimer = null;
let leaving = false;
let ended = false;
let watched = '';
let since = Number(document.body.dataset.began) || 0;
let pending = null;
let running = null;
let busyUntil = 0;
let extra = () => ({ sr: [], keys: [] });
const handlers = [];
const ends = [];

export const isEnded = () => ended;
// handler(news): news = { ids: Map(sr_id → version), again: Set, gone: Set, access, all }. What joins the records of
// `again` changed, which gives them no new version: in ids they have 0, or the version they have besides. `all` means: fetch everything again.
export function onNews(handler) { handlers.push(handler); }
// Called when everything on the page is cleared.
export function onEnd(fn) { ends.push(fn); }
// More ids and property keys to watch than the page's own elements name.
export function watchAlso(fn) { extra = fn; rewatch(); }

function say(state) {
  for (const node of all('[data-live]')) { node.dataset.state = state; node.querySelector('[data-live-text]').textContent = TEXT[state]; }
  const since = lostAt ? ` since ${clock(lostAt)}` : '';
  for (const node of all('[data-live-since]')) node.textContent = since;
  for (const node of all('[data-when-live]')) node.hidden = node.dataset.whenLive !== state;
}
const state = () => document.querySelector('[data-live]')?.dataset.state;
// Whether the server can be asked. Only a page that lost its socket wonders, and then it tries.
export async function reachable() {
  if (state() !== 'offline') return true;
  try { await fetch('/live/session/', { headers: { 'X-Part': '1' }, credentials: 'same-origin', cache: 'no-store' }); connect(); return true; } catch { return false; }
}

function collect() {
  const more = extra();
  const sr = new Set(more.sr);
  const keys = new Set(more.keys);
  for (const node of all('[data-sr-id]')) if (node.dataset.srId) sr.add(node.dataset.srId);
  for (const node of all('[data-key]')) keys.add(node.dataset.key);
  const lanes = document.body.dataset.watchLanes || '';
  return { sr: [...sr].slice(0, 2000), keys: [...keys].slice(0, 4000), lanes };
}

export const rewatch = debounce(() => {
  if (socket?.readyState !== WebSocket.OPEN) return;
  const watch = collect();
  const next = JSON.stringify(watch);
  // what is watched from now on may have changed since it was fetched: `since` has the server look once
  if (next !== watched) { watched = next; socket.send(JSON.stringify({ watch, since })); }
}, 200);

function queue(change) {
  pending ??= { ids: new Map(), again: new Set(), gone: new Set(), access: false, all: false, timer: null };
  change(pending);
  pending.timer ??= setTimeout(flush, Math.max(COALESCE_MS, busyUntil - performance.now()));
}

async function flush() {
  if (!pending || ended) return;
  if (running) { pending.timer = setTimeout(flush, COALESCE_MS); return; }
  const news = pending;
  pending = null;
  // what the page already shows needs no second look: the writer's own page, mostly
  for (const [id, version] of news.ids) {
    // the page's own record again: what was found in its text follows without a new version
    if (id === document.body.dataset.origin || news.again.has(id)) continue;
    const shown = all(`[data-sr-id="${id}"][data-version]`);
    if (shown.length && shown.every((node) => Number(node.dataset.version) >= version) && !news.all) news.ids.delete(id);
  }
  if (!news.ids.size && !news.gone.size && !news.access && !news.all) return;
  const began = performance.now();
  running = (async () => {
    for (const handler of handlers) await handler(news);
    await refreshRegions();
    if (news.access || news.all) await refetch();
  })();
  try {
    await running;
    if (news.all && socket?.readyState === WebSocket.OPEN) { lostAt = null; say('connected'); }
  } catch (error) {
    if (error instanceof Gone) end(error.message);
    // what a permission took away may not stay because one request failed
    else if (news.all || news.access) setTimeout(() => queue((p) => { p.all ||= news.all; p.access ||= news.access; }), 2000);
  } finally {
    running = null;
    // a page that is slow to fetch asks less often: it never spends more than half its time on news
    busyUntil = performance.now() + Math.min(5000, performance.now() - began);
    rewatch();
  }
}

// Regions that only need their HTML again. Focus and scroll stay: htmx keeps both for elements with an id.
async function refreshRegions() {
  await Promise.all(all('[data-live-region]').map(async (region) => {
    const url = new URL(region.dataset.liveRegion, location.href);
    const shown = new URLSearchParams(location.search).get('shown');
    if (shown) url.searchParams.set('shown', shown);
    const html = await fetchPart(url);
    if (ended || !region.isConnected) return;
    if (region.contains(document.activeElement) && /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName)) return;
    const open = all('details', region).map((d) => d.open);
    window.htmx.swap(region, html, { swapStyle: 'innerHTML', settleDelay: 0, swapDelay: 0 });
    all('details', region).forEach((d, i) => { if (open[i] !== undefined) d.open = open[i]; });
    say(state());
  }));
}

const heading = (details) => details.querySelector('summary')?.textContent.replace(/\d+/g, '').trim();

// What the page says of lanes and their values beside its records (facets, lists of matters, offered labels): every
// element with data-refetch, as the page's own address shows it now. Ticks, open parts and the focus stay.
export async function refetch() {
  $('suggestions')?.replaceChildren(); if ($('suggestions')) $('suggestions').hidden = true;
  all('datalist#values').forEach((list) => list.replaceChildren());
  const stale = all('[data-refetch]');
  if (!stale.length) return;
  let html;
  try { html = await fetchPart(location.href.split('#')[0], { wrong: true }); } catch (error) {
    // a form that may not be sent any more is told so, and keeps what was typed
    if (error instanceof Gone && error.message === 'refused' && !document.dispatchEvent(new CustomEvent('lanewise:refused', { cancelable: true }))) return;
    throw error;
  }
  if (ended) return;
  const now = new DOMParser().parseFromString(html, 'text/html');
  for (const old of stale) {
    const next = now.getElementById(old.id);
    if (!next) { old.replaceChildren(); continue; }
    if (old.localName === 'select') { reselect(old, next); continue; }
    const focused = old.contains(document.activeElement) ? selectorOf(document.activeElement) : null;
    const ticked = new Set(all('input[type=checkbox][name=with]:checked', old).map((box) => box.value));
    const open = new Map(all('details', old).map((d) => [heading(d), d.open]));
    window.htmx.swap(old, next.innerHTML, { swapStyle: 'innerHTML', settleDelay: 0, swapDelay: 0 });
    for (const box of all('input[type=checkbox][name=with]', old)) box.checked = ticked.has(box.value);
    for (const d of all('details', old)) if (open.has(heading(d))) d.open = open.get(heading(d));
    if (focused) old.querySelector(focused)?.focus({ preventScroll: true });
  }
  document.dispatchEvent(new CustomEvent('lanewise:refetched'));
}

// A chosen entry that is not there any more is not silently another one.
function reselect(old, next) {
  const chosen = old.value;
  old.replaceChildren(...next.childNodes);
  if ([...old.options].some((o) => o.value === chosen)) { old.value = chosen; return; }
  if (!old.hasAttribute('data-autosubmit')) {
    if (![...old.options].some((o) => !o.value)) old.prepend(new Option('Choose one', ''));
    old.value = '';
  }
  old.dispatchEvent(new CustomEvent('lanewise:lost', { bubbles: true }));
}

// Access was taken away: nothing of what was shown may stay, in the page or in memory.
export function end(reason, { told = false } = {}) {
  if (ended) return;
  // a session that this browser lost, while the server knows of no sign-out: a form half written is not thrown away
  if (reason === 'signed out' && !told && socket?.readyState === WebSocket.OPEN && !document.dispatchEvent(new CustomEvent('lanewise:signedout', { cancelable: true }))) return;
  ended = true;
  document.title = reason === 'signed out' ? 'Signed out · Lanewise' : 'No longer here · Lanewise';
  ends.forEach((fn) => fn());
  all('dialog').forEach((d) => d.remove());
  all('form').forEach((f) => { if (!f.closest('.topbar')) f.reset(); });
  const onRecord = Boolean(document.body.dataset.origin);
  $('content')?.remove();
  delete document.body.dataset.origin;
  delete document.body.dataset.partUrl;
  $('toasts')?.replaceChildren();
  $('main').append($('revoked-template').content.cloneNode(true));
  // taken away or deleted: the two are said alike, so that neither tells the other
  if (reason === 'signed out') {
    document.querySelector('#revoked h1').textContent = 'You are signed out';
    document.querySelector('#revoked [data-revoked-text]').textContent = `You were signed out at ${clock()} while this page was open, so everything on it was cleared. Sign in again to go on.`;
  } else {
    document.querySelector('#revoked h1').textContent = `This ${onRecord ? 'record' : 'page'} is no longer here for you`;
    document.querySelector('#revoked [data-revoked-text]').textContent = `It was deleted or closed to you at ${clock()} while this page was open, so everything on it was cleared.`;
  }
  $('main').focus();
  rewatch();
}

function received(message) {
  lastNews = new Date();
  if (message.type === 'pong') { clearTimeout(pongTimer); return; }
  if (message.type === 'watching') { since = message.at; return; }
  if (message.type === 'ready') return;
  if (message.type === 'bye') { end('signed out', { told: true }); return; }
  if (message.type === 'resync') { queue((p) => { p.all = true; p.access = true; }); return; }
  if (message.type === 'access') {
    // what was watched may be out of sight, so it has been forgotten: say anew what is shown, once it was fetched
    watched = ''; since = message.at;
    queue((p) => { p.access = true; });
    return;
  }
  if (message.type === 'news') {
    queue((p) => {
      for (const [id, version] of message.sr) {
        p.ids.set(id, Math.max(version, p.ids.get(id) || 0));
        if (!version) p.again.add(id);
      }
      for (const id of message.gone || []) p.gone.add(id);
    });
  }
}

function connect() {
  clearTimeout(retryTimer); clearInterval(countdown);
  if (leaving || ended) return;
  const url = `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/ws/live/?tenant=${encodeURIComponent(document.body.dataset.tenant || '')}`;
  const ws = socket = new WebSocket(url);
  let here = false;
  ws.addEventListener('open', () => {
    here = true; attempt = 0; watched = '';
    rewatch();
    if (opened) { say('catching-up'); queue((p) => { p.all = true; p.access = true; }); } else { say('connected'); lostAt = null; }
    opened = true;
  });
  ws.addEventListener('message', (event) => received(JSON.parse(event.data)));
  ws.addEventListener('close', (event) => {
    if (socket !== ws || leaving) return;
    clearTimeout(pongTimer);
    if (event.code === 4401) { end('signed out', { told: true }); return; }
    lostAt ??= lastNews || new Date();
    retry();
    // refused at the door: perhaps the session has ended
    if (!here) fetchPart('/live/session/').catch((error) => { if (error instanceof Gone) end(error.message, { told: true }); });
  });
}

function retry() {
  const seconds = BACKOFF[Math.min(attempt, BACKOFF.length - 1)] * (0.8 + Math.random() * 0.4);
  attempt += 1;
  opened = true; // whatever comes next must catch up
  let left = Math.max(1, Math.round(seconds));
  say('offline');
  const tell = () => { for (const node of all('[data-live-retry]')) node.textContent = `Trying again in ${left} s.`; };
  tell();
  countdown = setInterval(() => { left = Math.max(0, left - 1); tell(); }, 1000);
  retryTimer = setTimeout(connect, seconds * 1000);
}

export function start() {
  if (!document.querySelector('[data-live]')) return;
  addEventListener('pagehide', () => { leaving = true; if (socket?.readyState === WebSocket.OPEN) socket.close(); });
  addEventListener('pageshow', (event) => { if (event.persisted) { leaving = false; opened = true; connect(); } });
  addEventListener('online', () => { if (socket?.readyState !== WebSocket.OPEN) connect(); });
  document.addEventListener('click', (event) => { if (event.target.closest('[data-live-now]')) connect(); });
  document.body.addEventListener('htmx:afterSettle', rewatch);
  // a dead line does not close by itself: ask, and hang up when nothing answers
  setInterval(() => {
    if (socket?.readyState !== WebSocket.OPEN) return;
    socket.send('{"ping":1}');
    clearTimeout(pongTimer);
    pongTimer = setTimeout(() => socket.close(), 8000);
  }, 25000);
  connect();
}
