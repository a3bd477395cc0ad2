// The board of Hive: 91 hexagons, stacks, both hands.
//
// For tests: root data-kind, data-phase; each field data-cell="x,y", data-stack (letters bottom to top, upper case: red),
// data-target, data-movable, data-chosen, data-last; pieces in hand data-piece="ANT" data-seat; data-action="skip".
// data-danger: a bee with at most two free fields around it.

import { bdi, el, isChord, replace, svg } from "../../dom.js";
import { words } from "./words.js";

export { codes } from "./words.js";
export { words };

const RADIUS = 5;
const SIZE = 10;
const WHOLE = [-97, -88, 97, 88]; // left, top, right, bottom
const LEAST = [62, 54]; // half of the smallest part that is shown
const WIDE = Math.sqrt(3) * SIZE;
const PIECES = { BEE: "Q", SPIDER: "S", GRASSHOPPER: "G", BEETLE: "B", ANT: "A" };
const STEPS = {
  ArrowLeft: [-1, 1], ArrowRight: [1, -1], Home: [0, 1], PageUp: [1, 0], End: [-1, 0], PageDown: [0, -1],
};

const key = (x, y) => `${x},${y}`;
const pair = (name) => name.split(",").map(Number);
const same = (place, name) => place !== undefined && key(place[0], place[1]) === name;
const isRed = (letter) => letter === letter.toUpperCase();
const seatOf = (letter) => (isRed(letter) ? 0 : 1);
const colorOf = (seat, t) => t(seat === 0 ? "red" : "blue");
const nameOf = (letter, t) => t("of", { piece: t(`piece${letter.toUpperCase()}`), color: colorOf(seatOf(letter), t) });

/** The piece that a move drags, found by replaying the moves before it; undefined if these are not known. */
function dragged(move, moves) {
  if (moves[0]?.n > 1) return undefined;
  const stacks = new Map();
  for (const one of moves.slice(0, move.n - 1)) {
    const [kind, first, second] = one.text.split(" ");
    const piece = kind === "S" ? first : kind === "D" ? stacks.get(first)?.pop() : undefined;
    if (piece) stacks.set(second, [...(stacks.get(second) ?? []), piece]);
  }
  return stacks.get(move.text.split(" ")[1])?.at(-1);
}

/** One sentence for a move in the notation of records. `moves`: all moves of the game. */
export function describe(move, scene, t, moves = []) {
  const [kind, first, second] = move.text.split(" ");
  const color = move.seat === 0 || move.seat === 1 ? colorOf(move.seat, t) : "";
  const place = (text) => { const [x, y] = text.split(","); return `(${t("field", { x, y })})`; };
  if (kind === "P") return t("passes", { color });
  if (kind === "S" && second) return t("sets", { color, piece: t(`a${first.toUpperCase()}`), to: place(second) });
  if (kind === "D" && second && first !== "-") {
    const stack = move.n !== undefined && scene?.last?.n === move.n ? scene.board?.board[second] : undefined;
    // The board may still be the one before the move, with the piece on top that this one climbs onto.
    const letter = dragged(move, moves) ?? stack?.at(-1);
    const piece = letter ? t(`a${letter.toUpperCase()}`) : t("somePiece");
    return t("moves", { color, piece, from: place(first), to: place(second) });
  }
  if (kind === "O") return t("obstructs", { cells: move.text.slice(2).split(" ").map(place).join(", ") });
  return t("unclear", { color, text: move.text });
}

/** A move by the letters on the piece and its places: "Be 0,1", "An 1,2→2,2". */
export function brief(move, t, moves) {
  const [kind, first, second] = move.text.split(" ");
  if (kind === "P") return t("pass");
  if (kind === "S" && second) return `${t(`short${first.toUpperCase()}`)} ${second}`;
  const letter = kind === "D" && second && first !== "-" ? dragged(move, moves) : null;
  return letter ? `${t(`short${letter.toUpperCase()}`)} ${first}→${second}` : null;
}

// Drawing

const centre = (x, y) => [WIDE * (x + (-x - y) / 2), SIZE * 1.5 * (-x - y)];

function hexagon(radius, attributes) {
  const points = [0, 1, 2, 3, 4, 5].map((corner) => {
    const angle = (Math.PI / 3) * corner + Math.PI / 6;
    return `${(radius * Math.cos(angle)).toFixed(2)},${(radius * Math.sin(angle)).toFixed(2)}`;
  });
  return svg("polygon", { points: points.join(" "), ...attributes });
}

