// The board of Blokus: 20 by 20 fields, and for each of the four colours the pieces that are left.
//
// For tests: root data-kind, data-phase; each field data-cell="x,y", data-color="B", data-last, data-target, data-preview;
// pieces data-piece="PENTO_L" data-color="B", data-used; data-action="turn", "flip", "skip".

import { ARROWS, bdi, el, isChord, replace, svg } from "../../dom.js";
import { words } from "./words.js";

export { codes } from "./words.js";
export { words };

const SIZE = 20;
const CELL = 10; // a field's side on the drawing
const LETTERS = "BYRG"; // in the order of the turns; seat 0 has B and R
const SHAPES = {
  MONO: "00", DOMINO: "00 10", TRIO_L: "00 01 11", TRIO_I: "00 01 02", TETRO_O: "00 10 01 11", TETRO_T: "00 10 20 11",
  TETRO_I: "00 01 02 03", TETRO_L: "00 01 02 12", TETRO_Z: "00 10 11 21", PENTO_L: "00 01 02 03 13",
  PENTO_T: "00 10 20 11 12", PENTO_V: "00 01 02 12 22", PENTO_S: "10 20 30 01 11", PENTO_Z: "00 10 11 12 22",
  PENTO_I: "00 01 02 03 04", PENTO_P: "00 10 01 11 02", PENTO_W: "00 01 11 12 22", PENTO_U: "00 01 11 21 20",
  PENTO_R: "01 11 12 21 20", PENTO_X: "10 01 11 21 12", PENTO_Y: "01 10 11 12 13",
};
const NAMES = Object.keys(SHAPES);
const ROTATIONS = ["NONE", "RIGHT", "MIRROR", "LEFT"]; // by as many quarters clockwise
// What is drawn on the fields of a colour, so that colours are not needed to tell them apart.
const MARKS = { B: "m-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0", Y: "m-1.7-1.7h3.4v3.4h-3.4z", R: "m0-2.4l2.4 2.4l-2.4 2.4l-2.4-2.4z", G: "m-2.2 0h4.4m-2.2-2.2v4.4" };

const key = (x, y) => `${x},${y}`;
const pair = (name) => name.split(",").map(Number);
const isInside = ([x, y]) => x >= 0 && y >= 0 && x < SIZE && y < SIZE;
const seatOf = (letter) => LETTERS.indexOf(letter) & 1;
const colorsOf = (seat) => [LETTERS[seat], LETTERS[seat + 2]];
const byRow = (one, other) => one[1] - other[1] || one[0] - other[0];

/** Moves fields to the upper left corner. */
function aligned(places) {
  const [left, top] = [0, 1].map((axis) => Math.min(...places.map((place) => place[axis])));
  return places.map(([x, y]) => [x - left, y - top]).sort(byRow);
}

/** The fields of a piece as it lies: turned, then flipped. */
function lying({ shape, turns = 0, isFlipped = false }) {
  let places = SHAPES[shape].split(" ").map((digits) => [...digits].map(Number));
  for (let turn = 0; turn < turns; turn += 1) places = places.map(([x, y]) => [-y, x]);
  return aligned(isFlipped ? aligned(places).map(([x, y]) => [-x, y]) : places);
}

/** A piece in the notation of records: "PENTO_L LEFT FLIPPED"; null if it is none. */
function pieceOf(text) {
  const [shape, ...more] = text.split(" ");
  if (!(shape in SHAPES)) return null;
  return { shape, turns: Math.max(ROTATIONS.indexOf(more[0]), 0), isFlipped: more.includes("FLIPPED") };
}

const spelled = ({ shape, turns, isFlipped }) => [shape, turns && ROTATIONS[turns], isFlipped && "FLIPPED"].filter(Boolean).join(" ");
const shifted = (places, [left, top]) => places.map(([x, y]) => [x + left, y + top]);

/** A move in the notation of records: {letter, piece, to}; without a piece: it passes. */
function parsed(text) {
  const [, letter, name, at] = /^([BYRG]) (.+?)(?: (\d+,\d+))?$/.exec(text ?? "") ?? [];
  if (!letter) return null;
  const piece = at ? pieceOf(name) : null;
  return name === "SKIP" || piece ? { letter, piece, to: piece && pair(at) } : null;
}

