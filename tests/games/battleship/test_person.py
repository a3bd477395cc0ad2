"""The player that a human steers: placing, shooting, answering by itself, and what the human sees."""

from __future__ import annotations

import json
from random import Random
from typing import Any
from unittest import mock

from attrs import define, field
from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import IllegalMove, InvalidMove, NotYourTurn, RemoteProtocolError, RuleError
from gamed.core.game import Outcome, Termination
from gamed.core.relay import Relay
from gamed.core.table import Step
from gamed.games.battleship import game_type
from gamed.games.battleship.client import Player
from gamed.games.battleship.fleet import RIMS, SIZE
from gamed.games.battleship.person import FAULTS_KEPT, Person
from gamed.games.battleship.placement import PlacementError
from gamed.games.battleship.rules import Battleship
from gamed.games.battleship.strategy import Density, OpenList
from gamed.games.battleship.wire import Command, Opcode, decode
from gamed.records.own import to_history
from gamed.testing.harness import Harness
from gamed.wire import Connection

SHIPS: list[list[Any]] = [[0, 0, 5, "h"], [0, 2, 4, "h"], [0, 4, 3, "v"], [9, 0, 3, "v"], [8, 9, 2, "h"]]
CELLS = {0, 1, 2, 3, 4, 20, 21, 22, 23, 40, 50, 60, 9, 19, 29, 98, 99}
FIRST, SECOND = b"(4,[]).\r(5,[]).\r", b"(3,[]).\r(5,[]).\r"
READY = {"do": "ready"}
VICTORY_OF_THE_BOT = Outcome(Termination.VICTORY, 1)


def person(received: bytes = b"", *, ready: bool = True) -> Person:
    """Return a person with SHIPS, ready or not, who has received bytes."""
    made = Person(Random(1))
    made.act({"do": "place", "ships": SHIPS})
    if ready:
        made.act(READY)
    if received:
        made.receive_data(received)
    return made


def shoot(x: int, y: int) -> dict[str, Any]:
    return {"do": "shoot", "at": [x, y]}


def frozen(made: Person) -> str:
    """Return everything that a person is, to be compared."""
    return repr(made)


