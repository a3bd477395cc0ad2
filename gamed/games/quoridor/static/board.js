// Quoridor for two or four players: joining, the vote, the board, and a new game.
//
// Attributes for tests: `data-cell="x,y"`, `data-wall="x,y,horizontal|vertical"` (the gap where a click puts that wall;
// `data-wall-of`: its far half at the border), `data-built` (a wall on the board), `data-preview` (one that a click would
// place), `data-pawn="seat"`, `data-seat`, `data-legal` (where this player may go), `data-active` (this player's turn),
// `data-do="vote-2|vote-4|reset|pawn|horizontal|vertical"`. In these, columns and rows count from 0, as on the wire. People
// read the notation of players: e5 is a cell, e3h the horizontal wall whose cell next to a1 is e3.
// The board is turned so that the player's own side is down; horizontal, above, and the arrow keys are meant as it is seen.
// Keys: arrows, Enter, h, v, Escape; s, w, r.

import { ARROWS, el, isChord, isolated, nameOn, replace, svg } from "../../dom.js";

export { codes, words } from "./words.js";

const SIZE = 9;
const CONTROLS = "a, button, input, select, textarea, summary, dialog"; // elements that handle keys themselves
const PITCH = 12.75; // from cell to cell, in units of the drawing
const CELL = 10;
const GAP = PITCH - CELL;
const EDGE = SIZE * PITCH - GAP;
const MARGIN = 9;
const EDGES = [0, 2, 3, 1]; // where each seat begins: at the top, on the right, at the bottom, on the left, clockwise from 0
const WAYS = ["↓", "←", "↑", "→"]; // to the goal, by the edge where a seat begins
const LETTERS = "abcdefghi";
const OTHER = { horizontal: "vertical", vertical: "horizontal" };
const VOTES = { s: 2, w: 4 };
const WAITING = ["registering", "waiting", "voted"];
const ENDED = ["rejected", "closed"];
const NUMBERS = [...Array(SIZE).keys()];

/** Parses a move's text: {to} or {wall}; null if it is neither. */
function read(text) {
  const [, kind, x, y, way] = /^(player|wall) (\d) (\d)(?: (horizontal|vertical))?$/.exec(text ?? "") ?? [];
  if (kind === "player") return { to: [+x, +y] };
  return way ? { wall: [+x, +y, way] } : null;
}

const cellName = (x, y) => `${LETTERS[x]}${y + 1}`;
/** @param {any[]} wall */
const wallName = ([x, y, way]) => (way === "horizontal" ? `${cellName(x, y - 1)}h` : `${cellName(x - 1, y)}v`);

export function describe(move, scene, t) {
  const { to, wall } = read(move.text) ?? {};
  if (!to && !wall) return `${t("player", { n: move.seat + 1 })}: ${move.text}`;
  return t(to ? "goesTo" : "putsWall", { n: move.seat + 1, at: to ? cellName(...to) : wallName(wall) });
}

/** A move as players write it: "e5", "e3h". */
export function brief(move) {
  const { to, wall } = read(move.text) ?? {};
  return to ? cellName(...to) : wall && wallName(wall);
}

/** The rectangle of a wall: two cells long, from the upper left corner of its cell. */
function bar([x, y, way]) {
  return way === "horizontal"
    ? { x: x * PITCH, y: y * PITCH - GAP, width: 2 * CELL + GAP, height: GAP }
    : { x: x * PITCH - GAP, y: y * PITCH, width: GAP, height: 2 * CELL + GAP };
}

/** The clickable rectangle of the gap at a cell. It is wider than the gap, for fingers. */
function spot(x, y, way) {
  return way === "horizontal"
    ? { x: x * PITCH + 0.5, y: y * PITCH - GAP - 0.6, width: CELL - 1, height: GAP + 1.2 }
    : { x: x * PITCH - GAP - 0.6, y: y * PITCH + 0.5, width: GAP + 1.2, height: CELL - 1 };
}

