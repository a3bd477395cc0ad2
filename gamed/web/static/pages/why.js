// Why a program has lost, and, for whoever has its key, what it wrote and used.

import { evidence, key, session } from "../api.js";
import { bdi, el, isolated, svg } from "../dom.js";
import { TERMINATIONS, chip, seatName, span, worded } from "../parts.js";
import { language, translator } from "../words.js";

export const words = {
  en: {
    neverConnected: "it never connected",
    notStarted: "its program cannot be started: {why}",
    stillRan: "its program had not ended",
    exitedWith: "its program ended with exit status {status}, after {cpu} of CPU, with at most {memory} MB",
    killedBy: "its program was ended by signal {status}, after {cpu} of CPU, with at most {memory} MB",
    ranOut: "{limit} were allowed, {taken} were taken, of which {gap} do not count",
    lost_illegal: "{name} has lost because of a move that the rules do not allow",
    lost_time: "{name} has lost because it took too long for a move",
    lost_crashed: "{name} has lost because its program crashed",
    lost_cpu: "{name} has lost because its program has used up its processor time",
    "lost_never-connected": "{name} has lost because its program never connected to the game",
    lost_left: "{name} has lost because it closed the connection before the game was over",
    lost_protocol: "{name} has lost because it sent what is no message of the protocol",
    "lost_not-reading": "{name} has lost because it did not read what was sent to it",
    lost_resigned: "{name} has lost because it said goodbye before the game was over",
    lost_idle: "{name} has lost because nothing was heard of it for too long",
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
    numberSeries: "{name}: from {least} to {most}, at last {last}",
    playAgain: "Play this game again:",
  },
  de: {
    neverConnected: "es hat sich nie verbunden",
    notStarted: "sein Programm lässt sich nicht starten: {why}",
    stillRan: "sein Programm lief noch",
    exitedWith: "sein Programm endete mit Exit-Status {status}, nach {cpu} Rechenzeit, mit höchstens {memory} MB",
    killedBy: "sein Programm wurde durch Signal {status} beendet, nach {cpu} Rechenzeit, mit höchstens {memory} MB",
    ranOut: "erlaubt waren {limit}, gebraucht {taken}, davon zählen {gap} nicht",
    lost_illegal: "{name} hat verloren, weil ein Zug gegen die Regeln war",
    lost_time: "{name} hat verloren, weil ein Zug zu lange dauerte",
    lost_crashed: "{name} hat verloren, weil das Programm abgestürzt ist",
    lost_cpu: "{name} hat verloren, weil das Programm seine Rechenzeit verbraucht hat",
    "lost_never-connected": "{name} hat verloren, weil das Programm sich nie mit dem Spiel verbunden hat",
    lost_left: "{name} hat verloren, weil die Verbindung vor dem Ende der Partie geschlossen wurde",
    lost_protocol: "{name} hat verloren, weil etwas gesendet wurde, das keine Nachricht des Protokolls ist",
    "lost_not-reading": "{name} hat verloren, weil nicht gelesen wurde, was gesendet wurde",
    lost_resigned: "{name} hat durch Abmelden vor dem Ende der Partie verloren",
    lost_idle: "{name} hat verloren, weil zu lange nichts kam",
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
    numberSeries: "{name}: von {least} bis {most}, zuletzt {last}",
    playAgain: "Diese Partie noch einmal spielen:",
  },
};
const t = translator(words);

/** Why players have lost who were not just beaten, a sentence for each. */
export function causes(record, seats) {
  return record.losses.filter(({ cause }) => cause !== "beaten").map(({ seat, cause }) => {
    const found = record.findings.filter((one) => one.seat === seat).map((one) => worded("refused", one.code, one.text).replace(/\.$/, ""));
    const left = record.departures.filter((one) => one.seat === seat).flatMap(detailed);
    const details = [...found.slice(-1), ...left];
    const said = t(`lost_${cause}`, { name: isolated(seatName(seats, seat)) });
    return el("p", {}, bdi(details.length ? `${said}: ${details.join("; ")}.` : `${said}.`));
  });
}

/** Why a player left before the end, in words. */
export function departure(left) {
  const words = t(`any${TERMINATIONS[left.why] ?? "Left"}`);
  const details = detailed(left);
  return details.length ? `${words} (${details.join("; ")})` : words;
}

function detailed({ limit, taken, gap, program }) {
  const late = limit === undefined ? [] : [t("ranOut", { limit: span(limit), taken: span(taken), gap: `${gap} ms` })];
  return [...late, ...(program ? fate(program) : [])];
}

/** What became of a player's program, in words. */
function fate({ status, cpu, memory, running, failed, seated }) {
  const never = seated === false ? [t("neverConnected")] : [];
  if (failed) return [...never, t("notStarted", { why: failed })];
  if (running) return [...never, t("stillRan")];
  if (status === undefined) return never;
  const numbers = { status: Math.abs(status), cpu: span(cpu ?? 0), memory: Math.round((memory ?? 0) / 1000) };
  return [...never, t(status < 0 ? "killedBy" : "exitedWith", numbers)];
}

const HEIGHT = 48;
const STEP = 4;

/** A bar for each value, from a line at 0. */
function graph(label, values) {
  const [least, most] = [Math.min(0, ...values), Math.max(...values, 0)];
  const scale = HEIGHT / (most - least || 1);
  const y = (value) => (most - value) * scale;
  const width = values.length * STEP;
  const bars = values.map((value, i) => {
    const height = Math.max(Math.abs(value) * scale, 0.5);
    return svg("rect", { x: i * STEP, y: value < 0 ? y(0) : y(0) - height, width: STEP - 1, height });
  });
  const box = { viewBox: `0 -1 ${width} ${HEIGHT + 2}`, preserveAspectRatio: "none", class: "graph", role: "img", "aria-label": label };
  return svg("svg", box, ...bars);
}

/** What is known of the programs, as far as the viewer may see it. Throws a Refusal. */
export async function programs(record, path, seats, signal) {
  if (record.tree || !(key() || session.admin)) return [];
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
    const label = t("numberSeries", { name: isolated(name), least: Math.min(...told), most: Math.max(...told), last: told.at(-1) });
    return el("figure", { class: "told" }, el("figcaption", {}, bdi(label)), graph(label, told));
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
