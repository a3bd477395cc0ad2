"""SGF in and out."""

from __future__ import annotations

import gc

from hypothesis import given, settings
from twisted.trial.unittest import SynchronousTestCase

from gamed.games.go import gofans, sgf
from gamed.games.go.convert import convert
from gamed.games.go.sgf_values import SgfError
from gamed.games.go.tree import GoGame, Node, Player, Point, Stone
from tests.records import corpus
from tests.records.gogames import BLACK, WHITE, captured, legal_games, line, plain, read_sgf, record

GAME = b"""(;FF[4]GM[1]CA[UTF-8]SZ[9]
GN[An example]EV[Club]DT[2026-11-21]PC[Erlangen]RU[Japanese]GC[A remark]
PB[Kuro]BR[3d]PW[Shiro]WR[2d]KM[6.5]HA[2]RE[B+3.5]AB[gc][cg]
;W[ee]C[the centre];B[eg]
(;W[ge];B[])
(;W[gg]C[or so])
(;W[ce];B[cc];W[tt]))
"""


def one(text: str) -> tuple[GoGame, list[str]]:
    """Return the only game of a text and what is said of it."""
    ((game, notes),) = read_sgf(text.encode())
    return game, notes


def moves(game: GoGame) -> list[tuple[int, Point | None]]:
    """Return the main line."""
    return [(node.player, node.point) for node in game.main_line()]


def tree(game: GoGame) -> list[tuple[int, int, Point | None, str | None]]:
    """Return all moves."""
    return [(depth, node.player, node.point, node.comment) for depth, node in game.walk()]


def points(result: str) -> list[float | None]:
    """Return the points of black and white for a result."""
    return [player.points for player in one(f"(;RE[{result}])")[0].players]


class ReadTests(SynchronousTestCase):
    def test_the_header(self) -> None:
        ((game, notes),) = read_sgf(GAME)
        self.assertEqual(notes, [])
        self.assertEqual((game.size, game.komi, game.handicap), (9, 6.5, 2))
        self.assertEqual((game.title, game.event, game.date), ("An example", "Club", "2026-11-21"))
        self.assertEqual((game.place, game.rules, game.comment), ("Erlangen", "Japanese", "A remark"))
        self.assertEqual(game.players, (Player(0, "Kuro", "3d", "black", 3.5), Player(1, "Shiro", "2d", "white", 0)))
        self.assertEqual(game.setup, (Stone(Point(7, 3), "black"), Stone(Point(3, 7), "black")))

    def test_moves_and_variations(self) -> None:
        ((game, _),) = read_sgf(GAME)
        self.assertEqual(
            tree(game),
            [
                (0, 1, Point(5, 5), "the centre"),
                (1, 0, Point(5, 7), None),
                (2, 1, Point(7, 5), None),
                (3, 0, None, None),
                (2, 1, Point(7, 7), "or so"),
                (2, 1, Point(3, 5), None),
                (3, 0, Point(3, 3), None),
                (4, 1, None, None),
            ],
        )
        self.assertEqual([node.color for node in game.main_line()], ["white", "black", "white", None])

    def test_what_is_left_out_is_none(self) -> None:
        game, notes = one("(;)")
        self.assertEqual(plain(game), plain(GoGame(19, (BLACK, WHITE))))
        self.assertEqual(notes, [])
        empty, notes = one("(;GN[]PB[]RE[]KM[]HA[]C[]GC[]SZ[])")
        self.assertEqual((plain(empty), notes), (plain(game), []))

    def test_several_games_in_a_file(self) -> None:
        games = read_sgf(b"junk (;SZ[9];B[aa]) between\n(;SZ[13]TR[aa];B[bb];W[cc]) after")
        self.assertEqual([game.size for game, _ in games], [9, 13])
        self.assertEqual([moves(game) for game, _ in games], [[(0, Point(1, 1))], [(0, Point(2, 2)), (1, Point(3, 3))]])
        self.assertEqual([notes for _, notes in games], [[], ["TR is left out"]])

    def test_passes(self) -> None:
        self.assertEqual(moves(one("(;SZ[19];B[tt];W[])")[0]), [(0, None), (1, None)])
        self.assertEqual(moves(one("(;SZ[21];B[tt];W[])")[0]), [(0, Point(20, 20)), (1, None)])

    def test_large_boards(self) -> None:
        self.assertEqual(moves(one("(;SZ[52];B[aA];W[ZZ])")[0]), [(0, Point(1, 27)), (1, Point(52, 52))])

    def test_rectangles_of_stones(self) -> None:
        game, _ = one("(;SZ[9]AB[aa:cb]AW[ii])")
        black = {(stone.point.x, stone.point.y) for stone in game.setup if stone.color == "black"}
        self.assertEqual(black, {(x, y) for x in (1, 2, 3) for y in (1, 2)})
        self.assertEqual([stone.point for stone in game.setup if stone.color == "white"], [Point(9, 9)])

    def test_stones_before_the_first_move_are_setup_wherever_they_stand(self) -> None:
        game, notes = one("(;SZ[9]AB[aa];AB[bb]AW[cc];B[dd])")
        self.assertEqual([tuple(stone.point) for stone in game.setup], [(1, 1), (2, 2), (3, 3)])
        self.assertEqual((moves(game), notes), ([(0, Point(4, 4))], []))

    def test_a_move_in_the_first_node(self) -> None:
        game, _ = one("(;SZ[9]B[aa]C[here];W[bb])")
        self.assertEqual(tree(game), [(0, 0, Point(1, 1), "here"), (1, 1, Point(2, 2), None)])
        self.assertIsNone(game.comment)

    def test_old_names_of_properties(self) -> None:
        self.assertEqual(moves(one("(;SiZe[9];Black[aa];White[bb])")[0]), [(0, Point(1, 1)), (1, Point(2, 2))])


