// A player: results, form, opponents and how games were lost, of the latest games under that name.

import { get } from "../api.js";
import { bdi, el } from "../dom.js";
import { TERMINATIONS, gameName, link, table, terms } from "../parts.js";
import { translator } from "../words.js";
import { playerPage } from "./results.js";

export const words = {
  en: {
    ofLatest: "Of the latest {count} games",
    ofLatestOne: "Of the latest game",
    score: "Won {won}, drawn {drawn}, lost {lost}",
    noResult: "Without a result",
    balance: "Results",
    form: "Form, the latest first",
    signWon: "W",
    signDrawn: "D",
    signLost: "L",
    lostBy: "How games were lost",
    opponent: "Opponent",
  },
  de: {
    ofLatest: "Aus den letzten {count} Partien",
    ofLatestOne: "Aus der letzten Partie",
    score: "{won} gewonnen, {drawn} unentschieden, {lost} verloren",
    noResult: "Ohne Ergebnis",
    balance: "Ergebnisse",
    form: "Form, die letzte zuerst",
    signWon: "S",
    signDrawn: "U",
    signLost: "N",
    lostBy: "Wie Partien verloren wurden",
    opponent: "Gegner",
  },
};
const t = translator(words);

const LATEST = 200;
const FORM = 12; // games

/** How a game ended for a player: won, drawn, lost; null if nobody knows, or the player was on every seat. */
function fate(game, player) {
  const own = game.seats.filter((one) => (one.fullName ?? one.name) === player).map((one) => one.seat);
  if (own.length === game.seats.length) return null; // a program against itself
  if (game.winner !== null && game.winner !== undefined) return own.includes(game.winner) ? "won" : "lost";
  return game.termination === "draw" || game.termination === "victory" ? "drawn" : null;
}

/** Counts fates: {won, drawn, lost}. */
function tally(fates) {
  const counts = { won: 0, drawn: 0, lost: 0 };
  for (const one of fates) if (one) counts[one] += 1;
  return counts;
}

/** Groups [key, value] pairs: a Map of arrays. */
function grouped(pairs) {
  const found = new Map();
  for (const [key, value] of pairs) found.set(key, [...(found.get(key) ?? []), value]);
  return [...found].sort(([, one], [, other]) => other.length - one.length);
}

/** The player's part of the page of records; null if there is no game. */
export async function summary(player, signal) {
  const query = new URLSearchParams({ player, limit: String(LATEST) });
  const { records } = await get(`/records?${query}`, signal);
  if (!records.length) return null;
  const games = records.map((game) => ({ ...game, fate: fate(game, player) }));
  const form = games.filter((game) => game.fate).slice(0, FORM);
  const sign = (game) => {
    const letter = t(`sign${game.fate[0].toUpperCase()}${game.fate.slice(1)}`);
    return link(`/records/${encodeURIComponent(game.id)}`, { class: `form ${game.fate}` }, letter);
  };
  const endings = grouped(games.filter((game) => game.fate === "lost").map((game) => [game.termination, game]));
  const facts = [
    [t("balance"), t("score", tally(games.map((game) => game.fate)))],
    ...(games.every((game) => game.fate) ? [] : [[t("noResult"), games.filter((game) => !game.fate).length]]),
    ...(endings.length ? [[t("lostBy"), endings.map(([why, all]) => `${t(`any${TERMINATIONS[why]}`)}: ${all.length}`).join(", ")]] : []),
  ];
  const met = grouped(
    games.flatMap((game) =>
      game.seats
        .filter((one) => one.name && (one.fullName ?? one.name) !== player)
        .map((one) => [JSON.stringify([one.fullName ?? one.name, game.game ?? game.publisher]), game.fate]),
    ),
  );
  const rows = met.map(([key, fates]) => {
    const [name, kind] = JSON.parse(key);
    return [link(playerPage(name), {}, bdi(name)), gameName(kind), t("score", tally(fates))];
  });
  return el(
    "section",
    { class: "card" },
    el("h2", {}, bdi(player)),
    el("p", { class: "muted" }, t("ofLatest", { count: records.length })),
    terms(facts),
    form.length > 0 && el("p", {}, `${t("form")}: `, form.map(sign)),
    rows.length > 0 && table(t("opponent"), [t("opponent"), t("game"), t("balance")], rows),
  );
}
