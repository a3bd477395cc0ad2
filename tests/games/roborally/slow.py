"""A second implementation of the register phase for the tests: slow, and as the rules are worded.

Source: docs/specs/roborally.md#4-the-game. It asks the board alone, and shares nothing with the engine but the deck.
"""

from __future__ import annotations

from collections.abc import Iterator

from attrs import define, field

from gamed.games.roborally.rules.board import Belt, Board, Gear, Laser, Pit, Pusher, Repair
from gamed.games.roborally.rules.cards import ACTIONS
from gamed.games.roborally.rules.elements import Direction, Place

N, E, S, W = Direction
AHEAD = {N: (0, 1), E: (1, 0), S: (0, -1), W: (-1, 0)}
RIGHT = {N: E, E: S, S: W, W: N}
LEFT = {E: N, S: E, W: S, N: W}
BACK = {N: S, E: W, S: N, W: E}


@define
class Bot:
    """A robot of the slow engine."""

    x: int
    y: int
    d: Direction
    archive: Place
    cards: list[int]
    damage: int = 0
    lives: int = 3
    flag: int = 1
    locked: set[int] = field(factory=set)
    active: bool = True
    virtual: bool = False
    dead: bool = False

    @property
    def at(self) -> Place:
        return (self.x, self.y)

    def die(self) -> None:
        self.dead, self.damage, self.lives = True, 10, self.lives - 1
        self.locked, self.active, self.virtual = set(), True, False
        self.x, self.y = self.archive

    def hurt(self, points: int) -> None:
        """One point after the other: from the fifth on each one locks the highest open register."""
        for _ in range(points):
            self.damage += 1
            if self.damage == 10:
                self.die()
                return
            if self.damage > 4:
                self.locked.add(max({1, 2, 3, 4, 5} - self.locked))