class ReportTests(SynchronousTestCase):
    """What GoFans cannot hold is said."""

    def assert_said(self, text: str, *sentences: str) -> GoGame:
        game, notes = one(text)
        self.assertEqual(notes, list(sentences))
        return game

    def test_each_property_once_with_its_count(self) -> None:
        self.assert_said(
            "(;AP[x]ST[2]BT[team];B[aa]TR[bb]BL[3];W[bb]TR[aa])",
            "AP is left out",
            "BL is left out",
            "BT is left out",
            "ST is left out",
            "TR is left out, 2 times",
        )

    def test_game_information_in_later_nodes(self) -> None:
        self.assert_said("(;;B[aa]PB[Kuro])", "PB is left out")

    def test_stones_set_up_later(self) -> None:
        game = self.assert_said("(;;B[aa];AW[bb]AE[aa];W[cc])", "AE is left out", "AW is left out")
        self.assertEqual(moves(game), [(0, Point(1, 1)), (1, Point(3, 3))])
        self.assertEqual(game.setup, ())

    def test_stones_of_a_variation(self) -> None:
        self.assertEqual(self.assert_said("(;(;AB[aa])(;AB[bb]))", "AB is left out, 2 times").setup, ())

    def test_points_that_are_emptied(self) -> None:
        game = self.assert_said("(;AB[aa][bb]AW[cc];AE[aa][cc];AW[cc:dd])")
        self.assertEqual(
            [(point.x, color) for point, color in game.setup], [(2, "black"), *[(3, "white")] * 2, *[(4, "white")] * 2]
        )
        self.assert_said("(;AB[aa];B[bb];AE[aa])", "AE is left out")

    def test_setup_in_an_only_child_of_the_root(self) -> None:
        for text in ("(;SZ[9](;AB[aa]AW[bb]PL[W];W[cc]))", "(;SZ[9];(;(;AB[aa]AW[bb];PL[W];W[cc](;B[dd])(;B[ee]))))"):
            game = self.assert_said(text)
            self.assertEqual(game.setup, (Stone(Point(1, 1), "black"), Stone(Point(2, 2), "white")))
            self.assertEqual(game.roots[0].point, (3, 3))

    def test_two_stones_on_a_point(self) -> None:
        game = self.assert_said("(;AB[aa]AW[aa])", "the setup has two stones on 1, 1; the second is left out")
        self.assertEqual(game.setup, (Stone(Point(1, 1), "black"),))

    def test_whose_turn_it_is_follows_from_the_first_move(self) -> None:
        self.assert_said("(;PL[W];W[aa])")
        self.assert_said("(;PL[white];W[aa])")
        self.assert_said("(;PL[W];B[aa])", "PL is left out")
        self.assert_said("(;PL[B])", "PL is left out")
        self.assert_said("(;PL[])", "PL is left out")

    def test_comments_of_nodes_without_a_move(self) -> None:
        said = "2 comments without a move were added to the move before, or to the game"
        game = self.assert_said("(;GC[a]C[b];C[c];B[aa]C[d];C[e];W[bb])", said)
        self.assertEqual(game.comment, "a\n\nb\n\nc")
        self.assertEqual(tree(game), [(0, 0, Point(1, 1), "d\n\ne"), (1, 1, Point(2, 2), None)])

    def test_one_comment(self) -> None:
        said = "1 comment without a move was added to the move before, or to the game"
        self.assertEqual(self.assert_said("(;;B[aa];C[e])", said).roots[0].comment, "e")

    def test_two_moves_in_a_node(self) -> None:
        said = "a node has a black and a white move: in GoFans one follows the other"
        game = self.assert_said("(;;W[aa]B[bb]C[both];W[cc])", said)
        self.assertEqual(
            tree(game), [(0, 1, Point(1, 1), None), (1, 0, Point(2, 2), "both"), (2, 1, Point(3, 3), None)]
        )

    def test_two_moves_of_one_colour_in_a_node(self) -> None:
        game = self.assert_said(
            "(;;B[aa][bb];W[cc])", "a node has 2 moves of one colour; all but the first are left out"
        )
        self.assertEqual(moves(game), [(0, Point(1, 1)), (1, Point(3, 3))])

    def test_each_sentence_once(self) -> None:
        self.assert_said(
            "(;;W[aa]B[bb];W[cc]B[dd])", "a node has a black and a white move: in GoFans one follows the other"
        )

    def test_numbers_that_are_none(self) -> None:
        game = self.assert_said(
            "(;KM[six]HA[two])", "KM[six] is left out: it is not a number", "HA[two] is left out: it is not a number"
        )
        self.assertEqual((game.komi, game.handicap), (None, None))

    def test_characters_that_xml_does_not_have(self) -> None:
        game = self.assert_said("(;GN[a\x01b])", "1 character of its texts replaced: XML does not allow them")
        self.assertEqual(game.title, "a\ufffdb")

    def test_a_main_line_that_ends_before_a_variation(self) -> None:
        said = "the main line ends where a variation begins; in GoFans it goes on with that variation"
        game = self.assert_said("(;;B[aa](;LB[bb:1])(;W[bb]))", said, "LB is left out")
        self.assertEqual(moves(game), [(0, Point(1, 1)), (1, Point(2, 2))])

    def test_results_without_points(self) -> None:
        for result in ("B+T", "W+Time", "B+F", "W+Forfeit", "Void", "B+", "B won", "B+many"):
            said = f"the result {result!r} is left out: GoFans can hold only points and resignations"
            game = self.assert_said(f"(;RE[{result}])", said)
            self.assertEqual([player.points for player in game.players], [None, None])


