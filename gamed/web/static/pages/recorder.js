// The page on which a game is written down. The first game that can be has it, beside its board.

import { code, session } from "../api.js";

/** Shows the recording of the address, or the form to begin one. */
export async function show(view) {
  const game = session.games.find(({ can }) => can.includes("record"));
  const page = new URL(`../games/${game.kind}/recorder.js`, import.meta.url).pathname;
  const { show: shows } = await code(page);
  return shows(view, game);
}