@define
class Slow:
    """A board with robots on it."""

    board: Board
    flags: tuple[Place, ...]
    bots: list[Bot]

    def real(self) -> list[Bot]:
        return [bot for bot in self.bots if not bot.dead and not bot.virtual]

    def standing(self) -> list[Bot]:
        return [bot for bot in self.bots if not bot.dead]

    def real_at(self, place: Place) -> Bot | None:
        found = [bot for bot in self.real() if bot.at == place]
        assert len(found) < 2
        return found[0] if found else None

    def is_pit(self, place: Place) -> bool:
        return isinstance(self.board.floor(*place), Pit)

    def beside(self, place: Place, d: Direction) -> Place:
        dx, dy = AHEAD[d]
        return (place[0] + dx, place[1] + dy)

    def is_inside(self, place: Place) -> bool:
        return 1 <= place[0] <= self.board.width and 1 <= place[1] <= self.board.height

    def put(self, bot: Bot, place: Place) -> None:
        bot.x, bot.y = place
        if self.is_pit(place):
            bot.die()

    # B

    def cards(self, k: int) -> None:
        players = [bot for bot in self.bots if bot.active and not bot.dead]
        for bot in sorted(players, key=lambda bot: bot.cards[k - 1], reverse=True):
            if not bot.dead:
                self.card(bot, bot.cards[k - 1])

    def card(self, bot: Bot, card: int) -> None:
        action = ACTIONS[card].value
        if action == "RL":
            bot.d = LEFT[bot.d]
        elif action == "RR":
            bot.d = RIGHT[bot.d]
        elif action == "UT":
            bot.d = BACK[bot.d]
        else:
            d = BACK[bot.d] if action == "BU" else bot.d
            for _ in range({"BU": 1, "M1": 1, "M2": 2, "M3": 3}[action]):
                if bot.dead or not self.shove(bot, d):
                    return

    def shove(self, bot: Bot, d: Direction) -> bool:
        """Move a robot by one step after those before it have been moved; whether all can was looked up before."""
        if not self.can_go(bot, d):
            return False
        there = self.beside(bot.at, d)
        other = None if bot.virtual else self.real_at(there)
        if other is not None:
            self.shove(other, d)
        self.put(bot, there)
        return True

    def can_go(self, bot: Bot, d: Direction) -> bool:
        if self.board.is_walled(*bot.at, d):
            return False
        other = None if bot.virtual else self.real_at(self.beside(bot.at, d))
        return other is None or self.can_go(other, d)

    # C

    def simultaneous(self, intents: list[tuple[Bot, Direction]], *, pushes: bool, turns: bool) -> None:
        moves = [(bot, d) for bot, d in intents if bot.virtual and not self.board.is_walled(*bot.at, d)]
        left = [(bot, d) for bot, d in intents if not bot.virtual]
        while True:
            bad = self.first_bad(left, pushes=pushes)
            if not bad:
                break
            left = [pair for pair in left if not any(pair[0] is bot for bot in bad)]
        for bot, d in left:
            row = self.row(bot, d, left, pushes=pushes)
            assert row is not None
            moves += [(member, d) for member in row]
        for bot, d in moves:
            bot.x, bot.y = self.beside(bot.at, d)
        for bot, d in moves:
            floor = self.board.floor(*bot.at)
            if turns and isinstance(floor, Belt):
                entries = [turn for side, turn in floor.turns if side is BACK[d]]
                if entries:
                    bot.d = LEFT[bot.d] if entries[0] == "L" else RIGHT[bot.d]
        for bot in self.standing():
            if self.is_pit(bot.at):
                bot.die()

    def row(self, bot: Bot, d: Direction, left: list[tuple[Bot, Direction]], *, pushes: bool) -> list[Bot] | None:
        row = [bot]
        while True:
            if self.board.is_walled(*row[-1].at, d):
                return None
            other = self.real_at(self.beside(row[-1].at, d))
            if other is None or any(other is mover for mover, _ in left):
                return row
            if not pushes:
                return None
            row.append(other)

    def first_bad(self, left: list[tuple[Bot, Direction]], *, pushes: bool) -> list[Bot]:
        """Return what the first of the rules 1, 3 and 4 deletes that deletes anything."""
        rows = [(bot, d, self.row(bot, d, left, pushes=pushes)) for bot, d in left]
        impossible = [bot for bot, _, row in rows if row is None]
        if impossible:
            return impossible
        whole = [(bot, d, row) for bot, d, row in rows if row is not None]
        sharing = [
            bot
            for bot, _, row in whole
            for other, _, another in whole
            if other is not bot and any(member is its for member in row for its in another)
        ]
        if sharing:
            return sharing
        after = [(bot, bot.at) for bot in self.real()]
        for _, d, row in whole:
            after = [
                (bot, self.beside(bot.at, d) if any(bot is member for member in row) else place) for bot, place in after
            ]
        bad = []
        for bot, _, row in whole:
            for member in row:
                goal = next(place for its, place in after if its is member)
                same = [its for its, place in after if its is not member and place == goal and not self.is_pit(goal)]
                swapped = [its for its, place in after if its is not member and its.at == goal and place == member.at]
                if same or swapped:
                    bad.append(bot)
        return bad

    def belts(self, *, express: bool) -> None:
        found = [(bot, self.board.floor(*bot.at)) for bot in self.standing()]
        intents = [
            (bot, floor.direction)
            for bot, floor in found
            if isinstance(floor, Belt) and (floor.speed == 2 or not express)
        ]
        self.simultaneous(intents, pushes=False, turns=True)

    def pushers(self, k: int) -> None:
        intents = []
        for bot in self.standing():
            devices = [(side, self.board.device(*bot.at, side)) for side in Direction]
            active = [side for side, its in devices if isinstance(its, Pusher) and k in its.phases]
            if len(active) == 1:
                intents.append((bot, BACK[active[0]]))
        self.simultaneous(intents, pushes=True, turns=False)

    def gears(self) -> None:
        for bot in self.standing():
            floor = self.board.floor(*bot.at)
            if isinstance(floor, Gear):
                bot.d = LEFT[bot.d] if floor.direction == "L" else RIGHT[bot.d]

    def crushers(self, k: int) -> None:
        for bot in self.standing():
            floor = self.board.floor(*bot.at)
            if isinstance(floor, Belt) and k in floor.crush:
                bot.die()

    # D and E

    def ray(self, place: Place, d: Direction) -> Iterator[Place]:
        """Yield the places from `place` on to the first wall or the edge."""
        while self.is_inside(place):
            yield place
            if self.board.is_walled(*place, d):
                return
            place = self.beside(place, d)

    def lasers(self) -> None:
        hits: list[tuple[Bot, int]] = []
        for place in self.board.floors:
            for side in Direction:
                device = self.board.device(*place, side)
                if isinstance(device, Laser):
                    path = list(self.ray(place, BACK[side]))
                    first = [bot for at in path if (bot := self.real_at(at)) is not None][:1]
                    ghosts = [bot for bot in self.standing() if bot.virtual and bot.at in path]
                    hits += [(bot, device.strength) for bot in first + ghosts]
        for bot in self.real():
            if bot.active:
                path = list(self.ray(bot.at, bot.d))[1:]
                hits += [(other, 1) for at in path if (other := self.real_at(at)) is not None][:1]
        for bot in self.bots:
            points = sum(strength for its, strength in hits if its is bot)
            bot.hurt(points)

    def touch(self) -> None:
        for bot in self.standing():
            if bot.at in self.flags or isinstance(self.board.floor(*bot.at), Repair):
                bot.archive = bot.at
            if bot.at in self.flags and self.flags.index(bot.at) == bot.flag:
                bot.flag += 1
