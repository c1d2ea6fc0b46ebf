// The search box: `label:value` + Enter makes a chip (the server tells a term from words), Backspace takes the last one away, suggestions come from what
// the person may see. The form is the state: everything ends up in the address.
import { el } from './dom.js';
import { reachable } from './live.js';
import { stayed } from './send.js';

export function start(form) {
  const input = form.querySelector('input[data-search]');
  const box = form.querySelector('[role="listbox"]');
  let options = [];
  let chosen = -1;
  let wanted = 0;
  let timer;
  let asking = false; // suggestions for what was typed last are on their way

  const close = () => { if (!box) return; box.hidden = true; chosen = -1; input.setAttribute('aria-expanded', 'false'); input.removeAttribute('aria-activedescendant'); };
  const choose = (i) => {
    chosen = i;
    options.forEach((o, j) => o.setAttribute('aria-selected', String(i === j)));
    if (i >= 0) { input.setAttribute('aria-activedescendant', options[i].id); options[i].scrollIntoView({ block: 'nearest' }); } else input.removeAttribute('aria-activedescendant');
  };
  const addTerm = async (raw) => {
    if (!await reachable()) { close(); stayed(); return; }
    input.value = '';
    input.before(el('input', { type: 'hidden', name: 't', value: raw }));
    close();
    form.requestSubmit();
  };
  // a chip goes with the facet that says the same
  const drop = async (chip) => {
    if (!await reachable()) { stayed(); return; }
    const raw = chip.querySelector('input[name="t"]').value;
    for (const field of form.elements) if (field.type === 'checkbox' && field.name === 't' && field.value.toLowerCase() === raw.toLowerCase()) field.checked = false;
    chip.remove();
    input.focus();
    form.requestSubmit();
  };
  const take = (option) => {
    if (option.dataset.fill) { input.value = option.dataset.fill; input.focus(); suggest(); return; }
    if (option.dataset.term) addTerm(option.dataset.term);
    else { close(); form.requestSubmit(); }
  };

  async function suggest() {
    if (!form.dataset.suggest || !box) { asking = false; return; }
    const text = input.value;
    const mine = ++wanted;
    if (!text.trim()) { asking = false; close(); return; }
    const reply = await fetch(`${form.dataset.suggest}?${new URLSearchParams({ q: text })}`, { credentials: 'same-origin', headers: { 'X-Part': '1' } }).catch(() => null);
    if (mine === wanted) asking = false;
    if (!reply?.ok || mine !== wanted || document.activeElement !== input) return;
    box.innerHTML = await reply.text();
    options = [...box.querySelectorAll('[role="option"]')];
    box.hidden = !options.length;
    input.setAttribute('aria-expanded', String(options.length > 0));
    chosen = -1;
  }

  input.addEventListener('input', () => { asking = true; clearTimeout(timer); timer = setTimeout(suggest, 120); });
  input.addEventListener('blur', () => setTimeout(close, 150));
  input.addEventListener('keydown', (event) => {
    const open = box && !box.hidden;
    if (event.key === 'ArrowDown' && open) { event.preventDefault(); choose(Math.min(options.length - 1, chosen + 1)); } else if (event.key === 'ArrowUp' && open) { event.preventDefault(); choose(Math.max(-1, chosen - 1)); } else if (event.key === 'ArrowDown' && !event.altKey) {
      const first = document.querySelector('[data-roving] h3 a');
      event.preventDefault();
      if (first && !asking) first.focus();
    } else if (event.key === 'Escape' && open) { event.stopPropagation(); close(); } else if (event.key === 'Enter') {
      if (open && chosen >= 0) { event.preventDefault(); take(options[chosen]); return; }
      // a form of several text fields without a button is not sent by Enter alone
      if (!event.isComposing && !form.querySelector('button[type="submit"]')) { event.preventDefault(); form.requestSubmit(); }
    } else if (event.key === 'Backspace' && !input.value) {
      const last = [...form.querySelectorAll('[data-term]')].pop();
      if (last) { event.preventDefault(); drop(last); }
    }
  });
  box?.addEventListener('mousedown', (event) => { const option = event.target.closest('[role="option"]'); if (option) { event.preventDefault(); take(option); } });
  form.addEventListener('click', (event) => {
    const x = event.target.closest('[data-remove-term]');
    if (x) drop(x.closest('[data-term]'));
  });
  // empty fields stay out of the address, and a facet that repeats a chip is one term
  form.addEventListener('submit', () => {
    const seen = new Set();
    for (const field of form.elements) {
      if (!field.name || field.type === 'submit') continue;
      const pair = `${field.name}=${field.value}`;
      const off = field.type === 'checkbox' && !field.checked;
      // a facet that was on and is not any more takes its chip along
      if (off && field.defaultChecked && field.name === 't') for (const hidden of form.elements) if (hidden.name === 't' && hidden.type === 'hidden' && hidden.value === field.value) hidden.disabled = true;
      if (!field.value || (!off && seen.has(pair) && field.type !== 'radio')) field.disabled = true;
      if (!off) seen.add(pair);
    }
    setTimeout(() => { for (const field of form.elements) field.disabled = false; }, 0);
  });
  addEventListener('pageshow', () => { for (const field of form.elements) field.disabled = false; });
}
