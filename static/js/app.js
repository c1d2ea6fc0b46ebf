// Entry point of every page.
import * as live from './live.js';
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
if (all('[data-searchbox]').length) import('./searchbox.js').then((m) => all('[data-searchbox]').forEach(m.start));
const page = PAGES[document.body.dataset.page];
if (page) page().then((m) => m.start?.());
live.start();
