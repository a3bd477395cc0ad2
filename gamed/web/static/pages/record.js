// The replay of a record: positions by slider, keys or list, variations as a tree, downloads, and a new room from here.

import { gameOf, get, key, post, session } from "../api.js";
import { frame, moveList, players, stage } from "../board.js";
import { bdi, el, isolated, replace } from "../dom.js";
import { button, calledOn, chip, choice, complaint, gameName, heading, lead, link, matchTitle, names, options, result, sided, when, worded } from "../parts.js";
import { translator } from "../words.js";
import { copyable } from "./copyable.js";
import { findings, refusals } from "./notes.js";
import { label, sign } from "./signs.js";
import { steerByKeys } from "./steer.js";
import { causes, departure } from "./why.js";

export const words = {
  en: {
    position: "Position",
    speed: "Speed",
    jump: "Go to move",
    notPlayed: "gamed keeps this record as it is. It does not play {format}: there are no boards and no moves.",
    perSecond: "{n} per second",
    goOnRecording: "Go on in the recorder",
    linkHere: "Copy the link to this position",
  },
  de: {
    position: "Stellung",
    speed: "Tempo",
    jump: "Gehe zu Zug",
    notPlayed: "gamed bewahrt diese Aufzeichnung auf, wie sie ist. {format} spielt es nicht: Es gibt keine Bretter und keine Züge.",
    perSecond: "{n} pro Sekunde",
    goOnRecording: "Weiter mitschreiben",
    linkHere: "Link zu dieser Stellung kopieren",
  },
};
const t = translator(words);

const CHUNK = 64; // positions in one request
const SPEEDS = [0.5, 1, 2, 5, 10];
const FORMATS = { xml: "XML", replay: "Replay" };
const SETTLED = 300; // ms without a step after which the address is set to the position

/** The line of moves that is shown, and its positions, which are requested in chunks. */
class Line {
  constructor(path, moves, node) {
    this.path = path;
    this.moves = moves;
    this.node = node;
    this.chunks = new Map();
  }

  /** The position after so many moves. */
  async at(n, signal) {
    const chunk = Math.floor(n / CHUNK);
    if (!this.chunks.has(chunk)) {
      const [from, to] = [chunk * CHUNK, Math.min(chunk * CHUNK + CHUNK - 1, this.moves.length)];
      const through = this.node ? `&node=${this.node}` : "";
      const asked = get(`${this.path}/positions?from=${from}&to=${to}${through}`, signal);
      this.chunks.set(chunk, asked);
      asked.catch(() => this.chunks.delete(chunk));
    }
    const found = await this.chunks.get(chunk);
    return found[n - chunk * CHUNK];
  }
}

/** What is noted at each place among a record's moves, as sentences by how many moves were made: a Map. */
function noted(record) {
  const found = new Map();
  // A finding and a refusal may say the same: once is enough.
  const note = (n, one, text) => {
    const said = `${isolated(one.name || t("seat", { n: one.seat + 1 }))}: ${text}`;
    found.set(n, [...new Set([...(found.get(n) ?? []), said])]);
  };
  for (const one of record.findings) note(one.move, one, worded("refused", one.code, one.text));
  for (const one of record.refusals) {
    const places = new Set(one.messages.map((message) => message.move));
    for (const n of places) note(n, one, worded("refused", one.code, one.reason));
  }
  for (const one of record.departures) note(one.move, one, departure(one));
  return found;
}