class ResultTests(SynchronousTestCase):
    def test_margins(self) -> None:
        self.assertEqual(points("B+3.5"), [3.5, 0])
        self.assertEqual(points("w+12 "), [0, 12])
        self.assertEqual(points("0"), [0, 0])
        self.assertEqual(points("Draw"), [0, 0])

    def test_not_known(self) -> None:
        self.assertEqual(points("?"), [None, None])

    def test_who_resigns_has_minus_one_and_passes(self) -> None:
        game, notes = one("(;RE[W+R];B[aa];W[bb])")
        self.assertEqual([player.points for player in game.players], [-1, None])
        self.assertEqual(moves(game), [(0, Point(1, 1)), (1, Point(2, 2)), (0, None)])
        self.assertEqual(notes, [])

    def test_the_formal_pass_is_not_written(self) -> None:
        for text in (
            "(;RE[W+Resign];B[aa];W[bb])",
            "(;RE[B+R];B[aa];W[])",
            "(;RE[B+R])",
            "(;RE[B+R];B[aa](;C[x])(;W[bb]))",
        ):
            game, _ = one(text)
            data, notes = sgf.write([game])
            self.assertEqual(notes, [])
            self.assertEqual(data.count(b";W["), text.count(";W["))
            self.assertEqual(plain(read_sgf(data)[0][0]), plain(game))

    def test_a_formal_pass_with_a_comment_keeps_it(self) -> None:
        game, _ = one("(;RE[B+R];B[aa])")
        game.roots[0].children[0].comment = "I resign"
        back, _ = read_sgf(sgf.write([game])[0])[0]
        self.assertEqual(moves(back), moves(game))
        self.assertEqual(back.roots[0].comment, "I resign")

    def test_another_pass_is_written(self) -> None:
        game, _ = one("(;RE[B+R];B[aa];W[bb];B[])")
        self.assertEqual(sgf.write([game])[0].count(b";B[]"), 1)
        game.roots[0].children[0].children[0].children.clear()
        self.assertEqual(sgf.write([game])[0].count(b";B[]"), 1)


