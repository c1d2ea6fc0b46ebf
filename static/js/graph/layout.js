// Where things stand: a seeded fan, then one fcose run, then one axis stretched to the shape of the canvas.
const touchesOrigin = (edge) => edge.source().hasClass('origin') || edge.target().hasClass('origin');

export const LAYOUT = {
  name: 'fcose', quality: 'proof', randomize: false, animate: false, fit: false, padding: 28,
  nodeDimensionsIncludeLabels: false, uniformNodeDimensions: false, packComponents: false,
  nodeRepulsion: (node) => (node.hasClass('knot') ? 9000 : 26000),
  // clusters stand off from the start, and hold together
  idealEdgeLength: (edge) => (touchesOrigin(edge) ? 125 : edge.source().hasClass('hubknot') ? Math.max(54, 4 * edge.source().degree()) : edge.source().hasClass('knot') ? 54 : 90),
  edgeElasticity: () => 0.28,
  gravity: 0.12, gravityRange: 3.2, numIter: 2500, nodeSeparation: 90, initialEnergyOnIncremental: 0.35,
};

// A fan by shared property around the origin, so the same walk always gives the same picture.
export function seed(model, cy, aspect) {
  const at = new Map([[model.origin, { x: 0, y: 0 }]]);
  const children = new Map();
  for (const node of [...model.nodes.values()].sort((a, b) => a.depth - b.depth)) {
    const from = node.from && model.nodes.has(node.from) ? node.from : node.id === model.origin ? null : model.origin;
    if (from) children.set(from, [...(children.get(from) || []), node]);
  }
  const weights = new Map();
  const weight = (id, seen = new Set()) => {
    if (weights.has(id) || seen.has(id)) return weights.get(id) || 1;
    seen.add(id);
    const sum = (children.get(id) || []).reduce((total, child) => total + weight(child.id, seen), 1);
    weights.set(id, sum);
    return sum;
  };
  const fan = (id, from, to, radius) => {
    const list = (children.get(id) || []).filter((child) => !at.has(child.id)).sort((a, b) => (a.viaKey < b.viaKey ? -1 : a.viaKey > b.viaKey ? 1 : 0));
    const total = list.reduce((sum, child) => sum + weight(child.id), 0);
    let start = from;
    for (const child of list) {
      const span = ((to - from) * weight(child.id)) / total;
      const angle = start + span / 2;
      start += span;
      at.set(child.id, { x: Math.cos(angle) * radius * aspect, y: Math.sin(angle) * radius });
      fan(child.id, angle - span / 2, angle + span / 2, radius + 110);
    }
  };
  fan(model.origin, -Math.PI / 2, Math.PI * 1.5, 130);
  // without an origin (a picture of clusters) everything starts on one ring, cluster by cluster
  const loose = [...model.nodes.values()].filter((node) => !at.has(node.id)).sort((a, b) => (a.group ?? 0) - (b.group ?? 0));
  loose.forEach((node, i) => {
    const angle = (2 * Math.PI * i) / loose.length;
    at.set(node.id, { x: Math.cos(angle) * 260 * aspect, y: Math.sin(angle) * 260 });
  });
  cy.nodes('.knot').forEach((knot) => {
    const around = knot.neighborhood('node').map((other) => at.get(other.id()) || { x: 0, y: 0 });
    const n = around.length || 1;
    at.set(knot.id(), { x: around.reduce((s, p) => s + p.x, 0) / n, y: around.reduce((s, p) => s + p.y, 0) / n });
  });
  return at;
}

// Where there is most room: a place beyond what stands, in the direction in which least stands. `aspect`: how much
// wider than high the canvas is. Returns { x, y }, `room` beyond the last node there.
export function freeSide(cy, room, aspect) {
  const centre = cy.nodes('.origin');
  const o = centre.length ? centre.position() : { x: 0, y: 0 };
  const points = cy.nodes().map((n) => ({ x: (n.position('x') - o.x) / aspect, y: n.position('y') - o.y }));
  let best = null;
  for (let i = 0; i < 24; i += 1) {
    const angle = (i * Math.PI) / 12;
    const ux = Math.cos(angle); const uy = Math.sin(angle);
    let far = 0;
    for (const p of points) {
      const along = p.x * ux + p.y * uy;
      if (along > far && Math.abs(p.x * uy - p.y * ux) < Math.max(room, along * 0.35)) far = along;
    }
    if (!best || far < best.far - 1) best = { far, ux, uy };
  }
  const r = best.far + room;
  return { x: o.x + best.ux * r * aspect, y: o.y + best.uy * r };
}

// No two nodes on top of each other: those that may move (all but the origin, or `only` some ids) are pushed apart,
// the same way every time.
export function separate(cy, only = null) {
  const nodes = cy.nodes().map((n) => ({ n, ...n.position(), r: n.hasClass('knot') ? 8 : n.data('size') / 2 + 3, fixed: only ? !only.has(n.id()) : n.hasClass('origin') }));
  for (let round = 0; round < 60; round += 1) {
    let moved = false;
    for (let i = 0; i < nodes.length; i += 1) {
      for (let j = i + 1; j < nodes.length; j += 1) {
        const a = nodes[i]; const b = nodes[j];
        if (a.fixed && b.fixed) continue;
        const need = a.r + b.r + 4;
        let dx = b.x - a.x; let dy = b.y - a.y;
        if (Math.abs(dx) >= need || Math.abs(dy) >= need) continue;
        let d = Math.hypot(dx, dy);
        if (d >= need - 0.01) continue;
        if (d < 0.01) { dx = Math.cos(i * 2.4 + j); dy = Math.sin(i * 2.4 + j); d = 1; }
        const push = (need - Math.min(d, need)) / d;
        const share = a.fixed ? 0 : b.fixed ? 1 : 0.5;
        a.x -= dx * push * share; a.y -= dy * push * share;
        b.x += dx * push * (1 - share); b.y += dy * push * (1 - share);
        moved = true;
      }
    }
    if (!moved) break;
  }
  cy.batch(() => nodes.forEach(({ n, x, y, fixed }) => { if (!fixed) n.position({ x, y }); }));
}

// Labels are wide and canvases are not square: use the whole canvas by stretching one axis, at most 1.6 times.
export function stretch(cy, width, height) {
  const box = cy.nodes().boundingBox({ includeLabels: false });
  if (!box.w || !box.h) return;
  const k = (height - 60) / (width - 130) / (box.h / box.w);
  const sx = k < 1 ? Math.min(1.6, 1 / k) : 1;
  const sy = k > 1 ? Math.min(1.6, k) : 1;
  cy.nodes().positions((node) => ({ x: node.position('x') * sx, y: node.position('y') * sy }));
}

// The view that holds everything, clear of the hub shelf, with room for labels left and right.
export function fitView(cy, shelf) {
  const box = cy.nodes(':visible').boundingBox({ includeLabels: false });
  const width = cy.width();
  const height = cy.height();
  const zoom = Math.max(0.05, Math.min((width - 130) / Math.max(box.w, 1), (height - shelf - 56) / Math.max(box.h, 1), 1.3));
  return { zoom, pan: { x: width / 2 - zoom * (box.x1 + box.w / 2), y: shelf + (height - shelf - 8) / 2 - zoom * (box.y1 + box.h / 2) } };
}
