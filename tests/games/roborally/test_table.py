"""Turns, time limits, leaving and the end, as peers see them. Source: docs/specs/roborally.md#3-the-manager."""

from __future__ import annotations

from collections.abc import Callable

from twisted.trial.unittest import SynchronousTestCase

from gamed.core.game import Outcome, Termination
from gamed.core.history import DRAWN, ENDED, LEFT, MOVE
from gamed.core.table import replay
from gamed.games.roborally.messages import Changed
from gamed.games.roborally.requests import Member
from gamed.games.roborally.states import Status
from gamed.net.stall_clock import StallClock
from tests.games.roborally.gathering import Gathering, Peer, gathering, usual


def started(channels: int = 0, **settings: object) -> tuple[Gathering, Peer, Peer, Peer]:
    """Return a game of three in which all have been asked for their first programs, and heard that."""
    found = gathering(**settings)
    anna, bert, carl = found.joins("Anna", "Bert", "Carl")
    tafeln = [found.watches(f"Tafel{'x' * number}") for number in range(channels)]
    found.starts(anna, bert, carl, *tafeln)
    for tafel in tafeln:
        assert tafel.hears() == ["NTC(Anna,Bert,Carl,)"]
        tafel.says("ok")
    for peer in (anna, bert, carl):
        peer.hears()
    return found, anna, bert, carl


def program(peer: Peer) -> list[str]:
    return peer.says(usual(peer.name, "MRP"))


class TurnTests(SynchronousTestCase):
    def test_the_phases_run_when_all_programs_are_there(self) -> None:
        found, anna, bert, carl = started()
        self.assertEqual((program(anna), program(bert)), ([], []))
        self.assertEqual(found.table.status, Status.PROGRAM)
        self.assertTrue(program(carl))
        self.assertGreater(found.table.steps, 30)
        self.assertTrue(anna.hears())

    def test_an_answer_cannot_be_changed(self) -> None:
        _, anna, *_ = started()
        program(anna)
        self.assertEqual(program(anna), ["error"])

    def test_questions_do_not_stop_the_clock(self) -> None:
        found, anna, bert, carl = started()
        program(bert)
        program(carl)
        for _ in range(59):
            found.passes(1)
            self.assertEqual(len(anna.says("GRS(Bert)", "GPL")), 2)
        found.passes(1)
        self.assertEqual(anna.hears(), ["REN(TO)"])

    def test_an_answer_after_the_time_is_too_late(self) -> None:
        found, anna, bert, carl = started(move_timeout=5)
        (room,) = found.rooms
        program(bert)
        program(carl)
        # The clock goes on, and nothing has ticked yet.
        found.harness.clock.rightNow += 5.1
        self.assertEqual(program(anna), ["REN(TO)"])
        self.assertTrue(anna.is_closed)
        (left,) = room.history.of_kind(LEFT)
        self.assertEqual((left.data["why"], left.data["taken"], left.data["limit"]), ("time", 5100, 5000))
        (refused,) = room.history.refused
        reason = "the answer to MRP came after 5.1 s, later than the 5 s; the player is removed: REN(TO)"
        self.assertEqual((refused.data["code"], refused.data["reason"]), ("mrp-too-late", reason))
        self.assertEqual((bert.is_closed, carl.is_closed), (False, False))

    def test_an_answer_counts_from_its_arrival(self) -> None:
        for late, is_late in ((0.05, False), (0.15, True)):
            found, anna, bert, carl = started(move_timeout=5)
            program(bert)
            program(carl)
            clock = found.harness.clock
            asked_at = clock.seconds()
            self.assertEqual(found.table.overdue(asked_at + 4.9), [])
            clock.rightNow += 15.1
            self.assertEqual(found.table.overdue(clock.seconds()), [0])
            # What is read has arrived when the daemon was stopped for ten seconds.
            moment = asked_at + 4.9 + late
            found.harness.factory.passes = StallClock(clock, lambda moment=moment: moment)
            self.assertEqual("REN(TO)" in program(anna), is_late)
            for left in found.rooms[0].history.of_kind(LEFT):
                self.assertEqual((left.data["taken"], left.data["gap"], left.data["limit"]), (15_100, 10_050, 5000))

    def test_a_channel_spends_the_time_until_its_ok_arrives(self) -> None:
        for arrived, spent in ((103.0, 3.0), (99.0, 0.0)):
            tafel = Member(0, "Tafel", is_channel=True)
            tafel.ask(Changed(("Anna",)), 10.0)
            assert tafel.open is not None
            tafel.open.clock.ask(100.0)
            tafel.close(arrived)
            self.assertEqual(tafel.spent, spent)

    def test_no_clock_runs_while_the_request_is_unsent(self) -> None:
        found, *_ = started(move_timeout=5)
        member = found.table.members[0]
        assert member.open is not None
        member.open.clock.stop()
        self.assertIsNotNone(found.table.delivered(1.0, (0,)))
        self.assertIsNone(member.open.clock.due)
        found.table.delivered(2.0)
        self.assertEqual(member.open.clock.due, 7.0)

    def test_zero_is_any_time(self) -> None:
        found, anna, *_ = started(move_timeout=0)
        found.passes(1_000_000)
        self.assertEqual(anna.says("GTO"), ["TO(0)"])
        self.assertFalse(anna.is_closed)

    def test_the_others_go_on_without_the_silent_one(self) -> None:
        found, anna, bert, carl = started()
        program(anna)
        program(bert)
        found.passes(60)
        self.assertEqual(carl.hears(), ["REN(TO)"])
        self.assertTrue(anna.hears())
        self.assertEqual(bert.says("GRS(Carl)")[-1], "RSE")

    def test_a_request_between_question_and_answer(self) -> None:
        """N5: the request crosses with the question; both lines are in one piece."""
        _, anna, bert, carl = started()
        program(anna)
        program(bert)
        heard = carl.says(usual("Carl", "MRP"), "GSN")
        self.assertIn("(Anna,Bert,Carl,)", heard)
        self.assertGreater(len(heard), 1)

    def test_removal_between_question_and_answer(self) -> None:
        """N6: answers to questions that were read are still sent."""
        _, anna, *_ = started(max_violations=1)
        self.assertEqual(anna.says("GSS", "nonsense", "GSS"), ["SS(LAU)", "error", "REN(RV)"])


