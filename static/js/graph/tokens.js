// Colours of the picture, read from the style sheet's tokens, so that both themes have one definition.
const NAMES = ['ink', 'ink-2', 'ink-3', 'canvas', 'edge', 'edge-strong', 'knot', 'accent', 'focus', 'ok-dot',
  'lane-1', 'lane-2', 'lane-3', 'lane-4', 'lane-5', 'lane-6', 'lane-7', 'lane-8'];

export function readTokens() {
  const computed = getComputedStyle(document.documentElement);
  return Object.fromEntries(NAMES.map((name) => [name, computed.getPropertyValue(`--${name}`).trim()]));
}

export const SIZE = [34, 20, 14, 11]; // px by depth
export const LABEL_PX = 11.5;

export function stylesheet(css, font) {
  return [
    { selector: 'node', style: { 'overlay-opacity': 0, 'font-family': font, 'text-wrap': 'wrap', 'text-max-width': 400, 'font-weight': 500, color: css['ink-2'],
      'text-outline-color': css.canvas, 'text-outline-width': 2.5, 'text-outline-opacity': 0.95, 'line-height': 1.16, 'font-size': 'data(fs)' } },
    { selector: 'node.rec', style: { width: 'data(size)', height: 'data(size)', 'background-color': 'data(colour)', 'border-width': 2, 'border-color': css.canvas, 'z-index': 10 } },
    { selector: 'node.agent', style: { shape: 'round-rectangle' } },
    { selector: 'node.superseded', style: { 'background-color': css.canvas, 'border-color': 'data(colour)', 'border-style': 'dashed', 'border-width': 1.5 } },
    { selector: 'node.origin', style: { 'border-width': 4, 'border-color': css.canvas, 'outline-width': 2.5, 'outline-color': 'data(colour)', 'outline-offset': 0, color: css.ink, 'font-weight': 600, 'z-index': 20 } },
    { selector: 'node.knot', style: { shape: 'diamond', width: 8, height: 8, 'background-color': css.knot, 'border-width': 0, color: css['ink-3'], 'font-weight': 400, 'z-index': 6 } },
    { selector: 'node.lb', style: { label: 'data(text)', 'text-valign': 'bottom', 'text-halign': 'center', 'text-margin-y': 'data(gap)' } },
    { selector: 'node.lt', style: { label: 'data(text)', 'text-valign': 'top', 'text-halign': 'center', 'text-margin-y': 'data(ngap)' } },
    { selector: 'node.lr', style: { label: 'data(text)', 'text-valign': 'center', 'text-halign': 'right', 'text-margin-x': 'data(gap)', 'text-justification': 'left' } },
    { selector: 'node.ll', style: { label: 'data(text)', 'text-valign': 'center', 'text-halign': 'left', 'text-margin-x': 'data(ngap)', 'text-justification': 'right' } },
    { selector: 'edge', style: { width: 'data(w)', 'line-color': css.edge, 'curve-style': 'straight', 'overlay-opacity': 0, 'z-index': 1 } },
    { selector: '.hid', style: { display: 'none' } },
    { selector: '.dim', style: { opacity: 0.22, 'text-opacity': 0.22 } },
    { selector: 'edge.near', style: { 'line-color': css['edge-strong'], 'z-index': 5 } },
    { selector: 'edge.onpath', style: { 'line-color': css.accent, width: 3, opacity: 1, 'z-index': 9 } },
    { selector: 'node.near', style: { color: css.ink } },
    { selector: 'node.sel', style: { 'outline-width': 3, 'outline-color': css.focus, 'outline-offset': 1, color: css.ink, 'font-weight': 600, 'z-index': 30 } },
    { selector: 'node.found', style: { 'outline-width': 2.5, 'outline-color': css.focus, 'outline-offset': 1 } },
    { selector: 'node.hubknot', style: { color: css.ink, 'font-weight': 600 } },
    { selector: 'node.fresh', style: { 'outline-width': 3, 'outline-color': css['ok-dot'], 'outline-offset': 2 } },
  ];
}
