"""gamed's own records: every history survives, and what is written is valid and pleasant."""

from __future__ import annotations

from typing import Any

import attrs
from hypothesis import given, settings
from lxml import etree
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.findings import Finding
from gamed.core.game import Outcome, Termination
from gamed.core.history import DRAWN, LINE, Entry, History, ended
from gamed.records.index import validate
from gamed.records.own import Judgement, from_history, judgement, summary, to_history
from gamed.records.record import Record, RecordError, SeatSummary, Summary, document
from tests.records.samples import LIE, OPTIONS, ROOM, battleship_histories, game, histories, older, record

DOCUMENT = """\
<?xml version="1.0" encoding="UTF-8"?>
<game publisher="gamed-battleship" version="1.1">
  <header>
    <id>6f0c1f0e-7c7e-4c1b-9d5e-2f6d3a1b4c5d</id>
    <opened>2026-11-21T09:00:00.000Z</opened>
    <started>2026-11-21T09:00:00.012Z</started>
    <ended>2026-11-21T09:00:00.900Z</ended>
    <listener>battleship</listener>
    <seats>
      <seat number="0" name="127.0.0.1:4711" first="false" points="1"/>
      <seat number="1" name="[::1]:4712" first="true" points="0"/>
    </seats>
    <options cornerContact="true" referee="observe" roles="first-defends"/>
    <random seed="7"/>
    <result termination="victory" winner="0"/>
    <findings>
      <finding code="no-legal-fleet" seat="1" entry="6">no fleet gives these answers</finding>
    </findings>
    <unjudged entry="7"/>
  </header>
  <body>
    <joined at="0" seat="0" name="127.0.0.1:4711"/>
    <joined at="12" seat="1" name="[::1]:4712"/>
    <started at="12"/>
    <line at="20" seat="1">a &lt;b&gt; &amp; c</line>
    <line at="21" seat="0" encoding="base64">AP8=</line>
    <ended at="900" termination="victory" winner="0"/>
  </body>
</game>
"""


def types(history: History) -> list[Any]:
    """Return what equality does not see: 1 == True."""
    return [
        {name: type(value) for name, value in data.items()}
        for data in (history.options, *(entry.data for entry in history.entries))
    ]


class DocumentTests(SynchronousTestCase):
    def test_a_record_is_pleasant_to_read(self) -> None:
        made = record(game(b"a <b> & c", b"\0\xff"), LIE, unjudged=7)
        self.assertEqual(document(made).decode(), DOCUMENT)
        validate(document(made))

    def test_its_facts_are_columns(self) -> None:
        made = record(game())
        self.assertEqual((made.id, made.publisher, made.version), (ROOM, "gamed-battleship", "1.1"))
        self.assertEqual(made.header[:8] + made.header[-9:], b"<header></header>")
        self.assertEqual(made.body[:6] + made.body[-7:], b"<body></body>")

    def test_a_publisher_is_escaped(self) -> None:
        odd = document(Record("id", 'A&"B"<', "1.0", b"<header/>", b"<body/>"))
        self.assertEqual(etree.fromstring(odd).get("publisher"), 'A&"B"<')

    def test_equal_histories_give_equal_bytes(self) -> None:
        other = game()
        other.options = dict(reversed(list(OPTIONS.items())))
        other.entries[-1] = Entry(900, "ended", data=dict(reversed(list(other.entries[-1].data.items()))))
        self.assertNotEqual(list(other.options), list(game().options))
        self.assertEqual(record(other), record(game()))

    def test_without_a_winner_nobody_has_points(self) -> None:
        header = record(game(winner=None)).header
        self.assertIn(b'<result termination="shutdown"/>', header)
        self.assertNotIn(b"points", header)

    def test_who_began_is_what_chance_drew(self) -> None:
        history = game()
        history.options = {**OPTIONS, "roles": "random"}
        self.assertNotIn(b"first=", record(history).header)
        for first, words in ((0, b'first="true" points="1"'), (1, b'first="false" points="1"')):
            history.entries[2:3] = [Entry(12, DRAWN, data={"first": first}), Entry(12, "started")]
            self.assertIn(words, record(history).header)

    def test_a_game_of_nobody(self) -> None:
        history = game(winner=None)
        del history.entries[:-1]
        validate(document(record(history)))
        self.assertNotIn(b"<seats>", record(history).header)

    def test_findings_come_from_hostile_lines(self) -> None:
        made = record(game(), Finding("odd", 0, 3, "a\0b <x> & \ud800 ]]>"))
        validate(document(made))
        self.assertEqual(judgement(made).findings[0].text, "a\ufffdb <x> & \ufffd ]]>")


