"""Worlds that come, are seated or rejected, stay behind, break the protocol, in a room service in memory."""

from __future__ import annotations

from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamed.core.game import Termination
from gamed.games.quoridor.reception import LOOK_AGAIN
from gamed.games.quoridor.table import Universe
from gamed.records.index import validate
from gamed.records.own import judgement
from gamed.records.record import document
from gamed.testing.harness import Harness
from tests.games.quoridor.worlds import (
    DOWN,
    FOUR,
    LOBBY,
    REJECTED,
    VOTE,
    VOTED,
    World,
    four,
    gone,
    heard,
    newcomer,
    played,
    starts,
    two,
    universe,
    waiting_for_four,
)

REGISTER = b"(REGISTER ((name x)))\n"
FINAL = "(player 4.0 8.0 8.0)"


def tables(harness: Harness) -> list[Universe]:
    """Return the tables that are open."""
    return [room.table for room in harness.lobby.rooms_of("quoridor")]  # type: ignore[misc]


class RegistrationTests(SynchronousTestCase):
    def test_nothing_is_said_before_a_world_has_registered(self) -> None:
        harness = universe()
        wire = harness.connect()
        wire.send(b"(REGISTER ((name")
        wire.send(b" x)))")
        self.assertEqual((wire.received, tables(harness)), (b"", []))
        wire.send(b"\n")
        self.assertEqual(wire.received, b"(OKAY)\n(wait-for-players 0 ())\n")

    def test_what_follows_in_the_same_segment_counts(self) -> None:
        harness = universe()
        first = newcomer(harness)
        wire = harness.connect()
        wire.send(REGISTER + b"(play)\n")
        self.assertEqual(wire.received, b"(OKAY)\n(wait-or-play 0 ())\n(start2wait 1 ())\n")
        self.assertEqual(first.heard, [LOBBY, VOTE, "(start2play 1 ())"])

    def test_a_bad_registration_is_closed_and_told_nothing(self) -> None:
        harness = universe()
        for text in (b"(hello)\n", b"(REGISTER)\n", b")\n", b"GET / HTTP/1.1\r\n\r\n"):
            wire = harness.connect()
            wire.send(text)
            self.assertEqual((wire.received, wire.is_closed), (b"", True), text)
        self.assertEqual(tables(harness), [])

    def test_a_bad_registration_is_explained_with_its_text_and_an_example(self) -> None:
        harness = universe()
        for text, words in (
            (b"(hello)\n", "is not a registration"),
            (b"(register ((name x)))\n", "capitals"),
            (b'("REGISTER" ((name "x")))\n', "a symbol"),
            (b'(REGISTER "x")\n', "another form"),
            (b"GET / HTTP/1.1\r\n\r\n", "HTTP"),
        ):
            wire = harness.connect()
            wire.send(text)
            (refusal,) = wire.session.refusals.first
            self.assertEqual((refusal.code, refusal.text), ("no-registration", text.split(b"\r\n")[0].strip()))
            self.assertIn(words, refusal.reason)
            example = harness.connect()
            example.send(refusal.expected.split(" and ")[0].encode() + b"\n")
            self.assertTrue(example.received.startswith(b"(OKAY)"), refusal)
            example.leave()

    def test_who_does_not_register_in_time_is_closed(self) -> None:
        harness = universe(register_seconds=30.0)
        silent, halting, registered = (harness.connect() for _ in range(3))
        halting.send(b"(REGISTER ((name")
        registered.send(REGISTER)
        harness.clock.advance(29.9)
        self.assertFalse(silent.is_closed or halting.is_closed)
        harness.clock.advance(0.2)
        harness.clock.advance(0)
        self.assertEqual([wire.is_closed for wire in (silent, halting, registered)], [True, True, False])
        self.assertEqual((silent.received, halting.received), (b"", b""))
        (nothing,), (half,) = silent.session.refusals.first, halting.session.refusals.first
        self.assertEqual(
            (nothing.code, nothing.reason),
            ("register-too-late", "nothing came for 30 seconds; the connection is closed"),
        )
        self.assertEqual((half.code, half.text), ("register-too-late", b"(REGISTER ((name"))
        self.assertIn('(REGISTER ((name "', half.expected)
        self.assertEqual(harness.lobby.stats.refusals["register-too-late"], 2)

    def test_who_has_registered_may_be_silent_for_ever(self) -> None:
        harness = universe()
        worlds = two(harness)
        harness.clock.advance(1e6)
        played(worlds, DOWN)
        self.assertEqual(tables(harness)[0].status, "finished")

    def test_no_timer_is_left_of_who_has_gone(self) -> None:
        harness = universe()
        for text in (b"", b"(REGISTER", b")\n", REGISTER):
            wire = harness.connect()
            if text:
                wire.send(text)
            wire.leave()
        harness.settle()
        left = [call for call in harness.clock.getDelayedCalls() if call.getTime() > harness.clock.seconds() + 10]
        self.assertEqual(left, [])

    def test_names_are_in_the_record(self) -> None:
        harness = universe()
        one, other = newcomer(harness, '"Ω\\n"'), newcomer(harness, "17")
        one.says("(play)", "(move player 4 8)")
        harness.settle()
        (summary,) = harness.store.summaries.values()
        self.assertEqual([seat.name for seat in summary.seats], ["Ω\n", "17"])
        other.leaves()

    def test_peers_are_introduced(self) -> None:
        harness = universe()
        world = newcomer(harness, '"Ω\\n"')
        self.assertTrue(world.wire.session.name.startswith("\\u03a9\\n@127.0.0.1:"), world.wire.session.name)


