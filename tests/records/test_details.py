"""What an import says by codes, for programs and other languages: violations of schemas and rules, and remarks."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from gamed.games.go.played import REMARKS
from gamed.records.importer import Imported
from gamed.records.index import VIOLATIONS
from gamed.records.record import document
from tests.records.documents import GOFANS, outcome
from tests.records.samples import LIE, game, record


class DetailTests(SynchronousTestCase):
    def imported(self, code: str, *changes: tuple[bytes, bytes], of: bytes = GOFANS) -> Imported:
        """Return the outcome of a document with some changes, which has this code."""
        for old, new in changes:
            self.assertIn(old, of)
            of = of.replace(old, new, 1)
        found = outcome(of)
        self.assertEqual(found.code, code, found.sentence)
        return found

    def test_violations(self) -> None:
        seen = set()
        for old, new, reason, element, attribute in (
            (b"<komi>6.5</komi>", b"<comi>6.5</comi>", "element", "comi", None),
            (b'<board size="9"/>', b"", "element-missing", "header", None),
            (b'x="1" y="2"', b'y="2"', "attribute-missing", "stone", "x"),
            (b'x="1" y="2"', b'x="1" y="2" z="3"', "attribute", "stone", "z"),
            (b'x="1" y="2"', b'x="0" y="2"', "value", "stone", "x"),
            (b"<komi>6.5</komi>", b"<komi>much</komi>", "value", "komi", None),
            (b"<players>", b"<players>text", "text", "players", None),
            (b'playerId="0"', b'playerId="7"', "reference", "move", None),
            (b'<player id="0"', b'<player id="1"', "twice", "player", None),
        ):
            found = self.imported("not-valid", (old, new))
            known = {"reason": reason, "element": element, "attribute": attribute}
            self.assertEqual(found.detail, {key: name for key, name in known.items() if name}, found.sentence)
            seen.add(reason)
        found = self.imported("not-standard", (b' publisher="GoFans"', b""))
        self.assertEqual(found.detail, {"reason": "attribute-missing", "element": "game", "attribute": "publisher"})
        self.assertEqual(seen, set(VIOLATIONS))

    def test_a_move_that_the_rules_reject(self) -> None:
        found = self.imported("illegal", (b'playerId="0" x="2" y="1"', b'playerId="0" x="1" y="2"'))
        self.assertEqual(found.detail, {"reason": "occupied", "move": 2})
        found = self.imported("illegal", of=document(record(game(), LIE)).replace(LIE.code.encode(), b"contact"))
        self.assertEqual(found.detail["reason"], LIE.code)
        self.assertIsInstance(found.detail["move"], int)

    def test_removes_that_are_not_those_of_the_rules(self) -> None:
        found = self.imported("imported", (b'<remove x="1" y="1"/>', b""))
        assert found.summary is not None
        self.assertEqual([remark.code for remark in found.remarks], ["wrong-removes"])
        self.assertIn("move 2, player 0, (2,1): it removes nothing, but by the rules it captures (1,1)", found.sentence)
        self.assertEqual(found.summary.length, 4)

    def test_several_are_one_remark(self) -> None:
        more = (b"</body>", b'<move playerId="0" x="5" y="5"><remove x="2" y="1"/></move></body>')
        found = self.imported("imported", (b'<remove x="1" y="1"/>', b""), more)
        self.assertEqual([remark.code for remark in found.remarks], ["wrong-removes", "after-end"])
        self.assertIn("captures (1,1) (1 more move does so)", found.sentence)

    def test_the_remarks_on_an_end(self) -> None:
        found = self.imported(
            "imported", (b' points="45"', b' points="-1"'), (b"</body>", b'<move playerId="0" x="9" y="9"/></body>')
        )
        self.assertEqual([remark.code for remark in found.remarks], ["after-end", "resigned-without-pass"])
        self.assertLess({remark.code for remark in found.remarks}, set(REMARKS))
