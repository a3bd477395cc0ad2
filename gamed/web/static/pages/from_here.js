// The dialog for going on from a position of a record, which the replay opens.

import { gameOf, post } from "../api.js";
import { el, isolated } from "../dom.js";
import { ask, choice, labelled, seatName } from "../parts.js";
import { keep, t } from "../words.js";
import { NAME, nameField, ownName, strategies, ways } from "./join.js";
import { sit } from "./sit.js";

/**
 * Asks who goes on from a position of a record: the person on one seat and programs, or players with codes. Goes to the
 * seat or to the room. `seats`: of the record; `from`: {record, move}.
 */
export async function goOnFrom(kind, seats, from, view) {
  const game = gameOf(kind);
  const own = nameField(ownName());
  const mine = choice(seats.map((one) => [one.seat, seatLabel(seats, one.seat)]), seats[0].seat, { name: "seat" });
  const bots = el("div", { class: "bots" });
  const others = () => seats.filter((one) => String(one.seat) !== mine.value);
  const bring = () => bots.replaceChildren(...others().map((one) => labelled(t("botOn", { seat: seatLabel(seats, one.seat) }), strategies(game))));
  const canBring = game.bots.length > 0 && (game.opponents ?? [1]).includes(seats.length - 1);
  if (canBring) bring();
  mine.addEventListener("change", bring);
  const details = { bots: el("div", { class: "detail" }, labelled(t("yourName"), own), labelled(t("yourSeat"), mine), bots) };
  const texts = { ...(canBring && { bots: t("againstBots") }), codes: t("byCodes") };
  let chosen;
  const fieldset = ways(t("opponents"), texts, details, Object.keys(texts)[0], (way) => {
    chosen = way;
    own.required = way === "bots";
  });
  let made = null; // the room; a second attempt after a refusal uses it, too
  const send = async () => {
    made ??= await post("/rooms", { game: kind, from });
    if (chosen === "codes") return `/rooms/${encodeURIComponent(made.room)}`;
    keep(NAME, own.value.trim());
    const codes = Object.fromEntries(seats.map((one, n) => [one.seat, made.reservations[n]]));
    const programs = [...bots.querySelectorAll("select")];
    const request = { game: kind, name: own.value.trim(), reservation: codes[mine.value] };
    request.bots = others().map((one, n) => ({ strategy: programs[n].value, reservation: codes[one.seat] }));
    return `/seats/${encodeURIComponent((await sit(request)).id)}`;
  };
  const path = await ask(t("startHere"), [el("p", {}, t("startHereHelp")), fieldset], t("begin"), send, { signal: view.signal });
  if (path) view.go(path);
}

/** The label of a seat: its number, and the player's name. */
function seatLabel(seats, seat) {
  const number = t("seat", { n: seat + 1 });
  const name = seatName(seats, seat);
  return name === number ? number : `${number} (${isolated(name)})`;
}
