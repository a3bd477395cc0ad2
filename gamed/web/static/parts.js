// Parts of pages: names, times, results, messages, dialogs.

import { Refusal, gameOf } from "./api.js";
import { bdi, el, isolated, nameOn, replace } from "./dom.js";
import { gameWords, language, spelled, t } from "./words.js";

/** The server's names for the causes of an end, and the part of their keys in words/. */
export const TERMINATIONS = {
  victory: "Victory",
  draw: "Draw",
  forfeit: "Forfeit",
  removed: "Removed",
  resigned: "Resigned",
  left: "Left",
  idle: "Idle",
  time: "Time",
  limit: "Limit",
  cancelled: "Cancelled",
  shutdown: "Shutdown",
  "server-fault": "Fault",
};

/** A button. */
export function button(text, onclick, attributes = {}) {
  return el("button", { type: "button", onclick, ...attributes }, text);
}

/** A link to a page of ours or a file. */
export function link(href, attributes, ...children) {
  return el("a", { href, ...attributes }, ...children);
}

/** A labelled control, with the label above it. */
export function labelled(text, control) {
  return el("label", { class: "field" }, el("span", {}, text), control);
}

/** A choice of [value, text] pairs. */
export function choice(pairs, value, attributes = {}) {
  return el(
    "select",
    attributes,
    pairs.map(([key, text]) => el("option", { value: key, selected: String(key) === String(value) }, text)),
  );
}

/** The title of a page, which gets the keyboard's focus when the page is shown. */
export function heading(...children) {
  return el("h1", { tabindex: -1 }, ...children);
}

/** A time in ISO 8601, formatted for the user's language and time zone. */
export function when(iso) {
  const moment = new Date(iso);
  if (Number.isNaN(moment.valueOf())) return el("span", {}, iso ?? "");
  // A date without a time, which records may have, is the same day in all time zones.
  /** @type {Intl.DateTimeFormatOptions} */
  const style = iso.includes("T") ? { dateStyle: "medium", timeStyle: "short" } : { dateStyle: "medium", timeZone: "UTC" };
  const text = new Intl.DateTimeFormat(language(), style).format(moment);
  return el("time", { datetime: iso }, text);
}

/** Milliseconds as a time that was taken: 40 ms, 0.4 s, 12 s, 3:05, 1:02:03. */
export function span(ms) {
  if (ms === null || ms === undefined || !Number.isFinite(ms)) return "";
  if (ms < 100) return `${Math.round(Math.max(ms, 0))} ms`;
  const seconds = ms / 1000;
  if (seconds < 9.95) return `${new Intl.NumberFormat(language(), { maximumFractionDigits: 1 }).format(seconds)} s`;
  if (seconds < 59.5) return `${Math.round(seconds)} s`;
  return clock(ms);
}

/** Milliseconds as a clock shows them: 0:07, 3:05, 1:02:03. */
export function clock(ms) {
  const whole = Math.floor(Math.max(ms, 0) / 1000);
  const two = (n) => String(n).padStart(2, "0");
  const [hours, minutes, seconds] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return hours ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
}

/** The seats of a match. Where the game's sides have names, a player without a name is called by the side. */
export function sided(kind, seats) {
  const { sides = [] } = gameOf(kind ?? "");
  if (seats.length !== sides.length) return seats;
  return seats.map((one) => (one.name ? one : { ...one, name: t(sides[one.seat]) }));
}

/** The class of an element whose seats have the colours of a game's sides; "" if they have none. */
export function sidesClass(kind) {
  return (gameOf(kind ?? "").sides ?? []).length ? `sides-${gameOf(kind).sides.join("-")}` : "";
}

/** The name of the player on a seat, or "Seat N" if there is none. */
export function seatName(seats, seat) {
  return nameOn(seats, seat) ?? t("seat", { n: seat + 1 });
}

/** The player's name as a node: "Seat N" for one without a name, "free" for a seat without a player. */
export function calledOn(one) {
  return one.name ? el("bdi", { title: one.fullName }, one.name) : el("span", { class: "muted" }, one.unnamed ? t("seat", { n: one.seat + 1 }) : t("seatFree"));
}

