// Battleship: the placing of the ships, and the two boards.
//
// For tests: each board is `[data-board=enemy|own|0|1]` (a player's, or by seat), with `data-active` where it takes
// shots; a cell is `[data-cell="x,y"]` with `data-state` unknown, water, hit, sunk, ship or miss, `data-last` on the last
// shot and `data-pending` on one without an answer; a ship is `.hull` with `data-at="x,y,length,h|v"`, and while ships are
// placed, `[data-ship=INDEX]` with `data-picked` and `data-bad`; buttons are `[data-do=turn|roll|ready]`; the enemy's
// faults `[data-fault=lied|erred]`.

import { ARROWS, el, isChord, isolated, nameOn, replace, svg } from "../../dom.js";
import { chip } from "../../parts.js";

export { codes, words } from "./words.js";

const SIZE = 10;
const FLEET = [5, 4, 3, 3, 2];
const ROWS = "ABCDEFGHIJ";
const FLAME = "M50 17Q73 37 67 53Q75 49 75 41Q84 66 66 78Q58 83 50 83Q22 81 26 54Q28 48 34 42Q34 53 41 55Q40 32 50 17Z";
const SPARK = "M51 43Q64 56 60 68Q57 76 50 76Q37 74 41 60Q44 65 47 63Q46 53 51 43Z";
const ring = (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0-${2 * r} 0`;
const tower = (x) => `M${x - 27} 33h54v34h-54z${ring(x, 50, 10)}`;
const turret = (x, way) => `M${x} 43h${42 * way}M${x} 57h${42 * way}${ring(x, 50, 18)}`;
// What is on the deck of a ship, by its length: towers and turrets; on the carrier a runway and an island.
const FITTINGS = {
  2: tower(62) + turret(118, 1),
  3: turret(66, -1) + tower(132) + turret(198, 1),
  4: turret(72, -1) + tower(150) + turret(228, 1) + turret(292, 1),
  5: `M42 42h34M100 42h34M158 42h34M216 42h34M274 42h34M332 42h34M390 42h34M218 61h82v15h-82z${ring(259, 68.5, 3)}`,
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

/**
 * The cells of a ship [x, y, length, way], in order.
 *
 * @param {any[]} ship
 */
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

/** The ships that can be drawn, from the states of cells: lines of cells, unless all that is known of them are hits. */
function found(states) {
  const isShip = (x, y) => SHIP_STATES.includes(states.get(`${x},${y}`));
  return [...states.keys()].map((cell) => cell.split(",").map(Number)).filter(([x, y]) => isShip(x, y) && !isShip(x - 1, y) && !isShip(x, y - 1)).map(([x, y]) => {
    const [dx, dy] = isShip(x, y + 1) ? [0, 1] : [1, 0];
    let length = 1;
    while (isShip(x + dx * length, y + dy * length)) length += 1;
    return [x, y, length, dx ? "h" : "v"];
  }).filter((ship) => shipCells(ship).some((cell) => states.get(String(cell)) !== "hit"));
}

/** The outline of a ship whose bow is at the right, in cells of 100 by 100. */
function outline(length, inset = 0) {
  const [left, end, top, bottom] = [8 + inset, 100 * length - 1.5 * inset, 13 + inset, 87 - inset];
  return `M${left + 16} ${top}H${end - 72}Q${end - 24} ${top + 3} ${end - 4} 50Q${end - 24} ${bottom - 3} ${end - 72} ${bottom}H${left + 16}Q${left} ${bottom} ${left} ${bottom - 17}V${top + 17}Q${left} ${top} ${left + 16} ${top}Z`;
}

/** A ship's drawing, with its bow at the right. */
function vessel(length) {
  const path = (d, name) => svg("path", { d, class: name });
  return [path(outline(length), "body"), path(outline(length, 9), "deck"), path(FITTINGS[length] ?? "", length === 5 ? "fittings flat" : "fittings")];
}

const origin = (x, y, more = "") => `translate(${100 + 100 * x} ${100 + 100 * y})${more}`;
/** @param {any[]} ship */
const lying = ([x, y, , way]) => origin(x, y, way === "v" ? "translate(100 0)rotate(90)" : "");

/** The marks of shots, the water, and what is behind the cells. */
function shared() {
  const path = (name, d) => svg("path", { d, class: `bs-${name}` });
  const mark = (name, ...shapes) => svg("g", { id: `bs-${name}` }, shapes);
  const wave = (x, y) => `M${x} ${y}q22-14 44 0t44 0`;
  return svg("defs", {},
    svg("pattern", { id: "bs-waves", width: 250, height: 200, patternUnits: "userSpaceOnUse" }, path("wave", wave(20, 30) + wave(140, 80) + wave(60, 130) + wave(155, 180))),
    mark("unknown", path("hole", ring(50, 50, 8))),
    mark("miss", path("ripple", ring(50, 50, 24)), path("peg", ring(50, 50, 12))),
    mark("hit", path("blast", "M0 13H100V87H0Z"), svg("g", { transform: "translate(18 14)scale(.64)" }, path("flame", FLAME), path("spark", SPARK))),
    mark("sunk", path("ember", ring(50, 50, 11))));
}

function labels() {
  const steps = [...ROWS];
  return svg("g", { class: "labels", "aria-hidden": "true" },
    steps.map((_, x) => svg("text", { x: 150 + 100 * x, y: 66 }, String(x + 1))),
    steps.map((row, y) => svg("text", { x: 62, y: 154 + 100 * y }, row)));
}

const lattice = (make) => Array.from({ length: SIZE }, (_, y) => Array.from({ length: SIZE }, (__, x) => make(x, y)));

/** A board: its frame, the water with its fields, by rows, the ships, and what is above them. */
function plate(fields, ships, above, attributes) {
  // In Chromium an SVG with a focus listener would be a tab stop.
  return svg("svg", { viewBox: "24 24 1096 1096", tabindex: -1, ...attributes }, shared(), labels(),
    svg("g", { "aria-hidden": "true" }, svg("rect", { class: "water", x: 100, y: 100, width: 1000, height: 1000 }), svg("rect", { fill: "url(#bs-waves)", x: 100, y: 100, width: 1000, height: 1000 }), fields.flat()), ships, above);
}

const field = (x, y) => svg("rect", { class: "field", width: 100, height: 100, transform: origin(x, y) });

/** A board of cells. `shoot(at)` is called with the chosen cell; null if the board is only for looking. */
function seaBoard(id, context, shoot) {
  const cells = new Map();
  let cursor = [0, 0];
  const drawn = {}; // how each cell, and the fleet, was drawn last
  const fields = lattice(field);
  const fleet = svg("g", { class: "fleet", "aria-hidden": "true" });
  const rows = lattice((x, y) => {
    const cell = svg("g", { role: "gridcell", class: "cell", tabindex: -1, "data-cell": `${x},${y}`, transform: origin(x, y) },
      svg("rect", { class: "touch", width: 100, height: 100 }), svg("use", { class: "mark" }), svg("rect", { class: "ring", x: 5, y: 5, width: 90, height: 90, rx: 8 }));
    cells.set(`${x},${y}`, cell);
    return cell;
  }).map((row) => svg("g", { role: "row" }, row));
  const node = plate(fields, fleet, rows, { role: "grid", class: "sea", "data-board": id });
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
      const ships = found(states).map((ship) => [...ship, states.get(String(ship.slice(0, 2))) === "sunk"]);
      if (String(ships) !== drawn.fleet) {
        drawn.fleet = String(ships);
        replace(fleet, ...ships.map(([x, y, length, way, isSunk]) => svg("g", { class: "hull", transform: lying([x, y, length, way]), "data-at": [x, y, length, way].join(","), "data-sunk": isSunk }, vessel(length))));
      }
      for (const [key, cell] of cells) {
        const state = states.get(key) ?? rest;
        const at = key.split(",").map(Number);
        const isLast = String(last?.at) === key;
        const isPending = isLast && last.code === null;
        // Only what has changed: each new `href` costs a frame of a replay that is scrubbed some time.
        const look = `${state} ${isLast} ${isPending} ${isActive}`;
        if (drawn[key] === look) continue;
        drawn[key] = look;
        cell.dataset.state = fields[at[1]][at[0]].dataset.state = state;
        cell.toggleAttribute("data-last", isLast);
        cell.toggleAttribute("data-pending", isPending);
        cell.setAttribute("aria-label", context.t("cell", { cell: named(at), state: context.t(isPending ? "pending" : state) }));
        cell.children[1].setAttribute("href", `#bs-${state === "water" && state !== rest ? "miss" : state}`);
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
  const hulls = FLEET.map((length, index) => svg("g", { class: "hull", role: "button", tabindex: -1, "data-ship": index }, vessel(length), svg("path", { class: "ring" })));
  const node = plate(lattice(field), null, hulls, { role: "application", class: "sea harbour", "data-board": "own" });
  const held = (index) => (picked && index === chosen ? picked.ship : ships[index]);
  const tried = () => ships.map((ship, index) => held(index));
  const said = (ship) => t("shipAt", { length: ship[2], from: named(ship), to: named(shipCells(ship).at(-1)) });

  function draw() {
    node.setAttribute("aria-label", t("harbour"));
    node.toggleAttribute("data-held", Boolean(picked));
    hulls.forEach((hull, index) => {
      const ship = held(index);
      if (!ship) return;
      const isPicked = Boolean(picked) && index === chosen;
      const isBad = isPicked && !fits(tried(), index);
      hull.setAttribute("transform", lying(ship));
      const [left, right] = [24, 100 * ship[2] - 24];
      hull.lastChild.setAttribute("d", outline(ship[2]) + (isBad ? `M${left} 24 ${right} 76M${left} 76 ${right} 24` : ""));
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

/** The ships of a board that still float, and those that do not. `states`: of one's own cells, for the hits on ships. */
function roster(afloat, t, states = new Map()) {
  const left = [...afloat];
  // By ship, which of its cells are hit.
  const hit = found(states).map((ship) => shipCells(ship).map((cell) => states.get(String(cell)) === "hit")).sort((one, other) => other.filter(Boolean).length - one.filter(Boolean).length);
  const ships = FLEET.map((length) => {
    const place = left.indexOf(length);
    if (place >= 0) left.splice(place, 1);
    const label = t(place < 0 ? "sank" : "floats", { length });
    const picture = { viewBox: `0 5 ${100 * length} 90`, role: "img", class: "hull", "data-length": length, "data-sunk": place < 0, "aria-label": label };
    const at = place < 0 ? -1 : hit.findIndex((cells) => cells.length === length);
    const holes = at < 0 ? "" : hit.splice(at, 1)[0].map((isHit, n) => (isHit ? ring(100 * n + 50, 50, 30) : "")).join("");
    return el("li", {}, svg("svg", picture, vessel(length), holes && svg("path", { class: "bs-blast bs-struck", d: holes }), place < 0 && svg("path", { class: "strike", d: `M14 88L${100 * length - 14} 12` })));
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
    if (!isPlacing) own.say(title("own", you.seat ?? -1), [roster(you.fleet.afloat, t, told(you.fleet, "miss"))], `${you.fleet.afloat} ${you.fleet.hits}`);
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