/** The wall that belongs to a cell: from its corner, or the nearest one that fits on the board. */
function wallAt([x, y], way) {
  return way === "horizontal"
    ? [Math.min(x, SIZE - 2), Math.max(y, 1), way]
    : [Math.max(x, 1), Math.min(y, SIZE - 2), way];
}

const middle = (at) => at * PITCH + CELL / 2;

/**
 * @param {HTMLElement} root
 * @param {BoardContext} context
 * @returns {Board}
 */
export function create(root, context) {
  const { t, mode } = context;
  let scene = null;
  let placing = "pawn"; // or "horizontal" or "vertical": the wall that a click places
  let cursor = null;
  let preview = null;
  let armed = null; // the wall that a second tap places
  let isBusy = false;
  let isTouch = false;
  let isOn = false; // whether a game is running
  let from = null; // where the pawn that moved last came from
  let noticed = null; // what the notice shows
  let moves = new Set();
  let places = new Set();
  let turns = 0; // by how many quarters the board is turned clockwise

  // The parts

  const cells = new Map();
  const walls = new Map();
  const pawns = new Map();
  const layer = (name, ...children) => svg("g", { "aria-hidden": "true", class: `q-${name}` }, ...children);
  const [goals, trail, builtLayer, pawnLayer, gapLayer] = ["goals", "way", "walls", "pawns", "gaps"].map((name) => layer(name));
  const shown = svg("rect", { "aria-hidden": "true", class: "q-preview" });
  const labels = NUMBERS.flatMap((at) => [-6.4, EDGE + 6.4].flatMap((edge) => [
    svg("text", { x: middle(at), y: edge }, LETTERS[at]),
    svg("text", { x: edge, y: middle(at) }, `${at + 1}`),
  ]));
  const viewBox = `${-MARGIN} ${-MARGIN} ${EDGE + 2 * MARGIN} ${EDGE + 2 * MARGIN}`;
  const square = (margin, attributes) =>
    svg("rect", { x: -margin, y: -margin, width: EDGE + 2 * margin, height: EDGE + 2 * margin, "aria-hidden": "true", ...attributes });
  const grain = svg("pattern", { id: "q-grain", width: 54, height: 9, patternUnits: "userSpaceOnUse" },
    svg("path", { d: "M0 2.5C12 1 24 4.5 54 2.5M0 6.5C18 8.5 30 5 54 6.5" }));
  const shine = svg("radialGradient", { id: "q-shine", cx: "35%", cy: "28%", r: "70%" },
    svg("stop", { class: "q-lit" }), svg("stop", { offset: 0.6, class: "q-plain" }), svg("stop", { offset: 1, class: "q-dim" }));
  // Walls are lit from above and from the left.
  const gloss = ["h", "v"].map((way) => svg("linearGradient", { id: `q-gloss-${way}`, x2: way === "h" ? 0 : 1, y2: way === "h" ? 1 : 0 },
    svg("stop", { class: "q-lit" }), svg("stop", { offset: 0.45, class: "q-plain" }), svg("stop", { offset: 1, class: "q-dim" })));
  const turned = svg(
    "g",
    {},
    square(MARGIN, { class: "q-rim", rx: 2 }),
    square(1, { class: "q-ground", rx: 1 }),
    goals,
    layer("labels", labels),
    NUMBERS.map((y) => svg("g", { role: "row" }, NUMBERS.map((x) => cell(x, y)))),
    square(1, { class: "q-grain", fill: "url(#q-grain)" }),
    trail,
    builtLayer,
    pawnLayer,
    gapLayer,
    shown,
  );
  const board = svg("svg", { class: "q-board", viewBox, role: "grid", "aria-label": t("board") }, svg("defs", {}, grain, shine, gloss), turned);
  const notice = el("div", { class: "q-notice", tabindex: -1 });
  const stocks = [0, 1].map(() => el("ul", { class: "q-stock", "aria-label": t("players") })); // above the board and below
  const tools = el(
    "div",
    { class: "q-tools", role: "group", "aria-label": t("choose") },
    ["pawn", "horizontal", "vertical"].map((what) =>
      el("button", { type: "button", "data-do": what, onclick: () => place(what) }, el("i"), t(what)),
    ),
  );
  const help = el("p", { class: "q-help" }, t("help"));
  const universe = el("p", { class: "q-help q-universe" });
  const frame = el("div", { class: mode === "play" ? "q-frame q-plays" : "q-frame" }, stocks[0], board, stocks[1], tools, el("div", { class: "q-notes" }, help, universe));
  for (const way of ["horizontal", "vertical"]) {
    for (const x of NUMBERS) for (const y of NUMBERS) addGap(x, y, way);
  }
  root.classList.add("quoridor");
  replace(root, notice, frame);

  function cell(x, y) {
    const node = svg(
      "g",
      { role: "gridcell", "data-cell": `${x},${y}`, tabindex: -1, class: "q-cell" },
      svg("rect", { x: x * PITCH, y: y * PITCH, width: CELL, height: CELL, rx: 0.8 }),
      svg("circle", { cx: middle(x), cy: middle(y), r: 1.7 }),
    );
    cells.set(`${x},${y}`, node);
    return node;
  }

  function addGap(x, y, way) {
    if ((way === "horizontal" ? y : x) === 0) return;
    const wall = wallAt([x, y], way);
    const isOwn = wall[0] === x && wall[1] === y;
    gapLayer.append(svg("rect", { [isOwn ? "data-wall" : "data-wall-of"]: wall.join(), ...spot(x, y, way) }));
  }

  // The player's actions

  const isMine = () => mode === "play" && !isBusy && moves.size + places.size > 0;

  async function act(action) {
    if (isBusy || mode !== "play") return;
    isBusy = true;
    armed = null;
    show(null);
    draw();
    try {
      await context.act(action);
    } catch {
      // The shell shows the reason.
    }
    isBusy = false;
    draw();
  }

  function vote(players) {
    if (scene.you?.canVote) act({ do: "vote", players });
  }

  function reset() {
    if (scene.you?.canReset) act({ do: "reset" });
  }

  function place(what) {
    placing = what;
    armed = null;
    show(null);
    drawTools();
  }

  /** The wall of the chosen direction at a cell. */
  const chosen = (at) => wallAt(at, turns % 2 ? OTHER[placing] : placing);

  function put(wall) {
    if (!isMine() || !places.has(wall.join())) return false;
    if (isTouch && armed !== wall.join()) {
      armed = wall.join();
      show(wall);
      context.announce(t("fits", { wall: called(wall) }));
    } else {
      act({ do: "wall", at: wall });
    }
    return true;
  }

  function go(to) {
    if (!isMine() || !moves.has(to.join())) return false;
    act({ do: "move", to });
    return true;
  }

  const called = (wall) => t("wallAt", { at: wallName(wall) });

  /** Shows a preview of a wall where it is legal; with `evenIfNot` (for the keyboard) also where it is not. */
  function show(wall, evenIfNot = false) {
    const isLegal = wall !== null && isMine() && places.has(wall.join());
    preview = isLegal || (wall && evenIfNot && isMine()) ? wall : null;
    shown.classList.toggle("q-not", preview !== null && !isLegal);
    shown.toggleAttribute("data-preview", false);
    if (!preview) return;
    for (const [name, value] of Object.entries(bar(preview))) shown.setAttribute(name, value);
    shown.setAttribute("data-preview", isLegal ? preview.join() : "");
  }

  // The pointer

  /** The wall under the pointer, or the cell: {wall} or {to}. */
  function under(target) {
    const spot = target.closest?.("[data-wall], [data-wall-of], [data-cell]");
    if (!spot) return {};
    const wall = spot.dataset.wall ?? spot.dataset.wallOf;
    if (wall) {
      const [x, y, way] = wall.split(",");
      return { wall: [+x, +y, way] };
    }
    const to = spot.dataset.cell.split(",").map(Number);
    return placing === "pawn" ? { to } : { to, wall: chosen(to) };
  }

  board.addEventListener("pointerdown", (event) => {
    isTouch = event.pointerType === "touch";
  });
  board.addEventListener("pointerover", (event) => {
    if (event.pointerType !== "touch") show(under(event.target).wall ?? null);
  });
  board.addEventListener("pointerleave", (event) => {
    if (event.pointerType !== "touch") show(null);
  });
  board.addEventListener("click", (event) => {
    const { wall, to } = under(event.target);
    if (to) point(to);
    if (wall) put(wall);
    else if (to) go(to);
  });

  // The keyboard

  function point(to) {
    for (const node of board.querySelectorAll("[tabindex='0']")) node.setAttribute("tabindex", -1);
    cursor = to;
    cells.get(to.join()).setAttribute("tabindex", 0);
  }

  function step([right, down]) {
    for (let n = 0; n < turns; n++) [right, down] = [down, -right];
    const within = (at) => Math.min(Math.max(at, 0), SIZE - 1);
    point([within(cursor[0] + right), within(cursor[1] + down)]);
    cells.get(cursor.join()).focus();
    if (placing !== "pawn") consider();
  }

  /** Shows and announces the wall at the cursor. */
  function consider() {
    const wall = chosen(cursor);
    show(wall, true);
    if (isMine()) context.announce(t(places.has(wall.join()) ? "fits" : "fitsNot", { wall: called(wall) }));
    else context.announce(t("notNow"));
  }

  function enter() {
    isTouch = false;
    if (!isMine()) context.announce(t("notNow"));
    else if (placing === "pawn") {
      if (!go(cursor)) context.announce(t("notThere", { at: cellName(...cursor) }));
    } else if (!put(chosen(cursor))) consider();
  }

  board.addEventListener("keydown", (event) => {
    if (isChord(event)) return;
    const way = { h: "horizontal", v: "vertical" }[event.key.toLowerCase()];
    if (event.key in ARROWS) step(ARROWS[event.key]);
    else if (event.key === "Enter" || event.key === " ") enter();
    else if (way && mode === "play" && placing !== way) {
      place(way);
      consider();
    } else if ((way || event.key === "Escape") && placing !== "pawn") {
      place("pawn");
      context.announce(t("pawn"));
    } else return;
    event.preventDefault();
  });
  // Not on the board itself: in Chromium an SVG with a focus listener can get the focus.
  frame.addEventListener("focusout", () => show(null));

  /** The keys of the original client's window. They work everywhere except in other controls of the page. */
  function onKey(event) {
    if (isChord(event) || event.repeat || !scene) return;
    if (!root.contains(event.target) && event.target.closest?.(CONTROLS)) return;
    const key = event.key.toLowerCase();
    if (key in VOTES) vote(VOTES[key]);
    else if (key === "r") reset();
  }
  document.addEventListener("keydown", onKey);

  // Drawing

  function label(seat) {
    const name = nameOn(scene.seats, seat);
    return t("player", { n: seat + 1 }) + (name ? ` (${isolated(name)})` : "");
  }

  function button(name, text, key, onclick) {
    return el("button", { type: "button", "data-do": name, onclick, "aria-keyshortcuts": key }, text, el("kbd", {}, key));
  }

  const dots = () => el("span", { class: "q-dots" }, NUMBERS.map(() => el("i")));

  const winner = (seat) => (scene.you?.seat === seat ? t("youWon") : t("hasWon", { player: label(seat) }));

  /** The notice above the board: {text, buttons, isWaiting}; null while a game is running. */
  function news() {
    const { you, phase } = scene;
    if (mode !== "play" || !you) return scene.board ? null : { text: t("notBegun"), isWaiting: scene.isLive };
    if (phase === "voting") {
      if (!you.canVote || isBusy) return { text: t("sent"), isWaiting: true };
      const two = button("vote-2", t("voteTwo"), "s", () => vote(2));
      return { text: t("question"), buttons: [two, button("vote-4", t("voteFour"), "w", () => vote(4))] };
    }
    if (phase === "won" || phase === "lost") {
      const text = winner(scene.board.winner);
      if (you.canReset && !isBusy) return { text, buttons: [button("reset", t("newGame"), "r", reset)] };
      return { text: you.pending ? `${text} ${t("newAsked")}` : text };
    }
    // After the end of the game, a player who leaves is not news.
    if (phase === "disconnect" && Number.isInteger(scene.board?.winner)) return { text: winner(scene.board.winner) };
    if (phase === "disconnect") return { text: t("left", { player: label(you.leaver) }) };
    if (ENDED.includes(phase)) return { text: t(phase) };
    if (!WAITING.includes(phase)) return null;
    return { text: t(you.players === 4 ? "waitingFour" : phase), isWaiting: true };
  }

  function turn() {
    const { you, outcome } = scene;
    const best = scene.board.winner ?? (outcome?.termination === "victory" ? outcome.winner : null);
    if (best !== null) return winner(best);
    if (outcome) return t(outcome.termination === "left" ? "someoneLeft" : "ended");
    if (mode !== "play" || scene.phase !== "play") return t("theirMove", { player: label(scene.board.to_move[0]) });
    if (you.pending) return t("sent");
    if (!moves.size && !places.size) return t("noMove");
    return t(places.size ? "yourMove" : "yourStep");
  }

  function drawNotice() {
    const said = news();
    const key = JSON.stringify([said?.text, said?.buttons?.length]);
    if (key === noticed) return said;
    noticed = key;
    notice.hidden = said === null;
    replace(notice, said && el("p", {}, said.isWaiting && dots(), said.text), said?.buttons);
    return said;
  }

  function drawGoals() {
    const long = EDGE + 2;
    const [far, near, thin] = [EDGE + 1.4, -3, 1.6];
    const strips = [
      { x: -1, y: far, width: long, height: thin },
      { x: -1, y: near, width: long, height: thin },
      { x: far, y: -1, width: thin, height: long },
      { x: near, y: -1, width: thin, height: long },
    ];
    const nodes = scene.board.pawns.map((_, seat) => {
      const strip = strips[seat];
      const [x, y] = [strip.x + strip.width / 2, strip.y + strip.height / 2];
      const flag = [svg("circle", { cx: x, cy: y, r: 1.9 }), svg("text", { x, y }, `${seat + 1}`)];
      return svg("g", { class: "q-goal", "data-seat": seat }, svg("rect", { ...strip, rx: 0.8 }), flag);
    });
    replace(goals, nodes);
  }

  function drawCells() {
    const { board: position, you } = scene;
    const reach = new Set(isOn ? position.reach.map(String) : []);
    const built = new Set(position.walls.map(String));
    const across = (x, y) => built.has(`${x},${y},horizontal`) || built.has(`${x - 1},${y},horizontal`);
    const along = (x, y) => built.has(`${x},${y},vertical`) || built.has(`${x},${y - 1},vertical`);
    const mine = you?.seat ?? null;
    const goal = new Set(position.goals[mine]?.map(String));
    for (const [key, node] of cells) {
      const [x, y] = key.split(",").map(Number);
      const pawn = position.pawns.findIndex((at) => at.join() === key);
      const isLegal = isMine() && moves.has(key);
      const sides = [across(x, y), along(x + 1, y), across(x, y + 1), along(x, y)];
      const said = [
        cellName(x, y),
        pawn >= 0 && label(pawn),
        isLegal && t("possible"),
        goal.has(key) && t("goal", { n: mine + 1 }),
        ...["wallAbove", "wallRight", "wallBelow", "wallLeft"].map((side, n) => sides[(n - turns + 4) % 4] && t(side)),
      ];
      node.setAttribute("aria-label", said.filter(Boolean).join(", "));
      node.toggleAttribute("data-legal", isLegal);
      node.classList.toggle("q-reach", reach.has(key));
    }
  }

  function drawWalls(last) {
    const builders = new Map((scene.moves ?? []).map((move) => [read(move.text)?.wall?.join(), move.seat]));
    const keys = new Set(scene.board.walls.map(String));
    for (const [key, node] of walls) {
      if (keys.has(key)) continue;
      node.remove();
      walls.delete(key);
    }
    for (const wall of scene.board.walls) {
      const key = wall.join();
      if (!walls.has(key)) {
        walls.set(key, svg("g", { "data-built": key, class: "q-wall" }, svg("rect", { rx: 0.7, ...bar(wall) }),
          svg("rect", { class: "q-gloss", rx: 0.7, fill: `url(#q-gloss-${wall[2][0]})`, ...bar(wall) })));
        builtLayer.append(walls.get(key));
      }
      // It is not known who has built what was there before the first move.
      walls.get(key).dataset.seat = builders.get(key) ?? "";
      walls.get(key).classList.toggle("q-last", last?.wall?.join() === key);
    }
  }

  function drawPawns(last) {
    const { pawns: at, to_move: movers } = scene.board;
    for (const seat of [...pawns.keys()].filter((seat) => seat >= at.length)) {
      pawns.get(seat).remove();
      pawns.delete(seat);
    }
    at.forEach(([x, y], seat) => {
      if (!pawns.has(seat)) {
        const shape = [
          svg("circle", { class: "q-ring", r: 4.5 }),
          svg("circle", { class: "q-shade", cx: 0.4, cy: 0.8, r: 4.2 }),
          svg("circle", { r: 3.7 }),
          svg("circle", { class: "q-groove", r: 3.6 }),
          svg("text", {}, `${seat + 1}`),
        ];
        pawns.set(seat, svg("g", { class: "q-pawn", "data-pawn": seat, "data-seat": seat }, shape));
        pawnLayer.append(pawns.get(seat));
      }
      const node = pawns.get(seat);
      node.style.transform = `translate(${middle(x)}px, ${middle(y)}px)`;
      node.classList.toggle("q-on", isOn && movers.includes(seat));
    });
    const seat = scene.last?.seat;
    const isMoved = last?.to && at[seat]?.join() === last.to.join();
    const [to, start] = [isMoved ? last.to.map(middle) : [], from?.map(middle)];
    // It leaves the middle of its first cell free: one may go there again. After a reload nobody knows where the pawn came from.
    const [dx, dy] = start ? [0, 1].map((axis) => Math.sign(to[axis] - start[axis])) : [];
    const ends = start ? { x1: start[0] + 3 * dx, y1: start[1] + 3 * dy, x2: to[0], y2: to[1] } : { cx: to[0], cy: to[1], r: 4.7 };
    replace(trail, isMoved && svg(start ? "line" : "circle", { class: "q-trail", "data-seat": seat, ...ends }));
  }

  function drawStock() {
    const { left, pawns: at, to_move: movers } = scene.board;
    const most = at.length === 2 ? 10 : 5;
    const rows = [[], []];
    at.forEach((_, seat) => {
      const isMover = isOn && movers.includes(seat);
      const edge = (EDGES[seat] + turns) % 4;
      const row = el(
        "li",
        { "data-seat": seat, class: isMover && "q-on", "aria-current": isMover && "true" },
        el("span", { class: "chip" }, `${seat + 1}`),
        context.player(seat),
        el("span", { class: "q-to" }, t("target", { arrow: WAYS[edge] })),
        el("span", { class: "q-count" }, t("walls", { count: left[seat] })),
        el("span", { class: "q-bars" }, Array.from({ length: most }, (_, n) => el("i", { class: n < left[seat] && "q-full" }))),
      );
      rows[edge === 1 || edge === 2 ? 1 : 0].push(row);
    });
    stocks.forEach((stock, n) => replace(stock, rows[n]));
  }

  function drawTools() {
    tools.hidden = mode !== "play" || !isOn;
    help.hidden = tools.hidden;
    for (const node of tools.children) {
      const what = node.dataset.do;
      node.setAttribute("aria-pressed", String(what === placing));
      node.disabled = what !== "pawn" && isMine() && !places.size;
    }
    board.classList.toggle("q-walling", placing !== "pawn");
  }

  /** The universe's state, for who wants to see what the server does. */
  function drawUniverse() {
    const { worlds, status, last, voted, awaited } = scene.table ?? { worlds: [] };
    const rows = [["worlds", worlds.join(", ")], ["status", status && `'${status}`], ["lastMove", last?.join(": ")]];
    const said = [...rows, ["hasVoted", voted?.join(", ")], ["awaited", awaited?.join(", ")]].filter(([, value]) => value);
    universe.hidden = !worlds.length;
    replace(universe, said.map(([key, value]) => `${t(key)} ${value}`).join(" · "));
  }

  function draw() {
    drawUniverse();
    const hadFocus = notice.contains(document.activeElement);
    const said = drawNotice();
    drawBoard(said);
    if (!hadFocus || notice.contains(document.activeElement)) return;
    // The button that had the focus has been removed.
    (notice.querySelector("button") ?? (said ? notice : board.querySelector("[tabindex='0']")))?.focus();
  }

  function drawBoard(said) {
    frame.hidden = !scene.board;
    moves = new Set((scene.you?.moves ?? []).map(String));
    places = new Set((scene.you?.places ?? []).map(String));
    if (!scene.board) {
      context.setStatus("");
      return;
    }
    const last = read(scene.last?.text);
    isOn = !said && !scene.outcome;
    // A player's own edge goes to the bottom, where seat 1's is anyway.
    turns = (EDGES[1] - (EDGES[mode === "play" ? scene.you?.seat : 1] ?? EDGES[1]) + 4) % 4;
    turned.setAttribute("transform", `rotate(${90 * turns}, ${EDGE / 2}, ${EDGE / 2})`);
    turned.style.setProperty("--upright", `${-90 * turns}deg`);
    if (!cursor) point(scene.board.pawns[scene.you?.seat ?? 0]);
    board.toggleAttribute("data-active", isMine());
    board.dataset.seat = scene.board.to_move[0] ?? "";
    shown.dataset.seat = scene.you?.seat ?? "";
    drawGoals();
    drawCells();
    drawWalls(last);
    drawPawns(last);
    drawStock();
    drawTools();
    context.setStatus(said ? "" : turn());
    if (preview) show(preview, true);
  }

  /** Announces changes to screen readers, except moves, which the shell announces. */
  function tell(before) {
    if (mode !== "play" || !scene.you || (before?.phase === scene.phase && before.you?.pending === scene.you.pending)) return;
    const said = news();
    if (said) context.announce(said.text);
    else if (scene.phase === "play" && !scene.you.pending) context.announce(turn());
  }

  return {
    update(next) {
      const before = scene;
      scene = next;
      root.dataset.phase = next.phase ?? "";
      root.dataset.kind = "quoridor";
      if (next.last?.n !== before?.last?.n || next.last?.seat !== before?.last?.seat) {
        const earlier = next.moves?.slice(0, -1).findLast((move) => move.seat === next.last?.seat && read(move.text)?.to);
        const isNext = next.last?.n === (before?.last?.n ?? 0) + 1;
        from = (earlier ? read(earlier.text).to : isNext && before?.board?.pawns[next.last.seat]) || null;
        armed = null;
        // Not at each update: a seat gets several for a move, and without the class its animation would end at once.
        root.classList.toggle("q-animated", Boolean(context.animate));
      }
      draw();
      tell(before);
    },
    destroy() {
      document.removeEventListener("keydown", onKey);
      root.classList.remove("quoridor", "q-animated");
      replace(root);
    },
  };
}
