"""GoFans in all four versions: schemas, reading and writing."""

from __future__ import annotations

import gc

from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree
from twisted.trial.unittest import SynchronousTestCase

from gamed.games.go import gofans
from gamed.games.go.convert import convert
from gamed.games.go.tree import GoGame, Node, Player, Point, Stone
from gamed.records.index import index, reason, validate
from gamed.records.record import Record, RecordError, document
from tests.records.gogames import BLACK, WHITE, any_games, captured, line, plain, record

EXAMPLE = b"""<?xml version="1.0" encoding="UTF-8"?>
<game publisher="GoFans" version="2.1">
  <header>
    <title>An example</title>
    <event>Club &amp; friends</event>
    <date>2026-11-21</date>
    <place>Erlangen</place>
    <komi>6.5</komi>
    <handicap>0</handicap>
    <rules>japanese</rules>
    <comment>two
lines</comment>
    <board size="19"/>
    <players>
      <player id="0" name="A &quot;B&quot;" rank="3d" color="black" points="45"/>
      <player id="1" name="C" rank="2d" color="white" points="38.5"/>
    </players>
  </header>
  <body>
    <setup>
      <stone x="4" y="4" color="black"/>
    </setup>
    <move playerId="0" color="black" x="16" y="4"><comment>so?</comment></move>
    <move playerId="1" x="17" y="4"><remove x="16" y="4"/></move>
    <move playerId="0"/>
  </body>
</game>
"""
NESTED = b"""<body>
    <move playerId="0" color="black" x="3" y="3">
    <move playerId="1" color="white" x="1" y="1">
      <move playerId="0" color="black" x="1" y="2">
      <move playerId="1" color="white" x="9" y="9">
      <move playerId="0" color="black" x="2" y="1"><remove x="1" y="1"/></move>
      </move>
      </move>
      <move playerId="0" color="black" x="5" y="5"><comment>or here</comment>
      <move playerId="1" color="white" x="6" y="6"/>
      </move>
    </move>
    </move>
  </body>"""


def parts(whole: bytes) -> Record:
    """Return a document as the importer takes it apart."""
    root = etree.fromstring(whole)
    header, body = (etree.tostring(node, with_tail=False) for node in root)
    return Record("here", str(root.attrib["publisher"]), str(root.attrib["version"]), header, body)


class ExampleTests(SynchronousTestCase):
    def test_the_example_of_the_specification_is_read(self) -> None:
        validate(EXAMPLE)
        game = gofans.read(parts(EXAMPLE))
        self.assertEqual((game.title, game.event, game.date), ("An example", "Club & friends", "2026-11-21"))
        self.assertEqual((game.place, game.rules, game.comment), ("Erlangen", "japanese", "two\nlines"))
        self.assertEqual((game.size, game.komi, game.handicap), (19, 6.5, 0))
        self.assertEqual(game.players, (Player(0, 'A "B"', "3d", "black", 45), Player(1, "C", "2d", "white", 38.5)))
        self.assertEqual(game.setup, (Stone(Point(4, 4), "black"),))
        moves = [(node.player, node.color, node.point, node.comment, node.removes) for node in game.main_line()]
        self.assertEqual(
            moves,
            [
                (0, "black", Point(16, 4), "so?", ()),
                (1, None, Point(17, 4), None, (Point(16, 4),)),
                (0, None, None, None, ()),
            ],
        )

    def test_it_is_written_as_it_stands(self) -> None:
        self.assertEqual(document(record(gofans.read(parts(EXAMPLE)), "2.1")), EXAMPLE)

    def test_the_example_of_the_text_is_a_pass(self) -> None:
        whole = document(record(line(0), "1.1")).replace(b"<body>", b'<body><move playerId="0" />')
        validate(whole)
        self.assertEqual([(node.player, node.point) for node in gofans.read(parts(whole)).main_line()], [(0, None)])

    def test_variations_stand_inside_the_move_before_them(self) -> None:
        game, _ = convert(captured(), "2.2")
        written = record(game, "2.2")
        self.assertEqual(written.body, NESTED)
        self.assertEqual(plain(gofans.read(written)), plain(game))

    def test_variations_of_the_first_move_stand_beside_each_other(self) -> None:
        game = GoGame(9, (BLACK, WHITE), roots=[Node(0, Point(1, 1)), Node(0, Point(2, 2))])
        written = record(game, "1.2")
        validate(document(written))
        self.assertEqual(written.body.count(b"<move"), 2)
        self.assertEqual([node.point for node in gofans.read(written).roots], [Point(1, 1), Point(2, 2)])

    def test_what_is_known_comes_in_any_order(self) -> None:
        whole = EXAMPLE.replace(b"    <place>Erlangen</place>\n", b"")
        whole = whole.replace(b"  </header>", b"    <place>Erlangen</place>\n  </header>")
        validate(whole)
        self.assertEqual(gofans.read(parts(whole)).place, "Erlangen")

    def test_comments_and_sections_of_xml_do_not_cut_a_text(self) -> None:
        whole = EXAMPLE.replace(b"so?", b"s<!-- - --><![CDATA[<o>]]><?p?>?")
        validate(whole)
        self.assertEqual(gofans.read(parts(whole)).roots[0].comment, "s<o>?")

    def test_tokens_and_numbers_may_have_blanks_around_them(self) -> None:
        whole = EXAMPLE.replace(b'color="black" x="16"', b'color=" black " x=" 16 "')
        validate(whole)
        first = gofans.read(parts(whole)).roots[0]
        self.assertEqual((first.color, first.point), ("black", Point(16, 4)))

    def test_empty_texts_are_texts(self) -> None:
        game = evolve(line(1), title="", players=(evolve(BLACK, name=""), WHITE))
        game.roots[0].comment = ""
        self.assertEqual(plain(gofans.read(record(game, "1.1"))), plain(game))


