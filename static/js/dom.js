// Small helpers shared by the modules.
export const $ = (id) => document.getElementById(id);
export const all = (selector, root = document) => [...root.querySelectorAll(selector)];

export function icon(name, cls = '') {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('class', `i ${cls}`.trim()); svg.setAttribute('viewBox', '0 0 16 16'); svg.setAttribute('aria-hidden', 'true');
  const use = document.createElementNS('http://www.w3.org/2000/svg', 'use');
  use.setAttribute('href', `#i-${name}`);
  svg.append(use);
  return svg;
}

// el('p', {class: 'small'}, 'text', node, …): text is always text, never markup.
export function el(tag, attrs = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attrs)) if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value === true ? '' : value);
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

// content: text, or nodes in an array
export function toast(content, level = 'ok') {
  const box = $('toasts');
  if (!box) return;
  const close = el('button', { class: 'btn plain sm icon', type: 'button', 'aria-label': 'Dismiss' }, icon('x', 's'));
  const node = el('div', { class: `toast ${level}` }, icon(level === 'danger' ? 'alert' : 'check'), el('div', {}, ...[content].flat()), close);
  close.addEventListener('click', () => node.remove());
  box.append(node);
  setTimeout(() => node.remove(), 8000);
}

// How to find an element again in another copy of the page: by id, else by name and value.
export const selectorOf = (node) => (node.id ? `#${CSS.escape(node.id)}` : node.name ? `${node.localName}[name="${CSS.escape(node.name)}"][value="${CSS.escape(node.value)}"]` : null);

export const readJSON = (id) => { const node = $(id); return node ? JSON.parse(node.textContent) : null; };

export function debounce(fn, ms) {
  let timer;
  return (...args) => { clearTimeout(timer); timer = setTimeout(() => fn(...args), ms); };
}

export class Gone extends Error {}

// A part of the page, fetched again under the viewer's own permissions. Gone: it may no longer be seen. With
// `wrong`, a page that says what is wrong with its own address is a page too: one with a date that cannot be read.
export async function fetchPart(url, { json = false, wrong = false, signal } = {}) {
  const reply = await fetch(url, { headers: { 'X-Part': '1', 'X-Lanewise-Tenant': document.body.dataset.tenant || '', Accept: json ? 'application/json' : 'text/html' }, credentials: 'same-origin', redirect: 'manual', signal });
  if (reply.type === 'opaqueredirect' || reply.status === 401) throw new Gone('signed out');
  if (reply.status === 403) throw new Gone('refused');
  if (reply.status === 404) throw new Gone('not visible');
  if (!reply.ok && !(wrong && reply.status === 400)) throw new Error(`answered ${reply.status}`);
  return json ? reply.json() : reply.text();
}

// The server could not be asked at all, as against one that answered "no".
export const isOffline = (error) => error instanceof TypeError;

export const clock = (date = new Date()) => new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' }).format(date);
// A date as the pages write it: "27 Sep 2026", where en-GB has "Sept".
export const dateWords = (t, options) => new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', ...options }).format(t).replace(/\bSept\b/, 'Sep');
