// The tree of a game's variations: moves from left to right, variations below each other.

import { clear, el, isChord, svg } from "./dom.js";
import { t } from "./words.js";

const CELL = 34;
const RADIUS = 13;
const REM = 16; // units of the drawing in 1 rem: the tree grows with the page's text
const START = { id: 0, parent: null, n: 0, seat: null, text: "" };

/** The row of each node, given in preorder. A first child is in its parent's row, a variation in the first free row. */
function rows(nodes) {
  const first = new Map();
  for (const node of nodes) if (!first.has(node.parent)) first.set(node.parent, node.id);
  const known = new Map(nodes.map((node) => [node.id, node]));
  const row = new Map([[0, 0]]);
  const free = [];
  const occupy = (id, at) => {
    for (let node = known.get(id); node; node = known.get(first.get(node.id))) {
      row.set(node.id, at);
      free[node.n] = at + 1;
    }
  };
  const room = (id, least) => {
    let at = least;
    for (let node = known.get(id); node; node = known.get(first.get(node.id))) at = Math.max(at, free[node.n] ?? 0);
    return at;
  };
  for (const node of nodes) {
    if (row.has(node.id)) continue;
    const isMain = first.get(node.parent) === node.id;
    occupy(node.id, room(node.id, row.get(node.parent) + (isMain ? 0 : 1)));
  }
  return row;
}

/** The line through a node: the nodes from the first move to it, then always the first child. */
export function lineThrough(nodes, id) {
  const known = new Map(nodes.map((node) => [node.id, node]));
  const line = [];
  for (let node = known.get(id); node; node = known.get(node.parent)) line.unshift(node);
  const first = new Map();
  for (const node of nodes) if (!first.has(node.parent)) first.set(node.parent, node);
  for (let node = first.get(id); node; node = first.get(node.id)) line.push(node);
  return line;
}

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** The marks for the moves after a node, beginning with the main line's: A, B, C …; none if there is only one move. */
export function letters(nodes, id) {
  const following = nodes.filter((node) => node.parent === id);
  if (following.length < 2) return [];
  return following.flatMap(({ point }, n) => (point ? [{ point, text: LETTERS[n] ?? "…" }] : []));
}

/** The tree: {node, update(nodes, current)}. `select(id)` is called with the id of the chosen node; 0 is the start. */
export function tree(label, { say, select }) {
  const picture = svg("svg", { role: "tree", "aria-label": label });
  const box = el("div", { class: "scroller tree" }, picture);
  let drawn = null;
  let nodes = [];
  let current = 0;

  function item(one, row) {
    const [x, y] = [one.n * CELL + CELL / 2, row * CELL + CELL / 2];
    const side = one.id === 0 ? "start" : one.color === "white" || (!one.color && one.seat === 1) ? "white" : "black";
    const text = one.id === 0 ? t("start") : `${one.n}. ${say(one)}${one.comment ? `, ${t("comment")}: ${one.comment}` : ""}`;
    return svg(
      "g",
      {
        role: "treeitem",
        class: `node ${side}`,
        "data-node": one.id,
        "aria-level": one.n + 1,
        "aria-label": text,
        transform: `translate(${x} ${y})`,
        onclick: () => select(one.id),
      },
      svg("circle", { r: RADIUS }),
      svg("text", { "text-anchor": "middle", "dominant-baseline": "central" }, one.id === 0 ? "" : String(one.n)),
      one.comment && svg("circle", { class: "noted", cx: RADIUS - 3, cy: 3 - RADIUS, r: 4 }),
    );
  }

  function draw() {
    const row = rows(nodes);
    const all = [START, ...nodes];
    const places = new Map(all.map((one) => [one.id, [one.n * CELL + CELL / 2, row.get(one.id) * CELL + CELL / 2]]));
    const lines = nodes.map((one) => {
      const [[x0, y0], [x1, y1]] = [places.get(one.parent), places.get(one.id)];
      return svg("path", { class: "branch", d: `M${x0} ${y0}${y1 > y0 ? `V${y1 - CELL / 2}L${x1} ${y1}` : `H${x1}`}` });
    });
    const width = (Math.max(0, ...nodes.map((one) => one.n)) + 1) * CELL;
    const height = (Math.max(...row.values()) + 1) * CELL;
    picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    picture.style.width = `${width / REM}rem`;
    picture.style.height = `${height / REM}rem`;
    clear(picture).append(svg("g", { "aria-hidden": "true" }, lines), ...all.map((one) => item(one, row.get(one.id))));
  }

  function mark() {
    const hadFocus = picture.contains(document.activeElement);
    for (const one of picture.querySelectorAll(".node")) {
      const isHere = Number(one.dataset.node) === current;
      one.classList.toggle("here", isHere);
      one.setAttribute("aria-selected", String(isHere));
      one.setAttribute("tabindex", isHere ? "0" : "-1");
    }
    const here = picture.querySelector(".here");
    if (!here) return;
    if (hadFocus) here.focus({ preventScroll: true });
    const scale = picture.getBoundingClientRect().width / picture.viewBox.baseVal.width || 1;
    const [x, y] = here.getAttribute("transform").match(/[\d.]+/g).map((at) => Number(at) * scale);
    const cell = CELL * scale;
    if (x < box.scrollLeft + cell || x > box.scrollLeft + box.clientWidth - cell) box.scrollLeft = x - box.clientWidth / 2;
    if (y < box.scrollTop + cell || y > box.scrollTop + box.clientHeight - cell) box.scrollTop = y - box.clientHeight / 2;
  }

  function beside(step) {
    const here = nodes.find((one) => one.id === current);
    const same = nodes.filter((one) => one.n === here?.n);
    return same[same.indexOf(here) + step]?.id;
  }

  const keys = {
    ArrowLeft: () => nodes.find((one) => one.id === current)?.parent,
    ArrowRight: () => nodes.find((one) => one.parent === current)?.id,
    ArrowUp: () => beside(-1),
    ArrowDown: () => beside(1),
    Home: () => 0,
    End: () => lineThrough(nodes, current).at(-1)?.id,
  };
  picture.addEventListener("keydown", (event) => {
    const key = keys[event.key];
    if (!key || isChord(event)) return;
    event.preventDefault();
    const to = key();
    if (to !== undefined) select(to);
  });

  return {
    node: box,
    update(given, id) {
      nodes = given;
      current = id;
      const now = JSON.stringify(given);
      const hadFocus = picture.contains(document.activeElement);
      if (now !== drawn) draw();
      drawn = now;
      mark();
      if (hadFocus) picture.querySelector(".here")?.focus({ preventScroll: true });
    },
  };
}