class RefusedTests(SynchronousTestCase):
    def assert_refused(self, data: bytes, words: str, line: int | None = 1) -> None:
        error: SgfError = self.assertRaises(SgfError, read_sgf, data)
        self.assertEqual((error.code, error.line), ("not-sgf", line))
        self.assertIn(words, str(error))

    def test_no_game(self) -> None:
        for data in (b"", b"no game", b"<game/>", b"()"):
            self.assert_refused(data, "there is no game", None)

    def test_broken_games(self) -> None:
        self.assert_refused(b"(;B[aa]", "game 1 is not SGF: unexpected end")
        self.assert_refused(b"(;B[aa];W[b", "unexpected end")
        self.assert_refused(b"(;B)", "property with no values")
        self.assert_refused(b"(;[aa])", "unexpected value")
        self.assert_refused(b"(;B[aa] = )", "unexpected end")

    def test_the_line_in_which_the_game_begins(self) -> None:
        self.assert_refused(b"(;\nB[aa])\n\n(;\nW[bb]\n", "game 2 is not SGF", 4)

    def test_points_that_are_none(self) -> None:
        for move in ("aaa", "a", "jj", "AA", "11", "\u00e4"):
            self.assert_refused(f"(;SZ[9];B[{move}])".encode(), "is not a point of a board of size 9")
        self.assert_refused(b"(;SZ[9]AB[aj])", "is not a point")
        self.assert_refused(b"(;AB[])", "not on the board")
        self.assert_refused(b"(;AB[aa:tt])", "not on the board")

    def test_other_boards(self) -> None:
        for size in ("0", "53", "19:13", "x", "-1", "19x19", "9" * 5000):
            self.assert_refused(f"(;SZ[{size}])".encode(), "is not a square of 1 to 52 lines")
        self.assertEqual(one("(;SZ[13:13])")[0].size, 13)

    def test_other_games(self) -> None:
        self.assert_refused(b"(;GM[2])", "it is not a game of Go: GM[2]")


class WriteTests(SynchronousTestCase):
    def test_what_is_written(self) -> None:
        ((game, _),) = read_sgf(GAME)
        data, notes = sgf.write([game])
        self.assertEqual(notes, [])
        self.assertEqual(plain(read_sgf(data)[0][0]), plain(game))
        self.assertEqual(data.replace(b"\n", b"").count(b"("), 4)
        self.assertTrue(data.startswith(b"(;FF[4]"))
        self.assertIn(b"CA[UTF-8]", data)

    def test_who_moves_in_a_set_up_position(self) -> None:
        for first in ("W", "B"):
            game, _ = one(f"(;SZ[9]AB[aa][bb]AW[cc]PL[{first}];{first}[dd])")
            data, notes = sgf.write([game])
            self.assertEqual(notes, [])
            self.assertIn(f"PL[{first}]", data.decode())
            ((back, notes),) = read_sgf(data)
            self.assertEqual((plain(back), notes), (plain(game), []))
        for text in ("(;SZ[9];W[dd])", "(;SZ[9]AB[aa])"):
            self.assertNotIn(b"PL", sgf.write([one(text)[0]])[0])

    def test_all_lines_are_short(self) -> None:
        self.assertLess(max(map(len, sgf.write([line(361)])[0].split(b"\n"))), 80)

    def test_several_games(self) -> None:
        data, _ = sgf.write([line(3), line(5, size=9)])
        self.assertEqual([len(moves(game)) for game, _ in read_sgf(data)], [3, 5])

    def test_texts_with_the_signs_of_sgf(self) -> None:
        text = "a]b\\c:d[e(;\\"
        game = GoGame(
            9, (Player(0, text, text, "black"), WHITE), title=text, comment=text, roots=[Node(0, comment=text)]
        )
        back, _ = read_sgf(sgf.write([game])[0])[0]
        self.assertEqual((back.title, back.comment, back.roots[0].comment), (text, text, text))
        self.assertEqual((back.players[0].name, back.players[0].rank), (text, text))

    def test_line_breaks_in_names_are_said(self) -> None:
        game = GoGame(9, (Player(0, "a\nb", color="black"), WHITE), comment="a\nb")
        self.assertEqual(sgf.write([game])[1], ["PB has line breaks or tabs that SGF cannot hold exactly"])

    def test_each_sentence_once(self) -> None:
        game = line(2)
        for node in game.main_line():
            node.comment = "a\tb"
        self.assertEqual(sgf.write([game])[1], ["C has line breaks or tabs that SGF cannot hold exactly"])

    def test_results(self) -> None:
        for black, white, said, notes in (
            (None, None, None, 0),
            (3.5, 0, "B+3.5", 0),
            (0, 12.0, "W+12", 0),
            (0, 0, "0", 0),
            (45, 38.5, "B+6.5", 1),
            (7, 7, "0", 1),
            (-1, None, "W+R", 0),
            (None, -1, "B+R", 0),
            (-1, 10, "W+R", 1),
            (-1, -1, None, 1),
            (3, None, None, 1),
        ):
            game = GoGame(9, (Player(0, color="black", points=black), Player(1, color="white", points=white)))
            data, sentences = sgf.write([game])
            self.assertEqual(b"RE[" in data, said is not None)
            if said is not None:
                self.assertIn(f"RE[{said}]".encode(), data)
            self.assertEqual(len(sentences), notes, (black, white, sentences))