class SeatTests(SynchronousTestCase):
    def test_a_third_world_is_rejected_and_closed(self) -> None:
        harness = universe()
        worlds = [newcomer(harness), newcomer(harness)]
        heard(worlds)
        for vote in (None, "(wait)", "(play)"):
            if vote is not None:
                worlds[vote == "(play)"].says(vote)
            third = newcomer(harness)
            self.assertEqual((third.heard, third.wire.is_closed), ([REJECTED], True))
            self.assertEqual(third.wire.session.refusals.counts, {"rejected": 1})
            # What it says and that it leaves changes nothing.
            third.says("(play)")
            third.leaves()
        self.assertEqual(heard(worlds), [[VOTED, "(start2play 1 ())"], ["(start2wait 1 ())"]])
        played(worlds, DOWN)
        self.assertEqual(newcomer(harness).heard, [REJECTED])

    def test_a_fifth_world_is_rejected(self) -> None:
        harness = universe()
        worlds = waiting_for_four(harness)
        for number in (3, 4):
            worlds.append(newcomer(harness))
            expected = [[LOBBY]] * 3 if number == 3 else starts(4, 1)
            self.assertEqual(heard(worlds), expected)
        self.assertEqual(newcomer(harness).heard, [REJECTED])
        played(worlds, FOUR)
        self.assertEqual(newcomer(harness).heard, [REJECTED])

    def test_a_world_that_would_be_rejected_opens_the_next_table(self) -> None:
        harness = universe(tables=2)
        two(harness)
        third, fourth = newcomer(harness), newcomer(harness)
        self.assertEqual(heard([third, fourth]), [[LOBBY, VOTE], [VOTE]])
        self.assertEqual(newcomer(harness).heard, [REJECTED])
        third.says("(wait)")
        fourth.says("(wait)")
        self.assertEqual(newcomer(harness).heard, [LOBBY])
        self.assertEqual(len(tables(harness)), 2)

    def test_the_oldest_table_that_takes_a_world_does(self) -> None:
        harness = universe(tables=3)
        worlds = waiting_for_four(harness)
        self.assertEqual([len(table.order) for table in tables(harness)], [2])
        worlds += [newcomer(harness), newcomer(harness)]
        other = [newcomer(harness), newcomer(harness)]
        newcomer(harness)
        self.assertEqual([len(table.order) for table in tables(harness)], [4, 2, 1])
        for world in other:
            world.says("(wait)")
        newcomer(harness)
        self.assertEqual([len(table.order) for table in tables(harness)], [4, 3, 1])

    def test_four_who_come_at_once_sit_at_two_tables(self) -> None:
        """Who comes during the vote would be rejected, and so opens the next table, whatever is voted then."""
        harness = universe(tables=0)
        worlds = [newcomer(harness) for _ in range(4)]
        for world in worlds:
            world.says("(wait)")
        self.assertEqual([(table.status, len(table.order)) for table in tables(harness)], [("4players", 2)] * 2)
        heard(worlds)
        worlds += [newcomer(harness), newcomer(harness)]
        self.assertEqual([len(table.order) for table in tables(harness)], [4, 2])
        self.assertEqual(heard(worlds[2:4]), [[], []])

    def test_as_many_tables_as_are_asked_for(self) -> None:
        harness = universe(tables=0)
        for _ in range(30):
            two(harness)
        self.assertEqual(len(tables(harness)), 30)

    def test_tables_play_by_themselves(self) -> None:
        harness = universe(tables=0)
        one, other = two(harness), two(harness)
        played(one, DOWN[:3])
        self.assertEqual(heard(other), [[], []])
        played(other, DOWN)
        other[0].leaves()
        self.assertEqual(heard(one), [[], []])
        one[1].says(f"(move {DOWN[3]})")
        self.assertEqual(heard(one), [["(play 2 (player 4.0 6.0 6.0))"], ["(wait 2 (player 4.0 6.0 6.0))"]])

    def test_a_lone_world_that_leaves_leaves_nothing(self) -> None:
        harness = universe()
        newcomer(harness).leaves()
        harness.settle()
        self.assertEqual((tables(harness), harness.store.records, list(harness.journal.open_rooms())), ([], {}, []))
        self.assertEqual(newcomer(harness).heard, [LOBBY])


