"""The format index, and documents against their schemas."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

from lxml import etree
from twisted.trial.unittest import SynchronousTestCase

import gamed
from gamed.games.go.convert import convert
from gamed.games.go.gofans import VERSIONS
from gamed.games.softwarechallenge.seasons.hive.replays import write
from gamed.records import index as module
from gamed.records.index import index, schema_directory, validate
from gamed.records.own import from_history
from gamed.records.record import RecordError, document
from gamed.registry import game_types
from tests.games.softwarechallenge.hive.test_replays import SCHEMA as REPLAY_SCHEMA
from tests.games.softwarechallenge.hive.test_replays import whole as hive_game
from tests.records.gogames import captured
from tests.records.gogames import record as go_record
from tests.records.samples import game, older, record
from tests.test_registry import play

GOOD = document(record(game()))
COMMON = "gamed-common.xsd"


def changed(old: bytes, new: bytes) -> bytes:
    """Return the good document with one thing changed."""
    assert old in GOOD
    return GOOD.replace(old, new, 1)


class IndexTests(SynchronousTestCase):
    def test_it_names_the_formats(self) -> None:
        found = index().formats["gamed-battleship", "1.1"]
        self.assertEqual((found.publisher, found.version, found.kind), ("gamed-battleship", "1.1", "battleship"))
        self.assertTrue(found.is_playable)

    def test_schemas_are_compiled_once(self) -> None:
        self.assertIs(index(), index())

    def test_schemas_stand_in_the_package_first_and_in_the_checkout_second(self) -> None:
        root = Path(self.mktemp()).resolve()
        file = root / "gamed" / "records" / "index.py"
        with patch.object(module, "__file__", str(file)):
            self.assertEqual(schema_directory(), root / "schemas")
            (root / "gamed" / "schemas").mkdir(parents=True)
            self.assertEqual(schema_directory(), root / "gamed" / "schemas")

    def test_the_directory_holds_the_index(self) -> None:
        self.assertTrue((schema_directory() / "index.xml").is_file())


class ValidateTests(SynchronousTestCase):
    def assert_refused(self, document: bytes, code: str, line: int | None = None) -> RecordError:
        error: RecordError = self.assertRaises(RecordError, validate, document)
        self.assertEqual((error.code, error.line), (code, line))
        return error

    def test_a_record_of_ours_is_valid(self) -> None:
        validate(GOOD)

    def test_no_xml(self) -> None:
        self.assert_refused(b"", "not-xml", 1)
        self.assert_refused(b"(1,[3,4]).", "not-xml", 1)
        self.assert_refused(b"<game>\n\0</game>", "not-xml", 2)
        self.assert_refused(GOOD + b"<more/>", "not-xml", GOOD.count(b"\n") + 1)

    def test_utf_8_only(self) -> None:
        self.assert_refused(GOOD.decode().encode("utf-16"), "not-xml", 1)
        self.assert_refused(changed(b"127.0.0.1", b"\xff"), "not-xml", 10)

    def test_another_encoding_is_named_with_what_to_do(self) -> None:
        latin = GOOD.replace(b'encoding="UTF-8"', b'encoding="ISO-8859-1"').replace(b"127.0.0.1", b"\xe4")
        for content, name in ((GOOD.decode().encode("utf-16"), "UTF-16"), (latin, "ISO-8859-1")):
            error = self.assertRaises(RecordError, validate, content)
            self.assertEqual(error.code, "not-xml")
            self.assertIn(f"it is in {name}, and records are in UTF-8: convert it", str(error))
            self.assertIn(f"`iconv -f {name} -t UTF-8`", str(error))

    def test_the_declared_encoding_is_not_obeyed(self) -> None:
        validate(GOOD.replace(b'encoding="UTF-8"', b'encoding="ISO-8859-1"').replace(b"127.0.0.1", "ä".encode()))

    def test_a_doctype_is_refused_wherever_it_hides(self) -> None:
        bomb = b'<!DOCTYPE game [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'
        declaration, rest = GOOD.split(b"\n", 1)
        for prolog in (b"", b"\n \t", b"<!-- <game> -->", b"<?pi ?>\n<!-- - -->\r\n", b"<!---->"):
            self.assert_refused(declaration + prolog + bomb + rest, "forbidden")
        self.assert_refused(bomb + rest, "forbidden")
        self.assert_refused(b"\xef\xbb\xbf" + declaration + bomb + rest, "forbidden")

    def test_what_looks_like_a_doctype_is_none(self) -> None:
        validate(changed(b"<game", b"<!-- <!DOCTYPE game> --><game"))
        validate(changed(b"(1,[3,4]).", b"&lt;!DOCTYPE game&gt;"))

    def test_a_long_prolog_is_scanned_in_linear_time(self) -> None:
        declaration, rest = GOOD.split(b"\n", 1)
        validate(declaration + b"<!-- --> <?pi?>\n" * 20_000 + rest)
        self.assert_refused(b"<!--" * 100_000, "not-xml", 1)

    def test_an_undeclared_entity(self) -> None:
        self.assert_refused(changed(b"(1,[3,4]).", b"&xxe;"), "not-xml", 21)

    def test_not_standard(self) -> None:
        for old, new, line in (
            (b' publisher="gamed-battleship"', b"", 2),
            (b'publisher="gamed-battleship"', b'publisher=" "', 2),
            (b'version="1.1">', b'version=" ">', 2),
            (b'version="1.1">', b'version="1.1" more="1">', 2),
            (b"</body>", b"</body><body/>", 26),
        ):
            self.assert_refused(changed(old, new), "not-standard", line)

    def test_an_unknown_format(self) -> None:
        error = self.assert_refused(changed(b'version="1.1">', b'version="9.9">'), "unknown-format")
        self.assertIn("gamed-battleship 9.9", str(error))

    def test_not_valid_says_where_and_why(self) -> None:
        error = self.assert_refused(changed(b'seat="0" name', b'seat="7" name'), "not-valid", 18)
        self.assertTrue(str(error).startswith("line 18: Element 'joined', attribute 'seat'"), str(error))

    def test_battleship_is_strict(self) -> None:
        for old, new in (
            (b'termination="victory"', b'termination="magic"'),
            (b'winner="0"', b'winner="2"'),
            (b"<id>6f0c1f0e", b"<id>6F0C1F0E"),
            (b"09:00:00.000Z", b"09:00:00Z"),
            (b'cornerContact="true"', b'cornerContact="1"'),
            (b'cornerContact="true"', b'cornerContact="true" komi="6.5"'),
            (b'points="1"', b'points="3"'),
            (b'seed="7"', b'seed="x"'),
            (b'at="20"', b'at="-1"'),
            (b'<line at="20"', b'<line why="x" at="20"'),
            (b'<line at="20"', b'<line encoding="hex" at="20"'),
            (b'<started at="12"/>', b'<opened at="12"/>'),
            (b'<ended at="900" termination="victory" winner="0"/>', b""),
        ):
            error = self.assertRaises(RecordError, validate, changed(old, new))
            self.assertEqual(error.code, "not-valid", new)

    def test_codes_of_findings_are_words(self) -> None:
        def with_code(code: bytes) -> bytes:
            finding = b'<finding code="%b" seat="1" entry="5">x</finding>' % code
            return changed(b"</header>", b"<findings>%b</findings></header>" % finding)

        for code in (b"no-legal-fleet", b"lie"):
            validate(with_code(code))
        for code in (b"Lie", b"a--b", b"-a", b"a1", b""):
            self.assertEqual(self.assertRaises(RecordError, validate, with_code(code)).code, "not-valid", code)


# In a process of its own: twisted.internet.testing has zope.interface mark the classes of collections.abc, and
# xmlschema 4.3.2 stumbles over the marks.
SECOND_OPINION = """
import sys, xmlschema
for schema, document in zip(sys.argv[1::2], sys.argv[2::2]):
    print(xmlschema.XMLSchema10(schema, allow="local").is_valid(document))
