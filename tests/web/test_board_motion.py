"""Pawns move from frame to frame, on the pages of players and of spectators."""

from __future__ import annotations

from gamed.games.quoridor.moves import PawnMove
from tests.web.test_board_quoridor import START, Board, after, last, scene, shown

FRAMES = """
async ([mode, updates]) => {
  window.board.destroy();
  const { create, words } = await import("/static/games/quoridor/board.js");
  const context = { t: (key) => words.en[key], mode, announce() {}, player: () => document.createElement("b"),
    setStatus() {}, act: async () => {} };
  window.board = create(document.getElementById("board"), context);
  const pawn = () => document.querySelector('[data-pawn="0"]');
  for (const [scene, animate] of updates) {
    context.animate = animate;
    window.board.update(scene);
    // This begins the transition, as the next frame would.
    pawn().getBoundingClientRect();
  }
  const places = new Set();
  for (const motion of pawn().getAnimations()) {
    motion.pause();
    for (let at = 0; at <= 500; at += 50) {
      motion.currentTime = at;
      places.add(Math.round(10 * pawn().getBoundingClientRect().y));
    }
  }
  return places.size;
}
"""
"""Shows scenes, each with or without animation; returns at how many places a pawn is seen on its way after the last.

The frames are those of 50 ms each, whatever the machine has to do.
"""


class MotionTests(Board):
    def setUp(self) -> None:
        super().setUp()
        self.page.emulate_media(reduced_motion="no-preference")
        self.addCleanup(self.page.emulate_media, reduced_motion="reduce")
        self.step = PawnMove(4, 1)
        self.show(shown(START), mode="watch")

    def test_a_spectator_sees_the_way(self) -> None:
        moved = shown(after(self.step), last(1, 0, self.step))
        self.assertGreater(self.page.evaluate(FRAMES, ["watch", [[shown(START), False], [moved, True]]]), 3)
        self.assertEqual(self.page.evaluate(FRAMES, ["watch", [[shown(START), False], [moved, False]]]), 0)

    def test_a_player_sees_it_too_although_further_events_follow(self) -> None:
        moved = after(self.step)
        updates = [
            [scene(START), False],
            [scene(START, "wait", last=last(1, 0, self.step)), True],
            [scene(moved, last=last(1, 0, self.step)), False],
            [scene(moved, last=last(1, 0, self.step)), False],
        ]
        self.assertGreater(self.page.evaluate(FRAMES, ["play", updates]), 3)

    def test_a_jump_to_another_position_is_not_animated(self) -> None:
        moves = (self.step, PawnMove(4, 7), PawnMove(4, 2))
        later = shown(after(*moves), last(3, 0, moves[-1]))
        updates = [[shown(START), False], [shown(after(self.step), last(1, 0, self.step)), True], [later, False]]
        self.assertEqual(self.page.evaluate(FRAMES, ["watch", updates]), 0)
