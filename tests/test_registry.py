"""Tests of every game in the registry: they include a new game as soon as its plugin line exists.

Source: docs/topics/design.md#adding-things, docs/topics/design.md#habits.
"""

from __future__ import annotations

import json
from functools import cache
from itertools import cycle, islice, product
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import attrs
from attrs import define
from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.clients import Player
from gamed.core.errors import LocalProtocolError, RemoteProtocolError
from gamed.core.events import Event
from gamed.core.game import CHANCE, Outcome, Termination
from gamed.core.history import ENDED, LINE, MOVE, Entry, History, ended
from gamed.core.table import Table, replay
from gamed.lobby import lobby
from gamed.records.index import validate
from gamed.records.own import from_history, summary, to_history
from gamed.records.record import document
from gamed.registry import GameMaker, GameType, ListenerSettings, game_types, games
from gamed.replayers import known_formats
from gamed.testing.harness import Harness, Wire
from gamed.wire import Connection
from tests.games.pictures import draw

ROOT = Path(__file__).resolve().parent.parent
STARTED = "2026-11-21T09:00:00.000Z"
ROOM = "6f0c1f0e-7c7e-4c1b-9d5e-2f6d3a1b4c5d"
MOVES = 300
CHOICES = 1_000
SEEDS = (1, 2, 3)


def variants(game_type: GameType) -> list[Any]:
    """Return a game's default settings, and variants in which one key with choices has another value."""
    default = game_type.settings()
    choices = {field.name: getattr(field.validator, "options", ()) for field in attrs.fields(game_type.settings)}
    others = [{name: value} for name, values in choices.items() for value in values if value != getattr(default, name)]
    return [default, *(attrs.evolve(default, **other) for other in others)]


def play(game_type: GameType, config: Any, seed: int) -> tuple[Any, History, list[bytes]]:
    """Play a match between a game's own players in memory, through its reception and dialect.

    Return its table, its history and the bytes of each player. Callers with the same arguments share the table.
    """
    table, history, sent = played(game_type.kind, config, seed)
    return table, attrs.evolve(history, entries=list(history.entries)), sent


@cache
def played(kind: str, config: Any, seed: int) -> tuple[Any, History, list[bytes]]:
    game_type = game_types()[kind]
    random, harness = Random(seed), Harness(kind, config)
    seats: list[Seat] = []
    with patch.object(lobby.random, "getrandbits", lambda _bits: seed):
        for make in cycle(game_type.players.values()):
            seats.append(Seat(make(random), harness.connect()))
            seats[-1].send(seats[-1].player.begin())
            while answered(seats) or later(harness, seats):
                pass
            (room,) = harness.lobby.rooms.values()
            if not room.table.free:
                break
    harness.settle()
    return room.table, room.history, [seat.sent for seat in seats]


def answered(seats: list[Seat]) -> bool:
    """Let all players answer what they have received; return False if that is nothing."""
    # Not `any`, which would stop at the first one.
    return sum([seat.answers() for seat in seats]) > 0


def later(harness: Harness, seats: list[Seat]) -> bool:
    """Do the same with what servers send a moment later."""
    harness.clock.advance(0.01)
    return answered(seats)


def replace_entries(history: History, entries: list[Entry]) -> History:
    """Return a history with other entries."""
    return attrs.evolve(history, entries=list(entries))


@define(eq=False)
class Seat:
    """A player with its connection, and all bytes that it has sent."""

    player: Player
    wire: Wire
    sent: bytes = b""
    read: int = 0

    def send(self, data: bytes) -> None:
        self.sent += data
        if data:
            self.wire.send(data)

    def answers(self) -> bool:
        """Let the player answer the received bytes; return False if there are none."""
        new = self.wire.received[self.read :]
        self.read += len(new)
        if not new or self.player.is_done:
            return False
        self.send(self.player.receive_data(new))
        return True


def understood(wire: Connection, pieces: list[bytes]) -> tuple[list[Event], str]:
    """Return the events that a connection yields for some pieces of bytes and a close, and its error's code or ""."""
    events: list[Event] = []
    try:
        for piece in (*pieces, b""):
            wire.receive_data(piece)
            events.extend(wire.events())
    except RemoteProtocolError as error:
        return events, error.code
    return events, ""


