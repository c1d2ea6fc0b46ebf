// The picture itself: one cytoscape instance over a Model. It knows nothing of the page around it; the page hears
// of clicks through `on`, and keeps the list, which is the interface, in step.
import { Model, nodeElement, propElements } from './model.js';
import { LAYOUT, fitView, freeSide, seed, separate, stretch } from './layout.js';
import { place } from './labels.js';
import { SIZE, readTokens, stylesheet } from './tokens.js';

const calm = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

export class GraphView {
  // box: the element drawn in; parts: { shelf, zoom, tip } elements over it; on: { select, open }
  constructor(box, data, parts, on) {
    this.box = box; this.parts = parts; this.on = on;
    this.model = new Model(data);
    this.colourBy = 'lane'; this.selected = null; this.moved = false;
    this.font = getComputedStyle(document.body).fontFamily;
    this.css = readTokens();
    this.resizer = new ResizeObserver(() => this.resized());
    this.resizer.observe(box);
    this.draw();
  }

  colour(node) { return this.css[`lane-${this.colourBy === 'kind' ? node.kindColour : this.colourBy === 'group' ? node.groupColour : node.lane}`]; }

  shelf() { return this.parts.shelf?.childElementCount ? this.parts.shelf.offsetHeight + 14 : 12; }

  draw() {
    const model = this.model;
    const rect = this.box.getBoundingClientRect();
    if (this.cy) this.cy.destroy();
    const elements = [...model.nodes.values()].map((n) => nodeElement(n, model.origin, this.colour(n), SIZE)).concat(propElements(model));
    const cy = this.cy = window.cytoscape({ container: this.box, elements, style: stylesheet(this.css, this.font), minZoom: 0.05, maxZoom: 2.5,
      hideEdgesOnViewport: model.nodes.size > 400, pixelRatio: Math.min(window.devicePixelRatio || 1, 2), boxSelectionEnabled: false, autounselectify: true });
    const start = seed(model, cy, Math.min(1.5, Math.max(0.75, rect.width / Math.max(rect.height, 1))));
    cy.nodes().positions((n) => start.get(n.id()) || { x: 0, y: 0 });
    const began = performance.now();
    if (cy.nodes().length > 1) cy.layout({ ...LAYOUT, ...(cy.getElementById(model.origin || '').length ? { fixedNodeConstraint: [{ nodeId: model.origin, position: { x: 0, y: 0 } }] } : {}) }).run();
    this.layoutMs = Math.round(performance.now() - began);
    stretch(cy, rect.width, rect.height - this.shelf());
    this.moved = false;
    this.bind();
    this.fit(false);
  }

  bind() {
    const cy = this.cy;
    const tip = this.parts.tip;
    let timer;
    let last = { id: null, at: 0 };
    cy.on('tap', 'node.rec', (e) => {
      const id = e.target.id();
      const twice = last.id === id && performance.now() - last.at < 350;
      last = { id, at: performance.now() };
      if (twice) this.on.open(id); else this.on.select(id);
    });
    cy.on('tap', (e) => { if (e.target === cy) this.on.select(null); });
    cy.on('mouseover', 'node, edge', (e) => {
      const t = e.target;
      const prop = this.model.props.get(t.data('prop'));
      const text = t.hasClass('rec') ? this.model.nodes.get(t.id())?.title : prop ? `${prop.words}: ${prop.value}` : '';
      tip.textContent = text || ''; tip.hidden = !text; this.box.classList.add('pointing');
    });
    cy.on('mouseout', 'node, edge', () => { tip.hidden = true; this.box.classList.remove('pointing'); });
    cy.on('zoom pan', () => { clearTimeout(timer); timer = setTimeout(() => this.place(), 90); });
    cy.on('scrollzoom pinchzoom dragpan', () => { this.moved = true; });
  }

  zoomBy(k) { this.moved = true; this.cy.zoom({ level: this.cy.zoom() * k, renderedPosition: { x: this.cy.width() / 2, y: this.cy.height() / 2 } }); }

  fit(move) {
    const view = fitView(this.cy, this.shelf());
    this.moved = false;
    if (move && !calm()) this.cy.animate({ ...view, duration: 200, complete: () => this.place() });
    else { this.cy.viewport(view); this.place(); }
  }

  // a notice above the picture makes it smaller: refit, unless the person has moved it themselves
  resized() { if (!this.cy || this.cy.destroyed()) return; this.cy.resize(); if (this.moved) this.place(); else this.fit(false); }

  place() {
    if (!this.cy || this.cy.destroyed()) return;
    this.labelsShown = place(this.cy, this.font, (k, ext) => {
      const z = this.parts.zoom;
      return [
        { owner: '#shelf', x1: ext.x1, x2: ext.x2, y1: ext.y1, y2: ext.y1 + (this.shelf() - 4) * k, label: true },
        { owner: '#zoom', x1: ext.x1, x2: ext.x1 + (z.offsetWidth + 20) * k, y1: ext.y2 - (z.offsetHeight + 20) * k, y2: ext.y2, label: true },
      ];
    });
  }