/** One sentence for a move in the notation of records. */
export function describe(move, _scene, t) {
  const found = parsed(move.text);
  if (move.text.startsWith("START ")) return t("starts", { piece: move.text.slice(6) });
  if (!found) return move.text;
  const color = t(`color${found.letter}`);
  return found.piece ? t("sets", { color, piece: found.piece.shape, to: t("field", { x: found.to[0], y: found.to[1] }) }) : t("passes", { color });
}

/** A move by its colour, shape and place: "B PENTO_L 3,4". */
export function brief(move, t) {
  const found = parsed(move.text);
  if (!found) return null;
  return `${t(`color${found.letter}`)[0]} ${found.piece ? `${found.piece.shape} ${key(...found.to)}` : "–"}`;
}

// Drawing

const box = ([x, y]) => `M${x * CELL} ${y * CELL}h${CELL}v${CELL}h-${CELL}z`;

/** The outline of some fields, in two parts: the edges in the light and those in the shade. */
function edges(places) {
  const own = new Set(places.map(([x, y]) => key(x, y)));
  const drawn = ["", ""];
  for (const [x, y] of places) {
    const [left, top, right, low] = [x * CELL + 0.4, y * CELL + 0.4, (x + 1) * CELL - 0.4, (y + 1) * CELL - 0.4];
    if (!own.has(key(x, y - 1))) drawn[0] += `M${left} ${top}H${right}`;
    if (!own.has(key(x - 1, y))) drawn[0] += `M${left} ${top}V${low}`;
    if (!own.has(key(x, y + 1))) drawn[1] += `M${left} ${low}H${right}`;
    if (!own.has(key(x + 1, y))) drawn[1] += `M${right} ${top}V${low}`;
  }
  return drawn;
}

/** What draws the fields of a colour: `draw(places)`. */
function painter(letter) {
  const parts = ["k-fill", "k-lit", "k-shade", "k-mark"].map((name) => svg("path", { class: name }));
  return {
    node: svg("g", { class: `k-${letter}`, "aria-hidden": "true" }, parts),
    draw(places) {
      const marks = places.map(([x, y]) => `M${x * CELL + 5} ${y * CELL + 5}${MARKS[letter]}`);
      [places.map(box).join(""), ...edges(places), marks.join("")].forEach((d, at) => parts[at].setAttribute("d", d));
    },
  };
}

