// The ways to get opponents, for somebody who waits for them: a link for friends, and programs.

import { gameOf, post, remove } from "../api.js";
import { el } from "../dom.js";
import { button } from "../parts.js";
import { translator } from "../words.js";
import { strategies } from "./join.js";
import { copied, onlyHere } from "./prepared.js";
import { howSat, sit } from "./sit.js";

export const words = {
  en: {
    title: "You are waiting for opponents",
    link: "Whoever opens this link sits down here:",
    linkOf: "link for a friend",
    invite: "Invite a friend by a link",
    bot: "Program",
    addBot: "Add a program",
  },
  de: {
    title: "Du wartest auf Gegner",
    link: "Wer diesen Link öffnet, setzt sich hierher:",
    linkOf: "Link für Freunde",
    invite: "Freunde mit einem Link einladen",
    bot: "Programm",
    addBot: "Ein Programm dazunehmen",
  },
};
const t = translator(words);

/** What a waiting person can do. A table that anybody may join becomes a private one by it. */
export function ways(seat, view, trouble) {
  const game = gameOf(seat.game);
  const numbers = game.opponents ?? [1];
  const path = `/seats/${encodeURIComponent(seat.id)}`;
  const program = strategies(game);
  program.setAttribute("aria-label", t("bot"));

  const does = (call) => async () => {
    try {
      await call();
    } catch (error) {
      if (!view.signal.aborted) trouble.say(error);
    }
  };

  /** Takes a seat at a private table, and leaves this one. */
  async function move(more) {
    const { bots, friends, ...request } = howSat(seat.id) ?? { game: seat.game, name: seat.name };
    const made = await sit({ ...request, ...more });
    await remove(path).catch(() => undefined);
    view.go(`/seats/${encodeURIComponent(made.id)}`);
  }

  async function add() {
    if (seat.invitation) await post(`${path}/bots`, { strategy: program.value });
    else await move({ bots: Array(numbers[0]).fill(program.value) });
  }

  const canAdd = game.bots.length > 0 && numbers.length > 0 && !seat.isGuest;
  const address = `${location.origin}/?play=${encodeURIComponent(seat.game)}#${seat.invitation}`;
  return el(
    "section",
    { class: "ways" },
    el("h2", {}, t("title")),
    seat.invitation && el("p", {}, t("link")),
    seat.invitation && copied(address, t("linkOf"), view),
    seat.invitation && onlyHere(),
    el(
      "div",
      { class: "buttons" },
      !seat.invitation && !seat.isGuest && numbers.length > 0 && button(t("invite"), does(() => move({ friends: numbers[0] })), { class: "primary" }),
      canAdd && program,
      canAdd && button(t("addBot"), does(add)),
    ),
  );
}