class ColorTests(SynchronousTestCase):
    def written(self, game: GoGame) -> tuple[list[tuple[int, Point | None]], list[str]]:
        data, notes = sgf.write([game])
        return moves(read_sgf(data)[0][0]), notes

    def test_the_colour_of_a_stone_decides(self) -> None:
        roots = [Node(0, Point(1, 1), "white", children=[Node(1, Point(2, 2), "black")])]
        self.assertEqual(self.written(GoGame(9, (BLACK, WHITE), roots=roots))[0], [(1, Point(1, 1)), (0, Point(2, 2))])

    def test_a_player_passes_in_the_colour_of_the_first_stone(self) -> None:
        roots = [Node(1, Point(1, 1), "black", children=[Node(1, Point(2, 2), "white", children=[Node(1)])])]
        found, _ = self.written(GoGame(9, (Player(1),), roots=roots))
        self.assertEqual(found, [(0, Point(1, 1)), (1, Point(2, 2)), (0, None)])

    def test_two_other_colours(self) -> None:
        players = (Player(4, "R", color="red"), Player(7, "B", color="blue", points=-1))
        roots = [Node(4, Point(1, 1), children=[Node(7, Point(2, 2), children=[Node(4)])])]
        game = GoGame(9, players, setup=(Stone(Point(3, 3), "blue"),), roots=roots)
        found, notes = self.written(game)
        # Blue has stood on the board first.
        self.assertEqual(found, [(1, Point(1, 1)), (0, Point(2, 2)), (1, None), (0, None)])
        self.assertEqual(notes, ["blue is written as black", "red is written as white"])

    def test_one_other_colour(self) -> None:
        roots = [Node(0, Point(1, 1), "white", children=[Node(1, Point(2, 2), "red", children=[Node(1)])])]
        found, notes = self.written(GoGame(9, (Player(0), Player(1)), roots=roots))
        self.assertEqual(found, [(1, Point(1, 1)), (0, Point(2, 2)), (0, None)])
        self.assertEqual(notes, ["red is written as black"])

    def test_a_one_coloured_game_is_written_by_its_players(self) -> None:
        roots = [Node(0, Point(1, 1), "white", children=[Node(1, Point(2, 2), "white")])]
        found, notes = self.written(GoGame(9, (Player(0), Player(1)), roots=roots))
        self.assertEqual(found, [(0, Point(1, 1)), (1, Point(2, 2))])
        self.assertEqual(notes, ["player 0 is written as black", "player 1 is written as white"])

    def test_players_without_colours_who_only_pass(self) -> None:
        roots = [Node(3, children=[Node(5)])]
        self.assertEqual(self.written(GoGame(9, (Player(3), Player(5)), roots=roots))[0], [(0, None), (1, None)])

    def test_more_than_two_colours(self) -> None:
        roots = [Node(0, Point(1, 1), "red", children=[Node(1, Point(2, 2), "blue")])]
        game = GoGame(9, (Player(0), Player(1)), setup=(Stone(Point(3, 3), "black"),), roots=roots)
        error: SgfError = self.assertRaises(SgfError, sgf.write, [game])
        self.assertIn("SGF has two colours, and this game has 3", str(error))
        data, notes = sgf.write([game, line(2)])
        self.assertEqual(notes, ["game 1: the game is left out: SGF has two colours, and this game has 3"])
        self.assertEqual(len(read_sgf(data)), 1)

    def test_no_game(self) -> None:
        self.assertRaises(SgfError, sgf.write, [])

    def test_several_players_of_a_colour(self) -> None:
        players = (
            Player(0, "A", "1d", "black", 5),
            Player(1, "B", None, "white", 0),
            Player(2, "C", "2d", "black"),
            Player(3, None, None, "white"),
        )
        roots = [Node(0, Point(1, 1), children=[Node(1, Point(2, 2), children=[Node(2, Point(3, 3))])])]
        data, notes = sgf.write([GoGame(9, players, roots=roots)])
        ((game, _),) = read_sgf(data)
        self.assertEqual([player.name for player in game.players], ["A & C", "B"])
        self.assertEqual([player.rank for player in game.players], ["1d & 2d", None])
        self.assertEqual([player.points for player in game.players], [None, None])
        self.assertEqual(notes, ["SGF cannot hold which player of a colour made a move, nor the points of each player"])