class DisconnectTests(SynchronousTestCase):
    def test_the_others_are_told_once_and_heard_no_more(self) -> None:
        harness = universe()
        worlds = four(harness)
        worlds[2].leaves()
        self.assertEqual(heard(worlds), [gone(3), gone(3), [], gone(3)])
        for world in (worlds[0], worlds[1]):
            world.says("(play)", "(wait)", "(reset)", "(move player 4 1)", "hello")
        worlds[0].leaves()
        self.assertEqual(heard(worlds), [[], [], [], []])
        self.assertFalse(worlds[1].wire.is_closed)

    def test_a_newcomer_finds_a_fresh_table_at_once(self) -> None:
        for begin in (two, four, waiting_for_four):
            harness = universe()
            leaver, *others = begin(harness)
            leaver.leaves()
            fresh = [newcomer(harness), newcomer(harness)]
            self.assertEqual(heard(fresh), [[LOBBY, VOTE], [VOTE]])
            others[0].says("(play)", "(wait)")
            self.assertEqual(heard([*others, *fresh]), [gone(1)] * len(others) + [[], []])
            self.assertEqual(newcomer(harness).heard, [REJECTED])

    def test_a_survivor_that_breaks_the_protocol_is_closed(self) -> None:
        harness = universe()
        leaver, survivor = two(harness)
        leaver.leaves()
        survivor.says(")")
        self.assertTrue(survivor.wire.is_closed)

    def test_a_table_that_is_paced_counts_no_more_when_it_is_dissolved(self) -> None:
        harness = universe(pace=1.5)
        worlds = two(harness)
        worlds[0].says("(move player 4 8)")
        worlds[0].leaves()
        self.assertEqual(worlds[1].heard, ["(lost 1 (player 4 8 8))"])
        self.assertEqual(newcomer(harness).heard, [LOBBY])
        harness.clock.advance(1.5)
        harness.settle()
        self.assertEqual(worlds[1].heard, gone(1))
        self.assertEqual(len(tables(harness)), 1)

    def test_half_closed_is_gone(self) -> None:
        harness = universe()
        one, other = two(harness)
        one.wire.session.readConnectionLost()
        harness.clock.advance(0)
        self.assertEqual(other.heard, gone(1))

    def test_the_last_message_of_a_leaver_counts(self) -> None:
        harness = universe()
        one, other = two(harness)
        one.wire.send(b"(move player 4 8)")
        self.assertEqual(other.heard, [])
        one.leaves()
        self.assertEqual(other.heard, ["(lost 1 (player 4 8 8))", *gone(1)])

    def test_survivors_get_seats_again_if_that_is_wanted(self) -> None:
        harness = universe(reseat=True)
        leaver, *others = four(harness)
        leaver.leaves()
        # Two of them vote; the only table has no seat for the third one while they play.
        self.assertEqual(heard(others), [[*gone(1), LOBBY, VOTE], [*gone(1), VOTE], gone(1)])
        others[0].says("(play)")
        self.assertEqual(heard(others), [["(start2play 1 ())"], ["(start2wait 1 ())"], []])
        played(others[:2], DOWN)
        harness.settle()
        self.assertEqual([summary.termination for summary in harness.store.summaries.values()], ["left", "victory"])
        self.assertFalse(any(world.wire.is_closed for world in others))

    def three_left(self) -> tuple[Harness, list[World]]:
        """Return who is left of four: two vote, and the third one has no seat."""
        harness = universe(reseat=True)
        leaver, *others = four(harness)
        leaver.leaves()
        heard(others)
        return harness, others

    def test_who_found_no_seat_gets_the_next_one(self) -> None:
        harness, others = self.three_left()
        others[0].says("(wait)")
        harness.clock.advance(LOOK_AGAIN)
        others[1].says("(wait)")
        self.assertEqual(heard(others), [[VOTED, LOBBY], [LOBBY], []])
        harness.clock.advance(LOOK_AGAIN)
        harness.clock.advance(0)
        self.assertEqual(heard(others), [[LOBBY]] * 3)
        harness.clock.advance(LOOK_AGAIN)
        self.assertEqual([len(table.order) for table in tables(harness)], [3])

    def test_and_before_newcomers(self) -> None:
        harness, others = self.three_left()
        others[0].says("(wait)")
        others[1].says("(wait)")
        heard(others)
        last = newcomer(harness)
        self.assertEqual(heard([*others, last]), [[LOBBY, *start] for start in starts(4, 1)[:3]] + starts(4, 1)[3:])

    def test_who_has_waited_goes_before_who_is_left_now(self) -> None:
        _, others = self.three_left()
        others[0].says("(play)")
        heard(others)
        others[1].leaves()
        self.assertEqual(heard(others), [[*gone(2), VOTE], [], [LOBBY, VOTE]])

    def test_who_leaves_without_a_seat_leaves_nothing(self) -> None:
        harness, others = self.three_left()
        for world in others:
            world.leaves()
        harness.settle()
        self.assertEqual((tables(harness), harness.clock.getDelayedCalls()), ([], []))

    def test_there_are_no_seats_again_while_games_only_end(self) -> None:
        harness = universe(reseat=True)
        leaver, other = two(harness)
        harness.lobby.drain(lambda: None)
        leaver.leaves()
        harness.clock.advance(LOOK_AGAIN)
        self.assertEqual((other.heard, other.wire.is_closed, tables(harness)), (gone(1), False, []))

    def test_who_was_thrown_out_gets_no_seat_again(self) -> None:
        harness = universe(reseat=True)
        stuck, other = two(harness)
        stuck.wire.session.outbox.pauseProducing()
        harness.clock.advance(harness.settings.stuck_seconds)
        harness.clock.advance(0)
        self.assertEqual(other.heard, [*gone(1), LOBBY])
        self.assertTrue(stuck.wire.is_closed)
        self.assertEqual([len(table.order) for table in tables(harness)], [1])

    def test_a_table_that_is_stopped_lets_its_worlds_go_without_a_word(self) -> None:
        for reseat in (False, True):
            harness = universe(reseat=reseat)
            worlds = two(harness)
            (room,) = harness.lobby.rooms_of("quoridor")
            room.stop(Termination.CANCELLED)
            harness.settle()
            self.assertEqual((heard(worlds), [world.wire.is_closed for world in worlds]), ([[], []], [True, True]))
            (summary,) = harness.store.summaries.values()
            self.assertEqual((summary.termination, summary.winner), ("cancelled", None))


