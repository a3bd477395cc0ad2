// What a record contains that gamed does not play.

import { bdi, el } from "../dom.js";
import { translator } from "../words.js";

export const words = {
  en: {
    contentCut: "This is the beginning. The file has all of it.",
  },
  de: {
    contentCut: "Das ist der Anfang. In der Datei steht alles.",
  },
};
const t = translator(words);

/** A tree of the elements of a record. */
export function outline(record) {
  const root = el("ul", { class: "outline" });
  const lists = [root];
  for (const { depth, name, attributes, text } of record.content) {
    const item = el(
      "li",
      {},
      name && el("code", {}, name),
      Object.entries(attributes).flatMap(([key, value]) => [" ", el("code", { class: "muted" }, `${key}="${value}"`)]),
      name && text ? ": " : "",
      text && bdi(text),
    );
    lists.length = Math.min(lists.length, depth + 1);
    while (lists.length <= depth) lists.push(lists.at(-1).lastElementChild.appendChild(el("ul")));
    lists.at(-1).append(item);
  }
  return [el("h2", {}, t("content")), root, record.isCut && el("p", { class: "muted" }, t("contentCut"))];
}
