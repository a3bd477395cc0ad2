// The codes of the rooms that this browser has prepared, for players and for programs.

import { get } from "../api.js";
import { bdi, el, replace } from "../dom.js";
import { button, chip, gameName, link, terms } from "../parts.js";
import { translator } from "../words.js";

export const words = {
  en: {
    yourCodes: "Codes of the seats you have reserved",
    preparedHelp: "Each code takes one seat, once. Only this browser shows them: give each to the player who is to have the seat.",
    onlyHere: "This page was opened as {host}, so the links work only on this computer. To share them, open the page by the server's name.",
    copy: "Copy",
    codeUsed: "used",
    seatLink: "Link to take the seat",
    qr: "QR code of the link",
    qrOf: "QR code of the link to take the seat: {who}",
    forProgram: "For a program",
    forProgramHelp: "A bot of gamed takes the seat with this command:",
    forOwnHelp: "Your own client needs:",
    command: "Command",
    selected: "Selected. Copy it with the keyboard.",
  },
  de: {
    yourCodes: "Codes der Plätze, die du reserviert hast",
    preparedHelp: "Jeder Code gilt für einen Platz, einmal. Nur dieser Browser zeigt sie: Gib jeden dem Spieler, der den Platz bekommen soll.",
    onlyHere: "Diese Seite ist als {host} geöffnet: Die Links gehen nur auf diesem Rechner. Öffne sie unter dem Namen des Servers, um sie weiterzugeben.",
    copy: "Kopieren",
    codeUsed: "verbraucht",
    seatLink: "Link zu diesem Platz",
    qr: "QR-Code des Links",
    qrOf: "QR-Code des Links zum Platz: {who}",
    forProgram: "Für ein Programm",
    forProgramHelp: "Ein Bot von gamed nimmt den Platz mit diesem Befehl:",
    forOwnHelp: "Dein eigenes Programm braucht:",
    command: "Befehl",
    selected: "Ausgewählt. Kopiere es mit der Tastatur.",
  },
};
const t = translator(words);

const HERE = /^(localhost|127\..*|\[::1\])$/; // host names that mean this computer on every computer

/** The prepared rooms of this browser: [{room, game, port, tls, seats: [{seat, name, code, link, isUsed}]}]. */
export const prepared = (signal) => get("/prepared", signal);

/** Copies a text, and returns a message. `navigator.clipboard` would work only with HTTPS and on localhost. */
function copy(node) {
  getSelection().selectAllChildren(node);
  return t(document.execCommand("copy") ? "copied" : "selected");
}

/** A text with a button that copies it. `whose` is added to the button's accessible name. */
export function copied(text, whose, view) {
  const code = el("code", {}, bdi(text));
  const does = () => {
    const said = copy(code);
    replace(copies, said);
    copies.setAttribute("aria-label", `${said} ${whose}`);
    view.announce(said);
  };
  const copies = button(t("copy"), does, { "aria-label": `${t("copy")}: ${whose}` });
  return el("div", { class: "copied" }, code, copies);
}

/** A warning if links to this page would lead others to their own computers. */
export function onlyHere() {
  return HERE.test(location.hostname) && el("p", { class: "muted" }, t("onlyHere", { host: location.hostname }));
}

const host = () => location.hostname.replace(/^\[|\]$/g, ""); // the brackets of an IPv6 address belong to the URL

function command(made, code) {
  return `gamed bot ${made.game} --host ${host()} --port ${made.port} --reservation ${code}${made.tls ? " --tls" : ""}`;
}

/** The instructions for a program. */
function forProgram(made, one, who, view) {
  return el(
    "details",
    {},
    el("summary", { "aria-label": `${t("forProgram")}: ${who}` }, t("forProgram")),
    el("p", {}, t("forProgramHelp")),
    copied(command(made, one.code), `${t("command")}, ${who}`, view),
    el("p", {}, t("forOwnHelp")),
    terms([[t("host"), host()], [t("port"), made.port], [t("code"), one.code]]),
  );
}

function picture(made, one, who) {
  const scheme = location.protocol.slice(0, -1);
  const src = `/api/v1/prepared/${encodeURIComponent(made.room)}/${one.seat}/qr?scheme=${scheme}`;
  return el(
    "details",
    {},
    el("summary", { "aria-label": `${t("qr")}: ${who}` }, t("qr")),
    el("img", { src, alt: t("qrOf", { who }), class: "qr", loading: "lazy" }),
  );
}

function item(made, one, view) {
  const who = one.name || t("seat", { n: one.seat + 1 });
  const head = el("strong", {}, chip(one.seat), " ", bdi(who));
  if (one.isUsed) return el("li", {}, head, " ", el("span", { class: "badge" }, t("codeUsed")), el("code", {}, el("s", {}, bdi(one.code))));
  return el(
    "li",
    {},
    head,
    button(t("sitDown"), () => sitDown(made.game, view, one.code), { "aria-label": `${t("sitDown")}: ${who}` }),
    copied(one.code, `${t("code")}, ${who}`, view),
    copied(location.origin + one.link, `${t("seatLink")}, ${who}`, view),
    picture(made, one, who),
    made.port !== null && forProgram(made, one, who, view),
  );
}

/** Opens the dialog for taking a seat. Its module is loaded only now, because most rooms are only watched. */
async function sitDown(game, view, code) {
  const { play } = await import("./join.js");
  await play(game, view, { code });
}

/** A section with the codes: {node, update(rooms)}. Items that have not changed are not redrawn, so details stay open. */
export function codes(view, { isNamed = false } = {}) {
  const body = el("div", {});
  const node = el("section", { class: "prepared", hidden: true }, el("h2", {}, t("yourCodes")), el("p", {}, t("preparedHelp")), onlyHere(), body);
  const drawn = new Map(); // by code: [what it was drawn from, its node]
  const title = (made) => isNamed && el("h3", {}, link(`/rooms/${encodeURIComponent(made.room)}`, {}, gameName(made.game)));
  const seat = (made, one) => {
    const now = JSON.stringify([made.port, one]);
    if (drawn.get(one.code)?.[0] !== now) drawn.set(one.code, [now, item(made, one, view)]);
    return drawn.get(one.code)[1];
  };
  let before = null;
  return {
    node,
    update(rooms) {
      const now = JSON.stringify(rooms);
      if (now === before) return;
      before = now;
      node.hidden = rooms.length === 0;
      const focused = body.contains(document.activeElement) ? document.activeElement : null;
      replace(body, rooms.map((made) => [title(made), el("ul", { class: "codes" }, made.seats.map((one) => seat(made, one)))]).flat());
      focused?.focus();
    },
  };
}
