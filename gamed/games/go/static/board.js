// The Go board: any size up to 52, any number of colours. Source: docs/reference/web-api.md#scenes.
//
// Attributes for tests: root data-kind, data-phase; a point that can be clicked data-point="x,y" (x from 1 at the left,
// y from 1 at the top); a stone data-stone="x,y" with data-side; the cursor data-cursor="x,y" with data-refused (a code
// of the rules, or "occupied"); data-mark="last|taken|ko|label"; buttons data-do="pass|resign".
// `board.marks`: [{point, text}], letters on points where variations begin.

import { ARROWS, clear, el, isChord, replace, svg } from "../../dom.js";

import { words } from "./words.js";

export { codes } from "./words.js";
export { words };

const LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ";
const PLAIN = ["black", "white"];
const NAMED = [...PLAIN, "red", "green", "blue", "yellow"]; // Other colours are shown as the record has them.
const COLORS = 8;
// With fewer pixels between two lines, the first tap only selects a point, and a second one confirms it.
const FINGER = 26;

function column(x) {
  const more = Math.floor((x - 1) / LETTERS.length);
  return (more ? LETTERS[more - 1] : "") + LETTERS[(x - 1) % LETTERS.length];
}

function pointName([x, y], size) {
  return column(x) + (size + 1 - y);
}

function sideName(side, t) {
  return NAMED.includes(side) ? t(side) : side;
}

/** The star points, as in gamed/games/go/hoshi.py. */
function stars(size) {
  if (size < 7) return [];
  const low = size >= 13 ? 4 : 3;
  const lines = size % 2 === 0 || size === 7 ? [low, size + 1 - low] : [low, (size + 1) / 2, size + 1 - low];
  const all = lines.flatMap((x) => lines.map((y) => [x, y]));
  // Small boards have one in the middle and four in the corners.
  return size < 15 && lines.length === 3 ? all.filter((_, n) => n % 2 === 0) : all;
}

function sideOf(board, seat) {
  return board?.sides?.[seat] ?? PLAIN[seat] ?? `player ${seat}`;
}

/** One sentence for a move. */
export function describe(move, scene, t) {
  const side = sideName(move.color ?? sideOf(scene.board, move.seat), t);
  const isLast = scene.last?.n === move.n;
  if (move.text === "pass" || move.text === "resign") {
    const resigns = move.text === "resign" || (isLast && scene.board?.resigned === move.seat);
    return t(resigns ? "resigns" : "passes", { side });
  }
  const plays = t("plays", { side, point: move.text });
  const count = move.taken ?? 0;
  return count ? t(count === 1 ? "takesOne" : "takes", { move: plays, count }) : plays;
}

/** A stone as players write it: "C7", and how many it takes. */
export function brief(move) {
  if (["pass", "resign"].includes(move.text)) return null;
  return move.taken ? `${move.text} ×${move.taken}` : move.text;
}

/** The looks of each side's stones: a class for black and white, a colour of the palette and a letter for others. */
function looks(board) {
  const sides = [...new Set([...(board.sides ?? []), ...Object.keys(board.stones)])];
  const found = {};
  const taken = new Set();
  let number = 0;
  for (const side of sides) {
    if (PLAIN.includes(side)) {
      found[side] = { plain: side, letter: "" };
      continue;
    }
    const color = board.colors?.[side];
    const wanted = [.../^player \d+$/.test(side) ? side.slice(7, 8) : side.replace(/[^a-z]/g, "").toUpperCase()];
    const letter = wanted.find((one) => !taken.has(one)) ?? String(sides.indexOf(side));
    taken.add(letter);
    found[side] = { plain: PLAIN.includes(color) ? color : null, number: number++ % COLORS, letter };
  }
  return found;
}

function stone(x, y, side, look, more = {}) {
  const kind = look.plain ? `go-${look.plain}` : "go-colored";
  const circle = svg("circle", { class: `go-stone ${kind}`, cx: x, cy: y, r: 0.485, ...more });
  const letter = look.letter === "" ? null : svg("text", { class: `go-letter ${kind}`, x, y, dy: "0.35em" }, look.letter);
  if (!look.plain) {
    circle.style.fill = `var(--seat-${look.number})`;
    if (letter) letter.style.fill = `var(--seat-${look.number}-ink)`;
  }
  return letter ? [circle, letter] : [circle];
}

