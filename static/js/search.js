// A list of hits does not move under the eye: news offers the list as it is now, and only what may no longer be seen
// goes at once, from the hits and from the facets that count them.
import { $ } from './dom.js';
import { onNews, refetch } from './live.js';

export function start() {
  onNews(async (news) => {
    if (news.access || news.all) return; // the page is fetched again anyway
    if (news.gone.size) await refetch();
    else if ($('newhits')) $('newhits').hidden = false;
  });
}
