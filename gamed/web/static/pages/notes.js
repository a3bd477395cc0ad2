// What a page notes on a game beside its moves: messages without effect, and what the referee has found.

import { bdi, el, replace } from "../dom.js";
import { button, calledOn, chip, worded } from "../parts.js";
import { phrased, translator } from "../words.js";

export const words = {
  en: {
    refusals: "Messages without effect",
    expected: "Expected: {what}",
    afterMoves: "after move {n}",
    findings: "The referee's findings",
  },
  de: {
    refusals: "Nachrichten ohne Wirkung",
    expected: "Erwartet: {what}",
    afterMoves: "nach Zug {n}",
    findings: "Feststellungen des Schiedsrichters",
  },
};
const t = translator(words);

/** The messages without effect, and why they had none; hidden while there are none. `jump(n)` shows the board after n moves. */
export function refusals(jump) {
  const node = el("details", { class: "refusals", hidden: true });
  let shown = "";
  return {
    node,
    update(scene) {
      const found = scene.refusals ?? [];
      const now = JSON.stringify(found);
      if (now === shown) return;
      shown = now;
      const count = found.reduce((sum, one) => sum + one.count, 0);
      node.hidden = !count;
      replace(node, el("summary", {}, `${t("refusals")} (${count})`), el("ul", {}, found.map((one) => refusal(one, jump))));
    },
  };
}

function refusal(one, jump) {
  const why = `${worded("refused", one.code, one.reason)} (${one.code}${one.count > 1 ? `, ${one.count}×` : ""})`;
  return el("li", {}, calledOn(one), `: ${why}`, one.messages.map((message) => refused(message, jump)));
}

/** What the referee has found, as a list: {node, update(found)}. `jump(n)` shows move n of `length()`. */
export function findings(jump, length) {
  const node = el("details", { class: "findings", hidden: true });
  let shown = "";
  return {
    node,
    update(found = []) {
      const now = JSON.stringify(found);
      if (now === shown) return;
      shown = now;
      node.hidden = !found.length;
      const items = found.map((one) => {
        const go = one.move ? button(t("moveOf", { n: one.move, length: length() }), () => jump(one.move)) : null;
        return el("li", {}, go, " ", chip(one.seat), " ", calledOn(one), ": ", bdi(worded("refused", one.code, one.text || one.code)));
      });
      replace(node, el("summary", {}, `${t("findings")} (${found.length})`), el("ul", {}, items));
    },
  };
}

function refused({ text, expected, move }, jump) {
  const place = move === undefined ? null : [button(t("afterMoves", { n: move }), () => jump(move)), " "];
  return el("div", {}, place, text && el("code", {}, text), expected ? ` ${t("expected", { what: phrased(expected) })}` : null);
}
