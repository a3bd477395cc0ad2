"""The universe's time: moves that are told at a pace, and pauses."""

from __future__ import annotations

from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamed.core.game import Outcome, Termination
from gamed.core.history import MOVE
from gamed.core.table import Step
from gamed.games.quoridor.signup import Status
from gamed.games.quoridor.table import HELD_MOST
from tests.games.quoridor.tables import VOTE_FOUR, Play, at, events, refused, said, two


class TimeTests(SynchronousTestCase):
    def test_nothing_is_ever_due(self) -> None:
        play = two()
        self.assertEqual(play.table.tick(1e9), Step())
        self.assertIsNone(play.table.delivered(1e9))
        self.assertEqual(play.table.review(), Step())
        self.assertEqual(play.table.observe(), ())
        self.assertTrue(all(step.wake_at is None for step in play.steps))

    def test_moves_are_told_at_a_pace(self) -> None:
        play = two(pace=1.5)
        table, now = play.table, play.now
        step = table.receive(0, said("(move player 4 1)"), now)
        self.assertEqual((events(step)[1], step.wake_at), ("2: play 1 (player 4 1 1)", None))
        step = table.receive(1, said("(move player 4 7)"), now + 0.5)
        # Both have just been told of a move. The move itself is journalled at once.
        self.assertEqual((events(step), step.wake_at), ([], now + 1.5))
        self.assertEqual([(entry.kind, entry.at) for entry in step.journal], [(MOVE, round((now - 99.5) * 1000))])
        early = table.tick(now + 1.0)
        self.assertEqual((events(early), early.wake_at), ([], now + 1.5))
        step = table.tick(now + 1.5)
        self.assertEqual(events(step), ["2: wait 2 (player 4 7 7)", "1: play 2 (player 4 7 7)"])
        self.assertIsNone(step.wake_at)

    def test_a_table_that_dissolves_tells_first_what_it_has_to_tell(self) -> None:
        play = two(pace=1.5)
        table, now = play.table, play.now
        table.receive(0, said("(move player 4 1)"), now)
        step = table.receive(1, said("(move player 4 0)"), now)
        self.assertEqual(step.outcome, Outcome(Termination.VICTORY, 1))
        step = table.leave(1, Termination.LEFT, now + 0.1)
        self.assertEqual((events(step), step.closed, step.wake_at), ([], False, now + 1.5))
        self.assertTrue(table.is_dissolved)
        step = table.tick(now + 1.5)
        self.assertEqual((events(step), step.closed), (["1: lost 2 (player 4 0 0)"], False))
        step = table.tick(now + 3.0)
        self.assertEqual((events(step), step.closed), (["1: disconnect 2 (wall 4 4 horizontal)"], True))

    def test_it_closes_when_nobody_is_left_to_be_told(self) -> None:
        play = two(pace=1.5)
        play.table.receive(0, said("(move player 4 1)"), play.now)
        self.assertFalse(play.table.leave(1, Termination.LEFT, play.now).closed)
        self.assertTrue(play.table.leave(0, Termination.LEFT, play.now).closed)

    def test_a_stop_does_not_wait(self) -> None:
        play = two(pace=1.5)
        play.table.receive(0, said("(move player 4 1)"), play.now)
        play.table.leave(1, Termination.LEFT, play.now)
        self.assertTrue(play.table.stop(Termination.SHUTDOWN, play.now).closed)