class RecordTests(SynchronousTestCase):
    def check(self, harness: Harness, *ends: tuple[str, int | None, int, int]) -> None:
        """Compare each record: termination, winner, moves, seats."""
        harness.settle()
        found = [(one.termination, one.winner, one.length, len(one.seats)) for one in harness.store.summaries.values()]
        self.assertEqual(found, list(ends))
        for record in harness.store.records.values():
            validate(document(record))
        self.assertEqual(list(harness.journal.open_rooms()), [])

    def test_each_game_has_a_record(self) -> None:
        harness = universe()
        worlds = two(harness)
        played(worlds, DOWN)
        worlds[0].says("(reset)")
        # World 2 begins and wins, too.
        played(worlds, ["player 4.0 7.0", "player 4.0 1.0", "player 8.0 0.0"], first=2)
        worlds[1].says("(reset)")
        worlds[0].says("(move player 4 1)")
        worlds[1].leaves()
        worlds[0].leaves()
        self.check(harness, ("victory", 0, 15, 2), ("victory", 1, 3, 2), ("left", 0, 1, 2))
        second = list(harness.store.records.values())[1]
        self.assertEqual([finding.code for finding in judgement(second).findings], ["pawn-unreachable"])

    def test_four(self) -> None:
        harness = universe()
        worlds = four(harness)
        played(worlds, FOUR)
        worlds[3].says("(reset)")
        worlds[1].says("(move wall 3 3 vertical)")
        worlds[2].leaves()
        self.check(harness, ("victory", 0, len(FOUR), 4), ("left", None, 1, 4))

    def test_a_game_that_was_never_begun_has_none(self) -> None:
        harness = universe()
        worlds = waiting_for_four(harness)
        worlds[0].leaves()
        self.check(harness)

    def test_a_daemon_that_stops(self) -> None:
        harness = universe()
        worlds = two(harness)
        played(worlds, DOWN[:4])
        harness.lobby.stopService()
        self.check(harness, ("shutdown", None, 4, 2))

    def test_a_world_that_breaks_the_protocol_loses(self) -> None:
        harness = universe()
        worlds = two(harness)
        worlds[0].says("(move player 4 1")
        worlds[0].says(")) (")
        worlds[0].says("#<")
        self.check(harness, ("removed", 1, 1, 2))
        self.assertEqual(worlds[1].heard, ["(play 1 (player 4 1 1))", *gone(1)])

    def test_a_fault_of_ours_costs_nobody_the_game(self) -> None:
        harness = universe()
        worlds = two(harness)

        def fail(*_arguments: Any) -> None:
            raise ZeroDivisionError

        (table,) = tables(harness)
        self.patch(type(table), "receive", fail)
        worlds[0].says("(move player 4 1)")
        self.flushLoggedErrors(ZeroDivisionError)
        self.check(harness, ("server-fault", None, 0, 2))
        self.assertTrue(all(world.wire.is_closed for world in worlds))