class PlacingTests(SynchronousTestCase):
    def test_ships_are_placed_at_random_and_apart(self) -> None:
        seen = set()
        for seed in range(30):
            fleet = Person(Random(seed)).view()["you"]["fleet"]
            self.assertEqual([ship[2] for ship in fleet["ships"]], [5, 4, 3, 3, 2])
            self.assertEqual(len(fleet["cells"]), 17)
            masks = [sum(1 << cell for cell in covered(ship)) for ship in fleet["ships"]]
            for one in masks:
                self.assertFalse(RIMS[False][one] & (sum(masks) - one), "not even corners touch")
            seen.add(tuple(fleet["cells"]))
        self.assertGreater(len(seen), 25)

    def test_they_can_be_rolled_again(self) -> None:
        made = Person(Random(1))
        before = made.view()["you"]["fleet"]["ships"]
        self.assertEqual(made.act({"do": "roll"}), b"")
        self.assertNotEqual(made.view()["you"]["fleet"]["ships"], before)

    def test_a_roll_that_finds_no_fleet_is_refused(self) -> None:
        made = person(ready=False)
        with mock.patch("gamed.games.battleship.person.place_fleet", side_effect=PlacementError("no fleet found")):
            error = self.assertRaises(IllegalMove, made.act, {"do": "roll"})
        self.assertEqual((error.code, str(error)), ("no-place", "no fleet found; try again"))
        self.assertEqual(set(made.view()["you"]["fleet"]["cells"]), CELLS)

    def test_they_can_be_placed_by_hand_in_any_order(self) -> None:
        for ships in (SHIPS, SHIPS[::-1]):
            made = Person(Random(2))
            self.assertEqual(made.act({"do": "place", "ships": ships}), b"")
            fleet = made.view()["you"]["fleet"]
            self.assertEqual(set(fleet["cells"]), CELLS)
            self.assertEqual(sorted(map(str, fleet["ships"])), sorted(map(str, SHIPS)))

    def test_what_is_no_fleet_is_refused_with_a_reason(self) -> None:
        last = SHIPS[:4]
        for ships, code in (
            (None, "invalid-move"),
            ({"0": 1}, "invalid-move"),
            (SHIPS[:4], "invalid-move"),
            ([*SHIPS, SHIPS[0]], "invalid-move"),
            ([*last, [8, 9, 2]], "invalid-move"),
            ([*last, "abcd"], "invalid-move"),
            ([*last, [8, 9, 2, "x"]], "invalid-move"),
            ([*last, [8, 9, 2.0, "h"]], "invalid-move"),
            ([*last, [True, 9, 2, "h"]], "invalid-move"),
            ([*last, [8, 9, 1, "h"]], "wrong-fleet"),
            ([*last, [8, 9, 10**30, "h"]], "wrong-fleet"),
            ([*last, [7, 9, 3, "h"]], "wrong-fleet"),
            ([*last, [9, 9, 2, "h"]], "off-board"),
            ([*last, [9, 9, 2, "v"]], "off-board"),
            ([*last, [-1, 9, 2, "h"]], "off-board"),
            ([*last, [0, -(10**30), 2, "h"]], "off-board"),
            ([*last, [4, 0, 2, "h"]], "touching"),
            ([*last, [4, 1, 2, "h"]], "touching"),
            ([*last, [4, 3, 2, "h"]], "touching"),
        ):
            made = person(ready=False)
            error = self.assertRaises(RuleError, made.act, {"do": "place", "ships": ships})
            self.assertEqual(error.code, code, ships)
            self.assertIsInstance(error, InvalidMove if code == "invalid-move" else IllegalMove)
            self.assertEqual(set(made.view()["you"]["fleet"]["cells"]), CELLS)

    def test_after_ready_nothing_is_placed_any_more(self) -> None:
        made = person()
        for action in ({"do": "roll"}, {"do": "place", "ships": SHIPS}, READY):
            self.assertEqual(self.assertRaises(IllegalMove, made.act, action).code, "placed")


def covered(ship: list[Any]) -> list[int]:
    """Return the cells of a ship as `view` spells it."""
    x, y, length, way = ship
    return [x + SIZE * y + step * (1 if way == "h" else SIZE) for step in range(length)]


class BeforeReadyTests(SynchronousTestCase):
    def test_a_shot_is_answered_when_the_ships_are_placed(self) -> None:
        made = person(ready=False)
        self.assertEqual(made.receive_data(SECOND + b"(1,[0,2]).\r"), b"")
        self.assertEqual((made.view()["phase"], made.view()["you"]["awaited"]), ("placing", True))
        self.assertEqual(made.act(READY), b"(2,[0,2,2]).\n")
        self.assertEqual((made.view()["phase"], made.view()["you"]["awaited"]), ("shoot", False))

    def test_a_shot_that_waits_is_not_shown_to_who_could_still_flee(self) -> None:
        shown = []
        for shot in (b"(1,[0,2]).\r", b"(1,[7,7]).\r"):
            made = person(SECOND, ready=False)
            made.receive_data(shot)
            shown.append(made.view())
        self.assertEqual(*shown)
        self.assertEqual((shown[0]["board"]["shot"], shown[0]["you"]["last"]), (None, {}))

    def test_who_attacks_first_places_first(self) -> None:
        made = person(FIRST, ready=False)
        self.assertTrue(made.view()["you"]["awaited"])
        self.assertEqual(self.assertRaises(IllegalMove, made.act, shoot(0, 0)).code, "not-ready")
        self.assertEqual(made.act(READY), b"")
        self.assertEqual(made.act(shoot(0, 0)), b"(1,[0,0]).\n")

    def test_who_is_ready_waits_for_an_enemy(self) -> None:
        made = person()
        self.assertEqual((made.view()["phase"], made.view()["you"]["started"]), ("waiting", False))
        self.assertRaises(NotYourTurn, made.act, shoot(0, 0))
        made.receive_data(SECOND)
        self.assertEqual((made.view()["phase"], made.view()["you"]["started"]), ("defend", True))


