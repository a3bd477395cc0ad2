// The table of records that the lobby and the search show.

import { session } from "../api.js";
import { fileOf } from "../board.js";
import { bdi, el } from "../dom.js";
import { TERMINATIONS, calledOn, chip, clock, gameName, lead, link, result, sided, sidesClass, table, when } from "../parts.js";
import { translator } from "../words.js";

export const words = {
  en: {
    replayOf: "Replay {game}, {date}",
    yours: "Yours",
    duration: "Duration of the game",
  },
  de: {
    replayOf: "{game} vom {date} ansehen",
    yours: "Deine",
    duration: "Dauer der Partie",
  },
};
const t = translator(words);

/** The address of a player's page. */
export const playerPage = (name) => `/records?${new URLSearchParams({ player: name })}`;

/** The players of a game, each with a link to the games under that name; the winner in bold type. */
function people(seats, winner, look) {
  const named = (one) => (one.name ? link(playerPage(one.fullName ?? one.name), {}, calledOn(one)) : calledOn(one));
  return seats.length ? el("ul", { class: look }, seats.map((one) => el("li", { class: one.seat === winner ? "won" : null }, chip(one.seat), named(one)))) : null;
}

/** How a game ended: by how much it was won, else who has won, or what ended it against the rules. */
function how(one, by) {
  if (!one.termination) return t("noneUnknown");
  if (one.winner === null || one.winner === undefined) return result(one, one.seats);
  const isClean = ["victory", "resigned"].includes(one.termination);
  if (isClean) return by || result(one, one.seats);
  return el("span", { class: "foul" }, by || t(`any${TERMINATIONS[one.termination]}`));
}

/** How long a game lasted, if its record gives both moments. */
function lasted({ started, ended }) {
  const ms = Date.parse(ended) - Date.parse(started);
  return ended.includes("T") && ms >= 1_000 ? el("small", { class: "muted", title: t("duration") }, clock(ms)) : null;
}

/** The table of records that the lobby and the search show. Records that gamed does not play have no game. */
export function recordTable(label, records, { hasFormat = false } = {}) {
  const heads = [t("game"), t("players"), t("result"), t("length"), t("started")];
  const node = table(
    label,
    heads,
    records.map((one) => {
      const kind = one.kind ?? one.game;
      const seats = sided(kind, one.seats);
      const format = `${one.publisher} ${one.version}`;
      const name = kind ? gameName(kind) : format;
      const hasIcon = session.games.some((game) => game.kind === kind && game.icon);
      return [
        link(
          `/records/${encodeURIComponent(one.id)}`,
          { class: "whole", "aria-label": t("replayOf", { game: name, date: when(one.started).textContent }), "data-key": one.id },
          hasIcon && el("img", { src: fileOf(kind, "icon.svg"), alt: "", width: 40, height: 40 }),
          el("span", {}, bdi(name), hasFormat && kind && el("small", { class: "muted" }, bdi(format))),
        ),
        el("div", {}, people(seats, one.winner, `names ${sidesClass(kind)}`), one.own && el("span", { class: "badge" }, t("yours"))),
        how(one, lead(kind, seats.map((seat) => seat.points))),
        one.seats.length ? [String(one.length), lasted(one)] : "",
        when(one.started),
      ];
    }),
  );
  node.classList.add("listing");
  return node;
}