class PaceTests(SynchronousTestCase):
    def test_mails_keep_their_distance_by_the_clock(self) -> None:
        harness = universe(pace=1.5)
        worlds = two(harness)
        worlds[0].says("(move player 4 1)")
        worlds[1].says("(move player 4 7)")
        self.assertEqual([len(lines) for lines in heard(worlds)], [1, 1])
        harness.clock.advance(1.4)
        self.assertEqual(heard(worlds), [[], []])
        harness.clock.pump([0.1, 0.0, 0.0])
        self.assertEqual(heard(worlds), [["(play 2 (player 4 7 7))"], ["(wait 2 (player 4 7 7))"]])


class SettingTests(SynchronousTestCase):
    def test_a_strict_referee(self) -> None:
        harness = universe(referee="strict")
        worlds = two(harness)
        worlds[0].says("(move player 4 8)")
        self.assertEqual(heard(worlds), [[], []])
        worlds[0].says("(move player 4 1)")
        self.assertEqual([len(lines) for lines in heard(worlds)], [1, 1])

    def test_limits_of_a_datum(self) -> None:
        harness = universe(datum_bytes=100, datum_depth=3)
        for text in (b"(REGISTER ((name " + b"x" * 100 + b")))\n", b"(REGISTER ((name ((x)))))\n"):
            wire = harness.connect()
            wire.send(text)
            self.assertTrue(wire.is_closed, text)

    def test_numbers_that_make_no_sense(self) -> None:
        for key, value in (("tables", -1), ("pace", -0.1), ("register_seconds", 0), ("datum_bytes", 0)):
            self.assertRaises(ValueError, universe, **{key: value})
        self.assertRaises(ValueError, universe, referee="lax")