class PauseTests(SynchronousTestCase):
    def paused(self, **options: Any) -> Play:
        play = two(**options)
        self.assertEqual(play.table.pause(play.now), Step())
        self.assertTrue(play.table.is_paused)
        return play

    def run_out(self, play: Play, step: Step) -> list[Step]:
        """Return this step and those that follow it by the clock."""
        steps = [step]
        while steps[-1].wake_at is not None:
            steps.append(play.table.tick(steps[-1].wake_at))
        return steps

    def test_what_worlds_say_is_kept(self) -> None:
        play = self.paused()
        for world, message in ((1, "(move player 4 1)"), (2, "(move player 4 7)")):
            self.assertEqual(play.say(world, message), Step())
        self.assertEqual(refused(play.say(1, "hello")), ["not-a-list"])
        steps = self.run_out(play, play.table.resume(play.now))
        told = [line for step in steps for line in events(step)]
        self.assertEqual([line.split()[1] for line in told], ["wait", "play", "wait", "play"])
        self.assertEqual(play.table.order, [0, 1])
        self.assertFalse(play.table.is_paused)

    def test_what_comes_while_the_rest_is_taken_comes_after_it(self) -> None:
        play = self.paused()
        play.say(1, "(move player 4 1)")
        play.say(2, "(move player 4 7)")
        first = play.table.resume(play.now)
        self.assertEqual(first.wake_at, play.now)
        self.assertEqual(play.say(1, "(move player 4 2)"), Step())
        steps = self.run_out(play, first)
        self.assertEqual([entry.body for step in steps for entry in step.journal],
                         [b"player 4 1", b"player 4 7", b"player 4 2"])  # fmt: skip

    def test_a_game_may_end_and_another_one_begin_meanwhile(self) -> None:
        play = self.paused()
        for world, message in ((1, "(move player 4 8)"), (2, "(reset)"), (2, "(move player 4 7)")):
            play.say(world, message)
        steps = self.run_out(play, play.table.resume(play.now))
        self.assertEqual([(step.outcome is not None, step.opened) for step in steps if step.journal],
                         [(True, False), (False, True), (False, False)])  # fmt: skip

    def test_step_by_step(self) -> None:
        play = self.paused()
        for message in ("(play)", "(move player 4 1)"):
            play.say(1, message)
        play.say(2, "(move player 4 7)")
        # A vote at this time does not count, and so is no step.
        self.assertEqual([entry.body for entry in play.table.step(play.now).journal], [b"player 4 1"])
        self.assertEqual([entry.body for entry in play.table.step(play.now).journal], [b"player 4 7"])
        self.assertEqual(play.table.step(play.now), Step())
        self.assertTrue(play.table.is_paused)

    def test_who_does_not_pause_makes_no_steps(self) -> None:
        self.assertEqual(two().table.step(0.0), Step())

    def test_a_pace_holds_in_a_pause_too(self) -> None:
        play = two(pace=1.5)
        play.table.receive(0, said("(move player 4 1)"), play.now)
        play.table.receive(1, said("(move player 4 7)"), play.now)
        play.table.pause(play.now)
        self.assertEqual(len(play.table.tick(play.now + 1.5).events), 2)

    def test_worlds_join_and_leave_meanwhile(self) -> None:
        play = Play(1)
        play.table.pause(play.now)
        self.assertEqual(len(events(play.join())), 2)
        self.assertEqual(play.say(1, "(play)"), Step())
        self.assertTrue(play.leave(1).closed)
        self.assertEqual(play.table.resume(play.now), Step())

    def test_only_so_much_is_kept(self) -> None:
        play = self.paused()
        for _ in range(HELD_MOST):
            play.table.receive(0, said("(play)"), play.now)
        self.assertEqual(refused(play.say(1, "(play)")), ["paused"])

    def test_two_are_forced_to_begin(self) -> None:
        for play in (Play(2), Play(2, VOTE_FOUR[0]), Play(2, *VOTE_FOUR)):
            step = play.table.step(play.now, forced=True)
            self.assertEqual(events(step), ["2: start2wait 1 ()", "1: start2play 1 ()"])
            self.assertEqual(play.table.status, Status.TWO)

    def test_others_cannot_be_forced(self) -> None:
        three = Play(2, *VOTE_FOUR)
        three.join()
        for play in (Play(), Play(1), three, two(), at(Status.FINISHED, 2)):
            self.assertEqual(play.table.step(play.now, forced=True), Step())
