// The dialogs for taking a seat and for preparing a room, which the lobby and other pages open.

import { gameOf, post } from "../api.js";
import { el } from "../dom.js";
import { ask, button, choice, labelled, playTitle } from "../parts.js";
import { keep, kept, t } from "../words.js";
import { sit } from "./sit.js";

export const NAME = "gamed.name";

export const nameField = (value) =>
  el("input", { name: "name", value, maxlength: 40, required: true, autocomplete: "nickname", autofocus: true, onfocus: (event) => event.target.select() });

/** Radio buttons. `texts`: the label of each choice; `details`: nodes that are shown only for their choice. */
export function ways(title, texts, details, chosen, onchange) {
  const choose = (way) => {
    for (const [other, node] of Object.entries(details)) node.hidden = other !== way;
    onchange(way);
  };
  const radios = Object.entries(texts).map(([value, text]) =>
    el(
      "label",
      { class: "radio" },
      el("input", { type: "radio", name: "way", value, checked: value === chosen, onchange: () => choose(value) }),
      el("span", {}, text),
    ),
  );
  choose(chosen);
  return el("fieldset", {}, el("legend", {}, title), radios, Object.values(details));
}

/** The name that the browser knows, else one for a guest. */
export const ownName = () => kept(NAME) ?? `${t("guest")} ${String.fromCharCode(65 + Math.random() * 26)}`;

/** A choice of a game's bots. The last one is the easiest. */
export const strategies = (game) => choice(game.bots.map((bot) => [bot, bot === game.bots.at(-1) ? t("easyBot", { bot }) : bot]), game.bots[0]);

/** Asks for a name, takes a seat in a room of the lobby, and goes to the seat. */
export async function playIn(room, view) {
  const own = nameField(ownName());
  const send = () => {
    keep(NAME, own.value.trim());
    return sit({ game: room.game, name: own.value.trim(), room: room.id });
  };
  const seat = await ask(playTitle(room), [labelled(t("yourName"), own)], t("sitDown"), send, { signal: view.signal });
  if (seat) view.go(`/seats/${encodeURIComponent(seat.id)}`);
}

/**
 * Asks how to play, takes a seat, and goes to it. `code`: a reservation's or an invitation's; "" asks for it. `way`: how,
 * as long as nothing else is chosen; most people want to play against a program.
 *
 * @param {string} kind
 * @param {any} view
 * @param {{code?: string | null, name?: string, way?: "wait" | "friends" | "bots" | "code"}} more
 */
export async function play(kind, view, { code = null, name = ownName(), way } = {}) {
  const game = gameOf(kind);
  const own = nameField(name);
  const reservation = el("input", { name: "code", value: code ?? "", autocomplete: "off", spellcheck: "false" });
  const bots = el("div", { class: "bots" });
  const numbers = game.opponents ?? [1];
  const more = button(t("addBot"), () => bring(numbers.find((n) => n > bots.children.length)));
  const fewer = button(t("removeBot"), () => bring(numbers.findLast((n) => n < bots.children.length)));
  const bring = (count) => {
    while (bots.children.length > count) bots.lastChild.remove();
    while (bots.children.length < count) bots.append(labelled(t("bot", { n: bots.children.length + 1 }), strategies(game)));
    more.hidden = count >= numbers.at(-1);
    fewer.hidden = count <= numbers[0];
  };
  const guests = choice(numbers.map((n) => [n, n]), numbers[0], { name: "friends" });
  const details = {
    friends: el("div", { class: "detail" }, el("p", {}, t("friendsHelp")), numbers.length > 1 && labelled(t("friends"), guests)),
    bots: el("div", { class: "detail" }, bots, el("div", { class: "buttons" }, fewer, more)),
    code: el("div", { class: "detail" }, labelled(t("code"), reservation)),
  };
  const canBring = game.bots.length > 0 && numbers.length > 0;
  const texts = {
    ...(canBring && { bots: t("againstBots") }),
    ...(numbers.length > 0 && { friends: t("withFriends") }),
    wait: t("waitForSomebody"),
    code: t("withCode"),
  };
  let chosen;
  if (canBring) bring(numbers[0]);
  const fieldset = ways(t("opponents"), texts, details, way ?? (code !== null ? "code" : canBring ? "bots" : "wait"), (now) => {
    chosen = now;
    reservation.required = now === "code";
  });
  const send = () => {
    keep(NAME, own.value.trim());
    const request = { game: kind, name: own.value.trim() };
    if (chosen === "code") request.reservation = reservation.value.trim();
    if (chosen === "friends") request.friends = Number(guests.value);
    if (chosen === "bots") request.bots = [...bots.querySelectorAll("select")].map((select) => select.value);
    return sit(request);
  };
  const title = t("playGame", { game: game.name });
  const seat = await ask(title, [labelled(t("yourName"), own), fieldset], t("sitDown"), send, { signal: view.signal });
  if (seat) view.go(`/seats/${encodeURIComponent(seat.id)}`);
}

/** Asks for the players' names, prepares a room, and goes to it. The room's page shows the codes. */
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
  if (made) view.go(`/rooms/${encodeURIComponent(made.room)}`);
}