/** The light on stones, and the grain of the wood. */
function materials() {
  const shine = (side) => svg("radialGradient", { id: `go-${side}`, cx: "35%", cy: "30%", r: "75%" },
    svg("stop", { class: `go-lit-${side}` }), svg("stop", { offset: 1, class: `go-dim-${side}` }));
  return svg("defs", {}, ...PLAIN.map(shine),
    svg("pattern", { id: "go-grain", width: 1.7, height: 11, patternUnits: "userSpaceOnUse" },
      svg("path", { d: "M.1 0Q.2 2.7 .1 5.5T.1 11M.5 0Q.4 2.7 .5 5.5T.5 11M.8 0Q.95 2.7 .8 5.5T.8 11M1.4 0Q1.3 2.7 1.4 5.5T1.4 11" })));
}

const SHAPES = {
  last: (x, y) => svg("circle", { cx: x, cy: y, r: 0.24 }),
  taken: (x, y) => svg("path", { d: `M${x - 0.2} ${y - 0.2}l.4 .4m0 -.4l-.4 .4` }),
  ko: (x, y) => svg("rect", { x: x - 0.28, y: y - 0.28, width: 0.56, height: 0.56 }),
  label: (x, y, text) => svg("text", { class: "go-label", x, y, dy: "0.35em" }, text),
};

/** A mark on a point, light on dark stones. `on`: the look of the stone on the point, if there is one. */
function mark(kind, [x, y], on, text) {
  const shape = SHAPES[kind](x, y, text);
  shape.classList.add("go-mark", on ? `go-on-${on.plain ?? "colored"}` : "go-on-board");
  shape.dataset.mark = kind;
  // A ring around the letter.
  if (kind === "last" && on?.letter) shape.setAttribute("r", 0.4);
  if (on && !on.plain && kind !== "label") shape.style.stroke = `var(--seat-${on.number}-ink)`;
  return shape;
}

/**
 * @param {HTMLElement} root
 * @param {BoardContext} context
 * @returns {Board}
 */
