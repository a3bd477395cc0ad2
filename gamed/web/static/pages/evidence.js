// What the programs of a match did, for whoever has the key of one: what they used, wrote and told, and their messages.

import { evidence } from "../api.js";
import { bdi, el } from "../dom.js";
import { chip, seatName, span } from "../parts.js";
import { language, translator } from "../words.js";
import { curve, picture, scale, spread } from "./graphs.js";

export const words = {
  en: {
    privately: "What the programs did",
    privatelyHelp: "Nobody sees this who has no key.",
    usage: "{cpu} of processor time, at most {memory} MB of memory",
    usageOf: "{cpu} of processor time, at most {memory} of {limit} MB of memory",
    lastMessages: "Last messages",
    messageFrom: "from the program",
    messageTo: "to the program",
    cutMessage: "… ({bytes} bytes)",
    wroteAtLast: "End of its standard error ({bytes} bytes)",
    wroteNothing: "It wrote nothing to its standard error.",
    playAgain: "Play this game again:",
  },
  de: {
    privately: "Was die Programme taten",
    privatelyHelp: "Wer keinen Schlüssel hat, sieht das nicht.",
    usage: "{cpu} Rechenzeit, höchstens {memory} MB Speicher",
    usageOf: "{cpu} Rechenzeit, höchstens {memory} von {limit} MB Speicher",
    lastMessages: "Letzte Nachrichten",
    messageFrom: "vom Programm",
    messageTo: "an das Programm",
    cutMessage: "… ({bytes} Bytes)",
    wroteAtLast: "Ende seiner Fehlerausgabe ({bytes} Bytes)",
    wroteNothing: "Es hat nichts auf die Fehlerausgabe geschrieben.",
    playAgain: "Diese Partie noch einmal spielen:",
  },
};
const t = translator(words);

/** What is known of the programs, as far as the viewer may see it. Throws a Refusal. */
export async function programs(record, path, seats, signal) {
  const { bots } = await evidence(path, signal);
  if (!bots.length) return [];
  return [
    el("h2", {}, t("privately")),
    el("p", { class: "muted hint" }, t("privatelyHelp")),
    ...bots.flatMap((bot) => program(bot, seats)),
    el("p", {}, t("playAgain"), " ", el("code", {}, `gamed play --again ${record.id.slice(0, 8)}`)),
  ];
}

/** A time of the match, to the millisecond. */
function moment(ms) {
  return `${new Intl.NumberFormat(language(), { minimumFractionDigits: 3 }).format(ms / 1000)} s`;
}

function program(bot, seats) {
  const values = { cpu: span(bot.cpu ?? 0), memory: Math.round((bot.memory ?? 0) / 1000), limit: bot.limits?.memory };
  const numbers = Object.entries(bot.numbers ?? {}).map(([name, series]) => {
    const told = series.map(([, number]) => number);
    const label = spread(name, told);
    return el("figure", { class: "told" }, el("figcaption", {}, bdi(label)), picture(told.length - 1, label, [curve(told, scale(told), bot.seat)]));
  });
  const messages = (bot.messages ?? []).map((one) => {
    const isCut = one.bytes > one.text.length;
    const sign = one.from === "bot" ? ["<", t("messageFrom")] : [">", t("messageTo")];
    const where = el("span", { role: "img", "aria-label": sign[1], title: sign[1] }, sign[0]);
    return el("li", { "data-at": one.at }, el("span", { class: "took" }, moment(one.at)), " ", where, " ", el("code", {}, bdi(one.text)), isCut ? t("cutMessage", { bytes: one.bytes }) : "");
  });
  const scroller = (label, ...children) => el("div", { class: "scroller tall", role: "region", "aria-label": label, tabindex: 0 }, ...children);
  return [
    el("h3", {}, chip(bot.seat), " ", bdi(seatName(seats, bot.seat))),
    bot.cpu === undefined ? null : el("p", {}, t(values.limit ? "usageOf" : "usage", values)),
    ...numbers,
    messages.length ? el("h4", {}, t("lastMessages")) : null,
    messages.length ? scroller(t("lastMessages"), el("ol", { class: "messages", role: "list" }, messages)) : null,
    el("h4", {}, bot.stderr ? t("wroteAtLast", { bytes: bot.stderr_bytes }) : t("wroteNothing")),
    bot.stderr ? scroller(t("wroteAtLast", { bytes: bot.stderr_bytes }), el("pre", {}, bdi(bot.stderr))) : null,
  ].filter((part) => part !== null);
}