const round = (x, y, rx, ry = rx) => `M${x - rx} ${y}a${rx} ${ry} 0 1 0 ${2 * rx} 0a${rx} ${ry} 0 1 0-${2 * rx} 0`;

// Insects from above: the body, what is on both sides of it, the lines on the body. A grasshopper is seen from its side.
const INSECTS = {
  Q: [round(0, -2.9, 0.9) + round(0, -1.4, 1.2) + round(0, 1.4, 1.7, 2.5), "M-.9-1.6C-4.6-4.4-5-.1-1.1-.4Z", "M-1.4.5h2.8M-1.7 1.6h3.4M-1.4 2.7h2.8"],
  S: [round(0, -1.2, 1.4) + round(0, 1.7, 2, 2.3), "M-.9-1.9L-3.1-3.4-3.5-5.2M-1.1-1.4L-4-1.9-5.2-3.3M-1.1-.8L-4 .3-5.2 2M-.9-.2L-3.1 2.4-3.5 4.9", "M-1.2 1.6H1.2M0 .4V3.2"],
  G: ["M4.7-.7C4.3-2 2.7-2.2 1.5-1.4L-5.2 1.2C-5.5 2-4.5 2.4-3.4 2.3L2 2C4 1.8 5 .6 4.7-.7ZM.4 1L-2.5-4.3-3.5-3.8-1.6 1.3Z", "M-3-4L-4.4 4H-5.4M2.8 1.6L3.6 4M.6 1.8L.2 4M4-1.4Q4.4-3.8 2-4.9", "M3.5-.6h.1M1.3 0L-3.8 1.4"],
  B: [round(0, -3.3, 1.7, 1.2) + round(0, 0.9, 3.1, 3.6), "M-2.5-1.2L-4.3-2.5M-3 .9H-4.9M-2.6 2.8L-4.2 4.2M-.9-4.2L-2.1-5.2", "M0-1.6V4.4M-2.8-.5Q0-2.6 2.8-.5"],
  A: [round(0, -3.2, 1.3, 1.1) + round(0, -0.7, 0.8, 1.4) + round(0, 2.9, 1.5, 2.1), "M-.7-1.3L-2.4-2.1-3.2-3.4M-.8-.7L-3-.5-4 .8M-.7-.1L-2.1 1.3-2.8 3.4M-.5-4.1L-1.4-5.2-2.6-5.3", ""],
};

function insect(letter) {
  const [body, side, lines] = INSECTS[letter];
  const path = (d, name, more) => svg("path", { d, class: name, ...more });
  return svg("g", { class: `h-insect h-${letter}` }, path(side), letter !== "G" && path(side, "", { transform: "scale(-1 1)" }), path(body, "h-body"), path(lines, "h-lines"));
}

/** A tile, around (0, 0). What is drawn on red ones is round, on blue ones a hexagon, so that colours are not needed. */
function token(seat, ...inside) {
  const plate = seat === 0 ? svg("circle", { class: "h-plate", r: 7.5 }) : hexagon(SIZE - 2.2, { class: "h-plate" });
  const body = [hexagon(SIZE - 0.9, { class: "h-base", transform: "translate(0 1.3)" }), hexagon(SIZE - 0.9, { class: "h-tile" }), plate];
  return svg("g", { class: `h-piece h-seat-${seat}` }, ...body, ...inside);
}

const lettersOf = (letter, t) => t(`short${letter.toUpperCase()}`);

/** A piece around (0, 0). */
const piece = (letter) => token(seatOf(letter), insect(letter.toUpperCase()));

const picture = (content, name) => svg("svg", { viewBox: "-10 -10 20 20", "aria-hidden": "true", class: name }, content);

/** A stack around (0, 0). Up to three pieces are visible below the topmost one. */
function stack(letters) {
  const below = letters.slice(Math.max(0, letters.length - 4), -1);
  const raised = below.length * 1.7;
  const layers = [...below].map((letter, level) => svg("g", { transform: `translate(0 ${(raised - level * 3.4).toFixed(1)})` },
    piece(letter)));
  const top = svg("g", { transform: `translate(0 ${(raised - below.length * 3.4).toFixed(1)})` }, piece(letters.at(-1)));
  return svg("g", { class: "h-stack" }, ...layers, top);
}

