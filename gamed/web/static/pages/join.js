// Sitting down at a game, and preparing a room: the dialogs that the lobby and other pages open.

import { gameOf, post } from "../api.js";
import { bdi, el, replace } from "../dom.js";
import { ask, button, choice, dialog, labelled, link } from "../parts.js";
import { keep, kept, t } from "../words.js";

const NAME = "gamed.name";
const LAST = "gamed.seat.";

/** Asks how to play and sits down; leads to the seat. `code`: of a reservation. */
export async function play(kind, view, { code = "", name = kept(NAME) ?? "" } = {}) {
  const game = gameOf(kind);
  const own = el("input", { name: "name", value: name, maxlength: 40, required: true, autocomplete: "nickname", autofocus: true });
  const reservation = el("input", { name: "code", value: code, autocomplete: "off", spellcheck: "false" });
  const bots = el("div", { class: "bots" });
  const numbers = game.opponents ?? [1];
  const more = button(t("addBot"), () => bring(numbers.find((n) => n > bots.children.length)));
  const fewer = button(t("removeBot"), () => bring(numbers.findLast((n) => n < bots.children.length)));
  const bring = (count) => {
    while (bots.children.length > count) bots.lastChild.remove();
    while (bots.children.length < count) {
      const strategies = choice(game.bots.map((bot) => [bot, bot]), game.bots[0]);
      bots.append(labelled(t("bot", { n: bots.children.length + 1 }), strategies));
    }
    more.hidden = count >= numbers.at(-1);
    fewer.hidden = count <= numbers[0];
  };
  const details = {
    wait: null,
    bots: el("div", { class: "detail" }, bots, el("div", { class: "buttons" }, fewer, more)),
    code: el("div", { class: "detail" }, labelled(t("code"), reservation)),
  };
  const texts = { wait: t("waitForSomebody"), bots: t("againstBots"), code: t("withCode") };
  const ways = Object.keys(texts).filter((way) => way !== "bots" || (game.bots.length && numbers.length));
  let chosen = code ? "code" : "wait";
  const chooses = () => {
    for (const [way, node] of Object.entries(details)) if (node) node.hidden = way !== chosen;
    reservation.required = chosen === "code";
  };
  const radios = ways.map((way) =>
    el(
      "label",
      { class: "radio" },
      el("input", {
        type: "radio",
        name: "way",
        value: way,
        checked: way === chosen,
        onchange: () => {
          chosen = way;
          chooses();
        },
      }),
      el("span", {}, texts[way]),
    ),
  );
  if (game.bots.length && numbers.length) bring(numbers[0]);
  chooses();
  const fieldset = el("fieldset", {}, el("legend", {}, t("opponents")), radios, details.bots, details.code);
  const send = () => {
    keep(NAME, own.value.trim());
    const request = { game: kind, name: own.value.trim() };
    if (chosen === "code") request.reservation = reservation.value.trim();
    if (chosen === "bots") request.bots = [...bots.querySelectorAll("select")].map((select) => select.value);
    return sit(request);
  };
  const title = t("playGame", { game: game.name });
  const seat = await ask(title, [labelled(t("yourName"), own), fieldset], t("sitDown"), send, { signal: view.signal });
  if (seat) view.go(`/seats/${encodeURIComponent(seat.id)}`);
}

/** Sits down, and remembers how, so that "again" can do the same. */
export async function sit(request) {
  const seat = await post("/seats", request);
  try {
    sessionStorage.setItem(LAST + seat.id, JSON.stringify(request));
  } catch {
    // Without it "again" asks.
  }
  return seat;
}

/** How this seat was taken; null if it is not known here, or cannot be repeated. */
export function howSat(id) {
  try {
    const request = JSON.parse(sessionStorage.getItem(LAST + id));
    return request?.reservation ? null : request;
  } catch {
    return null;
  }
}

/** Asks for a room's names and makes it; then shows its codes. */
export async function prepare(kind, view) {
  const game = gameOf(kind);
  const names = el("textarea", { name: "names", rows: 4, autofocus: true });
  const paused = el("input", { type: "checkbox", name: "paused" });
  const body = [labelled(t("names"), names), el("label", { class: "radio" }, paused, el("span", {}, t("startPaused")))];
  const send = () => {
    const given = names.value.split("\n").map((name) => name.trim());
    return post("/rooms", { game: kind, names: given.filter(Boolean), paused: paused.checked });
  };
  const made = await ask(t("prepareGame", { game: game.name }), body, t("prepare"), send, { signal: view.signal });
  if (made) codes(kind, made, view);
}

/** Shows the codes of a new room: `made` is {room, reservations}. */
export function codes(kind, made, view) {
  const list = el("ul", { class: "codes" });
  const shown = dialog(
    t("prepared"),
    [el("p", {}, t("preparedHelp")), list],
    [
      made.room && link(`/rooms/${encodeURIComponent(made.room)}`, { class: "button", onclick: () => shown.close() }, t("watch")),
      button(t("close"), () => shown.close()),
    ],
    { signal: view.signal },
  );
  const sits = (code) => {
    shown.close();
    play(kind, view, { code });
  };
  replace(
    list,
    made.reservations.map((code, n) =>
      el(
        "li",
        {},
        el("span", {}, t("seat", { n: n + 1 })),
        el("code", {}, bdi(code)),
        button(t("sitDown"), () => sits(code), { "aria-label": `${t("sitDown")}: ${t("seat", { n: n + 1 })}` }),
      ),
    ),
  );
}
