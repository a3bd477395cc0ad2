"""The rules of Battleship for the relay: shots, answers, and whether any fleet gives these answers.

The server never learns the fleets, so a state has what each side's answers have revealed of its own fleet.

Source: docs/reference/battleship.md#the-referee, docs/reference/battleship.md#messages.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from random import Random

from attrs import frozen

from gamed.core.errors import IllegalMove, InvalidMove, NotYourTurn, RuleError
from gamed.core.game import CHANCE, Options, Outcome, Seat, Termination
from gamed.core.refusals import Refusal
from gamed.games.battleship.fleet import FLEET, LAST_SUNK, SIZE, WATER, AnswerError, Sea, cells
from gamed.games.battleship.mistakes import due, expected, mistake, unanswered
from gamed.games.battleship.wire import Code, Command, Opcode, decode, plain

NOBODY: frozenset[Seat] = frozenset()
BOTH: frozenset[Seat] = frozenset({0, 1})
# Plain numbers, because reading a member of an enum costs more than the comparison that it is used for.
_FOUR = ord("4")
_ATTACK, _ANSWER = int(Opcode.ATTACK), int(Opcode.ANSWER)
_GIVES_UP = (LAST_SUNK,)
_NUMBERS = {_ATTACK: 2, _ANSWER: 3}
_ONLY = {seat: frozenset({seat}) for seat in (CHANCE, 0, 1)}


@frozen
class State:
    """A position."""

    attacker: Seat | None
    """The player who shoots in this turn; None: chance has not drawn the first one yet."""

    shot: int | None
    """The cell that waits for its answer; None: a shot is due."""

    seas: tuple[Sea | None, Sea | None]
    """What each side's answers have revealed of its own fleet; None: they were untrue."""

    winner: Seat | None = None
    is_strict: bool = False
    """Whether a second shot at a cell breaks the rules. The text does not say so, but both original clients stop after
    one, so an enforcing referee must not forward it."""

    misled: frozenset[Seat] = NOBODY
    """The seats whose next line sets the state of the turn. A line before it broke a rule, and the server cannot know
    how the clients interpreted that."""


