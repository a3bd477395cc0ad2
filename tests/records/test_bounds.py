"""What small files may cost: work and memory in proportion to their bytes. Work is counted here, not timed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamed.games.go import replay, sgf, sgf_games
from gamed.games.go.sgf_setup import Setup
from gamed.records import canonical, parsing
from gamed.records import importer as checking
from gamed.records.importer import Imported
from gamed.replayers import importer
from tests.records.gogames import read_sgf


def taken(data: bytes) -> list[Imported]:
    """Return what the command line and the browser make of a file."""
    return list(importer().outcomes(data))


def document(content: bytes) -> bytes:
    """Return a record of a publisher that gamed does not know."""
    return b'<game publisher="Klub" version="1.0"><header>%b</header><body/></game>' % content


def calls(function: Callable[[], Any]) -> int:
    """Return how many functions are called by one."""
    count = 0

    def note(_frame: FrameType, event: str, _arg: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        function()
    finally:
        sys.setprofile(None)
    return count


class DocumentTests(SynchronousTestCase):
    def assert_forbidden(self, content: bytes, words: str, xpath: str | None = "/game/header/a") -> None:
        # C14N is what costs the square of them.
        self.patch(checking, "imported_id", lambda *_: self.fail("C14N was asked for"))
        (outcome,) = taken(document(content))
        self.assertEqual((outcome.code, outcome.xpath), ("forbidden", xpath))
        self.assertIn(words, outcome.sentence)

    def test_very_many_attributes(self) -> None:
        names = b" ".join(b'a%d=""' % number for number in range(257))
        self.assert_forbidden(b"<a %b/>" % names, "more than 256 attributes and namespaces", None)

    def test_very_many_namespaces(self) -> None:
        names = b" ".join(b'xmlns:a%d="u:%d"' % (number, number) for number in range(200))
        used = b" ".join(b'a%d:b=""' % number for number in range(57))
        self.assert_forbidden(b"<a %b %b/>" % (names, used), "more than 256 attributes and namespaces", None)

    def test_very_many_namespaces_around_an_element(self) -> None:
        deep = b"".join(b'<a xmlns:a%d="u:">' % number for number in range(1_001))
        content = deep + b"</a>" * 1_001
        self.assert_forbidden(content, "1,001 namespaces in scope", "/game/header" + "/a" * 1_001)

    def test_very_many_elements(self) -> None:
        self.patch(parsing, "TAGS", 100)
        self.patch(parsing, "ALL_ATTRIBUTES", 110)
        self.patch(parsing.etree, "fromstring", lambda *_: self.fail("it was parsed"))
        self.assert_forbidden(b"<a/>" * 101, "more than 100 tags", None)
        self.assert_forbidden(b"<a b='' c=''/>" * 60, "more than 110 attributes", None)

    def test_what_is_within_the_limits(self) -> None:
        names = b" ".join(b'a%d=""' % number for number in range(256))
        siblings = b'<a xmlns="u:b"/>' * 1_500
        for content in (b"<a %b/>" % names, siblings, b"=" * 2_000, b"<a>%b</a>" % (b'a="" ' * 500)):
            (outcome,) = taken(document(content))
            self.assertEqual(outcome.code, "unknown-format", content[:40])

    def test_the_test_looks_at_c14n(self) -> None:
        self.assertIs(checking.imported_id, canonical.imported_id)


class SgfTests(SynchronousTestCase):
    def assert_unread(self, data: bytes, words: str) -> None:
        self.patch(sgf.sgf_grammar, "parse_sgf_game", lambda _: self.fail("objects were made of it"))
        (outcome,) = taken(data)
        self.assertEqual((outcome.code, outcome.line), ("forbidden", 1))
        self.assertIn(words, outcome.sentence)

    def test_very_many_tokens_of_one_byte(self) -> None:
        self.patch(sgf_games, "MOST_TOKENS", 1_000)
        for data in (b"(;" * 501, b"(;AB" + b"[aa]" * 1_000, b"(;" + b"A " * 1_000, b"(" + b";" * 1_000):
            self.assert_unread(data, "game 1 has more than 1,000 brackets and values")

    def test_a_game_that_is_too_large_ends_the_file(self) -> None:
        self.patch(sgf_games, "MOST_TOKENS", 20)
        codes = [outcome.code for outcome in taken(b"(;SZ[9];B[aa])" + b"(;" * 20 + b")" * 20 + b"(;SZ[9];B[bb])")]
        self.assertEqual(codes, ["imported", "forbidden"])

    def test_very_many_bytes_and_escapes(self) -> None:
        self.patch(sgf_games, "MOST_BYTES", 1_000)
        self.patch(sgf_games, "MOST_ESCAPES", 100)
        self.assert_unread(b"(;C[" + b"x" * 1_000 + b"])", "game 1 has more than 1,000 bytes: it and later ones are")
        self.assert_unread(b"(;C[" + b"\\]" * 101 + b"])", "game 1 has more than 100 backslashes")

    def test_very_many_games(self) -> None:
        self.patch(sgf_games, "SPARE_GAMES", 3)
        found = taken(b"(;SZ[9]\n;B[aa])" * 5)
        self.assertEqual([outcome.code for outcome in found], ["imported"] * 3 + ["forbidden"])
        self.assertEqual(found[-1].line, 4)
        text = "it has more than 3 games, too many for its size: game 4 and later ones are not read"
        self.assertIn(text, found[-1].sentence)

    def test_very_many_games_of_a_usual_size(self) -> None:
        self.patch(sgf_games, "SPARE_GAMES", 3)
        game = b"(;SZ[9];B[aa]C[" + b"x" * sgf_games.GAME_BYTES + b"])"
        self.assertEqual([outcome.code for outcome in taken(game * 9)], ["imported"] * 9)

    def test_a_game_of_sgf_is_not_looked_at_for_the_root_of_its_record(self) -> None:
        # It is a third of the work that the smallest game costs.
        self.patch(checking, "root_of", lambda _: self.fail("it was parsed once more"))
        self.assertEqual([outcome.code for outcome in taken(b"(;SZ[9])")], ["imported"])

    def test_rectangles_of_stones(self) -> None:
        for stones in ({"black": [b"aa:ZZ"] * 1_000}, {"black": [b"aa:ZZ", b"aa"] * 500, "white": [b"bb:ZZ"] * 500}):
            setup = Setup(52)
            setup.change(stones, [])
            self.assertEqual(len(setup.stones()), 52 * 52)
            # Each value has some calls; the points that are new, once for all, have some, too.
            again = calls(lambda setup=setup, stones=stones: setup.change(stones, [b"aa:ZZ"] * 100))
            self.assertLess(again, 40 * 1_200)

    def test_whole_boards_of_stones_in_very_many_games(self) -> None:
        self.patch(sgf, "SPARE_STONES", 5_000)
        first, last = sgf.games(b"(;SZ[52]AB[aa:ZZ])" * 3)
        self.assertIsNone(first.error)
        error = last.error
        assert error is not None
        self.assertEqual((error.code, last.number), ("forbidden", 2))
        self.assertIn("5,408 stones, too many: game 2 and later ones are not read", str(error))
        # Stones that are named one by one may be as many as the file has bytes for.
        points = b"".join(b"[%c%c]" % (97 + x, 97 + y) for x in range(26) for y in range(26))
        self.assertEqual({reading.error for reading in sgf.games((b"(;SZ[52]AB" + points + b")") * 20)}, {None})

    def test_setup_that_changes_all_points_in_each_node(self) -> None:
        def work(nodes: int) -> int:
            data = b"(;SZ[52]" + b";AB[aa:ZZ];AW[aa:ZZ]" * nodes + b")"
            return calls(lambda: list(sgf.games(data)))

        self.assertLess(work(200) - work(100), 100 * 200)

    def test_comments_without_a_move(self) -> None:
        ((game, _),) = read_sgf(b"(;SZ[9];B[aa]" + b";C[x]" * 5_000 + b")")
        self.assertEqual(game.roots[0].comment, "\n\n".join("x" * 5_000))

    def test_moves_whose_captures_are_hard_to_find(self) -> None:
        data = b"(;SZ[52]AB[aa:ZZ];AE[aa][ZZ]" + b"(;B[ZZ])" * 40 + b")"
        (outcome,) = taken(data)
        self.assertEqual(outcome.code, "imported")
        self.patch(replay, "MOST_EFFORT", 30 * 52 * 52)
        (outcome,) = taken(data)
        self.assertEqual((outcome.code, outcome.line), ("forbidden", 1))
        self.assertIn("would take too much time", outcome.sentence)
