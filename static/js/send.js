// Forms that write are sent without leaving the page: when the answer is no, or none comes, what was typed is still
// there and the form says so. Without this script the same forms are sent by the browser.
import { $, el, icon, toast } from './dom.js';
import { reachable, rewatch } from './live.js';

const SIGN_IN = '/accounts/login/';
const token = () => document.cookie.match(/(?:^|; )csrftoken=([^;]+)/)?.[1] || '';
export const signedOut = () => ['You are signed out. ', el('a', { href: SIGN_IN, target: '_blank', rel: 'noopener' }, 'Sign in in a new tab'), ', then try again here.'];
const OFFLINE = 'There is no connection to the server.';

function ask(form, submitter) {
  const body = new URLSearchParams(new FormData(form, submitter));
  // signing in again made another token
  if (token()) body.set('csrfmiddlewaretoken', token());
  return fetch(form.getAttribute('action') || location.href, { method: 'POST', body, credentials: 'same-origin', redirect: 'manual',
    headers: { 'X-Part': '1', 'X-Lanewise-Tenant': document.body.dataset.tenant || '', Accept: 'text/html' } });
}

async function send(form, submitter) {
  let reply;
  const sent = token();
  try {
    reply = await ask(form, submitter);
    if (reply.status === 403) {
      const session = await fetch('/live/session/', { credentials: 'same-origin', headers: { 'X-Part': '1' } });
      if (session.status === 401) { refuse(form, submitter, signedOut()); return; }
      if (token() !== sent) reply = await ask(form, submitter);
    }
  } catch { refuse(form, submitter, [OFFLINE]); return; }
  const next = reply.headers.get('X-Location');
  if (next) { form.dispatchEvent(new CustomEvent('lanewise:sent', { bubbles: true })); location.assign(next); return; }
  if (reply.status === 401) { refuse(form, submitter, signedOut()); return; }
  const page = new DOMParser().parseFromString(await reply.text(), 'text/html');
  const content = page.getElementById('content');
  // the form again, with what is wrong with it
  if (form.id && content?.querySelector(`form#${CSS.escape(form.id)}`) && reply.status < 500) {
    $('content').replaceChildren(...content.childNodes);
    document.dispatchEvent(new CustomEvent('lanewise:content'));
    rewatch();
    return;
  }
  const said = reply.status === 404 ? 'This record is no longer here for you.'
    : content ? `${content.querySelector('h1')?.textContent || ''}. ${content.querySelector('h1 + p')?.textContent || ''}` : 'The server could not do it just now. Try again in a moment.';
  refuse(form, submitter, [said]);
}

// Said where the typing is; for a button without a form round it, at the foot of the page.
function refuse(form, submitter, why) {
  const typed = form.hasAttribute('data-keep');
  const lead = typed ? 'Not saved. Your text is still here.' : 'Nothing was changed.';
  const over = submitter?.closest('dialog');
  if (over && !over.contains(form)) over.close();
  const place = form.querySelector('.body');
  form.querySelector('[data-notsaved]')?.remove();
  if (!place) { toast([el('b', {}, lead), ' ', ...why], 'danger'); return; }
  const note = el('div', { class: 'notice danger notsaved', role: 'alert', tabindex: '-1', 'data-notsaved': true }, icon('alert'), el('div', {}, el('b', {}, lead), ' ', ...why));
  place.before(note);
  note.scrollIntoView({ block: 'nearest' });
}

// ---- leaving for an address that cannot be reached would end at the browser's own error page
const STAY = 'There is no connection to the server, so nothing was asked. What you see is as it was.';

export function stayed() { toast(STAY, 'danger'); }

// What a filter was set to goes back to what the page shows.
function putBack(form) {
  for (const field of form.elements) {
    if (field.type === 'checkbox' || field.type === 'radio') field.checked = field.defaultChecked;
    else if (field.localName === 'select') [...field.options].forEach((o) => { o.selected = o.defaultSelected; });
    else if (field.type === 'date') field.value = field.defaultValue;
  }
}

const offline = () => document.querySelector('[data-live]')?.dataset.state === 'offline';

export function start() {
  if (!document.body.dataset.tenant) return;
  document.addEventListener('submit', async (event) => {
    const form = event.target;
    if (event.defaultPrevented || form.hasAttribute('data-plain')) return;
    const method = event.submitter?.getAttribute('formmethod') || form.getAttribute('method') || 'get';
    if (method.toLowerCase() !== 'post') {
      if (!offline()) return;
      event.preventDefault();
      if (await reachable()) form.submit(); else { putBack(form); stayed(); }
      return;
    }
    if (!form.closest('main')) return;
    event.preventDefault();
    if (form.dataset.sending) return;
    form.dataset.sending = '1';
    event.submitter?.setAttribute('aria-busy', 'true');
    try { await send(form, event.submitter); } finally { delete form.dataset.sending; event.submitter?.removeAttribute('aria-busy'); }
  });
  document.addEventListener('click', async (event) => {
    const link = event.target.closest?.('a[href]');
    if (!link || !offline() || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    if (link.target || link.origin !== location.origin || (link.hash && link.pathname === location.pathname && link.search === location.search)) return;
    event.preventDefault();
    if (await reachable()) location.assign(link.href); else stayed();
  });
  document.body.addEventListener('htmx:sendError', stayed);
  // something typed into an open dialog is not thrown away with a session that this browser lost
  document.addEventListener('lanewise:signedout', (event) => {
    const form = document.querySelector('dialog[open] form[data-keep]');
    if (!form || ![...form.elements].some((f) => f.matches('input:not([type=hidden]), textarea') && f.value !== f.defaultValue)) return;
    event.preventDefault();
    refuse(form, null, signedOut());
  });
}