  has(id) { return this.model.nodes.has(id); }

  select(id) {
    this.selected = id;
    const cy = this.cy;
    cy.batch(() => {
      cy.elements().removeClass('sel near dim onpath found');
      const node = id ? cy.getElementById(id) : null;
      if (node?.length) {
        const close = node.closedNeighborhood();
        const around = close.union(close.nodes('.knot').closedNeighborhood());
        node.addClass('sel').removeClass('fresh');
        around.addClass('near');
        cy.elements().not(around).addClass('dim');
      }
    });
    this.place();
  }

  // steps: [{from, to, key}]; everything else is dimmed
  showPath(steps) {
    const cy = this.cy;
    cy.batch(() => {
      cy.elements().removeClass('sel near onpath found').addClass('dim');
      for (const step of steps) {
        for (const id of [step.from, step.to]) cy.getElementById(id).removeClass('dim').addClass('near');
        cy.getElementById(`k${step.key}`).removeClass('dim').addClass('near');
        for (const id of [`e${step.key}`, `s${step.key}${step.from}`, `s${step.key}${step.to}`]) cy.getElementById(id).removeClass('dim').addClass('onpath');
      }
    });
    cy.resize();
    this.fit(false);
  }

  clearPath() { this.cy.elements().removeClass('onpath near dim sel found'); this.place(); }

  // Light up the carriers of a hub; null turns the light off.
  light(ids) {
    const cy = this.cy;
    cy.batch(() => {
      cy.elements().removeClass('sel near dim onpath found');
      if (!ids) return;
      const on = new Set(ids);
      cy.nodes('.rec').forEach((n) => { n.addClass(on.has(n.id()) ? 'near' : 'dim'); });
      cy.nodes('.knot').addClass('dim'); cy.edges().addClass('dim');
    });
    this.place();
  }

  // As of an instant: nothing moves; what did not exist then is hidden in place.
  showOnly(ids) {
    const cy = this.cy;
    const on = ids && new Set(ids);
    cy.batch(() => {
      cy.nodes('.rec').forEach((n) => { n.toggleClass('hid', Boolean(on) && !on.has(n.id())); });
      cy.nodes('.knot').forEach((k) => { k.toggleClass('hid', k.neighborhood('node.rec').filter((n) => !n.hasClass('hid')).length < 2); });
      cy.edges().forEach((e) => { e.toggleClass('hid', e.source().hasClass('hid') || e.target().hasClass('hid')); });
    });
    this.place();
  }

  // New records beside what they share; everything that stands keeps its place.
  arrive(data, { mark = true } = {}) {
    const cy = this.cy;
    const fresh = this.model.add(data);
    const touched = new Set(data.props.map((p) => p.key));
    const standing = cy.nodes().map((n) => ({ nodeId: n.id(), position: { ...n.position() } }));
    const centre = cy.getElementById(this.model.origin || '');
    const o = centre.length ? centre.position() : { x: 0, y: 0 };
    cy.batch(() => {
      const spread = new Map();
      for (const id of fresh) {
        const node = this.model.nodes.get(id);
        const knot = cy.getElementById(`k${node.viaKey}`);
        const near = knot.length ? knot : cy.getElementById(node.from || '');
        const p = near.length ? near.position() : o;
        const nth = spread.get(node.viaKey) || 0;
        spread.set(node.viaKey, nth + 1);
        const out = Math.hypot(p.x - o.x, p.y - o.y) < 1 ? Math.random() * 2 * Math.PI : Math.atan2(p.y - o.y, p.x - o.x);
        const angle = out + (nth % 2 ? 1 : -1) * Math.ceil(nth / 2) * 0.35;
        cy.add({ ...nodeElement(node, this.model.origin, this.colour(node), SIZE), position: { x: p.x + Math.cos(angle) * 60, y: p.y + Math.sin(angle) * 60 } });
        if (mark) cy.getElementById(id).addClass('fresh');
      }
      this.redrawProps(touched);
    });
    if (fresh.length) {
      const kept = new Set(cy.nodes().map((n) => n.id()));
      cy.layout({ ...LAYOUT, quality: 'default', numIter: 400, initialEnergyOnIncremental: 0.1, fit: false, animate: !calm(), animationDuration: 320,
        fixedNodeConstraint: standing.filter((s) => kept.has(s.nodeId)), stop: () => { if (!cy.destroyed()) { separate(cy, new Set(fresh)); this.place(); } } }).run();
    } else this.place();
    return fresh;
  }

