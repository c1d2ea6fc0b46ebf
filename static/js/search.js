// A list of hits does not move under the eye: news offers the list as it is now, and only what may no longer be seen
// goes at once.
import { $, fetchPart } from './dom.js';
import { onNews, rewatch } from './live.js';

export function start() {
  onNews(async (news) => {
    if (news.access || news.gone.size || news.all) {
      const url = new URL(location.href);
      url.searchParams.set('part', 'results');
      const html = await fetchPart(url);
      const results = $('results');
      if (results) window.htmx.swap(results, html, { swapStyle: 'innerHTML', settleDelay: 0, swapDelay: 0 });
      rewatch();
    } else if ($('newhits')) $('newhits').hidden = false;
  });
}
