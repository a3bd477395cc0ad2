"""What a person's client knows of Blokus: moves as actions and back, the last move, whole games, every end."""

from __future__ import annotations

from random import Random
from typing import Any
from xml.etree.ElementTree import fromstring

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import IllegalMove, InvalidMove, NotYourTurn
from gamed.games.softwarechallenge.dialect import SINCE_2021
from gamed.games.softwarechallenge.season import Cause, Fault
from gamed.games.softwarechallenge.seasons.blokus import game_type
from gamed.games.softwarechallenge.seasons.blokus.moves import SetMove, SkipMove, parse
from gamed.games.softwarechallenge.seasons.blokus.person import BlokusGuide, action_of, move_of
from gamed.games.softwarechallenge.seasons.blokus.wire import echo, memento, read, result
from tests.games.softwarechallenge.blokus.test_rules import BLOKUS, State, games, opened, played
from tests.games.softwarechallenge.harness import SeasonHarness
from tests.games.softwarechallenge.seated import SeatedClient, heard

GUIDE = BlokusGuide()
PACKAGE = "gamed.games.softwarechallenge.seasons.blokus"


def element(state: State, said: str = "") -> Any:
    """Return the `state` element of a position."""
    return fromstring(memento(state, ("a", "b"), said))


class ActionTests(SynchronousTestCase):
    def test_moves_as_actions(self) -> None:
        for move, action in (
            (SetMove(2, 9, 3, True, 3, 4), {"do": "set", "piece": "PENTO_L LEFT FLIPPED", "to": [3, 4]}),
            (SetMove(0, 0, 0, False, 0, 19), {"do": "set", "piece": "MONO", "to": [0, 19]}),
            (SkipMove(3), {"do": "skip"}),
        ):
            self.assertEqual(action_of(move), action)
            self.assertEqual(move_of(action, move.color), move)

    @given(games())
    @settings(max_examples=15, deadline=None)
    def test_all_legal_moves_of_a_game(self, states: list[State]) -> None:
        state = states[-1]
        actions = GUIDE.legal(state, state.mover)
        legal = BLOKUS.legal_moves(state, state.mover)
        self.assertEqual([action for action in actions if action["do"] == "set"], [action_of(move) for move in legal])
        self.assertEqual({"do": "skip"} in actions, bool(legal) and not state.is_first)
        for action in actions[::7] + actions[-1:]:
            move = read(GUIDE.answer(state, state.mover, action)).move
            self.assertEqual(move, move_of(action, state.color))
            BLOKUS.apply(state, state.mover, move)
        self.assertEqual(GUIDE.legal(state, 1 - state.mover), [])

    def test_what_is_not_an_action(self) -> None:
        for action in (
            {},
            {"do": "move"},
            {"do": 1},
            {"do": ["set"]},
            {"do": "skip", "to": [0, 0]},
            {"do": "set", "piece": "MONO"},
            {"do": "set", "piece": "MONO", "to": [0, 20]},
            {"do": "set", "piece": "MONO", "to": [-1, 0]},
            {"do": "set", "piece": "MONO", "to": [True, 0]},
            {"do": "set", "piece": "MONO", "to": [0.0, 0]},
            {"do": "set", "piece": "MONO", "to": [0, 0, 0]},
            {"do": "set", "piece": "MONO", "to": "0,0"},
            {"do": "set", "piece": "MONO UP", "to": [0, 0]},
            {"do": "set", "piece": "SKIP", "to": [0, 0]},
            {"do": "set", "piece": ["MONO"], "to": [0, 0]},
            {"do": "set", "piece": None, "to": [0, 0]},
        ):
            error = self.assertRaises(InvalidMove, move_of, action, 0)
            self.assertEqual(error.code, "action")

    def test_illegal_moves_and_moves_out_of_turn_are_refused(self) -> None:
        state = opened()
        action = {"do": "set", "piece": "PENTO_L", "to": [9, 9]}
        self.assertEqual(self.assertRaises(IllegalMove, GUIDE.answer, state, 0, action).code, "not-on-border")
        self.assertRaises(NotYourTurn, GUIDE.answer, state, 1, action)
        self.assertEqual(self.assertRaises(IllegalMove, GUIDE.answer, state, 0, {"do": "skip"}).code, "skip-first-turn")


