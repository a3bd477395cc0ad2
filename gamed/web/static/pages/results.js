// The table of records that the lobby and the search show.

import { bdi, el } from "../dom.js";
import { calledOn, chip, gameName, lead, link, result, sided, sidesClass, table, when } from "../parts.js";
import { translator } from "../words.js";

export const words = {
  en: {
    replayOf: "Replay {game}, {date}",
    yours: "Yours",
  },
  de: {
    replayOf: "{game} vom {date} ansehen",
    yours: "Deine",
  },
};
const t = translator(words);

/** The address of a player's page. */
export const playerPage = (name) => `/records?${new URLSearchParams({ player: name })}`;

/** The players of a game, each with a link to the games under that name. */
function people(seats, look) {
  const named = (one) => (one.name ? link(playerPage(one.fullName ?? one.name), {}, calledOn(one)) : calledOn(one));
  return seats.length ? el("ul", { class: look }, seats.map((one) => el("li", {}, chip(one.seat), named(one)))) : null;
}

/** The table of records that the lobby and the search show. Records that gamed does not play have no game. */
export function recordTable(label, records, { hasFormat = false } = {}) {
  const heads = [t("started"), t("game"), t("players"), t("result"), t("length"), ...(hasFormat ? [t("format")] : []), t("actions")];
  return table(
    label,
    heads,
    records.map((one) => {
      const kind = one.kind ?? one.game;
      const seats = sided(kind, one.seats);
      const format = `${one.publisher} ${one.version}`;
      const name = kind ? gameName(kind) : format;
      return [
        when(one.started),
        bdi(name),
        el("div", {}, people(seats, `names ${sidesClass(kind)}`), one.own && el("span", { class: "badge" }, t("yours"))),
        one.termination ? result(one, seats, lead(kind, seats.map((seat) => seat.points))) : t("noneUnknown"),
        one.seats.length ? String(one.length) : "",
        ...(hasFormat ? [bdi(format)] : []),
        link(
          `/records/${encodeURIComponent(one.id)}`,
          { "aria-label": t("replayOf", { game: name, date: when(one.started).textContent }), "data-key": one.id },
          t("replay"),
        ),
      ];
    }),
  );
}

