"""The universe: every row of the states, games, resets, leaving, the referee, what is journalled."""

from __future__ import annotations

from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import IllegalMove, InvalidMove, RuleError
from gamed.core.events import Event
from gamed.core.game import Outcome, Termination
from gamed.core.history import ENDED, JOINED, LEFT, MOVE, STARTED, Entry, History
from gamed.core.table import ShowsState, Step, replay
from gamed.games.quoridor.moves import PawnMove
from gamed.games.quoridor.rules import TableRules
from gamed.games.quoridor.signup import TABLE, Occasion, Status
from gamed.games.quoridor.wire import Registered
from tests.games.quoridor.tables import VOTE_FOUR, Play, at, events, four, refused, two, universe
from tests.games.quoridor.worlds import DOWN, FOUR


class PublicStateTests(SynchronousTestCase):
    """The state of the universe, as everybody may see it."""

    def state(self, play: Play) -> list[Any]:
        found = play.table.public_state()
        self.assertIsInstance(play.table, ShowsState)
        return [found[name] for name in ("worlds", "status", "voted", "awaited", "last")]

    def test_the_vote(self) -> None:
        self.assertEqual(self.state(Play(0)), [[], "wait", [], [], None])
        self.assertEqual(self.state(Play(1)), [[1], "wait", [], [], None])
        self.assertEqual(self.state(Play(2)), [[1, 2], "2p?", [], [1, 2], None])
        self.assertEqual(self.state(at(Status.FIRST_WAITS, 2)), [[1, 2], "2pw1a", [1], [2], None])
        self.assertEqual(self.state(Play(2, (2, "(wait)"))), [[1, 2], "2pw2a", [2], [1], None])

    def test_a_game(self) -> None:
        play = two()
        self.assertEqual(self.state(play), [[1, 2], "2players", [], [1], None])
        play.say(1, "(move player 4.0 1)")
        self.assertEqual(self.state(play), [[2, 1], "2players", [], [2], [1, "(player 4.0 1 1)"]])
        play.say(2, "(move wall 3 4 horizontal)")
        self.assertEqual(self.state(play)[-1], [2, "(wall 3 4 horizontal)"])
        self.assertEqual(self.state(four())[:4], [[1, 2, 3, 4], "4players", [], [1]])
        self.assertEqual(self.state(at(Status.FOUR, 3))[:4], [[1, 2, 3], "4players", [], []])
        play.leave(2)
        self.assertEqual(self.state(play)[3], [])

    def test_the_end_and_a_reset(self) -> None:
        play = at(Status.FINISHED, 2)
        worlds, status, voted, awaited, last = self.state(play)
        self.assertEqual((status, voted, awaited, last is None), ("finished", [], [], False))
        play.say(1, "(reset)")
        self.assertEqual(self.state(play)[1:], ["2players", [], worlds[:1], None])