/** The number of pieces in a stack, drawn above all fields; yellow if a bee is among the covered ones. */
function height(letters) {
  return letters.length > 1 && svg("g", { class: /q/i.test(String(letters.slice(0, -1))) ? "h-count h-hides" : "h-count" }, svg("circle", { cx: 6, cy: 5.2, r: 3.2 }), svg("text", { x: 6, y: 6.9 }, letters.length));
}

/** The sides of a tile in some directions, as lines. */
const sides = (ways) => ways.map((way) => {
  const [x, y] = centre(...way);
  const corner = (turn) => {
    const angle = Math.atan2(y, x) + turn * Math.PI / 6;
    return `${((SIZE - 1.7) * Math.cos(angle)).toFixed(2)} ${((SIZE - 1.7) * Math.sin(angle)).toFixed(2)}`;
  };
  return `M${corner(-1)}L${corner(1)}`;
}).join("");

function cells() {
  const names = [];
  for (let z = -RADIUS; z <= RADIUS; z += 1) {
    const row = [];
    for (let x = -RADIUS; x <= RADIUS; x += 1) if (Math.abs(x + z) <= RADIUS) row.push(key(x, -x - z));
    names.push(row);
  }
  return names;
}

/**
 * @param {HTMLElement} root
 * @param {BoardContext} context
 * @returns {Board}
 */