class SchemaTests(SynchronousTestCase):
    """What the schemas refuse, and what they say of it."""

    REFUSED = (
        (b'x="16"', b'x="0"'),
        (b'x="16"', b'x="53"'),
        (b'x="16"', b'x="+6"'),
        (b'x="16"', b'x="016"'),
        (b'x="16"', b'x="p"'),
        (b'x="16"', b'z="16"'),
        (b'playerId="0"', b'playerId="-1"'),
        (b'playerId="0"', b""),
        (b'playerId="0"', b'playerId="7"'),
        (b'id="1"', b'id="0"'),
        (b'id="1"', b'id="1000000000"'),
        (b'points="45"', b'points="many"'),
        (b'points="45"', b'points="INF"'),
        (b'points="45"', b'points="1e3"'),
        (b'points="45"', b'points="0.1234567"'),
        (b"<komi>6.5<", b"<komi>six<"),
        (b"<komi>6.5<", b"<komi><"),
        (b"<handicap>0<", b"<handicap>-2<"),
        (b"<handicap>0<", b"<handicap>2.5<"),
        (b'size="19"', b'size="0"'),
        (b'size="19"', b'size="53"'),
        (b'    <board size="19"/>\n', b""),
        (b'color="black" points', b'color="Black" points'),
        (b"<place>Erlangen</place>", b"<place>Erlangen</place><place>Erlangen</place>"),
        (b"<place>Erlangen</place>", b"<city>Erlangen</city>"),
        (b"<setup>", b"<setup/><setup>"),
        (b'<remove x="16" y="4"/>', b'<remove x="16"/>'),
        (b'<remove x="16" y="4"/>', b"at 16, 4"),
        (b'<remove x="16" y="4"/>', b'<move playerId="0"/>'),
    )

    def test_what_is_no_2_1(self) -> None:
        for old, new in self.REFUSED:
            self.assertIn(old, EXAMPLE)
            error: RecordError = self.assertRaises(RecordError, validate, EXAMPLE.replace(old, new, 1))
            self.assertEqual(error.code, "not-valid", (old, new))

    def test_removes_are_for_2_x_only(self) -> None:
        for old, new in (("2.1", "1.1"), ("2.2", "1.2")):
            game, _ = convert(captured(), old)
            whole = document(record(game, old))
            validate(whole)
            changed = whole.replace(f'version="{old}"'.encode(), f'version="{new}"'.encode())
            error: RecordError = self.assertRaises(RecordError, validate, changed)
            self.assertIn("remove", str(error))

    def test_moves_stand_in_one_another_in_x_2_only(self) -> None:
        for old, new in (("1.2", "1.1"), ("2.2", "2.1")):
            game, _ = convert(captured(), old)
            changed = document(record(game, old)).replace(f'version="{old}"'.encode(), f'version="{new}"'.encode())
            error: RecordError = self.assertRaises(RecordError, validate, changed)
            self.assertIn("move", str(error))

    def test_xmlschema_understands_them(self) -> None:
        for version in gofans.VERSIONS:
            schema = index().formats["GoFans", version].schema
            game, _ = convert(captured(), version)
            whole = document(record(game, version))
            self.assertIsNone(reason(etree.fromstring(whole), schema))

    def test_all_four_can_be_played(self) -> None:
        found = [index().formats["GoFans", version] for version in gofans.VERSIONS]
        self.assertEqual({(entry.kind, entry.is_playable) for entry in found}, {("go", True)})