class StateTests(SynchronousTestCase):
    """docs/reference/quoridor.md#states-of-a-table, written down a second time."""

    def test_states_can_be_made(self) -> None:
        for row in TABLE:
            self.assertEqual(at(row.status, row.worlds).where, (row.status, row.worlds))

    def check(self, play: Play, step: Step, status: Status, *told: str) -> None:
        self.assertEqual((play.table.status, events(step)), (status, list(told)))

    def test_the_first_world(self) -> None:
        play = Play()
        self.check(play, play.join(), Status.WAIT, "1: wait-for-players 0 ()")

    def test_the_second_world(self) -> None:
        play = Play(1)
        self.check(play, play.join(), Status.VOTE, "1: wait-or-play 0 ()", "2: wait-or-play 0 ()")

    def test_one_vote_to_play_decides(self) -> None:
        for votes in ([1], [2], [1, 2], [2, 1]):
            play = Play(2)
            for voter in votes[:-1]:
                self.check(play, play.say(voter, "(wait)"), play.table.status, f"{voter}: voted 0 ()")
            step = play.say(votes[-1], "(play)")
            self.check(play, step, Status.TWO, "2: start2wait 1 ()", "1: start2play 1 ()")

    def test_both_wait(self) -> None:
        for first, second, between in ((1, 2, Status.FIRST_WAITS), (2, 1, Status.SECOND_WAITS)):
            play = Play(2)
            self.check(play, play.say(first, "(wait)"), between, f"{first}: voted 0 ()")
            for message in ("(wait)", "(play)", "(reset)", "(move player 4 1)"):
                self.check(play, play.say(first, message), between)
            step = play.say(second, "(wait)")
            self.check(play, step, Status.FOUR, "1: wait-for-players 0 ()", "2: wait-for-players 0 ()")

    def test_the_third_and_the_fourth_world(self) -> None:
        play = Play(2, *VOTE_FOUR)
        told = [f"{number}: wait-for-players 0 ()" for number in (1, 2, 3)]
        self.check(play, play.join(), Status.FOUR, *told)
        waits = [f"{number}: start4wait 1 ()" for number in (2, 3, 4)]
        self.check(play, play.join(), Status.FOUR, *waits, "1: start4play 1 ()")

    def test_moves_of_two(self) -> None:
        play = two()
        step = play.say(1, "(move player 4.0 1.0)")
        self.check(play, step, Status.TWO, "1: wait 1 (player 4.0 1.0 1.0)", "2: play 1 (player 4.0 1.0 1.0)")
        self.assertEqual(play.table.order, [1, 0])
        step = play.say(2, "(move wall 0 1.0 horizontal)")
        told = "(wall 0 1.0 horizontal)"
        self.check(play, step, Status.TWO, f"2: wait 2 {told}", f"1: play 2 {told}")

    def test_a_win_of_two_and_a_reset(self) -> None:
        play = two()
        play.moves(DOWN[:-1])
        move = "(player 4.0 8.0 8.0)"
        step = play.say(1, f"(move {DOWN[-1]})")
        self.check(play, step, Status.FINISHED, f"1: won 1 {move}", f"2: lost 1 {move}")
        # The loser begins; any world may reset.
        self.check(play, play.say(1, "(reset)"), Status.TWO, "2: start2play 2 ()", "1: start2wait 2 ()")
        self.check(play, play.say(2, "(reset)"), Status.TWO)
        self.check(play, play.say(1, "(move player 4 1)"), Status.TWO)
        told = "(player 4 7 7)"
        self.check(play, play.say(2, "(move player 4 7)"), Status.TWO, f"2: wait 2 {told}", f"1: play 2 {told}")

    def test_moves_of_four(self) -> None:
        play = four()
        for world, others in ((1, (3, 4, 2)), (2, (4, 1, 3)), (3, (1, 2, 4)), (4, (2, 3, 1))):
            step = play.say(world, f"(move {FOUR[world - 1]})")
            move = step.events[0].event.move
            *waiting, following = others
            told = [f"{other}: wait {world} {move}" for other in (world, *waiting)]
            self.check(play, step, Status.FOUR, *told, f"{following}: play {world} {move}")

    def test_a_win_of_four_and_a_reset(self) -> None:
        play = four()
        play.moves(FOUR)
        move = "(player 4.0 8.0 8.0)"
        told = [*(f"{loser}: lost 1 {move}" for loser in (2, 3, 4)), f"1: won 1 {move}"]
        self.check(play, play.steps[-1], Status.FINISHED, *told)
        # The winner's successor begins.
        waits = [f"{number}: start4wait 2 ()" for number in (3, 4, 1)]
        self.check(play, play.say(4, "(reset)"), Status.FOUR, *waits, "2: start4play 2 ()")

    def test_who_wins_by_which_cell(self) -> None:
        goals = ("player 0 8", "player 8 0", "player 8 4", "player 0 4")
        for winner, goal in enumerate(goals):
            play = four()
            for world in range(winner):
                # A goal of others is none of its own.
                play.say(world + 1, f"(move {goals[world ^ 1]})")
                self.assertIsNone(play.table.outcome)
            play.say(winner + 1, f"(move {goal})")
            self.assertEqual(play.table.outcome, Outcome(Termination.VICTORY, winner))

    def test_a_first_move_to_the_goal_wins(self) -> None:
        """The original does not ask how the pawn got there."""
        play = two()
        self.assertEqual(events(play.say(1, "(move player 4 8)"))[0], "1: won 1 (player 4 8 8)")

    def test_a_wall_on_the_goal_does_not_win(self) -> None:
        play = two()
        play.say(1, "(move wall 4 8 horizontal)")
        self.assertEqual(play.table.status, Status.TWO)

    def test_what_has_no_row_has_no_effect(self) -> None:
        rows = {row[:3] for row in TABLE}
        spoken = {
            (1, "(play)"): Occasion.FIRST_PLAYS,
            (2, "(play)"): Occasion.SECOND_PLAYS,
            (1, "(wait)"): Occasion.FIRST_WAITS,
            (2, "(wait)"): Occasion.SECOND_WAITS,
        }
        for status, worlds in {row[:2] for row in TABLE if row.worlds}:
            for world in range(1, worlds + 1):
                for message in ("(play)", "(wait)", "(reset)", "(move player 4 4)"):
                    occasion = spoken.get((world, message))
                    occasion = Occasion.RESETS if message == "(reset)" else occasion
                    play = at(status, worlds)
                    place = play.table.order.index(world - 1)
                    if message.startswith("(move") and place == 0:
                        occasion = Occasion.MOVES
                    if (status, worlds, occasion) in rows:
                        continue
                    before = (play.table.status, list(play.table.order))
                    # The first one may have crossed that of another world, and then nothing is wrong with it.
                    play.say(world, message)
                    step = play.say(world, message)
                    self.assertEqual(len(refused(step, world - 1)), 1, (status, worlds, world, message))
                    self.assertEqual((play.table.status, play.table.order), before)

    def test_seats(self) -> None:
        play = Play()
        for free in ([0, 1], [1], []):
            self.assertEqual(list(play.table.free), free)
            if free:
                play.join()
        self.assertRaises(AssertionError, play.join)
        play = Play(1)
        self.assertRaises(AssertionError, play.table.join, "x", 0.0, 2)
        self.assertEqual(events(play.table.join("x", 0.0, 1))[0], "1: wait-or-play 0 ()")

    def test_events_of_others_have_no_effect(self) -> None:
        play = two()
        for event in (Event(), Registered("x")):
            self.assertEqual(play.table.receive(0, event, 0.0), Step())