class LeavingTests(SynchronousTestCase):
    def test_it_takes_the_robot_off(self) -> None:
        ways: tuple[Callable[[Peer], object], ...] = (lambda peer: peer.says("RLE(Carl)"), Peer.leaves)
        for leaves in ways:
            _, anna, bert, carl = started()
            leaves(carl)
            self.assertEqual(bert.says("GRS(Carl)", "SRO(Carl)", "GSN"), ["RSE", "error", "(Anna,Bert,Carl,)"])
            program(anna)
            self.assertNotEqual(program(bert), [])

    def test_the_last_but_one_ends_the_game(self) -> None:
        found, anna, bert, carl = started()
        carl.leaves()
        self.assertEqual(anna.hears(), [])
        self.assertEqual(bert.says("RLE(Bert)"), [])
        self.assertTrue(bert.is_closed)
        self.assertEqual(anna.hears(), ["REN(GO)"])
        self.assertEqual(anna.says("GSS"), ["SS(END,Anna,Bert,Carl,)"])
        found.passes(29)
        self.assertFalse(anna.is_closed)
        found.passes(1)
        self.assertTrue(anna.is_closed)
        self.assertEqual(found.rooms, [])
        # The game has one end, that of the last who went; each of them has its own.
        (history,) = found.records
        self.assertEqual(history.outcome, Outcome(Termination.RESIGNED, 0))
        self.assertEqual(
            [(left.seat, left.data["why"]) for left in history.of_kind(LEFT)], [(2, "left"), (1, "resigned")]
        )

    def test_by_the_rules_it_is_a_victory_whoever_has_left_before(self) -> None:
        found, anna, bert, carl = started(max_turns=1)
        carl.leaves()
        program(anna)
        program(bert)
        (history,) = found.records
        assert history.outcome is not None
        self.assertEqual(history.outcome.termination, Termination.VICTORY)

    def test_when_all_have_gone_the_room_is_closed_at_once(self) -> None:
        found, *peers = started()
        for peer in peers:
            peer.leaves()
        self.assertEqual(found.rooms, [])
        (history,) = found.records
        self.assertEqual(history.outcome, Outcome(Termination.LEFT, 2))

    def test_in_each_stage_before_the_phases(self) -> None:
        for lines in ((), ("ok",), ("ok", "TNR(Carl,N)")):
            found = gathering()
            anna, bert, carl = found.joins("Anna", "Bert", "Carl")
            found.passes(10)
            carl.says(*lines)
            carl.leaves()
            anna.hears()
            bert.hears()
            self.assertEqual((anna.says("ok"), bert.says("ok")), (["MNR"], ["MNR"]), lines)
            anna.says("TNR(Anna,E)")
            self.assertEqual(bert.says("TNR(Bert,E)")[0][:3], "MRP", lines)


