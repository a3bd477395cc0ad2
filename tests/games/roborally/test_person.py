"""A human's client: whole games with the manager, every decision, and what it shows.

Source: docs/specs/roborally.md#13-nesting, docs/specs/roborally.md#3-the-manager.
"""

from __future__ import annotations

import json
from random import Random
from typing import Any

from attrs import define, field
from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import IllegalMove, InvalidMove, NotYourTurn, RemoteProtocolError, RuleError
from gamed.core.history import MOVE
from gamed.games.roborally import game_type
from gamed.games.roborally.client import Player
from gamed.games.roborally.person import Person, letters_of
from gamed.games.roborally.rules.game import RoboRally
from tests.games.roborally.gathering import Gathering, gathering, priorities

PLAN = b"____ _B_F(N,1,()())_R(1)_B_ ____ .\n"
HAND = "PK(M1,49)PK(RL,7)PK(M2,67)PK(UT,1)PK(RR,10)PK(M3,79)PK(BU,43)PK(M1,50)PK(RL,9)"
START = "RS(N,(1,1),1,(1,1),0,3,()t,t,)"
HURT = "RS(E,(1,1),1,(1,1),7,2,((1,PK(M1,55))(4,PK(RR,12))(5,PK(UT,2)))t,f,)"
SCALAR = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4)
JSON = SCALAR | st.lists(SCALAR, max_size=5) | st.dictionaries(st.text(max_size=3), SCALAR, max_size=2)
WORDS = st.sampled_from(["facing", "program", "preview", "power", "repair", "leave"])
CARDS = st.lists(st.sampled_from([49, 7, 67, 1, 10, 79, 43, 50, 9, 55, 12, 2, None, True, 1.0, "7"]), max_size=6)
ACTIONS = st.fixed_dictionaries(
    {},
    optional={
        "do": WORDS | JSON,
        "facing": st.sampled_from("NESW") | JSON,
        "cards": CARDS | JSON,
        "down": st.booleans() | JSON,
        "registers": st.lists(st.integers(0, 6), max_size=4) | JSON,
    },
)


def person(name: str = "Anna") -> Person:
    assert game_type.person is not None
    made = game_type.person(Random(1), name)
    assert isinstance(made, Person)
    return made


@define
class Teller:
    """A manager made of lines. It answers what the person asks; `robot`: what it tells of Anna's."""

    person: Person
    robot: str = START
    names: str = "(Anna,Bert,)"
    said: list[str] = field(factory=list)

    def answers(self, question: str) -> str | None:
        head = question.partition("(")[0]
        other = START if head == "GRS" else None
        told = {
            "RGS": "ok", "GPL": PLAN.decode().strip(), "GFL": "(1,1)(4,1)", "GTO": "TO(60)", "GSN": self.names,
            "GSA": "SA()", "GSS": "SS(END,Bert,Anna,)",
        }  # fmt: skip
        return self.robot if question == "GRS(Anna)" else told.get(head, other)

    def hears(self, data: bytes) -> list[str]:
        """Take what the person says, answer its questions until it has none; return all that was no question."""
        said = []
        lines = data.decode().splitlines()
        while lines:
            line = lines.pop(0)
            answer = self.answers(line)
            if answer is None:
                said.append(line)
            else:
                lines += self.person.receive_data(f"{answer}\n".encode()).decode().splitlines()
        self.said += said
        return said

    def tells(self, *lines: str) -> list[str]:
        return self.hears(self.person.receive_data("".join(f"{line}\n" for line in lines).encode()))

    def acts(self, **action: Any) -> list[str]:
        return self.hears(self.person.act(action))


def teller(*lines: str, **its: str) -> Teller:
    """Return a manager whose game has begun."""
    found = Teller(person(), **its)
    found.hears(found.person.begin())
    assert found.tells("NTS", *lines) == ["ok"]
    return found


