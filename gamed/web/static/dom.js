// Helpers for boards and pages: making elements (text is never parsed as markup), names in sentences, keys, motion.

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

/** Makes an HTML element. Attributes named `on…` are listeners; those that are null or false are left out. */
export function el(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** Makes an SVG element in the same way. */
export function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** A node with text from somebody else. Its writing direction does not affect the text around it. */
export function bdi(text) {
  return el("bdi", {}, String(text));
}

/** Empties a node. */
export function clear(node) {
  node.replaceChildren();
  return node;
}

/** Replaces all children of a node. */
export function replace(node, ...children) {
  clear(node);
  return fill(node, {}, children);
}

// Invisible and bidirectional characters and control characters. Joiners and variation selectors are allowed after
// letters and emoji that use them.
const HIDDEN = /(?!(?<=[^\0-\u024f\p{DI}]\ufe0f?)[\u200c\u200d\p{VS}])[\p{DI}\u2028\u2029\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/gu;

/** Replaces characters that are invisible, or would turn the text around them, by the replacement character. */
export function tame(text) {
  return text.replace(HIDDEN, "\ufffd");
}

const LONGEST_NAME = 40; // characters; a person's name cannot be longer

/** Something with a name. A long name is shortened, and `fullName` is all of it. */
export function called(one) {
  const letters = [...(one.name ?? "")];
  if (letters.length <= LONGEST_NAME) return one;
  return { ...one, name: `${letters.slice(0, LONGEST_NAME - 1).join("")}…`, fullName: one.name };
}

/** A text from somebody else for use in a sentence, isolated in its writing direction, as by a bdi element. */
export function isolated(text) {
  return `\u2068${text}\u2069`;
}

/** The name of the player on a seat; undefined if there is none. */
export function nameOn(seats, seat) {
  return seats?.find((one) => one.seat === seat)?.name || undefined;
}

/** The steps of the arrow keys, as [to the right, downwards]. */
export const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** Whether a key is pressed together with Ctrl, Alt or Meta. Such keys are left to the browser. */
export function isChord(event) {
  return event.ctrlKey || event.altKey || event.metaKey;
}

/** Whether animations are allowed. */
export function mayMove() {
  return !matchMedia("(prefers-reduced-motion: reduce)").matches;
}
