"""The relay table: pairing, forwarding, limits, ends, the referee, and replay."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.core import relay as relays
from gamed.core.events import Event, Moved, Seated, Started, Unread
from gamed.core.game import Outcome, Termination
from gamed.core.history import ENDED, LINE, History
from gamed.core.match import FINDINGS_KEPT
from gamed.core.referee import REVIEWED_AT_ONCE
from gamed.core.refusals import Refusal
from gamed.core.relay import Relay, RelaySettings
from gamed.core.table import Addressed, Step, replay
from gamed.games.battleship.rules import Battleship

OPTIONS = {"roles": "first-defends", "referee": "observe", "corner_contact": True}


def relay(*, enforce: bool = False, **changes: object) -> Relay:
    options = {
        **OPTIONS,
        "referee": "enforce" if enforce else "observe",
        **({"repeated_shots": "lose"} if enforce else {}),
        **{name: changes.pop(name) for name in ("roles",) if name in changes},
    }
    return Relay(Battleship(), options, RelaySettings(enforce=enforce, **changes), lambda _draw: Random(1), 100.0)


def started(**changes: object) -> Relay:
    table = relay(**changes)
    table.join("a", 100.0)
    table.join("b", 101.0)
    return table


def reviewed(table: Relay) -> list[str]:
    while table.review().review:
        pass
    return [finding.code for finding in table.match.findings]


class PairingTests(SynchronousTestCase):
    def test_the_first_is_told_its_role_at_once(self) -> None:
        step = relay().join("a", 100.5)
        self.assertEqual(step.events, (Addressed(0, Seated(0, first=False)),))
        self.assertEqual([(entry.kind, entry.at) for entry in step.journal], [("joined", 500)])

    def test_the_second_starts_the_match(self) -> None:
        table = relay()
        table.join("a", 100.0)
        step = table.join("b", 101.0)
        self.assertEqual(
            step.events, (Addressed(1, Seated(1, first=True)), Addressed(0, Started()), Addressed(1, Started()))
        )
        self.assertEqual([entry.kind for entry in step.journal], ["joined", "started"])
        self.assertFalse(table.free)

    def test_with_random_roles_both_are_told_when_paired(self) -> None:
        table = relay(roles="random")
        self.assertEqual(table.join("a", 100.0).events, ())
        step = table.join("b", 101.0)
        first = step.journal[1].data["first"]
        self.assertEqual([entry.kind for entry in step.journal], ["joined", "drawn", "started"])
        roles = (Addressed(0, Seated(0, first=first == 0)), Addressed(1, Seated(1, first=first == 1)))
        self.assertEqual(step.events, (*roles, Addressed(0, Started()), Addressed(1, Started())))

    def test_early_lines_come_after_the_start(self) -> None:
        table = relay()
        table.join("a", 100.0)
        self.assertEqual(table.receive(0, Moved(b"(1,[0,0])."), 100.1).events, ())
        step = table.join("b", 101.0)
        self.assertEqual(step.events[-2:], (Addressed(1, Started()), Addressed(1, Moved(b"(1,[0,0])."))))
        self.assertEqual(step.journal[-1].body, b"(1,[0,0]).")
        self.assertTrue(step.review)

    def test_an_early_end_ends_at_once(self) -> None:
        table = relay()
        table.join("a", 100.0)
        table.receive(0, Moved(b"(2,[0,0,4])."), 100.1)
        step = table.join("b", 101.0)
        self.assertEqual(step.outcome, Outcome(Termination.VICTORY, 1))
        self.assertEqual(step.dropped, (0, 1))

    def test_too_much_early_data_drops_the_waiter(self) -> None:
        table = relay(early_bytes=20)
        table.join("a", 100.0)
        self.assertEqual(table.receive(0, Moved(b"x" * 10), 100.1).dropped, ())
        step = table.receive(0, Moved(b"x" * 10), 100.2)
        self.assertEqual((step.dropped, step.outcome), ((0,), Outcome(Termination.REMOVED)))

    def test_a_waiter_that_leaves_had_no_game(self) -> None:
        table = relay()
        table.join("a", 100.0)
        step = table.leave(0, Termination.LEFT, 100.5)
        self.assertEqual(step.outcome, Outcome(Termination.LEFT))
        self.assertRaises(AssertionError, table.join, "b", 101.0)


class ForwardingTests(SynchronousTestCase):
    def test_a_line_goes_to_the_other_seat_and_into_the_journal(self) -> None:
        line = Moved(b"\xff anything")
        step = started().receive(1, line, 102.5)
        self.assertEqual(step.events, (Addressed(0, line),))
        self.assertEqual([(e.at, e.kind, e.seat, e.body) for e in step.journal], [(2500, LINE, 1, line.body)])
        self.assertTrue(step.review)

    def test_only_moves_are_taken(self) -> None:
        self.assertEqual(started().receive(1, Event(), 102.0), Step())

    def test_code_four_is_delivered_then_both_are_dropped(self) -> None:
        step = started().receive(0, Moved(b"(2,[0,0,4])."), 102.0)
        self.assertEqual(step.events, (Addressed(1, Moved(b"(2,[0,0,4]).")),))
        self.assertEqual((step.dropped, step.outcome), ((0, 1), Outcome(Termination.VICTORY, 1)))
        self.assertEqual([entry.kind for entry in step.journal], [LINE, ENDED])

    def test_nothing_happens_after_the_end(self) -> None:
        table = started()
        table.receive(0, Moved(b"(2,[0,0,4])."), 102.0)
        for step in (
            table.leave(0, Termination.LEFT, 103.0),
            table.tick(9999.0),
            table.stop(Termination.SHUTDOWN, 103.0),
        ):
            self.assertEqual(step, Step())

    def test_who_leaves_loses(self) -> None:
        step = started().leave(1, Termination.LEFT, 102.0)
        self.assertEqual((step.dropped, step.outcome), ((0, 1), Outcome(Termination.LEFT, 0)))
        self.assertEqual([(e.kind, e.seat) for e in step.journal], [("left", 1), (ENDED, None)])

    def test_a_stop_costs_nobody_the_game(self) -> None:
        step = started().stop(Termination.SHUTDOWN, 102.0)
        self.assertEqual((step.dropped, step.outcome), ((0, 1), Outcome(Termination.SHUTDOWN)))


class LimitTests(SynchronousTestCase):
    def test_lines_of_a_game(self) -> None:
        table = started(game_lines=2)
        for _ in range(2):
            self.assertIsNone(table.receive(1, Moved(b"x"), 102.0).outcome)
        step = table.receive(1, Moved(b"x"), 102.0)
        self.assertEqual((step.events, step.outcome), ((), Outcome(Termination.LIMIT)))

    def test_bytes_of_a_game(self) -> None:
        table = started(game_bytes=9)
        self.assertIsNone(table.receive(1, Moved(b"x" * 9), 102.0).outcome)
        self.assertEqual(table.receive(0, Moved(b"x"), 102.0).outcome, Outcome(Termination.LIMIT))

    def test_a_waiter_may_be_silent_for_a_time(self) -> None:
        table = relay(waiting_seconds=10.0)
        self.assertEqual(table.join("a", 100.0).wake_at, 110.0)
        self.assertEqual(table.tick(109.9), Step(wake_at=110.0))
        self.assertEqual(table.tick(110.0).outcome, Outcome(Termination.IDLE))

    def test_who_is_to_move_loses_by_silence(self) -> None:
        table = started(idle_seconds=10.0)
        self.assertEqual(table.receive(1, Moved(b"(1,[0,0])."), 105.0).wake_at, 115.0)
        self.assertIsNone(table.tick(114.9).outcome)
        self.assertEqual(table.tick(115.0).outcome, Outcome(Termination.IDLE, 1))

    def test_silence_after_nonsense_costs_nobody(self) -> None:
        table = started(idle_seconds=10.0)
        table.receive(1, Moved(b"nonsense"), 105.0)
        self.assertEqual(table.tick(115.0).outcome, Outcome(Termination.IDLE))

    def test_a_finding_at_the_last_moment_is_reported(self) -> None:
        table = started(idle_seconds=10.0)
        table.receive(0, Moved(b"(1,[0,0])."), 105.0)
        step = table.tick(115.0)
        self.assertEqual([finding.code for finding in step.findings], ["out-of-turn"])
        self.assertEqual(step.outcome, Outcome(Termination.IDLE))


class RefereeTests(SynchronousTestCase):
    def test_it_judges_after_forwarding(self) -> None:
        table = started()
        step = table.receive(0, Moved(b"(1,[0,0])."), 102.0)
        self.assertEqual((step.events[0].seat, step.findings), (1, ()))
        found = table.review().findings
        self.assertEqual([(f.code, f.seat, f.entry) for f in found], [("out-of-turn", 0, 3)])
        self.assertEqual(table.match.findings, list(found))

    def test_a_review_is_short(self) -> None:
        table = started()
        for turn in range(REVIEWED_AT_ONCE):
            table.receive((1 + turn) % 2, Moved(b"(1,[0,0])."), 102.0)
            table.receive(turn % 2, Moved(b"(2,[0,0,1])."), 102.0)
        self.assertTrue(table.review().review)
        self.assertFalse(table.review().review)
        self.assertEqual((table.match.findings, table.match.unjudged), ([], None))

    def test_few_lines_wait_for_their_review_however_many_come(self) -> None:
        """Who leaves has all that wait judged at once."""
        all_at_once, few = started(), started()
        codes = []
        for number in range(300):
            seat, line = (0, b"hello") if number % 50 == 49 else ((1 + number) % 2, b"(1,[0,0]).")
            all_at_once.receive(seat, Moved(line), 102.0)
            self.patch(relays, "MOST_PENDING", 100)
            step = few.receive(seat, Moved(line), 102.0)
            self.patch(relays, "MOST_PENDING", 1_000)
            codes += [finding.code for finding in step.findings]
            self.assertLessEqual(len(few.match.pending), 100)
        self.assertIn("illegible", codes)
        for table in (all_at_once, few):
            table.leave(0, Termination.LEFT, 103.0)
        self.assertEqual(
            (few.match.findings, few.match.unjudged), (all_at_once.match.findings, all_at_once.match.unjudged)
        )
        self.assertEqual(few.outcome, all_at_once.outcome)

    def test_a_line_without_meaning_is_a_finding_and_the_referee_goes_on(self) -> None:
        table = started()
        for seat, line in ((1, b"(1,[0,0])."), (1, b"hello"), (0, b"(2,[0,0,3])."), (0, b"(1,[0,0]).")):
            table.receive(seat, Moved(line), 102.0)
        self.assertEqual(reviewed(table), ["illegible", "no-legal-fleet"])
        self.assertEqual([finding.seat for finding in table.match.findings], [1, 0])
        self.assertIsNone(table.match.unjudged)

    def test_who_answers_what_nobody_else_can_read_is_not_blamed(self) -> None:
        """A client that reads more than the referee answers a shot that was none for the referee."""
        table = started()
        for seat, line in ((1, b"(1,[3,4])"), (0, b"(2,[3,4,1])."), (0, b"(1,[5,5])."), (1, b"(2,[5,5,1]")):
            table.receive(seat, Moved(line), 102.0)
        for seat, line in ((1, b"(1,[0,1])."), (0, b"(2,[0,1,1])."), (0, b"(1,[10,0])."), (1, b"(2,[10,0,1]).")):
            table.receive(seat, Moved(line), 103.0)
        table.receive(1, Moved(b"(1,[0,1])."), 104.0)
        self.assertEqual(reviewed(table), ["illegible", "illegible", "off-board"])
        self.assertEqual([finding.seat for finding in table.match.findings], [1, 1, 0])

    def test_code_four_ends_an_unjudged_game(self) -> None:
        table = started()
        table.receive(1, Moved(b"hello"), 102.0)
        self.assertEqual(table.receive(1, Moved(b"2,[0,0,4]"), 102.0).outcome, Outcome(Termination.VICTORY, 0))

    def test_each_line_out_of_turn_is_found(self) -> None:
        table = started()
        for seat in (0, 0, 1, 1):
            table.receive(seat, Moved(b"(1,[0,0])."), 102.0)
        self.assertEqual(reviewed(table), ["out-of-turn"] * 3)
        self.assertEqual([finding.seat for finding in table.match.findings], [0, 0, 1])
        self.assertIsNone(table.match.unjudged)

    def test_whom_a_line_out_of_turn_has_misled_is_not_blamed(self) -> None:
        table = started()
        for seat, line in ((0, b"(1,[7,7])."), (1, b"(2,[7,7,1])."), (1, b"(1,[0,0]).")):
            table.receive(seat, Moved(line), 102.0)
        self.assertEqual(reviewed(table), ["out-of-turn"])

    def test_a_lie_about_the_fleet_is_found_once(self) -> None:
        table = started()
        table.receive(1, Moved(b"(1,[0,0])."), 102.0)
        table.receive(0, Moved(b"(2,[0,0,3])."), 102.0)
        table.receive(0, Moved(b"(1,[0,0])."), 102.0)
        self.assertEqual(reviewed(table), ["no-legal-fleet"])
        self.assertIsNone(table.match.unjudged)

    def test_findings_are_limited(self) -> None:
        table = started()
        table.match.findings.extend([None] * (FINDINGS_KEPT - 1))
        table.receive(1, Moved(b"(1,[0,0])."), 102.0)
        table.receive(0, Moved(b"(2,[0,0,3])."), 102.0)
        table.review()
        self.assertEqual((len(table.match.findings), table.match.unjudged), (FINDINGS_KEPT, 5))

    def test_enforcing_judges_first(self) -> None:
        table = started(enforce=True)
        legal = table.receive(1, Moved(b"(1,[0,0])."), 102.0)
        self.assertEqual((legal.events[0].seat, legal.review), (0, False))
        step = table.receive(0, Moved(b"(2,[0,0,4])."), 102.0)
        self.assertEqual(step.events, ())
        self.assertEqual((step.dropped, step.outcome), ((0, 1), Outcome(Termination.FORFEIT, 1)))
        self.assertEqual([finding.code for finding in step.findings], ["no-legal-fleet"])
        self.assertEqual([entry.kind for entry in step.journal], [LINE, ENDED])

    def test_enforcing_does_not_let_pass_what_it_cannot_read(self) -> None:
        for line, code in (
            (b"hello", "illegible"),
            (b"(1,[-1,0]).", "off-board"),
            (b"(1,[0,1,2,3]).", "wrong-numbers"),
            (b"(1,[3,4])", "illegible"),
            (b" ", "illegible"),
            (b"(1,[3,4]).(1,[3,5]).", "illegible"),
            (b"(6,[]).", "illegible"),
        ):
            table = started(enforce=True)
            step = table.receive(1, Moved(line), 102.0)
            self.assertEqual((step.events, step.outcome), ((), Outcome(Termination.FORFEIT, 0)), line)
            self.assertEqual([(finding.code, finding.seat) for finding in step.findings], [(code, 1)], line)

    def test_enforcing_hands_on_what_every_client_reads(self) -> None:
        """The Prolog client cannot read the older form, nor the Java client blanks: their sender would win by that."""
        for line in (b"1,[3,4]", b"1,[3,4].", b" ( 1 , [ 3 , 4 ] ) . ", b"(01,[03,4])."):
            table = started(enforce=True)
            step = table.receive(1, Moved(line), 102.0)
            self.assertEqual(step.events, (Addressed(0, Moved(b"(1,[3,4]).")),), line)
            self.assertEqual(step.journal[0].body, line, "the record has it as it came")
            self.assertEqual(
                started().receive(1, Moved(line), 102.0).events, (Addressed(0, Moved(line)),), "observed only"
            )

    def test_enforcing_does_not_let_a_shot_pass_at_which_the_clients_stop(self) -> None:
        for enforce, found in ((True, ["repeated-shot"]), (False, [])):
            table = started(enforce=enforce)
            for seat, line in ((1, b"(1,[0,0])."), (0, b"(2,[0,0,2])."), (0, b"(1,[0,0])."), (1, b"(2,[0,0,1]).")):
                table.receive(seat, Moved(line), 102.0)
            step = table.receive(1, Moved(b"(1,[0,0])."), 103.0)
            self.assertEqual(reviewed(table), found)
            self.assertEqual(step.outcome, Outcome(Termination.FORFEIT, 0) if enforce else None)

    def test_who_broke_a_rule_does_not_win_when_the_other_leaves(self) -> None:
        for lie in (b"(2,[0,0,3]).", b"hello"):
            for leaver, winner in ((1, None), (0, 1)):
                table = started()
                table.receive(1, Moved(b"(1,[0,0])."), 102.0)
                table.receive(0, Moved(lie), 102.0)
                step = table.leave(leaver, Termination.LEFT, 102.0)
                self.assertEqual(step.outcome, Outcome(Termination.LEFT, winner))
                self.assertEqual([finding.seat for finding in step.findings], [0], "judged before the end")

    def test_four_ends_in_every_form_that_is_read(self) -> None:
        for line in (b"(2,[3,4,04]).", b" ( 2 , [ 3 , 4 , 4 ] ) . ", b"2,[3,4,4]."):
            self.assertEqual(started().receive(0, Moved(line), 102.0).outcome, Outcome(Termination.VICTORY, 1), line)


LINES = st.sampled_from(
    [b"(1,[0,0]).", b"(2,[0,0,1]).", b"(2,[0,0,3]).", b"(1,[3,3]).", b"(2,[3,3,2]).", b"(5,[]).", b"(1,[10,0]).",
     b"(2,[0,0,7]).", b"(2,[0,0]).", b"hello", b"1,[3,3]", b" ( 1 , [ 0 , 0 ] ) . "]
)  # fmt: skip


class AnyLinesTests(SynchronousTestCase):
    @settings(deadline=None, max_examples=70)
    @given(st.lists(st.tuples(st.integers(0, 1), LINES | st.binary(max_size=8), st.booleans()), max_size=30))
    def test_the_referee_finds_the_same_whenever_it_looks(self, played: list[tuple[int, bytes, bool]]) -> None:
        often, seldom = started(), started()
        for seat, line, is_reviewed in played:
            for table in (often, seldom):
                table.receive(seat, Moved(line), 102.0)
            often.review()
            while is_reviewed and seldom.review().review:
                pass
        reviewed(seldom)
        for name in ("state", "findings", "unjudged"):
            self.assertEqual(getattr(often.match, name), getattr(seldom.match, name), name)
        self.assertEqual(often.outcome, seldom.outcome)

    @settings(deadline=None, max_examples=70)
    @given(st.lists(st.tuples(st.integers(0, 1), LINES), max_size=30))
    def test_enforcing_forwards_nothing_that_breaks_a_rule(self, played: list[tuple[int, bytes]]) -> None:
        table = started(enforce=True)
        for seat, line in played:
            step = table.receive(seat, Moved(line), 102.0)
            if step.findings:
                self.assertEqual((step.events, step.outcome), ((), Outcome(Termination.FORFEIT, 1 - seat)))
            elif step.events:
                self.assertRegex(step.events[0].event.body, rb"\A\([12],\[\d,\d(,[1-4])?\]\)\.\Z")


class RefusalTests(SynchronousTestCase):
    """What the developer of a client is told."""

    def refused(self, step: Step) -> list[tuple[int, str]]:
        return [(seat, refusal.code) for seat, refusal in step.refused]

    def test_a_finding_tells_the_reason_what_was_expected_and_the_line(self) -> None:
        for enforce in (True, False):
            table = started(enforce=enforce)
            table.receive(1, Moved(b"(1,[3,4])."), 102.0)
            step = table.receive(0, Moved(b"(2,[4,3,1])."), 102.0)
            ((seat, refusal),) = step.refused if enforce else table.review().refused
            self.assertEqual((seat, refusal.code, refusal.text), (0, "other-cell", b"(2,[4,3,1])."))
            self.assertIn("answers for (4,3); the shot was at (3,4) (X and Y swapped?); the line was", refusal.reason)
            self.assertIn('the answer to the shot, "(2,[3,4,R])."', refusal.expected)

    def test_a_line_is_forwarded_all_the_same_where_the_referee_observes(self) -> None:
        table = started()
        step = table.receive(1, Moved(b"GET / HTTP/1.1"), 102.0)
        self.assertEqual((step.events, step.refused), ((Addressed(0, Moved(b"GET / HTTP/1.1")),), ()))
        self.assertEqual(self.refused(table.review()), [(1, "illegible")])

    def test_a_legal_game_is_not_spoken_of(self) -> None:
        table = started()
        for seat, line in ((1, b"(1,[0,0])."), (0, b"(2,[0,0,1])."), (0, b"(1,[0,0]).")):
            self.assertEqual(table.receive(seat, Moved(line), 102.0).refused, ())
        self.assertEqual(table.review().refused, ())

    def test_early_lines_are_spoken_of_at_once(self) -> None:
        table = relay()
        table.join("a", 100.0)
        self.assertEqual(self.refused(table.receive(0, Moved(b"hello"), 100.1)), [(0, "illegible")])
        self.assertEqual(self.refused(table.receive(0, Moved(b"(1,[0,0])."), 100.2)), [(0, "early")])
        self.assertIsNone(table.outcome)

    def test_many_early_lines_are_not_all_looked_at(self) -> None:
        table = relay()
        table.join("a", 100.0)
        refused = [len(table.receive(0, Moved(b"x"), 100.1).refused) for _ in range(FINDINGS_KEPT + 2)]
        self.assertEqual(refused, [1] * FINDINGS_KEPT + [0, 0])

    def test_limits(self) -> None:
        table = relay(early_bytes=5)
        table.join("a", 100.0)
        self.assertEqual(self.refused(table.receive(0, Moved(b"x" * 5), 100.1)), [(0, "early-limit")])
        for limit in ("game_lines", "game_bytes"):
            table = started(**{limit: 1})
            table.receive(1, Moved(b"x"), 102.0)
            self.assertEqual(self.refused(table.receive(1, Moved(b"x"), 102.0)), [(1, "game-limit")])
        table = started(game_lines=1)
        table.pause(102.0)
        table.receive(1, Moved(b"x"), 102.0)
        self.assertEqual(self.refused(table.receive(0, Moved(b"x"), 102.0)), [(0, "game-limit")])

    def test_silence(self) -> None:
        table = relay(waiting_seconds=10.0)
        table.join("a", 100.0)
        self.assertEqual(self.refused(table.tick(110.0)), [(0, "no-partner")])
        table = started(idle_seconds=10.0)
        table.receive(1, Moved(b"(1,[3,4])."), 102.0)
        ((seat, refusal),) = table.tick(112.0).refused
        reason = "neither client sent anything for 10 seconds; seat 0 was to answer"
        self.assertEqual((seat, refusal.code, refusal.reason), (0, "idle", reason))
        self.assertIn('"(2,[3,4,R])."', refusal.expected)
        table = started(idle_seconds=10.0)
        table.receive(1, Moved(b"hm"), 102.0)
        self.assertEqual(self.refused(table.tick(112.0)), [(1, "illegible"), (0, "idle"), (1, "idle")])

    def test_a_shot_that_is_not_answered_is_spoken_of_once(self) -> None:
        for enforce in (False, True):
            table = started(enforce=enforce)
            step = table.receive(1, Moved(b"(1,[3,4])."), 102.0)
            table.review()
            self.assertEqual(step.wake_at, 112.0)
            step = table.tick(112.0)
            ((seat, refusal),) = step.refused
            self.assertEqual((seat, refusal.code), (0, "no-answer"))
            self.assertEqual(refusal.reason, "no answer to the shot at (3,4) for 10 seconds")
            self.assertIn("CR (byte 13)", refusal.expected)
            self.assertEqual((step.wake_at, step.events, step.outcome), (102.0 + 900.0, (), None))

    def test_a_shot_that_does_not_come_is_for_programs_only(self) -> None:
        table = relay()
        table.join("a", 100.0)
        self.assertEqual(table.join("b", 101.0).wake_at, 111.0)
        for at, seat in ((111.0, 1), (131.0, 0)):
            step = table.tick(at)
            ((found, refusal),) = step.refused
            self.assertEqual((found, refusal.code, refusal.is_for_programs), (seat, "no-shot", True))
            self.assertEqual(refusal.reason, "no shot for 10 seconds")
            self.assertIn("CR (byte 13)", refusal.expected)
            table.receive(1, Moved(b"(1,[3,4])."), 120.0)
            table.receive(0, Moved(b"(2,[3,4,1])."), 120.0)
            table.review()

    def test_a_shot_that_others_cannot_read_is_named_as_that(self) -> None:
        for enforce, code, seat in ((False, "odd-notation", 1), (True, "no-answer", 0)):
            table = started(enforce=enforce)
            table.receive(1, Moved(b"1,[6,0]"), 102.0)
            table.review()
            ((found, refusal),) = table.tick(112.0).refused
            self.assertEqual((found, refusal.code), (seat, code))
        table = started()
        table.receive(1, Moved(b"1,[6,0]"), 102.0)
        table.review()
        ((_, refusal),) = table.tick(112.0).refused
        self.assertEqual((refusal.expected, refusal.text), ('"(1,[6,0])."', b"1,[6,0]"))

    def test_a_liar_who_falls_silent_loses(self) -> None:
        table = started(idle_seconds=10.0)
        for seat, line in ((1, b"(1,[3,4])."), (0, b"(2,[3,4,3])."), (0, b"(1,[0,0])."), (1, b"(2,[0,0,1]).")):
            table.receive(seat, Moved(line), 102.0)
        table.receive(1, Moved(b"(1,[9,9])."), 102.0)
        table.review()
        self.assertEqual([finding.seat for finding in table.match.findings], [0])
        self.assertEqual(table.tick(112.0).outcome, Outcome(Termination.IDLE, 1))

    def test_an_honest_client_that_falls_silent_does_not_win(self) -> None:
        table = started(idle_seconds=10.0)
        for seat, line in ((1, b"(1,[3,4])."), (0, b"(2,[3,4,3])."), (0, b"(1,[0,0]).")):
            table.receive(seat, Moved(line), 102.0)
        table.review()
        self.assertEqual(table.tick(112.0).outcome, Outcome(Termination.IDLE, None))

    def test_who_was_seen_to_answer_is_not_spoken_of(self) -> None:
        table = started()
        table.receive(1, Moved(b"(1,[3,4])."), 120.0)
        table.receive(0, Moved(b"(2,[3,4,1])."), 120.0)
        for seat, line in ((0, b"(1,[3,4])."), (1, b"(2,[3,4,1])."), (1, b"(1,[3,5]).")):
            step = table.receive(seat, Moved(line), 132.0)
        self.assertEqual(step.wake_at, 132.0 + 900.0, "both were seen to answer")

    def test_nobody_knows_who_is_to_answer_after_a_line_without_meaning(self) -> None:
        table = started()
        table.receive(1, Moved(b"(1,[3,4])."), 102.0)
        table.receive(0, Moved(b"hm"), 102.0)
        table.review()
        self.assertEqual(table.tick(112.0).refused, ())

    def test_an_early_line_is_counted_once(self) -> None:
        table = relay()
        table.join("a", 100.0)
        ((_, early),) = table.receive(0, Moved(b"(1,[5,5])."), 100.1).refused
        expected = 'nothing before "(5,[])."; this client was told to defend first, "(3,[])."'
        self.assertEqual((early.code, early.expected), ("early", expected))
        table.join("b", 101.0)
        step = table.review()
        self.assertEqual(([finding.code for finding in step.findings], step.refused), (["out-of-turn"], ()))

    def test_it_says_what_was_done_with_the_line(self) -> None:
        table = started()
        table.receive(1, Moved(b"hm"), 102.0)
        ((_, observed),) = table.review().refused
        self.assertEqual(observed.reason, "the line is not a command; the line was forwarded all the same")
        ((_, enforced),) = started(enforce=True).receive(1, Moved(b"hm"), 102.0).refused
        self.assertEqual(enforced.reason, "the line is not a command; the line was not forwarded, and the game is lost")

    def test_after_the_end(self) -> None:
        table = started()
        table.receive(0, Moved(b"(2,[0,0,4])."), 102.0)
        self.assertEqual(self.refused(table.receive(0, Moved(b"(1,[0,0])."), 102.0)), [(0, "after-end")])
        self.assertEqual(table.receive(0, Event(), 102.0), Step())

    def test_what_the_dialect_could_not_read(self) -> None:
        refusal = Refusal("empty-line", "an empty line")
        self.assertEqual(started().receive(0, Unread(refusal), 102.0), Step(refused=((0, refusal),)))


class ReplayTests(SynchronousTestCase):
    def history(self, table: Relay, *steps: Step) -> History:
        history = History("r", "battleship", "2026-11-21T00:00:00.000Z", 1, table.options)
        history.entries += [entry for step in steps for entry in step.journal]
        return history

    def test_a_replayed_table_stands_where_the_match_stood(self) -> None:
        for roles in ("first-defends", "random"):
            table = relay(roles=roles)
            steps = [table.join("a", 100.0), table.join("b", 101.0)]
            first = next(iter(Battleship().to_move(table.state)))
            for seat, line in ((first, b"(1,[0,0])."), (1 - first, b"(2,[0,0,3])."), (first, b"hm")):
                steps.append(table.receive(seat, Moved(line), 102.0))
            steps.append(table.leave(0, Termination.LEFT, 103.0))
            reviewed(table)
            history = self.history(table, *steps)
            again = relay(roles=roles)
            self.assertEqual(list(replay(again, history)), history.entries)
            for name in ("state", "findings", "unjudged"):
                self.assertEqual(getattr(again.match, name), getattr(table.match, name), name)
            self.assertEqual((again.outcome, again.names), (table.outcome, table.names))
