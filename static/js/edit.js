// Writing: values in use are offered, a version saved by somebody else is told at once, and nothing typed is lost.
import { $, Gone, all, fetchPart } from './dom.js';
import { end, onEnd, onNews } from './live.js';
import { signedOut } from './send.js';

let dirty = false;

function add() {
  const label = $('addlabel').value.trim(); const value = $('addvalue').value.trim();
  if (!label || !value) { (label ? $('addvalue') : $('addlabel')).focus(); return; }
  const box = $('f-props');
  box.value = `${box.value.trimEnd()}${box.value.trim() ? '\n' : ''}${label.toLowerCase().replace(/ +/g, '_')}: ${value}`;
  dirty = true;
  $('addvalue').value = ''; $('addvalue').focus();
}

// The form, on the page as it came and again after it came back with what is wrong with it.
function bind() {
  const first = document.querySelector('[data-focus]') || document.querySelector('[aria-invalid="true"]');
  first?.focus();
  $('addprop')?.addEventListener('click', add);
  $('addvalue')?.addEventListener('keydown', (event) => { if (event.key === 'Enter') { event.preventDefault(); add(); } });
  for (const form of all('form[data-keep]')) {
    form.addEventListener('input', () => { dirty = true; });
    form.addEventListener('lanewise:sent', () => { dirty = false; });
  }
  // Enter in a field that says what to connect as does not search again
  const finder = $('cfind');
  finder?.form.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.target.localName !== 'input' || event.target.id === 'cq' || event.target.type === 'checkbox') return;
    event.preventDefault(); finder.form.requestSubmit(finder.form.querySelector('button.primary'));
  });
}

const say = (bold, ...text) => {
  const note = $('accessnote');
  if (!note) return;
  note.querySelector('b').textContent = bold; note.querySelector('span').replaceChildren(...text);
  note.hidden = false; note.scrollIntoView({ block: 'nearest' });
};

export function start() {
  bind();
  document.addEventListener('lanewise:content', bind);
  addEventListener('beforeunload', (event) => { if (dirty && document.querySelector('form[data-keep]')) event.preventDefault(); });
  onEnd(() => { dirty = false; });

  document.addEventListener('lanewise:signedout', (event) => {
    if (!dirty) return;
    event.preventDefault();
    const [lead, ...rest] = signedOut();
    say(lead.trim(), 'Your text is still here. ', ...rest);
  });
  document.addEventListener('lanewise:lost', (event) => {
    if (event.target.id !== 'f-lane') return;
    event.target.setAttribute('aria-invalid', 'true');
    say('You may no longer write to the matter you had chosen.', 'Choose another one. Your text is still here.');
  });
  document.addEventListener('lanewise:refused', (event) => {
    event.preventDefault();
    for (const list of all('datalist, select[data-refetch], [data-refetch]')) list.replaceChildren();
    say('You may no longer write here.', 'Your text is still here, so that you can copy it, but it cannot be saved.');
  });

  const origin = document.body.dataset.origin;
  const partURL = document.body.dataset.partUrl;
  if (!partURL) return;
  onNews(async (news) => {
    let head = '';
    try {
      head = await fetchPart(partURL.replace('PART', 'head'));
    } catch (error) { if (error instanceof Gone) { end(error.message); return; } throw error; }
    const form = $('recordform');
    const version = news.ids.get(origin);
    if (!form || !(version > Number(form.dataset.version))) return;
    const who = new DOMParser().parseFromString(head, 'text/html').querySelector('h1')?.dataset.changedBy;
    document.querySelector('[data-changed-who]').textContent = `${who || 'Somebody'} saved a new version`;
    $('changednote').hidden = false;
  });
}
