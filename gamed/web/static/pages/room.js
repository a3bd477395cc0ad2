// A room as spectators see it: the page with the live board, or only the board and the names for a projector.

import { gameOf, get, movesOf, post, session } from "../api.js";
import { MoveLog, ending, frame, moveList, players, stage, tell } from "../board.js";
import { bdi, el, replace } from "../dom.js";
import { badge, button, chip, complaint, confirm, gameName, heading, link, options } from "../parts.js";
import { follow } from "../stream.js";
import { t } from "../words.js";
import { findings, refusals } from "./notes.js";

/** Shows a room until the view is left. */
export async function show(view) {
  const path = `/rooms/${encodeURIComponent(view.id)}`;
  const room = await get(path, view.signal).catch((error) => {
    if (view.signal.aborted || !(error.record || (error.status === 404 && view.query.has("tv")))) throw error;
    return showRecord(view, error.record);
  });
  if (view.signal.aborted) return;
  view.entitle(gameName(room.game));
  const board = await stage(room.game, "watch", view);
  const shown = view.query.has("screen") ? (await import("./screen.js")).showScreen : showRoom;
  await shown(view, { path, room, board });
}

/** Shows the record in place of a room that has closed; the television goes on to another game. */
export function showRecord(view, id) {
  if (view.query.has("tv")) return view.go("/tv", { replaces: true });
  const more = view.query.has("screen") ? "?screen" : ""; // a projector goes on showing the board alone
  return view.go(`/records/${encodeURIComponent(id)}${more}`, { replaces: true });
}

