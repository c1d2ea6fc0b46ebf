// The picture's model. Records are nodes. A property that two shown records share is an edge; one that three or
// more share is a small knot the records hang from (k spokes, not k*k edges). Hubs are not drawn here.
export class Model {
  constructor(data) { this.load(data); }

  load(data) {
    this.origin = data.origin;
    this.nodes = new Map(data.nodes.map((node) => [node.id, node]));
    this.props = new Map(data.props.map((prop) => [prop.key, { ...prop, members: [...prop.members] }]));
    for (const node of this.nodes.values()) node.viaKey = node.via?.[0] || '';
  }

  // Nodes and properties of another reply are added; what is known stays as it is. Returns the ids that are new.
  add(data) {
    const fresh = data.nodes.filter((node) => !this.nodes.has(node.id));
    for (const node of fresh) { node.viaKey = node.via?.[0] || ''; this.nodes.set(node.id, node); }
    for (const prop of data.props) {
      const known = this.props.get(prop.key);
      if (!known) this.props.set(prop.key, { ...prop, members: [...prop.members] });
      else { known.members = [...new Set([...known.members, ...prop.members])]; if (prop.note) known.note = prop.note; }
    }
    return fresh.map((node) => node.id);
  }

  shared(prop) { return prop.members.filter((id) => this.nodes.has(id)); }
}

const classes = (node, origin) => ['rec', node.agent && 'agent', node.superseded && 'superseded', node.id === origin && 'origin'].filter(Boolean).join(' ');

export function nodeElement(node, origin, colour, size) {
  return { group: 'nodes', classes: classes(node, origin), data: { id: node.id, size: size[Math.min(node.depth, 3)], colour, depth: node.depth,
    full: node.id === origin ? 'This record' : node.title, text: '', fs: 11.5, gap: 3, ngap: -3 } };
}

// Elements for properties; only those among `only` (keys) when given.
export function propElements(model, only) {
  const out = [];
  for (const prop of model.props.values()) {
    if (only && !only.has(prop.key)) continue;
    const on = model.shared(prop);
    const w = on.length <= 3 ? 1.75 : on.length <= 6 ? 1.35 : 1;
    if (on.length === 2) out.push({ group: 'edges', data: { id: `e${prop.key}`, source: on[0], target: on[1], prop: prop.key, w, w0: w } });
    else if (on.length > 2) {
      const knot = `k${prop.key}`;
      out.push({ group: 'nodes', classes: prop.note ? 'knot hubknot' : 'knot', data: { id: knot, prop: prop.key, note: prop.note || '', full: prop.note ? `${prop.value} (${prop.note})` : prop.value, size: 8, fs: 11, gap: 2, ngap: -2, depth: 1.5, text: '' } });
      for (const id of on) out.push({ group: 'edges', data: { id: `s${prop.key}${id}`, source: knot, target: id, prop: prop.key, w, w0: w } });
    }
  }
  return out;
}
