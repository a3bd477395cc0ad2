// What boards and pages share: making elements (text is always text: nothing here takes markup), names in sentences,
// keys, motion.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** An HTML element: `on…` attributes are listeners, null and false ones are left out. */
export function el(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** An SVG element, likewise. */
export function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** A text of somebody else's, whose direction of writing stays inside it. */
export function bdi(text) {
  return el("bdi", {}, String(text));
}

/** Empties a node. */
export function clear(node) {
  node.replaceChildren();
  return node;
}

/** Puts these children in place of the old ones. */
export function replace(node, ...children) {
  clear(node);
  return fill(node, {}, children);
}

// Invisible and bidirectional signs and controls, except joiners and variants behind letters and pictures of scripts that
// have them.
const HIDDEN = /(?!(?<=[^\0-\u024f\p{DI}]\ufe0f?)[\u200c\u200d\p{VS}])[\p{DI}\u2028\u2029\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/gu;

/** A text of somebody else's in which all that is hidden, or turns the text round it, is shown as an unknown sign. */
export function tame(text) {
  return text.replace(HIDDEN, "\ufffd");
}

/** A text of somebody else's inside a sentence: it keeps its direction of writing to itself, as in a bdi element. */
export function isolated(text) {
  return `\u2068${text}\u2069`;
}

/** The name on a seat of these seats; undefined where there is none. */
export function nameOn(seats, seat) {
  return seats?.find((one) => one.seat === seat)?.name || undefined;
}

/** The steps of the arrow keys, as [to the right, downwards]. */
export const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** Whether a key is pressed together with Ctrl, Alt or Meta: such a key is the browser's. */
export function isChord(event) {
  return event.ctrlKey || event.altKey || event.metaKey;
}

/** Whether things may move on the screen. */
export function mayMove() {
  return !matchMedia("(prefers-reduced-motion: reduce)").matches;
}