class ShootingTests(SynchronousTestCase):
    def test_a_shot_its_answer_and_the_next_turn(self) -> None:
        made = person(FIRST)
        self.assertEqual((made.view()["phase"], made.view()["you"]["may"]), ("shoot", ["shoot"]))
        self.assertEqual(len(made.view()["you"]["targets"]), 100)
        self.assertEqual(made.act(shoot(3, 4)), b"(1,[3,4]).\n")
        view = made.view()
        self.assertEqual((view["phase"], view["board"]["shot"], view["you"]["targets"]), ("await", [3, 4], []))
        self.assertEqual(view["you"]["last"], {"you": {"at": [3, 4], "code": None}})
        made.receive_data(b"(2,[3,4,2]).\r")
        view = made.view()
        self.assertEqual((view["phase"], view["you"]["enemy"]["hits"], view["you"]["shots"]), ("defend", [43], 1))
        self.assertEqual(made.receive_data(b"(1,[9,9]).\r"), b"(2,[9,9,2]).\n")
        view = made.view()
        self.assertEqual(view["you"]["last"], {"you": {"at": [3, 4], "code": 2}, "enemy": {"at": [9, 9], "code": 2}})
        self.assertNotIn(43, view["you"]["targets"])
        self.assertEqual(view["you"]["fleet"]["hits"], [99])

    def test_a_ship_that_sinks_on_either_side(self) -> None:
        made = person(FIRST)
        for (x, y, code), (a, b) in zip([(3, 4, 2), (3, 5, 3)], [(8, 9), (9, 9)], strict=True):
            made.act(shoot(x, y))
            made.receive_data(b"(2,[%d,%d,%d]).\r(1,[%d,%d]).\r" % (x, y, code, a, b))
        you = made.view()["you"]
        self.assertEqual(you["enemy"], {"water": [], "hits": [], "sunk": [43, 53], "afloat": [5, 4, 3, 3]})
        self.assertEqual((you["fleet"]["sunk"], you["fleet"]["afloat"]), ([98, 99], [5, 4, 3, 3]))
        self.assertEqual(len(you["fleet"]["cells"]), 17)

    def test_what_is_no_shot_or_not_due(self) -> None:
        made = person(FIRST)
        for at in (None, 5, "ab", [1], [1, 2, 3], [1.0, 2], [True, 2], ["1", 2], {"x": 1}, [[1], 2]):
            self.assertRaises(InvalidMove, made.act, {"do": "shoot", "at": at})
        for at in ([10, 0], [0, -1], [0, 10**40]):
            self.assertEqual(self.assertRaises(IllegalMove, made.act, {"do": "shoot", "at": at}).code, "off-board")
        made.act(shoot(3, 4))
        self.assertEqual(self.assertRaises(NotYourTurn, made.act, shoot(3, 5)).code, "out-of-turn")
        made.receive_data(b"(2,[3,4,1]).\r(1,[9,9]).\r")
        error = self.assertRaises(IllegalMove, made.act, shoot(3, 4))
        self.assertEqual((error.code, str(error)), ("known-cell", "you have shot at E4 before"))

    def test_an_action_that_says_nothing(self) -> None:
        for action in ({}, {"do": None}, {"do": ["roll"]}, {"do": "resign"}, {"roll": True}):
            self.assertRaises(InvalidMove, person(FIRST).act, action)