class RefusedTests(SynchronousTestCase):
    """What no schema can say."""

    def assert_unread(self, old: bytes, new: bytes, words: str, code: str = "not-valid") -> None:
        self.assertIn(old, EXAMPLE)
        whole = EXAMPLE.replace(old, new)
        validate(whole)
        error: RecordError = self.assertRaises(RecordError, gofans.read, parts(whole))
        self.assertEqual(error.code, code)
        self.assertIn(words, str(error))

    def test_points_beside_the_board(self) -> None:
        self.assert_unread(b'size="19"', b'size="16"', "17, 4 is not on the board")
        self.assert_unread(b'<stone x="4"', b'<stone x="20"', "20, 4 is not on the board")
        self.assert_unread(b'<remove x="16" y="4"', b'<remove x="16" y="20"', "16, 20 is not on the board")

    def test_half_a_point(self) -> None:
        self.assert_unread(b'x="17" y="4"', b'x="17"', 'x="17" is without y')
        self.assert_unread(b'x="17" y="4"', b'y="4"', 'y="4" is without x')

    def test_two_stones_on_a_point(self) -> None:
        stone = b'<stone x="4" y="4" color="black"/>'
        self.assert_unread(stone, stone + stone.replace(b"black", b"white"), "two stones")

    def test_a_player_who_is_not_there(self) -> None:
        game = GoGame(9, (BLACK,), roots=[Node(0)])
        written = record(game, "1.2")
        other = evolve(written, body=written.body.replace(b'playerId="0"', b'playerId="1"'))
        validate(document(other))
        error: RecordError = self.assertRaises(RecordError, gofans.read, other)
        self.assertIn("no player 1", str(error))

    def test_two_players_of_one_id(self) -> None:
        error: RecordError = self.assertRaises(RecordError, record, GoGame(9, (BLACK, BLACK)), "1.1")
        self.assertIn("two players have the id 0", str(error))

    def test_other_publishers_and_versions(self) -> None:
        written = record(line(1), "1.1")
        for other in (evolve(written, publisher="Fans"), evolve(written, version="3.1")):
            error: RecordError = self.assertRaises(RecordError, gofans.read, other)
            self.assertEqual(error.code, "unknown-format")
        self.assertRaises(RecordError, record, line(1), "1.3")

    def test_what_is_no_record_at_all(self) -> None:
        written = record(line(1), "1.1")
        for other in (b"<header/>", b'<header><board size="x"/><players/></header>', b"<header>"):
            self.assertRaises(RecordError, gofans.read, evolve(written, header=other))

    def test_what_a_version_does_not_hold_is_not_dropped(self) -> None:
        plain_game, with_removes = captured(), convert(captured(), "2.2")[0]
        for game, version, words in (
            (plain_game, "1.1", "it has variations"),
            (GoGame(9, (BLACK,), roots=[Node(0), Node(0)]), "1.1", "it has variations"),
            (plain_game, "2.2", "its captures are not known"),
            (with_removes, "1.2", "it lists captures"),
        ):
            error: RecordError = self.assertRaises(RecordError, record, game, version)
            self.assertEqual(error.code, "not-valid")
            self.assertIn(words, str(error))

    def test_what_no_version_holds(self) -> None:
        for game in (
            GoGame(53, (BLACK,)),
            GoGame(0, (BLACK,)),
            GoGame(9, ()),
            GoGame(9, tuple(Player(number) for number in range(65))),
            GoGame(9, (Player(-1),)),
            GoGame(9, (Player(0, color="Black"),)),
            GoGame(9, (Player(0, color="x" * 65),)),
            GoGame(9, (Player(0, name="\0"),)),
            GoGame(9, (BLACK,), title="\ud800"),
            GoGame(9, (BLACK,), komi=float("nan")),
            GoGame(9, (BLACK,), komi=1e9),
            GoGame(9, (BLACK,), handicap=-1),
            GoGame(9, (BLACK,), roots=[Node(0, Point(10, 1))]),
            GoGame(9, (BLACK,), roots=[Node(0, Point(1, 0))]),
            GoGame(9, (BLACK,), roots=[Node(1)]),
        ):
            error: RecordError = self.assertRaises(RecordError, record, game, "1.1")
            self.assertEqual(error.code, "not-valid")


