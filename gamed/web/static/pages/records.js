// The archive: a search over the records, page by page.

import { get, post, session } from "../api.js";
import { boardOf } from "../board.js";
import { bdi, el, replace } from "../dom.js";
import { TERMINATIONS, ask, button, choice, dialog, heading, labelled, link, worded } from "../parts.js";
import { translator } from "../words.js";
import { codes } from "../words/imports.js";
import { recordTable } from "./results.js";

const t = translator({ de: codes });
const PAGE = 25;
const MORE = ["since", "until", "publisher", "version"];
const FIELDS = ["player", "game", "termination", "own", ...MORE];

/** Shows the records that match the query in the address. */
export async function show(view) {
  view.entitle(t("records"));
  const asked = new URLSearchParams({ limit: String(PAGE) });
  for (const name of [...FIELDS, "before"]) if (view.query.get(name)) asked.set(name, view.query.get(name));
  const player = view.query.get("player");
  const [{ records, next }, card] = await Promise.all([
    get(`/records?${asked}`, view.signal),
    player && import("./player.js").then(({ summary }) => summary(player, view.signal)),
  ]);
  replace(
    view.root,
    el(
      "div",
      { class: "title" },
      heading(t("records")),
      session.admin && button(t("import"), () => take(view)),
    ),
    form(view),
    card,
    records.length ? recordTable(t("records"), records, { hasFormat: true }) : el("p", { class: "muted" }, t("noRecords")),
    el(
      "nav",
      { class: "buttons", "aria-label": t("records") },
      view.query.has("before") && link(address(view.query, null), { class: "button" }, t("newest")),
      next && link(address(view.query, next), { class: "button" }, t("older")),
    ),
  );
}

function address(query, before) {
  const to = new URLSearchParams(query);
  if (before === null) to.delete("before");
  else to.set("before", before);
  return `/records?${to}`;
}

function form(view) {
  const value = (name) => view.query.get(name) ?? "";
  const kinds = session.games.map((game) => [game.kind, game.name]);
  const endings = Object.entries(TERMINATIONS).map(([word, key]) => [word, t(`any${key}`)]);
  const date = (name) => el("input", { type: "date", name, value: value(name) });
  return el(
    "form",
    {
      class: "search",
      role: "search",
      onsubmit: (event) => {
        event.preventDefault();
        const query = new URLSearchParams();
        for (const [name, given] of new FormData(event.target)) if (String(given).trim()) query.set(name, String(given).trim());
        view.go(`/records${query.size ? `?${query}` : ""}`);
      },
    },
    labelled(t("player"), el("input", { name: "player", value: value("player"), maxlength: 200 })),
    labelled(t("game"), choice([["", t("any")], ...kinds], value("game"), { name: "game" })),
    labelled(t("ending"), choice([["", t("any")], ...endings], value("termination"), { name: "termination" })),
    el("label", { class: "radio" }, el("input", { type: "checkbox", name: "own", value: "1", checked: value("own") === "1" }), t("yourSeats")),
    el("button", { type: "submit", class: "primary" }, t("search")),
    el("details", { open: MORE.some(value) }, el("summary", {}, t("more")),
      labelled(t("since"), date("since")),
      labelled(t("until"), date("until")),
      labelled(t("publisher"), el("input", { name: "publisher", value: value("publisher"), maxlength: 1_000 })),
      labelled(t("version"), el("input", { name: "version", value: value("version"), maxlength: 1_000, class: "short" }))),
  );
}

/** Imports a file into the archive. */
async function take(view) {
  const file = el("input", { type: "file", accept: ".xml,.sgf,application/xml,text/xml", required: true });
  const send = () => post("/import", file.files[0], view.signal);
  const answer = await ask(t("import"), [labelled(t("importFile"), file)], t("import"), send, { signal: view.signal });
  if (!answer) return;
  // Any game's rules may have refused what is in the file.
  await Promise.all(session.games.map((game) => boardOf(game.kind)));
  const lines = answer.outcomes.map((one) => {
    const said = worded("import", one.code, one.sentence);
    return el(
      "li",
      {},
      place(one),
      one.id ? link(`/records/${one.id}`, {}, said) : said,
      // The English sentence has all of this.
      ...(said === one.sentence ? [] : details(one)),
      one.lost?.length > 0 && ` ${one.lost.join(" ")}`,
    );
  });
  const shown = dialog(t("import"), [el("ul", {}, lines)], [button(t("close"), () => shown.close())], { onclose: view.again });
}

/** Where a document is wrong. */
function place({ line, xpath }) {
  const known = [line && t("lineN", { n: line }), xpath].filter(Boolean);
  return known.length > 0 && el("span", { class: "muted" }, `${known.join(", ")}: `);
}

/**
 * Why a document was not taken, or what is odd about it; in English if there is no other text.
 *
 * @param {{taken: boolean, detail?: Record<string, any>, remarks?: {code: string, text: string}[], sentence: string}} outcome
 */
function details({ taken, detail = {}, remarks = [], sentence }) {
  if (taken) return remarks.flatMap(({ code, text }) => [" ", t.has(`remark-${code}`) ? t(`remark-${code}`) : text]);
  const { reason, move, attribute } = detail;
  const keys = [attribute && `violation-${reason}-attribute`, `violation-${reason}`, `refused-${reason}`, `error-${reason}`];
  const key = keys.find((one) => one && t.has(one));
  const why = key ? t(key, detail) : el("span", { lang: "en" }, bdi(sentence));
  return [" ", move ? `${t("moveN", { n: move })}: ` : "", why];
}
