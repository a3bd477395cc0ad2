// The parts of all pages with a board: the stage for the game's module, the list of moves, the players and their clocks.

import { code, link as line, serverNow } from "./api.js";
import { bdi, el, isolated, mayMove, replace } from "./dom.js";
import { button, calledOn, chip, clock, link, result, seatName, sidesClass, span } from "./parts.js";
import { gameWords, learn, learnWords, t } from "./words.js";

const SHOWN = 5_000; // ms for which the page shows that a player is back
const MANY = 3; // up to this many new moves are announced one by one; of more, only the last

/** The address of a game's file. It is relative to this module, so it has the same version of the files. */
export function fileOf(kind, name) {
  return new URL(`./games/${kind}/${name}`, import.meta.url).pathname;
}

const sheets = new Map(); // by game, when its style sheet is there

function styled(kind) {
  if (sheets.has(kind)) return sheets.get(kind);
  const sheet = el("link", { rel: "stylesheet", href: fileOf(kind, "board.css") });
  const ready = new Promise((resolve) => {
    sheet.onload = resolve;
    sheet.onerror = resolve;
  });
  sheets.set(kind, ready);
  document.head.append(sheet);
  return ready;
}

/** Loads the module of a game's board, with its texts; null if there is none. */
export async function boardOf(kind) {
  if (!/^[a-z][a-z0-9-]*$/.test(kind)) return null;
  const module = await code(fileOf(kind, "board.js"));
  learn(module?.codes);
  learnWords(kind, module?.words);
  return module;
}

/**
 * Makes a game's board: {node, update(scene, animate, pace), rest(), settled(call), describe(move, scene, moves),
 * brief(move, moves), lines, t}.
 *
 * `lines`: by seat, the nodes for the players' names and clocks that the board has put in place with `player(seat)`.
 * `pace`: by how much the animation is faster than usual.
 * `act(action)` is called when the player does something; `keys` gets lines on the board's keys.
 *
 * @param {string} kind
 * @param {BoardContext["mode"]} mode
 * @param {{act?: BoardContext["act"], announce: BoardContext["announce"], keys?: string[], root: HTMLElement, signal: AbortSignal}} page
 */
export async function stage(kind, mode, { act, announce, keys, root: page, signal }) {
  const [module] = await Promise.all([boardOf(kind), styled(kind)]);
  page.classList.add(`of-${kind}`, ...[sidesClass(kind)].filter(Boolean));
  const own = gameWords(kind);
  if (mode === "play" && own.has("keys")) keys?.push(...own("keys").split("\n"));
  const root = el("div", { class: "board", "data-kind": kind });
  const status = el("p", { class: "status", id: "board-status" });
  const node = el("section", { class: "stage", "aria-label": t("board") }, status, root);
  let isAnimated = false;
  let pace = 1;
  const lines = new Map();
  const context = {
    t: own,
    player(seat) {
      if (!lines.has(seat)) lines.set(seat, el("span", { class: "player", "data-player": seat }));
      return lines.get(seat);
    },
    mode,
    act: act ?? (() => Promise.resolve()),
    announce,
    get animate() {
      return isAnimated && mayMove();
    },
    get pace() {
      return pace;
    },
    setStatus: (text) => replace(status, text),
  };
  const board = module?.create(root, context);
  if (!board) replace(root, el("p", { class: "muted" }, t("noBoard")));
  signal.addEventListener("abort", () => board?.destroy());
  return {
    node,
    lines,
    t: own,
    update(scene, animate = false, speed = 1) {
      isAnimated = animate;
      pace = speed;
      root.dataset.phase = scene.phase ?? "";
      board?.update({ ...scene, seats: scene.seats ?? [] });
    },
    /** Waits until the animation has ended on a board that shows a move in steps. */
    rest: () => board?.rest?.() ?? Promise.resolve(),
    /** Calls a function when the board shows the newest scene: the page must not show a result before the board does. */
    settled(call) {
      if (board?.isMoving?.()) board.rest().then(() => signal.aborted || call());
      else call();
    },
    /** One sentence for a move; `moves`: all of the game. */
    describe: (move, scene, moves) => describe(module, move, { ...scene, seats: isolatedNames(scene) }, own, moves),
    /** A move in the notation of players; null if the game has none for it. `moves`: all of the game. */
    brief: (move, moves) => module?.brief?.(move, own, moves) ?? null,
  };
}

