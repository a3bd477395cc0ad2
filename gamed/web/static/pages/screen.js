// The big screen: a room's board and names alone, for a projector.

import { get, movesOf, poll } from "../api.js";
import { MoveLog, absences, ending } from "../board.js";
import { bdi, el, replace } from "../dom.js";
import { button, chip, gameName, link, seatName } from "../parts.js";
import { follow } from "../stream.js";
import { t } from "../words.js";
import { showRecord } from "./room.js";

const PACE = 700; // minimal ms for which each move is shown
const LONGEST_PACE = 60_000;
const HASTE = 8; // with this many moves in the queue, animations are twice as fast
const NEXT = 8_000; // ms for which a result is shown, and between looks for the next game
const MOST_WAITING = 1_000; // the longest queue of scenes; if it gets longer, the oldest are dropped

/** Shows a room's board. Moves that come faster than they can be shown wait in a queue; the players do not notice. */
export async function showScreen(view, { path, room, board }) {
  const given = Number(view.query.get("pace") ?? PACE);
  const pace = Number.isFinite(given) ? Math.min(Math.max(given, 0), LONGEST_PACE) : PACE;
  const log = new MoveLog();
  const queue = [];
  const end = ending();
  const people = el("p", { class: "versus" });
  const absent = absences({ nodes: () => [people], announce: view.announce, signal: view.signal });
  const behind = el("span", { class: "muted" });
  let timer = 0;
  let shownAt = 0;

  function draw(scene, isAnimated) {
    // Names are told above the board, and there alone.
    const seats = scene.seats.map((one) => ({ ...one, name: "" }));
    // The longer the queue, the faster the animations.
    board.update({ ...scene, seats, moves: log.moves }, isAnimated, 1 + queue.length / HASTE);
    absent.update(scene);
    replace(people, scene.seats.map((one) => contestant(scene, one, absent.of(one.seat))));
    absent.tick();
    board.settled(() => end.update(scene, null));
    replace(behind, queue.length > 2 ? t("movesBehind", { count: queue.length }) : "");
  }

  async function next() {
    const scene = queue.shift();
    if (scene) {
      draw(scene, true);
      // A busy machine draws slowly: only what is drawn is seen.
      shownAt = performance.now();
      await board.rest();
    }
    timer = 0;
    if (!view.signal.aborted) plan();
  }

  function plan() {
    if (timer || !queue.length) return;
    timer = setTimeout(next, Math.max(shownAt + pace - performance.now(), 0));
  }

  async function take(event) {
    const { isReset, isGap } = log.take(event);
    if (isGap) {
      const now = await get(path, view.signal);
      return take({ scene: now.scene, moves: movesOf(now), reset: true });
    }
    if (isReset) queue.length = 0;
    queue.push(event.scene);
    if (queue.length > MOST_WAITING) queue.shift();
    return plan();
  }

  /** Goes on to another game of this kind, the television to any, when the room has closed and all of it was shown. */
  async function goOn() {
    if (timer || queue.length) return;
    if (view.query.has("tv")) return view.go("/tv", { replaces: true });
    const rooms = await get("/rooms", view.signal);
    const other = rooms.find((one) => one.game === room.game && one.state === "playing" && one.id !== room.id);
    if (other) view.go(`/rooms/${encodeURIComponent(other.id)}${location.search}`, { replaces: true });
    return undefined;
  }

  view.signal.addEventListener("abort", () => {
    clearTimeout(timer);
    if (document.fullscreenElement) document.exitFullscreen();
  });
  const full = button(t("fullScreen"), () => {
    if (document.fullscreenElement) document.exitFullscreen();
    else document.documentElement.requestFullscreen();
  });
  replace(
    view.root,
    el("h1", { class: "unseen" }, t("watching", { game: gameName(room.game) })),
    people,
    end.node,
    board.node,
    el(
      "div",
      { class: "buttons corner" },
      behind,
      document.fullscreenEnabled && full,
      link(view.query.has("tv") ? "/" : location.pathname, { class: "button" }, t("leaveBigScreen")),
    ),
  );
  log.take({ scene: room.scene, moves: movesOf(room) });
  shownAt = performance.now();
  draw(room.scene, false);
  let isOver = Boolean(room.scene.outcome);
  const hear = (event) => {
    isOver = Boolean(event.scene.outcome);
    take(event);
  };
  const gone = (refusal) => {
    if (!isOver && refusal?.record) return showRecord(view, refusal.record);
    plan();
    return setTimeout(() => poll(goOn, NEXT, view.signal), NEXT);
  };
  follow(path, { scene: hear, gone }, { signal: view.signal });
}

function contestant(scene, one, absence) {
  const isOn = !scene.outcome && scene.turn?.includes(one.seat);
  return el(
    "span",
    { class: isOn ? "on" : null },
    chip(one.seat),
    bdi(one.name || seatName(scene.seats, one.seat)),
    absence,
    isOn && el("span", { class: "unseen" }, t("toMove")),
  );
}
