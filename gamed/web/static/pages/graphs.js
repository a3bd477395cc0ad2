// The graphs of a record, over its moves: what each took, and what the game knows of each position.

import { get } from "../api.js";
import { el, isolated, replace, svg } from "../dom.js";
import { chip, seatName, span } from "../parts.js";
import { translator } from "../words.js";

export const words = {
  en: {
    moveTimes: "Time of each move, at most {most}",
    limitOf: "limit {limit}",
    series: "{name}: from {least} to {most}, at last {last}",
  },
  de: {
    moveTimes: "Zeit jedes Zuges, höchstens {most}",
    limitOf: "Grenze {limit}",
    series: "{name}: von {least} bis {most}, zuletzt {last}",
  },
};
const t = translator(words);

const HEIGHT = 48;
const FAR = 4; // a limit so many times the longest time is not drawn: the times would be too low to be seen

/** How the numbers of a series spread, as a sentence. */
export function spread(name, numbers) {
  return t("series", { name: isolated(name), least: Math.min(...numbers), most: Math.max(...numbers), last: numbers.at(-1) });
}

/** A picture of shapes over so many moves. */
export function picture(length, label, shapes, more = {}) {
  return svg("svg", { viewBox: `0 -1 ${length} ${HEIGHT + 2}`, preserveAspectRatio: "none", class: "graph", role: "img", "aria-label": label, ...more }, ...shapes);
}

/** The function from a number to its height in a picture that has room for all of them, and for 0. */
export function scale(numbers) {
  const [least, most] = [Math.min(0, ...numbers), Math.max(0, ...numbers)];
  return (number) => (HEIGHT * (most - number)) / (most - least || 1);
}

/** The curve of a seat's values, in steps, with gaps where there is no number. */
export function curve(values, y, seat) {
  const points = values.map((value, n) => value !== null && `${(values[n - 1] ?? null) === null ? `M${n} ` : `H${n}V`}${y(value).toFixed(1)}`);
  return svg("path", { class: `curve seat-${seat % 8}`, d: points.filter(Boolean).join("") });
}

/** The graphs below the moves: {node, mark(n)}. `jump(n)` shows the board after n moves, where a graph is clicked. */
export function graphs(record, path, { seats, board, jump, signal, trouble }) {
  const node = el("div", {});
  const length = record.moves.length;
  const marks = [];

  /** Adds a graph of shapes over the moves. `value(n)`: what it shows after n moves, as nodes. */
  function add(title, label, shapes, value) {
    const mark = svg("line", { class: "at", y1: -1, y2: HEIGHT + 1 });
    const show = (event) => jump(Math.round((event.offsetX / drawing.clientWidth) * length));
    const drawing = picture(length, [title, ...label].join(". "), [...shapes, mark], { class: "graph along", onclick: show });
    const now = el("b", {});
    marks.push((at) => {
      for (const end of ["x1", "x2"]) mark.setAttribute(end, at);
      replace(now, value(at));
    });
    node.append(el("figure", { class: "told" }, el("figcaption", {}, title, " ", now), drawing));
  }

  const taken = record.moves.filter(({ took }) => Number.isFinite(took)).map(({ n, seat, took }) => ({ n, seat, took }));
  const limit = record.options?.move_milliseconds ?? record.options?.soft_milliseconds ?? 0;
  for (const late of record.departures.filter((one) => one.taken !== undefined)) taken.push({ n: length, seat: late.seat, took: late.taken });
  if (taken.length) {
    const most = Math.max(...taken.map(({ took }) => took));
    const isNear = limit > 0 && limit < FAR * most;
    const y = scale([isNear ? Math.max(most, limit) : most]);
    const bars = taken.map(({ n, seat, took }) => {
      const look = { class: `seat-${seat % 8}${limit && took > limit ? " over" : ""}` };
      return svg("rect", { ...look, x: n - 0.95, y: Math.min(y(took), HEIGHT - 2), width: 0.9, height: Math.max(HEIGHT - y(took), 2) });
    });
    const line = isNear ? [svg("line", { x1: 0, x2: length, y1: y(limit), y2: y(limit), class: "limit" })] : [];
    const title = [t("moveTimes", { most: span(most) }), limit && t("limitOf", { limit: span(limit) })];
    add(title.filter(Boolean).join("; "), [], [...bars, ...line], (at) => [span(record.moves[at - 1]?.took)]);
  }

  /** Adds the curves of a measure, with gaps where there is no number. */
  function curves(name, series) {
    const known = series.flat().filter((value) => value !== null);
    if (!known.length) return;
    const [least, most] = [Math.min(0, ...known), Math.max(...known)];
    const shapes = series.map((values, seat) => curve(values, scale(known), seat));
    const label = series.map((values, seat) => {
      const numbers = values.filter((value) => value !== null);
      return numbers.length ? spread(seatName(seats, seat), numbers) : null;
    });
    add(`${board.t(`measure_${name}`)}, ${least}–${most}`, label.filter(Boolean), shapes, (at) => series.flatMap((values, seat) => [chip(seat), ` ${values[at] ?? "–"} `]));
  }

  let n = 0;
  function mark(at) {
    n = at;
    for (const show of marks) show(at);
  }
  if (board && length) {
    get(`${path}/measures`, signal).then(
      (found) => {
        for (const [name, series] of Object.entries(found)) curves(name, series);
        mark(n);
      },
      (error) => signal.aborted || trouble.say(error),
    );
  }
  return { node, mark };
}