export function create(root, context) {
  const { t } = context;
  const plays = context.mode === "play";
  const fields = new Map();
  let scene = null;
  let chosen = null;
  let cursor = "0,0";
  let isSent = false;
  let spoken = "";
  let explained = null;
  let aspect = 1.1; // of the board's width to its height
  let isTall = false; // so that its fields are large even if all are shown

  const grid = svg("svg", { viewBox: "-97 -88 194 176", role: "grid", "aria-label": t("board"), class: "h-field-grid" });
  const hands = [0, 1].map(makeHand);
  const detail = el("p", { class: "h-detail" });
  const count = el("p", { class: "h-turn" });
  const skip = el("div", { class: "h-skip", hidden: true });
  const end = el("div", { class: "h-end", hidden: true });
  const help = plays && el("p", { class: "h-help" }, t("help"));
  const box = el("div", { class: "hive" }, hands[0].node, el("div", { class: "h-middle" }, skip, grid), hands[1].node,
    el("div", { class: "h-below" }, end, detail, count, help));
  const way = svg("line", { class: "h-way", "marker-end": "url(#h-head)" });
  const head = svg("marker", { id: "h-head", viewBox: "0 0 6 6", refX: 4, refY: 3, markerWidth: 4, markerHeight: 4, orient: "auto" },
    svg("path", { d: "M0 0L6 3L0 6z" }));
  const frames = [hexagon(SIZE - 0.2, { class: "h-came" }), hexagon(SIZE - 0.2, { class: "h-went" })];
  const above = svg("g", { class: "h-above", "aria-hidden": "true" }, svg("defs", {}, head), frames, way);
  for (const row of cells()) grid.append(svg("g", { role: "row" }, ...row.map(makeField)));
  grid.append(above);
  grid.addEventListener("keydown", pressed);
  const sized = new ResizeObserver(([{ contentRect }]) => {
    aspect = contentRect.width / (contentRect.height || 1) || aspect;
    isTall = contentRect.height > 440;
    zoom();
  });
  sized.observe(grid);
  box.addEventListener("keydown", (event) => {
    if (isChord(event)) return;
    const name = Object.keys(PIECES)[Number(event.key) - 1];
    if (event.key === "Escape" && chosen) choose(null);
    else if (plays && name) pick(name, you()?.seat);
    else return;
    event.preventDefault();
  });
  // Not on the grid itself: in Chromium an SVG with a focus listener can get the focus. Only keys may change what is shown:
  // between the press of a mouse button and its release, the field must stay under it.
  box.addEventListener("focusin", (event) => event.target.matches(":focus-visible") && zoom());
  root.dataset.kind = "hive";
  replace(root, box);

  function makeField(name) {
    const [x, y] = pair(name);
    const [left, top] = centre(x, y);
    const transform = `translate(${left.toFixed(2)} ${top.toFixed(2)})`;
    const parts = { place: svg("text", { class: "h-place" }, t("field", { x, y })), marks: svg("g", {}), pieces: svg("g", {}), over: svg("g", {}), count: svg("g", { "data-count": name, transform }) };
    const node = svg("g", {
      role: "gridcell", class: "h-field", tabindex: name === cursor ? 0 : -1, "data-cell": name,
      transform,
      onclick: () => { go(name, true); act(name); }, onfocus: () => show(name), onpointerenter: () => show(name),
    }, hexagon(SIZE - 0.1, { class: "h-ground" }), parts.place, parts.marks, parts.pieces, parts.over, hexagon(SIZE - 1.5, { class: "h-ring" }));
    above.append(parts.count);
    fields.set(name, { node, ...parts, drawn: "" });
    return node;
  }

  function makeHand(seat) {
    const title = el("h2", {});
    const bee = el("p", { class: "h-bee" });
    const list = el("div", { class: "h-pieces", role: "group" });
    const buttons = Object.entries(PIECES).map(([name, letter]) => {
      const own = seat === 0 ? letter : letter.toLowerCase();
      const number = el("span", {});
      const node = el(plays ? "button" : "span", { type: plays ? "button" : null, role: plays ? null : "img", class: "h-held",
        "data-piece": name, "data-seat": seat, "aria-keyshortcuts": plays ? list.childElementCount + 1 : null, onclick: plays ? () => pick(name, seat) : null }, picture(piece(own)), el("span", { class: "h-short" }, lettersOf(letter, t)), number);
      list.append(node);
      return { name, letter, own, node, number };
    });
    const empty = el("p", { class: "h-empty", hidden: true }, t("handEmpty"));
    return { seat, title, bee, list, buttons, empty, node: el("section", { class: `h-hand h-side-${seat}` }, title, bee, list, empty) };
  }

  // Legal moves, and choosing one

  const you = () => (plays ? scene?.you : undefined);
  const legal = () => (isSent ? [] : you()?.legal ?? []);
  const goals = (choice) => legal().filter((move) => (choice.piece ? move.do === "set" && move.piece === choice.piece
    : move.do === "move" && same(move.from, choice.from)));
  const movable = () => new Set(legal().filter((move) => move.do === "move").map((move) => key(move.from[0], move.from[1])));
  const settable = () => new Set(legal().filter((move) => move.do === "set").map((move) => move.piece));
  const last = () => scene?.last ?? (plays ? scene?.you?.last : null) ?? null;

  function choose(choice) {
    chosen = choice;
    const letter = choice && (choice.piece ? PIECES[choice.piece] : scene.board.board[choice.from].at(-1).toUpperCase());
    context.announce(choice ? t("chosen", { piece: t(`piece${letter}`), count: goals(choice).length }) : t("letGo"));
    draw();
  }

  function pick(name, seat) {
    if (seat !== you()?.seat || !settable().has(name)) context.announce(t("notSettable"));
    else choose(chosen?.piece === name ? null : { piece: name });
  }

  function act(name) {
    if (!plays || !legal().length) return;
    const move = chosen && goals(chosen).find((goal) => same(goal.to, name));
    if (move) send(move);
    else if (chosen?.from === name) choose(null);
    else if (movable().has(name)) choose({ from: name });
    else if (chosen) context.announce(t("notThere"));
    else context.announce(t(isOwn(name) ? "notMovable" : "notOwn"));
  }

  function isOwn(name) {
    const letters = scene.board.board[name];
    return letters !== undefined && seatOf(letters.at(-1)) === scene.you.seat;
  }

  async function send(move) {
    isSent = true;
    chosen = null;
    draw();
    try {
      await context.act(move);
    } catch {
      // The shell shows the reason. The player may choose again.
      isSent = false;
      draw();
    }
  }

  // Cursor

  function go(name, focuses) {
    fields.get(cursor).node.setAttribute("tabindex", "-1");
    cursor = name;
    const { node } = fields.get(name);
    node.setAttribute("tabindex", "0");
    if (focuses) node.focus({ preventScroll: true });
  }

  function pressed(event) {
    if (isChord(event)) return;
    if (event.key === "Enter" || event.key === " ") act(cursor);
    else {
      const next = nextTo(cursor, event.key);
      if (!next) return;
      go(next, true);
    }
    event.preventDefault();
  }

  function nextTo(name, pressedKey) {
    const [x, y] = pair(name);
    if (pressedKey in STEPS) {
      const found = key(x + STEPS[pressedKey][0], y + STEPS[pressedKey][1]);
      return fields.has(found) ? found : name;
    }
    if (pressedKey !== "ArrowUp" && pressedKey !== "ArrowDown") return null;
    const ways = pressedKey === "ArrowUp" ? ["Home", "PageUp"] : ["End", "PageDown"];
    // Each row is shifted by half a field. Up and down alternate between the two diagonals, so that the cursor stays in line.
    if ((x + y) & 1) ways.reverse();
    return ways.map((way) => nextTo(name, way)).find((found) => found !== name) ?? name;
  }

  // Showing

  /** Shows all of the board; where it is small, the part with the pieces. */
  function zoom() {
    const names = Object.keys(scene?.board?.board ?? {});
    let [left, top, right, bottom] = WHOLE;
    if (names.length) {
      names.push(...legal().map((move) => move.to && key(move.to[0], move.to[1])).filter(Boolean));
      if (grid.querySelector(":focus-visible")) names.push(cursor);
      const places = names.map((name) => centre(...pair(name)));
      const [xs, ys] = [0, 1].map((axis) => places.map((place) => place[axis]));
      const span = (values, axis, margin) => {
        const [least, most] = [Math.min(...values), Math.max(...values)];
        const half = Math.max((most - least) / 2 + margin, LEAST[axis]);
        return [(least + most) / 2 - half, (least + most) / 2 + half];
      };
      [[left, right], [top, bottom]] = [span(xs, 0, 1.3 * WIDE), span(ys, 1, 1.5 * SIZE)];
    }
    // Whole rows, which are 15 apart; all of it where a part would not be much larger.
    let height = 15 * Math.ceil((Math.max(bottom - top, (right - left) / aspect) - 9) / 15) + 9;
    const all = Math.max(176, 194 / aspect);
    const isWhole = isTall || height > 0.9 * all;
    if (isWhole) [[left, top, right, bottom], height] = [WHOLE, all];
    const [upper, width] = [(top + bottom - height) / 2, height * aspect];
    const place = [(left + right - width) / 2, isWhole ? upper : 15 * Math.round((upper + 87) / 15) - 87, width, height];
    const shows = place.map((at) => at.toFixed(1)).join(" ");
    if (grid.getAttribute("viewBox") === shows) return;
    grid.setAttribute("viewBox", shows);
    // No field is shown in part.
    for (const [name, { node }] of fields) {
      const at = centre(...pair(name)).map((middle, axis) => Math.min(middle - place[axis], place[axis] + place[axis + 2] - middle));
      node.classList.toggle("h-cut", at[0] < WIDE / 2 - 1 || at[1] < SIZE - 1);
    }
  }

  /** Frames at both ends of the last move, and an arrow between them. */
  function drawWay({ ends }) {
    const places = [ends.length > 1 ? ends[0] : null, ends.at(-1)].map((end) => (fields.has(end) ? centre(...pair(end)) : null));
    frames.forEach((frame, n) => {
      frame.toggleAttribute("hidden", !places[n]);
      if (places[n]) frame.setAttribute("transform", `translate(${places[n].map((at) => at.toFixed(2)).join(" ")})`);
    });
    const [[x1, y1], [x2, y2]] = places.every(Boolean) ? places : [[0, 0], [0, 0]];
    const far = Math.hypot(x2 - x1, y2 - y1);
    // Between neighbours there is no room for it.
    way.toggleAttribute("hidden", far < 20);
    if (far < 20) return;
    // From the middle of the free field to the edge of the piece.
    const on = (part) => [x1 + (x2 - x1) * part, y1 + (y2 - y1) * part];
    const [from, to] = [on(3 / far), on(1 - 11.5 / far)];
    for (const [name, value] of Object.entries({ x1: from[0], y1: from[1], x2: to[0], y2: to[1] })) way.setAttribute(name, value.toFixed(1));
  }

  /** What all fields of one drawing need: sets of the fields' names, and both ends of the last move. */
  function overview() {
    const text = last()?.text ?? "";
    const names = (list) => new Set((list ?? []).map((cell) => key(cell[0], cell[1])));
    return {
      barred: names(scene.board?.obstructed), gaps: [0, 1].map((seat) => names(scene.board?.gaps[seat])), movable: movable(),
      targets: names(chosen ? goals(chosen).map((goal) => goal.to) : []),
      ends: text.startsWith("O") ? [] : text.split(" ").slice(1).map((end) => end.split(",").slice(0, 2).join(",")),
    };
  }

  function marksOf(name, { barred, gaps, targets, ends }) {
    const closed = closedAround(name, gaps);
    return {
      letters: scene.board?.board[name] ?? "",
      isBarred: barred.has(name),
      besides: [0, 1].filter((seat) => gaps[seat].has(name)),
      isTarget: targets.has(name),
      closed,
      inDanger: closed !== null && closed.length >= 4,
      isChosen: chosen?.from === name,
      last: ends.at(-1) === name ? "to" : ends.length > 1 && ends[0] === name ? "from" : "",
    };
  }

  /** The directions in which a bee is closed in; null for other pieces. */
  function closedAround(name, gaps) {
    const bee = /q/i.exec(scene.board?.board[name] ?? "")?.[0];
    if (bee === undefined) return null;
    const [x, y] = pair(name);
    return Object.values(STEPS).filter(([dx, dy]) => !gaps[seatOf(bee)].has(key(x + dx, y + dy)));
  }

  function labelOf(name, marks, isMovable) {
    const [x, y] = pair(name);
    const { letters } = marks;
    const names = [...letters].reverse().map((letter) => nameOf(letter, t));
    const content = names.length > 1 ? t("stack", { count: names.length, pieces: names.join(", ") }) : names[0];
    const parts = [content ?? t(marks.isBarred ? "obstructed" : "empty"), t("field", { x, y })];
    for (const seat of marks.besides) parts.push(t("beside", { color: colorOf(seat, t) }));
    if (marks.inDanger) parts.push(t("inDanger"));
    if (marks.last) parts.push(t("isLast"));
    if (marks.isChosen) parts.push(t("isChosen"));
    else if (marks.isTarget) parts.push(t("isTarget"));
    else if (isMovable) parts.push(t("canMove"));
    return parts.join("; ");
  }

  function drawField(name, field, all) {
    const marks = marksOf(name, all);
    const isMovable = all.movable.has(name);
    const { node } = field;
    const label = labelOf(name, marks, isMovable);
    const drawn = `${label}|${marks.last}|${marks.closed}`;
    if (drawn === field.drawn) return;
    field.drawn = drawn;
    node.setAttribute("aria-label", label);
    if (plays) node.setAttribute("aria-selected", String(marks.isChosen));
    const flags = { stack: marks.letters, target: marks.isTarget, movable: isMovable, chosen: marks.isChosen, last: marks.last, danger: marks.inDanger };
    for (const [flag, value] of Object.entries(flags)) {
      if (value) node.dataset[flag] = value === true ? "" : value;
      else delete node.dataset[flag];
    }
    node.classList.toggle("h-barred", marks.isBarred);
    replace(field.marks, marks.isBarred && svg("path", { class: "h-bars", d: "M-3-3L3 3M3-3L-3 3" }));
    replace(field.pieces, marks.letters && stack(marks.letters));
    replace(field.count, height(marks.letters), ...["h-closed", "h-closed h-core"].map((name) => marks.closed && svg("path", { class: name, d: sides(marks.closed) })), marks.isTarget && marks.letters && svg("circle", { class: "h-target h-onto", r: 7.6 }));
    replace(field.over, marks.isTarget && !marks.letters && svg("circle", { class: "h-target", r: 2.8 }));
  }

  function drawHand(hand) {
    const { seat } = hand;
    const letters = scene.board?.hands[seat] ?? "";
    const own = you()?.seat === seat;
    const free = scene.board?.free[seat] ?? -1;
    const may = own ? settable() : new Set();
    replace(hand.title, picture(token(seat), "h-badge"),
    el("span", {}, colorOf(seat, t)), context.player(seat));
    hand.node.classList.toggle("h-own", own);
    hand.node.classList.toggle("h-to-move", (scene.board?.to_move ?? []).includes(seat));
    hand.bee.textContent = free < 0 ? t("beeMissing") : t("beeFree", { count: free });
    hand.list.setAttribute("aria-label", t("hand", { color: colorOf(seat, t) }));
    for (const one of hand.buttons) {
      const number = [...letters].filter((letter) => letter === one.letter).length;
      one.node.hidden = number === 0;
      one.number.textContent = `×${number}`;
      // The accessible name contains the visible text: the letters on the picture and the number.
      const spelled = { piece: t(`piece${one.letter}`), short: lettersOf(one.letter, t), count: number };
      one.node.setAttribute("aria-label", t("inHand", spelled));
      if (!plays) continue;
      one.node.setAttribute("aria-pressed", String(own && chosen?.piece === one.name));
      one.node.setAttribute("aria-disabled", String(!may.has(one.name)));
      one.node.setAttribute("tabindex", own ? "0" : "-1");
    }
    hand.empty.hidden = letters.length > 0 || !scene.board;
  }

  function show(name) {
    explained = name;
    if (name === null) return;
    const field = fields.get(name);
    const letters = scene?.board?.board[name] ?? "";
    const stackShown = [...letters].reverse().map((letter) => picture(piece(letter)));
    replace(detail, letters.length > 1 ? stackShown : null, el("span", {}, field.node.getAttribute("aria-label") ?? ""));
  }

  function drawSkip() {
    const due = Boolean(you()?.mustSkip) && !isSent;
    if (due === !skip.hidden) return;
    skip.hidden = !due;
    if (!due) { replace(skip); return; }
    const button = el("button", { type: "button", class: "primary", "data-action": "skip", onclick: () => send({ do: "skip" }) }, t("skip"));
    replace(skip, el("p", {}, t("mustSkip")), el("h2", {}, t("legal")), el("ul", {}, el("li", {}, button)));
  }

  function statusText() {
    const board = scene.board;
    // The result and its reasons are below the board.
    if (isOver()) return "";
    if (you()?.mustSkip) return t("mustSkip");
    if (plays && ["joining", "waiting", "held"].includes(scene.phase)) return t(scene.phase);
    if (plays && scene.phase === "play" && !isSent) {
      const only = settable().size === 1 && settable().has("BEE") && movable().size === 0 && board.turn >= 6;
      return t(only ? "mustBee" : "yourTurn");
    }
    const mover = board?.to_move?.[0];
    return mover === undefined ? "" : t("theirTurn", { color: colorOf(plays && isSent ? scene.you.seat : mover, t) });
  }

  const isOver = () => Boolean(scene.outcome) || scene.phase === "over" || Boolean(scene.board?.reason);

  function verdict() {
    const winner = scene.outcome?.winner ?? scene.board?.winner ?? null;
    if (plays && typeof scene.won === "boolean") return t(scene.won ? "overWon" : "overLost");
    if (winner !== null) return t("overWinner", { color: colorOf(winner, t) });
    return t(scene.board?.reason ? "overDrawn" : "overNobody");
  }

  function drawEnd() {
    end.hidden = !isOver();
    if (end.hidden) { replace(end); return; }
    const scores = you()?.result?.scores ?? [];
    const reason = scene.board?.reason;
    const why = reason ? [t(`reason${reason[0].toUpperCase()}${reason.slice(1)}`)] : scores.flatMap((score, seat) => {
      const word = `cause${score.cause}`;
      return word in words.en ? [t(word, { color: colorOf(seat, t), reason: score.reason })] : [];
    });
    const points = scores.map((score, seat) => t("points", { color: colorOf(seat, t), points: score.points[0] ?? "", free: score.points[1] ?? "" }));
    const refusal = you()?.refusal && !why.length ? [you().refusal] : [];
    replace(end, el("p", { class: "h-verdict" }, verdict()), ...[...why, ...refusal, ...points].map((text) => el("p", {}, bdi(text))));
  }

  function draw() {
    const all = overview();
    for (const [name, field] of fields) drawField(name, field, all);
    drawWay(all);
    grid.toggleAttribute("data-choosing", Boolean(chosen));
    zoom();
    hands.forEach(drawHand);
    drawSkip();
    drawEnd();
    if (help) help.hidden = isOver() || !scene.board;
    const turn = scene.board ? t("turn", { turn: Math.min(scene.board.turn + (isOver() ? 0 : 1), 60) }) : "";
    count.textContent = turn;
    root.dataset.phase = scene.phase ?? "";
    show(explained);
    const status = statusText();
    context.setStatus(chosen ? t("chooseField") : status);
    if (plays && scene.phase === "play" && status !== spoken) context.announce(status);
    spoken = status;
  }

  return {
    update(next) {
      const isNew = scene?.board?.turn !== next.board?.turn || scene?.phase !== next.phase;
      scene = next;
      if (isNew) isSent = false;
      if (chosen && !goals(chosen).length) chosen = null;
      draw();
    },
    destroy() {
      sized.disconnect();
      replace(root);
    },
  };
}