class ChannelTests(SynchronousTestCase):
    def begin(self, channels: int = 1) -> None:
        self.found = gathering()
        self.players = self.found.joins("Anna", "Bert", "Carl")
        self.channels = [self.found.watches(name) for name in ("Tafel", "Wand")[:channels]]
        self.found.starts(*self.players, *self.channels)
        self.tafel = self.channels[0]

    def play(self) -> None:
        for peer in self.players:
            peer.hears()
            program(peer)

    def test_nobody_is_asked_before_all_have_acknowledged(self) -> None:
        self.begin(channels=2)
        self.assertEqual([peer.hears() for peer in self.channels], [["NTC(Anna,Bert,Carl,)"]] * 2)
        self.assertEqual(self.tafel.says("ok"), [])
        self.assertEqual(self.players[0].hears(), [])
        self.channels[1].says("error")
        self.assertEqual(self.players[0].hears()[0][:3], "MRP")

    def test_one_that_never_says_ok_is_removed_and_the_game_goes_on(self) -> None:
        self.begin(channels=2)
        self.channels[1].says("ok")
        self.found.passes(9.9)
        self.assertEqual(self.players[0].hears(), [])
        self.found.passes(0.2)
        self.assertEqual(self.tafel.hears()[-1], "REN(TO)")
        self.assertTrue(self.tafel.is_closed)
        self.assertEqual(self.players[0].hears()[0][:3], "MRP")

    def test_one_that_is_slow_has_a_budget_for_each_turn(self) -> None:
        self.begin()
        self.tafel.says("ok")
        self.play()
        passed = 0.0
        while not self.tafel.is_closed:
            self.tafel.hears()
            self.found.passes(7)
            passed += 7
            self.tafel.says("ok")
        # Four times seven seconds, and two of the fifth time.
        self.assertEqual(passed, 35)
        self.assertEqual(self.tafel.hears()[-1:], [])
        self.assertTrue(self.players[0].hears())

    def test_the_next_turn_has_a_budget_of_its_own(self) -> None:
        self.begin()
        for _ in range(2):
            self.play()
            for _ in range(3):
                self.found.passes(7)
                self.tafel.says("ok")
            while self.tafel.hears() or self.found.table.status is Status.PHASE:
                self.tafel.says("ok")
        self.assertFalse(self.tafel.is_closed)

    def test_the_cards_are_shown_when_the_phase_begins(self) -> None:
        self.begin()
        self.assertEqual(self.tafel.says("ok", "GSA"), ["NTC(Anna,Bert,Carl,)", "SA()"])
        self.play()
        self.assertEqual(self.tafel.hears(), ["NTC()"])
        (shown,) = self.tafel.says("GSA")
        self.assertRegex(shown, r"^SA\(1,\(Anna,PK\(..,\d+\)\)\(Bert,PK\(..,\d+\)\)\(Carl,PK\(..,\d+\)\)\)$")

    def test_the_state_stands_still_until_ok(self) -> None:
        self.begin()
        self.tafel.says("ok")
        self.play()
        self.tafel.hears()
        before = self.tafel.says("GRS(Anna)", "GRS(Bert)", "GRS(Carl)")
        self.found.passes(5)
        self.assertEqual(self.tafel.says("GRS(Anna)", "GRS(Bert)", "GRS(Carl)"), before)

    def test_one_that_leaves_holds_nobody_up(self) -> None:
        self.begin()
        self.tafel.says("RLE(Tafel)")
        self.assertTrue(self.tafel.is_closed)
        self.assertEqual(self.players[0].hears()[0][:3], "MRP")

    def test_a_player_who_leaves_while_programs_are_made(self) -> None:
        self.begin()
        self.tafel.says("ok")
        self.players[2].leaves()
        self.assertEqual(self.tafel.hears(), ["NTC(Carl,)"])
        self.assertEqual(self.tafel.says("GRS(Carl)", "ok"), ["RSE"])

    def test_it_is_told_of_the_end(self) -> None:
        self.begin()
        self.tafel.says("ok")
        self.tafel.hears()
        for peer in self.players[1:]:
            peer.leaves()
            self.assertEqual(self.tafel.hears(), [f"NTC({peer.name},)"])
            self.assertEqual(self.players[0].hears()[1:], [])
            heard = self.tafel.says("ok")
        self.assertEqual(heard, ["NTC(Anna,Bert,Carl,)"])
        self.assertEqual(self.tafel.says("GSS"), ["SS(END,Anna,Carl,Bert,)"])
        self.assertEqual(self.tafel.says("ok"), ["REN(GO)"])
        self.assertEqual(self.players[0].hears(), ["REN(GO)"])


