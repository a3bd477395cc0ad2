// The lobby: the games, the open and running rooms, and the last results.

import { get, poll, session } from "../api.js";
import { boardOf, fileOf } from "../board.js";
import { el, replace } from "../dom.js";
import { badge, button, gameName, heading, link, names, options, playTitle } from "../parts.js";
import { translator } from "../words.js";
import { codes, prepared } from "./prepared.js";
import { recordTable } from "./results.js";

export const words = {
  en: {
    withCodeRoom: "Take a reserved seat: {game}, room {room}",
    reservedSeats: "{count} reserved seats: whoever has a code can take one.",
    reservedSeatsOne: "{count} reserved seat: whoever has the code can take it.",
    watchRoom: "Watch {game}, room {room}",
    recordGame: "Record a game",
    goOnGame: "Continue with {game}",
    openRooms: "Open rooms",
    runningRooms: "Running games",
    recentResults: "Recent results",
    noOpenRooms: "Nobody is waiting.",
    waitingHere: "{count} waiting",
    playedHere: "{count} running",
    noRunningRooms: "No game is running.",
    noResults: "No game has ended yet.",
    allRecords: "All records",
    watchers: "{count} spectators",
    watchersOne: "{count} spectator",
    toTv: "Show one after the other on a big screen",
  },
  de: {
    withCodeRoom: "Einen reservierten Platz nehmen: {game}, Raum {room}",
    reservedSeats: "{count} reservierte Plätze: Wer einen Code hat, kann einen nehmen.",
    reservedSeatsOne: "{count} reservierter Platz: Wer den Code hat, kann ihn nehmen.",
    watchRoom: "{game} zusehen, Raum {room}",
    recordGame: "Partie mitschreiben",
    goOnGame: "Weiter mit {game}",
    openRooms: "Offene Räume",
    runningRooms: "Laufende Partien",
    recentResults: "Letzte Ergebnisse",
    noOpenRooms: "Niemand wartet.",
    waitingHere: "{count} offen",
    playedHere: "{count} laufend",
    noRunningRooms: "Es läuft keine Partie.",
    noResults: "Noch ist keine Partie zu Ende.",
    allRecords: "Alle Aufzeichnungen",
    watchers: "{count} Zuschauer",
    watchersOne: "{count} Zuschauer",
    toTv: "Eine nach der anderen in Großansicht zeigen",
  },
};
const t = translator(words);

const EVERY = 2_000; // ms between requests for the rooms
const RESULTS = 8;

/** Returns a handler that calls a function with the dialogs for taking a seat; their module is loaded only then. */
const joining = (call) => async () => call(await import("./join.js"));

/** A section that is redrawn only if its data has changed, so that focus and selection are kept. */
function section(title, draw) {
  const body = el("div", {});
  const node = el("section", {}, el("h2", {}, title), body);
  let before = null;
  return {
    node,
    update(data) {
      const now = JSON.stringify(data);
      if (now === before) return;
      before = now;
      const focused = body.contains(document.activeElement) ? document.activeElement.dataset.key : null;
      replace(body, draw(data));
      node.classList.toggle("none", !body.querySelector("li"));
      if (focused) body.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
    },
  };
}

function gameCards(view) {
  const offered = session.games.filter((game) => game.can.some((what) => what !== "from"));
  return el(
    "ul",
    { class: "cards games" },
    offered.map((game) => {
      const can = (what) => game.can.includes(what);
      const labels = (key) => ({ "aria-label": t(key, { game: game.name }) });
      return el(
        "li",
        { class: game.icon ? "card pictured" : "card", "data-game": game.kind },
        game.icon && el("img", { src: fileOf(game.kind, "icon.svg"), alt: "", width: 96, height: 96 }),
        el("h3", {}, game.name, el("span", { class: "muted", "data-here": game.kind })),
        el(
          "div",
          { class: "buttons" },
          can("play") && button(t("play"), joining(({ play }) => play(game.kind, view)), { class: "primary", ...labels("playGame") }),
          can("play") && (game.opponents ?? [1]).length > 0 && button(t("withFriends"), joining(({ play }) => play(game.kind, view, { way: "friends" })), labels("friendsGame")),
          can("prepare") && session.admin && button(t("prepare"), joining(({ prepare }) => prepare(game.kind, view)), labels("prepareGame")),
          can("record") && link("/recorder", { class: "button" }, t("recordGame")),
        ),
      );
    }),
  );
}

