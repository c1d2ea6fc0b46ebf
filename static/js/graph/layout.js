// Where things stand: a seeded fan, then one fcose run, then one axis stretched to the shape of the canvas.
const touchesOrigin = (edge) => edge.source().hasClass('origin') || edge.target().hasClass('origin');

export const LAYOUT = {
  name: 'fcose', quality: 'proof', randomize: false, animate: false, fit: false, padding: 28,
  nodeDimensionsIncludeLabels: false, uniformNodeDimensions: false, packComponents: false,
  nodeRepulsion: (node) => (node.hasClass('knot') ? 9000 : 26000),
  // clusters stand off from the start, and hold together
  idealEdgeLength: (edge) => (touchesOrigin(edge) ? 125 : edge.source().hasClass('knot') ? 54 : 90),
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
