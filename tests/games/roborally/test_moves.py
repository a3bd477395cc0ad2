"""The notation of moves. Source: gamed/games/roborally/rules/moves.py."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import InvalidMove
from gamed.games.roborally.rules.elements import Direction
from gamed.games.roborally.rules.moves import Deal, Facing, Leave, Move, Program, Repairs, StayDown, parse, to_notation

EXAMPLES: dict[str, Move] = {
    "N": Facing(Direction.N),
    "E": Facing(Direction.E),
    "S": Facing(Direction.S),
    "W": Facing(Direction.W),
    "4,1,9,2,8": Program((4, 1, 9, 2, 8)),
    "4,1,9,2,8 down": Program((4, 1, 9, 2, 8), power_down=True),
    "7": Program((7,)),
    "-": Program(()),
    "- down": Program((), power_down=True),
    "stay": StayDown(stays=True),
    "wake": StayDown(stays=False),
    "open 3,5": Repairs((3, 5)),
    "open -": Repairs(()),
    "leave": Leave(),
    "deal 79,7,8": Deal((79, 7, 8)),
    "deal -": Deal(()),
}

NUMBERS = st.lists(st.integers(0, 255), max_size=12).map(tuple)
MOVES: st.SearchStrategy[Move] = st.one_of(
    st.builds(Facing, st.sampled_from(Direction)),
    st.builds(Program, NUMBERS, st.booleans()),
    st.builds(StayDown, st.booleans()),
    st.builds(Repairs, NUMBERS),
    st.builds(Leave),
    st.builds(Deal, NUMBERS),
)


class NotationTests(SynchronousTestCase):
    def test_examples(self) -> None:
        self.assertEqual({to_notation(move): move for move in EXAMPLES.values()}, EXAMPLES)
        self.assertEqual({text: parse(text) for text in EXAMPLES}, EXAMPLES)

    @given(MOVES)
    @settings(deadline=None, max_examples=150)
    def test_spelled_and_parsed(self, move: Move) -> None:
        self.assertEqual(parse(to_notation(move)), move)

    @given(MOVES, MOVES)
    @settings(deadline=None, max_examples=150)
    def test_different_moves_are_spelled_differently(self, one: Move, other: Move) -> None:
        self.assertEqual(to_notation(one) == to_notation(other), one == other)

    def test_what_is_no_move(self) -> None:
        for text in (
            "",
            " ",
            "n",
            "O",
            "NE",
            "1,",
            ",1",
            "1,,2",
            "1, 2",
            "01",
            "+1",
            "256",
            "1 2",
            "1,2 up",
            "1,2  down",
            "down",
            "--",
            "-,1",
            "open",
            "open ",
            "open 3,5 down",
            "deal",
            "deal x",
            "Leave",
            "leave\n",
            "1\n",
            "\u0661",
        ):
            error = self.assertRaises(InvalidMove, parse, text)
            self.assertEqual(error.code, "notation", text)

    @given(st.text(alphabet="NESW-,0123456789 downstaywkeplv", max_size=20) | st.text(max_size=20))
    @settings(deadline=None, max_examples=200)
    def test_any_text_is_a_move_or_invalid(self, text: str) -> None:
        try:
            move = parse(text)
        except InvalidMove:
            return
        self.assertEqual(to_notation(move), text)