/** A page's layout: the title's line, the board, a column at its side, and what is below. */
export function frame(title, board, aside, below = null) {
  return [
    el("div", { class: "title" }, title),
    el("div", { class: below ? "table deep" : "table" }, board, el("aside", {}, aside), below && el("div", { class: "below" }, below)),
  ];
}

function isolatedNames(scene) {
  return (scene.seats ?? []).map((one) => (one.name ? { ...one, name: isolated(one.name) } : one));
}

function describe(module, move, scene, own, moves) {
  try {
    if (module) return module.describe(move, scene, own, moves);
  } catch (error) {
    console.warn("a move without description:", error);
  }
  return `${seatName(scene.seats ?? [], move.seat)}: ${move.text}`;
}

/**
 * Collects the moves of a game from its events. `take(event)` returns {added, changed, isReset, isGap}.
 *
 * `changed`: known moves of which more was revealed.
 * Moves are numbered from 1. So events may overlap, and a missing event is noticed: with `isGap`, the resource must be
 * requested.
 */
export class MoveLog {
  /** @type {Move[]} */
  moves = [];

  take({ scene, moves = [], reset = false }) {
    const isAnother = moves[0]?.n === 1 || (scene.last === null && !scene.outcome);
    if (reset || scene.reset || (isAnother && this.moves.length)) {
      if (!reset && !scene.reset && moves.length >= this.moves.length && moves[0]?.text === this.moves[0]?.text) {
        return this.#append(moves);
      }
      const isSame = moves.length >= this.moves.length && this.moves.every((move, n) => move.text === moves[n].text);
      const added = isSame ? moves.slice(this.moves.length) : [];
      this.moves = [...moves];
      return { added, changed: isSame ? this.moves.filter((move) => move.cards) : [], isReset: !isSame, isGap: false };
    }
    return this.#append(moves);
  }

  /** Those of the given moves that have not been replaced since. */
  still(moves) {
    return moves.filter((move) => this.moves[move.n - 1] === move);
  }

  #append(moves) {
    const added = moves.filter((move) => move.n > this.moves.length);
    if (added.length && added[0].n !== this.moves.length + 1) return { added: [], changed: [], isReset: false, isGap: true };
    const changed = moves.filter((move) => move.n <= this.moves.length && move.cards);
    for (const move of changed) this.moves[move.n - 1] = move;
    this.moves.push(...added);
    return { added, changed, isReset: false, isGap: false };
  }
}

/** Announces new moves to screen readers. */
export function tell(announce, added, say) {
  if (added.length > MANY) announce(t("newMoves", { count: added.length, last: say(added.at(-1)) }));
  else for (const move of added) announce(say(move));
}

/**
 * The list of moves: {node, set(moves, say), add(moves, say), change(moves, say), mark(n)}. With `jump(n)`, each move is
 * a button that calls it. `notes`, sentences by the numbers of moves, mark these. A move with a notation, which
 * `brief(move)` returns, is shown by that alone, two in a row; its time is in its title.
 *
 * @param {((n: number) => void) | null} jump
 * @param {{notes?: Map<number, string[]>, brief?: (move: Move) => string | null}} more
 */