def one_by_one(wire: Connection, data: bytes) -> tuple[list[Event], str]:
    """Return the same, but take each event from a new iterator, as if in a new turn of the reactor."""
    events: list[Event] = []
    try:
        for piece in (data, b""):
            wire.receive_data(piece)
            while (event := next(iter(wire.events()), None)) is not None:
                events.append(event)
    except RemoteProtocolError as error:
        return events, error.code
    return events, ""


class RegistryTests(SynchronousTestCase):
    def test_there_is_a_game(self) -> None:
        self.assertIn("battleship", games())

    def test_every_maker_is_found_by_its_name(self) -> None:
        for name, maker in games().items():
            self.assertIsInstance(maker, GameMaker)
            self.assertEqual(maker.name, name)
            self.assertIs(game_types()[maker.load().kind], maker.load())

    def test_ports_are_different(self) -> None:
        ports = [maker.port for maker in games().values()]
        self.assertEqual(len(set(ports)), len(ports))
        self.assertEqual(ports, sorted(ports))

    def test_the_plugin_file_of_the_checkout_has_the_same_games(self) -> None:
        text = (ROOT / "twisted" / "plugins" / "gamed_plugin.py").read_text()
        own = [maker for maker in games().values() if maker.module.startswith("gamed.games.")]
        self.assertEqual(text.count("= GameMaker("), len(own))
        for maker in own:
            self.assertIn(f'GameMaker("{maker.name}", {maker.port}, "{maker.module}")', text)


def game_tests(game_type: GameType) -> type[SynchronousTestCase]:
    """Return the tests of the parts that one game must have."""

    class GameTests(SynchronousTestCase):
        def test_its_records_have_a_schema(self) -> None:
            found = known_formats().formats[game_type.publisher, game_type.version]
            self.assertEqual((found.kind, found.is_playable), (game_type.kind, True))

        def test_its_settings_have_what_a_listener_needs(self) -> None:
            config = game_type.settings()
            self.assertIsInstance(config, ListenerSettings)
            self.assertIsNone(config.endpoint)
            self.assertGreater(config.connections, 0)
            self.assertGreater(config.connections_per_address, 0)
            self.assertGreater(config.stuck_seconds, 0)
            self.assertRaises(AttributeError, setattr, config, "endpoint", "")

        def test_its_settings_all_have_defaults(self) -> None:
            for attribute in attrs.fields(game_type.settings):
                self.assertIsNot(attribute.default, attrs.NOTHING, attribute.name)

        def test_its_options_can_be_journalled(self) -> None:
            history = History(ROOM, game_type.kind, STARTED, 1, game_type.options(game_type.settings()))
            opened = history.opened()
            self.assertEqual(json.loads(json.dumps(dict(opened.data))), opened.data)
            self.assertEqual(History.from_opened(ROOM, opened), history)

        def test_its_tables_and_connections_are_fresh(self) -> None:
            config = game_type.settings()
            options = game_type.options(config)
            tables = [game_type.table(config, options, lambda _draw: Random(1), 0.0) for _ in range(2)]
            tables[0].join("somebody", 0.0)
            self.assertNotEqual(tables[0], tables[1])
            self.assertEqual(len(tables[1].free), len(tables[0].free) + 1)
            self.assertIsNot(game_type.hosted().connection(config), game_type.hosted().connection(config))

        def test_its_dialect_has_no_words_for_any_event(self) -> None:
            self.assertRaises(LocalProtocolError, game_type.hosted().connection(game_type.settings()).send, Event())

        def test_its_players_are_made_from_a_generator_alone(self) -> None:
            self.assertTrue(game_type.players)
            for make in game_type.players.values():
                player = make(Random(1))
                self.assertEqual((player.won, player.moves), (None, 0))

    return _named(GameTests, game_type)


