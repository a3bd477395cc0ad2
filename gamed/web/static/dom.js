// Makes elements. Text is always text: nothing here takes markup.

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
