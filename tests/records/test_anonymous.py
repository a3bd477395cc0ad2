"""A person's name taken out of records: all of it, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping

import attrs
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.findings import Finding
from gamed.core.game import Outcome, Termination
from gamed.core.history import JOINED, REFUSED, Entry, History, Value, ended
from gamed.games.go import gofans
from gamed.games.go.convert import convert
from gamed.games.go.tree import Player
from gamed.records import own
from gamed.records.anonymous import CHANGED, FAILED, FOREIGN, MENTIONED, NEUTRAL, Person, anonymised
from gamed.records.canonical import is_same
from gamed.records.importer import check
from gamed.records.index import index, validate
from gamed.records.record import Record, document
from gamed.replayers import readers, replayers
from tests.games.softwarechallenge.hive.test_replays import history as hive
from tests.records.documents import GOFANS, UNKNOWN
from tests.records.gogames import captured
from tests.records.gogames import record as go_record
from tests.records.samples import AWKWARD, game, record

ADA, BOB = "Ada", "Bob"


def taken(document: bytes) -> Record:
    """Return what an import of a document stores."""
    found = check(document, index(), replayers(), readers()).record
    assert found is not None
    return found


def seated(*names: str, hint: str | None = None) -> History:
    """Return a game of Hive between players of these names."""
    end = ended(0, Outcome(Termination.CANCELLED))
    played = hive(["O 0,0 1,1 2,2", "S Q 0,1"], end, hints={0: hint} if hint else None)
    played.entries[:2] = [Entry(0, JOINED, seat, data={"name": name}) for seat, name in enumerate(names)]
    return played


def kept(history: History, *findings: Finding) -> Record:
    """Return a history's record, which must be valid."""
    made = record(history, *findings)
    validate(document(made))
    return made


class OwnTests(SynchronousTestCase):
    def changed(self, before: Record, name: str = ADA) -> Record:
        outcome = anonymised(before, Person.of(name))
        assert outcome is not None
        self.assertEqual(outcome.code, CHANGED, outcome.reason)
        after = outcome.record
        assert after is not None
        validate(document(after))
        return after

    def names(self, found: Record) -> list[str]:
        seats = [seat.name for seat in own.summary(found).seats]
        header = etree.fromstring(found.header)
        self.assertEqual([str(seat.get("name")) for seat in header.iterfind("seats/seat")], seats)
        return seats

    def test_all_but_the_name_stays(self) -> None:
        before = kept(seated(ADA, BOB))
        wanted = kept(seated(NEUTRAL, BOB))
        after = self.changed(before)
        self.assertEqual((after.id, is_same(after, wanted)), (before.id, True))
        self.assertEqual(own.to_history(after), own.to_history(wanted))

    def test_nothing_is_left_to_do(self) -> None:
        self.assertIsNone(anonymised(self.changed(kept(seated(ADA, BOB))), Person.of(ADA)))

    def test_a_name_that_is_a_part_of_another_is_not_touched(self) -> None:
        for other in ("Ada Lovelace", "Adam", "ada", "Ada-Maria", "Ada & Bob", "ADA"):
            self.assertEqual(self.names(self.changed(kept(seated(ADA, other)))), [NEUTRAL, other])
            self.assertIsNone(anonymised(kept(seated(other, BOB)), Person.of(ADA)), other)

    def test_in_texts_the_name_alone_is_changed(self) -> None:
        text = "Ada beat Ada Lovelace; Adam and (Ada) saw Ada's move"
        after = self.changed(kept(seated(ADA, "Ada Lovelace", hint=text), Finding("bee-duty", 0, 3, text)))
        wanted = "anonymous beat Ada Lovelace; Adam and (anonymous) saw anonymous's move"
        (finding,) = own.judgement(after).findings
        self.assertEqual(finding.text, wanted)
        hints = [entry.data["hint"] for entry in own.to_history(after).entries if "hint" in entry.data]
        self.assertEqual(hints, [wanted])

    def test_in_what_was_refused(self) -> None:
        before = seated(ADA, BOB)
        said = {"reason": "Ada is no robot", "expected": "not Ada"}
        data: Mapping[str, Value] = {"code": "unknown-name", "entry": 3, **said}
        before.refused = (Entry(0, REFUSED, 1, b"TNR(Ada,E)", data),)
        (found,) = own.to_history(self.changed(kept(before))).refused
        self.assertEqual(found.body, b"TNR(anonymous,E)")
        self.assertEqual((found.data["reason"], found.data["expected"]), ("anonymous is no robot", "not anonymous"))

    def test_a_text_alone_may_mean_somebody_else(self) -> None:
        outcome = anonymised(kept(seated(BOB, "Ada Lovelace", hint="bravo, Ada")), Person.of(ADA))
        assert outcome is not None
        self.assertEqual((outcome.code, outcome.record), (MENTIONED, None))
        self.assertIsNone(anonymised(kept(seated(BOB, "Ada Lovelace", hint="Ada Lovelace")), Person.of(ADA)))

    def test_moves_stay_whatever_they_say(self) -> None:
        before = game(b"(1,[3,4]).", b"Ada")
        before.entries[0] = Entry(0, JOINED, 0, data={"name": "3"})
        for name in ("3", "Ada"):
            before.entries[1] = Entry(0, JOINED, 1, data={"name": name})
            after = own.to_history(self.changed(kept(before), name))
            self.assertEqual([entry.body for entry in after.of_kind("line")], [b"(1,[3,4]).", b"Ada"])

    def test_a_second_one_in_a_game_gets_another_name(self) -> None:
        once = self.changed(kept(seated(ADA, BOB)))
        self.assertEqual(self.names(self.changed(once, BOB)), [NEUTRAL, NEUTRAL + "x"])

    def test_an_address_with_any_port(self) -> None:
        for address, name, others in (
            ("127.0.0.1", "127.0.0.1:4711", ("127.0.0.11:4711", "1.127.0.0.1", "[::1]:4711", "127.0.0.1:x")),
            ("::1", "[::1]:4712", ("[::12]:4712", "[a::1]:4712", "127.0.0.1:4712")),
            ("0:0:0:0:0:0:0:1", "[::1]:4712", ()),
            ("127.0.0.1:4711", "127.0.0.1:4711", ("127.0.0.1:47110", "127.0.0.1")),
            ("192.0.2.7", "192.0.2.7", ("192.0.2.70", "192.0.2.7.5")),
        ):
            self.assertEqual(self.names(self.changed(kept(seated(name, BOB)), address)), [NEUTRAL, BOB])
            for other in others:
                self.assertIsNone(anonymised(kept(seated(other, BOB)), Person.of(address)), other)

    @settings(max_examples=25)
    @given(st.sampled_from(AWKWARD) | st.text(min_size=1, max_size=8))
    def test_whatever_it_is_called(self, name: str) -> None:
        before = seated(name, BOB)
        # Half a character is not in a name that is typed.
        if name == BOB or NEUTRAL in name or any("\ud800" <= char <= "\udfff" for char in name):
            return
        after = self.changed(record(before), name)
        self.assertEqual([seat.name for seat in own.summary(after).seats], [NEUTRAL, BOB])

    def test_what_cannot_be_understood_is_said(self) -> None:
        before = kept(seated(ADA, BOB))
        broken = attrs.evolve(before, body=before.body.replace(b'"Bob"', b'"&quot;Bob"'))
        outcome = anonymised(broken, Person.of(ADA))
        assert outcome is not None
        self.assertEqual((outcome.code, outcome.record), (FAILED, None))
        torn = anonymised(attrs.evolve(before, body=b"<body>"), Person.of(ADA))
        assert torn is not None
        self.assertEqual(torn.code, FAILED)


