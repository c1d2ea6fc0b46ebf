// Records by month as stacked bars, from the table below the picture (the table is the interface).
import { $, readJSON } from './dom.js';
import { onNews, onEnd } from './live.js';

const NS = 'http://www.w3.org/2000/svg';
function shape(tag, attrs, title) {
  const node = document.createElementNS(NS, tag);
  for (const [k, v] of Object.entries(attrs)) node.setAttribute(k, v);
  if (title !== undefined) { if (tag === 'text') node.textContent = title; else { const t = document.createElementNS(NS, 'title'); t.textContent = title; node.append(t); } }
  return node;
}
// 1, 2, 4, 5 or 6 times a power of ten, so that the axis has three lines; what is counted is whole, and so is the half
function ceiling(n) {
  const p = 10 ** Math.floor(Math.log10(Math.max(n, 1)));
  const fits = [1, 2, 4, 5, 6, 10].map((k) => k * p).filter((v) => v >= n);
  return fits.find((v) => v < 2 || v % 2 === 0);
}

export function draw() {
  const svg = $('overtime');
  const data = readJSON('overtime-data');
  if (!svg || !data?.months.length) return;
  const w = svg.clientWidth;
  const h = svg.clientHeight;
  const base = h - 20;
  const top = 10;
  const left = 40;
  // hidden, or too narrow to hold a bar of each month
  if (w - left < data.months.length || h < 40) return;
  const max = ceiling(Math.max(...data.months.map((m) => m.counts.reduce((a, b) => a + b, 0))));
  const step = (w - left) / data.months.length;
  const bw = Math.min(step * 0.62, 44);
  svg.setAttribute('viewBox', `0 0 ${w} ${h}`);
  svg.replaceChildren();
  for (const v of max < 2 ? [0, 1] : [0, max / 2, max]) {
    const y = base - (v / max) * (base - top);
    svg.append(shape('line', { class: 'g', x1: left, x2: w, y1: y, y2: y }), shape('text', { x: left - 6, y: y + 4, 'text-anchor': 'end' }, new Intl.NumberFormat('en-GB').format(v)));
  }
  // hatched: another matter that has the same colour
  const hatches = shape('defs', {});
  svg.append(hatches);
  data.lanes.forEach((lane, j) => {
    if (!lane.again) return;
    const angle = lane.again % 2 ? 45 : -45;
    const hatch = shape('pattern', { id: `hatch${j}`, width: 5, height: 5, patternUnits: 'userSpaceOnUse', patternTransform: `rotate(${angle})` });
    hatch.append(shape('rect', { class: `l${lane.colour}`, width: 2.5, height: 5 }));
    hatches.append(hatch);
  });
  const every = Math.max(1, Math.ceil((data.months[0].year ? 60 : 48) / step));
  let year = '';
  data.months.forEach((month, i) => {
    const x = left + i * step + (step - bw) / 2;
    let y = base;
    month.counts.forEach((n, j) => {
      const hh = (n / max) * (base - top);
      if (!n) return;
      y -= hh;
      const { colour, again, name } = data.lanes[j];
      svg.append(shape('rect', { ...(again ? { class: 'bar', fill: `url(#hatch${j})` } : { class: `l${colour} bar` }), x, y: y + 0.5, width: bw, height: Math.max(hh - 1, 0.75) }, `${name}, ${month.words}: ${n}`));
    });
    if (i % every === 0) {
      // the year stands at the first label and wherever it changes, also when January itself has no label
      const label = shape('text', { x: x + bw / 2, y: h - 4, 'text-anchor': 'middle' }, month.year === year ? month.short : `${month.short} ${month.year}`);
      svg.append(label);
      // one that would be cut off at the edge ends there
      if (x + bw / 2 + label.getComputedTextLength() / 2 > w) { label.setAttribute('x', w); label.setAttribute('text-anchor', 'end'); }
      year = month.year;
    }
  });
}

export function start() {
  draw();
  addEventListener('resize', draw);
  onNews(async () => { setTimeout(draw, 50); });
  document.body.addEventListener('htmx:afterSettle', draw);
  onEnd(() => { $('overtime')?.replaceChildren(); });
}