export function create(root, context) {
  const { t, mode, act, announce, player, setStatus } = context;
  const isPlay = mode === "play";
  let scene = null;
  let size = 0;
  let stones = new Map();
  let illegal = new Map();
  let cursor = null;
  let isPreview = false;
  let isBusy = false;

  const sides = el("ul", { class: "go-sides" });
  const layers = Object.fromEntries(["grid", "stones", "marks", "targets", "cursor"].map(
    (name) => [name, svg("g", { class: `go-${name}` })]));
  const picture = svg("svg", { class: "go-board", role: isPlay ? "application" : "img" }, materials(), Object.values(layers));
  const buttons = el("div", { class: "go-buttons" });
  for (const what of isPlay ? ["pass", "resign"] : []) {
    buttons.append(el("button", { type: "button", "data-do": what, onclick: () => send({ do: what }) }, t(what)));
  }
  replace(root, el("div", { class: "go", "data-mode": mode }, sides, picture, isPlay && buttons));
  root.dataset.kind = "go";

  if (isPlay) {
    picture.setAttribute("tabindex", "0");
    picture.addEventListener("keydown", onKey);
    picture.addEventListener("click", onClick);
    picture.addEventListener("pointermove", onPointer);
    picture.addEventListener("pointerleave", () => { if (isPreview) point(null); });
    picture.addEventListener("focus", () => { if (!cursor && picture.matches(":focus-visible")) point(first()); });
    picture.addEventListener("blur", () => point(null));
  }

  async function send(action) {
    if (isBusy) return;
    isBusy = true;
    try {
      await act(action);
    } catch (error) {
      announce(error.message);
    } finally {
      isBusy = false;
    }
  }

  function mayPlay() {
    return isPlay && Boolean(scene?.you) && scene.turn.length > 0;
  }

  function refusal(at) {
    const key = at.join();
    return stones.has(key) ? "occupied" : illegal.get(key) ?? null;
  }

  function play(at) {
    const why = refusal(at);
    if (isPlay && scene.board.dead && why === "occupied") {
      send({ do: "dead", point: at });
    } else if (why) {
      const said = t("refusedAt", { point: pointName(at, size), why: t(why in words.en ? why : "other") });
      setStatus(said);
      announce(said);
    } else if (mayPlay()) {
      send({ do: "play", point: at });
    }
  }

  function first() {
    const middle = Math.ceil(size / 2);
    return scene?.board.last ?? [middle, middle];
  }

  function point(at, preview = false) {
    cursor = at;
    isPreview = preview;
    drawCursor();
  }

  function tell() {
    const side = stones.get(cursor.join());
    const why = refusal(cursor);
    const at = pointName(cursor, size);
    const isDead = scene.board.dead?.some((one) => one.join() === cursor.join());
    const stone = side && t("stone", { point: at, side: sideName(side, t) });
    if (side) announce(isDead ? t("dead", { stone }) : stone);
    else if (why) announce(t("refusedAt", { point: at, why: t(why in words.en ? why : "other") }));
    else announce(t("empty", { point: at }));
  }

  function onKey(event) {
    if (isChord(event) || !size) return;
    const at = cursor ?? first();
    const step = ARROWS[event.key];
    let to = null;
    if (step) to = cursor ? at.map((one, axis) => Math.min(Math.max(one + step[axis], 1), size)) : at;
    else if (event.key === "Home") to = [1, at[1]];
    else if (event.key === "End") to = [size, at[1]];
    else if (event.key === "PageUp") to = [at[0], 1];
    else if (event.key === "PageDown") to = [at[0], size];
    else if (event.key === "Escape") point(null);
    else if ((event.key === "Enter" || event.key === " ") && cursor) play(cursor);
    else return;
    event.preventDefault();
    if (to) {
      point(to);
      tell();
    }
  }

  function pointAt(event) {
    const target = event.target.closest?.("[data-point]");
    return target ? target.dataset.point.split(",").map(Number) : null;
  }

  function onPointer(event) {
    const at = event.pointerType === "touch" ? null : pointAt(event);
    if (at && at.join() !== cursor?.join()) point(at, true);
  }

  function onClick(event) {
    const at = pointAt(event);
    if (!at) return;
    const gap = picture.getBoundingClientRect().width / (size + 1);
    if (event.pointerType === "touch" && gap < FINGER && at.join() !== cursor?.join()) {
      point(at);
      setStatus(t("again", { point: pointName(at, size) }));
      return;
    }
    play(at);
  }

  function drawGrid() {
    // Labels are as large as the lines allow. If these are close together, only some of them have labels.
    const every = size <= 21 ? 1 : Math.ceil(size / 13);
    const font = every === 1 ? Math.min(0.4, 0.1 + 0.025 * size) : 0.38 * every;
    const margin = every === 1 ? 0.3 + font : 0.75 + font;
    const low = 0.5 - margin;
    const extent = size + 1 - 2 * low;
    picture.setAttribute("viewBox", `${low} ${low} ${extent} ${extent}`);
    picture.setAttribute("aria-label", isPlay ? `${t("board", { size })}. ${t("help")}` : t("board", { size }));
    layers.grid.style.fontSize = `${font}px`;
    const line = (x1, y1, x2, y2) => svg("line", { x1, y1, x2, y2 });
    clear(layers.grid).append(svg("rect", { class: "go-wood", x: low, y: low, width: extent, height: extent, rx: 0.2 }),
      svg("rect", { class: "go-veins", x: low, y: low, width: extent, height: extent, rx: 0.2 }));
    layers.grid.append(svg("rect", { class: "go-edge", x: 1, y: 1, width: size - 1, height: size - 1 }));
    for (let i = 1; i <= size; i++) {
      layers.grid.append(line(i, 1, i, size), line(1, i, size, i));
      if ((size - i) % every === 0) {
        const name = (of, x) => svg("text", { class: of, x, y: i, dy: "0.35em" }, String(size + 1 - i));
        layers.grid.append(name("go-line-name", 0.42), name("go-line-name go-right", size + 0.58));
      }
      if ((i - 1) % every === 0) {
        const below = size + 0.6 + 0.78 * font;
        for (const y of [0.4, below]) layers.grid.append(svg("text", { class: "go-column-name", x: i, y }, column(i)));
      }
    }
    layers.grid.append(...stars(size).map(([cx, cy]) => svg("circle", { class: "go-star", cx, cy, r: 0.13 })));
    clear(layers.targets);
    for (let y = 1; isPlay && y <= size; y++) {
      for (let x = 1; x <= size; x++) {
        const place = { x: x - 0.5, y: y - 0.5, width: 1, height: 1 };
        layers.targets.append(svg("rect", { "data-point": `${x},${y}`, ...place }));
      }
    }
  }

  function drawStones(look) {
    const { board } = scene;
    stones = new Map();
    const drawn = [];
    for (const [side, points] of Object.entries(board.stones)) {
      for (const [x, y] of points) {
        stones.set(`${x},${y}`, side);
        drawn.push(...stone(x, y, side, look[side], { "data-stone": `${x},${y}`, "data-side": side }));
      }
    }
    replace(layers.stones, drawn);
    const on = (at) => look[stones.get(at.join())];
    const last = board.last && stones.has(board.last.join()) ? board.last : null;
    const ko = board.ko?.join();
    const marked = new Set((board.marks ?? []).map((one) => one.point.join()));
    replace(layers.marks,
      (board.dead ?? []).map((at) => mark("taken", at, on(at))),
      (board.removed ?? []).filter((at) => !on(at) && at.join() !== ko).map((at) => mark("taken", at, null)),
      ko && !on(board.ko) && mark("ko", board.ko, null),
      last && !marked.has(last.join()) && mark("last", last, on(last)),
      (board.marks ?? []).map((one) => mark("label", one.point, on(one.point), one.text)));
  }

  function drawCursor() {
    clear(layers.cursor);
    if (!cursor || !scene) return;
    const [x, y] = cursor;
    const why = refusal(cursor);
    const group = layers.cursor;
    group.dataset.cursor = `${x},${y}`;
    if (why) group.dataset.refused = why;
    else delete group.dataset.refused;
    if (!why && mayPlay()) {
      const side = scene.you.color ?? sideOf(scene.board, scene.turn[0]);
      group.append(...stone(x, y, side, looks({ ...scene.board, stones: { [side]: [] } })[side]));
    } else if (why && why !== "occupied") {
      group.append(svg("path", { class: "go-refused", d: `M${x - 0.28} ${y - 0.28}l.56 .56m0 -.56l-.56 .56` }));
    }
    if (!isPreview) {
      const frame = { x: x - 0.5, y: y - 0.5, width: 1, height: 1, rx: 0.12 };
      group.append(svg("rect", { class: "go-frame-ground", ...frame }), svg("rect", { class: "go-frame", ...frame }));
    }
  }

  function drawSides(look) {
    const { board, seats } = scene;
    replace(sides, seats.map(({ seat }) => {
      const side = sideOf(board, seat);
      const icon = svg("svg", { viewBox: "0 0 1 1", class: "go-icon", "aria-hidden": "true" });
      icon.append(...stone(0.5, 0.5, side, look[side] ?? { plain: null, number: seat % COLORS, letter: "" }));
      const count = board.prisoners?.[seat] ?? 0;
      return el("li", { "data-seat": seat, class: scene.turn.includes(seat) && "go-turn" }, icon,
        player(seat),
        el("span", { class: "go-taken" }, t("prisoners", { count })));
    }));
  }

  function status() {
    const { board, turn } = scene;
    const of = (seat) => sideName(sideOf(board, seat), t);
    const next = turn.length ? of(turn[0]) : null;
    if (board.resigned !== null && board.resigned !== undefined) return t("resigned", { side: of(board.resigned) });
    if (board.passes >= 2 && scene.seats.length === 2) {
      const said = next && isPlay ? t("bothPassedNext", { side: next }) : t("bothPassed");
      return isPlay && board.dead ? t("mark", { said }) : said;
    }
    if (!next) return t("over");
    if (!scene.last) return t("start", { side: next });
    return board.passes ? t("passed", { side: of(scene.last.seat), next }) : t("toMove", { side: next });
  }

  function update(to) {
    scene = to;
    root.dataset.phase = to.phase;
    if (!to.board) return;
    illegal = new Map((to.you?.illegal ?? []).map(([x, y, code]) => [`${x},${y}`, code]));
    if (to.board.size !== size) {
      size = to.board.size;
      cursor = null;
      drawGrid();
    }
    const look = looks(to.board);
    drawStones(look);
    drawSides(look);
    drawCursor();
    for (const button of buttons.children) button.disabled = !mayPlay();
    setStatus(status());
  }

  return { update, destroy: () => clear(root) };
}