function picture(letter, piece) {
  const places = lying(piece);
  const [wide, high] = [0, 1].map((axis) => Math.max(...places.map((place) => place[axis])) + 1);
  const drawn = painter(letter);
  drawn.draw(places);
  return svg("svg", { viewBox: `0 0 ${wide * CELL} ${high * CELL}`, width: `${wide}em`, height: `${high}em`, "aria-hidden": "true" }, drawn.node);
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
  let chosen = null; // {shape, turns, isFlipped}
  let legal = new Map(); // for each shape, the fields that its legal places cover
  let pointed = null; // the field at which the chosen piece is shown
  let cursor = "0,0";
  let isSent = false;
  let passes = false; // whether Pass was pressed once
  let spoken = "";

  const colors = [...LETTERS].map(painter);
  const corners = svg("path", { class: "k-corners" });
  const targets = svg("path", { class: "k-targets" });
  const last = svg("path", { class: "k-last" });
  const preview = svg("g", { class: "k-preview" });
  const grid = svg("svg", { viewBox: "-8 -8 209 209", role: "grid", "aria-label": t("board"), class: "k-grid", onpointerleave: () => point(null) },
    svg("rect", { class: "k-ground", width: SIZE * CELL, height: SIZE * CELL }), svg("path", { class: "k-lines", d: lines() }),
    ...colors.map((one) => one.node), targets, corners, last, preview);
  for (let y = 0; y < SIZE; y += 1) {
    const row = Array.from({ length: SIZE }, (_, x) => makeField(x, y));
    grid.append(svg("g", { role: "row" }, row), ...numbers(y));
  }
  const sides = [0, 1].map(makeSide);
  const tool = (name, act) => el("button", { type: "button", "data-action": name, "aria-keyshortcuts": name[0].toUpperCase(), onclick: act }, t(name));
  const turnButton = plays && tool("turn", () => turn());
  const flipButton = plays && tool("flip", () => flip());
  const skipButton = plays && el("button", { type: "button", "data-action": "skip", onclick: skip }, t("skip"));
  const tools = plays && el("div", { class: "k-tools" }, turnButton, flipButton, skipButton);
  const end = el("div", { class: "k-end", hidden: true });
  const detail = el("p", { class: "k-detail" });
  const node = el("div", { class: "blokus" }, sides[0].node, el("div", { class: "k-middle" }, grid, tools), sides[1].node,
    el("div", { class: "k-below" }, end, detail));
  root.dataset.kind = "blokus";
  grid.addEventListener("keydown", moved);
  node.addEventListener("keydown", pressed);
  replace(root, node);

  function lines() {
    const all = Array.from({ length: SIZE + 1 }, (_, n) => `M${n * CELL} 0V${SIZE * CELL}M0 ${n * CELL}H${SIZE * CELL}`);
    return all.join("");
  }

  function numbers(n) {
    return [[n * CELL + 5, -2], [-3.6, n * CELL + 6.4]].map(([x, y]) => svg("text", { class: "k-number", x, y, "aria-hidden": "true" }, String(n)));
  }

  function makeField(x, y) {
    const name = key(x, y);
    const field = svg("rect", {
      role: "gridcell", class: "k-field", x: x * CELL, y: y * CELL, width: CELL, height: CELL, "data-cell": name,
      tabindex: name === cursor ? 0 : -1,
      onclick: () => { go(name); act(name); }, onfocus: () => point(name),
      onpointerenter: (event) => event.pointerType === "mouse" && point(name),
    });
    fields.set(name, field);
    return field;
  }

  function makeSide(seat) {
    const points = el("span", { class: "k-points" });
    const title = el("h2", {});
    const parts = colorsOf(seat).map((letter) => {
      const name = el("h3", {});
      const pieces = NAMES.map((shape) => el(plays ? "button" : "span", {
        type: plays ? "button" : null, role: plays ? null : "img", class: "k-piece", "data-piece": shape, "data-color": letter,
        onclick: plays ? () => pick(letter, shape) : null,
      }, picture(letter, { shape })));
      return { letter, name, pieces, node: el("div", { class: `k-color k-${letter}` }, name, el("div", { class: "k-pieces", role: "group" }, pieces)) };
    });
    return { seat, title, points, parts, node: el("section", { class: `k-side k-side-${seat}` }, title, parts.map((part) => part.node)) };
  }

  // Legal moves, and choosing one

  const you = () => (plays ? scene?.you : undefined);
  const moves = () => (isSent ? [] : you()?.legal ?? []);
  const letterNow = () => LETTERS[scene?.board?.color ?? 0];
  const nameOf = (places) => [...places].sort(byRow).map((place) => key(...place)).join(" ");

  function learn() {
    legal = new Map();
    for (const move of moves()) {
      const piece = move.do === "set" ? pieceOf(move.piece) : null;
      if (!piece) continue;
      if (!legal.has(piece.shape)) legal.set(piece.shape, new Set());
      legal.get(piece.shape).add(nameOf(shifted(lying(piece), move.to)));
    }
  }

  /** All places where a piece may lie, as the upper left corners of the rectangle around it. */
  function spots(piece) {
    const own = legal.get(piece.shape);
    if (!own) return [];
    const places = lying(piece);
    return [...fields.keys()].map(pair).filter((at) => own.has(nameOf(shifted(places, at))));
  }

  /** The field of a piece that is under the pointer: the one next to its middle. */
  function handle(places) {
    const middle = [0, 1].map((axis) => places.reduce((sum, place) => sum + place[axis], 0) / places.length);
    const far = ([x, y]) => Math.hypot(x - middle[0], y - middle[1]);
    return places.reduce((best, place) => (far(place) < far(best) ? place : best));
  }

  /** Where the chosen piece lies if a field is pointed at: the nearest legal place that covers it, or {at, isLegal: false}. */
  function placed(name) {
    const [x, y] = pair(name);
    const places = lying(chosen);
    const [right, low] = handle(places);
    const far = ([left, top]) => Math.hypot(left + right - x, top + low - y);
    const covering = spots(chosen).filter(([left, top]) => places.some((place) => place[0] + left === x && place[1] + top === y));
    const at = covering.length ? covering.reduce((best, spot) => (far(spot) < far(best) ? spot : best)) : [x - right, y - low];
    return { at, isLegal: covering.length > 0, places: shifted(places, at) };
  }

  function pick(letter, shape) {
    if (letter !== letterNow() || !legal.has(shape)) {
      context.announce(t(moves().length && seatOf(letter) === you()?.seat ? "notSettable" : "notYours"));
      return;
    }
    if (chosen?.shape === shape) { choose(null); return; }
    const ways = [false, true].flatMap((isFlipped) => ROTATIONS.map((_, turns) => ({ shape, turns, isFlipped })));
    choose(ways.find((way) => spots(way).length) ?? ways[0]);
  }

  function choose(piece) {
    chosen = piece;
    passes = false;
    context.announce(piece ? t("chosen", { piece: piece.shape, count: spots(piece).length }) : t("letGo"));
    draw();
  }

  // Turned after it was flipped, a piece is as turned the other way before.
  const turn = () => chosen && choose({ ...chosen, turns: (chosen.turns + (chosen.isFlipped ? 3 : 1)) % 4 });
  const flip = () => chosen && choose({ ...chosen, isFlipped: !chosen.isFlipped });

  function act(name) {
    if (!moves().length) return;
    if (!chosen) { context.announce(t("chooseFirst")); return; }
    const before = pointed && placed(pointed);
    const now = placed(name);
    // With a mouse the piece is shown before the click. A finger shows it first and places it with a second touch.
    if (now.isLegal && before && nameOf(before.places) === nameOf(now.places)) send({ do: "set", piece: spelled(chosen), to: now.at });
    else if (!now.isLegal && pointed === name) context.announce(t("notThere"));
    point(name);
  }

  function skip() {
    if (passes) { send({ do: "skip" }); return; }
    passes = true;
    draw();
    context.announce(t("skipSure"));
  }

  async function send(move) {
    isSent = true;
    chosen = null;
    passes = false;
    learn();
    draw();
    try {
      await context.act(move);
    } catch {
      // The shell shows the reason. The player may choose again.
      isSent = false;
      learn();
      draw();
    }
  }

  // Keys

  function go(name) {
    fields.get(cursor).setAttribute("tabindex", "-1");
    cursor = name;
    fields.get(name).setAttribute("tabindex", "0");
  }

  function moved(event) {
    if (isChord(event)) return;
    if (event.key === "Enter" || event.key === " ") act(cursor);
    else if (event.key in ARROWS) {
      const [x, y] = pair(cursor).map((at, axis) => Math.min(Math.max(at + ARROWS[event.key][axis], 0), SIZE - 1));
      go(key(x, y));
      fields.get(cursor).focus({ preventScroll: true });
    } else return;
    event.preventDefault();
  }

  function pressed(event) {
    if (isChord(event) || !plays) return;
    const name = event.key.toLowerCase();
    if (name === "r" && chosen) turn();
    else if (name === "f" && chosen) flip();
    else if (name === "escape" && chosen) choose(null);
    else if ((name === "n" || name === "p") && legal.size) {
      const shapes = NAMES.filter((shape) => legal.has(shape));
      const at = chosen ? shapes.indexOf(chosen.shape) : name === "n" ? -1 : 0;
      pick(letterNow(), shapes.at((at + (name === "n" ? 1 : -1)) % shapes.length));
    } else return;
    event.preventDefault();
  }

  // Showing

  function point(name) {
    pointed = name;
    drawPreview();
    if (name) replace(detail, fields.get(name).getAttribute("aria-label") ?? "");
  }

  function drawPreview() {
    for (const field of grid.querySelectorAll("[data-preview]")) delete field.dataset.preview;
    const found = chosen && pointed && placed(pointed);
    preview.classList.toggle("k-not", Boolean(found) && !found.isLegal);
    if (!found) { replace(preview); return; }
    const drawn = painter(letterNow());
    const inside = found.places.filter(isInside);
    drawn.draw(inside);
    replace(preview, drawn.node);
    if (found.isLegal) for (const place of inside) fields.get(key(...place)).dataset.preview = "";
  }

  const rows = () => scene?.board?.board ?? [];
  const at = ([x, y]) => rows()[y]?.[x] ?? "-";
  const around = ([x, y], steps) => steps.map(([right, low]) => [x + right, y + low]).filter(isInside);

  /** The free fields at which a piece of a colour can touch another one of it; before the first, all at the edge. */
  function cornersOf(letter) {
    const isFirst = scene.board.left[LETTERS.indexOf(letter)].length === NAMES.length;
    return [...fields.keys()].map(pair).filter((place) => {
      if (at(place) !== "-" || around(place, Object.values(ARROWS)).some((one) => at(one) === letter)) return false;
      if (isFirst) return place.some((axis) => axis === 0 || axis === SIZE - 1);
      return around(place, [[-1, -1], [1, -1], [-1, 1], [1, 1]]).some((one) => at(one) === letter);
    });
  }

  const lastMove = () => parsed((scene?.last ?? (plays ? you()?.last : null))?.text);

  function drawFields() {
    const newest = lastMove();
    const laid = newest?.piece ? shifted(lying(newest.piece), newest.to) : [];
    const fresh = new Set(laid.map((place) => key(...place)));
    const covered = chosen ? spots(chosen).flatMap((spot) => shifted(lying(chosen), spot)) : [];
    const aims = new Set(covered.map((place) => key(...place)));
    const places = Object.fromEntries([...LETTERS].map((letter) => [letter, []]));
    for (const [name, field] of fields) {
      const letter = at(pair(name));
      places[letter]?.push(pair(name));
      const [x, y] = pair(name);
      const said = [t("field", { x, y }), letter === "-" ? t("empty") : t(`color${letter}`), fresh.has(name) && t("isLast"), aims.has(name) && t("isTarget")];
      const label = said.filter(Boolean).join("; ");
      if (field.getAttribute("aria-label") === label) continue;
      field.setAttribute("aria-label", label);
      for (const [flag, value] of Object.entries({ color: letter === "-" ? "" : letter, last: fresh.has(name), target: aims.has(name) })) {
        if (value) field.dataset[flag] = value === true ? "" : value;
        else delete field.dataset[flag];
      }
    }
    [...LETTERS].forEach((letter, number) => colors[number].draw(places[letter]));
    last.setAttribute("d", edges(laid).join(""));
    const dot = ([x, y]) => `M${x * CELL + 5} ${y * CELL + 5}m-1.2 0a1.2 1.2 0 1 0 2.4 0a1.2 1.2 0 1 0-2.4 0`;
    corners.setAttribute("class", `k-corners k-${letterNow()}`);
    corners.setAttribute("d", moves().length ? cornersOf(letterNow()).map(dot).join("") : "");
    targets.setAttribute("class", `k-targets k-${letterNow()}`);
    targets.setAttribute("d", [...aims].map(pair).map(box).join(""));
  }

  function drawSide({ seat, title, points, parts, node: side }) {
    const board = scene.board;
    const total = colorsOf(seat).reduce((sum, letter) => sum + (board?.points[LETTERS.indexOf(letter)] ?? 0), 0);
    points.textContent = t("points", { count: total });
    replace(title, context.player(seat), points);
    side.classList.toggle("k-to-move", (board?.to_move ?? []).includes(seat));
    side.classList.toggle("k-own", you()?.seat === seat);
    for (const { letter, name, pieces, node: part } of parts) {
      const number = LETTERS.indexOf(letter);
      const left = board?.left[number] ?? [];
      const isNow = board && !isOver() && board.color === number;
      const out = board && !isOver() && !board.playing.includes(number) && left.length > 0;
      replace(name, svg("svg", { viewBox: "0 0 10 10", class: "k-badge", "aria-hidden": "true" }, badge(letter)),
        el("span", {}, t(`color${letter}`)), el("span", { class: "k-points" }, t("points", { count: board?.points[number] ?? 0 })),
        out && el("span", { class: "k-out" }, t("out")), el("span", { class: "k-count" }, t("left", { count: left.length })));
      part.classList.toggle("k-now", Boolean(isNow));
      part.querySelector(".k-pieces").setAttribute("aria-label", t("leftOf", { color: t(`color${letter}`), count: left.length }));
      pieces.forEach((piece, shape) => drawPiece(piece, { letter, shape: NAMES[shape], isLeft: left.includes(shape) }));
    }
  }

  function badge(letter) {
    const drawn = painter(letter);
    drawn.draw([[0, 0]]);
    return drawn.node;
  }

  function drawPiece(piece, { letter, shape, isLeft }) {
    piece.toggleAttribute("data-used", !isLeft);
    const may = letter === letterNow() && legal.has(shape);
    const isChosen = chosen?.shape === shape && letter === letterNow();
    piece.setAttribute("aria-label", isLeft ? shape : t("used", { piece: shape }));
    if (!plays) return;
    piece.setAttribute("aria-pressed", String(isChosen));
    piece.setAttribute("aria-disabled", String(!may));
    piece.setAttribute("tabindex", may ? "0" : "-1");
  }

  const isOver = () => Boolean(scene.outcome) || scene.phase === "over" || Boolean(scene.board?.over);

  function statusText() {
    const board = scene.board;
    if (isOver()) return "";
    if (plays && ["joining", "waiting", "held"].includes(scene.phase)) return t(scene.phase);
    if (plays && scene.phase === "play" && !isSent) {
      const isFirst = board.left[board.color].length === NAMES.length;
      return t(isFirst ? "yourFirst" : "yourTurn", { color: t(`color${letterNow()}`), piece: NAMES[board.start] ?? "" });
    }
    return board?.to_move?.length ? t("theirTurn", { color: t(`color${letterNow()}`) }) : "";
  }

  function verdict() {
    const winner = scene.outcome?.winner ?? scene.board?.winner ?? null;
    if (plays && typeof scene.won === "boolean") return t(scene.won ? "overWon" : "overLost");
    if (winner !== null) return t("overWinner", { colors: called(winner) });
    return t(scene.board?.over ? "overDrawn" : "overNobody");
  }

  const called = (seat) => t("both", { one: t(`color${LETTERS[seat]}`), other: t(`color${LETTERS[seat + 2]}`) });

  function drawEnd() {
    end.hidden = !isOver();
    if (end.hidden) { replace(end); return; }
    const scores = you()?.result?.scores ?? [];
    const why = scores.flatMap((score, seat) => {
      const word = `cause${score.cause}`;
      return word in words.en ? [t(word, { color: called(seat), reason: score.reason })] : [];
    });
    if (!why.length && you()?.refusal) why.push(you().refusal);
    replace(end, el("p", { class: "k-verdict" }, verdict()), why.map((text) => el("p", {}, bdi(text))));
  }

  function draw() {
    drawFields();
    drawPreview();
    sides.forEach(drawSide);
    drawEnd();
    if (plays) {
      for (const button of [turnButton, flipButton]) button.disabled = !chosen;
      skipButton.disabled = !moves().some((move) => move.do === "skip");
      skipButton.textContent = t(passes ? "skipSure" : "skip");
    }
    root.dataset.phase = scene.phase ?? "";
    const status = statusText();
    context.setStatus(status);
    if (plays && scene.phase === "play" && status !== spoken) context.announce(status);
    spoken = status;
  }

  return {
    update(next) {
      const isNew = scene?.board?.turn !== next.board?.turn || scene?.phase !== next.phase;
      scene = next;
      if (isNew) { isSent = false; passes = false; }
      learn();
      if (chosen && !legal.has(chosen.shape)) chosen = null;
      draw();
    },
    destroy() {
      replace(root);
    },
  };
}
