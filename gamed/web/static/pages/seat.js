// A seat, where a person plays.

import { Refusal, code, get, link as line, movesOf, pause, post, remove } from "../api.js";
import { MoveLog, ending, frame, moveList, players, stage, tell } from "../board.js";
import { el, replace } from "../dom.js";
import { badge, button, clock, complaint, confirm, gameName, heading, link, options } from "../parts.js";
import { follow } from "../stream.js";
import { language, t } from "../words.js";
import { bell } from "./bell.js";
import { howSat, sit } from "./sit.js";

const RECORD_DELAYS = [800, 2_000, 5_000, 10_000, 20_000, 40_000]; // ms between the requests for the record after the end
const HURRY = 10_000; // ms before the deadline at which the countdown is announced
const SHOWN = 1_000; // ms to wait for the scene that shows an action's effect

/** The options without limits in milliseconds, which are for programs: people may take any time. */
function limitless(given) {
  return Object.fromEntries(Object.entries(given).filter(([name]) => !name.endsWith("_milliseconds")));
}

/** Shows a seat until the view is left. */
export async function show(view) {
  const path = `/seats/${encodeURIComponent(view.id)}`;
  const seat = await get(path, view.signal);
  const title = gameName(seat.game);
  const log = new MoveLog();
  const list = moveList(null, { brief: (move) => board.brief(move, log.moves) });
  const end = ending();
  const state = el("span", {});
  const trouble = complaint();
  const left = el("span", { class: "countdown", role: "timer", hidden: true });
  let due = null; // the deadline, by the clock that stops while the server cannot be reached
  let isSaid = false; // whether the countdown was announced
  let scene = seat.scene;
  let record = seat.record ?? null;
  let isOver = false;
  let isGone = false; // whether the seat was closed before the match had an end
  const ways = el("div", {}); // how to get opponents, while the person waits for them
  let opens = null; // shows that
  let unshown = []; // moves that the board does not show yet
  const seen = []; // functions to call with the next scene

  /** Sends an action, and waits for the scene that shows its effect. Until then the board must not offer it again. */
  async function act(action) {
    const before = scene;
    try {
      await post(`${path}/act`, action, view.signal);
      trouble.clear();
      if (scene === before) await Promise.race([pause(SHOWN, view.signal), new Promise((resolve) => seen.push(resolve))]);
    } catch (error) {
      if (view.signal.aborted) return;
      trouble.say(error);
      throw error;
    }
  }

  const board = await stage(seat.game, "play", { ...view, act });
  const seats = players({ board, started: seat.started, you: () => scene.you?.seat ?? null, announce: view.announce, signal: view.signal });
  const say = (move) => board.describe(move, scene, log.moves);

  function isMyTurn() {
    return !over() && scene.you?.seat !== null && Boolean(scene.turn?.includes(scene.you?.seat));
  }

  /** How many have come. */
  const present = () => scene.seats.filter((one) => one.name || one.unnamed).length;

  function over() {
    return Boolean(scene.outcome) || (scene.won !== null && scene.won !== undefined) || ["over", "removed"].includes(scene.phase);
  }

  /** Sets the deadline from a new scene. */
  function wind() {
    const now = typeof scene.left === "number" ? line.now() + scene.left * 1_000 : null;
    // Do not announce the same deadline again.
    if (now === null || due === null || Math.abs(now - due) > SHOWN) isSaid = false;
    due = now;
    count();
  }

  function count() {
    left.hidden = due === null || isOver || over();
    if (left.hidden) return;
    const ms = due - line.now();
    const text = [t("left", { time: clock(ms + 999) }), line.isDown && t("clockStopped")].filter(Boolean).join(" ");
    if (left.textContent !== text) left.textContent = text;
    left.classList.toggle("warn", ms <= HURRY);
    if (ms > HURRY || isSaid) return;
    isSaid = true;
    view.announce(text);
  }

  const timer = setInterval(count, 250);
  view.signal.addEventListener("abort", () => clearInterval(timer));

  function verdict() {
    if (isGone) return t("seatGone");
    if (!over()) return null;
    const winner = scene.outcome?.winner ?? null;
    const seat = scene.you?.seat ?? null;
    const isWon = scene.won ?? (winner === null || seat === null ? null : winner === seat);
    if (isWon !== null) return isWon ? t("youWon") : t("youLost");
    return scene.outcome && winner === null ? t("nobodyWon") : t("over");
  }

  /** Offers ways to get opponents as long as the match has not begun. */
  async function offer() {
    // As long as places are free. Who waits for anybody is not drawn away from somebody who has come.
    const size = 1 + (seat.invitation ? (howSat(view.id)?.friends ?? 1) : 0);
    const isAlone = present() < Math.max(size, 2);
    ways.hidden = isOver || over() || !isAlone || (scene.state ?? (scene.board ? "" : "waiting")) !== "waiting";
    if (ways.hidden || opens) return;
    opens = code("./pages/invite.js");
    const module = await opens.catch(() => null); // without an answer of the server there is nobody to invite, either
    if (module) replace(ways, module.ways(seat, view, trouble));
    else opens = null;
  }

  function conclude() {
    end.update(scene, record, verdict());
    again.hidden = !over() && !isOver;
  }

  function draw(isAnimated) {
    board.update({ ...scene, moves: log.moves }, isAnimated);
    const isPaused = scene.state === "paused" && !over();
    seats.update(scene, log.moves, isPaused);
    replace(state, isPaused && badge("paused"));
    board.settled(conclude);
    offer();
    view.entitle(isMyTurn() ? `● ${t("yourTurn")} ${title}` : title);
  }

  function take(event, isFirst = false) {
    const { added, changed, isReset, isGap } = log.take(event);
    if (isGap) return reload();
    const [wasMine, wasOver, before] = [isMyTurn(), over(), present()];
    scene = event.scene;
    record = scene.record ?? record;
    if (isReset || isFirst) unshown = [];
    if (isReset || isFirst) list.set(log.moves, say);
    else unshown.push(...added);
    wind();
    draw(!isReset && !isFirst && added.length === 1);
    if (unshown.length) board.settled(() => list.add(unshown.splice(0), say));
    if (changed.length) board.settled(() => list.change(log.still(changed), say));
    for (const resolve of seen.splice(0)) resolve();
    if (!isFirst) {
      if (isReset) view.announce(t("back"));
      else board.settled(() => tell(view.announce, added, say));
      if (over() && !wasOver) board.settled(() => view.announce(verdict()));
      else if (isMyTurn() && !wasMine) view.announce(t("yourTurn"));
      if (isMyTurn() && !wasMine) calls.ring(`${title}: ${t("yourTurn")}`);
      else if (present() > before) calls.ring(`${title}: ${t("cameIn")}`);
    }
    if (over() && !record) findRecord();
    return undefined;
  }

  async function reload() {
    const now = await get(path, view.signal).catch((error) => view.signal.aborted || trouble.say(error));
    if (now?.scene) take({ scene: now.scene, moves: movesOf(now), reset: true });
  }

  let isLooking = false;
  /** Looks for the record, which is stored a little after the end. */
  async function findRecord() {
    if (isLooking) return;
    isLooking = true;
    for (const delay of RECORD_DELAYS) {
      await new Promise((resolve) => setTimeout(resolve, delay));
      if (view.signal.aborted || record) break;
      const now = await get(path, view.signal).catch(() => null);
      const id = now?.room ?? seat.room; // after a restart of the server the seat is unknown, and its room has a record
      const room = id ? await get(`/rooms/${encodeURIComponent(id)}`, view.signal).catch((error) => error) : null;
      record = now?.record ?? room?.record ?? null;
    }
    isLooking = false;
    if (!view.signal.aborted) board.settled(conclude);
  }

  async function leave() {
    if (!over() && !isOver && !(await confirm(t("leaveTitle"), t("leaveSure"), t("leave"), t("stay")))) return;
    try {
      if (!isOver) await remove(path, view.signal);
      view.go("/");
    } catch (error) {
      if (view.signal.aborted) return;
      if (error.status === 404) view.go("/");
      else trouble.say(error);
    }
  }

  /** Begins another game like this one, on changed seats; asks how if its request is unknown. */
  async function playAgain() {
    const request = howSat(view.id);
    if (!request) return (await import("./join.js")).play(seat.game, view, { name: seat.name });
    try {
      const { id } = await sit(request.bots ? { ...request, second: !request.second } : request);
      return view.go(`/seats/${encodeURIComponent(id)}`);
    } catch (error) {
      return view.signal.aborted || trouble.say(error);
    }
  }

  function gone(refusal) {
    isOver = true;
    isGone = !over() && !scene.refused;
    // Clocks stop, and no moves are offered.
    if (isGone) scene = { ...scene, phase: "over", turn: [], isLive: false };
    if (refusal && refusal.status !== 404) trouble.say(refusal);
    else if (scene.refused) trouble.say(new Refusal(409, { code: scene.refused, text: scene.error }));
    else if (isGone && scene.error && language() === "en") trouble.say(new Error(scene.error));
    count();
    draw(false);
    if (isGone && !record) findRecord();
  }

  const calls = bell(view);
  const again = button(t("again"), playAgain, { class: "primary", hidden: true });
  board.node.prepend(end.node);
  replace(
    view.root,
    frame([heading(title), state, left, again, calls.node, button(t("leave"), leave)], board.node, [
      trouble.node,
      ways,
      seats.node,
      el("h2", {}, t("moves")),
      list.node,
      options(seat.game, limitless(scene.options)),
      seat.room && el("p", {}, link(`/rooms/${encodeURIComponent(seat.room)}`, { target: "_blank" }, t("watch"))),
    ]),
  );
  take({ scene, moves: movesOf(seat) }, true);
  follow(path, { scene: (event) => take(event), gone }, { signal: view.signal, keeps: true });
}
