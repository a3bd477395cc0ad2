// Battleship: the placing of the ships, and the two boards.
//
// For tests: each board is `[data-board=enemy|own|0|1]` (a player's, or by seat), with `data-active` where it takes
// shots; a cell is `[data-cell="x,y"]` with `data-state` unknown, water, hit, sunk, ship or miss, `data-last` on the last
// shot and `data-pending` on one without an answer; while ships are placed, a ship is `[data-ship=INDEX]` with
// `data-picked`, `data-bad` and `data-at="x,y,length,h|v"`; buttons are `[data-do=turn|roll|ready]`; the enemy's
// faults `[data-fault=lied|erred]`.

import { ARROWS, el, isChord, isolated, nameOn, replace, svg } from "../../dom.js";
import { chip } from "../../parts.js";

export { codes, words } from "./words.js";

const SIZE = 10;
const FLEET = [5, 4, 3, 3, 2];
const ROWS = "ABCDEFGHIJ";
const BURST = "M50 13 57 35 76 22 69 43 88 50 69 57 76 78 57 65 50 87 43 65 24 78 31 57 12 50 31 43 24 22 43 35Z";
const ring = (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0-${2 * r} 0`;
const square = (x, y, r) => `M${x - r} ${y - r}h${2 * r}v${2 * r}h-${2 * r}z`;
/** What stands on a ship's deck: the bridge at its stern, a hatch at its bow, between them turrets. */
const deck = (x, y, isStern, isBow) => (isStern ? square(x, y, 21) + square(x, y, 11) : isBow ? ring(x, y, 11) : ring(x, y, 21) + ring(x, y, 8));
// The marks of the states, in a cell of 100 by 100.
const MARKS = {
  unknown: "M50 50h.1", // a hole for a peg
  water: "M18 58q16 -22 32 0t32 0",
  miss: ring(50, 50, 9) + ring(50, 50, 22) + ring(50, 50, 18),
  hit: BURST,
  sunk: "M38 38 62 62M62 38 38 62",
};

/** @param {number[]} cell */
const named = ([x, y]) => `${ROWS[y]}${x + 1}`;
const inside = (x, y) => x >= 0 && y >= 0 && x < SIZE && y < SIZE;

/** The name of the player on a seat, isolated. */
function nameOf(seat, scene, t) {
  const name = nameOn(scene.seats, seat);
  return name ? isolated(name) : t("seat", { n: seat + 1 });
}

/** Parses a line: {at, code}, with code null for a shot; null if it is neither a shot nor an answer. */
function parsed(text) {
  // Prolog accepts spaces, and terms without parentheses. The older form has no full stop either.
  const found = /^(\()?0*([12]),\[0*(\d),0*(\d)(?:,0*([1-4]))?\](\)\.|\.?)$/.exec(text.replace(/[ \t\v\f]+/g, ""));
  if (!found || (found[2] === "2") !== (found[5] !== undefined) || Boolean(found[1]) !== found[6].startsWith(")")) return null;
  return { at: [Number(found[3]), Number(found[4])], code: found[5] ? Number(found[5]) : null };
}

/** One sentence for a line: a shot, an answer, or anything else. */
export function describe(move, scene, t) {
  const isOwn = scene.you?.seat === move.seat;
  const name = isOwn ? t("you") : nameOf(move.seat, scene, t);
  const said = parsed(move.text);
  if (said === null) return t("says", { name, text: isolated(move.text) });
  const cell = named(said.at);
  if (said.code === null) return t("shoots", { name, cell });
  if (said.code === 4) return t("gaveUp", { name, cell });
  return t("answers", { name, cell, state: t([null, "water", "isHit", "hitSunk"][said.code]) });
}

/** A shot, and the sign of its answer beside it: "C7", "✕". */
export function brief(move) {
  const said = parsed(move.text);
  if (said?.code === null) return named(said.at);
  return said && said.code <= 4 ? "≈✕✚⚑"[said.code - 1] : null;
}

/** The cells of a ship [x, y, length, way], in order. */
function shipCells([x, y, length, way]) {
  return Array.from({ length }, (_, step) => (way === "h" ? [x + step, y] : [x, y + step]));
}

/** Whether the ship at `index` may lie as it does among the others. */
function fits(ships, index) {
  const mine = shipCells(ships[index]);
  if (!mine.every(([x, y]) => inside(x, y))) return false;
  return !ships.some((ship, other) => other !== index && shipCells(ship).some(([x, y]) => mine.some(([a, b]) => Math.abs(a - x) <= 1 && Math.abs(b - y) <= 1)));
}

/** The ship, moved back onto the board. */
function clamped([x, y, length, way]) {
  const [right, bottom] = way === "h" ? [SIZE - length, SIZE - 1] : [SIZE - 1, SIZE - length];
  return [Math.min(Math.max(x, 0), right), Math.min(Math.max(y, 0), bottom), length, way];
}

const SHIP_STATES = ["ship", "hit", "sunk"];

/** The outline of a ship, or of its part in one cell, in cells of 100 by 100. Its bow is at the right or below. A part goes on beyond its cell. */
function outline(length, isUpright, hasStern = true, hasBow = true) {
  const end = 100 * length;
  const at = (...points) => points.map(([x, y]) => (isUpright ? `${y} ${x}` : `${x} ${y}`)).join(" ");
  const bow = hasBow ? `L${at([end - 72, 11])}Q${at([end - 24, 14], [end - 3, 50])}Q${at([end - 24, 86], [end - 72, 89])}` : `L${at([end + 8, 11], [end + 8, 89])}`;
  const stern = hasStern ? `L${at([24, 89])}Q${at([8, 89], [8, 72])}L${at([8, 28])}Q${at([8, 11], [24, 11])}` : `L${at([-8, 89], [-8, 11])}`;
  return `M${at([hasStern ? 24 : -8, 11])}${bow}${stern}Z`;
}

function labels() {
  const steps = [...ROWS];
  return svg("g", { class: "labels", "aria-hidden": "true" },
    steps.map((_, x) => svg("text", { x: 150 + 100 * x, y: 68 }, String(x + 1))),
    steps.map((row, y) => svg("text", { x: 65, y: 154 + 100 * y }, row)));
}

function plate(children, attributes) {
  // In Chromium an SVG with a focus listener would be a tab stop.
  return svg("svg", { viewBox: "28 28 1082 1082", tabindex: -1, ...attributes }, svg("defs", {}, svg("clipPath", { id: "bs-cell" }, svg("rect", { width: 100, height: 100 }))), labels(), children);
}

/** A board of cells. `shoot(at)` is called with the chosen cell; null if the board is only for looking. */
function seaBoard(id, context, shoot) {
  const cells = new Map();
  let cursor = [0, 0];
  const rows = Array.from({ length: SIZE }, (_, y) => svg("g", { role: "row" }, Array.from({ length: SIZE }, (_, x) => {
    const cell = svg("g", { role: "gridcell", class: "cell", tabindex: -1, "data-cell": `${x},${y}`, transform: `translate(${100 + 100 * x} ${100 + 100 * y})` },
      svg("rect", { class: "field", width: 100, height: 100 }), svg("path", { class: "part" }), svg("path", { class: "mark" }),
      svg("rect", { class: "ring", x: 8, y: 8, width: 84, height: 84, rx: 6 }));
    cells.set(`${x},${y}`, cell);
    return cell;
  })));
  const node = plate(rows, { role: "grid", class: "sea", "data-board": id });
  const cellOf = (target) => target.closest?.("[data-cell]")?.dataset.cell.split(",").map(Number);
  function point(at) {
    cells.get(String(cursor)).setAttribute("tabindex", -1);
    cursor = at;
    cells.get(String(cursor)).setAttribute("tabindex", 0);
  }
  node.addEventListener("focusin", (event) => { const at = cellOf(event.target); if (at) point(at); });
  node.addEventListener("click", (event) => {
    const at = cellOf(event.target);
    if (!at) return;
    point(at);
    shoot?.(at);
  });
  node.addEventListener("keydown", (event) => {
    if (isChord(event)) return;
    const [x, y] = cursor;
    const step = ARROWS[event.key];
    const to = step ? [x + step[0], y + step[1]] : { Home: [0, y], End: [SIZE - 1, y] }[event.key];
    if (to) {
      if (inside(...to)) { point(to); cells.get(String(to)).focus(); }
    } else if (shoot && (event.key === "Enter" || event.key === " ")) shoot(cursor);
    else return;
    event.preventDefault();
  });
  point(cursor);
  return {
    node,
    focus: () => cells.get(String(cursor)).focus(),
    /** `states`: by "x,y"; `last`: the last shot {at, code} or nothing. */
    draw(states, rest, label, isActive, last) {
      node.setAttribute("aria-label", label);
      node.toggleAttribute("data-active", isActive);
      const isShip = (x, y) => SHIP_STATES.includes(states.get(`${x},${y}`));
      for (const [key, cell] of cells) {
        const state = states.get(key) ?? rest;
        const at = key.split(",").map(Number);
        const isLast = String(last?.at) === key;
        const isPending = isLast && last.code === null;
        cell.dataset.state = state;
        cell.toggleAttribute("data-last", isLast);
        cell.toggleAttribute("data-pending", isPending);
        cell.setAttribute("aria-label", context.t("cell", { cell: named(at), state: context.t(isPending ? "pending" : state) }));
        const [x, y] = at;
        const isUpright = !isShip(x - 1, y) && !isShip(x + 1, y);
        const beside = isUpright ? [isShip(x, y - 1), isShip(x, y + 1)] : [isShip(x - 1, y), isShip(x + 1, y)];
        // If no cell beside it says how the ship lies, it has no outline.
        const part = isShip(x, y) && beside.includes(true) ? outline(1, isUpright, ...beside.map((is) => !is)) : "";
        cell.toggleAttribute("data-part", Boolean(part));
        cell.children[1].setAttribute("d", part);
        cell.children[2].setAttribute("d", MARKS[state === "water" && state !== rest ? "miss" : state] ?? deck(50, 50, !beside[0], !beside[1]));
        if (shoot) cell.setAttribute("aria-disabled", String(!isActive || state !== rest));
      }
    },
  };
}

/** The states of the known cells of a board. `miss`: the state of those without a ship. */
function told(board, miss) {
  const states = new Map();
  const put = (cells, state) => (cells ?? []).forEach((cell) => states.set(`${cell % SIZE},${Math.floor(cell / SIZE)}`, state));
  put(board?.cells, "ship");
  put(board?.water, miss);
  put(board?.hits, "hit");
  put(board?.sunk, "sunk");
  return states;
}

/** The board for placing ships, by dragging or keys. `place(ships)` is called when one was moved. */
function harbour(context, place) {
  const { t } = context;
  let ships = [];
  let chosen = 0;
  let picked = null; // {ship, drag}: where the chosen ship is held, and how the pointer holds it
  const water = svg("g", { "aria-hidden": "true" }, Array.from({ length: SIZE * SIZE }, (_, cell) => svg("g",
    { "data-state": "water", transform: `translate(${100 + 100 * (cell % SIZE)} ${100 + 100 * Math.floor(cell / SIZE)})` },
    svg("rect", { class: "field", width: 100, height: 100 }), svg("path", { class: "mark", d: MARKS.water }))));
  const hulls = FLEET.map((_, index) => svg("g", { class: "hull", role: "button", tabindex: -1, "data-ship": index },
    svg("path", { class: "body" }), svg("path", { class: "ring" }), svg("path", { class: "mark" })));
  const node = plate([water, ...hulls], { role: "application", class: "sea harbour", "data-board": "own" });
  const held = (index) => (picked && index === chosen ? picked.ship : ships[index]);
  const tried = () => ships.map((ship, index) => held(index));
  const said = (ship) => t("shipAt", { length: ship[2], from: named(ship), to: named(shipCells(ship).at(-1)) });

  function draw() {
    node.setAttribute("aria-label", t("harbour"));
    node.toggleAttribute("data-held", Boolean(picked));
    hulls.forEach((hull, index) => {
      const ship = held(index);
      if (!ship) return;
      const [x, y, length, way] = ship;
      const isPicked = Boolean(picked) && index === chosen;
      const isBad = isPicked && !fits(tried(), index);
      hull.setAttribute("transform", `translate(${100 + 100 * x} ${100 + 100 * y})`);
      for (const shape of [...hull.children].slice(0, 2)) shape.setAttribute("d", outline(length, way === "v"));
      const middles = shipCells([0, 0, length, way]).map(([column, row], part) => deck(100 * column + 50, 100 * row + 50, !part, part === length - 1));
      hull.children[2].setAttribute("d", middles.join(""));
      hull.dataset.at = ship.join(",");
      hull.toggleAttribute("data-picked", isPicked);
      hull.toggleAttribute("data-bad", isBad);
      hull.toggleAttribute("data-chosen", index === chosen);
      hull.setAttribute("tabindex", index === chosen ? 0 : -1);
      hull.setAttribute("aria-pressed", String(isPicked));
      hull.setAttribute("aria-label", isBad ? t("bad", { ship: said(ship) }) : said(ship));
    });
  }
  function choose(index) {
    chosen = index;
    draw();
    hulls[index].focus();
  }
  function hold(ship) {
    picked.ship = clamped(ship);
    draw();
    if (!picked.drag) context.announce(hulls[chosen].getAttribute("aria-label"));
  }
  function drop() {
    const next = tried();
    if (!fits(next, chosen)) {
      context.announce(t("misfit"));
      if (picked.drag) putBack();
      return;
    }
    const isMoved = String(next[chosen]) !== String(ships[chosen]);
    picked = null;
    if (isMoved) {
      ships = next;
      place(next);
    }
    draw();
    context.announce(t("dropped", { ship: said(ships[chosen]) }));
  }
  function putBack() {
    picked = null;
    draw();
  }
  /** Turns the chosen ship; if it is not held, about the first of its cells around which it fits. */
  function turn() {
    const [x, y, length, way] = held(chosen);
    const other = way === "h" ? "v" : "h";
    if (picked) {
      // A ship that is dragged turns about the cell at which it was grabbed.
      const [dx, dy] = picked.drag?.grip ?? [0, 0];
      picked.drag?.grip.reverse();
      hold([x + dx - dy, y + dy - dx, length, other]);
      return;
    }
    for (const [a, b] of shipCells([x, y, length, way])) {
      for (let back = 0; back < length; back += 1) {
        const ship = other === "h" ? [a - back, b, length, other] : [a, b - back, length, other];
        const next = ships.map((one, index) => (index === chosen ? ship : one));
        if (!fits(next, chosen)) continue;
        ships = next;
        draw();
        place(next);
        context.announce(t("dropped", { ship: said(ship) }));
        return;
      }
    }
    context.announce(t("noTurn"));
  }
  const cellAt = (event) => {
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(node.getScreenCTM().inverse());
    return [Math.floor(x / 100) - 1, Math.floor(y / 100) - 1];
  };
  const indexOf = (event) => hulls.indexOf(event.target.closest?.("[data-ship]"));
  node.addEventListener("pointerdown", (event) => {
    const index = indexOf(event);
    if (index < 0 || event.button !== 0 || picked?.drag) return;
    event.preventDefault();
    picked = null;
    choose(index);
    const [x, y] = cellAt(event);
    const ship = ships[index];
    picked = { ship, drag: { id: event.pointerId, grip: [x - ship[0], y - ship[1]] } };
    node.setPointerCapture(event.pointerId);
    draw();
  });
  node.addEventListener("pointermove", (event) => {
    if (picked?.drag?.id !== event.pointerId) return;
    const [x, y] = cellAt(event);
    const [, , length, way] = picked.ship;
    hold([x - picked.drag.grip[0], y - picked.drag.grip[1], length, way]);
  });
  node.addEventListener("pointerup", (event) => { if (picked?.drag?.id === event.pointerId) drop(); });
  node.addEventListener("pointercancel", (event) => { if (picked?.drag?.id === event.pointerId) putBack(); });
  node.addEventListener("focusin", (event) => {
    const index = indexOf(event);
    if (index < 0 || index === chosen) return;
    if (picked) putBack();
    chosen = index;
    draw();
  });
  node.addEventListener("keydown", (event) => {
    if (isChord(event)) return;
    const step = ARROWS[event.key];
    if (step && picked) {
      const [x, y, length, way] = picked.ship;
      hold([x + step[0], y + step[1], length, way]);
    } else if (step) choose((chosen + (step[0] + step[1] > 0 ? 1 : FLEET.length - 1)) % FLEET.length);
    else if (event.key === "r" || event.key === "R") turn();
    else if (event.key === "Escape" && picked) {
      putBack();
      context.announce(t("back", { ship: said(ships[chosen]) }));
    } else if (event.key === "Enter" || event.key === " ") {
      if (picked) drop();
      else {
        picked = { ship: ships[chosen], drag: null };
        draw();
        context.announce(t("picked", { ship: said(ships[chosen]) }));
      }
    } else return;
    event.preventDefault();
  });
  return {
    node,
    turn,
    focus: () => hulls[chosen].focus(),
    show(fleet) {
      // The player goes on holding a ship, unless another window has moved it.
      if (picked && String(fleet[chosen]) !== String(ships[chosen])) picked = null;
      ships = fleet;
      draw();
    },
  };
}

/** The ships of a board that still float, and those that do not. */
function roster(afloat, t) {
  const left = [...afloat];
  const ships = FLEET.map((length) => {
    const place = left.indexOf(length);
    if (place >= 0) left.splice(place, 1);
    const label = t(place < 0 ? "sank" : "floats", { length });
    const picture = { viewBox: `0 5 ${100 * length} 90`, role: "img", "data-length": length, "data-sunk": place < 0, "aria-label": label };
    return el("li", {}, svg("svg", picture, svg("path", { d: outline(length, false) }),
      place < 0 && svg("path", { class: "strike", d: `M14 88L${100 * length - 14} 12` })));
  });
  return el("div", { class: "roster" }, el("span", {}, t("afloat")), el("ul", { "aria-label": t("afloat") }, ships));
}

/** A board with a heading, and a part below it. */
function side(board) {
  const heading = el("h2", {});
  const under = el("div", { class: "under" });
  const node = el("section", { class: "side" }, heading, board.node, under);
  let shown = null;
  return {
    node,
    board,
    say(title, below, key) {
      replace(heading, ...title);
      if (key === shown) return;
      shown = key;
      replace(under, ...below);
    },
  };
}

function spectatorStatus(scene, t) {
  const { board, outcome } = scene;
  const winner = outcome ? outcome.winner : board?.winner;
  if (Number.isInteger(winner)) return t("hasWon", { name: nameOf(winner, scene, t) });
  if (outcome) return t("nobody");
  if (!board || board.attacker === null || (scene.seats ?? []).length < 2) return t("notBegun");
  if (board.shot) return t("toAnswer", { name: nameOf(1 - board.attacker, scene, t), cell: named(board.shot) });
  return t("toShoot", { name: nameOf(board.attacker, scene, t) });
}

function playerStatus(scene, t) {
  const { you, phase } = scene;
  if (phase === "placing") return t(you.awaited ? "placingAwaited" : you.started ? "placingStarted" : "placing");
  if (phase === "await") return t("await", { cell: named(you.last.you.at) });
  if (phase === "over") return t(scene.won === null ? "nobody" : scene.won ? "won" : "lost");
  if (phase !== "broken") return t(phase);
  const winner = scene.outcome?.winner;
  if (!Number.isInteger(you.seat) || !Number.isInteger(winner)) return t("closed");
  return `${t("closed")} ${t(winner === you.seat ? "won" : "lost")}`;
}

/** The view of spectators: both boards, as far as the answers reveal them. */
function watching(root, context) {
  const { t } = context;
  const sides = [0, 1].map((seat) => side(seaBoard(seat, context, null)));
  root.append(el("div", { class: "boards" }, sides.map((one) => one.node)));
  /** The last shot at a seat's board, from the last line and from the shot that waits. */
  function lastAt(seat, scene) {
    const { board } = scene;
    if (board.shot && board.attacker === 1 - seat) return { at: board.shot, code: null };
    const said = scene.last ? parsed(scene.last.text) : null;
    return said && said.code !== null && scene.last.seat === seat ? said : null;
  }
  return (scene) => {
    sides.forEach((one, seat) => {
      const board = scene.board?.boards[seat] ?? null;
      const isRefuted = Boolean(scene.board) && board === null;
      one.say([chip(seat), context.player(seat)],
        [isRefuted ? el("p", { class: "note" }, t("refuted")) : roster(board?.afloat ?? FLEET, t)], JSON.stringify(board?.afloat ?? isRefuted));
      const label = t("boardOf", { name: nameOf(seat, scene, t) });
      one.board.draw(told(board, "water"), "unknown", label, false, scene.board ? lastAt(seat, scene) : null);
    });
    return spectatorStatus(scene, t);
  };
}

/** The view of a player: the enemy's board to shoot at, and the own one, first for placing the ships. */
function playing(root, context) {
  const { t } = context;
  let scene = null;
  let shotIn = null; // the scene in which a shot was sent: only one shot a turn
  let placed = null; // where ships are, until the server confirms it
  let hasFocusToGive = false; // when the boards are rearranged
  let warned = 0; // kinds of faults that were announced
  async function act(action) {
    try {
      await context.act(action);
    } catch (error) {
      context.announce(error.message);
      return false;
    }
    return true;
  }
  async function shoot(at) {
    if (scene === shotIn) return;
    if (scene.phase !== "shoot") context.announce(playerStatus(scene, t));
    else if (!scene.you.targets.includes(at[0] + SIZE * at[1])) context.announce(t("known"));
    else {
      shotIn = scene;
      if (!await act({ do: "shoot", at })) shotIn = null;
    }
  }
  async function place(ships) {
    placed = ships;
    const isTaken = await act({ do: "place", ships });
    if (placed === ships) placed = null;
    if (!isTaken) show(scene);
  }
  const enemy = side(seaBoard("enemy", context, shoot));
  const own = side(seaBoard("own", context, null));
  const port = side(harbour(context, place));
  const button = (name, onclick, look) => el("button", { type: "button", "data-do": name, class: look, onclick }, t(name));
  const tools = el("div", { class: "tools" }, el("p", { class: "note" }, t("howto")),
    el("div", { class: "buttons" }, button("turn", () => port.board.turn()), button("roll", () => act({ do: "roll" })),
      button("ready", () => { hasFocusToGive = true; act({ do: "ready" }); }, "primary")));
  const boards = el("div", { class: "boards" });
  root.append(boards);
  function arrange(isPlacing) {
    const wanted = [enemy.node, (isPlacing ? port : own).node];
    if (boards.lastChild === wanted[1]) return;
    const hadFocus = hasFocusToGive || boards.contains(document.activeElement);
    hasFocusToGive = false;
    boards.replaceChildren(...wanted);
    boards.toggleAttribute("data-placing", isPlacing);
    enemy.node.inert = isPlacing; // nothing is known of it yet
    if (hadFocus) (isPlacing ? port : enemy).board.focus();
  }
  function show(next) {
    scene = next;
    const { you, phase } = scene;
    const isPlacing = phase === "placing";
    const title = (name, seat) => [el("span", {}, t(name)), seat >= 0 && context.player(seat)];
    arrange(isPlacing);
    port.say(title("own", you.seat ?? -1), [tools], "tools");
    if (isPlacing) port.board.show(placed ?? you.fleet.ships);
    const faults = [...new Set(you.faults.map((fault) => (fault.code === "dishonest" ? "lied" : "erred")))];
    const rest = t(phase === "await" ? "stuck" : "stay");
    enemy.say(title("enemy", Number.isInteger(you.seat) ? 1 - you.seat : -1), [roster(you.enemy.afloat, t), ...faults.map((fault) => el("p", { class: "note", "data-fault": fault }, `${t(fault)} ${rest}`))],
      `${you.enemy.afloat} ${faults} ${rest}`);
    if (faults.length > warned) context.announce(`${t(faults.at(-1))} ${rest}`);
    warned = faults.length;
    enemy.board.draw(told(you.enemy, "water"), "unknown", t("enemy"), phase === "shoot", you.last.you);
    if (!isPlacing) own.say(title("own", you.seat ?? -1), [roster(you.fleet.afloat, t)], String(you.fleet.afloat));
    own.board.draw(told(you.fleet, "miss"), "water", t("own"), false, you.last.enemy);
    return playerStatus(scene, t);
  }
  return show;
}

/**
 * Draws Battleship into a node.
 *
 * @param {HTMLElement} root
 * @param {BoardContext} context
 * @returns {Board}
 */
export function create(root, context) {
  root.dataset.kind = "battleship";
  const stage = el("div", { class: "battleship", "data-mode": context.mode });
  root.append(stage);
  let show = null;
  return {
    update(scene) {
      root.dataset.phase = scene.phase ?? "";
      show ??= (scene.you ? playing : watching)(stage, context);
      context.setStatus(show(scene));
    },
    destroy() {
      stage.remove();
      delete root.dataset.kind;
      delete root.dataset.phase;
    },
  };
}