/** Writes beside each game how many rooms of it wait and run. */
function count(view, waiting, played) {
  const many = (rooms, kind) => rooms.filter(({ game }) => game === kind).length;
  for (const node of view.root.querySelectorAll("[data-here]")) {
    const parts = [["waitingHere", many(waiting, node.dataset.here)], ["playedHere", many(played, node.dataset.here)]];
    node.textContent = parts.filter(([, count]) => count).map(([key, count]) => t(key, { count })).join(", ");
  }
}

function roomCard(room, view, board) {
  const game = session.games.find((one) => one.kind === room.game);
  const name = gameName(room.game);
  const path = `/rooms/${encodeURIComponent(room.id)}`;
  const facts = [
    room.moves > 0 && t("moveCount", { count: room.moves }),
    room.watchers > 0 && t("watchers", { count: room.watchers }),
  ].filter(Boolean);
  return el(
    "li",
    { class: board ? "card live" : "card", "data-room": room.id },
    head(room.game, room.state !== "waiting" && room.state, board),
    names(room.seats.length ? [...room.seats, ...Array.from({ length: room.free }, (_, n) => ({ seat: room.seats.length + n }))] : []) ?? el("p", { class: "muted" }, t("nobody")),
    facts.length > 0 && el("p", { class: "muted" }, facts.join(", ")),
    room.reserved > 0 && el("p", {}, t("reservedSeats", { count: room.reserved })),
    options(room.game, room.options),
    board,
    el(
      "div",
      { class: "buttons" },
      room.free > 0 &&
        game?.can.includes("play") &&
        button(t("play"), joining(({ playIn }) => playIn(room, view)), {
          class: "primary",
          "aria-label": playTitle(room),
          "data-key": `play-${room.id}`,
        }),
      room.reserved > 0 &&
        game?.can.includes("play") &&
        button(t("withCode"), joining(({ play }) => play(room.game, view, { code: "" })), {
          "aria-label": t("withCodeRoom", { game: name, room: room.id }),
          "data-key": `code-${room.id}`,
        }),
      (!game || game.can.includes("watch")) &&
        link(
          path,
          { class: "button", "aria-label": t("watchRoom", { game: name, room: room.id }), "data-key": `watch-${room.id}` },
          t("watch"),
        ),
    ),
  );
}

function roomCards(rooms, none, view, boards = null) {
  if (!rooms.length) return el("p", { class: "muted" }, none);
  return el("ul", { class: "cards" }, rooms.map((room) => roomCard(room, view, boards?.of(room))));
}

/** The head of a card: the game's icon, where it has no board, its name, and its room's state. */
function head(kind, state, board = null) {
  const game = session.games.find((one) => one.kind === kind);
  return el("h3", {}, !board && game?.icon && el("img", { src: fileOf(kind, "icon.svg"), alt: "", width: 32, height: 32 }), gameName(kind), " ", state && badge(state));
}

/** The games of which one has a seat. */
function seatCards(seats) {
  return el(
    "ul",
    { class: "cards" },
    seats.map(({ id, game, room }) =>
      el(
        "li",
        { class: "card" },
        head(game, room && room.state !== "playing" && room.state),
        room && names(room.seats),
        room?.moves > 0 && el("p", { class: "muted" }, t("moveCount", { count: room.moves })),
        el(
          "div",
          { class: "buttons" },
          link(
            `/seats/${encodeURIComponent(id)}`,
            { class: room?.state === "ended" ? "button" : "button primary", "aria-label": t("goOnGame", { game: gameName(game) }), "data-key": id },
            t("goOn"),
          ),
        ),
      ),
    ),
  );
}