def decide(view: Any) -> dict[str, Any] | None:
    """Return what a simple human does."""
    you = view["you"]
    match you["prompt"]:
        case "facing":
            return {"do": "facing", "facing": "E"}
        case "program":
            hand = list(you["hand"])
            cards = [card if number in you["locked"] else hand.pop() for number, card in enumerate(you["registers"], 1)]
            return {"do": "program", "cards": cards, "down": view["board"]["turn"] % 4 == 0}
        case "power":
            return {"do": "power", "down": view["board"]["turn"] % 3 == 0}
        case "repair":
            return {"do": "repair", "registers": you["locked"][: you["opens"]]}
        case _:
            return None


@define
class Seat:
    """A client at a gathering, which a person steers by `decide`. `views`: all that was shown."""

    client: Person | Player
    peer: Any
    views: list[Any] = field(factory=list)

    def talk(self) -> bool:
        data = self.peer.wire.received[self.peer.read :]
        self.peer.read += len(data)
        answer = self.client.receive_data(data) if data and not self.client.is_done else b""
        if isinstance(self.client, Person):
            view = self.client.view()
            action = None if self.client.is_done else decide(view)
            if data:
                self.views.append(view)
            if action is not None:
                answer += self.client.act(action)
        if answer:
            self.peer.wire.send(answer)
        return bool(data)


def plays(found: Gathering, *clients: Person | Player) -> list[Seat]:
    """Let clients play a whole game."""
    seats = []
    for client in clients:
        seats.append(Seat(client, found.connects()))
        seats[-1].peer.wire.send(client.begin())
    for _ in range(2):
        while sum(seat.talk() for seat in seats):
            pass
        found.passes(found.settings.start_delay)
    return seats


def bot(name: str, strategy: str = "random") -> Player:
    return game_type.players[strategy](Random(3), name=name)


class GameTests(SynchronousTestCase):
    def test_a_person_plays_with_bots_to_the_end(self) -> None:
        for seed in (4, 5, 6):
            found = gathering(seed=seed, max_turns=40)
            anna = person()
            (seat, *_) = plays(found, anna, bot("Bert", "planner"), bot("Carl"))
            self.assertTrue(anna.is_done)
            (history,) = found.records
            self.assertIs(anna.won, history.outcome is not None and history.outcome.winner == 0)
            view: Any = seat.views[-1]
            self.assertEqual(json.loads(json.dumps(view)), view)

    def test_its_answers_are_what_was_decided(self) -> None:
        found = gathering(max_turns=12)
        plays(found, person(), person("Bert"))
        (history,) = found.records
        moves = [entry.body for entry in history.of_kind(MOVE) if entry.seat == 0]
        self.assertEqual(moves[0], b"E")
        self.assertEqual(moves[1], b"9,8,7,6,5")

    def test_no_card_is_shown_that_its_own_wire_has_not_told(self) -> None:
        """Hands of others never come over it, and revealed cards only in a phase."""
        found = gathering(max_turns=12)
        anna, bert = plays(found, person(), person("Bert"))
        told = set(priorities(anna.peer.wire.received.decode()))
        hidden = set(priorities(bert.peer.wire.received.decode())) - told
        self.assertGreater(len(hidden), 5)
        for view in anna.views:
            self.assertEqual(cards_in(view) & hidden, set())

    def test_the_board_has_the_shape_of_the_rules(self) -> None:
        found = gathering(max_turns=3)
        (seat, _) = plays(found, person(), bot("Bert"))
        game = RoboRally()
        expected: Any = game.view(game.setup(_options(found)), 0)
        board = next(view["board"] for view in seat.views if view["board"])
        self.assertEqual(list(board), list(expected))
        self.assertEqual(list(board["own"]), list(expected["own"]))
        self.assertEqual(board["tiles"], expected["tiles"])
        self.assertEqual(board["flags"], expected["flags"])
        self.assertEqual(list(board["robots"][0]), list(expected["robots"][0]))