/** The list of the players' names, each with the mark of the seat; null if there are no seats. */
export function names(seats, attributes = {}) {
  if (!seats.length) return null;
  return el(
    "ul",
    { class: "names", ...attributes },
    seats.map((one) =>
      el("li", { class: one.name || one.unnamed ? null : "vacant" }, chip(one.seat), calledOn(one)),
    ),
  );
}

/** The game, the players and the date, for the window's title. */
export function matchTitle(game, seats, iso) {
  const people = seats.map((one) => one.name && isolated(one.name)).filter(Boolean);
  const facts = [people.join(" – "), iso && when(iso).textContent].filter(Boolean);
  return facts.length ? `${game}: ${facts.join(", ")}` : game;
}

/** The mark of a seat: its number on its colour. */
export function chip(seat) {
  return el("span", { class: `chip seat-${seat % 8}`, "aria-hidden": "true" }, String(seat + 1));
}

/** By how many points a game was won: "by 3.5 points"; nothing if they do not decide it, or those of both are not known. */
export function lead(kind, points) {
  const known = gameOf(kind ?? "").byPoints && points?.length === 2 && points.every((one) => typeof one === "number" && one >= 0);
  return known && points[0] !== points[1] ? t("byPoints", { count: Math.abs(points[0] - points[1]) }) : "";
}

/** The result of a game in words, as nodes. `outcome` is {termination, winner}; `by`: by how much it was won. */
export function result(outcome, seats, by = "") {
  if (!outcome) return [];
  const word = TERMINATIONS[outcome.termination];
  if (outcome.winner === null || outcome.winner === undefined) {
    const keys = [`none${word}`, `any${word}`, "noneUnknown"];
    return [t(["Victory", "Draw"].includes(word) ? "drawn" : keys.find(t.has))];
  }
  const [before, after] = t("won", { name: "\0" }).split("\0");
  const how = word && word !== "Victory" && t.has(`end${word}`) ? ` (${t(`end${word}`)})` : "";
  return [before, bdi(seatName(seats, outcome.winner)), after + how + (by && ` ${by}`)];
}

const LONGEST = 80; // longer options are not shown, for example a whole course as text

/** A game's words for an option or a value; as in the API if there are none, or the game's board is not loaded. */
function told(game, what, name) {
  const words = gameWords(game);
  const key = `${what}_${name}`;
  return words.has(key) ? words(key) : spelled(name);
}

/** An option's value in words. */
export const optionValue = (game, value) => told(game, "value", value);

/** The options of a room as a list of terms; null if there are none. */
export function options(game, given) {
  const isShown = (value) => value !== null && value !== "" && String(value).length <= LONGEST;
  const pairs = Object.entries(given ?? {}).filter(([, value]) => isShown(value));
  const shown = (key, value) => (key.endsWith("_milliseconds") ? span(value) : optionValue(game, value));
  return pairs.length ? terms(pairs.map(([key, value]) => [told(game, "option", key), shown(key, value)])) : null;
}

/** Terms with their values. */
export function terms(pairs) {
  return el("dl", { class: "options" }, pairs.map(([term, value]) => el("div", {}, el("dt", {}, `${term}:`), " ", el("dd", {}, bdi(value)))));
}

/** A room's state in words. */
function stateWord(state) {
  const key = `state${String(state).charAt(0).toUpperCase()}${String(state).slice(1)}`;
  return t.has(key) ? t(key) : String(state);
}

/** A room's state as a mark. */
export function badge(state) {
  return el("span", { class: `badge ${["waiting", "playing", "paused", "ended"].includes(state) ? state : ""}` }, stateWord(state));
}

/** The name of a game. */
export function gameName(kind) {
  return gameOf(kind).name ?? kind;
}

/** The title of the dialog for taking a seat in a room: the game, and the players there. */
export function playTitle(room) {
  const people = room.seats.map((one) => one.name && isolated(one.name)).filter(Boolean);
  const game = gameOf(room.game).name;
  return people.length ? t("playWith", { game, names: people.join(", ") }) : t("playGame", { game });
}

/** The text of an error for the user. */
export function sentence(error) {
  return error instanceof Refusal || error instanceof Error ? error.message : String(error);
}