class LeavingTests(SynchronousTestCase):
    def test_the_others_are_told_in_every_state(self) -> None:
        for status, worlds in {row[:2] for row in TABLE if row.worlds}:
            for leaver in range(1, worlds + 1):
                play = at(status, worlds)
                others = [seat + 1 for seat in play.table.order if seat != leaver - 1]
                step = play.leave(leaver)
                told = [f"{other}: disconnect {leaver} (wall 4 4 horizontal)" for other in others]
                self.assertEqual((events(step), step.closed), (told, True), (status, worlds, leaver))
                self.assertEqual((play.table.is_dissolved, list(play.table.free)), (True, []))
                self.assertRaises(AssertionError, play.join)

    def test_survivors_are_heard_no_more_and_told_nothing(self) -> None:
        play = four()
        play.leave(1)
        for message in ("(play)", "(wait)", "(reset)", "(move player 4 7)", "hello"):
            self.assertEqual(refused(play.say(2, message), 1), ["table-over"])
        self.assertEqual(play.leave(2), Step())
        self.assertEqual(play.table.stop(Termination.SHUTDOWN, play.now), Step())

    def test_of_two_the_other_one_wins(self) -> None:
        for leaver, winner in ((1, 1), (2, 0)):
            play = two()
            play.say(1, "(move player 4 1)")
            step = play.leave(leaver)
            self.assertEqual(step.outcome, Outcome(Termination.LEFT, winner))
            left, last = step.journal
            self.assertEqual((left.kind, left.seat, left.data), (LEFT, leaver - 1, {"why": "left"}))
            self.assertEqual((last.kind, last.data), (ENDED, {"termination": "left", "winner": winner}))

    def test_of_four_nobody_wins(self) -> None:
        step = four().leave(3)
        self.assertEqual(step.outcome, Outcome(Termination.LEFT))
        self.assertEqual([entry.kind for entry in step.journal], [LEFT, ENDED])

    def test_who_is_thrown_out_leaves_too(self) -> None:
        step = two().leave(2, Termination.LIMIT)
        self.assertEqual(step.outcome, Outcome(Termination.LIMIT, 0))
        self.assertEqual(step.journal[0].data, {"why": "limit"})

    def test_without_a_game_nothing_is_journalled(self) -> None:
        for status, worlds in {row[:2] for row in TABLE if row.worlds}:
            if (status, worlds) in ((Status.TWO, 2), (Status.FOUR, 4)):
                continue
            step = at(status, worlds).leave(1)
            self.assertEqual((step.journal, step.outcome), ((), None), (status, worlds))


