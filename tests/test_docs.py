"""The documents agree with the code: defaults, codes, commands, examples."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import attrs
from click.testing import CliRunner
from twisted.trial.unittest import SynchronousTestCase

from gamed.cli import main
from gamed.config import ConsoleConfig, ControlConfig, StoreConfig, WebConfig, load, structure
from gamed.core import referee
from gamed.core.errors import RuleError
from gamed.core.game import Termination
from gamed.games.battleship import Settings, fleet, rules
from gamed.records.index import validate
from gamed.records.own import judgement
from gamed.registry import games
from gamed.testing.harness import Harness

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
CONFIGURATION = ROOT / "etc" / "gamed.toml"
BATTLESHIP = ROOT / "docs" / "reference" / "battleship.md"
INSTALL = ROOT / "docs" / "howto" / "install.md"
OPERATE = ROOT / "docs" / "howto" / "operate.md"
METRICS = ROOT / "docs" / "reference" / "metrics.md"
DESIGN = ROOT / "docs" / "topics" / "design.md"


def section(page: Path, heading: str) -> str:
    """Return the text below a heading of the second level."""
    _, _, rest = page.read_text().partition(f"\n## {heading}\n")
    assert rest, heading
    return rest.partition("\n## ")[0]


def first_cells(text: str) -> list[str]:
    """Return the code in the first cell of each row of the tables in a text."""
    return re.findall(r"^\| `([^`]+)` \|", text, re.MULTILINE)


def blocks(page: Path, language: str) -> list[str]:
    """Return the code blocks in a language."""
    return re.findall(rf"^```{language}\n(.*?)\n```$", page.read_text(), re.DOTALL | re.MULTILINE)


class ConfigurationTests(SynchronousTestCase):
    def setUp(self) -> None:
        # Words follow "# "; keys and sections follow "#" without a blank.
        self.text = re.sub(r"^#(?=\S)", "", CONFIGURATION.read_text(), flags=re.MULTILINE)
        self.tree: dict[str, dict[str, Any]] = tomllib.loads(self.text)

    def test_as_it_is_it_changes_nothing(self) -> None:
        self.assertEqual(load(str(CONFIGURATION)), structure({}, CONFIGURATION.parent))

    def test_it_has_every_section(self) -> None:
        self.assertEqual(set(self.tree), {"store", "console", "web", "control", *games()})

    def test_it_has_every_key(self) -> None:
        classes: dict[str, type[Any]] = {
            "store": StoreConfig,
            "console": ConsoleConfig,
            "web": WebConfig,
            "control": ControlConfig,
            **{name: maker.load().settings for name, maker in games().items()},
        }
        for name, cls in classes.items():
            self.assertCountEqual(self.tree[name], [field.name for field in attrs.fields(cls)], name)

    def test_its_values_are_the_defaults(self) -> None:
        loaded = structure(self.tree, ROOT)
        self.assertEqual(loaded.store, StoreConfig().below(ROOT))
        self.assertEqual(loaded.web, WebConfig())
        self.assertEqual(loaded.console, ConsoleConfig())
        self.assertEqual(loaded.control.lease_seconds, ControlConfig().lease_seconds)
        self.assertEqual(loaded.control.endpoint, f"unix:{StoreConfig().below(ROOT).control}")
        for name, maker in games().items():
            self.assertEqual(attrs.evolve(loaded.listeners[name], endpoint=None), maker.load().settings(), name)

    def test_its_endpoints_are_the_standard_ones(self) -> None:
        for name, maker in games().items():
            self.assertEqual(self.tree[name]["endpoint"], f"tcp6:{maker.port}:interface=\\:\\:")


class CommandTests(SynchronousTestCase):
    def test_the_commands_of_the_readme_exist(self) -> None:
        commands = re.findall(r"\.venv/bin/gamed ((?:[a-z]+ ?)+)([^&;\n]*)", README.read_text())
        self.assertGreater(len(commands), 3)
        for words, rest in commands:
            found = CliRunner().invoke(main, [*words.split(), "--help"])
            self.assertEqual(found.exit_code, 0, f"gamed {words}: {found.output}")
            for option in re.findall(r"--[a-z-]+", rest):
                self.assertIn(option, found.output, f"gamed {words}")

    def test_the_targets_of_the_readme_exist(self) -> None:
        targets = re.findall(r"^    make (\w+)", README.read_text(), re.MULTILINE)
        self.assertGreater(len(targets), 3)
        for target in targets:
            self.assertRegex((ROOT / "Makefile").read_text(), rf"(?m)^{target}:")

    def test_the_ports_of_the_readme_are_those_of_the_plugin(self) -> None:
        rows = re.findall(r"^\| ([\w-]+)[^|]*\| (\d+) \|[^|]*\|$", README.read_text(), re.MULTILINE)
        shown = {name.lower().replace("-", ""): int(port) for name, port in rows}
        self.assertEqual(shown, {maker.name: maker.port for maker in games().values()})


def raised(module: ModuleType) -> set[str]:
    """Return the codes of the rule errors that a module raises: the given one, or that of the class."""
    codes = set()
    for call in ast.walk(ast.parse(Path(str(module.__file__)).read_text())):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
            made = getattr(module, call.func.id, None)
            if isinstance(made, type) and issubclass(made, RuleError):
                given = [keyword.value for keyword in call.keywords if keyword.arg == "code"]
                codes.add(ast.literal_eval(given[0]) if given else made.code)
    return codes


class BattleshipPageTests(SynchronousTestCase):
    def test_every_finding_is_there(self) -> None:
        shown = first_cells(section(BATTLESHIP, "The referee"))
        self.assertEqual(sorted(shown), sorted(raised(rules) | raised(fleet) | raised(referee)))

    def test_every_termination_is_there(self) -> None:
        # This game has no time limits for moves, no draws, and no word for a goodbye.
        others = {"time", "draw", "resigned"}
        self.assertEqual({*first_cells(section(BATTLESHIP, "Ends")), *others}, set(map(str, Termination)))

    def test_every_key_is_there_with_its_default(self) -> None:
        rows = re.findall(r"^\| `(\w+)` \| (.+?) \|", section(BATTLESHIP, "Limits"), re.MULTILINE)
        self.assertCountEqual([name for name, _ in rows], [field.name for field in attrs.fields(Settings)])
        for name, shown in rows:
            default = getattr(Settings(), name)
            if default is None:
                self.assertEqual(shown, "left out")
            else:
                self.assertEqual(tomllib.loads(f"value = {shown.strip('`')}"), {"value": default}, name)

    def test_the_example_of_a_record_is_valid(self) -> None:
        (document,) = blocks(BATTLESHIP, "xml")
        validate(document.encode())

    def test_the_session_happens_as_it_is_told(self) -> None:
        harness = Harness("battleship", Settings())
        wires: dict[str, Any] = {}
        seen: dict[str, list[bytes]] = {}
        (session,) = blocks(BATTLESHIP, "text")
        for line in session.splitlines():
            who, verb, *what = line.split()
            if verb == "connects":
                wires[who], seen[who] = harness.connect(), []
            elif verb == "types":
                wires[who].send(what[0].encode() + b"\n")
            elif verb == "sees":
                seen[who].append(what[0].encode() + b"\r")
                self.assertTrue(wires[who].received.startswith(b"".join(seen[who])), line)
            else:
                self.assertEqual((verb, what), ("is", ["closed"]))
                self.assertTrue(wires[who].is_closed)
        for who, wire in wires.items():
            self.assertEqual(wire.received, b"".join(seen[who]))
        harness.settle()
        (document,) = blocks(BATTLESHIP, "xml")
        self.check_record(harness, document)

    def check_record(self, harness: Harness, document: str) -> None:
        """Compare the record of the session with the one on the page, except for times and addresses."""
        (record,) = harness.store.records.values()
        lines = re.findall(r"<line .*?</line>", record.body.decode())
        self.assertEqual([without_time(line) for line in lines],
                         [without_time(line) for line in re.findall(r"<line .*?</line>", document)])  # fmt: skip
        (finding,) = judgement(record).findings
        self.assertIn(f'seat="{finding.seat}" entry="{finding.entry}">{finding.text}<', document)
        self.assertIn(f"`{finding.code}, seat {finding.seat}, entry {finding.entry}`", BATTLESHIP.read_text())


def without_time(line: str) -> str:
    """Return an entry of a record without its offset."""
    return re.sub(r' at="\d+"', "", line)


class OperationTests(SynchronousTestCase):
    """The pages for administrators, which .ci/run follows, and the examples in etc/, which it checks."""

    def test_the_table_of_ports_is_complete(self) -> None:
        rows = re.findall(
            r"^\| `(\d+)` \| `\[(\w+)\]( telnet)?` \| ([^|]+) \|", section(OPERATE, "Ports"), re.MULTILINE
        )
        shown = {name: (int(port), on) for port, name, _, on in rows}
        expected = {name: (maker.port, "all interfaces") for name, maker in games().items()}
        loopback = {"web": WebConfig().endpoint, "console": ConsoleConfig().telnet}
        for name, endpoint in loopback.items():
            _, port, interface = endpoint.split(":")
            expected[name] = (int(port), interface.removeprefix("interface="))
        self.assertEqual(shown, expected)

    def test_the_firewall_lets_all_players_in(self) -> None:
        (rules,) = blocks(OPERATE, "nft")
        (shown,) = re.findall(r"dport \{ ([\d, ]+) \} accept comment \"players\"", rules)
        self.assertEqual({int(port) for port in shown.split(", ")}, {maker.port for maker in games().values()})

    def test_alerts_and_dashboard_ask_for_metrics_that_exist(self) -> None:
        known = set(first_cells(METRICS.read_text()))
        for path in (ROOT / "etc" / "prometheus" / "gamed.rules.yml", ROOT / "etc" / "grafana" / "gamed.json"):
            asked = set(re.findall(r"\bgamed_\w+", path.read_text()))
            self.assertGreater(len(asked), 5)
            self.assertEqual({re.sub("_(bucket|sum|count)$", "", name) for name in asked} - known, set(), path.name)

    def test_every_alert_is_tried(self) -> None:
        alerts = re.findall(r"alert: (\w+)", (ROOT / "etc" / "prometheus" / "gamed.rules.yml").read_text())
        tried = (ROOT / "tests" / "alerts.yml").read_text()
        self.assertEqual([name for name in alerts if f'alertname="{name}"' not in tried], [])

    def test_the_dashboard_is_json(self) -> None:
        self.assertEqual(json.loads((ROOT / "etc" / "grafana" / "gamed.json").read_text())["uid"], "gamed")

    def test_the_configurations_in_the_examples_can_be_loaded(self) -> None:
        config = load(str(ROOT / "etc" / "container" / "gamed.toml"))
        self.assertEqual(config.web.endpoint, "tcp:8054")
        framed, proxied = (structure(tomllib.loads(block), ROOT).web for block in blocks(OPERATE, "toml"))
        self.assertEqual(framed.frame_ancestors, "https://course.example.org")
        self.assertEqual(proxied.proxies, "127.0.0.1")

    def test_what_is_installed_from_is_there(self) -> None:
        named = re.findall(r"/opt/gamed/share/gamed/(\S+)", "".join(blocks(INSTALL, "sh")))
        self.assertGreater(len(named), 3)
        for pattern in named:
            self.assertTrue(pattern.startswith("man/") or list(ROOT.glob(pattern)), pattern)

    def test_the_unit_says_where_its_documents_are(self) -> None:
        (line,) = re.findall(r"^Documentation=(.*)$", (ROOT / "etc/systemd/gamed.service").read_text(), re.MULTILINE)
        folder = "file:/opt/gamed/share/gamed/"
        self.assertIn(folder.removeprefix("file:"), INSTALL.read_text())
        for where in line.split():
            self.assertTrue(where == "man:gamed(1)" or (ROOT / where.removeprefix(folder)).is_file(), where)


class DesignPageTests(SynchronousTestCase):
    def test_where_it_differs_names_what_is_in_the_code(self) -> None:
        rows = section(DESIGN, "Where this differs from the first design")
        cells = re.findall(r"^\|.*?\|(.*?)\|", rows, re.MULTILINE)[2:]
        names = {name for cell in cells for name in re.findall(r"`(?:\w+\.)*?(\w+)(?:\.py)?[^`/.]*`", cell)}
        code = "\n".join(f"{path.stem}\n{path.read_text()}" for path in (ROOT / "gamed").rglob("*.py"))
        self.assertGreater(len(names), 20)
        self.assertEqual([name for name in sorted(names) if not re.search(rf"\b{name}\b", code)], [])