class NumberTests(SynchronousTestCase):
    def test_numbers_are_spelt_without_exponents(self) -> None:
        for value, text in (
            (0, "0"),
            (-1, "-1"),
            (-1.0, "-1"),
            (6.5, "6.5"),
            (0.000001, "0.000001"),
            (1e8, "100000000"),
        ):
            self.assertEqual(gofans.number(value), text)

    def test_numbers_that_are_too_long(self) -> None:
        for value in (0.1234567, 1e-7, 1e9, float("inf")):
            self.assertRaises(ValueError, gofans.number, value)


class DeepTests(SynchronousTestCase):
    def test_the_deepest_game(self) -> None:
        for version in ("1.2", "2.2"):
            game = line(1_998, removes=() if version == "2.2" else None)
            written = record(game, version)
            validate(document(written))
            back = gofans.read(written)
            self.assertEqual(plain(back), plain(game))
            self.assertEqual(record(back, version), written)

    def test_deeper_is_forbidden_where_moves_stand_in_one_another(self) -> None:
        error: RecordError = self.assertRaises(RecordError, record, line(1_999), "1.2")
        self.assertEqual(error.code, "forbidden")
        game = line(1_998)
        list(game.main_line())[-1].comment = "a level more"
        self.assertRaises(RecordError, record, game, "1.2")

    def test_what_is_too_deep_is_not_read(self) -> None:
        written = record(line(1), "1.2")
        for depth in (2_001, 5_000, 100_000):
            body = b"<body>" + b'<move playerId="0">' * depth + b"</move>" * depth + b"</body>"
            error: RecordError = self.assertRaises(RecordError, gofans.read, evolve(written, body=body))
            self.assertEqual(error.code, "forbidden")

    def test_long_games_in_x_1_are_not_deep(self) -> None:
        game = line(10_000)
        back = gofans.read(record(game, "1.1"))
        self.assertEqual(sum(1 for _ in back.main_line()), 10_000)
        del game, back
        gc.collect()

    def test_indentation_does_not_grow_with_the_moves(self) -> None:
        # Each move has a variation: indented without end, the last would stand 4,000 characters to the right.
        game = line(1_900)
        for node in list(game.main_line()):
            node.children.append(Node(0))
        self.assertLess(len(record(game, "1.2").body), 1_900 * 200)


def round_trips(version: str) -> type[SynchronousTestCase]:
    """Return the tests of random games in a version."""

    class RoundTripTests(SynchronousTestCase):
        @settings(deadline=None, max_examples=60)
        @given(st.data())
        def test_written_validated_read_and_written(self, data: st.DataObject) -> None:
            game = data.draw(any_games(version))
            written = record(game, version)
            validate(document(written))
            back = gofans.read(parts(document(written)))
            self.assertEqual(plain(back), plain(game))
            self.assertEqual(record(back, version), written)

    return RoundTripTests


RoundTripTests11 = round_trips("1.1")
RoundTripTests12 = round_trips("1.2")
RoundTripTests21 = round_trips("2.1")
RoundTripTests22 = round_trips("2.2")
