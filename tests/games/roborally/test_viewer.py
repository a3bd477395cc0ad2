"""An output channel that is worth watching: what it draws and when, and for how long it holds its `ok`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import RemoteProtocolError
from gamed.games.roborally import game_type
from gamed.games.roborally.client import Player
from gamed.games.roborally.screen import all_lines, fitted
from gamed.games.roborally.viewer import LONGEST_HOLD, TURN_HOLDS, Viewer
from tests.games.roborally.gathering import Peer, gathering

BOARD = b"__ _B_F(N,1,()())_ __ #B#G_ __ .\n"
STANDS = b"RS(N,(1,1),1,(1,1),0,3,()t,f,)\n"
MOVED = b"RS(N,(1,2),1,(1,1),0,3,()t,f,)\n"
RUNS = b"SS(LAU)\n"
CHANGED, REVEALED = b"NTC(Anna,)\n" + STANDS, b"NTC()\n"


def viewer(pace: float = 0.0) -> Viewer:
    """Return a viewer of a game that is about to start."""
    found = Viewer("Tafel", pace)
    found.begin()
    found.receive_data(b"ok\n" + BOARD + b"(1,1)(1,2)\n(Anna,Bert,)\n")
    found.receive_data(b"NTS\n(Anna,Bert,)\n")
    found.frames.clear()
    return found


def step(found: Viewer, *lines: bytes) -> str:
    """Tell of a step, with the answers to what is asked then; return the picture."""
    found.receive_data(b"".join(lines))
    (frame,) = found.frames
    found.frames.clear()
    return "\n".join(all_lines(fitted(frame)))


class NameTests(SynchronousTestCase):
    def test_a_name_that_is_in_use_is_followed_by_another(self) -> None:
        found = Viewer("Tafel", 0.0, ("TafelB", "TafelC"))
        self.assertEqual(found.begin(), b"RGA(Tafel)\n")
        self.assertEqual(found.receive_data(b"error\n"), b"RGA(TafelB)\n")
        self.assertEqual(found.receive_data(b"ok\n"), b"GPL\nGFL\nGSN\n")
        self.assertEqual((found.name, found.is_registered), ("TafelB", True))
        found = Viewer("Tafel", 0.0, ("TafelB",))
        found.begin()
        found.receive_data(b"error\n")
        error = self.assertRaises(RemoteProtocolError, found.receive_data, b"error\n")
        self.assertEqual(str(error), "the name TafelB is in use")


class PictureTests(SynchronousTestCase):
    def test_it_is_drawn_after_the_step_and_before_the_ok(self) -> None:
        found = viewer()
        step(found, b"NTC(Anna,Bert,)\n", STANDS, STANDS, b"SA()\n", RUNS)
        self.assertEqual(found.acknowledge(), b"ok\n")
        shown = step(found, b"NTC()\n", b"SA(1,(Anna,PK(M1,49)))\n", RUNS)
        self.assertTrue(shown.startswith("turn 1, phase 1: the cards are shown\n"), shown)
        self.assertIn("A&", shown)
        found.acknowledge()
        self.assertEqual(found.receive_data(b"NTC(Anna,)\n"), b"GRS(Anna)\nGSA\nGSS\n")
        self.assertIsNone(found.hold)
        shown = step(found, MOVED, b"SA(1,(Anna,PK(M1,49)))\n", RUNS)
        self.assertTrue(shown.startswith("turn 1, phase 1: Anna\n"), shown)
        self.assertIn("A^", shown)
        self.assertEqual(found.hold, 0.0)

    def test_before_the_start_the_course_and_who_waits(self) -> None:
        found = Viewer("Tafel")
        found.begin()
        self.assertEqual(found.receive_data(b"ok\n"), b"GPL\nGFL\nGSN\n")
        self.assertIn("*1", step(found, BOARD, b"(1,1)(1,2)\n", b"()\n"))
        self.assertEqual(found.ask_who(), b"GSN\n")
        found.receive_data(b"()\n")
        self.assertEqual(len(found.frames), 0)
        found.ask_who()
        self.assertTrue(step(found, b"(Anna,)\n").startswith("waiting for the start: Anna\n"))

    def test_the_last_board_is_drawn_once(self) -> None:
        found = viewer()
        step(found, b"NTC(Anna,Bert,)\n", STANDS, STANDS, b"SA()\n", RUNS)
        found.acknowledge()
        shown = step(found, b"NTC(Anna,Bert,)\n", STANDS, b"RSE\n", b"SA()\n", b"SS(END,Anna,Bert,)\n")
        self.assertTrue(shown.startswith("the game is over: Anna, Bert\n"), shown)
        found.acknowledge()
        self.assertEqual(found.receive_data(b"REN(GO)\n"), b"")
        self.assertEqual((found.is_done, len(found.frames)), (True, 0))

    def test_a_manager_that_does_not_tell_of_the_end_is_asked(self) -> None:
        found = viewer()
        self.assertEqual(found.receive_data(b"REN(GO)\n"), b"GSS\n")
        self.assertTrue(step(found, b"SS(END,Bert,Anna,)\n").startswith("the game is over: Bert, Anna\n"))
        self.assertEqual((found.is_done, found.hold), (True, None))


class HoldTests(SynchronousTestCase):
    def play(self, pace: float, players: int) -> Iterator[tuple[float, float]]:
        """Let a viewer watch a game; yield what the manager has counted of a turn before each `ok`, and the hold."""
        found = gathering(min_players=players, max_players=players, max_turns=6)
        watching = Viewer("Tafel", pace)
        tafel = found.connects()
        tafel.wire.send(watching.begin())
        playing = [(player, found.connects()) for player in map(self.player, range(players))]
        for player, peer in playing:
            peer.wire.send(player.begin())
        for _ in range(5_000):
            talk(watching, tafel)
            for player, peer in playing:
                talk(player, peer)
            if watching.is_done:
                return
            if watching.hold is None:
                found.passes(0.01)
                continue
            (channel,) = found.table.members.channels
            yield channel.spent, watching.hold
            found.passes(watching.hold)
            tafel.wire.send(watching.acknowledge())
        self.fail("the game does not end")

    def player(self, number: int) -> Player:
        return game_type.players["random"](Random(number), name="ABCDEFGH"[number])

    @given(pace=st.sampled_from([0.5, 3.0, 60.0]), players=st.integers(2, 4))
    @settings(deadline=None, max_examples=4)
    def test_all_of_a_turn_stay_under_half_of_what_the_manager_allows(self, pace: float, players: int) -> None:
        for spent, hold in self.play(pace, players):
            self.assertLessEqual(hold, min(pace, LONGEST_HOLD))
            self.assertGreater(hold, 0.0)
            # The manager adds the way of the messages, which takes nothing here.
            self.assertLessEqual(spent + hold, TURN_HOLDS + 0.001)

    @given(
        turns=st.lists(
            st.tuples(st.integers(0, 9), st.integers(0, 9), st.lists(st.integers(0, 9), min_size=5, max_size=5)),
            min_size=1,
            max_size=3,
        )
    )
    @settings(deadline=None, max_examples=10)
    def test_wherever_the_deal_is_which_a_channel_does_not_see(self, turns: list[tuple[int, int, list[int]]]) -> None:
        """The manager counts a turn from the deal: some robots change between it and the first phase, or before it."""
        found, spent = viewer(60.0), 0.0
        for before, after, phases in turns:
            for number in range(before + after):
                spent = self.held(found, CHANGED, b"SA()\n") + (0.0 if number == before else spent)
                self.assertLessEqual(spent, TURN_HOLDS)
            spent = spent if after else 0.0
            for phase, changes in enumerate(phases, 1):
                for step in (REVEALED, *[CHANGED] * changes):
                    spent += self.held(found, step, b"SA(%d,(Anna,PK(M1,49)))\n" % phase)
                    self.assertLessEqual(spent, TURN_HOLDS)

    def held(self, found: Viewer, step: bytes, phase: bytes) -> float:
        """Tell of a step; return for how long the `ok` is held."""
        found.receive_data(step + phase + RUNS)
        hold = found.hold
        assert hold is not None
        found.acknowledge()
        found.frames.clear()
        return hold

    def test_a_short_pace_is_kept(self) -> None:
        self.assertEqual({hold for _, hold in self.play(0.01, 2)}, {0.01})

    def test_each_step_of_a_game_is_told_once(self) -> None:
        self.assertGreater(len(list(self.play(0.01, 2))), 20)

    def test_facts_are_json(self) -> None:
        found = viewer()
        found.receive_data(b"NTC(Anna,Bert,)\n" + STANDS + b"RSE\n" + b"SA()\n" + RUNS)
        (frame,) = found.frames
        self.assertEqual(json.loads(json.dumps(frame.facts)), frame.facts)
        self.assertEqual((frame.facts["changed"], frame.facts["robots"]["Bert"]), (["Anna", "Bert"], None))


def talk(client: Player | Viewer, peer: Peer) -> None:
    data = peer.wire.received[peer.read :]
    peer.read += len(data)
    answer = client.receive_data(data) if data and not client.is_done else b""
    if answer:
        peer.wire.send(answer)