  // A page of a hub, as a knot of its own beside what stands. It makes room for itself: the others move as little as
  // that takes, the origin not at all.
  expand(data, key) {
    const cy = this.cy;
    const fresh = this.model.add(data);
    const rect = this.box.getBoundingClientRect();
    const aspect = Math.min(1.5, Math.max(0.75, rect.width / Math.max(rect.height, 1)));
    const ring = Math.max(60, (fresh.length * 26) / (2 * Math.PI));
    const knot = cy.getElementById(`k${key}`);
    const at = knot.length ? { ...knot.position() } : freeSide(cy, ring + 70, aspect);
    const beyond = knot.length ? ring + 60 : ring;
    cy.batch(() => {
      fresh.forEach((id, i) => {
        const angle = (2 * Math.PI * i) / fresh.length;
        cy.add({ ...nodeElement(this.model.nodes.get(id), this.model.origin, this.colour(this.model.nodes.get(id)), SIZE), position: { x: at.x + Math.cos(angle) * beyond, y: at.y + Math.sin(angle) * beyond } });
      });
      this.redrawProps(new Set([key]));
      cy.getElementById(`k${key}`).position(at);
    });
    const origin = cy.getElementById(this.model.origin || '');
    cy.layout({ ...LAYOUT, ...(origin.length ? { fixedNodeConstraint: [{ nodeId: origin.id(), position: { ...origin.position() } }] } : {}) }).run();
    stretch(cy, rect.width, rect.height - this.shelf());
    separate(cy);
    this.select(this.selected && this.has(this.selected) ? this.selected : null);
    this.fit(false);
    return fresh;
  }

  // Mark some records, as those found in the list; null takes the marks off.
  mark(ids) {
    const cy = this.cy;
    cy.batch(() => {
      cy.elements().removeClass('sel near dim onpath found');
      if (!ids) return;
      cy.nodes('.rec').forEach((n) => { n.addClass(ids.has(n.id()) ? 'near found' : 'dim'); });
      cy.nodes('.knot').addClass('dim'); cy.edges().addClass('dim');
    });
    this.place();
  }

  // Edges and knots of some properties drawn anew, without touching a record's place.
  redrawProps(keys) {
    const cy = this.cy;
    const before = new Map(cy.nodes('.knot').map((k) => [k.id(), { ...k.position() }]));
    cy.elements().filter((e) => keys.has(e.data('prop'))).remove();
    cy.add(propElements(this.model, keys));
    cy.nodes('.knot').forEach((k) => {
      if (!keys.has(k.data('prop'))) return;
      const was = before.get(k.id());
      const around = k.neighborhood('node').map((n) => n.position());
      k.position(was || { x: around.reduce((s, p) => s + p.x, 0) / around.length, y: around.reduce((s, p) => s + p.y, 0) / around.length });
    });
  }

  remove(ids) {
    const cy = this.cy;
    const keys = new Set();
    for (const prop of this.model.props.values()) if (prop.members.some((m) => ids.includes(m))) { prop.members = prop.members.filter((m) => !ids.includes(m)); keys.add(prop.key); }
    const drop = () => {
      if (cy.destroyed()) return;
      cy.batch(() => { ids.forEach((id) => { cy.getElementById(id).remove(); }); this.redrawProps(keys); });
      this.place();
    };
    ids.forEach((id) => this.model.nodes.delete(id));
    const gone = cy.collection(ids.map((id) => cy.getElementById(id)).filter((n) => n.length).map((n) => n[0]));
    if (calm() || !gone.length) drop();
    else gone.animate({ style: { opacity: 0 }, duration: 200, complete: (() => { let done = false; return () => { if (!done) { done = true; drop(); } }; })() });
  }

  // The same walk, fetched again: keep places, add what came, take what went, refresh what changed.
  update(data, { mark = true } = {}) {
    const now = new Set(data.nodes.map((n) => n.id));
    const gone = [...this.model.nodes.keys()].filter((id) => !now.has(id));
    if (gone.length) this.remove(gone);
    for (const node of data.nodes) {
      const known = this.model.nodes.get(node.id);
      if (!known) continue;
      Object.assign(known, node, { viaKey: node.via?.[0] || '' });
      const el = this.cy.getElementById(node.id);
      el.data({ full: node.id === this.model.origin ? 'This record' : node.title, colour: this.colour(node), depth: node.depth });
      el.toggleClass('agent', Boolean(node.agent)); el.toggleClass('superseded', Boolean(node.superseded));
    }
    const changed = new Set();
    const incoming = new Map(data.props.map((p) => [p.key, p]));
    for (const [key, prop] of this.model.props) {
      const next = incoming.get(key);
      if (!next) { this.model.props.delete(key); changed.add(key); } else if (next.members.length !== prop.members.length || next.members.some((m) => !prop.members.includes(m))) {
        prop.members = next.members.filter((m) => this.model.nodes.has(m)); changed.add(key);
      }
    }
    for (const key of incoming.keys()) if (!this.model.props.has(key)) changed.add(key);
    if (changed.size) this.cy.batch(() => this.redrawProps(changed));
    return this.arrive(data, { mark });
  }

  recolour(by) { this.colourBy = by; this.cy.batch(() => this.cy.nodes('.rec').forEach((n) => { n.data('colour', this.colour(this.model.nodes.get(n.id()))); })); }

  restyle() { this.css = readTokens(); this.cy.style(stylesheet(this.css, this.font)); this.recolour(this.colourBy); this.place(); }

  destroy() { this.resizer.disconnect(); this.cy?.destroy(); this.model = new Model({ origin: null, nodes: [], props: [] }); }
}
