// Buttons with a sign for going through the moves of a game.

import { replace, svg } from "../dom.js";
import { button } from "../parts.js";
import { translator } from "../words.js";

export const words = {
  en: {
    first: "First position",
    back: "One move back",
    play: "Play the moves",
    stop: "Stop",
    forth: "One move forward",
    last: "Last position",
  },
  de: {
    first: "Erste Stellung",
    back: "Einen Zug zurück",
    play: "Züge abspielen",
    stop: "Anhalten",
    forth: "Einen Zug weiter",
    last: "Letzte Stellung",
  },
};
const t = translator(words);

const SIGNS = {
  first: "M3 3h2v10H3zM13 3v10L6 8z",
  back: "M11 3v10L4 8z",
  play: "M4 2v12l10-6z",
  stop: "M4 3h3v10H4zM9 3h3v10H9z",
  forth: "M5 3v10l7-5z",
  last: "M11 3h2v10h-2zM3 3v10l7-5z",
};

/** Gives a button a sign, and its meaning for those who point at it or do not see it. */
export function label(node, name) {
  replace(node, svg("svg", { viewBox: "0 0 16 16", class: "icon", "aria-hidden": "true" }, svg("path", { d: SIGNS[name] })));
  for (const attribute of ["aria-label", "title"]) node.setAttribute(attribute, t(name));
}

/** A button with a sign. */
export function sign(name, does) {
  const node = button(null, does, { class: "sign" });
  label(node, name);
  return node;
}