/** Shows the lobby until the view is left. */
export async function show(view) {
  view.entitle(t("lobby"));
  const own = section(t("yourSeats"), seatCards);
  const keys = codes(view, { isNamed: true });
  const open = section(t("openRooms"), (rooms) => roomCards(rooms, t("noOpenRooms"), view));
  for (const { node } of [own, open]) node.classList.add("rows");
  let boards = null; // small boards of the running games; they come after the first look
  const running = section(t("runningRooms"), ({ rooms }) => [
    roomCards(rooms, t("noRunningRooms"), view, boards),
    el("p", {}, link("/tv", {}, t("toTv"))),
  ]);
  running.node.classList.add("running");
  const ended = section(t("recentResults"), (records) =>
    records.length
      ? [recordTable(t("recentResults"), records), el("p", {}, link("/records", {}, t("allRecords")))]
      : el("p", { class: "muted" }, t("noResults")),
  );
  const recent = `/records?limit=${RESULTS}`;
  const worded = new Set(); // the games whose boards were asked for
  let known = null;
  let [waiting, played] = [[], []];

  async function look() {
    const first = known === null ? get(recent, view.signal) : null;
    // If the page is left before it is awaited, its error would be unhandled. The other two requests report the abort.
    first?.catch(() => undefined);
    const [{ rooms }, { seats }] = await Promise.all([list("rooms"), list("seats")]);
    const live = seats.filter((seat) => seat.isLive !== false);
    own.node.hidden = live.length === 0;
    own.update(live.map(({ id, game, room }) => ({ id, game, room: rooms.find((one) => one.id === room) ?? null })));
    // The boards bring the words for the options. Without them, options are shown as in the API.
    const unknown = new Set(rooms.map(({ game }) => game).filter((game) => !worded.has(game)));
    await Promise.all([...unknown].map((game) => boardOf(game).catch(() => null)));
    unknown.forEach((game) => worded.add(game));
    // A prepared room that will begin paused is waiting, too.
    const waits = (room) => room.state === "waiting" || room.free + room.reserved > 0;
    waiting = rooms.filter(waits);
    open.update(waiting);
    // Only rooms with reserved seats can be prepared by this browser.
    const made = rooms.some((room) => room.reserved) ? await prepared(view.signal) : [];
    keys.update(made.filter(({ seats }) => seats.some((seat) => !seat.isUsed)));
    played = rooms.filter((room) => !waits(room) && (room.state === "playing" || room.state === "paused"));
    if (known !== null && played.length) boards ??= (await import("./mini.js")).miniatures(view);
    boards?.look(played);
    running.update({ rooms: played, hasBoards: boards !== null });
    count(view, waiting, played);
    // The results change only if a room has closed or got a record.
    const now = JSON.stringify(rooms.map((room) => [room.id, room.state, room.record]));
    if (now === known) return;
    const found = await (first ?? get(recent, view.signal));
    ended.update(found.records);
    known = now;
  }

  /** Gets a list, which is an array or an object that contains it. */
  async function list(name) {
    const answer = await get(`/${name}`, view.signal);
    return Array.isArray(answer) ? { [name]: answer } : answer;
  }

  await look();
  replace(
    view.root,
    el("div", { class: "unseen" }, heading(t("lobby"))),
    own.node,
    keys.node,
    open.node,
    el("section", {}, el("h2", {}, t("games")), gameCards(view)),
    running.node,
    ended.node,
  );
  count(view, waiting, played);
  setTimeout(() => poll(look, EVERY, view.signal), EVERY);
  const code = location.hash.slice(1);
  if (view.query.has("play") && code) {
    // This is a link to take a seat. Its code must not stay in the browser's history.
    history.replaceState(null, "", "/");
    await joining(({ play }) => play(view.query.get("play"), view, { code }))();
  }
}
