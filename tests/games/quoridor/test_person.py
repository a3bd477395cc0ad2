"""A human's world: what it shows and sends at each mail, whole games against bots, actions of any shape."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from attrs import define
from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import IllegalMove, InvalidMove, NotYourTurn, RemoteProtocolError, RuleError
from gamed.games.quoridor import game_type
from gamed.games.quoridor.client import Player
from gamed.games.quoridor.person import Person, Phase
from gamed.games.quoridor.rules import Quoridor
from gamed.games.quoridor.signup import Call
from gamed.games.quoridor.strategy import STRATEGIES
from gamed.testing.harness import Harness
from tests.games.quoridor.worlds import DOWN, FOUR, World, universe

OKAY = b"(OKAY)\n"
VOTE = b"(wait-or-play 0 ())\n"
LOBBY = b"(wait-for-players 0 ())\n"
GONE = b"(disconnect 2 (wall 4 4 horizontal))\n"
RULES = Quoridor()


def person(*events: bytes, name: str = "Ada") -> Person:
    made = game_type.person
    assert made is not None
    one = made(Random(1), name)
    assert isinstance(one, Person)
    one.begin()
    for mail in (OKAY, *events):
        assert one.receive_data(mail) == b""
    return one


def you(one: Person) -> dict[str, Any]:
    mine: dict[str, Any] = one.view()["you"]
    return mine


def spelled(text: str) -> dict[str, Any]:
    """Return the action for a move as the worlds of `worlds.py` write it."""
    kind, x, y, *way = text.split()
    at = [int(float(x)), int(float(y))]
    return {"do": "move", "to": at} if kind == "player" else {"do": "wall", "at": [*at, *way]}


class SignUpTests(SynchronousTestCase):
    def test_it_registers_with_the_name(self) -> None:
        self.assertEqual(Person("Ada").begin(), b'(REGISTER ((name "Ada")))\n')
        self.assertEqual(Person('a"\n(b)').begin(), b'(REGISTER ((name "a\\"\\n(b)")))\n')

    def test_the_phases(self) -> None:
        self.assertEqual(Person("Ada").view()["phase"], "registering")
        for events, phase, players in (
            ((), "registering", None),
            ((LOBBY,), "waiting", None),
            ((LOBBY, VOTE), "voting", None),
            ((VOTE, b"(voted 0 ())\n"), "voted", None),
            ((LOBBY, VOTE, b"(voted 0 ())\n", LOBBY), "waiting", 4),
            ((LOBBY, VOTE, LOBBY, LOBBY), "waiting", 4),
            ((b"(rejected 0 ())\n",), "rejected", None),
        ):
            view = person(*events).view()
            self.assertEqual((view["phase"], view["board"], view["won"]), (phase, None, None))
            self.assertEqual(view["you"]["players"], players)
            self.assertEqual(view["you"]["canVote"], phase == "voting")

    def test_the_vote(self) -> None:
        for players, said in ((2, b"(play)\n"), (4, b"(wait)\n")):
            one = person(VOTE)
            self.assertEqual(one.act({"do": "vote", "players": players}), said)
            self.assertEqual((you(one)["pending"], you(one)["canVote"]), ("vote", False))
            self.assertEqual(self.code(one, {"do": "vote", "players": 2}), "pending")
            one.receive_data(b"(voted 0 ())\n")
            self.assertIsNone(you(one)["pending"])
            self.assertEqual(self.code(one, {"do": "vote", "players": 2}), "no-vote")

    def test_no_vote_before_it(self) -> None:
        for events in ((), (LOBBY,), (b"(start2play 1 ())\n",)):
            self.assertEqual(self.code(person(*events), {"do": "vote", "players": 2}), "no-vote")

    def code(self, one: Person, action: dict[str, Any]) -> str:
        before = one.view()
        code = self.assertRaises(IllegalMove, one.act, action).code
        self.assertEqual(one.view(), before)
        return code

    def test_the_seat_follows_from_the_signing_up(self) -> None:
        four = (b"(start4play 1 ())\n", *[b"(start4wait 1 ())\n"] * 3)
        arrivals = ((LOBBY, VOTE, LOBBY, LOBBY), (VOTE, LOBBY, LOBBY), (LOBBY,), ())
        for seat, (events, start) in enumerate(zip(arrivals, four, strict=True)):
            self.assertEqual(you(person(*events, start))["seat"], seat)
        self.assertIsNone(you(person(LOBBY))["seat"])
        self.assertEqual(you(person(LOBBY, VOTE))["seat"], 0)
        self.assertEqual(you(person(LOBBY, b"(start2wait 1 ())\n"))["seat"], 1)
        self.assertEqual(you(person(LOBBY, b"(start2wait 2 ())\n"))["seat"], 0)

    def test_what_is_left_behind_may_begin_anew(self) -> None:
        one = person(LOBBY, VOTE, b"(start2play 1 ())\n", GONE)
        self.assertEqual((one.view()["phase"], one.is_done, you(one)["leaver"]), ("disconnect", True, 1))
        self.assertIsNotNone(one.view()["board"])
        self.assertEqual(self.code(one, {"do": "move", "to": [4, 1]}), "no-game")
        one.receive_data(VOTE)
        view = one.view()
        self.assertEqual((view["phase"], view["board"], one.is_done), ("voting", None, False))
        self.assertEqual((view["you"]["seat"], view["you"]["leaver"]), (1, None))

    def test_what_was_voted_at_the_last_table_is_forgotten(self) -> None:
        one = person(LOBBY, VOTE, LOBBY, GONE, LOBBY)
        self.assertEqual((one.view()["phase"], you(one)["players"]), ("waiting", None))


class GameTests(SynchronousTestCase):
    def test_moves_are_spoken_as_the_authors_world_does(self) -> None:
        for action, said in (
            ({"do": "move", "to": [4, 1]}, b"(move player 4.0 1.0)\n"),
            ({"do": "wall", "at": [0, 1, "horizontal"]}, b"(move wall 0.0 1.0 horizontal)\n"),
            ({"do": "wall", "at": [8, 7, "vertical"], "more": [1]}, b"(move wall 8.0 7.0 vertical)\n"),
        ):
            one = person(b"(start2play 1 ())\n")
            self.assertEqual(one.act(action), said)
            self.assertEqual((you(one)["pending"], you(one)["moves"], you(one)["places"]), ("move", [], []))
            self.assertRaises(IllegalMove, one.act, action)
            one.receive_data(
                said.replace(b"(move ", b"(wait 1 (").replace(b")\n", b"))\n").replace(b"1.0))", b"1.0 1.0))")
            )
            self.assertEqual((one.view()["phase"], you(one)["pending"]), ("wait", None))

    def test_the_view_is_that_of_the_rules(self) -> None:
        one = person(b"(start2play 1 ())\n")
        view, state = one.view(), RULES.setup({"players": 2})
        self.assertEqual(view["board"], RULES.view(state, None))
        mine = RULES.view(state, 0)
        self.assertEqual((view["you"]["moves"], view["you"]["places"]), (mine["moves"], mine["places"]))
        self.assertEqual((len(mine["moves"]), len(mine["places"])), (3, 128))
        self.assertEqual(json.loads(json.dumps(view)), view)

    def test_who_waits_may_do_nothing(self) -> None:
        one = person(b"(start2wait 1 ())\n")
        self.assertEqual((you(one)["moves"], you(one)["places"]), ([], []))
        for action in ({"do": "move", "to": [4, 7]}, {"do": "wall", "at": [4, 4, "vertical"]}):
            self.assertRaises(NotYourTurn, one.act, action)
        one.receive_data(b"(play 1 (player 4 1 1))\n")
        self.assertEqual(one.act({"do": "move", "to": [4, 7]}), b"(move player 4.0 7.0)\n")

    def test_what_the_rules_forbid_is_not_sent(self) -> None:
        one = person(b"(start2wait 2 ())\n", b"(play 2 (wall 4 4 horizontal))\n")
        before = one.view()
        for action, code in (
            ({"do": "move", "to": [4, 2]}, "pawn-unreachable"),
            ({"do": "wall", "at": [8, 4, "horizontal"]}, "wall-out-of-range"),
            ({"do": "wall", "at": [3, 4, "horizontal"]}, "wall-overlaps"),
            ({"do": "wall", "at": [5, 3, "vertical"]}, "wall-crosses"),
        ):
            self.assertEqual(self.assertRaises(IllegalMove, one.act, action).code, code)
            self.assertEqual(one.view(), before)

    def test_no_game_no_move(self) -> None:
        for events in ((), (VOTE,), (b"(start2play 1 ())\n", b"(won 1 (player 4 8 8))\n")):
            error = self.assertRaises(IllegalMove, person(*events).act, {"do": "move", "to": [4, 1]})
            self.assertEqual(error.code, "no-game")

    def test_the_end_and_a_new_game(self) -> None:
        for call, won in ((b"won", True), (b"lost", False)):
            one = person(b"(start2play 1 ())\n", b"(" + call + b" 1 (player 4 8 8))\n")
            view = one.view()
            self.assertEqual((view["phase"], view["won"], one.won, one.is_done), (call.decode(), won, won, True))
            self.assertEqual((view["board"]["winner"], view["you"]["canReset"]), (0, True))
            self.assertEqual(one.act({"do": "reset"}), b"(reset)\n")
            self.assertEqual((you(one)["canReset"], you(one)["pending"]), (False, "reset"))
            one.receive_data(b"(start2wait 2 ())\n")
            view = one.view()
            self.assertEqual((view["phase"], view["won"], one.is_done), ("wait", None, False))
            self.assertEqual((view["you"]["seat"], view["board"]["pawns"]), (0, [[4, 0], [4, 8]]))

    def test_no_reset_in_a_game(self) -> None:
        for events in ((LOBBY,), (b"(start2play 1 ())\n",), (b"(start2play 1 ())\n", GONE)):
            error = self.assertRaises(IllegalMove, person(*events).act, {"do": "reset"})
            self.assertEqual(error.code, "no-reset")

    def test_a_server_that_closes(self) -> None:
        for events, phase in (
            ((), "closed"),
            ((b"(start2play 1 ())\n",), "closed"),
            ((b"(rejected 0 ())\n",), "rejected"),
            ((b"(start2play 1 ())\n", GONE), "disconnect"),
            ((b"(start2play 1 ())\n", b"(won 1 (player 4 8 8))\n"), "won"),
        ):
            one = person(*events)
            self.assertEqual(one.receive_data(b""), b"")
            view = one.view()
            self.assertEqual((view["phase"], one.is_done), (phase, True))
            self.assertEqual((view["you"]["canReset"], view["you"]["moves"]), (False, []))
            error = self.assertRaises(IllegalMove, one.act, {"do": "reset"})
            self.assertEqual(error.code, "closed")

    def test_a_server_that_errs(self) -> None:
        for mail, code in (
            (b"(hello 0 ())\n", "no-mail"),
            (b"(play 1 (player 4 1 1))\n", "out-of-step"),
            (b"(start4play 7 ())\n", "out-of-step"),
            (b")\n", "malformed-datum"),
        ):
            self.assertEqual(self.assertRaises(RemoteProtocolError, person().receive_data, mail).code, code)
        self.assertEqual(
            self.assertRaises(RemoteProtocolError, Person("A").receive_data, b"(hello)\n").code, "not-accepted"
        )


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from([0, 4, 8, 9, 10**30]),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["do", "to", "at", "x"]), inner, max_size=3)
    ),
    max_leaves=6,
)
NUMBERS = st.integers(-1, 9) | JSON
WAYS = st.sampled_from(["horizontal", "vertical"]) | JSON
ACTIONS = st.one_of(
    st.dictionaries(st.text(max_size=6), JSON, max_size=3),
    st.fixed_dictionaries({"do": JSON, "to": JSON}),
    st.fixed_dictionaries({"do": st.just("vote"), "players": st.sampled_from([2, 4]) | JSON}),
    st.fixed_dictionaries({"do": st.just("move"), "to": st.tuples(NUMBERS, NUMBERS).map(list) | JSON}),
    st.fixed_dictionaries({"do": st.just("wall"), "at": st.tuples(NUMBERS, NUMBERS, WAYS).map(list)}),
    st.just({"do": "reset"}),
)  # fmt: skip
STAGES: tuple[tuple[bytes, ...], ...] = (
    (), (LOBBY,), (VOTE,), (b"(start2play 1 ())\n",), (b"(start4wait 1 ())\n",), (b"(start2wait 2 ())\n", GONE),
    (b"(start2play 1 ())\n", b"(won 1 (player 4 8 8))\n"),
)  # fmt: skip


class AnythingTests(SynchronousTestCase):
    @settings(deadline=None, max_examples=400)
    @given(st.sampled_from(STAGES), ACTIONS)
    def test_an_action_is_refused_cleanly_or_taken(self, events: tuple[bytes, ...], action: dict[str, Any]) -> None:
        one = person(*events)
        before = one.view()
        try:
            said = one.act(action)
        except RuleError as error:
            self.assertEqual(one.view(), before)
            self.assertTrue(error.code)
            self.assertTrue(str(error))
        else:
            self.assertRegex(said, rb"\A\((play|wait|reset|move .*)\)\n\Z")
            self.assertIsNotNone(you(one)["pending"])

    def test_what_is_no_action(self) -> None:
        one = person(b"(start2play 1 ())\n")
        for action in (
            {}, {"do": None}, {"do": []}, {"do": "pass"}, {"do": "vote"}, {"do": "vote", "players": 3}, {"do": "move"},
            {"do": "vote", "players": True}, {"do": "move", "to": "41"}, {"do": "move", "to": [4, 1, 1]},
            {"do": "move", "to": [4.0, 1]}, {"do": "move", "to": [4, True]}, {"do": "move", "to": [4, 10**400]},
            {"do": "wall"}, {"do": "wall", "at": [1, 1]}, {"do": "wall", "at": [1, 1, ["vertical"]]},
            {"do": "wall", "at": [1, 1, "up"]}, {"do": "wall", "at": [-1, 1, "vertical"]},
        ):  # fmt: skip
            self.assertRaises(InvalidMove, one.act, action)

    words = st.sampled_from([call.value for call in Call])
    moves = st.sampled_from(["()", "(player 4 1 1)", "(player 4 8 8)", "(player 4.0 7.0 7.0)", "(wall 4 4 vertical)"])
    events = st.builds("({} {} {})\n".format, words, st.integers(0, 5), moves)

    @settings(deadline=None, max_examples=200)
    @given(st.lists(events, max_size=12))
    def test_whatever_a_server_says_there_is_a_view(self, events: list[str]) -> None:
        one = person()
        for mail in events:
            try:
                self.assertEqual(one.receive_data(mail.encode()), b"")
            except RemoteProtocolError:
                return
            view = json.loads(json.dumps(one.view()))
            self.assertIn(view["phase"], set(Phase))
            if view["you"]["moves"]:
                self.assertEqual(view["board"]["to_move"], [view["you"]["seat"]])


@define(eq=False)
class Place:
    """Somebody at a table of a house: a person, whose hand the test is, or a bot."""

    who: Person | Player
    world: World

    def send(self, data: bytes) -> None:
        if data:
            self.world.wire.send(data)

    def hears(self) -> bool:
        """Take what has come; False if nothing has."""
        new = self.world.wire.received[self.world.read :]
        self.world.read += len(new)
        if not new or (isinstance(self.who, Player) and self.who.is_done):
            return False
        self.send(self.who.receive_data(new))
        return True

    def act(self, action: dict[str, Any]) -> None:
        assert isinstance(self.who, Person)
        self.send(self.who.act(action))

    @property
    def phase(self) -> str:
        assert isinstance(self.who, Person)
        return str(self.who.view()["phase"])


class TableTests(SynchronousTestCase):
    """Through the real reception, connection and table, in memory, with a strict referee."""

    def setUp(self) -> None:
        self.harness: Harness = universe(referee="strict")
        self.places: list[Place] = []

    def seat(self, *who: Person | Player) -> list[Place]:
        for one in who:
            place = Place(one, World(self.harness.connect()))
            self.places.append(place)
            place.send(one.begin())
            self.settle()
        return self.places

    def settle(self) -> None:
        # Not `any`, which would stop at the first one.
        while sum([place.hears() for place in self.places]):
            pass

    def does(self, place: Place, action: dict[str, Any]) -> None:
        place.act(action)
        self.settle()

    @property
    def phases(self) -> list[str]:
        return [place.phase for place in self.places]

    def play(self, place: Place, seed: int) -> None:
        """Play to the end, by any legal move or along the shortest path of what the view offers."""
        random, mine = Random(seed), place.who
        assert isinstance(mine, Person)
        while not mine.is_done:
            view = mine.view()
            self.assertEqual(view["phase"], "play")
            choices = [{"do": "move", "to": to} for to in view["you"]["moves"]]
            choices += [{"do": "wall", "at": at} for at in view["you"]["places"]] if random.random() < 0.2 else []
            self.does(place, random.choice(choices))

    def test_against_a_bot(self) -> None:
        for seed in (1, 2):
            self.setUp()
            bot = Player("gamed", strategy=STRATEGIES["path"](), random=Random(seed))
            human = Person("Ada")
            places = self.seat(*([human, bot] if seed == 1 else [bot, human]))
            mine = places[seed - 1]
            self.assertEqual(you(human)["seat"], seed - 1)
            self.play(mine, seed)
            self.assertEqual((human.won, bot.won), (False, True))
            self.assertEqual(mine.phase, "lost")
            (room,) = self.harness.lobby.rooms.values()
            self.assertEqual(
                (room.table.game.view(room.table.state, None), room.table.match.findings), (human.view()["board"], [])
            )
            self.harness.settle()
            (summary,) = self.harness.store.summaries.values()
            self.assertEqual(summary.seats[seed - 1].name, "Ada")

    def test_four_with_three_bots(self) -> None:
        for number in range(4):
            self.setUp()
            bots = [Player("gamed", strategy=STRATEGIES["path"](), random=Random(seed), players=4) for seed in range(3)]
            human = Person("Ada")
            who: list[Person | Player] = [*bots[:number], human, *bots[number:]]
            for one in who:
                self.seat(one)
                if isinstance(one, Person) and human.view()["phase"] == "voting":
                    self.does(self.places[-1], {"do": "vote", "players": 4})
                elif human.view()["phase"] == "voting":
                    self.does(self.places[number], {"do": "vote", "players": 4})
            self.assertEqual((you(human)["seat"], you(human)["players"]), (number, 4))
            self.play(self.places[number], number)
            self.assertEqual([one.won for one in who].count(True), 1)

    def test_two_people_and_a_new_game(self) -> None:
        one, other = self.seat(Person("Ada"), Person("Bob"))
        self.assertEqual(self.phases, ["voting", "voting"])
        self.does(other, {"do": "vote", "players": 2})
        self.assertEqual(self.phases, ["play", "wait"])
        for number, text in enumerate(DOWN):
            self.does(self.places[number % 2], spelled(text))
        self.assertEqual(self.phases, ["won", "lost"])
        self.does(other, {"do": "reset"})
        # The loser begins.
        self.assertEqual(self.phases, ["wait", "play"])
        self.does(other, {"do": "move", "to": [4, 7]})
        self.does(one, {"do": "wall", "at": [3, 7, "horizontal"]})
        self.assertEqual(you(other.who)["seat"], 1)  # type: ignore[arg-type]
        (room,) = self.harness.lobby.rooms.values()
        for place in self.places:
            self.assertEqual(place.who.view()["board"], room.table.game.view(room.table.state, None))  # type: ignore[union-attr]

    def test_four_people(self) -> None:
        self.seat(Person("A"), Person("B"))
        self.does(self.places[0], {"do": "vote", "players": 4})
        self.assertEqual(self.phases, ["voted", "voting"])
        self.does(self.places[1], {"do": "vote", "players": 4})
        self.seat(Person("C"))
        self.assertEqual(self.phases, ["waiting"] * 3)
        self.seat(Person("D"))
        self.assertEqual(self.phases, ["play", "wait", "wait", "wait"])
        for number, text in enumerate(FOUR):
            self.assertEqual([you(place.who)["seat"] for place in self.places], [0, 1, 2, 3])  # type: ignore[arg-type]
            self.does(self.places[number % 4], spelled(text))
        self.assertEqual(self.phases, ["won", "lost", "lost", "lost"])
        self.does(self.places[3], {"do": "reset"})
        self.assertEqual(self.phases, ["wait", "play", "wait", "wait"])

    def test_one_vote_to_play_decides(self) -> None:
        self.seat(Person("A"), Person("B"))
        self.does(self.places[0], {"do": "vote", "players": 4})
        self.does(self.places[1], {"do": "vote", "players": 2})
        self.assertEqual(self.phases, ["play", "wait"])

    def test_who_comes_too_late_is_rejected(self) -> None:
        self.seat(Person("A"), Person("B"), Person("C"))
        self.assertEqual(self.phases, ["voting", "voting", "rejected"])
        self.assertTrue(self.places[2].world.wire.is_closed)

    def test_who_leaves_ends_the_game(self) -> None:
        self.seat(Person("A"), Person("B"))
        self.does(self.places[0], {"do": "vote", "players": 2})
        self.places[0].world.leaves()
        self.settle()
        view = self.places[1].who.view()  # type: ignore[union-attr]
        self.assertEqual((view["phase"], view["you"]["leaver"], view["won"]), ("disconnect", 0, None))

    def test_who_is_left_behind_plays_on_where_that_is_offered(self) -> None:
        self.harness = universe(reseat=True)
        self.seat(Person("A"), Person("B"))
        self.does(self.places[0], {"do": "vote", "players": 2})
        self.places.pop(0).world.leaves()
        self.harness.settle()
        self.settle()
        self.assertEqual(self.phases, ["waiting"])
        self.seat(Person("C"))
        self.does(self.places[1], {"do": "vote", "players": 2})
        self.assertEqual(self.phases, ["play", "wait"])
        self.assertEqual([you(place.who)["seat"] for place in self.places], [0, 1])  # type: ignore[arg-type]