async function showRoom(view, { path, room, board }) {
  const log = new MoveLog();
  const list = moveList(null, { brief: (move) => board.brief(move, log.moves) });
  const seats = players({ board, started: room.started, announce: view.announce, signal: view.signal });
  const end = ending();
  const refused = refusals();
  const found = findings((n) => list.mark(n), () => log.moves.length);
  const trouble = complaint();
  const keys = el("div", {});
  let codes = null; // the section with the codes, if seats are reserved
  const state = el("span", {});
  let scene = room.scene;
  const joins = el("p", { class: "buttons" }); // the way to a free seat
  let actions = null;
  let isGone = false; // whether the room was closed before the match had an end
  let unshown = []; // moves that the board does not show yet
  let told = 0; // how many events the stream has brought

  function say(move) {
    return board.describe(move, scene, log.moves);
  }

  function conclude() {
    end.update(scene, room.record, isGone ? t("roomGone") : null);
    replace(state, badge(room.state));
  }

  function draw(isAnimated) {
    const isPaused = room.state === "paused";
    board.update({ ...scene, moves: log.moves }, isAnimated);
    seats.update(scene, log.moves, isPaused);
    board.settled(conclude);
    refused.update(scene);
    found.update(scene.findings);
    actions?.update(room.state, scene.board !== null);
    joins.hidden = !(room.free > 0) || room.state !== "waiting" || !gameOf(room.game).can.includes("play");
  }

  /** Opens the dialog for taking a seat; its module is loaded only then. */
  async function sitDown() {
    (await import("./join.js")).playIn(room, view);
  }

  function take(event, isFirst = false) {
    const { added, changed, isReset, isGap } = log.take(event);
    if (isGap) return again();
    const wasOver = Boolean(scene.outcome);
    if (JSON.stringify(scene.seats) !== JSON.stringify(event.scene.seats)) lookAtCodes();
    scene = event.scene;
    room.state = stateOf(scene, room.state, log.moves);
    room.record = scene.record ?? room.record;
    if (isReset || isFirst) unshown = [];
    if (isReset || isFirst) list.set(log.moves, say);
    else unshown.push(...added);
    draw(!isReset && !isFirst && added.length === 1);
    if (unshown.length) board.settled(() => list.add(unshown.splice(0), say));
    if (changed.length) board.settled(() => list.change(log.still(changed), say));
    if (isReset && !isFirst) view.announce(t("back"));
    else if (!isFirst) board.settled(() => tell(view.announce, added, say));
    if (scene.outcome && !wasOver) board.settled(() => view.announce(end.node.textContent));
    if (scene.outcome && !room.record) soon();
    return undefined;
  }

  /** Shows the codes if this browser has prepared the room. */
  async function lookAtCodes() {
    if (!room.reserved && !codes) return;
    try {
      const parts = await import("./prepared.js");
      codes ??= parts.codes(view);
      replace(keys, codes.node);
      const rooms = await parts.prepared(view.signal);
      codes.update(rooms.filter((one) => one.room === room.id));
    } catch (error) {
      if (!view.signal.aborted) trouble.say(error);
    }
  }

  async function again() {
    const before = told;
    try {
      const now = await get(path, view.signal);
      // If the stream has brought an event since the request, that event is at least as new as this answer.
      if (told !== before) return;
      Object.assign(room, now);
      take({ scene: now.scene, moves: movesOf(now), reset: true });
    } catch (error) {
      // If the room has closed, the stream says so.
      if (!view.signal.aborted && error.status !== 404) trouble.say(error);
    }
  }

  /** Looks for the record, which is stored a little after the end. */
  let isAsking = false;
  function soon() {
    if (isAsking) return;
    isAsking = true;
    setTimeout(async () => {
      const now = await get(path, view.signal).catch((error) => error);
      if (view.signal.aborted) return;
      room.record = now.record ?? null;
      board.settled(conclude);
    }, 1_500);
  }

  replace(joins, button(t("sitDown"), sitDown, { class: "primary" }));
  actions = session.admin ? admin(view, path, trouble, again) : null;
  const peers = room.peers?.map((one) => el("li", {}, chip(one.seat), bdi(one.peer)));
  board.node.prepend(end.node);
  replace(
    view.root,
    frame(
      [heading(gameName(room.game)), state, link(`?screen`, { class: "button" }, t("bigScreen")), actions?.node],
      board.node,
      [
        trouble.node,
        joins,
        keys,
        seats.node,
        refused.node,
        found.node,
        peers?.length > 0 && el("ul", { class: "names", "aria-label": t("peers") }, peers),
        el("h2", {}, t("moves")),
        list.node,
        options(room.game, room.options),
      ],
    ),
  );
  take({ scene: room.scene, moves: movesOf(room), reset: false }, true);
  lookAtCodes();
  const gone = (refusal) => {
    if (refusal && refusal.status !== 404) return trouble.say(refusal);
    isGone = !scene.outcome;
    // The room was closed while this page was hidden or without a connection, so that it lacks the end.
    if (isGone && refusal?.record) return showRecord(view, refusal.record);
    // Clocks stop.
    if (isGone) scene = { ...scene, turn: [], isLive: false };
    room.state = "ended";
    draw(false);
    if (!room.record) soon();
    return undefined;
  };
  const hear = (event) => {
    told += 1;
    take(event);
  };
  follow(path, { scene: hear, gone }, { signal: view.signal });
}

/** The room's state: from the scene, or else from the outcome and the moves. */
function stateOf(scene, known, moves) {
  if (scene.state) return scene.state;
  if (scene.outcome) return "ended";
  return known === "waiting" && moves.length ? "playing" : known;
}

/** The administrator's buttons. */
function admin(view, path, trouble, again) {
  const does = (what) => async () => {
    trouble.clear();
    try {
      if (what === "cancel" && !(await confirm(t("cancelGame"), t("cancelSure"), t("cancelGame"), t("close")))) return;
      await post(`${path}/${what}`);
      await again();
    } catch (error) {
      if (!view.signal.aborted) trouble.say(error);
    }
  };
  const pauses = button(t("pause"), does("pause"));
  const resumes = button(t("resume"), does("resume"));
  const steps = button(t("step"), does("step"));
  const cancels = button(t("cancelGame"), does("cancel"), { class: "danger" });
  return {
    node: el("div", { class: "buttons", role: "group", "aria-label": t("actions") }, pauses, resumes, steps, cancels),
    update(state, isBegun) {
      pauses.disabled = state === "paused" || state === "ended";
      resumes.disabled = steps.disabled = state !== "paused";
      // Before the match has begun, there is no next step.
      steps.hidden = !isBegun;
      cancels.disabled = state === "ended";
    },
  };
}