class StopTests(SynchronousTestCase):
    def test_a_game_ends_without_a_winner_and_without_a_word(self) -> None:
        for why in (Termination.SHUTDOWN, Termination.CANCELLED, Termination.SERVER_FAULT):
            play = four()
            step = play.table.stop(why, play.now)
            self.assertEqual((step.events, step.outcome, step.closed), ((), Outcome(why), True))
            self.assertEqual([entry.data for entry in step.journal], [{"termination": str(why)}])
            self.assertEqual(play.table.stop(why, play.now), Step())
            self.assertEqual(refused(play.say(1, "(move player 4 1)")), ["table-over"])
            self.assertEqual(play.leave(2), Step())
            self.assertFalse(play.table.is_dissolved)

    def test_a_game_has_so_many_moves_at_most(self) -> None:
        play = two(max_moves=4)
        play.say(1, "(move player 4 1)")
        play.say(2, "(move player 4 7)")
        # What is out of turn does not count.
        play.say(2, "(move player 4 7)")
        play.say(1, "(move player 4 2)")
        step = play.say(2, "(move player 4 6)")
        self.assertEqual((step.outcome, step.closed, step.refused), (Outcome(Termination.LIMIT), True, ()))
        self.assertEqual([entry.kind for entry in step.journal], ["move", "ended"])
        self.assertEqual(events(step), ["2: wait 2 (player 4 6 6)", "1: play 2 (player 4 6 6)"])
        self.assertEqual(refused(play.say(1, "(move player 4 3)")), ["table-over"])

    def test_a_winning_move_wins_although_it_is_the_last(self) -> None:
        play = two(max_moves=len(DOWN))
        play.moves(DOWN)
        self.assertEqual(play.table.outcome, Outcome(Termination.VICTORY, 0))
        self.assertFalse(play.table.is_over)

    def test_the_next_game_has_as_many_again(self) -> None:
        play = two(max_moves=len(DOWN))
        play.moves(DOWN)
        play.say(1, "(reset)")
        self.assertIsNone(play.say(2, "(move player 4 7)").outcome)

    def test_a_table_without_a_game_only_closes(self) -> None:
        for play in (Play(), Play(2), at(Status.FINISHED, 2)):
            step = play.table.stop(Termination.SHUTDOWN, play.now)
            self.assertEqual((step.journal, step.outcome, step.closed), ((), None, True))


class RefereeTests(SynchronousTestCase):
    ILLEGAL = (
        ("player 4 4", "pawn-unreachable"),
        ("wall 8 1 horizontal", "wall-out-of-range"),
        ("wall 0 0 horizontal", "wall-out-of-range"),
    )

    def test_illegal_moves_stand_and_are_noted(self) -> None:
        for move, code in self.ILLEGAL:
            play = two()
            step = play.say(1, f"(move {move})")
            self.assertEqual(len(step.events), 2)
            (finding,) = step.findings
            # Two worlds joined and the game started: the move is the fourth entry.
            self.assertEqual((finding.code, finding.seat, finding.entry), (code, 0, 3))
            self.assertEqual(play.table.match.findings, [finding])
            self.assertEqual(step.journal[0].body, move.encode())
            self.assertEqual(events(play.say(2, "(move player 4 7)"))[0], "2: wait 2 (player 4 7 7)")

    def test_the_strict_referee_ignores_them_and_the_world_keeps_its_turn(self) -> None:
        for move, code in self.ILLEGAL:
            play = two(referee="strict")
            self.assertEqual(refused(play.say(1, f"(move {move})")), [code])
            self.assertEqual(play.table.match.findings, [])
            self.assertEqual(events(play.say(1, "(move player 4 1)"))[1], "2: play 1 (player 4 1 1)")

    def test_strict_or_not_whole_legal_games(self) -> None:
        for referee in ("observe", "strict"):
            for play, moves in ((two(referee=referee), DOWN), (four(referee=referee), FOUR)):
                play.moves(moves)
                self.assertEqual(play.table.outcome, Outcome(Termination.VICTORY, 0))
                self.assertEqual(play.table.match.findings, [])


