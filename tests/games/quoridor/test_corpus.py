"""The real client's own answers: where pawns may go and what walls player 1 may put, in 937 positions.

Source: docs/specs/quoridor.md#recorded-data.
"""

from __future__ import annotations

from attrs import evolve
from twisted.trial.unittest import SynchronousTestCase

from gamed.games.quoridor.moves import PawnMove, Wall, xy
from gamed.games.quoridor.rules import STARTS, State, destinations
from gamed.games.quoridor.walls import Walls, bits
from tests.games.quoridor.positions import RULES, as_slow, corpus

ENTRIES = list(corpus())


def steps(state: State, player: int) -> set[tuple[int, int]]:
    return {xy(cell) for cell in bits(destinations(state, player - 1))}


class CorpusTests(SynchronousTestCase):
    def test_it_is_complete(self) -> None:
        self.assertEqual([sum(entry.state.players == players for entry in ENTRIES) for players in (2, 4)], [627, 310])
        self.assertEqual(sum(bool(entry.places) for entry in ENTRIES), 651)

    def test_pawns_go_where_the_client_lets_them_go(self) -> None:
        for number, entry in enumerate(ENTRIES):
            for player, cells in entry.moves.items():
                self.assertEqual(steps(entry.state, player), set(cells), (number, player))

    def test_walls_are_put_where_the_client_lets_player_1_put_them(self) -> None:
        for number, entry in enumerate(ENTRIES):
            found = [move for move in RULES.legal_moves(entry.state, 0) if isinstance(move, Wall)]
            self.assertEqual(len(set(found)), len(found))
            self.assertEqual(set(found), set(entry.places), number)

    def test_the_slow_rules_agree_as_well(self) -> None:
        for number, entry in enumerate(ENTRIES):
            for player, cells in entry.moves.items():
                self.assertEqual(as_slow(entry.state).steps(player), set(cells), (number, player))

    def test_a_cell_that_is_reached_in_two_ways_is_told_once(self) -> None:
        twice = [entry for entry in ENTRIES if any(len(set(cells)) < len(cells) for cells in entry.moves.values())]
        self.assertEqual(len(twice), 2)
        for entry in twice:
            for seat in range(entry.state.players):
                state = evolve(entry.state, mover=seat)
                found = [move for move in RULES.legal_moves(state, seat) if isinstance(move, PawnMove)]
                self.assertEqual(len(set(found)), len(found))

    def test_pawns_on_their_first_cells_are_stopped_by_walls_there_as_anywhere(self) -> None:
        # The client as it is lets a pawn that has not moved walk through walls; the corpus's pawns all have moved.
        told_apart = 0
        for entry in ENTRIES:
            for seat, cell in enumerate(entry.state.pawns):
                if cell == STARTS[seat]:
                    through = steps(evolve(entry.state, walls=Walls()), seat + 1)
                    told_apart += through != set(entry.moves[seat + 1])
        self.assertEqual(told_apart, 15)