class RefusalTests(SynchronousTestCase):
    def assert_refused(self, history: History, reason: str) -> None:
        error = self.assertRaises(RecordError, record, history)
        self.assertIn(reason, str(error))
        self.assertEqual(error.code, "not-valid")

    def test_a_history_without_an_end(self) -> None:
        history = game()
        del history.entries[-1]
        self.assert_refused(history, "has no end")

    def test_names_that_would_not_come_back(self) -> None:
        for name in ("at", "seat", "encoding", "cornerContact", "a__b", "a_1", "_a", "ä", "", "a b", "x:y", "<"):
            for entry in (Entry(1, name, 0), Entry(1, LINE, 0, data={name: 1})):
                history = game()
                history.entries.insert(3, entry)
                self.assert_refused(history, f"cannot hold the name {name!r}")

    def test_a_kind_belongs_to_its_publisher(self) -> None:
        history = game()
        made = record(history)
        history.kind = "go"
        self.assertEqual(record(history).publisher, "gamed-go")
        self.assertNotEqual(record(history), made)

    def test_another_publisher(self) -> None:
        error = self.assertRaises(
            RecordError, from_history, game(), publisher="GoFans", version="1.1", findings=(), unjudged=None
        )
        self.assertIn("GoFans is not the publisher of battleship records", str(error))


class InverseTests(SynchronousTestCase):
    @settings(deadline=None)
    @given(histories())
    def test_any_history_survives(self, history: History) -> None:
        back = to_history(record(history))
        self.assertEqual(back, history)
        self.assertEqual(types(back), types(history))

    @settings(deadline=None)
    @given(histories())
    def test_any_record_is_standard(self, history: History) -> None:
        root = etree.fromstring(document(record(history)))
        self.assertEqual([child.tag for child in root], ["header", "body"])
        self.assertEqual(len(root[1]), len(history.entries))

    @settings(deadline=None)
    @given(battleship_histories())
    def test_whatever_clients_send_the_record_is_valid(self, history: History) -> None:
        made = record(history, LIE)
        validate(document(made))
        self.assertEqual(to_history(made), history)

    @settings(deadline=None)
    @given(battleship_histories())
    def test_an_editor_may_rewrite_the_document(self, history: History) -> None:
        root = etree.fromstring(etree.tostring(etree.fromstring(document(record(history))), encoding="utf-16"))
        header, body = (etree.tostring(node, encoding="utf-8", xml_declaration=False) for node in root)
        self.assertEqual(to_history(Record(history.room, "gamed-battleship", "1.1", header, body)), history)

    def test_bodies_as_text_and_as_base64(self) -> None:
        cases = {
            b"(1,[3,4]).": b">(1,[3,4]).<",
            " blank\tä ".encode(): "> blank\tä <".encode(),
            b"]]>": b">]]&gt;<",
            b"a\nb": b">a\nb<",
            b"": b' encoding="base64"><',
            b"a\r": b' encoding="base64">YQ0=<',
            b"\x1b": b' encoding="base64">Gw==<',
            b"\xff": b' encoding="base64">/w==<',
            b"\xef\xbf\xbe": b' encoding="base64">77++<',
            b"\xed\xa0\x80": b' encoding="base64">7aCA<',
        }
        for line, spelt in cases.items():
            made = record(game(line))
            self.assertIn(b'<line at="20" seat="1"%b/line>' % spelt, made.body)
            self.assertEqual([entry.body for entry in to_history(made).of_kind(LINE)], [line])

    def test_comments_do_not_count(self) -> None:
        made = record(game(b"(1,[3,4])."))
        body = made.body.replace(b"<line", b"<!-- first --><?pi?><line").replace(b"(1,", b"(1,<!-- x -->")
        self.assertEqual(to_history(Record(made.id, made.publisher, made.version, made.header, body)), to_history(made))


