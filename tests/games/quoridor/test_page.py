"""The reference page says what the code does: calls, keys, ends, findings, the session, the record."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import attrs
from lxml import etree
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.game import Termination
from gamed.games.quoridor import Settings, mistakes, reception, rules, table, wire
from gamed.games.quoridor.messages import DUMMY, NOTHING, Placed, Word, understood
from gamed.games.quoridor.signup import Call
from gamed.games.quoridor.wire import Accepted, Registered, UniverseConnection
from gamed.records.index import index, validate
from gamed.records.own import judgement
from gamed.testing.harness import Harness
from gamed.wire import datums, sexpr
from gamed.wire.datums import Datum
from gamed.wire.sexpr import DatumReader
from tests.games.quoridor.test_mistakes import MEANINGLESS
from tests.games.quoridor.worlds import universe
from tests.test_docs import blocks, first_cells, raised, section, without_time

PAGE = Path(__file__).resolve().parents[3] / "docs" / "reference" / "quoridor.md"
XS = "{http://www.w3.org/2001/XMLSchema}"


class PageTests(SynchronousTestCase):
    def test_every_call_is_there(self) -> None:
        self.assertEqual(first_cells(section(PAGE, "What worlds are told")), [call.value for call in Call])

    def test_every_message_is_there_and_no_other(self) -> None:
        rows = re.findall(r"^\| (`\(.*?) \| ", section(PAGE, "What worlds send"), re.MULTILINE)
        forms = [form.replace("X", "3").replace("Y", "4.0") for row in rows for form in re.findall(r"`(.*?)`", row)]
        meant = [understood(self.datum(form)) for form in forms]
        words, moves = meant[:2] + meant[-1:], meant[2:-1]
        self.assertEqual(sorted(map(str, words)), sorted(Word))
        self.assertEqual(
            [move.written for move in moves if isinstance(move, Placed)],
            ["(player 3 4.0 4.0)", "(wall 3 4.0 horizontal)", "(wall 3 4.0 vertical)"],
        )

    def datum(self, text: str) -> Datum:
        reader = DatumReader(1_000, 10)
        reader.receive_data(text.encode() + b"\n")
        ((found, _, _),) = reader.messages()
        return found

    def test_the_registration_is_there(self) -> None:
        shown = re.findall(r"^\| `(\(.*?)` \| (\w+)", section(PAGE, "Data"), re.MULTILINE)
        (registered, world), (answer, server) = shown
        connection = UniverseConnection(DatumReader(1_000, 10))
        connection.receive_data(registered.encode() + b"\n")
        self.assertEqual(list(connection.events()), [Registered("NAME")])
        self.assertEqual(connection.send(Accepted()), answer.encode() + b"\n")
        self.assertEqual((world, server), ("world", "server"))

    def test_what_stands_in_mails_without_a_move(self) -> None:
        rows = re.findall(r"^\| `\S+` \| (.+?) \| `(.+?)` \|", section(PAGE, "What worlds are told"), re.MULTILINE)
        self.assertEqual({move for _, move in rows}, {NOTHING, DUMMY})
        self.assertEqual({number for number, move in rows if move == NOTHING}, {"0", "who begins"})

    def test_every_finding_is_there(self) -> None:
        self.assertEqual(sorted(first_cells(section(PAGE, "The referee"))), sorted(self.illegal()))

    def illegal(self) -> set[str]:
        """Return the codes of illegal moves; invalid ones do not have the shape of a move."""
        return {code for code in raised(rules) if code.startswith(("pawn-", "wall-", "no-"))}

    def test_every_refusal_is_there(self) -> None:
        sources = [
            Path(str(module.__file__)).read_text() for module in (mistakes, reception, table, wire, datums, sexpr)
        ]
        made = {code for source in sources for code in re.findall(r'(?:Refusal\(|code=)\s*"([a-z-]+)"', source)}
        made |= {*MEANINGLESS.values(), "left", "not-reading"}
        # The setup of a table, and what is said to a server.
        made -= {"first", "not-accepted"}
        self.assertEqual(sorted(first_cells(section(PAGE, "Refused messages"))), sorted(made))

    def test_every_termination_that_can_be_is_there_and_in_the_schema(self) -> None:
        shown = set(first_cells(section(PAGE, "Ends")))
        schema = etree.parse(index().formats["gamed-quoridor", "1.1"].schema.file)
        values = schema.iterfind(f".//{XS}simpleType[@name='termination']//{XS}enumeration")
        self.assertEqual({value.get("value") for value in values}, shown)
        self.assertEqual(set(map(str, Termination)) - shown, {"draw", "forfeit", "idle", "resigned"})

    def test_every_key_is_there_with_its_default(self) -> None:
        rows = re.findall(r"^\| `(\w+)` \| (.+?) \|", section(PAGE, "Limits"), re.MULTILINE)
        self.assertCountEqual([name for name, _ in rows], [field.name for field in attrs.fields(Settings)])
        for name, shown in rows:
            default = getattr(Settings(), name)
            if default is None:
                self.assertEqual(shown, "left out")
            else:
                self.assertEqual(tomllib.loads(f"value = {shown.strip('`')}"), {"value": default}, name)

    def test_the_example_of_a_record_is_valid(self) -> None:
        (document,) = blocks(PAGE, "xml")
        validate(document.encode())

    def test_the_session_happens_as_it_is_told(self) -> None:
        harness = universe()
        wires: dict[str, Any] = {}
        seen: dict[str, bytes] = {}
        (session,) = blocks(PAGE, "text")
        for line in session.splitlines():
            who, verb, *what = line.split(maxsplit=2)
            if verb == "connects":
                wires[who], seen[who] = harness.connect(), b""
            elif verb == "types":
                self.check_read(wires, seen, line)
                wires[who].send(f"{what[0]}\n".encode())
            elif verb == "sees":
                seen[who] += f"{what[0]}\n".encode()
            elif verb == "closes":
                wires[who].leave()
            else:
                self.assertEqual((verb, what), ("is", ["closed"]))
                self.assertTrue(wires[who].is_closed)
        self.check_read(wires, seen, "the end")
        harness.settle()
        (document,) = blocks(PAGE, "xml")
        self.check_record(harness, document)

    def check_read(self, wires: dict[str, Any], seen: dict[str, bytes], line: str) -> None:
        """Before anybody types, all that has come is told."""
        self.assertEqual({who: wire.received for who, wire in wires.items()}, seen, line)

    def check_record(self, harness: Harness, document: str) -> None:
        """Compare the first record of the session with the one that the page shows, times aside."""
        record, second = harness.store.records.values()
        entries = re.findall(r"<(?:joined|started|move|ended) at.*", document.partition("<body>")[2])
        found = re.findall(r"<(?:joined|started|move|ended) at.*", record.body.decode())
        self.assertEqual([without_time(entry) for entry in found], [without_time(entry) for entry in entries])
        (finding,) = judgement(record).findings
        self.assertIn(f'seat="{finding.seat}" entry="{finding.entry}">{finding.text}<', document)
        told = f"`{finding.code}, seat {finding.seat}, entry {finding.entry}`"
        self.assertIn(told, PAGE.read_text().replace("\n", " "))
        self.assertEqual(judgement(second).findings, ())
