// Why a player has lost.

import { bdi, el, isolated } from "../dom.js";
import { TERMINATIONS, seatName, span, worded } from "../parts.js";
import { translator } from "../words.js";

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
