"""Ten administrators at once: a game never has two requests open, and never waits for one that was lost."""

from __future__ import annotations

from attrs import define
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from twisted.trial.unittest import SynchronousTestCase

from gamed.games.softwarechallenge import Settings
from gamed.games.softwarechallenge.seasons.hive.wire import SEASON
from gamed.games.softwarechallenge.table import SeasonTable
from tests.games.softwarechallenge.harness import PASSWORD, Client, SeasonHarness, slot

ADMINISTRATORS = 10
REQUEST = b'class="sc.framework.plugins.protocol.MoveRequest"'
SLOTS = (slot("p1", can_timeout=False), slot("p2", can_timeout=False))

administrators = st.integers(0, ADMINISTRATORS - 1)
rooms = st.integers(0, 1)


@define(eq=False)
class Game:
    """A room with its players, and how many of its requests they have answered."""

    room: str
    table: SeasonTable
    players: tuple[Client, Client]
    is_held: bool = False
    answered: int = 0

    @property
    def asked(self) -> int:
        """How many requests have been sent."""
        return sum(player.stream.count(REQUEST) for player in self.players)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.table.outcome is not None

    def answer(self, choice: int) -> None:
        """Have the player that was asked last move."""
        game = self.table.game
        (seat,) = game.to_move(self.table.state)
        moves = game.legal_moves(self.table.state, seat)
        data = SEASON.echo(moves[choice % len(moves)]).replace("lastMove", "data")
        self.answered += 1
        self.players[seat].move(data, self.room)


class Administrators(RuleBasedStateMachine):
    @initialize()
    def prepare(self) -> None:
        self.harness = SeasonHarness(Settings(password=PASSWORD, messages_per_second=10_000.0))
        self.administrators = [self.harness.admin() for _ in range(ADMINISTRATORS)]
        self.games = [self.prepared(administrator) for administrator in self.administrators[:2]]

    def prepared(self, administrator: Client) -> Game:
        room, codes = administrator.prepare(*SLOTS)
        players = (self.harness.connect(), self.harness.connect())
        for player, code in zip(players, codes, strict=True):
            player.take(code)
        return Game(room, self.harness.tables[-1], players)

    def says(self, administrator: int, game: int, request: str, more: str = "") -> None:
        found = self.games[game]
        if not found.is_over:
            self.administrators[administrator].send(f'<{request} roomId="{found.room}"{more}/>')

    @rule(administrator=administrators, game=rooms)
    def observe(self, administrator: int, game: int) -> None:
        self.says(administrator, game, "observe")

    @rule(administrator=administrators, game=rooms)
    def pause(self, administrator: int, game: int) -> None:
        self.says(administrator, game, "pause", ' pause="true"')
        self.games[game].is_held = True

    @rule(administrator=administrators, game=rooms)
    def go_on(self, administrator: int, game: int) -> None:
        self.says(administrator, game, "pause", ' pause="false"')
        self.games[game].is_held = False

    @rule(administrator=administrators, game=rooms, forced=st.booleans())
    def step(self, administrator: int, game: int, forced: bool) -> None:
        self.says(administrator, game, "step", ' forced="true"' if forced else "")
        self.assert_asked(self.games[game])

    @rule(first=administrators, second=administrators, game=rooms)
    def at_once(self, first: int, second: int, game: int) -> None:
        """Let two act in the same turn of the reactor, one of them twice."""
        room = self.games[game].room
        if self.games[game].is_over:
            return
        hold, let_go = (f'<pause roomId="{room}" pause="{value}"/>'.encode() for value in ("true", "false"))
        step = f'<step roomId="{room}"/>'.encode()
        self.administrators[first].feed(hold + let_go)
        self.administrators[second].feed(hold + step + step)
        self.harness.turn()
        self.games[game].is_held = True
        self.assert_asked(self.games[game])

    @rule(administrator=administrators, game=rooms)
    def leave(self, administrator: int, game: int) -> None:
        self.says(administrator, game, "observe")
        self.administrators[administrator].reset()
        self.administrators[administrator] = self.harness.admin()

    @precondition(lambda self: any(game.asked > game.answered and not game.is_over for game in self.games))
    @rule(choice=st.integers(0, 500))
    def move(self, choice: int) -> None:
        waiting = [game for game in self.games if game.asked > game.answered and not game.is_over]
        waiting[choice % len(waiting)].answer(choice)

    def assert_asked(self, game: Game) -> None:
        assert game.is_over or game.asked == game.answered + 1, "a request was lost"

    @invariant()
    def never_two(self) -> None:
        for game in getattr(self, "games", ()):
            assert game.asked - game.answered <= 1, "two requests are open"
            if not game.is_held:
                self.assert_asked(game)

    def teardown(self) -> None:
        for game in getattr(self, "games", ()):
            if not game.is_over:
                self.administrators[0].send(f'<pause roomId="{game.room}" pause="false"/>')
            while not game.is_over:
                self.assert_asked(game)
                game.answer(game.answered * 7)
            assert b"</protocol>" in game.players[0].stream
            assert game.table.outcome.termination in ("victory", "draw")


class CrowdTests(SynchronousTestCase):
    def test_whatever_they_do_in_whatever_order(self) -> None:
        machine = Administrators.TestCase
        # Not shrunk: each example ends with two whole games.
        phases = (Phase.explicit, Phase.generate)
        machine.settings = settings(deadline=None, max_examples=25, stateful_step_count=30, phases=phases)
        machine("runTest").runTest()