class EndTests(SynchronousTestCase):
    def test_a_four_wins(self) -> None:
        made = person(FIRST)
        made.act(shoot(3, 4))
        # Nobody believes that one shot sank a fleet; but who gives up has lost.
        self.assertEqual(made.receive_data(b"(2,[3,4,4]).\r(1,[0,0]).\r"), b"")
        view = made.view()
        self.assertEqual((view["phase"], view["won"], view["board"]["winner"]), ("over", True, 0))
        self.assertTrue(made.is_done)
        self.assertEqual(made.receive_data(b""), b"")
        self.assertEqual(made.view()["phase"], "over")
        self.assertEqual(self.assertRaises(NotYourTurn, made.act, shoot(0, 0)).code, "over")

    def test_the_last_ship_loses(self) -> None:
        made = person(SECOND)
        sent = b""
        for number, cell in enumerate(sorted(CELLS)):
            sent = made.receive_data(b"(1,[%d,%d]).\r" % (cell % 10, cell // 10))
            if not made.is_done:
                made.act(shoot(number % 10, number // 10))
                made.receive_data(b"(2,[%d,%d,1]).\r" % (number % 10, number // 10))
        self.assertEqual(sent, b"(2,[9,9,4]).\n")
        self.assertEqual((made.view()["phase"], made.won, made.view()["board"]["winner"]), ("over", False, 1))
        self.assertEqual(made.receive_data(b"junk\r"), b"")

    def test_the_server_closes_too_early(self) -> None:
        for received, ready in ((b"", False), (FIRST, False), (SECOND, True)):
            made = person(received, ready=ready)
            self.assertEqual(self.assertRaises(RemoteProtocolError, made.receive_data, b"").code, "closed")
            self.broken(made, "closed")

    def broken(self, made: Person, code: str) -> None:
        """Hold what everybody sees of a match that is broken off."""
        view = made.view()
        self.assertEqual((view["phase"], view["won"], view["you"]["may"]), ("broken", None, []))
        self.assertEqual(view["you"]["broken"]["code"], code)
        self.assertTrue(made.is_done)
        self.assertEqual(made.receive_data(b"(1,[0,0]).\r"), b"")
        for action in (READY, {"do": "roll"}, shoot(0, 0)):
            self.assertEqual(self.assertRaises(NotYourTurn, made.act, action).code, "over")

    def test_what_has_no_end_breaks_off(self) -> None:
        made = person(SECOND)
        error = self.assertRaises(RemoteProtocolError, made.receive_data, b"x" * 5_000)
        self.assertEqual(error.code, "line-too-long")
        self.broken(made, "line-too-long")

    def test_how_it_ended_where_the_wire_does_not_say(self) -> None:
        """A forfeit, for instance: the server closes the connection, and knows who has won."""
        for won, winner in ((True, 0), (False, 1), (None, None)):
            made = person(SECOND)
            self.assertRaises(RemoteProtocolError, made.receive_data, b"")
            made.conclude(won=won)
            view = made.view()
            self.assertEqual((view["phase"], view["won"], view["you"]["broken"]), ("over", won, None))
            self.assertEqual((view["board"]["winner"], made.is_done, view["you"]["may"]), (winner, True, []))


class FaultTests(SynchronousTestCase):
    """An enemy that lies or breaks rules: the human is told, and plays on."""

    def faults(self, made: Person) -> list[str]:
        return [fault["code"] for fault in made.view()["you"]["faults"]]

    def test_an_enemy_that_lies(self) -> None:
        made = person(FIRST)
        for x, code in ((0, 1), (1, 2), (2, 1)):
            made.act(shoot(x, 0))
            made.receive_data(b"(2,[%d,0,%d]).\r(1,[%d,9]).\r" % (x, code, x))
        self.assertEqual(self.faults(made), [])
        made.act(shoot(1, 1))
        # The ship at B1 ends at one cell: water west, east and south.
        self.assertEqual(made.receive_data(b"(2,[1,1,1]).\r(1,[3,9]).\r"), b"(2,[3,9,1]).\n")
        view = made.view()
        self.assertEqual((view["phase"], view["won"], view["you"]["may"]), ("shoot", None, ["shoot"]))
        (fault,) = view["you"]["faults"]
        self.assertEqual((fault["code"], "cannot be true" in fault["text"]), ("dishonest", True))
        self.assertEqual(view["you"]["enemy"]["water"], [0, 2, 11], "what it says is marked all the same")

    def test_a_lie_is_told_once_and_the_marks_go_on(self) -> None:
        made = person(FIRST)
        for number, (x, code) in enumerate([(0, 3), (1, 3), (5, 2), (6, 3)]):
            made.act(shoot(x, 0))
            made.receive_data(b"(2,[%d,0,%d]).\r(1,[%d,9]).\r" % (x, code, number))
        self.assertEqual(self.faults(made), ["dishonest"])
        enemy = made.view()["you"]["enemy"]
        self.assertEqual((enemy["sunk"], enemy["hits"]), ([0, 1, 5, 6], []))
        self.assertEqual(enemy["afloat"], [5, 4, 3, 3])
        made.act(shoot(7, 7))
        made.receive_data(b"(2,[7,7,4]).\r")
        self.assertTrue(made.won)

    def test_lines_that_break_rules_are_skipped(self) -> None:
        for line, code in (
            (b"hello\r", "no-command"),
            (b"(5,[]).\r", "out-of-phase"),
            (b"(2,[0,0,1]).\r", "out-of-phase"),
            (b"(1,[0,10]).\r", "out-of-phase"),
            (b"(1,[-1,0]).\r", "out-of-phase"),
        ):
            made = person(SECOND)
            self.assertEqual(made.receive_data(line + b"(1,[9,9]).\r"), b"(2,[9,9,2]).\n", line)
            self.assertEqual((made.view()["phase"], self.faults(made)), ("shoot", [code]))

    def test_a_second_shot_while_the_first_one_waits(self) -> None:
        made = person(SECOND + b"(1,[0,0]).\r(1,[0,1]).\r", ready=False)
        self.assertEqual(self.faults(made), ["out-of-phase"])
        self.assertEqual(made.act(READY), b"(2,[0,0,2]).\n")

    def test_a_wrong_answer_is_an_answer(self) -> None:
        for answer, code in (
            (b"(2,[3,4,5]).", "unknown-code"),
            (b"(2,[4,3,1]).", "out-of-phase"),
            (b"(2,[3", "no-command"),
        ):
            made = person(FIRST)
            made.act(shoot(3, 4))
            self.assertEqual(made.receive_data(answer + b"\r(1,[9,9]).\r"), b"(2,[9,9,2]).\n")
            self.assertEqual(self.faults(made), [code])
            self.assertIn(43, made.view()["you"]["targets"], "nothing was said of this cell")

    def test_faults_are_limited(self) -> None:
        made = person(SECOND)
        made.receive_data(b"hello\r" * 1000)
        self.assertEqual(len(self.faults(made)), FAULTS_KEPT)


class ViewTests(SynchronousTestCase):
    def test_the_board_has_the_shape_of_the_rules(self) -> None:
        rules = Battleship().view(Battleship().setup(game_type.options(game_type.settings())), None)
        for made in (person(ready=False), person(SECOND), person(FIRST)):
            board = made.view()["board"]
            self.assertEqual(board.keys(), rules["boards"] and rules.keys())
            self.assertEqual(board["boards"][0].keys(), rules["boards"][0].keys())
            self.assertEqual(board["boards"], rules["boards"], "nothing is revealed before the first answer")

    def test_whose_turn_it_is(self) -> None:
        attackers = [person(received).view()["board"]["attacker"] for received in (b"", FIRST, SECOND)]
        self.assertEqual(attackers, [None, 0, 1])

    def test_a_view_is_a_copy(self) -> None:
        made = person(FIRST)
        made.act(shoot(0, 0))
        view = made.view()
        text = json.dumps(view)
        made.receive_data(b"(2,[0,0,1]).\r(1,[0,0]).\r")
        self.assertEqual(json.dumps(view), text)


@define
class Match:
    """A match of a person on `seat`, who shoots as a strategy says, against a bot, through both dialects' bytes.

    `phases`: what the person's view said whenever nothing was under way.
    """

    random: Random
    roles: str
    seat: int
    table: Relay = field(init=False)
    human: Person = field(init=False)
    phases: list[str] = field(factory=list)
    _sides: list[Any] = field(init=False)
    _wires: list[Connection] = field(init=False)
    _steps: list[Step] = field(factory=list)
    _advice: Density = field(factory=Density)

    def play(self) -> Match:
        """Play to the end, and judge it to the end."""
        config = game_type.settings(roles=self.roles)
        table = game_type.table(config, game_type.options(config), lambda _draw: self.random, 0.0)
        assert isinstance(table, Relay)
        assert game_type.person is not None
        made = game_type.person(self.random, "Ada")
        assert isinstance(made, Person)
        self.table, self.human = table, made
        self._sides = [made, Player(OpenList(), self.random)][:: 1 if self.seat == 0 else -1]
        self._wires = [game_type.hosted().connection(config) for _ in self._sides]
        self._steps = [table.join(name, 0.0) for name in ("a", "b")]
        while self._steps or self._thinks():
            for mail in self._steps.pop(0).events:
                self._hear(mail.seat, self._wires[mail.seat].send(mail.event))
        while table.review().review:
            pass
        return self

    def _hear(self, seat: int, data: bytes) -> None:
        command = decode(data.strip())
        if seat == self.seat and command is not None and command.opcode == Opcode.ANSWER:
            x, y, code = command.numbers
            self._advice.learn(x + 10 * y, code)
        self._say(seat, self._sides[seat].receive_data(data))

    def _say(self, seat: int, data: bytes) -> None:
        if data:
            self._wires[seat].receive_data(data)
            self._steps += [self.table.receive(seat, event, 0.0) for event in self._wires[seat].events()]

    def _thinks(self) -> bool:
        """Act as the human, and tell whether anything was sent."""
        view = self.human.view()
        self.phases.append(view["phase"])
        if view["phase"] == "placing" and view["you"]["awaited"]:
            self._say(self.seat, self.human.act(READY))
            return bool(self._steps) or self._thinks()
        if view["phase"] == "shoot":
            cell = self._advice.shoot(self.random)
            self._say(self.seat, self.human.act(shoot(cell % 10, cell // 10)))
        return bool(self._steps)


def play(seed: int, roles: str, seat: int) -> Match:
    """Return a match that was played."""
    return Match(Random(seed), roles, seat).play()


class WholeGameTests(SynchronousTestCase):
    def test_honest_games_on_either_seat_give_no_finding(self) -> None:
        won = set()
        for seed in range(24):
            seat = seed % 2
            match = play(seed, ("first-defends", "random")[seed // 2 % 2], seat)
            table, human, outcome = match.table, match.human, match.table.outcome
            self.assertEqual((table.match.findings, table.match.unjudged), ([], None), f"seed {seed}")
            self.assertEqual(outcome, Outcome(Termination.VICTORY, seat if human.won else 1 - seat))
            won.add(human.won)
            boards = table.game.view(table.state, None)["boards"]
            self.assertEqual(human.view()["board"]["boards"], [boards[seat], boards[1 - seat]])
        self.assertEqual(won, {True, False})

    def test_the_phases_come_in_order(self) -> None:
        words = play(3, "first-defends", 1).phases
        self.assertEqual(words[:2], ["placing", "shoot"])
        self.assertEqual(words[-1], "over")
        self.assertEqual(set(words[1:-1]), {"shoot"}, "an honest enemy answers and shoots at once")

    def test_a_spectator_sees_of_the_fleet_what_was_hit(self) -> None:
        match = play(5, "first-defends", 0)
        fleet = match.human.view()["you"]["fleet"]
        board = match.table.game.view(match.table.state, None)["boards"][0]
        self.assertEqual(board, {key: fleet[key] for key in ("water", "hits", "sunk", "afloat")})
        self.assertLess(set(board["hits"] + board["sunk"]), set(fleet["cells"]), "seed 5 leaves ships unseen")

    def test_a_person_in_a_room_of_the_daemon(self) -> None:
        harness = Harness("battleship", game_type.settings())
        ada, bot = harness.connect(), harness.connect("127.0.0.2")
        human, player = person(ready=False), Player(OpenList(), Random(4))
        seen = [0, 0]

        def exchange() -> None:
            for _ in range(3):
                for number, (wire, side) in enumerate(((ada, human), (bot, player))):
                    fresh, seen[number] = wire.received[seen[number] :], len(wire.received)
                    if fresh:
                        wire.send(side.receive_data(fresh) or b"")

        exchange()
        self.assertEqual(human.view()["phase"], "placing")
        self.assertTrue(human.view()["you"]["awaited"])
        ada.send(human.act(READY))
        while not human.is_done:
            ada.send(human.act({"do": "shoot", "at": [*divmod(human.view()["you"]["targets"][0], 10)][::-1]}))
            exchange()
        harness.settle()
        self.assertEqual((human.won, player.won), (False, True))
        self.assertTrue(ada.is_closed)
        self.assertEqual(
            [to_history(record).outcome for record in harness.store.records.values()], [VICTORY_OF_THE_BOT]
        )


_SCALAR = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=6)
_LIST = st.lists(_SCALAR, max_size=5)
JSON = _SCALAR | _LIST | st.lists(_LIST, max_size=5) | st.dictionaries(st.text(max_size=3), _SCALAR, max_size=2)
_COORDINATE = st.integers(-1, 10)
_SHIP = st.tuples(_COORDINATE, _COORDINATE, st.integers(1, 6), st.sampled_from("hvx")).map(list)
ACTIONS = (
    st.dictionaries(st.sampled_from(["do", "at", "ships", "x"]), JSON, max_size=4)
    | st.fixed_dictionaries({"do": st.sampled_from(["roll", "ready", "place", "shoot"]) | JSON}, optional={"at": JSON})
    | st.fixed_dictionaries({"do": st.just("shoot"), "at": st.lists(_COORDINATE, min_size=2, max_size=2)})
    | st.fixed_dictionaries({"do": st.just("place"), "ships": st.lists(_SHIP, min_size=5, max_size=5) | JSON})
)
RECEIVED = st.sampled_from([b"", FIRST, SECOND, SECOND + b"(1,[0,0]).\r", SECOND + b"(1,[7,7]).\r"])


class FuzzTests(SynchronousTestCase):
    @settings(deadline=None, max_examples=100)
    @given(received=RECEIVED, actions=st.lists(ACTIONS, max_size=5), ready=st.booleans())
    def test_any_action_is_taken_or_refused(self, received: bytes, actions: list[Any], *, ready: bool) -> None:
        made = person(received, ready=ready)
        for action in actions:
            before = frozen(made)
            try:
                sent = made.act(action)
            except RuleError as error:
                self.assertTrue(str(error))
                self.assertEqual(frozen(made), before, "what is refused changes nothing")
                continue
            for line in sent.splitlines():
                self.assertIsInstance(decode(line), Command)
            view = made.view()
            self.assertEqual(json.loads(json.dumps(view)), view)

    @settings(deadline=None, max_examples=100)
    @given(st.lists(st.sampled_from([FIRST, SECOND, b"(1,[0,0]).\r", b"(2,[0,0,2]).\r", b"x\r", b""]) | st.binary()))
    def test_whatever_it_receives_there_is_a_view(self, pieces: list[bytes]) -> None:
        made = Person(Random(1))
        made.act(READY)
        for piece in pieces:
            try:
                made.receive_data(piece)
            except RemoteProtocolError:
                self.assertEqual(made.view()["phase"], "broken")
            view = made.view()
            self.assertEqual(json.loads(json.dumps(view)), view)