"""


class SchemaFileTests(SynchronousTestCase):
    """Every schema is itself valid, for both libraries; what it describes is."""

    def files(self) -> list[Path]:
        """Return the schemas, but for what others include: it has types that these define."""
        found = sorted(set(schema_directory().glob("*.xsd")) - {schema_directory() / COMMON})
        self.assertLess(2, len(found))
        return found

    def second_opinion(self, *pairs: tuple[str, Path]) -> list[bool]:
        """Return for each schema and document what xmlschema says."""
        files = [str(file) for schema, document in pairs for file in (schema_directory() / schema, document.resolve())]
        command = [sys.executable, "-c", SECOND_OPINION, *files]
        found = subprocess.run(command, capture_output=True, text=True, check=True)
        return [line == "True" for line in found.stdout.splitlines()]

    def written(self, name: str, document: bytes) -> Path:
        file = Path(f"{self.mktemp()}-{name}.xml")
        file.write_bytes(document)
        return file

    def test_lxml_loads_every_schema(self) -> None:
        for file in self.files():
            etree.XMLSchema(etree.parse(file))

    def test_a_schema_finds_what_it_includes_wherever_it_is(self) -> None:
        further = Path(self.mktemp()) / "Bücher & 100 %"
        shutil.copytree(schema_directory(), further)
        text = (further / "index.xml").read_text().replace('publisher="', 'publisher="another-')
        (further / "index.xml").write_text(text)
        compiled = index(further).formats["another-gamed-battleship", "1.1"].schema.compiled
        self.assertTrue(compiled.validate(etree.fromstring(GOOD)))
        self.assertFalse(
            compiled.validate(etree.fromstring(changed(b'<result termination="', b'<result termination="x')))
        )

    def test_what_is_included_is_in_use(self) -> None:
        root = etree.parse(schema_directory() / COMMON).getroot()
        names = {node.get("name") for node in root if node.get("name")}
        self.assertEqual(
            names, {"entry", "seatEntry", "findings", "refusals", "attestations", "result", "moment", "uuid"}
        )
        for kind in game_types():
            for file in schema_directory().glob(f"gamed-{kind}-*.xsd"):
                text = file.read_text()
                self.assertIn(f'<xs:include schemaLocation="{COMMON}"/>', text, file.name)
                self.assertEqual([name for name in names if f'Type name="{name}"' in text], [], file.name)

    def test_xmlschema_loads_every_schema_and_agrees(self) -> None:
        good = self.written("good", GOOD)
        rough = self.written("rough", changed(b"<started>", b"<begun/><started>"))
        bad = self.written("bad", GOOD.replace(b"body>", b"bodies>"))
        catalogue = schema_directory() / "index.xml"
        cases = {
            ("Standard.xsd", good): True,
            ("Standard.xsd", rough): True,
            ("Standard.xsd", bad): False,
            ("gamed-battleship-1.1.xsd", good): True,
            ("gamed-battleship-1.1.xsd", rough): False,
            ("index.xsd", catalogue): True,
            ("index.xsd", good): False,
        }
        for version in VERSIONS:
            game, _ = convert(captured(), version)
            whole = document(go_record(game, version))
            cases[f"GoFans-{version}.xsd", self.written(version, whole)] = True
            cases[f"GoFans-{version}.xsd", self.written("beside", whole.replace(b' x="1"', b' x="53"', 1))] = False
        for kind, made in game_types().items():
            _, history, _ = play(made, made.settings(), 1)
            for file in schema_directory().glob(f"gamed-{kind}-*.xsd"):
                version = file.stem.rpartition("-")[2]
                names = {"publisher": made.publisher, "version": made.version}
                newest = from_history(history, **names, findings=(), unjudged=None)
                whole = document(newest if version == made.version else older(newest))
                cases[file.name, self.written(kind, whole)] = True
                cases[file.name, self.written("broken", whole.replace(b"<started at", b"<begun at"))] = False
        replay = write(hive_game(1))
        cases[REPLAY_SCHEMA, self.written("replay", replay)] = True
        cases[REPLAY_SCHEMA, self.written("torn", replay.replace(b"board>", b"plank>"))] = False
        self.assertEqual({schema for schema, _ in cases}, {file.name for file in self.files()})
        self.assertEqual(self.second_opinion(*cases), list(cases.values()))

    def test_every_schema_and_every_word_is_documented(self) -> None:
        for file in self.files():
            root = etree.fromstring(file.read_bytes())
            for node in (root, *root.findall("{*}complexType"), *root.findall("{*}simpleType")):
                is_documented = node.find("{*}annotation/{*}documentation") is not None
                covered = node.get("name") in ("header", "body")
                self.assertTrue(is_documented or covered, f"{file.name} {node.get('name')}")

    def test_an_index_names_each_format_once(self) -> None:
        schema = etree.XMLSchema(etree.fromstring((schema_directory() / "index.xsd").read_bytes()))
        root = etree.fromstring((schema_directory() / "index.xml").read_bytes())
        self.assertTrue(schema.validate(root))
        root.append(etree.fromstring(etree.tostring(root[0])))
        self.assertFalse(schema.validate(root))

    def test_the_index_names_files_that_are_there_and_no_others(self) -> None:
        root = etree.fromstring((schema_directory() / "index.xml").read_bytes())
        named = {root.get("standard"), *(entry.get("schema") for entry in root)}
        self.assertEqual(named, {file.name for file in self.files()} - {"index.xsd", REPLAY_SCHEMA})

    def test_records_need_no_network_and_no_reactor(self) -> None:
        program = (
            "import sys, gamed.records.own, gamed.records.index as i; i.index(); "
            "print([name for name in ('twisted', 'socket', 'asyncio') if name in sys.modules])"
        )
        root = str(Path(gamed.__file__).parents[1])
        found = subprocess.run([sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=True)
        self.assertEqual(found.stdout, "[]\n")