class SummaryTests(SynchronousTestCase):
    def test_what_is_searched(self) -> None:
        self.assertEqual(
            summary(record(game())),
            Summary(
                id=ROOM,
                publisher="gamed-battleship",
                version="1.1",
                kind="battleship",
                started="2026-11-21T09:00:00.012Z",
                ended="2026-11-21T09:00:00.900Z",
                termination="victory",
                winner=0,
                length=4,
                seats=(SeatSummary(0, "127.0.0.1:4711", 1.0), SeatSummary(1, "[::1]:4712", 0.0)),
            ),
        )

    def test_the_start_is_when_the_last_seat_was_taken(self) -> None:
        history = game()
        history.entries[1:] = [attrs.evolve(entry, at=entry.at + 25_000) for entry in history.entries[1:]]
        made = record(history)
        self.assertIn(b"<opened>2026-11-21T09:00:00.000Z</opened>", made.header)
        self.assertEqual(to_history(made), history)
        for one in (made, older(made)):
            self.assertEqual(summary(one).started, "2026-11-21T09:00:25.012Z")
            self.assertEqual(summary(one).ended, "2026-11-21T09:00:25.900Z")

    def test_nobody_won(self) -> None:
        found = summary(record(game(winner=None)))
        self.assertEqual((found.termination, found.winner), ("shutdown", None))
        self.assertEqual([seat.points for seat in found.seats], [None, None])

    @settings(deadline=None)
    @given(histories())
    def test_any_history_has_one(self, history: History) -> None:
        found = summary(record(history))
        self.assertEqual(found.length, len(list(history.of_kind(LINE))))
        self.assertEqual(
            [seat.name for seat in found.seats], [entry.data["name"] for entry in history.of_kind("joined")]
        )
        outcome = history.outcome
        assert outcome is not None
        self.assertEqual((found.termination, found.winner), (outcome.termination, outcome.winner))

    def test_the_end_may_be_another_day(self) -> None:
        history = game(started="2026-12-31T23:59:59.999Z")
        history.entries[-1] = ended(1, Outcome(Termination.IDLE))
        self.assertEqual(summary(record(history)).ended, "2027-01-01T00:00:00.000Z")


class JudgementTests(SynchronousTestCase):
    def test_findings_come_back(self) -> None:
        self.assertEqual(judgement(record(game(), LIE, unjudged=7)), Judgement((LIE,), 7))

    def test_nothing_was_found(self) -> None:
        self.assertEqual(judgement(record(game())), Judgement((), None))
        self.assertNotIn(b"finding", record(game()).header)


class BrokenTests(SynchronousTestCase):
    """What stands in a database may have been edited."""

    def assert_not_valid(self, broken: Record, code: str = "not-valid") -> None:
        for read in (to_history, summary):
            self.assertEqual(self.assertRaises(RecordError, read, broken).code, code)

    def changed(self, old: bytes, new: bytes) -> Record:
        made = record(game(), LIE)
        self.assertIn(old, made.header + made.body)
        header, body = (node.replace(old, new) for node in (made.header, made.body))
        return Record(made.id, made.publisher, made.version, header, body)

    def test_a_missing_node(self) -> None:
        self.assert_not_valid(self.changed(b"random", b"chance"))

    def test_a_missing_or_odd_attribute(self) -> None:
        self.assertRaises(RecordError, summary, self.changed(b'winner="', b'winner="nobody'))
        self.assertRaises(RecordError, summary, self.changed(b"<joined at=", b"<joined since="))
        self.assertRaises(RecordError, to_history, self.changed(b'at="12"', b'at="noon"'))
        self.assertRaises(RecordError, judgement, self.changed(b'entry="6"', b""))

    def test_broken_base64(self) -> None:
        self.assertRaises(
            RecordError, to_history, self.changed(b'at="20" seat="1">', b'at="20" seat="1" encoding="base64">')
        )

    def test_a_text_that_begins_with_a_quote_and_is_not_json(self) -> None:
        self.assertRaises(RecordError, to_history, self.changed(b'roles="', b'roles="&quot;'))

    def test_no_xml(self) -> None:
        self.assert_not_valid(self.changed(b"</header>", b""), "not-xml")

    def test_a_foreign_record(self) -> None:
        made = record(game())
        foreign = Record(made.id, "GoFans", "1.1", made.header, made.body)
        self.assert_not_valid(foreign)
        self.assertIn("the publisher is not gamed", str(self.assertRaises(RecordError, summary, foreign)))