def cards_in(view: Any) -> set[int]:
    """Return all cards in a view."""
    board = view["board"] or {"own": {"hand": [], "registers": []}, "robots": [], "revealed": []}
    locked = [card for its in board["robots"] if its for _, card in its["locked"]]
    revealed = [card for _, cards in board["revealed"] for card in cards]
    mine = [its[key] for its in (view["you"], board["own"]) for key in ("hand", "registers")]
    return {card for cards in (locked, revealed, *mine) for card in cards if card is not None}


def _options(found: Gathering) -> Any:
    (history,) = found.records
    return {**history.options, "players": 2}


class LobbyTests(SynchronousTestCase):
    def test_what_is_asked_after_the_registration(self) -> None:
        anna = person()
        self.assertEqual(anna.begin(), b"RGS(Anna)\n")
        self.assertEqual(anna.view()["phase"], "joining")
        self.assertIsNone(anna.view()["board"])
        self.assertEqual(anna.receive_data(b"ok\n"), b"GPL\n")
        self.assertEqual(anna.receive_data(PLAN), b"GFL\n")
        self.assertEqual(anna.receive_data(b"(1,1)(4,1)\n"), b"GTO\n")
        self.assertEqual(anna.receive_data(b"TO(60)\n"), b"GSN\n")
        self.assertEqual(anna.receive_data(b"(Anna,)\n"), b"GRS(Anna)\n")
        self.assertEqual(anna.receive_data(f"{START}\n".encode()), b"GSA\n")
        self.assertEqual(anna.receive_data(b"SA()\n"), b"")
        view: Any = anna.view()
        self.assertEqual((view["phase"], view["you"]["seconds"], view["players"]), ("waiting", 60, ["Anna"]))
        self.assertEqual(view["board"]["robots"][0]["place"], [1, 1])

    def test_a_look_shows_who_has_come(self) -> None:
        found = Teller(person(), names="(Anna,)")
        found.hears(found.person.begin())
        found.names = "(Anna,Bert,Carl,)"
        question = found.person.refresh()
        self.assertEqual(question, b"GSN\n")
        self.assertEqual(found.person.refresh(), b"")
        found.hears(question)
        self.assertEqual(found.person.view()["players"], ["Anna", "Bert", "Carl"])

    def test_a_look_before_the_registration_asks_nothing(self) -> None:
        anna = person()
        anna.begin()
        self.assertEqual(anna.refresh(), b"")

    def test_a_name_in_use(self) -> None:
        anna = person()
        anna.begin()
        again = anna.receive_data(b"error\n")
        self.assertRegex(again, rb"^RGS\(Anna[a-z]{3}\)\n$")
        self.assertEqual(anna.view()["you"]["name"], again[4:-2].decode())
        anna.receive_data(b"error\n")
        anna.receive_data(b"error\n")
        self.assertRaises(RemoteProtocolError, anna.receive_data, b"error\n")

    def test_names_become_letters(self) -> None:
        names = {"Jörg 2": "Jorg", "Strauß": "Strauss", "x" * 40: "x" * 32, "李": "", "a_b": "ab"}
        self.assertEqual({name: letters_of(name) for name in names}, names)
        self.assertRegex(person("李").begin(), rb"^RGS\([A-Za-z]+\)\n$")

    def test_there_are_no_reservations(self) -> None:
        assert game_type.person is not None
        self.assertRaises(InvalidMove, game_type.person, Random(1), "Anna", "code")