export function moveList(jump, { notes = new Map(), brief = () => null } = {}) {
  const list = el("ol", { class: "moves", role: "list" });
  const none = el("p", { class: "muted" }, t("noMoves"));
  const box = el("div", { class: "scroller tall", role: "region", "aria-label": t("moves"), tabindex: 0 }, none, list);
  let marked = null;
  let signs = 0; // lines that are only the answers to others: where one cannot jump to a line, they do not count

  function line(move, say) {
    const [short, sentence] = [brief(move), say(move)];
    const shown = short ? [el("bdi", { "aria-hidden": "true" }, short), el("span", { class: "unseen" }, sentence)] : [bdi(sentence)];
    const isSign = short?.length === 1;
    if (isSign && !jump) signs += 1;
    const text = [el("span", { class: "n" }, `${move.n - signs}.`), " ", chip(move.seat), " ", ...shown];
    list.classList.toggle("paired", list.classList.contains("paired") || Boolean(short));
    const time = short || move.took === null || move.took === undefined ? null : el("span", { class: "took" }, span(move.took));
    const said = notes.get(move.n)?.join(" ");
    if (said) text.push(" ", el("span", { class: "warn", role: "img", title: said, "aria-label": said }, "⚠"));
    const title = short ? `${sentence} ${span(move.took)}`.trim() : null;
    const body = jump ? button(text, () => jump(move.n), { class: "plain", title }) : el("span", { title }, text);
    return el("li", { class: short && (isSign ? "brief sign" : "brief"), "data-n": move.n }, body, time);
  }

  const controls = {
    node: box,
    set(moves, say) {
      replace(list);
      signs = 0;
      controls.add(moves, say);
      none.hidden = moves.length > 0;
    },
    add(moves, say) {
      if (!moves.length) return;
      const isAtEnd = box.scrollHeight - box.scrollTop - box.clientHeight < 40;
      none.hidden = true;
      list.append(...moves.map((move) => line(move, say)));
      if (isAtEnd && !jump) box.scrollTop = box.scrollHeight;
    },
    change(moves, say) {
      for (const move of moves) list.children[move.n - 1]?.replaceWith(line(move, say));
    },
    mark(n) {
      marked?.firstChild.removeAttribute("aria-current");
      marked?.classList.remove("here");
      marked = list.children[n - 1] ?? null;
      if (!marked) return;
      marked.firstChild.setAttribute("aria-current", "step");
      marked.classList.add("here");
      const [frame, place] = [box.getBoundingClientRect(), marked.getBoundingClientRect()];
      if (place.top < frame.top || place.bottom > frame.bottom) box.scrollTop += place.top - frame.top - frame.height / 2;
    },
  };
  return controls;
}

/**
 * Shows who is away, and for how long: {of(seat), update(scene), tick()}. `of` makes the node behind a player's name. The
 * seconds are counted in all such nodes inside `nodes()`.
 */
export function absences({ nodes, announce, signal }) {
  let since = new Map(); // by seat, when the person went
  const returned = new Map(); // by seat, until when it is shown

  function tick() {
    const found = (what) => nodes().flatMap((node) => [...node.querySelectorAll(what)]);
    for (const gone of found(".away")) {
      gone.textContent = ` ${t("awayFor", { count: Math.floor((line.now() - gone.dataset.since) / 1_000) })}`;
    }
    for (const back of found(".returned")) if (line.now() > back.dataset.until) back.remove();
  }

  const timer = setInterval(tick, 500);
  signal.addEventListener("abort", () => clearInterval(timer));
  return {
    of(seat) {
      if (since.has(seat)) return el("span", { class: "warn away", "data-since": since.get(seat) });
      if (returned.get(seat) > line.now()) {
        return el("span", { class: "muted returned", "data-until": returned.get(seat) }, ` ${t("isBack")}`);
      }
      return null;
    },
    update(scene) {
      const now = new Map(
        scene.outcome ? [] : Object.entries(scene.away ?? {}).map(([seat, s]) => [Number(seat), line.now() - s * 1_000]),
      );
      const called = (seat) => isolated(seatName(scene.seats, seat));
      for (const seat of now.keys()) if (!since.has(seat)) announce(t("wentAway", { name: called(seat) }));
      for (const seat of since.keys()) {
        if (now.has(seat) || scene.outcome) continue;
        returned.set(seat, line.now() + SHOWN);
        announce(t("cameBack", { name: called(seat) }));
      }
      since = now;
    },
    tick,
  };
}