/** The server's sentence in the user's language, by its code; else in English. */
export function worded(kind, code, text) {
  const key = `${kind}-${code}`;
  if (!t.has(key)) return text;
  // The server's sentence is English, and has the particulars.
  const found = (text ?? "").match(/\(-?\d[^()]*\)|'[^']*'|<[^<>]*>|\d+,\d+|\d+(\.\d+)?/g) ?? [];
  const said = t(key, { ...["", ...found] });
  const places = found.filter((one) => /^[(']|,/.test(one));
  return said === t(key) && places.length ? `${said.replace(/\.$/, "")}: ${places.join(", ")}.` : said;
}

/** A line for error messages, hidden while there is none: {node, say(error), clear()}. */
export function complaint() {
  const node = el("p", { class: "complaint", role: "alert", hidden: true });
  return {
    node,
    say(error) {
      node.hidden = false;
      replace(node, bdi(sentence(error)), button("", () => this.clear(), { class: "plain dismiss", "aria-label": t("close") }));
    },
    clear() {
      node.hidden = true;
      replace(node);
    },
  };
}

/** A table that scrolls if it is too wide. `heads`: texts; `rows`: arrays of cells, each an array of nodes. */
export function table(label, heads, rows) {
  return el(
    "div",
    { class: "scroller", role: "region", "aria-label": label, tabindex: 0 },
    el(
      "table",
      {},
      el("thead", {}, el("tr", {}, heads.map((text) => el("th", { scope: "col" }, text)))),
      el(
        "tbody",
        {},
        rows.map((cells) => el("tr", {}, cells.map((cell, n) => el("td", { "data-label": heads[n] }, el("div", {}, cell))))),
      ),
    ),
  );
}

let serial = 0;

/**
 * Opens a dialog and returns {node, close}. `body`: nodes; `buttons`: nodes at its foot. Escape closes it. A closed dialog
 * is removed, and `onclose` is called.
 *
 * @param {string} title
 * @param {any[]} body
 * @param {any[]} buttons
 * @param {{onclose?: () => void, signal?: AbortSignal}} more
 */
export function dialog(title, body, buttons, { onclose, signal } = {}) {
  serial += 1;
  const head = el("h2", { id: `dialog-${serial}` }, title);
  const node = el("dialog", { "aria-labelledby": head.id }, head, ...body, el("div", { class: "buttons" }, ...buttons));
  const close = () => node.close();
  node.addEventListener("close", () => {
    node.remove();
    onclose?.();
  });
  signal?.addEventListener("abort", close);
  document.body.append(node);
  node.showModal();
  return { node, close };
}

/** Asks a question. Resolves to true if the answer was yes. */
export function confirm(title, text, yes, no = t("cancel")) {
  return new Promise((resolve) => {
    let answer = false;
    const { close } = dialog(
      title,
      [el("p", {}, text)],
      [
        button(no, () => close(), { autofocus: true }),
        button(
          yes,
          () => {
            answer = true;
            close();
          },
          { class: "danger" },
        ),
      ],
      { onclose: () => resolve(answer) },
    );
  });
}

/**
 * Opens a dialog with a form. If `send()` throws, the dialog shows the error and stays open. Resolves to the value that
 * `send` returned, or to undefined if the dialog was cancelled.
 *
 * @param {string} title
 * @param {any[]} body
 * @param {string} submit
 * @param {() => any} send
 * @param {{signal?: AbortSignal}} more
 */
export function ask(title, body, submit, send, { signal } = {}) {
  return new Promise((resolve) => {
    let answer;
    const trouble = complaint();
    const sends = el("button", { type: "submit", class: "primary" }, submit);
    const form = el("form", { method: "dialog" }, ...body, trouble.node, el("div", { class: "buttons" }));
    const shown = dialog(title, [form], [], { onclose: () => resolve(answer), signal });
    replace(form.lastChild, button(t("cancel"), () => shown.close()), sends);
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      sends.disabled = true;
      trouble.clear();
      try {
        answer = (await send()) ?? null;
        shown.close();
      } catch (error) {
        trouble.say(error);
      } finally {
        sends.disabled = false;
      }
    });
  });
}
