"""A person at the lobby: waiting, acting, the end. Its games are whole, against our bot, in memory."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.clients import Player
from gamed.core.errors import IllegalMove, InvalidMove, NotYourTurn, RemoteProtocolError, RuleError
from gamed.core.game import Termination
from gamed.core.history import MOVE
from gamed.games.softwarechallenge import Settings
from gamed.games.softwarechallenge.person import Person
from gamed.games.softwarechallenge.seasons.hive import game_type
from gamed.games.softwarechallenge.seasons.hive.person import HiveGuide
from gamed.records.own import judgement, summary
from tests.games.softwarechallenge.harness import PASSWORD, SeasonHarness
from tests.games.softwarechallenge.seated import SeatedClient, heard

HEAD = b"<protocol>\n  "
GOODBYE = b"\n  <sc.protocol.responses.CloseConnection/>\n</protocol>"
SKIPS = {"do": "skip"}
CENTRE = {"do": "set", "piece": "ANT", "to": [2, 0, -2]}


def person(reservation: str | None = None) -> Person:
    assert game_type.person is not None
    made = game_type.person(Random(1), "Ada", reservation)
    assert isinstance(made, Person)
    return made


class TwoTestCase(SynchronousTestCase):
    """A room service with a person and somebody else."""

    def setUp(self) -> None:
        self.harness = SeasonHarness()

    def sit(self, who: Any) -> SeatedClient:
        seated_client = SeatedClient(who, self.harness.connect())
        heard(seated_client)
        return seated_client

    def bot(self, reservation: str | None = None, seed: int = 2) -> Player:
        return game_type.players["random"](Random(seed), reservation=reservation)

    def reserved(self, *slots: str) -> list[str]:
        """Return the codes of a prepared room."""
        return self.harness.admin().prepare(*slots)[1]

    def started(self) -> tuple[SeatedClient, SeatedClient]:
        """Return two persons, red and blue, in a game that has begun."""
        seated_clients = self.sit(person()), self.sit(person())
        heard(*seated_clients)
        return seated_clients


class WaitingTests(TwoTestCase):
    def test_it_wants_a_seat(self) -> None:
        self.assertEqual(person().begin(), HEAD + b'<join gameType="swc_2020_hive"/>')
        self.assertEqual(person("a<b").begin(), HEAD + b'<joinPrepared reservationCode="a&lt;b"/>')

    def test_it_waits_for_another(self) -> None:
        you = {"seat": None, "legal": [], "mustSkip": False, "last": None, "refusal": None, "result": None}
        nothing = {"phase": "joining", "board": None, "you": you, "won": None, "players": [None, None]}
        fresh = person()
        self.assertEqual(fresh.view(), nothing)
        seated_client = self.sit(fresh)
        self.assertEqual(fresh.view(), {**nothing, "phase": "waiting"})
        self.assertRaises(NotYourTurn, seated_client.who.act, CENTRE)

    def test_the_game_begins(self) -> None:
        red, blue = self.started()
        view = red.who.view()
        self.assertEqual((view["phase"], view["you"]["seat"], view["players"]), ("play", 0, ["Unknown", "Unknown"]))
        self.assertEqual(len(view["you"]["legal"]), 440)
        self.assertIn(CENTRE, view["you"]["legal"])
        view = blue.who.view()
        self.assertEqual((view["phase"], view["you"]["seat"], view["you"]["legal"]), ("wait", 1, []))

    def test_the_board_is_the_games_own_view(self) -> None:
        red, blue = self.started()
        (room,) = self.harness.rooms
        for seated_client in (red, blue):
            self.assertEqual(
                seated_client.who.view()["board"],
                room.table.game.view(room.table.state, seated_client.who.view()["you"]["seat"]),
            )

    def test_views_are_ready_for_json(self) -> None:
        red, blue = self.started()
        red.act(red.who.view()["you"]["legal"][0])
        heard(red, blue)
        for seated_client in (red, blue):
            self.assertEqual(json.loads(json.dumps(seated_client.who.view())), seated_client.who.view())

    def test_a_paused_game_is_held(self) -> None:
        self.harness = SeasonHarness(Settings(password=PASSWORD, paused=True))
        red, blue = self.started()
        for player, held in ((red, ("held", 0, 0)), (blue, ("wait", 1, 0))):
            view = player.who.view()
            self.assertEqual((view["phase"], view["you"]["seat"], view["board"]["turn"]), held)
        (room,) = self.harness.rooms
        room.resume()
        self.harness.turn()
        heard(red)
        self.assertEqual(red.who.view()["phase"], "play")

    def test_a_wrong_code(self) -> None:
        error = self.assertRaises(RemoteProtocolError, self.sit, person("no such code"))
        self.assertEqual((error.code, error.hint), ("closed", "a reservation code is good for one seat, once"))

    def test_a_server_that_vanishes(self) -> None:
        red, _ = self.started()
        error = self.assertRaises(RemoteProtocolError, red.who.receive_data, b"")
        self.assertEqual((error.code, error.hint), ("closed", ""))

    def test_a_server_that_sends_nonsense(self) -> None:
        for said, code in ((b"<joined/>", "missing-attribute"), (b"<x></y>", "malformed-xml")):
            found = person()
            found.begin()
            error = self.assertRaises(RemoteProtocolError, found.receive_data, b"<protocol>" + said)
            self.assertEqual(error.code, code)

    def test_a_last_move_that_is_none(self) -> None:
        red, blue = self.started()
        red.act(CENTRE)
        news = red.news().replace(b'<lastMove class="setmove">', b'<lastMove class="nothing">')
        self.assertEqual(self.assertRaises(RemoteProtocolError, red.who.receive_data, news).code, "unknown-class")
        heard(blue)
        self.assertEqual(blue.who.view()["phase"], "play")


class ActingTests(TwoTestCase):
    def test_a_move_reaches_the_other_side(self) -> None:
        red, blue = self.started()
        action = red.who.view()["you"]["legal"][17]
        red.act(action)
        # Until the server has answered nothing more may be done.
        self.assertEqual((red.who.view()["phase"], red.who.view()["you"]["legal"]), ("wait", []))
        self.assertRaises(NotYourTurn, red.who.act, action)
        heard(red, blue)
        x, y, _ = action["to"]
        for seated_client in (red, blue):
            view = seated_client.who.view()
            self.assertEqual((view["board"]["turn"], view["board"]["board"]), (1, {f"{x},{y}": "Q"}))
            self.assertEqual(view["you"]["last"], {"seat": 0, "text": f"S Q {x},{y}"})
        self.assertEqual((red.who.view()["phase"], blue.who.view()["phase"]), ("wait", "play"))

    def test_who_is_not_asked_may_not_move(self) -> None:
        red, blue = self.started()
        before = blue.who.view()
        error = self.assertRaises(NotYourTurn, blue.who.act, CENTRE)
        self.assertEqual((str(error), blue.who.view()), ("Wait until you are asked for a move.", before))
        self.assertEqual(red.who.view()["phase"], "play")

    def test_an_illegal_move_is_told_and_not_sent(self) -> None:
        red, blue = self.started()
        red.act(CENTRE)
        heard(red, blue)
        before = blue.who.view()
        for action, code, text in (
            ({"do": "set", "piece": "ANT", "to": [2, 0, -2]}, "occupied", "Set destination is not empty"),
            ({"do": "set", "piece": "ANT", "to": [5, -5, 0]}, "obstructed", "The target field is obstructed"),
            ({"do": "move", "from": [2, 0, -2], "to": [3, 0, -3]}, "bee-not-placed", "You have to place the Bee"),
            (SKIPS, "skip", "Skipping a turn is only allowed"),
        ):
            error = self.assertRaises(IllegalMove, blue.who.act, action)
            self.assertEqual(error.code, code)
            self.assertTrue(str(error).startswith(text), str(error))
            self.assertEqual(blue.who.view(), before)
        self.assertEqual(red.news(), b"")

    def test_everything_that_is_listed_is_taken(self) -> None:
        guide = HiveGuide()
        red, blue = self.started()
        for _ in range(8):
            mover, other = (red, blue) if red.who.view()["phase"] == "play" else (blue, red)
            position, seat = mover.who._position, mover.who.view()["you"]["seat"]
            for action in mover.who.view()["you"]["legal"]:
                self.assertIsNotNone(guide.answer(position, seat, action))
            mover.act(Random(4).choice(mover.who.view()["you"]["legal"]))
            heard(mover, other)
        self.assertEqual(red.who.view()["board"]["turn"], 8)


class GameTests(TwoTestCase):
    def play(self, seated_client: SeatedClient, bot: SeatedClient, seed: int = 1) -> None:
        """Have a person play at random until the end."""
        random = Random(seed)
        heard(seated_client, bot)
        while not seated_client.who.is_done:
            view = seated_client.who.view()
            self.assertEqual(view["phase"], "play")
            self.assertEqual(view["you"]["mustSkip"], view["you"]["legal"] == [SKIPS])
            seated_client.act(random.choice(view["you"]["legal"]))
            heard(seated_client, bot)

    def check(self, seated_client: SeatedClient, bot: SeatedClient) -> None:
        """Compare what both were told with the record."""
        (record,) = self.harness.records()
        found, view = summary(record), seated_client.who.view()
        self.assertEqual(found.length, view["board"]["turn"])
        self.assertGreater(found.length, 6)
        self.assertEqual(judgement(record).findings, ())
        self.assertIn(found.termination, ("victory", "draw"))
        self.assertEqual((view["phase"], view["you"]["legal"]), ("over", []))
        seat = view["you"]["seat"]
        won = None if found.winner is None else found.winner == seat
        self.assertEqual((seated_client.who.won, view["won"], view["board"]["winner"]), (won, won, found.winner))
        self.assertEqual(bot.who.won, None if won is None else not won)
        scores = view["you"]["result"]["scores"]
        self.assertEqual([score["cause"] for score in scores], ["REGULAR"] * 2)
        self.assertEqual([score["points"][1] for score in scores], [str(free) for free in view["board"]["free"]])
        self.assertTrue(scores[0]["reason"].startswith("Das "))
        self.assertTrue(seated_client.client.is_closed)

    def test_whole_games_by_joining(self) -> None:
        for first in (True, False):
            for seed in range(2):
                self.setUp()
                who = [person(), self.bot(seed=seed)]
                seated_clients = [self.sit(one) for one in (who if first else who[::-1])]
                seated_client, bot = seated_clients if first else seated_clients[::-1]
                self.play(seated_client, bot, seed)
                self.assertEqual(seated_client.who.view()["you"]["seat"], 0 if first else 1)
                self.check(seated_client, bot)

    def test_a_whole_game_by_reservation(self) -> None:
        red, blue = self.reserved('<slot displayName="Ada"/>', '<slot displayName="Bot"/>')
        bot = self.sit(self.bot(red))
        seated_client = self.sit(person(blue))
        self.play(seated_client, bot)
        self.assertEqual(
            (seated_client.who.view()["you"]["seat"], seated_client.who.view()["players"]), (1, ["Ada", "Bot"])
        )
        self.check(seated_client, bot)

    def test_the_last_move_is_the_records(self) -> None:
        red, blue = self.started()
        (room,) = self.harness.rooms
        random = Random(5)
        for _ in range(14):
            mover, other = (red, blue) if red.who.view()["phase"] == "play" else (blue, red)
            mover.act(random.choice(mover.who.view()["you"]["legal"]))
            heard(mover, other)
            entry = list(room.history.of_kind(MOVE))[-1]
            for seated_client in (red, blue):
                last = seated_client.who.view()["you"]["last"]
                self.assertEqual((last["seat"], last["text"].encode()), (entry.seat, entry.body))

    def test_a_slot_without_time_limits_waits_for_ever(self) -> None:
        free = '<slot displayName="Ada" canTimeout="false"/>'
        red, blue = self.reserved(free, '<slot displayName="Bot" canTimeout="true"/>')
        seated_client, bot = self.sit(person(red)), self.sit(self.bot(blue))
        heard(seated_client, bot)
        self.harness.wait(3600)
        seated_client.act(seated_client.who.view()["you"]["legal"][0])
        heard(seated_client, bot)
        self.assertEqual((seated_client.who.view()["phase"], seated_client.who.view()["board"]["turn"]), ("play", 2))

    def test_a_listener_may_give_people_time(self) -> None:
        self.harness = SeasonHarness(Settings(password=PASSWORD, soft_seconds=600.0, hard_seconds=600.0))
        red, blue = self.started()
        self.harness.wait(599)
        red.act(red.who.view()["you"]["legal"][0])
        heard(red, blue)
        self.assertEqual(blue.who.view()["phase"], "play")


class EndTests(TwoTestCase):
    def over(self, seated_client: SeatedClient) -> list[tuple[str, str]]:
        """Return causes and match points once the game is over."""
        view = seated_client.who.view()
        self.assertEqual((view["phase"], seated_client.who.is_done), ("over", True))
        self.assertRaises(NotYourTurn, seated_client.who.act, CENTRE)
        return [(score["cause"], score["points"][0]) for score in view["you"]["result"]["scores"]]

    def test_time_runs_out(self) -> None:
        red, blue = self.started()
        self.harness.wait(11, 1)
        heard(red, blue)
        self.assertEqual(self.over(red), [("HARD_TIMEOUT", "0"), ("REGULAR", "2")])
        self.assertEqual((red.who.won, blue.who.won), (False, True))
        reason = blue.who.view()["you"]["result"]["scores"][0]["reason"]
        self.assertEqual(reason, "Der Spieler hat innerhalb von 10 Sekunden nach Aufforderung keinen Zug gesendet")

    def test_an_answer_comes_too_late(self) -> None:
        red, blue = self.started()
        self.harness.wait(5)
        red.act(red.who.view()["you"]["legal"][0])
        heard(red, blue)
        self.assertEqual(self.over(red), [("SOFT_TIMEOUT", "0"), ("REGULAR", "2")])

    def test_the_other_side_leaves(self) -> None:
        red, blue = self.started()
        blue.client.end()
        heard(red)
        self.assertEqual((self.over(red), red.who.won), ([("REGULAR", "2"), ("LEFT", "0")], True))

    def test_it_says_goodbye_when_the_game_is_over(self) -> None:
        red, blue = self.started()
        blue.client.end()
        answer = red.who.receive_data(red.news())
        self.assertEqual((answer, red.who.receive_data(b"")), (GOODBYE, b""))

    def test_a_cancelled_game_has_no_result(self) -> None:
        red, blue = self.started()
        (room,) = self.harness.rooms
        room.stop(Termination.CANCELLED)
        self.harness.turn()
        heard(red, blue)
        view = red.who.view()
        self.assertEqual((view["phase"], view["won"], view["you"]["result"]), ("over", None, None))
        error = self.assertRaises(NotYourTurn, red.who.act, CENTRE)
        self.assertEqual(str(error), "The game is over.")

    def test_a_refusal_is_told(self) -> None:
        red, blue = self.started()
        # What no action can lead to: another program's illegal move on the same wire.
        (room,) = self.harness.rooms
        red.send(f'<room roomId="{room.id}"><data class="skipmove"/></room>'.encode())
        heard(red, blue)
        self.assertEqual(self.over(red), [("RULE_VIOLATION", "0"), ("REGULAR", "2")])
        self.assertIn("Skipping a turn is only allowed", red.who.view()["you"]["refusal"])
        self.assertIsNone(blue.who.view()["you"]["refusal"])


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
_PLACES = st.lists(st.integers(-6, 6), min_size=2, max_size=4) | st.tuples(st.integers(-5, 5), st.integers(-5, 5)).map(
    lambda place: [place[0], place[1], -place[0] - place[1]]
)
_ACTIONS = st.fixed_dictionaries(
    {"do": st.sampled_from(["set", "move", "skip", "SET", None, 1])},
    optional={
        "piece": st.sampled_from(["BEE", "ANT", "BEETLE", "bee", "Q", ""]) | _JSON,
        "from": _PLACES | _JSON,
        "to": _PLACES | _JSON,
    },
)


class AnyActionTests(TwoTestCase):
    def setUp(self) -> None:
        super().setUp()
        red, blue = self.started()
        random = Random(6)
        for _ in range(9):
            mover, other = (red, blue) if red.who.view()["phase"] == "play" else (blue, red)
            mover.act(random.choice(mover.who.view()["you"]["legal"]))
            heard(mover, other)
        self.mover = red if red.who.view()["phase"] == "play" else blue
        self.before = self.mover.who.view()
        self.follower = self.mover.who

    def try_out(self, action: Any) -> None:
        try:
            said = self.mover.who.act(action)
        except RuleError as error:
            self.assertTrue(str(error))
            self.assertTrue(error.code)
            self.assertEqual(self.mover.who.view(), self.before)
        else:
            self.assertIn(action, self.before["you"]["legal"])
            self.assertIn(b"<data class=", said)
            self.follower.is_asked = True
            self.assertEqual(self.mover.who.view(), self.before)

    def test_any_json_is_refused_cleanly(self) -> None:
        @settings(deadline=None, max_examples=60)
        @given(st.dictionaries(st.sampled_from(["do", "piece", "to", "from", ""]), _JSON, max_size=4))
        def refused(action: Any) -> None:
            self.try_out(action)

        refused()

    def test_what_resembles_an_action_is_refused_or_taken(self) -> None:
        @settings(deadline=None, max_examples=400)
        @given(_ACTIONS)
        def tried(action: Any) -> None:
            self.try_out(action)

        tried()

    def test_what_is_listed_is_taken(self) -> None:
        for action in self.before["you"]["legal"]:
            self.try_out(action)

    def test_what_is_no_action(self) -> None:
        for action in (
            {},
            {"do": []},
            {"do": "skip", "to": [0, 0, 0]},
            {"do": "set", "piece": "WASP", "to": [0, 0, 0]},
            {"do": "set", "piece": {}, "to": [0, 0, 0]},
            {"do": "set", "piece": "ANT"},
            {"do": "set", "piece": "ANT", "to": [0, 0]},
            {"do": "set", "piece": "ANT", "to": [True, False, -1]},
            {"do": "set", "piece": "ANT", "to": [1.0, 0.0, -1.0]},
            {"do": "set", "piece": "ANT", "to": [0, 0, 1]},
            {"do": "set", "piece": "ANT", "to": [10**5000, -(10**5000), 0]},
            {"do": "set", "piece": "ANT", "to": "abc"},
            {"do": "move", "from": None, "to": [0, 0, 0]},
            {"do": "move", "to": [0, 0, 0]},
        ):
            error = self.assertRaises(InvalidMove, self.mover.who.act, action)
            self.assertEqual(error.code, "action", str(error))
            self.assertEqual(self.mover.who.view(), self.before)