/**
 * The players: their names, who is connected, whose turn it is, and the time that each has taken:
 * {node, update(scene, moves, isPaused)}. They are where the board has lines for them; `node` lists the others.
 *
 * A turn's time begins when the previous move arrives; on a page that was just opened, it is computed from the start of
 * the match and the last move's `at`. It stops while the server cannot be reached.
 *
 * @param {{board: any, started?: string, you?: () => number | null, announce: (text: string) => void, signal: AbortSignal}} given
 */
export function players({ board, started, you, announce, signal }) {
  const node = el("ul", { class: "seats", "aria-label": t("seats") });
  const all = () => [node, ...(board?.lines.values() ?? [])];
  const absent = absences({ nodes: all, announce, signal });
  let shown = null;
  let turnBegan = null;
  let count = -1;

  function taken(seat) {
    return shown.moves.reduce((sum, move) => sum + (move.seat === seat ? (move.took ?? 0) : 0), 0);
  }

  const isOn = ({ seat }) => Boolean(shown.scene.isLive && !shown.scene.outcome && shown.scene.turn?.includes(seat));

  function name(one) {
    const isAway = one.connected === false && (one.name || one.unnamed) && !shown.scene.outcome;
    return el(
      "span",
      {},
      calledOn(one),
      you !== undefined && one.seat === you() && el("span", { class: "muted you" }, ` (${t("you")})`),
      isAway && el("span", { class: "warn" }, ` ${t("disconnected")}`),
      absent.of(one.seat),
    );
  }

  function clocks(one) {
    const total = taken(one.seat);
    return [
      total > 0 && el("span", { class: "clock total", title: t("clock") }, clock(total)),
      isOn(one) && el("span", { class: "clock running", title: t("thinking") }),
    ];
  }

  function row(one) {
    const [total, running] = clocks(one);
    const turn = isOn(one) && el("span", { class: "turn" }, t("toMove"));
    return el("li", { class: `${isOn(one) ? "on" : ""} ${total ? "" : "untimed"}`, "data-seat": one.seat }, chip(one.seat), name(one), total, turn, running);
  }

  function draw() {
    const rest = shown.scene.seats.filter((one) => {
      const place = board?.lines.get(one.seat);
      if (!place || !board.node.contains(place)) return true;
      replace(place, name(one), clocks(one));
      return false;
    });
    node.hidden = !rest.length;
    replace(node, rest.map(row));
  }

  function tick() {
    if (!shown || turnBegan === null) return;
    for (const running of all().flatMap((one) => [...one.querySelectorAll(".running")])) {
      const stopped = line.isDown ? ` ${t("clockStopped")}` : "";
      running.textContent = shown.isPaused ? "" : `+${clock(serverNow() - turnBegan)}${stopped}`;
    }
  }

  const timer = setInterval(tick, 500);
  signal.addEventListener("abort", () => clearInterval(timer));
  return {
    node,
    update(scene, moves, isPaused = false) {
      const isFirst = count < 0;
      if (moves.length !== count) {
        const since = Date.parse(started) + (moves.at(-1)?.at ?? NaN);
        turnBegan = isFirst && since <= serverNow() ? since : serverNow();
      }
      count = moves.length;
      shown = { scene, moves, isPaused };
      absent.update(scene);
      draw();
      absent.tick();
      tick();
    },
  };
}

/** The line that says how a game ended, with a link to its record; hidden during the game. */
export function ending() {
  const node = el("p", { class: "ending", hidden: true });
  return {
    node,
    update(scene, record, first = null) {
      node.hidden = !scene.outcome && !first;
      const said = scene.outcome ? result(scene.outcome, scene.seats) : [];
      const isCause = first && said.length === 1;
      replace(
        node,
        first && el("strong", {}, first, " "),
        // Without a winner, `said` is only the cause, which is shown in parentheses.
        ...(isCause ? [`(${said[0]}) `] : said),
        said.length > 0 && !isCause && ". ",
        record && link(`/records/${encodeURIComponent(record)}`, {}, t("toRecord")),
      );
    },
  };
}
