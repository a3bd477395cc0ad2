"""The five steps of the import, each outcome provoked; hostile documents; whatever is done to a valid document."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree
from twisted.trial.unittest import SynchronousTestCase

import gamed
from gamed.core.errors import ConfigError
from gamed.core.game import Outcome, Termination
from gamed.core.history import ended
from gamed.records import index as index_module
from gamed.records.canonical import canonical
from gamed.records.importer import CODES, TAKEN, Imported, check, refused
from gamed.records.index import index, reason
from gamed.records.own import from_history
from gamed.records.parsing import parse_whole
from gamed.records.record import Record, RecordError, document, unplayed
from gamed.replayers import replayers
from tests.games.softwarechallenge.hive.test_replays import whole
from tests.records.documents import (
    BOMB,
    DEEP,
    EXTERNAL,
    GOFANS,
    NESTED,
    OUTSIDE,
    UNKNOWN,
    battleship,
    outcome,
)
from tests.records.samples import game, older, record
from tests.records.test_gofans import parts

OWN = document(record(game()))


def changed(source: bytes, old: bytes, new: bytes) -> bytes:
    """Return a document with one thing changed."""
    assert old in source, old
    return source.replace(old, new, 1)


def same_nodes(one: bytes, other: bytes) -> bool:
    """Whether publisher, version, header and body of two documents are equal."""
    first, second = parse_whole(one), parse_whole(other)
    names = all(first.get(name) == second.get(name) for name in ("publisher", "version"))
    nodes = zip(first.iterchildren("header", "body"), second.iterchildren("header", "body"), strict=True)
    return names and all(canonical(left) == canonical(right) for left, right in nodes)


class OutcomeTests(SynchronousTestCase):
    def assert_code(self, document: bytes, code: str) -> Imported:
        found = outcome(document)
        self.assertEqual((found.code, found.is_taken), (code, code in TAKEN), found.sentence)
        self.assertEqual(found.record is not None, code in TAKEN)
        self.assertTrue(found.sentence)
        return found

    def test_imported(self) -> None:
        found = self.assert_code(GOFANS, "imported")
        assert found.record is not None
        assert found.summary is not None
        self.assertEqual((found.record.publisher, found.record.version), ("GoFans", "2.1"))
        self.assertEqual(found.summary.id, found.record.id)
        self.assertEqual((found.summary.kind, found.summary.length, found.summary.winner), ("go", 4, 0))
        self.assertEqual([seat.name for seat in found.summary.seats], ["Anna", "Bert"])
        self.assertEqual(found.lost, ())

    def test_variations(self) -> None:
        found = self.assert_code(NESTED, "imported")
        assert found.summary is not None
        self.assertEqual((found.summary.length, found.summary.termination, found.summary.winner), (2, "", None))

    def test_who_won_is_what_the_points_say(self) -> None:
        for black, white, termination, winner in (
            (b"45", b"38.5", "victory", 0),
            (b"-1", b"0", "resigned", 1),
            (b"3", b"-1", "resigned", 0),
            (b"7", b"7", "draw", None),
        ):
            text = changed(changed(GOFANS, b'points="45"', b'points="%b"' % black), b"38.5", white)
            found = self.assert_code(text, "imported").summary
            assert found is not None
            self.assertEqual((found.termination, found.winner), (termination, winner))
        for old in (b' points="45"', b' points="38.5"'):
            found = self.assert_code(changed(GOFANS, old, b""), "imported").summary
            assert found is not None
            self.assertEqual((found.termination, found.winner), ("", None))

    def test_a_game_of_1900_moves_is_as_deep_as_that(self) -> None:
        moves = b"".join(b'<move playerId="%d">' % (number % 2) for number in range(1900)) + b"</move>" * 1900
        head, tail = NESTED.split(b"<body>")[0], b"</body></game>"
        found = self.assert_code(head + b"<body>" + moves + tail, "imported")
        assert found.summary is not None
        self.assertEqual(found.summary.length, 1900)

    def test_beyond_500_levels_lxml_gives_the_reason(self) -> None:
        moves = b'<move playerId="0">' * 600 + b"<odd/>" + b"</move>" * 600
        head, tail = NESTED.split(b"<body>")[0], b"</body></game>"
        found = self.assert_code(head + b"<body>" + moves + tail, "not-valid")
        self.assertIn("Element 'odd'", found.sentence)

    def test_not_xml_has_line_and_column(self) -> None:
        found = self.assert_code(b"<game>\n  <header></game>", "not-xml")
        self.assertEqual((found.line, found.xpath), (2, None))
        self.assertGreater(found.column or 0, 5)
        for text in (b"", b"(;FF[4]SZ[19])", b"\xff\xfe<\0g\0", b"<a>&x;</a>", b"<a>\0</a>"):
            self.assert_code(text, "not-xml")

    def test_forbidden(self) -> None:
        for text in (BOMB, EXTERNAL, OUTSIDE, DEEP):
            self.assert_code(text, "forbidden")

    def test_the_limit_of_levels(self) -> None:
        def deep(levels: int) -> bytes:
            # The root and the body are two of them.
            inner = b"<m>" * (levels - 2) + b"</m>" * (levels - 2)
            return b'<game publisher="A" version="1"><header/><body>' + inner + b"</body></game>"

        self.assert_code(deep(2000), "unknown-format")
        self.assert_code(deep(2001), "forbidden")
        self.assert_code(deep(2049), "forbidden")

    def test_not_standard(self) -> None:
        for old, new in (
            (b' publisher="GoFans"', b""),
            (b'publisher="GoFans"', b'publisher=" "'),
            (b'version="2.1"', b'version=""'),
            (b"<body>", b"<more/><body>"),
        ):
            found = self.assert_code(changed(GOFANS, old, new), "not-standard")
            self.assertEqual(found.line is None, found.xpath is None)
        self.assertEqual(found.xpath, "/game/more")

    def test_a_namespace_that_has_no_canonical_form(self) -> None:
        found = self.assert_code(changed(UNKNOWN, b"urn:klub", b"klub"), "not-standard")
        self.assertIn("absolute URI", found.sentence)

    def test_unknown_format_is_kept(self) -> None:
        found = self.assert_code(UNKNOWN, "unknown-format")
        self.assertIn("Klub Löwe 3.0", found.sentence)
        assert found.record is not None
        self.assertEqual(found.summary, unplayed(found.record))

    def test_not_valid_says_where_and_what_was_expected(self) -> None:
        found = self.assert_code(changed(GOFANS, b"<komi>6.5</komi>", b"<comi>6.5</comi>"), "not-valid")
        self.assertEqual((found.line, found.xpath), (4, "/game/header/comi"))

    def test_not_valid_although_no_schema_can_say_it(self) -> None:
        found = self.assert_code(changed(GOFANS, b'x="1" y="2"', b'x="10" y="2"'), "not-valid")
        self.assertIn("the point 10, 2 is not on the board", found.sentence)

    def test_illegal_says_which_move_and_why(self) -> None:
        found = self.assert_code(changed(GOFANS, b'playerId="0" x="2" y="1"', b'playerId="0" x="1" y="2"'), "illegal")
        self.assertTrue(found.sentence.startswith("move 2, player 0, (1,2): "), found.sentence)

    def test_not_played_because_nobody_can(self) -> None:
        found = check(GOFANS, index(), {})
        assert found.record is not None
        self.assertEqual((found.code, found.summary), ("imported", unplayed(found.record, "go")))
        self.assertIn("does not play", found.sentence)

    def test_every_code_is_listed(self) -> None:
        self.assertTrue(set(CODES) > TAKEN)
        error = refused(RecordError("why", code="missing", line=3, column=4, xpath="/x"))
        self.assertEqual(error, Imported("missing", "why", 3, 4, "/x"))


class EndTests(SynchronousTestCase):
    """GoFans: two passes in a row end a game, or a resignation: points of -1, and formally a pass."""

    def sentence(self, moves: bytes, points: bytes = b"") -> str:
        players = b'<player id="0" color="black"%b/><player id="1" color="white"/>' % points
        header = b'<header><board size="9"/><players>%b</players></header>' % players
        found = outcome(b'<game publisher="GoFans" version="1.1">%b<body>%b</body></game>' % (header, moves))
        self.assertEqual(found.code, "imported", found.sentence)
        return found.sentence.partition("; ")[2]

    def test_a_move_after_two_passes(self) -> None:
        passes = b'<move playerId="0"/><move playerId="1"/>'
        self.assertEqual(self.sentence(passes), "")
        after = "move 3 comes after two passes in a row, which end a game"
        self.assertEqual(self.sentence(passes + b'<move playerId="0" x="1" y="1"/>'), after)
        self.assertEqual(self.sentence(passes + b'<move playerId="0"/>'), after)

    def test_a_resignation(self) -> None:
        stone, passed, other = b'<move playerId="0" x="1" y="1"/>', b'<move playerId="0"/>', b'<move playerId="1"/>'
        resigned = b' points="-1"'
        said = "player 0 resigned (points -1), and the last move of player 0 is not a pass"
        self.assertEqual(self.sentence(stone + other, resigned), said)
        self.assertEqual(self.sentence(b"", resigned), said)
        self.assertEqual(self.sentence(stone + other + passed, resigned), "")
        # The formal pass may come after two others.
        self.assertEqual(self.sentence(passed + other + passed, resigned), "")
        self.assertEqual(self.sentence(stone + other, b' points="3"'), "")


class PlaceTests(SynchronousTestCase):
    """What no schema can say is told with its line and XPath, and without an id that is not stored."""

    def test_line_and_xpath(self) -> None:
        lines = GOFANS.split(b"\n")
        for old, new, words, xpath in (
            (b'x="2" y="1">', b'x="2">', "is without y", "/game/body/move[2]"),
            (b'x="2" y="1"', b'x="12" y="1"', "the point 12, 1 is not on the board", "/game/body/move[2]"),
            (b"</setup>", b'<stone x="1" y="2" color="white"/></setup>', "two stones", "/game/body/setup/stone[2]"),
        ):
            text = GOFANS.replace(b"<move", b"<!-- a move --> <move")
            self.assertIn(old, text)
            text = text.replace(old, new, 1)
            found = outcome(text)
            self.assertEqual((found.code, found.xpath), ("not-valid", xpath), found.sentence)
            self.assertIn(words, found.sentence)
            self.assertEqual(found.line, 1 + next(n for n, line in enumerate(text.split(b"\n")) if new[:12] in line))
            self.assertNotIn("record", found.sentence)
        self.assertGreater(len(lines), 5)

    def test_a_player_who_is_not_there(self) -> None:
        text = NESTED.replace(b'playerId="1"', b'playerId="7"', 1)
        found = outcome(text)
        self.assertEqual((found.code, found.sentence), ("not-valid", "not valid GoFans 1.2: there is no player 7"))
        self.assertIsNotNone(found.line)
        self.assertRegex(str(found.xpath), r"\A/game/body/move.*/move")

    def test_a_player_who_is_not_there_in_a_format_whose_schema_says_it(self) -> None:
        # For these, libxml2 knows the line and not the element.
        for version in (b"1.1", b"2.1"):
            text = GOFANS.replace(b'version="2.1"', b'version="%b"' % version)
            if version == b"1.1":
                text = text.replace(b'<remove x="1" y="1"/>', b"")
            for new, xpath in (
                (b'<move playerId="7"/>', "/game/body/move[3]"),
                (b'<move playerId="0" x="7" y="7"/><move playerId="7"/>', "/game/body/move[4]"),
                # As a number it is told as 7.
                (b'<move playerId="07"/>', "/game/body/move[3]"),
            ):
                found = outcome(text.replace(b'<move playerId="1"/>', new, 1))
                self.assertEqual((found.code, found.line, found.xpath), ("not-valid", 15, xpath), found.sentence)
                self.assertIn("7", found.sentence)


class OwnTests(SynchronousTestCase):
    """Records of games that were played in memory, to every kind of end."""

    def assert_imported(self, text: bytes, termination: str, winner: int | None) -> Imported:
        found = outcome(text)
        self.assertEqual(found.code, "imported", found.sentence)
        assert found.summary is not None
        assert found.record is not None
        self.assertEqual((found.summary.termination, found.summary.winner), (termination, winner))
        self.assertIn(b"<id>%b</id>" % found.record.id.encode(), text)
        return found

    LIE = ((1, b"(1,[0,0]).\n"), (0, b"(2,[0,0,4]).\n"))

    def test_a_lie_that_the_referee_noted_is_a_game(self) -> None:
        text = battleship(*self.LIE)
        self.assertIn(b"<finding ", text)
        self.assert_imported(text, "victory", 1)

    def test_other_ends(self) -> None:
        self.assert_imported(battleship(), "idle", 0)
        text = battleship(roles="random")
        loser = re.findall(rb'<drawn at="0" first="(.)"/>', text)
        self.assert_imported(text, "idle", 1 - int(loser[0]))
        self.assert_imported(battleship((0, b"(1,[0,0]).\n"), referee="enforce"), "forfeit", 1)
        self.assert_imported(battleship((0, b"x" * 11), line_bytes=10), "removed", 1)

    def test_lines_that_nobody_understands_are_a_game(self) -> None:
        text = battleship((0, b"\0\xff]]><&\n\xef\xbf\xbe\n \t\n"), (1, b"</line>\n"))
        self.assertEqual(text.count(b'<finding code="illegible"'), 4)
        self.assert_imported(text, "idle", None)

    def test_a_record_of_a_referee_who_stopped_there(self) -> None:
        """Before findings were made of them, such lines ended the judging; other findings did, too."""
        text = battleship((0, b"hello\n"), (1, b"(1,[0,0]).\n"))
        stopped = re.sub(b"<findings>.*</findings>", b'<unjudged entry="3"/>', text, flags=re.DOTALL)
        # The client that said hello is to answer, and is silent.
        self.assert_imported(stopped, "idle", 1)
        self.assertEqual(outcome(stopped.replace(b'entry="3"', b'entry="5"')).code, "illegal")
        text = battleship((0, b"(1,[0,0]).\n(1,[0,0]).\n"))
        stopped = re.sub(b'<finding code="out-of-turn" seat="0" entry="4">.*?</finding>', b"", text)
        stopped = stopped.replace(b"</findings>", b'</findings><unjudged entry="4"/>')
        self.assertNotEqual(stopped, text)
        self.assert_imported(stopped, "idle", None)

    def test_a_lie_that_the_record_hides_is_illegal(self) -> None:
        text = re.sub(b"<findings>.*</findings>", b"", battleship(*self.LIE), flags=re.DOTALL)
        found = outcome(text)
        self.assertEqual(found.code, "illegal")
        self.assertTrue(found.sentence.startswith("entry 4, seat 0: "), found.sentence)

    def test_an_invented_finding_is_illegal(self) -> None:
        invented = b'winner="0"/><findings><finding code="lie" seat="1" entry="5">x</finding></findings>'
        found = outcome(changed(battleship(), b'winner="0"/>', invented))
        self.assertEqual((found.code, found.sentence), ("illegal", "entry 5, seat 1: the rules find no lie there"))

    def test_an_invented_limit_of_the_referee_is_illegal(self) -> None:
        found = outcome(changed(battleship(), b'winner="0"/>', b'winner="0"/><unjudged entry="3"/>'))
        self.assertEqual(found.code, "illegal")

    def test_the_result_must_be_that_of_the_last_entry(self) -> None:
        for old, new in ((b'<result termination="idle" winner="0"/>', b'<result termination="idle" winner="1"/>'),
                         (b'<result termination="idle"', b'<result termination="left"')):  # fmt: skip
            found = outcome(changed(battleship(), old, new))
            self.assertEqual((found.code, found.xpath), ("not-valid", "/game/header/result"))
            self.assertIsNotNone(found.line)
            self.assertIn("the result in the header", found.sentence)

    def test_a_line_without_bytes(self) -> None:
        text = battleship((1, b"(1,[0,0]).\n"))
        text = changed(text, b">(1,[0,0]).</line>", b"/>")
        found = outcome(text)
        self.assertEqual(found.code, "not-valid")
        self.assertIn("is empty, and not in base64", found.sentence)
        self.assertEqual(found.xpath, "/game/body/line")
        self.assertIn(b"<line", text.splitlines()[(found.line or 0) - 1])
        # Records that are made of other programs' documents have no places in these.
        made = check(b"<other><line/></other>", index(), replayers(), {"other": lambda _: parts(text)})
        self.assertEqual((made.code, made.line, made.xpath), ("not-valid", None, None))

    def test_an_entry_whose_values_cannot_be_read(self) -> None:
        source = battleship((1, b"(1,[0,0]).\n"))
        for old, new, xpath in (
            (b'seat="1" name="', b'seat="1" name="&quot;', "/game/body/joined[2]"),
            (b">(1,[0,0]).<", b' encoding="base64">abc<', "/game/body/line"),
        ):
            header, body = source.split(b"<body>")
            text = header + b"<body>" + changed(body, old, new)
            found = outcome(text)
            self.assertEqual((found.code, found.xpath), ("not-valid", xpath), found.sentence)
            self.assertIn(new, text.splitlines()[(found.line or 0) - 1])

    def test_values_that_the_schema_lets_pass(self) -> None:
        for old, new in (
            (b'at="0"', b'at="%b"' % (b"9" * 30)),
            (b'termination="idle"', b'termination=" idle "'),
            (b"<started>2026-", b"<started>9999-"),
        ):
            self.assertIn(outcome(changed(battleship(), old, new)).code, ("imported", "not-valid"), new)


class UnharmedTests(SynchronousTestCase):
    def stored(self, text: bytes) -> Record:
        found = check(text, index(), {}).record
        assert found is not None
        return found

    def test_header_and_body_come_back_equal(self) -> None:
        for text in (UNKNOWN, GOFANS, NESTED, OWN):
            back = document(self.stored(text))
            self.assertTrue(same_nodes(text, back), back)
            self.assertEqual(self.stored(back), self.stored(text))

    def test_the_id_is_made_of_the_content_alone(self) -> None:
        respelt = changed(UNKNOWN, b'k:b="2" a="1"', b"a='1'  k:b='2'").replace(b"<z/>", b"<z></z>")
        self.assertEqual(self.stored(respelt).id, self.stored(UNKNOWN).id)
        self.assertEqual(self.stored(b"<!-- outside -->" + UNKNOWN).id, self.stored(UNKNOWN).id)
        for old, new in ((b"<!-- kept -->", b""), (b"3.0", b"3.1"), (b" text ", b"text"), (b'a="1"', b'a="2"')):
            self.assertNotEqual(self.stored(changed(UNKNOWN, old, new)).id, self.stored(UNKNOWN).id)

    def test_the_id_never_changes(self) -> None:
        self.assertEqual(
            self.stored(b'<game publisher="A" version="1"><header/><body/></game>').id,
            "2d8cbe9a-ba0c-5817-9d09-0f0e394ee0d6",
        )

    def test_a_version_is_any_text(self) -> None:
        for version in ("1.0b", "2011-01", "zwei", "1.0 beta"):
            self.assertEqual(self.stored(changed(UNKNOWN, b"3.0", version.encode())).version, version)

    def test_publisher_and_version_are_tokens(self) -> None:
        spaced = changed(UNKNOWN, b'"Klub L', b'"  Klub \n L').replace(b"3.0", b" 3.0 ")
        self.assertEqual(self.stored(changed(spaced, b"Klub \n L", b"Klub\tL")).publisher, "Klub Löwe")
        self.assertEqual(self.stored(spaced).version, "3.0")

    def test_what_stands_outside_is_reported(self) -> None:
        xsi = b'<game xmlns:x="http://www.w3.org/2001/XMLSchema-instance" x:noNamespaceSchemaLocation="http://x/y.xsd" '
        for text, lost in (
            (b"<!-- a -->" + NESTED, "comments"),
            (NESTED + b"<!-- z -->", "comments"),
            (changed(NESTED, b"<body>", b"<!-- m --><body>"), "comments"),
            (b"<?style x?>" + NESTED, "processing instructions"),
            (changed(NESTED, b"<game ", xsi), "the location of a schema"),
        ):
            (found,) = outcome(text).lost
            self.assertTrue(found.startswith(lost))


class FurtherFormatsTests(SynchronousTestCase):
    SCHEMA = b"""<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="game"><xs:complexType>
        <xs:sequence><xs:element name="header"/><xs:element name="body" type="xs:integer"/></xs:sequence>
        <xs:attribute name="publisher"/><xs:attribute name="version"/></xs:complexType></xs:element></xs:schema>"""
    INDEX = b"""<index>
        <format publisher="%b" version="1.0b" schema="club.xsd" kind="go" playable="%b"/></index>"""

    def directory(self, publisher: bytes = b"Club", playable: bytes = b"false") -> Path:
        folder = Path(self.mktemp())
        folder.mkdir(parents=True)
        (folder / "club.xsd").write_bytes(self.SCHEMA)
        (folder / "club.xml").write_bytes(self.INDEX % (publisher, playable))
        return folder

    def test_a_publisher_is_added_without_code(self) -> None:
        for playable in (b"false", b"true"):
            formats = index(self.directory(playable=playable))
            text = b'<game publisher="Club" version="1.0b"><header/><body>%b</body></game>'
            self.assertEqual(check(text % b"7", formats, {}).code, "imported")
            self.assertEqual(check(text % b"x", formats, {}).code, "not-valid")
            self.assertEqual(check(GOFANS, formats, {}).code, "imported")

    def assert_refused(self, folder: Path, words: str) -> None:
        error = self.assertRaises(ConfigError, index, folder)
        self.assertIn("[store] formats", str(error))
        self.assertIn(words, str(error))

    def test_a_directory_that_is_not_there(self) -> None:
        self.assert_refused(Path("nowhere"), "no directory nowhere")

    def test_an_index_that_cannot_be_used(self) -> None:
        for name, text, words in (
            ("club.xml", b"<index", "not XML"),
            ("club.xml", b'<index standard="S.xsd"><game/></index>', "line 1"),
            ("club.xsd", b"<schema/>", "club.xml"),
            ("club.xsd", None, "club.xsd"),
        ):
            folder = self.directory()
            (folder / name).unlink()
            if text is not None:
                (folder / name).write_bytes(text)
            self.assert_refused(folder, words)

    def test_a_format_of_ours_stays_ours(self) -> None:
        folder = self.directory(b"GoFans")
        (folder / "club.xml").write_bytes((folder / "club.xml").read_bytes().replace(b'"1.0b"', b'"1.1"'))
        self.assert_refused(folder, "GoFans 1.1 has two schemas")


class ReasonTests(SynchronousTestCase):
    BAD = changed(GOFANS, b'size="9"', b'size="many"')

    def test_xmlschema_gives_the_reason_in_a_process_of_the_command_line(self) -> None:
        file = Path(self.mktemp()).resolve()
        file.write_bytes(self.BAD)
        program = "import sys; from gamed.cli import main; main(['check', sys.argv[1]])"
        root = str(Path(gamed.__file__).parents[1])
        found = subprocess.run(
            [sys.executable, "-c", program, str(file)], cwd=root, capture_output=True, text=True, check=False
        )
        self.assertEqual(found.returncode, 1, found.stderr)
        self.assertIn("/game/header/board: attribute size='many': ", found.stdout)

    def test_without_xmlschema_lxml_gives_it(self) -> None:
        with patch.object(index_module, "_explaining", side_effect=AttributeError("__provides__")):
            found = outcome(self.BAD)
        self.assertEqual((found.code, found.line, found.xpath), ("not-valid", 5, "/game/header/board"))
        self.assertTrue(found.sentence.startswith("Element 'board', attribute 'size': "), found.sentence)

    def test_it_is_not_asked_for_large_documents(self) -> None:
        schema = index().formats["GoFans", "2.1"].schema
        many = changed(self.BAD, b"<move", b'<move playerId="0"/>' * 20_000 + b"<move")
        with patch.object(index_module, "_explaining", side_effect=AssertionError):
            self.assertIsNone(reason(parse_whole(many), schema))

    def test_marks_of_zope_do_no_harm(self) -> None:
        program = (
            "import zope.interface.common.collections\n"
            "from tests.records.test_importer import ReasonTests, outcome\n"
            "print(outcome(ReasonTests.BAD).code)"
        )
        root = str(Path(gamed.__file__).parents[1])
        found = subprocess.run([sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=True)
        self.assertEqual(found.stdout, "not-valid\n")


_VALID = (OWN, battleship((1, b"(1,[0,0]).\n"), (0, b"(2,[0,0,4]).\n")), GOFANS, NESTED, UNKNOWN)
_ODD = st.sampled_from([
    b"", b"<", b">", b'"', b"&", b"&#0;", b"-1", b"0", b"9" * 30, b"9" * 5000, b" ", b"\0", b"\xff", b"<!DOCTYPE x>",
    b"<move/>", b"<!-- -->", b"</body>", b'x="1"', b"true", b"1.0", b"2.2", b"e", b"T24:00:00.000Z", b"\xc2\xa0", b"\r",
])  # fmt: skip


class MutationTests(SynchronousTestCase):
    @settings(deadline=None, max_examples=400)
    @given(
        source=st.sampled_from(_VALID),
        places=st.lists(st.tuples(st.floats(0, 1), st.integers(0, 12), _ODD | st.binary(max_size=3)), max_size=4),
    )
    def test_any_change_is_valid_or_refused_with_a_code(
        self, source: bytes, places: list[tuple[float, int, bytes]]
    ) -> None:
        text = source
        for place, length, new in places:
            at = int(place * len(text))
            text = text[:at] + new + text[at + length :]
        self.check(text)

    @settings(deadline=None, max_examples=400)
    @given(source=st.sampled_from(_VALID), data=st.data())
    def test_any_change_of_a_tree_is_too(self, source: bytes, data: st.DataObject) -> None:
        root = etree.fromstring(source)
        for _ in range(data.draw(st.integers(1, 3))):
            elements = [element for element in root.iter("*") if element is not root]
            if not elements:
                break
            self.mutate(data.draw(st.sampled_from(elements)), data)
        self.check(etree.tostring(root))

    def mutate(self, element: etree._Element, data: st.DataObject) -> None:
        parent = element.getparent()
        assert parent is not None
        values = st.sampled_from(
            ["", "-1", "0", "1", "2", " 1 ", "9" * 30, "true", "random", "black", " victory ", '"', '"x']
        )
        kind = data.draw(st.sampled_from(("attribute", "remove", "repeat", "text", "move")))
        if kind == "attribute" and element.attrib:
            element.set(data.draw(st.sampled_from(sorted(map(str, element.attrib)))), data.draw(values))
        elif kind == "remove":
            parent.remove(element)
        elif kind == "repeat":
            parent.append(etree.fromstring(etree.tostring(element, with_tail=False)))
        elif kind == "text":
            element.text = data.draw(values)
        elif element.tag not in ("header", "body"):
            parent.insert(0, element)

    def check(self, text: bytes) -> None:
        found = outcome(text)
        self.assertIn(found.code, CODES)
        self.assertEqual(found.record is not None, found.is_taken)
        if found.record is not None:
            self.assertTrue(same_nodes(document(found.record), document(found.record)))
            again = outcome(document(found.record))
            self.assertEqual((again.code, again.record), (found.code, found.record))


class OlderTests(SynchronousTestCase):
    """Records of version 1.0, with the words that it had."""

    def test_a_drawn_game_of_hive_was_a_victory_without_a_winner(self) -> None:
        game = whole(3)
        self.assertEqual(game.outcome, Outcome(Termination.DRAW))
        game.entries[-1] = ended(0, Outcome(Termination.VICTORY))
        record = older(from_history(game, publisher="gamed-hive", version="1.1", findings=(), unjudged=None))
        found = outcome(document(record))
        self.assertEqual((found.code, found.record), ("imported", record))
        assert found.summary is not None
        self.assertEqual((found.summary.termination, found.summary.winner), ("victory", None))

    def test_the_new_words_are_not_in_it(self) -> None:
        record = older(from_history(whole(3), publisher="gamed-hive", version="1.1", findings=(), unjudged=None))
        found = outcome(document(record))
        self.assertEqual(found.code, "not-valid")
        self.assertIn("termination", found.sentence)