def match_tests(game_type: GameType) -> type[SynchronousTestCase]:  # noqa: C901 (a class of short tests)
    """Return the tests of matches between one game's own players."""

    class MatchTests(SynchronousTestCase):
        def test_matches_end_without_a_finding(self) -> None:
            for config, seed in product(variants(game_type), SEEDS):
                table, history, _ = play(game_type, config, seed)
                self.assertEqual(history.entries[-1].kind, ENDED)
                judged = table.match
                self.assertEqual((history.outcome, judged.findings, judged.unjudged), (table.outcome, [], None))
                self.assertEqual(table.game.outcome(table.state), table.outcome)

        def test_a_replay_stands_where_the_match_stood(self) -> None:
            for config, seed in product(variants(game_type), SEEDS):
                match, history, _ = play(game_type, config, seed)
                table = self.fresh(history)
                self.assertEqual(list(replay(table, history)), history.entries)
                self.assertEqual(table.outcome, match.outcome)
                # States may also hold guesses that depend on the way (Battleship: a fleet that fits); views do not.
                self.assertEqual(table.game.to_move(table.state), match.game.to_move(match.state))
                for seat in (None, 0, 1):
                    self.assertEqual(table.game.view(table.state, seat), match.game.view(match.state, seat))

        def test_a_crash_in_the_middle_is_recovered(self) -> None:
            _, history, _ = play(game_type, game_type.settings(), SEEDS[0])
            for share in (0.3, 0.6, 0.95):
                cut = replace_entries(history, history.entries[: max(4, int(len(history.entries) * share))])
                cut.entries.append(ended(cut.entries[-1].at, Outcome(Termination.SERVER_FAULT)))
                table = self.fresh(cut)
                self.assertEqual(len(list(replay(table, cut))), len(cut.entries))
                self.assertEqual(table.outcome, Outcome(Termination.SERVER_FAULT))

        def test_a_broken_off_replay_stands_in_the_middle(self) -> None:
            _, history, _ = play(game_type, game_type.settings(), SEEDS[0])
            history.entries = history.entries[: len(history.entries) // 2]
            table = self.fresh(history)
            self.assertEqual(len(list(replay(table, history))), len(history.entries))
            self.assertIsNone(table.outcome)
            self.assertTrue(table.game.to_move(table.state))

        def fresh(self, history: History) -> Any:
            table: Table = game_type.table(game_type.settings(), history.options, lambda _draw: Random(0), 0.0)
            return table

        def test_a_record_is_valid_and_gives_the_history_back(self) -> None:
            _, history, _ = play(game_type, game_type.settings(), SEEDS[0])
            names = {"publisher": game_type.publisher, "version": game_type.version}
            record = from_history(history, **names, findings=(), unjudged=None)
            validate(document(record), known_formats())
            self.assertEqual(to_history(record), history)
            self.assertEqual(summary(record).kind, game_type.kind)

        def test_every_position_can_be_drawn(self) -> None:
            _, history, _ = play(game_type, game_type.settings(), SEEDS[0])
            length = sum(entry.kind in (LINE, MOVE) for entry in history.entries)
            pictures = [draw(history, moves) for moves in range(length + 1)]
            self.assertEqual(draw(history), pictures[-1])
            self.assertNotEqual(pictures[0], pictures[-1])

    return _named(MatchTests, game_type)


def rule_tests(game_type: GameType) -> type[SynchronousTestCase]:  # noqa: C901 (a class of short tests)
    """Return the tests of one game's rules by random play."""

    class RuleTests(SynchronousTestCase):
        def walk(self, seed: int, config: Any = None) -> list[tuple[Any, Any]]:
            """Return the game and all states of a match of random legal moves."""
            config = config or game_type.settings()
            options = game_type.options(config)
            table: Any = game_type.table(config, options, lambda _draw: Random(seed), 0.0)
            game, random = table.game, Random(seed)
            state = game.setup(options)
            states = [(game, state)]
            while game.outcome(state) is None and len(states) <= MOVES:
                state = self.moved(game, state, random)
                states.append((game, state))
            return states

        def moved(self, game: Any, state: Any, random: Random) -> Any:
            seats = game.to_move(state)
            if not seats and hasattr(game, "advance"):
                # For games with automatic steps (RoboRally); this raises if none is due.
                return game.advance(state)
            self.assertTrue(seats, "nobody is to move, and there is no outcome")
            if CHANCE in seats:
                return game.apply(state, CHANCE, game.draw(state, random))
            seat = random.choice(sorted(seats))
            moves = list(islice(game.legal_moves(state, seat), CHOICES))
            self.assertTrue(moves, f"seat {seat} is to move and cannot")
            return game.apply(state, seat, random.choice(moves))

        def test_legal_moves_can_be_applied(self) -> None:
            for config, seed in product(variants(game_type), SEEDS):
                self.assertGreater(len(self.walk(seed, config)), 2)

        def test_states_are_values(self) -> None:
            for (game, state), (_, again) in zip(self.walk(1), self.walk(1), strict=True):
                self.assertEqual(state, again)
                self.assertEqual(game.to_move(state), game.to_move(again))
                self.assertIsInstance(hash(state), int)

        def test_at_the_end_nobody_is_to_move(self) -> None:
            table, _, _ = play(game_type, game_type.settings(), SEEDS[0])
            self.assertEqual(table.game.to_move(table.state), frozenset())
            self.assertEqual([list(table.game.legal_moves(table.state, seat)) for seat in (0, 1)], [[], []])

        def test_who_is_not_to_move_has_no_legal_move(self) -> None:
            for game, state in self.walk(2):
                for seat in {CHANCE, 0, 1} - game.to_move(state):
                    self.assertEqual(list(game.legal_moves(state, seat)), [])

        def test_views_are_ready_for_json(self) -> None:
            for game, state in self.walk(3):
                for seat in (None, 0, 1):
                    view = game.view(state, seat)
                    self.assertEqual(json.loads(json.dumps(view)), view)

    return _named(RuleTests, game_type)


def wire_tests(game_type: GameType) -> type[SynchronousTestCase]:
    """Return the fuzz tests of one dialect."""

    @cache
    def spoken() -> list[bytes]:
        return [sent for config in variants(game_type) for sent in play(game_type, config, SEEDS[0])[2]]

    @st.deferred
    def slices() -> st.SearchStrategy[bytes]:
        return st.builds(
            lambda text, start, length: text[start : start + length],
            st.sampled_from(spoken()),
            st.integers(0, max(map(len, spoken()))),
            st.integers(0, 60),
        )

    repeated = st.builds(lambda unit, times: unit * times, st.binary(min_size=1, max_size=3), st.integers(1, 3_000))
    ends = st.sampled_from([b"\n", b"\r", b"\r\n", b"\n\r"])
    pieces = st.lists(slices | ends | st.binary(max_size=12) | repeated, max_size=12)

    class WireTests(SynchronousTestCase):
        def wire(self) -> Connection:
            return game_type.hosted().connection(game_type.settings())

        @settings(deadline=None, max_examples=60)
        @given(pieces)
        def test_whatever_a_client_sends_is_understood_or_refused(self, data: list[bytes]) -> None:
            """Whole or byte by byte, data gives the same events or the same RemoteProtocolError, and no other error."""
            text = b"".join(data)
            whole = understood(self.wire(), [text] if text else [])
            self.assertEqual(understood(self.wire(), [bytes([byte]) for byte in text]), whole)
            self.assertEqual(understood(self.wire(), [piece for piece in data if piece]), whole)
            self.assertEqual(one_by_one(self.wire(), text), whole)

        def test_what_the_players_say_is_understood(self) -> None:
            for text in spoken():
                events, error = understood(self.wire(), [text])
                again, _ = one_by_one(self.wire(), text)
                self.assertEqual([type(event) for event in again], [type(event) for event in events])
                self.assertEqual(error, "")
                self.assertTrue(events)

        def test_a_flood_without_sense_is_refused(self) -> None:
            """Memory is bounded: a message without an end is an error eventually."""
            self.assertTrue(understood(self.wire(), [b"x" * 65_536] * 256)[1])

    return _named(WireTests, game_type)


def _named(case: type[SynchronousTestCase], game_type: GameType) -> type[SynchronousTestCase]:
    case.__name__ = case.__qualname__ = f"{game_type.kind.capitalize()}{case.__name__}"
    case.__module__ = __name__
    return case


# Hypothesis refuses a test that classes share by inheritance, so each game has classes of its own.
for _make in (game_tests, match_tests, rule_tests, wire_tests):
    for _game_type in game_types().values():
        _case = _make(_game_type)
        globals()[_case.__name__] = _case
del _make, _game_type, _case
