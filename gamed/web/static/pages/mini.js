// Small live boards of the running games, for the lobby. They ask for a room only after it has got a move: a visitor of
// the lobby is not one of the room's spectators.

import { get, movesOf } from "../api.js";
import { stage } from "../board.js";
import { el } from "../dom.js";

const MOST = 6;
const REST = 5_000; // ms between two requests for a room: bots move faster, and a lobby has many visitors

/** The boards: {of(room), look(rooms)}. `of` is the node with a room's board, null for rooms that have none. */
export function miniatures(view) {
  const shown = new Map(); // by room: {node, board, moves, asked, left}

  function begin(room) {
    const node = el("div", { class: "mini", inert: true, "aria-hidden": "true" });
    const one = { node, moves: -1, asked: -REST, board: null, left: new AbortController() };
    const page = { announce: () => undefined, root: el("div", {}), signal: one.left.signal };
    one.board = stage(room.game, "watch", page).then((board) => {
      one.node.append(board.node);
      return board;
    });
    shown.set(room.id, one);
    return one;
  }

  async function draw(room, one) {
    one.moves = room.moves;
    one.asked = performance.now();
    try {
      const [board, now] = await Promise.all([one.board, get(`/rooms/${encodeURIComponent(room.id)}`, view.signal)]);
      const seats = now.scene.seats.map((seat) => ({ ...seat, name: "" })); // the card has the names
      board.update({ ...now.scene, seats, moves: movesOf(now) });
    } catch {
      one.moves = -1; // the room has closed, or the server cannot be reached
    }
  }

  /** Forgets a room: its board listens to the whole document as long as it is there. */
  function leave(id) {
    shown.get(id).left.abort();
    shown.delete(id);
  }

  view.signal.addEventListener("abort", () => [...shown.keys()].forEach(leave));
  return {
    of: (room) => shown.get(room.id)?.node ?? null,
    look(rooms) {
      const first = rooms.slice(0, MOST);
      for (const id of [...shown.keys()]) if (!first.some((room) => room.id === id)) leave(id);
      for (const room of first) {
        const one = shown.get(room.id) ?? begin(room);
        if (one.moves !== room.moves && performance.now() - one.asked >= REST) draw(room, one);
      }
    },
  };
}