/** Shows a record until the view is left. */
export async function show(view) {
  const record = await get(`/records/${encodeURIComponent(view.id)}`, view.signal);
  const path = `/records/${encodeURIComponent(record.id)}`;
  const game = gameOf(record.game ?? "");
  const title = record.game ? gameName(record.game) : record.publisher;
  const nodes = record.tree?.nodes ?? null;
  const trees = nodes && (await import("../tree.js"));
  const seats = sided(record.game, record.seats).map((one) => ({ ...one, connected: true }));
  const main = new Line(path, record.moves, 0);
  const hasBoard = record.boards !== false;
  const board = hasBoard ? await stage(record.game, "replay", view) : null;
  const trouble = complaint();
  const isBig = view.query.has("screen");
  let line = main;
  let n = 0;
  let timer = 0;

  const people = players({ ...view, board, started: record.started });
  const notes = noted(record);
  const brief = (move) => board?.brief(move, line.moves);
  const list = moveList((to) => jump(to), { notes, brief });
  const variations = nodes && nodes.length > record.moves.length ? trees.tree(t("variations"), { say, select }) : null;
  const comment = el("p", { class: "comment", hidden: true });
  const note = el("ul", { class: "notes warn", hidden: true });

  function scene(position) {
    const isEnd = line === main && n === main.moves.length;
    const board = position?.board ?? null;
    return {
      board: board && nodes ? { ...board, marks: trees.letters(nodes, here()?.node ?? 0) } : board,
      phase: position?.phase ?? "play",
      moves: line.moves.slice(0, n),
      seats,
      options: record.options ?? {},
      outcome: isEnd ? record.outcome : null,
      last: n > 0 ? (position?.last ?? line.moves[n - 1]) : null,
      turn: position?.turn ?? [],
      isLive: false,
    };
  }

  function say(move) {
    return board ? board.describe(move, scene(null), line.moves) : move.text;
  }

  // Where we are

  let asked = 0;
  async function jump(to, isAnimated = false) {
    n = Math.min(Math.max(to, 0), line.moves.length);
    const mine = ++asked;
    controls.update();
    try {
      const position = hasBoard ? await line.at(n, view.signal) : null;
      if (mine !== asked) return;
      trouble.clear();
      const shown = scene(position);
      board?.update(shown, isAnimated, Number(controls.speed.value));
      if (!isBig) people.update(shown, shown.moves);
    } catch (error) {
      if (view.signal.aborted) return;
      stop();
      trouble.say(error);
    }
  }

  function enter(id) {
    const isMain = id === 0 || main.moves.some((move) => move.node === id);
    if (isMain) {
      if (line !== main) list.set(main.moves, say);
      line = main;
    } else if (!line.moves.some((move) => move.node === id)) {
      const moves = trees.lineThrough(nodes, id).map((one) => ({ ...one, node: one.id, at: null, took: null }));
      line = new Line(path, moves, id);
      list.set(moves, say);
    }
    return id === 0 ? 0 : line.moves.findIndex((move) => move.node === id) + 1;
  }

  function select(id) {
    stop();
    jump(enter(id));
  }

  function here() {
    return n > 0 ? line.moves[n - 1] : null;
  }

  function address() {
    const query = new URLSearchParams({ ...(isBig && { screen: "" }), move: String(n) });
    if (line !== main && here()?.node) query.set("node", here().node);
    return `${location.pathname}?${query}`;
  }

  // Playing

  function stop() {
    clearTimeout(timer);
    timer = 0;
    controls.update();
  }

  function step() {
    const mine = setTimeout(
      async () => {
        await jump(n + 1, true);
        // Wait for the board's animation before the next move.
        if (timer === mine) await board?.rest();
        if (timer !== mine) return;
        if (n < line.moves.length) step();
        else stop();
      },
      1_000 / Number(controls.speed.value),
    );
    timer = mine;
  }

  function toggle() {
    if (timer) return stop();
    step();
    if (n === line.moves.length) jump(0);
    return controls.update();
  }

  function move(to) {
    stop();
    return jump(to, Math.abs(to - n) === 1);
  }

  // A game that people wrote down has no graphs.
  const module = record.tree ? null : await import("./graphs.js");
  const curves = module?.graphs(record, path, { seats, board, jump: (to) => move(to), signal: view.signal, trouble });
  const privately = el("div", { class: "privately" });

  /** Marks the messages of the programs that belong to the move, and scrolls to them. */
  function markMessages() {
    const [from, to] = line === main ? [line.moves[n - 2]?.at ?? -1, here()?.at ?? -1] : [0, 0];
    for (const list of privately.querySelectorAll(".messages")) {
      for (const one of list.children) one.classList.toggle("here", Number(one.dataset.at) > from && Number(one.dataset.at) <= to);
      const [first, box] = [list.querySelector(".here"), list.parentNode];
      if (first) box.scrollTop = first.offsetTop - list.offsetTop;
    }
  }

  let settling = 0;
  const controls = steering({
    length: () => line.moves.length,
    move: (to) => move(to),
    by: (steps) => move(n + steps),
    toggle,
    isPlaying: () => timer !== 0,
    n: () => n,
    marks: [...notes.keys()],
    changed() {
      list.mark(n);
      curves?.mark(n);
      markMessages();
      variations?.update(nodes, here()?.node ?? 0);
      const text = n === 0 ? record.tree?.comment : here()?.comment;
      comment.hidden = !text;
      replace(comment, text ? bdi(text) : "");
      const said = line === main ? (notes.get(n) ?? []) : [];
      note.hidden = !said.length;
      replace(note, said.map((text) => el("li", {}, bdi(text))));
      // The result is in the title.
      view.root.classList.toggle("at-end", n === line.moves.length && line === main && !isBig);
      verdict.hidden = isBig && n < line.moves.length;
      start.hidden = line !== main;
      permalink.href = address();
      clearTimeout(settling);
      settling = setTimeout(() => !view.signal.aborted && history.replaceState(null, "", address()), SETTLED);
    },
    say: () => (n === 0 ? t("start") : say(here())),
  });
  view.signal.addEventListener("abort", () => {
    clearTimeout(timer);
    clearTimeout(settling);
  });

  // The page

  const permalink = copyable(address(), t("linkHere"), view.announce);
  const canStart = game.can.includes("from") && hasBoard;
  const start = canStart ? button(t("startHere"), fork, { title: t("startHereHelp") }) : el("span", { hidden: true });
  async function fork() {
    stop();
    try {
      const { goOnFrom } = await import("./from_here.js");
      await goOnFrom(record.game, record.seats, { record: record.id, move: n }, view);
    } catch (error) {
      if (!view.signal.aborted) trouble.say(error);
    }
  }

  async function goOn() {
    try {
      const { id } = await post("/recordings", { record: record.id }, view.signal);
      view.go(`/recorder/${encodeURIComponent(id)}`);
    } catch (error) {
      if (!view.signal.aborted) trouble.say(error);
    }
  }

  const found = findings((to) => move(to), () => record.length);
  found.update(record.findings);
  const refused = refusals((to) => move(to));
  refused.update(record);
  async function showPrograms() {
    try {
      const { programs } = await import("./evidence.js");
      replace(privately, ...(await programs(record, path, seats, view.signal)));
      markMessages();
    } catch (error) {
      if (!view.signal.aborted) trouble.say(error);
    }
  }
  if (!record.tree && (key() || session.admin)) showPrograms();
  view.entitle(matchTitle(title, record.seats, record.started));
  const winner = record.outcome?.winner ?? null;
  const verdict = el("span", { class: "ending" }, winner === null ? null : [chip(winner), " "], ...(record.outcome ? result(record.outcome, seats, lead(record.game, seats.map((one) => one.points))) : [t("noneUnknown")]));
  const leave = link(location.pathname, { class: "button" }, t("leaveBigScreen"));
  if (isBig) replace(view.root, el("h1", { class: "unseen" }, title), el("p", { class: "versus" }, seats.map((one) => el("span", {}, chip(one.seat), calledOn(one)))), verdict, board?.node, el("div", { class: "buttons corner" }, leave));
  else replace(
    view.root,
    frame(
      [heading(title), record.started && el("span", { class: "muted" }, when(record.started)), verdict],
      board?.node ?? el("p", { class: "muted" }, t(record.content ? "notPlayed" : "noBoard", { format: `${record.publisher} ${record.version}` })),
      [
        trouble.node,
        ...causes(record, seats),
        hasBoard ? people.node : names(seats),
        hasBoard && controls.node,
        ...(record.content ? (await import("./outline.js")).outline(record) : [el("h2", { class: "unseen" }, t("moves")), list.node]),
        comment,
        note,
        curves?.node,
        el("div", { class: "buttons" }, permalink, start, record.tree && button(t("goOnRecording"), goOn), downloads(record, path)),
        found.node,
        refused.node,
        privately,
        facts(record),
        options(record.game, record.options),
      ],
      variations?.node,
    ),
  );
  list.set(main.moves, say);
  if (hasBoard) steerByKeys(view, { by: (steps) => move(n + steps), move, end: () => move(line.moves.length), toggle });
  const node = Number(view.query.get("node"));
  const wanted = Number(view.query.get("move") ?? main.moves.length);
  await jump(nodes && node && nodes.some((one) => one.id === node) ? enter(node) : Number.isFinite(wanted) ? Math.trunc(wanted) : 0);
}