class ImportedTests(SynchronousTestCase):
    def changed(self, before: Record, name: str) -> Record:
        outcome = anonymised(before, Person.of(name))
        assert outcome is not None
        assert outcome.record is not None, outcome
        return outcome.record

    def test_the_id_stands_for_the_new_content(self) -> None:
        before = taken(GOFANS)
        after = self.changed(before, "Anna")
        self.assertNotEqual(after.id, before.id)
        self.assertEqual(taken(document(after)).id, after.id)
        self.assertEqual(after, taken(GOFANS.replace(b'"Anna"', b'"anonymous"')))

    def test_titles_and_comments_of_all_versions(self) -> None:
        for version in gofans.VERSIONS:
            played = convert(captured(), version)[0]
            played.players = (Player(0, "Anna", "3d", "black"), Player(1, "Anna Berg", color="white"))
            played.title, played.event = "Anna - Anna Berg", "Annapolis"
            played.roots[0].comment = "Anna thinks"
            before = go_record(played, version)
            after = gofans.read(self.changed(before, "Anna"))
            self.assertEqual([player.name for player in after.players], ["anonymous", "Anna Berg"])
            texts = (after.title, after.event, after.roots[0].comment)
            self.assertEqual(texts, ("anonymous - Anna Berg", "Annapolis", "anonymous thinks"))

    def test_comments_of_the_document(self) -> None:
        before = taken(GOFANS.replace(b"<header>", b"<header><!-- Anna's --><?by Anna?>"))
        self.assertIn(b"<!-- anonymous's --><?by anonymous?>", self.changed(before, "Anna").header)

    def test_what_gamed_does_not_read_stays_as_it_is_and_is_said(self) -> None:
        signed = UNKNOWN.replace(b"<z/>", b"<Signature xmlns='http://www.w3.org/2000/09/xmldsig#'>Anna</Signature>")
        for text in (signed, UNKNOWN.replace(b'a="1"', b'a="von Anna"'), UNKNOWN.replace(b"kept?", b"Anna?")):
            outcome = anonymised(taken(text), Person.of("Anna"))
            assert outcome is not None
            self.assertEqual((outcome.code, outcome.record), (FOREIGN, None))
            self.assertIsNone(anonymised(taken(text), Person.of("Ann")))