class StopTests(SynchronousTestCase):
    def test_the_daemon_stops(self) -> None:
        found, anna, bert, carl = started()
        bert.leaves()
        lobby = found.joins("Dora")[0]
        found.harness.lobby.stopService()
        found.passes(0)
        for peer in (anna, carl, lobby):
            self.assertEqual(peer.hears(), ["REN(SO(Shutdown))"])
            self.assertTrue(peer.is_closed)
        (history,) = found.records
        self.assertEqual(history.outcome, Outcome(Termination.SHUTDOWN))

    def test_an_operator_cancels(self) -> None:
        found, anna, *_ = started()
        found.rooms[0].stop(Termination.CANCELLED)
        found.passes(0)
        self.assertEqual(anna.hears(), ["REN(SO(Cancelled))"])

    def test_who_was_told_of_the_end_is_not_told_again(self) -> None:
        found, anna, bert, carl = started()
        bert.leaves()
        carl.leaves()
        self.assertEqual(anna.hears(), ["REN(GO)"])
        found.rooms[0].stop(Termination.SHUTDOWN)
        found.passes(0)
        self.assertEqual((anna.hears(), anna.is_closed), ([], True))
        self.assertEqual(len(found.records), 1)


class PauseTests(SynchronousTestCase):
    def test_nothing_is_lost_and_no_clock_runs(self) -> None:
        found, anna, bert, carl = started()
        (room,) = found.rooms
        found.passes(50)
        room.pause()
        program(anna)
        program(bert)
        found.passes(1000)
        self.assertEqual(carl.says("GSS"), ["SS(LAU)"])
        self.assertEqual(program(carl), [])
        steps = found.table.steps
        room.step()
        self.assertEqual(found.table.steps, steps + 1)
        room.resume()
        found.passes(0)
        self.assertGreater(found.table.steps, steps + 30)
        self.assertTrue(anna.hears())

    def test_the_time_that_was_left_is_left(self) -> None:
        found, anna, *_ = started()
        (room,) = found.rooms
        found.passes(50)
        room.pause()
        found.passes(1000)
        room.resume()
        found.passes(9)
        self.assertEqual(anna.hears(), [])
        found.passes(2)
        self.assertEqual(anna.hears(), ["REN(TO)"])

    def test_a_lobby_that_is_held_does_not_start(self) -> None:
        found = gathering()
        anna, _ = found.joins("Anna", "Bert")
        (room,) = found.rooms
        room.pause()
        found.passes(100)
        self.assertEqual(anna.hears(), [])
        room.resume()
        found.passes(10)
        self.assertEqual(anna.hears(), ["NTS"])

    def test_a_step_can_start_it(self) -> None:
        found = gathering()
        (anna,) = found.joins("Anna")
        (room,) = found.rooms
        room.pause()
        room.step()
        found.passes(0)
        self.assertEqual(anna.hears(), [])
        room.step(forced=True)
        found.passes(0)
        self.assertEqual(anna.hears(), ["NTS"])


class RecordTests(SynchronousTestCase):
    def test_leaving_in_the_middle_of_a_phase_is_replayed_between_the_same_steps(self) -> None:
        found = gathering()
        anna, bert, carl = found.joins("Anna", "Bert", "Carl")
        tafel = found.watches()
        found.starts(anna, bert, carl, tafel)
        tafel.hears()
        tafel.says("ok")
        for peer in (anna, bert, carl):
            peer.hears()
            program(peer)
        self.assertEqual(tafel.hears(), ["NTC()"])
        tafel.says("ok")
        tafel.hears()
        # While the channel is told of a card, Carl goes: not before it has said ok.
        carl.leaves()
        self.assertNotIn("RSE", anna.says("GRS(Carl)"))
        self.assertEqual(tafel.says("ok"), ["NTC(Carl,)"])
        self.assertIn("RSE", anna.says("GRS(Carl)"))
        self.bring_to_the_end(found, tafel, anna, bert)
        (history,) = found.records
        (left,) = [entry for entry in history.of_kind(LEFT) if entry.seat == 2]
        self.assertGreater(left.data["steps"], 1)
        table = gathering().harness.lobby.open("roborally", history.options).table
        for _ in replay(table, history):
            pass
        self.assertEqual(table.state, self.last.state)
        self.assertEqual((table.outcome, table.steps), (history.outcome, self.last.steps))

    def bring_to_the_end(self, found: Gathering, tafel: Peer, anna: Peer, bert: Peer) -> None:
        self.last = found.table
        bert.leaves()
        while found.table.outcome is None:
            tafel.says("ok")
        tafel.says("ok")
        self.assertEqual(anna.hears()[-1:], ["REN(GO)"])

    def test_what_is_journalled(self) -> None:
        found, *peers = started()
        for peer in peers:
            program(peer)
        for peer in peers:
            peer.leaves()
        (history,) = found.records
        kinds = [entry.kind for entry in history.entries]
        self.assertEqual(kinds[:4], ["joined"] * 3 + ["started"])
        self.assertEqual(kinds[4:11], [MOVE, MOVE, MOVE, DRAWN, MOVE, MOVE, MOVE])
        self.assertEqual(kinds[-1], ENDED)
