"""Games that the official server's code played: its legal moves, points and ends, and its words for what it refuses.

The recorded file has a line for each position (turn, colour, colours in the game, points of both sides, whether it is
over, how many legal moves there are, and a digest of the fields that they cover), attempted move with the official
text, and move.
"""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import IllegalMove
from gamed.core.game import CHANCE
from gamed.games.softwarechallenge.seasons.blokus.moves import SetMove, described, parse
from gamed.games.softwarechallenge.seasons.blokus.position import State
from gamed.games.softwarechallenge.seasons.blokus.rules import UNNAMED, Blokus, is_over

BLOKUS = Blokus()
RECORDED = Path(__file__).parent / "recorded" / "official_rules.txt"


def digest(state: State) -> str:
    """Return the number of legal moves, and a digest of their fields, each written as y * 20 + x."""
    moves = [move for move in BLOKUS.legal_moves(state, state.mover) if isinstance(move, SetMove)]
    covered = sorted(".".join(map(str, sorted(20 * y + x for x, y in move.places()))) for move in moves)
    return f"{len(covered)} {sha256(' '.join(covered).encode()).hexdigest()[:12]}"


def refusal(state: State, text: str) -> str:
    """Return the official text for a move in our notation; "" if it is legal."""
    move = parse(text)
    try:
        BLOKUS.apply(state, state.mover, move)
    except IllegalMove as error:
        return str(error) if error.code in UNNAMED else f"{error} bei '{described(move)}'"
    return ""


class OfficialRulesTests(SynchronousTestCase):
    def test_recorded_games(self) -> None:
        seen: Counter[str] = Counter()
        state = BLOKUS.setup({})
        for line in RECORDED.read_text().splitlines():
            kind, _, rest = line.partition(" ")
            if kind == "START":
                state = BLOKUS.apply(BLOKUS.setup({}), CHANCE, parse(line))
            elif kind == "P":
                turn, color, playing, first, second, over, listed = rest.split(" ", 6)
                self.assertEqual((state.turn, state.color), (int(turn), int(color)))
                self.assertEqual(state.playing, tuple(map(int, playing)))
                self.assertEqual((state.team_points(0), state.team_points(1)), (int(first), int(second)), turn)
                self.assertEqual(is_over(state), over == "true", turn)
                if not is_over(state):
                    self.assertEqual(digest(state), listed, turn)
                elif state.playing:
                    seen["ended with a round"] += 1
                seen["positions"] += 1
            elif kind == "T":
                move, _, text = rest.partition("\t")
                self.assertEqual(refusal(state, move), text, move)
                seen[text.partition(" bei '")[0]] += 1
            else:
                state = BLOKUS.apply(state, state.mover, parse(rest))
                seen["placed all"] += 0 in state.left
        self.assertGreater(seen["positions"], 400)
        self.assertGreater(seen["placed all"], 0)
        self.assertGreater(seen["ended with a round"], 0)
        self.assertEqual(len(seen), 3 + 1 + 9, "each text occurs, and a legal move")
