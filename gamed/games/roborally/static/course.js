// Draws a course, its robots and the cards, and says in words what the elements do.

import { svg } from "../../dom.js";

export const SIDES = "NESW";
export const U = 40; // the width of a field

// The elements, each drawn once, around the centre of a field. Those with a direction point north.
export function symbols() {
  const path = (d, of) => svg("path", { d, class: of });
  const slats = () => path("M-15-15H15M-15-5H15M-15 5H15M-15 15H15", "rr-s-slat");
  return svg("defs", {},
    svg("pattern", { id: "rr-floor", width: U, height: U, patternUnits: "userSpaceOnUse" },
      svg("rect", { width: U, height: U, class: "rr-s-gap" }), svg("rect", { x: 0.7, y: 0.7, width: U - 1.4, height: U - 1.4, rx: 2, class: "rr-s-plate" }),
      path("M1.5 38.5V1.5H38.5", "rr-s-light"), path("M38.5 1.5V38.5H1.5", "rr-s-dark"), path("M5 5h0M35 5h0M5 35h0M35 35h0", "rr-s-rivet")),
    svg("pattern", { id: "rr-hazard", width: 8, height: 8, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
      path("M0 0H8V8H0Z", "rr-s-edge"), path("M0 0H4V8H0Z", "rr-s-warning")),
    svg("radialGradient", { id: "rr-pit-depth" }, svg("stop", { offset: 0.35 }), svg("stop", { offset: 1, class: "rr-s-rim" })),
    svg("linearGradient", { id: "rr-shine", x2: 0.6, y2: 1 }, svg("stop", { class: "rr-s-lit" }), svg("stop", { offset: 0.55, class: "rr-s-plain" })),
    svg("g", { id: "rr-belt" }, path("M-18-20H18V20H-18Z", "rr-s-belt"), slats(),
      path("M-10 2 0-7 10 2M-10 14 0 5 10 14", "rr-s-way rr-s-chevron")),
    svg("g", { id: "rr-express" }, path("M-18-20H18V20H-18Z", "rr-s-belt rr-s-express"), slats(),
      path("M-10-5 0-14 10-5M-10 5 0-4 10 5M-10 15 0 6 10 15", "rr-s-way rr-s-chevron rr-s-fast")),
    svg("g", { id: "rr-merge" }, path("M15-18H21V18H15Z", "rr-s-mouth")),
    ...["corner", "expressCorner"].map((id) => svg("g", { id: `rr-${id}` },
      path("M-18-20A38 38 0 0 0 20 18V-18A2 2 0 0 1 18-20Z", id === "corner" ? "rr-s-curve" : "rr-s-curve rr-s-express"), path("M-18-20A38 38 0 0 0 20 18", "rr-s-side"),
      [[11, 0.5, -68], [-0.5, -11, -22]].map(([x, y, angle]) => svg("path", { d: "M-7.5 4 0-3.5 7.5 4", transform: at([x, y], angle), class: `rr-s-way rr-s-chevron ${id === "corner" ? "" : "rr-s-fast"}` })))),
    svg("g", { id: "rr-gear" }, svg("circle", { r: 17, class: "rr-s-teeth" }), svg("circle", { r: 14.5, class: "rr-s-gear" }),
      path("M-8 5A9.5 9.5 0 1 1 8 5M12-1 8 6 1 2", "rr-s-way")),
    svg("g", { id: "rr-pit" }, path("M-19-19H19V19H-19Z", "rr-s-pit"), path("M-15-15H15V15H-15Z", "rr-s-hole")),
    svg("g", { id: "rr-repair" }, path("M-18-18H18V18H-18Z", "rr-s-site"),
      path("M-8 9 3-2", "rr-s-wrench"), path("M9-9A6 6 0 1 0 10-3L5-4 4-8Z", "rr-s-jaw")),
    svg("g", { id: "rr-crusher" }, path("M-20-16H-9V16H-20ZM20-16H9V16H20Z", "rr-s-crusher"),
      path("M-9-12-5-8-9-4-5 0-9 4-5 8-9 12M9-12 5-8 9-4 5 0 9 4 5 8 9 12", "rr-s-jag")),
    svg("g", { id: "rr-laser" }, path("M-8-20H8V-14L3-8H-3L-8-14Z", "rr-s-laser")),
    svg("g", { id: "rr-pusher" }, path("M-14-20H14V-15H-14Z", "rr-s-pusher"), path("M-6-15V-9M6-15V-9", "rr-s-piston"), path("M-15-9H15V-4H-15Z", "rr-s-push")),
    svg("g", { id: "rr-flag" }, path("M-18 17A7 3 0 1 0-4 17A7 3 0 1 0-18 17Z", "rr-s-foot"), path("M-11 17V-18", "rr-s-pole"), path("M-11-17Q-3-21 4-17T18-16L16-8 18 1Q11 4 4 0T-11 0Z", "rr-s-cloth")));
}

const ICONS = {
  M1: "M0 9V-8M-6-2 0-9 6-2", M2: "M0 11V-3M-6 0 0-7 6 0M-6-6 0-13 6-6",
  M3: "M0 13V0M-6 4 0-3 6 4M-6-2 0-9 6-2M-6-8 0-15 6-8", BU: "M0-9V8M-6 2 0 9 6 2",
  RL: "M8 10V0Q8-6 2-6H-7M-2-12-9-6-2 0", RR: "M-8 10V0Q-8-6-2-6H7M2-12 9-6 2 0", UT: "M7 10V-3Q7-10 0-10T-7-3V8M-12 3-7 10-2 3",
};
export const icon = (action) =>
  svg("svg", { viewBox: "-16 -16 32 32", class: `rr-icon rr-${action}`, "aria-hidden": "true" }, svg("path", { d: ICONS[action] }));

/** The centre of a field in the drawing. */
export const middle = (tiles, x, y) => [(x - 0.5) * U, (tiles.height - y + 0.5) * U];
export const at = (point, angle = 0, more = "") => `translate(${point[0]} ${point[1]}) rotate(${angle}) ${more}`;
export const use = (id, transform, of) => svg("use", { href: `#rr-${id}`, transform, class: of });
export const note = (point, dy, text, of) => svg("text", { x: point[0], y: point[1] + dy, class: of }, text);

/**
 * Numbers on a dark plate around a point.
 *
 * @param {any[]} point
 */
function plate([x, y], text) {
  const half = 1.5 + 2.7 * String(text).length;
  return svg("g", { class: "rr-plate" }, svg("rect", { x: x - half, y: y - 6.5, width: 2 * half, height: 13, rx: 3 }), note([x, y], 4, text));
}

/** The numbers of the columns, and those of the rows on both sides. */
export function axes({ width, height }) {
  const label = (x, y, n) => svg("text", { x, y }, n);
  return svg("g", { class: "rr-axes", "aria-hidden": "true" },
    Array.from({ length: width }, (_, n) => label((n + 0.5) * U, -7, n + 1)),
    Array.from({ length: height }, (_, n) => [-13, width * U + 13].map((x) => label(x, (height - n - 0.36) * U, n + 1))).flat());
}

export function explained(tiles, flags, t) {
  const found = new Map();
  const add = (x, y, text) => found.set(`${x},${y}`, [...(found.get(`${x},${y}`) ?? []), text]);
  flags.forEach(([x, y], n) => add(x, y, n ? t("flag", { n: n + 1 }) : t("start")));
  const phases = (of) => of.join(t("or")) || t("never");
  for (const [x, y, kind, one, speed, turns, crush] of tiles.floors) {
    if (kind === "pit") add(x, y, t("pit"));
    if (kind === "gear") add(x, y, t(`gear${one}`));
    if (kind === "repair") add(x, y, t("repair", { n: one }));
    if (kind !== "belt") continue;
    add(x, y, t(speed > 1 ? "expressBelt" : "belt", { to: t(one) }));
    for (let i = 0; i < turns.length; i += 2)
      add(x, y, t("turns", { side: t(turns[i]), way: t(turns[i + 1] === "L" ? "left2" : "right2") }));
    if (crush.length) add(x, y, t("crusher", { phases: phases(crush) }));
  }
  for (const [x, y, side, n, length] of tiles.lasers) {
    add(x, y, t("laser", { side: t(side), n }));
    const [dx, dy] = [[0, -1], [-1, 0], [0, 1], [1, 0]][SIDES.indexOf(side)];
    for (let i = 1; i < length; i += 1) add(x + dx * i, y + dy * i, t("beam", { n }));
  }
  for (const [x, y, side, of] of tiles.pushers)
    add(x, y, t("pusher", { side: t(side), to: t(SIDES[(SIDES.indexOf(side) + 2) % 4]), phases: phases(of) }));
  const walls = new Map();
  const wall = (x, y, side) => walls.set(`${x},${y}`, [...(walls.get(`${x},${y}`) ?? []), t(side)]);
  for (const [x, y, side] of tiles.walls) {
    wall(x, y, side);
    if (side === "N") wall(x, y + 1, "S");
    if (side === "E") wall(x + 1, y, "W");
  }
  for (const [key, sides] of walls) {
    const [x, y] = key.split(",");
    add(x, y, t("wall", { sides: sides.join(t("or")) }));
  }
  return found;
}

export function floors(tiles) {
  const belts = new Map(tiles.floors.filter(([, , kind]) => kind === "belt").map(([x, y, , to]) => [`${x},${y}`, to]));
  return tiles.floors.flatMap(([x, y, kind, one, speed, turns, crush]) => {
    const here = middle(tiles, x, y);
    if (kind === "pit") return [use("pit", at(here))];
    if (kind === "gear") return [use("gear", at(here, 0, one === "L" ? "scale(-1 1)" : ""), one === "L" ? "rr-left" : "rr-right")];
    if (kind === "repair") return [use("repair", at(here)), one === 1 ? null : plate([here[0] + 12, here[1] + 11], one)];
    const angle = SIDES.indexOf(one) * 90;
    const [dx, dy] = [[0, -1], [-1, 0], [0, 1], [1, 0]][SIDES.indexOf(one)];
    const isCorner = turns.length === 2 && belts.get(`${x + dx},${y + dy}`) !== one;
    const bends = [...turns].filter((_, i) => i % 2 === 0).map((side) => at(here, angle, (SIDES.indexOf(side) - SIDES.indexOf(one) + 4) % 4 === 3 ? "scale(-1 1)" : ""));
    const kinds = speed > 1 ? ["express", "expressCorner"] : ["belt", "corner"];
    const parts = isCorner ? [use(kinds[1], bends[0])] : [use(kinds[0], at(here, angle)), ...bends.map((bend) => use("merge", bend, `rr-into-${kinds[0]}`))];
    if (crush.length) parts.push(use("crusher", at(here, angle)), plate(here, crush.join(" ")));
    return parts;
  });
}

export function devices(tiles) {
  const parts = [];
  for (const [x, y, side, strength, length] of tiles.lasers) {
    const here = middle(tiles, x, y);
    const turn = at(here, SIDES.indexOf(side) * 90);
    for (let i = 0; i < Math.min(strength, 3); i += 1) {
      const dx = (i - (Math.min(strength, 3) - 1) / 2) * 5;
      parts.push(svg("path", { d: `M${dx}-10V${length * U - 20}`, transform: turn, class: "rr-beam" }));
    }
    parts.push(use("laser", turn), strength > 3 ? plate(here, strength) : null);
  }
  for (const [x, y, side, phases] of tiles.pushers) {
    const here = middle(tiles, x, y);
    const [dx, dy] = { N: [0, 7], S: [0, -7], E: [-6, 0], W: [6, 0] }[side];
    parts.push(use("pusher", at(here, SIDES.indexOf(side) * 90)), plate([here[0] + dx, here[1] + dy], phases.join(" ")));
  }
  for (const [x, y, side] of tiles.walls) {
    const turn = at(middle(tiles, x, y), SIDES.indexOf(side) * 90);
    parts.push(svg("path", { d: "M-22-24H22V-16H-22Z", transform: turn, class: "rr-wall" }));
  }
  return parts;
}

/**
 * The flag at a point, on the edge of the part of the course where it is not seen, with an arrow to it; nothing if it is seen.
 *
 * @param {number[]} point
 * @param {number} n its number
 */
export function toward([x, y], n, left, top, width, height) {
  const [dx, dy] = [x - left - width / 2, y - top - height / 2];
  const share = Math.max(Math.abs(dx) / (width / 2 - 20), Math.abs(dy) / (height / 2 - 20));
  if (share <= 1) return [];
  const point = [x - dx * (1 - 1 / share), y - dy * (1 - 1 / share)];
  return [svg("g", { transform: at(point), class: "rr-toward" }, svg("path", { d: "M7-12L25 0L7 12Z", transform: `rotate(${(Math.atan2(dy, dx) * 180) / Math.PI})` }), svg("circle", { r: 14 }), svg("text", { y: 6 }, n))];
}

/**
 * The way of a robot from a place, phase by phase: the numbers of the phases where they end, and a pale robot at the end.
 *
 * @param {any} tiles
 * @param {any[]} from
 * @param {any[]} poses [x, y, facing] for each phase; null where it is destroyed
 * @param {number} seat
 */
export function wayOf(tiles, from, poses, seat) {
  const kept = poses.filter(Boolean);
  if (!poses.length) return [];
  const points = [from, ...kept].map(([x, y]) => middle(tiles, x, y));
  const stops = new Map(); // by place: the phases that end there, and where the robot faces after them
  kept.forEach(([x, y, facing], n) => stops.set(`${x},${y}`, { phases: [...(stops.get(`${x},${y}`)?.phases ?? []), n + 1], facing }));
  const last = kept.length === poses.length ? kept.at(-1) : null;
  const stop = (point, { phases, facing }, faces) => svg("g", { transform: at(point, 0, "scale(1.3)") },
    faces && svg("path", { d: "M-6-6L0-14 6-6Z", transform: at([0, 0], SIDES.indexOf(facing) * 90), class: "rr-faces-to" }), plate([0, 0], phases.join(" ")));
  return [["rr-way rr-edging", "rr-way"].map((name) => svg("path", { d: `M${points.join("L")}`, class: name })),
    last ? svg("g", { transform: at(points.at(-1), SIDES.indexOf(last[2]) * 90), class: "rr-end" }, robotBody(seat)) : svg("path", { d: "M-9-9 9 9M9-9-9 9", transform: at(points.at(-1)), class: "rr-lost" }),
    [...stops].map(([key, one]) => {
      const here = key.split(",").map(Number);
      // The robot and the pale one keep their faces.
      const isLast = last && here[0] === last[0] && here[1] === last[1];
      const isCovered = isLast || (here[0] === from[0] && here[1] === from[1]);
      return stop(middle(tiles, here[0], here[1]).map((one) => one + (isCovered ? 18 : 0)), one, !isLast);
    })].flat();
}

// The shells of the robots, by seat: round, with corners, wide in front or behind, so that colours are not needed.
const SHELLS = [
  "M-14-8L-7-18Q0-24 7-18L14-8V13Q14 18 9 18H-9Q-14 18-14 13Z", "M-15 0A15 20 0 0 1 15 0A15 19 0 0 1-15 0Z", "M0-22L14-13V10L0 20L-14 10V-13Z", "M-14-20H14V18H-14Z",
  "M-8-20H8L16 18H-16Z", "M-16-16L-10-20H10L16-16L8 18H-8Z", "M-10-20H10V-8H16V8H10V19H-10V8H-16V-8H-10Z", "M-14-19H14V2L0 20L-14 2Z",
];

/** A robot that faces north, without its number. */
function robotBody(seat) {
  const path = (d, name) => svg("path", { d, class: `rr-${name}` });
  const shell = SHELLS[seat % SHELLS.length];
  return [svg("circle", { cx: 2, cy: 3, r: 19, class: "rr-shade" }),
    path("M-20-12Q-20-15-17-15H-13V17H-17Q-20 17-20 14ZM20-12Q20-15 17-15H13V17H17Q20 17 20 14Z", "tread"), path("M-17-11V15M17-11V15", "lugs"),
    path(shell, "shell"), path(shell, "shine"), path("M0-29L10-16Q0-22-10-16Z", "nose"), path("M-9-8.5L-6-14.5Q0-18 6-14.5L9-8.5Q0-12 -9-8.5Z", "visor"), path("M-3.4-12.8h0M3.4-12.8h0", "eyes")];
}

export function robotNode(seat) {
  const body = svg("g", { class: "rr-body" }, robotBody(seat));
  const ring = svg("circle", { class: "rr-mine", r: 24 });
  const badge = svg("g", { class: "rr-badge", transform: "translate(14 14)" }, svg("circle", { r: 7 }), svg("text", { y: 4 }));
  return svg("g", { "data-robot": seat, class: `rr-robot seat${seat}`, "aria-hidden": "true" },
    svg("g", { class: "rr-scale" }, ring, body, svg("text", { y: 8, class: "rr-number" }, String(seat + 1)), badge));
}
