// The television: the most interesting running game on a big screen; the screen goes on to the next one by itself.

import { get, poll } from "../api.js";
import { el, replace } from "../dom.js";
import { link } from "../parts.js";
import { t, translator } from "../words.js";

export const words = {
  en: { tvWaits: "No game is running. The next one will be shown here." },
  de: { tvWaits: "Es läuft keine Partie. Die nächste wird hier gezeigt." },
};
const own = translator(words);

const EVERY = 2_000; // ms between looks for a game

/** The game that most people watch, of several the one with the most moves; undefined if none is running. */
export function mostInteresting(rooms) {
  const running = rooms.filter((room) => room.state === "playing");
  return running.sort((one, other) => other.watchers - one.watchers || other.moves - one.moves)[0];
}

/** Waits for a game, and shows it. */
export async function show(view) {
  view.entitle("tv");
  const leave = el("div", { class: "buttons corner" }, link("/", { class: "button" }, t("leaveBigScreen")));
  replace(view.root, el("h1", { class: "versus" }, own("tvWaits")), leave);
  const look = async () => {
    const found = mostInteresting(await get("/rooms", view.signal).then((answer) => answer.rooms ?? answer));
    if (found) view.go(`/rooms/${encodeURIComponent(found.id)}?screen&tv`, { replaces: true });
  };
  poll(look, EVERY, view.signal);
}