class JournalTests(SynchronousTestCase):
    def test_a_game(self) -> None:
        play = two()
        play.moves(DOWN)
        entries = play.journal
        self.assertEqual([entry.kind for entry in entries], [JOINED, JOINED, STARTED, *[MOVE] * len(DOWN), ENDED])
        self.assertEqual([(entry.seat, entry.data) for entry in entries[:3]],
                         [(0, {"name": "world 1"}), (1, {"name": "world 2"}), (None, {"first": 0})])  # fmt: skip
        # The table was opened at 100 and the game began with the vote, at 103.
        self.assertEqual([entry.at for entry in entries[:4]], [3_000, 3_000, 3_000, 4_000])
        self.assertEqual(entries[3].body, b"player 4 1")
        self.assertEqual(entries[-1].data, {"termination": "victory", "winner": 0})
        (ending,) = [step for step in play.steps if step.outcome is not None]
        self.assertIs(ending, play.steps[-1])
        self.assertFalse(any(step.opened for step in play.steps))

    def test_nothing_is_journalled_before_a_game(self) -> None:
        play = Play(2, *VOTE_FOUR)
        play.join()
        self.assertEqual(play.journal, [])

    def test_a_reset_opens_another_game(self) -> None:
        play = two()
        play.moves(DOWN)
        step = play.say(2, "(reset)")
        self.assertTrue(step.opened)
        self.assertEqual([(entry.kind, entry.at) for entry in step.journal], [(JOINED, 0), (JOINED, 0), (STARTED, 0)])
        self.assertEqual(step.journal[-1].data, {"first": 1})
        self.assertIsNone(play.table.outcome)
        moved = play.say(2, "(move player 4 7)")
        self.assertEqual((moved.journal[0].seat, moved.journal[0].at), (1, 1_000))

    def test_the_first_game_keeps_its_judgement_when_another_one_begins(self) -> None:
        play = two()
        play.say(1, "(move player 4 8)")
        match = play.table.match
        play.say(2, "(reset)")
        self.assertIsNot(play.table.match, match)
        self.assertEqual([finding.code for finding in match.findings], ["pawn-unreachable"])
        self.assertEqual(play.table.match.findings, [])

    def history(self, entries: list[Entry], referee: str = "observe") -> History:
        return History("room", "quoridor", "2026-11-21T09:00:00.000Z", 1, {"referee": referee}, entries)

    def test_replays(self) -> None:
        for play, moves in ((two(), DOWN), (four(), FOUR)):
            play.moves(moves)
            table = universe()
            states = [table.state for _ in replay(table, self.history(play.journal))]
            self.assertEqual(states[-1], play.table.state)
            self.assertEqual(table.outcome, play.table.outcome)
            self.assertEqual(len(set(states)), len(moves) + 1 + (len(play.table.order) == 4))

    def test_a_game_after_a_reset_replays(self) -> None:
        play = two()
        play.moves(DOWN)
        play.steps.clear()
        play.say(2, "(reset)")
        play.say(2, "(move player 0 1)")
        play.say(1, "(move player 4 1)")
        table = universe()
        list(replay(table, self.history(play.journal)))
        self.assertEqual((table.state, table.match.findings), (play.table.state, play.table.match.findings))
        self.assertEqual(table.game.to_move(table.state), frozenset({1}))

    def test_a_strict_game_with_an_illegal_move_does_not_replay(self) -> None:
        play = two()
        play.say(1, "(move player 4 8)")
        table = universe("strict")
        self.assertRaises(IllegalMove, list, replay(table, self.history(play.journal, "strict")))

    def test_records_that_contradict_themselves(self) -> None:
        joined = [Entry(0, JOINED, seat, data={"name": "x"}) for seat in range(3)]
        move = Entry(0, MOVE, 0, b"player 4 1")
        for entries in (
            [*joined, Entry(0, STARTED, data={"first": 0})],
            [*joined[:2], Entry(0, STARTED, data={"first": 2})],
            [*joined[:2], Entry(0, STARTED, data={"first": 1}), move],
            [*joined[:2], Entry(0, STARTED, data={"first": 0}), Entry(0, MOVE, 0, b"player 4 9")],
            [*joined[:2], Entry(0, STARTED, data={"first": 0}), Entry(0, MOVE, 3, b"player 4 1")],
        ):
            self.assertRaises(RuleError, list, replay(universe(), self.history(entries)))


class RuleTests(SynchronousTestCase):
    def test_two_sit_there_unless_it_is_said(self) -> None:
        self.assertEqual(TableRules().setup({}).players, 2)
        self.assertEqual(TableRules().setup({"players": 4, "first": 3}).mover, 3)

    def test_others_cannot_begin(self) -> None:
        for players, first in ((2, 2), (2, -1), (4, 4), (3, 0)):
            self.assertRaises(InvalidMove, TableRules().setup, {"players": players, "first": first})

    def test_the_table_shows_the_position(self) -> None:
        play = two()
        self.assertEqual(play.table.state.pawns, TableRules().setup({}).pawns)
        self.assertIn(PawnMove(4, 1), list(play.table.game.legal_moves(play.table.state, 0)))
