// The keys of a replay.

import { isChord } from "../dom.js";
import { translator } from "../words.js";

export const words = {
  en: {
    replayKeys: "← and → go one move back or forth, Home and End to the beginning or end, the space bar plays the moves.",
  },
  de: {
    replayKeys: "← und → gehen einen Zug zurück oder vor, Pos1 und Ende zum Anfang oder Ende, die Leertaste spielt die Züge ab.",
  },
};
const t = translator(words);

/** Handles the keys of a replay. Controls and boards keep their own keys. */
export function steerByKeys({ signal, keys: shown }, { by, move, end, toggle }) {
  shown.push(t("replayKeys"));
  const keys = { ArrowLeft: () => by(-1), ArrowRight: () => by(1), Home: () => move(0), End: end, " ": toggle };
  document.addEventListener(
    "keydown",
    (event) => {
      const key = keys[event.key];
      const target = event.target;
      if (!key || event.defaultPrevented || isChord(event) || event.shiftKey) return;
      if (target.closest("input, select, textarea, dialog, .board, [role=tree]")) return;
      if (event.key === " " && target.closest("button, a, summary")) return;
      if (["Home", "End", " "].includes(event.key) && target.closest(".scroller")) return;
      event.preventDefault();
      key();
    },
    { signal },
  );
}