class DecisionTests(SynchronousTestCase):
    def test_a_facing(self) -> None:
        found = teller("MNR")
        self.assertEqual(found.person.view()["you"]["prompt"], "facing")
        self.assertEqual(found.acts(do="facing", facing="W"), ["TNR(Anna,W)"])
        self.assertEqual(found.person.view()["phase"], "wait")

    def test_a_program(self) -> None:
        found = teller(f"MRP({HAND})")
        view: Any = found.person.view()
        self.assertEqual(view["you"]["hand"], [49, 7, 67, 1, 10, 79, 43, 50, 9])
        self.assertEqual((view["board"]["turn"], view["board"]["own"]["asked"]), (1, "MRP"))
        said = found.acts(do="program", cards=[1, 49, 9, 7, 50])
        self.assertEqual(said, ["TRP(Anna,(4,1,9,2,8,),f)"])
        view = found.person.view()
        self.assertEqual(
            (view["phase"], view["you"]["registers"], view["you"]["hand"]), ("wait", [1, 49, 9, 7, 50], [])
        )

    def test_locked_registers_keep_their_cards(self) -> None:
        found = teller("MRP(PK(M1,49)PK(RL,7))", robot=HURT)
        view: Any = found.person.view()
        self.assertEqual((view["you"]["registers"], view["you"]["locked"]), ([55, None, None, 12, 2], [1, 4, 5]))
        self.assert_refused(found, "register-locked", do="program", cards=[49, 7, 49, 12, 2])
        self.assertEqual(found.acts(do="program", cards=[55, 7, 49, None, 2]), ["TRP(Anna,(2,1,),f)"])

    def test_without_a_free_register_the_power_down_is_open(self) -> None:
        locked = "".join(f"({number},PK(M1,{50 + number}))" for number in range(1, 6))
        found = teller("MRP()", robot=f"RS(E,(1,1),1,(1,1),9,2,({locked})t,f,)")
        said = found.acts(do="program", cards=[51, 52, 53, 54, 55], down=True)
        self.assertEqual(said, ["TRP(Anna,(),t)"])

    def test_a_preview_shows_the_way_without_other_robots(self) -> None:
        found = teller(f"MRP({HAND})")
        # It turns right and moves one field; there, a belt takes it north, off the course.
        self.assertEqual(found.acts(do="preview", cards=[10, None, 49]), [])
        self.assertEqual(found.person.view()["you"]["preview"], [[1, 1, "E"]])
        found.acts(do="preview", cards=[10, 49, 7])
        self.assertEqual(found.person.view()["you"]["preview"], [[1, 1, "E"], None])
        self.assert_refused(found, "card-index", do="preview", cards=[2])
        self.assert_refused(found, "card-index", do="preview", cards=[None] * 6)
        found.acts(do="program", cards=[1, 49, 9, 7, 50])
        self.assertEqual(found.person.view()["you"]["preview"], [])

    def test_a_preview_plays_locked_registers(self) -> None:
        found = teller("MRP(PK(M1,49)PK(RL,7))", robot=HURT)
        found.acts(do="preview", cards=[None, 7])
        self.assertEqual(found.person.view()["you"]["preview"], [None])

    def test_a_power_down_is_announced_with_the_program(self) -> None:
        found = teller(f"MRP({HAND})")
        self.assertEqual(found.acts(do="power", down=True), [])
        self.assertIs(found.person.view()["you"]["down"], True)
        self.assertEqual(found.acts(do="program", cards=[1, 49, 9, 7, 50]), ["TRP(Anna,(4,1,9,2,8,),t)"])

    def test_an_announcement_is_taken_back(self) -> None:
        found = teller(f"MRP({HAND})")
        found.acts(do="power", down=True)
        found.acts(do="power", down=False)
        self.assertEqual(found.acts(do="program", cards=[1, 49, 9, 7, 50]), ["TRP(Anna,(4,1,9,2,8,),f)"])

    def test_the_next_turn_begins_without_an_announcement(self) -> None:
        found = teller(f"MRP({HAND})")
        found.acts(do="program", cards=[1, 49, 9, 7, 50], down=True)
        found.tells("MBD")
        self.assertEqual(found.acts(do="power", down=False), ["TBD(Anna,f)"])
        found.tells(f"MRP({HAND})")
        view: Any = found.person.view()
        self.assertEqual((view["you"]["down"], view["you"]["registers"], view["board"]["turn"]), (False, [None] * 5, 3))

    def test_staying_down(self) -> None:
        found = teller("MBD")
        self.assertEqual(found.person.view()["you"]["prompt"], "power")
        self.assertEqual(found.acts(do="power", down=True), ["TBD(Anna,t)"])

    def test_registers_to_unlock(self) -> None:
        found = teller("MRR(2)", robot=HURT)
        view: Any = found.person.view()
        self.assertEqual((view["you"]["prompt"], view["you"]["opens"]), ("repair", 2))
        self.assertEqual(found.acts(do="repair", registers=[5, 1]), ["TRR(Anna,1,5,)"])

    def test_where_all_are_unlocked_nobody_is_asked(self) -> None:
        for points in (3, 7, 200):
            self.assertEqual(teller(robot=HURT).tells(f"MRR({points})"), ["TRR(Anna,1,4,5,)"])

    def test_where_none_is_unlocked_nobody_is_asked(self) -> None:
        self.assertEqual(teller(robot=HURT).tells("MRR(0)"), ["TRR(Anna,)"])

    def test_refusals_of_programs(self) -> None:
        found = teller(f"MRP({HAND})")
        wrong: list[tuple[list[int | None], str]] = [
            ([1, 49, 9, 7], "card-count"),
            ([1, 49, 9, 7, None], "card-count"),
            ([1, 49, 9, 7, 84], "card-index"),
            ([1, 49, 9, 7, 7], "card-twice"),
        ]
        for cards, code in wrong:
            self.assert_refused(found, code, do="program", cards=cards)
        self.assertEqual(found.person.view()["you"]["registers"], [None] * 5)

    def test_refusals_of_repairs(self) -> None:
        found = teller("MRR(2)", robot=HURT)
        for registers, code in (([1], "register-count"), ([1, 1], "register-twice"), ([1, 2], "register-open")):
            self.assert_refused(found, code, do="repair", registers=registers)

    def assert_refused(self, found: Teller, code: str, **action: Any) -> None:
        error = self.assertRaises(IllegalMove, found.person.act, action)
        self.assertEqual(error.code, code)

    def test_what_is_not_asked(self) -> None:
        found = teller("MNR")
        error = self.assertRaises(NotYourTurn, found.person.act, {"do": "program", "cards": [1, 2, 3, 4, 5]})
        self.assertEqual(error.code, "other-question")
        found.acts(do="facing", facing="N")
        for action in ({"do": "facing", "facing": "N"}, {"do": "power", "down": True}, {"do": "repair"}):
            self.assertEqual(self.assertRaises(NotYourTurn, found.person.act, action).code, "out-of-turn")

    def test_what_is_no_action(self) -> None:
        found = teller(f"MRP({HAND})")
        wrong: list[dict[str, Any]] = [
            {},
            {"do": "dance"},
            {"do": ["program"]},
            {"do": "power"},
            {"do": "power", "down": 1},
            {"do": "program"},
            {"do": "program", "cards": "14978"},
            {"do": "program", "cards": [True, 49, 9, 7, 50]},
            {"do": "preview", "cards": [True]},
            {"do": "program", "cards": [1, 49, 9, 7, 50], "down": None},
        ]
        for action in wrong:
            self.assertRaises(InvalidMove, found.person.act, action)

    def test_a_decision_waits_for_what_is_to_be_seen_with_it(self) -> None:
        """The locks may have changed: until they are known nothing can be decided."""
        found = teller(f"MRP({HAND})")
        found.acts(do="program", cards=[1, 49, 9, 7, 50])
        question = found.person.receive_data(b"MRR(2)\n")
        self.assertEqual(question, b"GSN\n")
        self.assertIsNone(found.person.view()["you"]["prompt"])
        self.assertRaises(NotYourTurn, found.person.act, {"do": "repair", "registers": [1, 4]})
        found.robot = HURT
        found.hears(question)
        self.assertEqual(found.person.view()["you"]["prompt"], "repair")

    def test_a_look_leaves_the_decision_open(self) -> None:
        found = teller(f"MRP({HAND})")
        question = found.person.refresh()
        self.assertEqual(found.person.view()["you"]["prompt"], "program")
        self.assertIn(
            "TRP(Anna,(4,1,9,2,8,),f)", found.hears(found.person.act({"do": "program", "cards": [1, 49, 9, 7, 50]}))
        )
        self.assertEqual(found.hears(question), [])
        self.assertEqual(found.tells("MBD"), [])
        self.assertEqual(found.person.view()["you"]["prompt"], "power")


