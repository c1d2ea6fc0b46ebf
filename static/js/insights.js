// Clusters as a picture, coloured by cluster; the lists beside it say the same in words.
import { $, Gone, fetchPart, readJSON } from './dom.js';
import { GraphView } from './graph/view.js';
import { end, onEnd, onNews, rewatch } from './live.js';

let view = null;
const partURL = document.body.dataset.partUrl;

function boot() {
  const data = readJSON('insights-data');
  view?.destroy(); view = null;
  if (!data?.nodes.length || !$('graph')) return;
  view = new GraphView($('graph'), data, { shelf: null, zoom: document.querySelector('.zoom'), tip: $('tip') },
    { select: (id) => view.select(id === view.selected ? null : id), open: (id) => location.assign(view.model.nodes.get(id).url) });
  view.recolour('group'); view.place();
  $('zin').addEventListener('click', () => view.zoomBy(1.35));
  $('zout').addEventListener('click', () => view.zoomBy(1 / 1.35));
  $('zfit').addEventListener('click', () => view.fit(true));
  window.lanewise = { view };
}

export function start() {
  boot();
  document.addEventListener('lanewise:theme', () => view?.restyle());
  onNews(async () => {
    try {
      const html = await fetchPart(partURL);
      $('ins-data').replaceChildren(...new DOMParser().parseFromString(html, 'text/html').body.childNodes);
      boot(); rewatch();
    } catch (error) { if (error instanceof Gone) end(error.message); else throw error; }
  });
  onEnd(() => { view?.destroy(); view = null; delete window.lanewise; });
}