class DeepTests(SynchronousTestCase):
    def test_long_games(self) -> None:
        game = line(20_000)
        ((back, _),) = read_sgf(sgf.write([game])[0])
        self.assertEqual(len(moves(back)), 20_000)

    def test_nested_variations(self) -> None:
        for depth in (1_000, 50_000):
            text = "(;B[aa]" * depth + "(;W[bb])(;W[cc])" + ")" * depth
            game, _ = one(text)
            self.assertEqual(len(moves(game)), depth + 1)
            data, _ = sgf.write([game])
            self.assertEqual(plain(read_sgf(data)[0][0]), plain(game))
            del game, data
            gc.collect()

    def test_a_variation_at_every_move(self) -> None:
        game = line(1_900)
        for node in list(game.main_line()):
            node.children.append(Node(0))
        ((back, _),) = read_sgf(sgf.write([game])[0])
        self.assertEqual([entry[:3] for entry in tree(back)], [entry[:3] for entry in tree(game)])
        self.assertEqual(record(back, "1.2").body.count(b"<move"), 2 * 1_900)


class ChainTests(SynchronousTestCase):
    """The chain of tests/records/corpus.py, with small games."""

    def test_the_small_games(self) -> None:
        for game in (captured(), read_sgf(GAME)[0][0], one("(;RE[B+R];B[aa](;W[bb];B[])(;W[cc]))")[0]):
            self.assertEqual(list(corpus.failures(game)), [])

    def test_the_chain_sees_what_is_lost(self) -> None:
        game = captured()
        lost, _ = convert(game, "1.1")
        self.assertEqual(corpus.held(lost), corpus.held(game))
        self.assertNotEqual(corpus.tree(lost), corpus.tree(game))

    @settings(deadline=None, max_examples=40)
    @given(legal_games())
    def test_random_legal_games(self, game: GoGame) -> None:
        self.assertEqual(list(corpus.failures(game)), [])

    @settings(deadline=None, max_examples=40)
    @given(legal_games())
    def test_sgf_holds_all_of_them(self, game: GoGame) -> None:
        data, notes = sgf.write([game])
        self.assertEqual(notes, [])
        ((back, notes),) = read_sgf(data)
        self.assertEqual(notes, [])
        self.assertEqual(corpus.tree(back), corpus.tree(game))
        self.assertEqual(sgf.write([back])[0], data)

    def test_points_in_all_corners(self) -> None:
        for size in (1, 19, 20, 26, 27, 52):
            point = Point(size, 1)
            game = GoGame(
                size, (BLACK, WHITE), setup=(Stone(point, "white"),), roots=[Node(0, Point(1, size), "black")]
            )
            ((back, _),) = read_sgf(sgf.write([game])[0])
            self.assertEqual((back.setup, moves(back)), (game.setup, [(0, Point(1, size))]))

    def test_all_versions_come_into_the_chain(self) -> None:
        chains = list(corpus.chains(captured()))
        self.assertEqual({version for chain in chains for version in chain}, set(gofans.VERSIONS))
