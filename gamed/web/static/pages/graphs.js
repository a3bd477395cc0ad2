// The graphs of a record, over its moves: what each took, and what the game knows of each position.

import { get } from "../api.js";
import { el, isolated, replace, svg } from "../dom.js";
import { chip, seatName, span } from "../parts.js";
import { translator } from "../words.js";

export const words = {
  en: {
    moveTimes: "Time of each move, at most {most}",
    limitLine: "; the line is the limit of {limit}",
    series: "{name}: from {least} to {most}, at last {last}",
  },
  de: {
    moveTimes: "Zeit jedes Zuges, höchstens {most}",
    limitLine: "; die Linie ist die Grenze von {limit}",
    series: "{name}: von {least} bis {most}, zuletzt {last}",
  },
};
const t = translator(words);

const HEIGHT = 48;

/** The graphs below the moves: {node, mark(n)}. `jump(n)` shows the board after n moves, where a graph is clicked. */
export function graphs(record, path, { seats, board, jump, signal, trouble }) {
  const node = el("div", {});
  const length = record.moves.length;
  const marks = [];

  /** Adds a graph of shapes over the moves. `value(n)`: what it shows after n moves, as nodes. */
  function add(title, label, shapes, value) {
    const mark = svg("line", { class: "at", y1: -1, y2: HEIGHT + 1 });
    const show = (event) => jump(Math.round((event.offsetX / drawing.clientWidth) * length));
    const box = { viewBox: `0 -1 ${length} ${HEIGHT + 2}`, preserveAspectRatio: "none", class: "graph along", role: "img" };
    const drawing = svg("svg", { ...box, "aria-label": [title, ...label].join(". "), onclick: show }, ...shapes, mark);
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
    const y = (took) => HEIGHT * (1 - took / (Math.max(most, limit) || 1));
    const bars = taken.map(({ n, seat, took }) => {
      const look = { class: `seat-${seat % 8}${limit && took > limit ? " over" : ""}` };
      return svg("rect", { ...look, x: n - 0.95, y: y(took), width: 0.9, height: HEIGHT - y(took) });
    });
    const line = limit ? [svg("line", { x1: 0, x2: length, y1: y(limit), y2: y(limit), class: "limit" })] : [];
    add(t("moveTimes", { most: span(most) }) + (limit ? t("limitLine", { limit: span(limit) }) : ""), [], [...bars, ...line], (at) => [span(record.moves[at - 1]?.took)]);
  }

  /** Adds the curves of a measure, with gaps where there is no number. */
  function curves(name, series) {
    const known = series.flat().filter((value) => value !== null);
    if (!known.length) return;
    const [least, most] = [Math.min(0, ...known), Math.max(...known)];
    const y = (value) => (HEIGHT * (most - value)) / (most - least || 1);
    const shapes = series.map((values, seat) => {
      const points = values.map((value, n) => value !== null && `${(values[n - 1] ?? null) === null ? "M" : "L"}${n} ${y(value).toFixed(1)}`);
      return svg("path", { class: `curve seat-${seat % 8}`, d: points.filter(Boolean).join("") });
    });
    const label = series.map((values, seat) => {
      const numbers = values.filter((value) => value !== null);
      const [lowest, highest] = [Math.min(...numbers), Math.max(...numbers)];
      return numbers.length ? t("series", { name: isolated(seatName(seats, seat)), least: lowest, most: highest, last: numbers.at(-1) }) : null;
    });
    add(board.t(`measure_${name}`), label.filter(Boolean), shapes, (at) => series.flatMap((values, seat) => [chip(seat), ` ${values[at] ?? "–"} `]));
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
