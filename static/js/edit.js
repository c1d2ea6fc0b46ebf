// Writing: values in use are offered, a version saved by somebody else is told at once, and nothing typed is lost.
import { $, Gone, fetchPart } from './dom.js';
import { end, onNews } from './live.js';

export function start() {
  const first = document.querySelector('[data-focus]') || document.querySelector('[aria-invalid="true"]');
  first?.focus();
  const add = () => {
    const label = $('addlabel').value.trim(); const value = $('addvalue').value.trim();
    if (!label || !value) { (label ? $('addvalue') : $('addlabel')).focus(); return; }
    const box = $('f-props');
    box.value = `${box.value.trimEnd()}${box.value.trim() ? '\n' : ''}${label.toLowerCase().replace(/ +/g, '_')}: ${value}`;
    $('addvalue').value = ''; $('addvalue').focus();
  };
  $('addprop')?.addEventListener('click', add);
  $('addvalue')?.addEventListener('keydown', (event) => { if (event.key === 'Enter') { event.preventDefault(); add(); } });

  let dirty = false;
  const form = $('recordform');
  form?.addEventListener('input', () => { dirty = true; });
  form?.addEventListener('submit', () => { dirty = false; });
  addEventListener('beforeunload', (event) => { if (dirty && document.contains(form)) event.preventDefault(); });

  const origin = document.body.dataset.origin;
  const partURL = document.body.dataset.partUrl;
  if (!origin) return;
  onNews(async (news) => {
    let head = '';
    try {
      head = await fetchPart(partURL.replace('PART', 'head'));
    } catch (error) { if (error instanceof Gone) { dirty = false; end(error.message); return; } throw error; }
    const version = news.ids.get(origin);
    if (!(version > Number(form.dataset.version))) return;
    const who = new DOMParser().parseFromString(head, 'text/html').querySelector('h1')?.dataset.changedBy;
    document.querySelector('[data-changed-who]').textContent = `${who || 'Somebody'} saved a new version`;
    $('changednote').hidden = false;
  });
}