class Battleship:
    """The rules, as a `RelayedGame`. A move is a `Command`; chance's move is the seat that attacks first."""

    def setup(self, options: Options) -> State:
        """Return the state before the first shot.

        Options: `roles` ("first-defends", "random"), `corner_contact`, `repeated_shots` ("lose", or left out).
        """
        first = None if options["roles"] == "random" else 1
        return _start(first, bool(options["corner_contact"]), options.get("repeated_shots") == "lose")

    def to_move(self, state: State) -> frozenset[Seat]:
        """Return the player who is to shoot or to answer."""
        if state.winner is not None:
            return NOBODY
        if state.attacker is None:
            return _ONLY[CHANCE]
        return _ONLY[state.attacker if state.shot is None else 1 - state.attacker]

    def legal_moves(self, state: State, seat: Seat) -> Iterable[Command]:
        """Yield the shots or the answers that `seat` may send now."""
        if seat not in self.to_move(state) or seat == CHANCE:
            return
        cells_and_codes: Iterable[tuple[int, ...]] = ((cell % SIZE, cell // SIZE) for cell in range(SIZE * SIZE))
        if state.shot is not None:
            cells_and_codes = ((state.shot % SIZE, state.shot // SIZE, int(code)) for code in Code)
        for numbers in cells_and_codes:
            move = Command(_ATTACK if state.shot is None else _ANSWER, numbers)
            try:
                self.apply(state, seat, move)
            except RuleError:
                continue
            yield move

    def draw(self, _state: State, random: Random) -> Seat:
        """Return the seat that attacks first."""
        return random.randrange(2)

    def apply(self, state: State, seat: Seat, move: Command | Seat) -> State:
        """Return the state after a command. Raises RuleError; its code names the finding."""
        if not isinstance(move, tuple):
            return State(move, None, state.seas, is_strict=state.is_strict)
        if state.winner is not None:
            raise NotYourTurn("the game is over")
        try:
            return self._attacked(state, seat, move) if state.shot is None else self._answered(state, seat, move)
        except AnswerError:
            raise
        except RuleError:
            if seat not in state.misled:
                raise
            return self._resumed(state, seat, move)

    def _attacked(self, state: State, seat: Seat, move: Command) -> State:
        if seat != state.attacker:
            raise NotYourTurn("the other side is to shoot")
        if move.opcode != _ATTACK:
            raise IllegalMove(f"opcode {move.opcode} where a shot (1) is due", code="wrong-opcode")
        return self._shot(state, seat, _cell(move))

    def _shot(self, state: State, seat: Seat, cell: int) -> State:
        sea = state.seas[1 - seat]
        if state.is_strict and sea is not None and sea.known >> cell & 1:
            raise IllegalMove(f"{_name(cell)} was shot at before", code="repeated-shot")
        return State(seat, cell, state.seas, is_strict=state.is_strict)

    def _resumed(self, state: State, seat: Seat, move: Command) -> State:
        """Return the state after a misled seat's line, which says by itself what the turn is. Raises RuleError."""
        try:
            cell = _cell(move)
        except RuleError:
            if move.opcode != _ANSWER:
                raise
            # This answers a shot that was wrong, too.
            return State(seat, None, state.seas, is_strict=state.is_strict)
        if move.opcode == _ATTACK:
            return self._shot(state, seat, cell)
        if not WATER <= move.numbers[2] <= LAST_SUNK:
            raise _unknown_code(move)
        sea = state.seas[seat]
        return self._after_answer(
            state, seat, move.numbers[2], None if sea is None else sea.answered(cell, move.numbers[2])
        )

    def _answered(self, state: State, seat: Seat, move: Command) -> State:
        if seat == state.attacker:
            raise NotYourTurn("the other side is to answer first")
        if move.opcode != _ANSWER:
            raise IllegalMove(f"opcode {move.opcode} where an answer (2) is due", code="wrong-opcode")
        cell = _cell(move)
        if cell != state.shot:
            raise IllegalMove(f"answers for another cell than was shot at: {_name(state.shot)}", code="other-cell")
        code = move.numbers[2]
        if not WATER <= code <= LAST_SUNK:
            raise _unknown_code(move)
        sea = state.seas[seat]
        return self._after_answer(state, seat, code, None if sea is None else sea.answered(cell, code))

    def _after_answer(self, state: State, seat: Seat, code: int, sea: Sea | None) -> State:
        seas = (sea, state.seas[1]) if seat == 0 else (state.seas[0], sea)
        return State(seat, None, seas, 1 - seat if code == LAST_SUNK else None, state.is_strict)

    def outcome(self, state: State) -> Outcome | None:
        """Return the victory after a fleet is sunk."""
        return None if state.winner is None else Outcome(Termination.VICTORY, state.winner)

    def view(self, state: State, _seat: Seat | None) -> object:
        """Return both boards as far as the answers reveal them. The server knows no more than a spectator.

        * `attacker`: the seat that shoots in this turn
        * `shot`: the cell [x, y] that waits for its answer, or None
        * `boards`: by seat, what its answers have revealed (see `revealed`); None if they were untrue
        * `winner`: the winner's seat, or None
        """
        return {
            "attacker": state.attacker,
            "shot": None if state.shot is None else [state.shot % SIZE, state.shot // SIZE],
            "boards": [None if sea is None else revealed(sea) for sea in state.seas],
            "winner": state.winner,
        }

    # The methods of `RelayedGame`

    def decode(self, body: bytes) -> Command | None:
        """Return the command of a line, or None."""
        return decode(body)

    def follow(self, state: State, lines: Sequence[tuple[Seat, bytes, int]]) -> State | None:
        """Return the state after legal lines, or None.

        A fleet that gives all answers gives each of them, so one search is enough for all lines.
        """
        if state.misled or state.is_strict:
            return None
        attacker, shot, winner = state.attacker, state.shot, state.winner
        with_answers: tuple[list[tuple[int, int]], list[tuple[int, int]]] = ([], [])
        for seat, body, _ in lines:
            told = _told(body)
            if told is None or winner is not None:
                return None
            cell, code = told
            if shot is None:
                if code or seat != attacker:
                    return None
                shot = cell
            elif cell == shot and code and seat != attacker:
                with_answers[seat].append(told)
                attacker, shot = seat, None
                winner = 1 - seat if code == LAST_SUNK else None
            else:
                return None
        try:
            seas = tuple(sea and sea.with_answers(with_answers[seat]) for seat, sea in enumerate(state.seas))
        except AnswerError:
            return None
        return State(attacker, shot, (seas[0], seas[1]), winner)

    def ends(self, body: bytes, seat: Seat) -> Outcome | None:
        """Return the outcome if the line is an answer with code 4: its sender has lost."""
        # This runs once a line, and four of five lines do not contain a 4. `in` finds an int seven times faster than
        # bytes.
        if _FOUR not in body:
            return None
        command = decode(body)
        if command is None or command.opcode != _ANSWER or command.numbers[2:] != _GIVES_UP:
            return None
        return Outcome(Termination.VICTORY, 1 - seat)

    def plain(self, body: bytes) -> bytes:
        """Return the line in the notation of the protocol's text."""
        return plain(body)

    def mistake(self, state: State, seat: Seat, body: bytes, error: RuleError) -> Refusal:
        """Return the refusal of a line that broke a rule."""
        return mistake(state, seat, body, error)

    def expected(self, state: State, seat: Seat, *, started: bool = True) -> str:
        """Return what a seat may send, for people."""
        return expected(state, seat, started=started)

    def due(self, state: State) -> str:
        """Return which player was to do what, for people."""
        return due(state)

    def unanswered(self, state: State, body: bytes, seconds: float) -> tuple[tuple[Seat, Refusal], ...]:
        """Return the refusal of a client that does not answer a shot."""
        return unanswered(state, body, seconds)

    def pardon(self, state: State, seat: Seat, move: Command | None, error: RuleError) -> State:
        """Return the state from which to judge on after a line that broke a rule. `move`: None if it was illegible.

        After an answer that no fleet gives, that fleet is not judged any longer. Any other wrong answer ends the turn,
        too, because the clients go on then. Any other line leaves the turn as it was. But the other client may have
        interpreted it differently, so its next line sets the state of the turn (`misled`). After an illegible line, the
        next line of either client does.
        """
        if isinstance(error, AnswerError) and move is not None:
            return self._after_answer(state, seat, move.numbers[2], None)
        attacker, shot = state.attacker, state.shot
        if move is not None and move.opcode == _ANSWER and shot is not None and seat != attacker:
            attacker, shot = seat, None
        misled = BOTH if move is None else _ONLY[1 - seat]
        return State(attacker, shot, state.seas, None, state.is_strict, misled)


@cache
def _start(first: Seat | None, corner_contact: bool, is_strict: bool) -> State:  # noqa: FBT001
    """Return the state before the first shot, which all rooms share."""
    sea = Sea.start(corner_contact=corner_contact)
    return State(first, None, (sea, sea), is_strict=is_strict)


# There are 500 different shots and answers, so all of them fit in the cache; see `decode`.
@lru_cache(1024)
def _told(line: bytes) -> tuple[int, int] | None:
    """Return an answer's cell and code, or a shot's cell and 0. None: the line is neither, or breaks a rule by itself.

    Nearly all lines are shots or answers. `_attacked` and `_answered` explain what is wrong with the others.
    """
    command = decode(line)
    if command is None or command.opcode not in _NUMBERS:
        return None
    numbers = command.numbers
    if len(numbers) != _NUMBERS[command.opcode] or not (-1 < numbers[0] < SIZE and -1 < numbers[1] < SIZE):
        return None
    cell = numbers[0] + SIZE * numbers[1]
    if command.opcode == _ATTACK:
        return cell, 0
    return (cell, numbers[2]) if WATER <= numbers[2] <= LAST_SUNK else None


def _cell(move: Command) -> int:
    count = _NUMBERS.get(move.opcode, 0)
    if not count:
        raise IllegalMove(f"opcode {move.opcode} is the server's", code="wrong-opcode")
    if len(move.numbers) != count:
        raise InvalidMove(f"opcode {move.opcode} takes {count} numbers, not {len(move.numbers)}", code="wrong-numbers")
    x, y = move.numbers[:2]
    if not (0 <= x < SIZE and 0 <= y < SIZE):
        raise IllegalMove(f"({x},{y}) is off the board", code="off-board")
    return x + SIZE * y


def _unknown_code(move: Command) -> IllegalMove:
    return IllegalMove(f"result code {move.numbers[2]} is not one of 1 to 4", code="unknown-code")


def _name(cell: int | None) -> str:
    assert cell is not None
    return f"({cell % SIZE},{cell // SIZE})"


def measures(state: State) -> Mapping[str, Sequence[int | None]]:
    """Return the `GameType.measures` of a state: the ships afloat, as far as the answers reveal them."""
    return {"afloat": [None if sea is None else len(revealed(sea)["afloat"]) for sea in state.seas]}


def revealed(sea: Sea) -> dict[str, list[int]]:
    """Return what is known of a sea, as data for JSON.

    `water`, `hits` (on ships afloat) and `sunk` are lists of cells, x + 10 * y. `afloat` has lengths of ships.
    """
    afloat = list(FLEET)
    for ship in sea.sunk:
        afloat.remove(ship.bit_count())
    masks = {"water": sea.water, "hits": sea.open_hits, "sunk": sum(sea.sunk)}
    return {**{name: list(cells(mask)) for name, mask in masks.items()}, "afloat": afloat}
