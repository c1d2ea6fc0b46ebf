// What every page does: theme, keys, menus, dialogs, small conveniences. Pages work without it.
import { $, all, selectorOf, toast } from './dom.js';

const MEDIA = { system: '(prefers-color-scheme: dark)', dark: 'all', light: 'not all' };
const themeChanged = () => requestAnimationFrame(() => document.dispatchEvent(new CustomEvent('lanewise:theme')));

function theme() {
  const form = document.querySelector('[data-theme-form]');
  form?.addEventListener('change', (event) => {
    $('theme-dark').media = MEDIA[event.target.value] || MEDIA.system;
    themeChanged();
    fetch(form.action, { method: 'POST', body: new FormData(form), credentials: 'same-origin', headers: { 'X-Part': '1' } }).catch(() => toast('No connection: the colours are changed here, but not remembered.', 'danger'));
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', themeChanged);
}

const typing = () => /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName) || document.activeElement?.isContentEditable;

function keys() {
  document.addEventListener('keydown', (event) => {
    if (event.key === '/' && !typing() && !event.ctrlKey && !event.metaKey && !event.altKey) {
      const box = document.querySelector('[data-search]') || $('qs');
      if (box) { event.preventDefault(); box.focus(); box.select?.(); }
    }
    if (event.key === 'Escape' && !document.querySelector('dialog[open]')) {
      for (const menu of all('details.menu[open]')) { menu.open = false; menu.querySelector('summary').focus(); }
    }
    // up and down move through a list of hits, from its links
    const list = event.target.closest?.('[data-roving]');
    if (list && /^(ArrowDown|ArrowUp|Home|End)$/.test(event.key)) {
      const links = all('h3 a, a.title', list);
      const i = links.indexOf(document.activeElement);
      if (i < 0) return;
      const j = { Home: 0, End: links.length - 1, ArrowDown: Math.min(links.length - 1, i + 1), ArrowUp: Math.max(0, i - 1) }[event.key];
      event.preventDefault();
      if (event.key === 'ArrowUp' && i === 0) document.querySelector('[data-search]')?.focus(); else links[j].focus();
    }
  });
  document.addEventListener('click', (event) => {
    for (const menu of all('details.menu[open]')) if (!menu.contains(event.target)) menu.open = false;
  });
}

async function copy(text, said) {
  try { await navigator.clipboard.writeText(text); toast(said); } catch { toast('Could not reach the clipboard. Copy it from the address bar.', 'danger'); }
}

function clicks() {
  document.addEventListener('click', (event) => {
    const open = event.target.closest('[data-open]');
    if (open) {
      // the focus goes back to what stands when the dialog closes: a menu's button, not an entry of a closed menu
      const menu = open.closest('details.menu');
      if (menu) { menu.open = false; menu.querySelector('summary').focus(); }
      $(open.dataset.open)?.showModal();
      return;
    }
    const close = event.target.closest('dialog [data-close]');
    if (close) { close.closest('dialog').close(); return; }
    const toggle = event.target.closest('[data-toggle-class]');
    if (toggle) toggle.setAttribute('aria-pressed', String($(toggle.dataset.toggleOn).classList.toggle(toggle.dataset.toggleClass)));
    if (event.target.closest('[data-copy-url]')) copy(location.href, 'Link copied.');
    const value = event.target.closest('[data-copy]');
    if (value) copy(value.dataset.copy, 'Copied.');
    const show = event.target.closest('[data-show-password]');
    if (show) {
      const field = $(show.dataset.showPassword);
      const on = field.type === 'password';
      field.type = on ? 'text' : 'password';
      show.textContent = on ? 'Hide' : 'Show';
      show.setAttribute('aria-pressed', String(on));
    }
  });
  document.addEventListener('change', (event) => { if (event.target.matches('[data-autosubmit]')) event.target.form?.requestSubmit(); });
}

function filters() {
  // Filters stand open beside the results; where they sit above them they start closed.
  if (innerWidth < 1024) for (const d of all('details.filters')) d.open = false;
}

// Suggestions of values while one is typed into a form, limited to the label named beside it.
function valueSuggestions() {
  let timer;
  document.addEventListener('input', (event) => {
    const field = event.target;
    if (!field.matches('[data-suggest-values]')) return;
    clearTimeout(timer);
    timer = setTimeout(async () => {
      const label = $(field.dataset.labelField)?.value.trim() || '';
      if (!label) return;
      const reply = await fetch(`${field.dataset.suggestValues}?${new URLSearchParams({ label, q: field.value })}`, { credentials: 'same-origin', headers: { 'X-Part': '1' } }).catch(() => null);
      if (!reply?.ok) return;
      const { values } = await reply.json();
      $(field.getAttribute('list')).replaceChildren(...values.map((v) => { const o = document.createElement('option'); o.value = v; return o; }));
    }, 150);
  });
}

function jump() {
  const links = all('.jump a');
  if (!links.length || !window.IntersectionObserver) return;
  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries) if (entry.isIntersecting) links.forEach((a) => { if (a.hash === `#${entry.target.id}`) a.setAttribute('aria-current', 'true'); else a.removeAttribute('aria-current'); });
  }, { rootMargin: '-30% 0px -60% 0px' });
  links.forEach((a) => { const target = document.querySelector(a.hash); if (target) seen.observe(target); });
}

// A list opened page by page keeps its length in the address, so that Back finds the row one left from.
const SHOWN_MAX = 500;
function lengths() {
  document.body.addEventListener('htmx:afterSwap', (event) => {
    const list = event.detail.target;
    if (list?.id !== 'hitlist' && list?.id !== 'rows') return;
    const url = new URL(location.href);
    url.searchParams.set('shown', Math.min(SHOWN_MAX, list.children.length));
    history.replaceState(history.state, '', url);
  });
}

// A filter or a term asks for the page anew: the focus goes on where it was, in the box or on the facet.
const FOCUS = 'lanewise:focus';
function keepFocus() {
  document.addEventListener('submit', (event) => {
    const form = event.target;
    const here = document.activeElement;
    const mine = here?.form === form && here.type !== 'submit' ? here : null;
    if (form.method === 'post' || !(form.matches('[data-searchbox]') || mine?.matches('[data-autosubmit]'))) return;
    const selector = (mine && selectorOf(mine)) || '[data-search]';
    try { sessionStorage.setItem(FOCUS, JSON.stringify({ selector, path: new URL(form.action).pathname, at: Date.now() })); } catch { /* without a store the focus starts at the top */ }
  });
  let kept = null;
  try { kept = JSON.parse(sessionStorage.getItem(FOCUS)); sessionStorage.removeItem(FOCUS); } catch { /* nothing kept */ }
  if (!kept || kept.path !== location.pathname || Date.now() - kept.at > 20000) return;
  const target = document.querySelector(kept.selector) || document.querySelector('[data-search]');
  // on a phone a focused box would put the keyboard over what was found
  if (!target || (target.matches('[data-search]') && matchMedia('(pointer: coarse)').matches)) return;
  for (let box = target.closest('details'); box; box = box.parentElement.closest('details')) box.open = true;
  target.focus();
}

const openNow = () => all('dialog[data-open-now]').forEach((d) => d.showModal());

export function start() { theme(); keys(); clicks(); filters(); valueSuggestions(); jump(); lengths(); keepFocus(); openNow(); document.addEventListener('lanewise:content', openNow); }