class EndTests(SynchronousTestCase):
    def test_the_end(self) -> None:
        found = teller("MNR")
        found.tells("REN(GO)")
        view: Any = found.person.view()
        self.assertEqual((view["phase"], view["won"], view["board"]["ranking"]), ("over", False, [1, 0]))
        self.assertIsNone(view["you"]["prompt"])
        self.assertTrue(found.person.is_done)
        self.assertEqual(found.person.refresh(), b"")
        self.assertRaises(NotYourTurn, found.person.act, {"do": "facing", "facing": "N"})
        self.assertEqual(found.person.receive_data(b""), b"")

    def test_the_last_life(self) -> None:
        found = teller("MNR")
        found.tells("REN(LL)")
        view: Any = found.person.view()
        self.assertEqual((view["phase"], view["won"], view["board"]["robots"][0]), ("out", False, None))

    def test_what_ends_a_game_early(self) -> None:
        for line in (b"REN(ZS)\n", b"REN(TO)\n", b"REN(SO(Shutdown))\n", b"nonsense\n", b"RSE\n", b""):
            self.assertRaises(RemoteProtocolError, teller("MNR").person.receive_data, line)

    def test_why_it_was_removed_is_seen(self) -> None:
        for word, reason in (("TO", "time"), ("RV", "rules"), ("ZS", "full"), ("SO(Shutdown)", "other")):
            found = teller(f"MRP({HAND})")
            self.assertIsNone(found.person.view()["you"]["removed"])
            self.assertRaises(RemoteProtocolError, found.person.receive_data, f"REN({word})\n".encode())
            view: Any = found.person.view()
            self.assertEqual((view["phase"], view["you"]["removed"]), ("removed", reason))
            self.assertIsNone(view["you"]["prompt"])

    def test_a_course_that_cannot_be(self) -> None:
        anna = person()
        anna.begin()
        anna.receive_data(b"ok\n" + PLAN)
        self.assertRaises(RemoteProtocolError, anna.receive_data, b"(1,1)(9,9)\n")

    def test_many_requests_at_once(self) -> None:
        """They wait for the answer to a question, and are served one after the other."""
        anna = person()
        anna.begin()
        self.assertEqual(anna.receive_data(b"NTC(Anna,)\n" * 5_000), b"")
        found = Teller(anna)
        self.assertEqual(found.tells("ok"), ["ok"] * 5_000)


class AnythingTests(SynchronousTestCase):
    @settings(deadline=None, max_examples=100)
    @given(ACTIONS, st.sampled_from(["MNR", f"MRP({HAND})", "MRP(PK(M1,49)PK(RL,7))", "MBD", "MRR(2)", ""]))
    def test_any_action_is_taken_or_refused(self, action: dict[str, Any], request: str) -> None:
        robot = START if request == f"MRP({HAND})" else HURT
        found = teller(*filter(None, [request]), robot=robot)
        before = found.person.view()
        try:
            said = found.person.act(action)
        except RuleError:
            self.assertEqual(found.person.view(), before)
        else:
            self.assertRegex(said, rb"^(T[NRB][RPD]\(Anna,.*\)\n)?$")
            self.assertIn(action["do"], ("facing", "program", "preview", "power", "repair"))
