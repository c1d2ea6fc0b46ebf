// Entry point of every page.
import * as live from './live.js';
import * as send from './send.js';
import * as shell from './shell.js';
import { all } from './dom.js';

const PAGES = {
  record: () => import('./record.js'),
  timeline: () => import('./timeline.js'),
  value: () => import('./chart.js'),
  insights: () => import('./insights.js'),
  edit: () => import('./edit.js'),
  search: () => import('./search.js'),
};

shell.start();
send.start();
const starting = [];
if (all('[data-searchbox]').length) starting.push(import('./searchbox.js').then((m) => all('[data-searchbox]').forEach(m.start)));
const page = PAGES[document.body.dataset.page];
if (page) starting.push(page().then((m) => m.start?.()));
live.start();
Promise.all(starting).then(() => { document.documentElement.dataset.ready = ''; });