class StateTests(SynchronousTestCase):
    def test_a_state_and_its_last_move(self) -> None:
        state = opened()
        self.assertIsNone(GUIDE.last(element(state), state))
        for seat, text in ((0, "B PENTO_L LEFT FLIPPED 0,0"), (1, "Y PENTO_L 18,0")):
            state = played(state, text)
            shown = element(state, echo(parse(text)))
            self.assertEqual(GUIDE.read(shown), state)
            self.assertEqual(GUIDE.last(shown, state), {"seat": seat, "text": text})
            self.assertEqual(GUIDE.mover(state), 1 - seat)
            self.assertEqual(GUIDE.view(state), BLOKUS.view(state, None))


class ResultTests(SynchronousTestCase):
    """The scores in results of the seasons since 2021, for a person's client."""

    def scores(self, fault: Fault | None) -> list[dict[str, Any]]:
        body = result(played(opened(), "B PENTO_L 0,0"), ("Ada", ""), fault).body
        return SINCE_2021.scores_in(fromstring(f'<data class="result">{body}</data>'))

    def test_without_a_fault(self) -> None:
        regular = {"cause": "REGULAR", "reason": ""}
        self.assertEqual(self.scores(None), [{**regular, "points": ["1", "5"]}, {**regular, "points": ["1", "0"]}])

    def test_with_a_fault(self) -> None:
        for cause, reason in (
            (Cause.LEFT, "TWO hat das Spiel verlassen: LOST_CONNECTION"),
            (Cause.RULE_VIOLATION, "Regelverletzung von TWO: Der Stein …"),
            (Cause.RULE_VIOLATION, "Missachtung des Spielablaufs von TWO: zu früh"),
            (Cause.SOFT_TIMEOUT, "TWO hat fuer die Antwort auf die Zugaufforderung laenger als 2 Sekunden gebraucht."),
            (Cause.HARD_TIMEOUT, "TWO hat innerhalb von 2 Sekunden nach Aufforderung keinen Zug gesendet."),
        ):
            first, second = self.scores(Fault(1, cause, reason))
            self.assertEqual(first, {"cause": "REGULAR", "reason": "", "points": ["2", "5"]})
            self.assertEqual(second, {"cause": str(cause), "reason": reason, "points": ["0", "0"]})


class GameTests(SynchronousTestCase):
    @given(st.integers(0, 1000))
    @settings(max_examples=3, deadline=None)
    def test_a_person_plays_a_whole_game(self, seed: int) -> None:
        harness = SeasonHarness(others=(PACKAGE,))
        person = game_type.person(Random(1), "Ada")
        ada = SeatedClient(person, harness.connect())
        heard(ada)
        self.assertEqual(person.view()["phase"], "waiting")
        bot = SeatedClient(game_type.players["random"](Random(seed)), harness.connect())
        random, actions = Random(seed), 0
        for _ in range(500):
            harness.clock.advance(0.01)
            heard(ada, bot)
            view = person.view()
            if view["phase"] == "over":
                break
            if view["phase"] == "play":
                self.assertFalse(view["you"]["mustSkip"])
                ada.act(random.choice(view["you"]["legal"]))
                actions += 1
        self.assertEqual(view["phase"], "over")
        self.assertGreater(actions, 10)
        scores = view["you"]["result"]["scores"]
        self.assertEqual([score["cause"] for score in scores], ["REGULAR", "REGULAR"])
        totals = [sum(view["board"]["points"][seat::2]) for seat in (0, 1)]
        self.assertEqual([int(score["points"][1]) for score in scores], totals)
        self.assertEqual(view["won"], None if totals[0] == totals[1] else totals[view["you"]["seat"]] == max(totals))