/** The slider and its buttons. */
function steering(on) {
  const ticks = el("datalist", { id: "ticks" }, on.marks.map((n) => el("option", { value: n })));
  const slider = el("input", { type: "range", min: 0, step: 1, list: "ticks", "aria-label": t("position"), oninput: (event) => on.move(Number(event.target.value)) });
  const first = sign("first", () => on.move(0));
  const back = sign("back", () => on.by(-1));
  const plays = sign("play", on.toggle);
  const forth = sign("forth", () => on.by(1));
  const last = sign("last", () => on.move(on.length()));
  const speed = choice(
    SPEEDS.map((n) => [n, t("perSecond", { n })]),
    1,
    { "aria-label": t("speed") },
  );
  const number = el("input", { type: "number", min: 0, name: "move", class: "short", "aria-label": t("jump") });
  const where = el("span", { class: "muted" });
  const jumps = (event) => {
    event.preventDefault();
    on.move(Math.trunc(Number(number.value) || 0));
  };
  const node = el(
    "div",
    { class: "steering", role: "group", "aria-label": t("replay") },
    slider,
    ticks,
    el(
      "div",
      { class: "buttons" },
      first,
      back,
      plays,
      forth,
      last,
      speed,
      el("form", { class: "jump", onsubmit: jumps }, number, where),
    ),
  );
  return {
    node,
    speed,
    update() {
      const [n, length] = [on.n(), on.length()];
      slider.max = number.max = length;
      slider.value = n;
      if (document.activeElement !== number) number.value = n;
      slider.setAttribute("aria-valuetext", `${t("moveOf", { n, length })}: ${on.say()}`);
      where.textContent = `/ ${length}`;
      first.disabled = back.disabled = n === 0;
      forth.disabled = last.disabled = n === length;
      plays.disabled = length === 0;
      label(plays, on.isPlaying() ? "stop" : "play");
      on.changed();
    },
  };
}

function downloads(record, path) {
  const names = { ...FORMATS, ...gameOf(record.game ?? "").formats };
  return record.formats.map((format) =>
    link(
      `/api/v1${path}/file?format=${encodeURIComponent(format)}`,
      { class: "button", download: "", "aria-label": `${t("download")}: ${names[format] ?? format}` },
      `${names[format] ?? format} ↓`,
    ),
  );
}

function facts(record) {
  const given = Object.values(record.facts ?? {}).filter(Boolean);
  return given.length ? el("ul", { class: "facts" }, given.map((text) => el("li", {}, bdi(text)))) : null;
}
