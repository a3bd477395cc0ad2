"""docs/reference/software-challenge.md says what the code does."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any, get_args
from xml.etree.ElementTree import fromstring

import attrs
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.passwords import FIRST_DELAY, LONGEST_DELAY
from gamed.games.softwarechallenge import Settings, messages, reception, rooms, table, wire
from gamed.games.softwarechallenge.dialect import IN_2020
from gamed.games.softwarechallenge.season import Cause
from gamed.games.softwarechallenge.seasons.hive import checks
from gamed.games.softwarechallenge.seasons.hive import wire as hive
from gamed.games.softwarechallenge.seasons.hive.board import BITS, CELLS, INDEX, RADIUS, around, gathered
from gamed.games.softwarechallenge.seasons.hive.checks import TEXTS
from gamed.games.softwarechallenge.seasons.hive.moves import TYPES, Move
from gamed.games.softwarechallenge.seasons.hive.wire import GAME_TYPES
from gamed.net.outbox import LINGER
from gamed.wire import xmlstream
from gamed.wire.xmlstream import Element
from tests.games.softwarechallenge.differences import DIFFERENCES, FAREWELLS
from tests.games.softwarechallenge.harness import Client, SeasonHarness
from tests.games.softwarechallenge.recorded import scenarios

PAGE = Path(__file__).resolve().parents[3] / "docs" / "reference" / "software-challenge.md"
SERVERS = [Path(module.__file__) for module in (reception, rooms, table, wire, hive, checks, xmlstream)]
"""The modules that refuse what clients say."""
REFUSED = re.compile(r"(?:_Kick\(|Refusal\(|code=|_report\(\w+, \w+, )\s*\"([a-z-]+)\"")
ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def section(heading: str) -> str:
    """Return what stands below a heading of the second level."""
    _, _, rest = PAGE.read_text("utf-8").partition(f"\n## {heading}\n")
    assert rest, heading
    return rest.partition("\n## ")[0]


def rows(text: str) -> list[list[str]]:
    """Return the cells of all rows of the tables in a text, headings and rules aside."""
    found = [
        [cell.strip() for cell in line.strip("|").split(" | ")] for line in text.splitlines() if line.startswith("| ")
    ]
    return [row for number, row in enumerate(found) if not heads(text, number)]


def heads(text: str, number: int) -> bool:
    """Whether the row of this number is followed by a rule."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    place = [index for index, line in enumerate(lines) if line.startswith("| ")][number]
    return place + 1 < len(lines) and lines[place + 1].startswith("|---")


def codes(cell: str) -> list[str]:
    """Return what stands in backquotes in a cell."""
    return re.findall(r"`([^`]+)`", cell)


class Asked(dict[str, str]):
    """Attributes that write down which of them are asked for."""

    def __init__(self, names: set[str], values: dict[str, str]) -> None:
        super().__init__(values)
        self.names = names

    def get(self, name: str, default: Any = None) -> Any:
        self.names.add(name)
        return super().get(name, default)


class TableTests(SynchronousTestCase):
    def test_every_message_of_clients_is_there(self) -> None:
        shown = [codes(row[0])[0] for row in rows(section("What clients say"))]
        self.assertEqual(sorted(shown), sorted(wire._READERS))

    def test_all_that_is_read_of_them_is_there_and_nothing_else(self) -> None:
        asked: dict[str, set[str]] = {}

        def texts(element: Element, names: frozenset[str], parts: str = "") -> Asked:
            asked[element.tag] = {*names, *parts.split()}
            return Asked(asked[element.tag], {"turn": "1"} if element.tag == "prepare" else {})

        self.patch(wire, "texts", texts)
        for row in rows(section("What clients say")):
            name = codes(row[0])[0]
            asked[name] = set()
            wire.read(fromstring(f"<{name}><slot/></{name}>"))
            self.assertEqual(asked[name], set(codes(row[1])), name)
        told = section("What clients say").partition("A `slot` has ")[2].partition(".")[0]
        self.assertEqual(asked["slot"], set(codes(told)) - {"Unknown"})

    def test_every_class_of_a_move_is_there(self) -> None:
        text = section("Moves")
        examples = [fromstring(line) for line in re.findall(r"^    (<room .*)", text, re.MULTILINE)]
        read = [hive.read(room[0]).move for room in examples]
        self.assertEqual(set(map(type, read)), set(get_args(Move)))
        shown = {room[0].get("class") for room in examples} | {name for name in codes(text) if name in hive._CLASSES}
        self.assertEqual(shown, set(hive._CLASSES))
        self.assertEqual(set(re.findall(r"\b[A-Z]{3,}\b", text)) & set(TYPES.values()), set(TYPES.values()))

    def test_what_the_server_alone_says_is_there(self) -> None:
        shown = {row[0].partition(":")[0]: codes(row[0]) for row in rows(section("What is refused"))}
        self.assertEqual(set(shown["a message that only the server sends"]), wire._SERVER_MESSAGES)
        self.assertEqual({name for row in shown.values() for name in row if name in wire._REPLIES}, wire._REPLIES)

    def test_every_message_of_the_server_is_there(self) -> None:
        shown = {codes(row[0])[-1] for row in rows(section("What the server says"))}
        said = {re.findall(r'class="([\w.]+)"|<([\w.]+)', text)[-1] for text in self.examples()}
        self.assertEqual(shown, {kind or name for kind, name in said})

    def examples(self) -> list[str]:
        """Return the head of each message that the server can say."""
        made = {
            messages.Joined: ("r",),
            messages.JoinedGameRoom: ("r", True),
            messages.Prepared: ("r", ()),
            messages.Observed: ("r",),
            messages.Welcome: ("r", "red"),
            messages.Memento: ("r", ""),
            messages.MoveRequest: ("r", IN_2020.move_request),
            messages.Paused: ("r", True),
            messages.ErrorPacket: ("x", ""),
            messages.Result: ("r", ""),
            messages.Refused: ("r", "x", None),
            messages.Left: ("r",),
            messages.Testing: (True,),
            messages.PlayerScore: ("",),
            messages.Closing: (True,),
        }
        self.assertEqual(set(made), {*wire._LAYOUTS, messages.Closing})
        heads = []
        for kind, arguments in made.items():
            said = wire.SoftwareChallengeConnection().send(kind(*arguments)).decode()
            heads.append(said.partition("<protocol>\n")[2].partition("</")[0])
        return heads

    def test_every_cause_is_there(self) -> None:
        self.assertEqual([codes(row[0])[0] for row in rows(section("Results"))], list(Cause))

    def test_every_finding_is_there(self) -> None:
        shown = [code for row in rows(section("What is refused").partition("| Code |")[2]) for code in codes(row[0])]
        self.assertEqual(sorted(shown), sorted({*TEXTS, "out-of-turn", "not-requested", "no-move"}))

    def test_every_refusal_is_there(self) -> None:
        shown = {code for row in rows(section("Where refusals show")) for code in codes(row[0])}
        written = {code for path in SERVERS for code in REFUSED.findall(path.read_text("utf-8"))}
        moves = {"no-move", "not-started", "out-of-turn", "not-requested"}
        # The core's own, for all games.
        core = {"unfinished", "left", "message-too-slow", "not-reading"}
        self.assertEqual(sorted(shown), sorted((written | moves | core) - set(TEXTS)))

    def test_every_key_is_there_with_its_default(self) -> None:
        found = rows(section("Configuration"))
        self.assertCountEqual([codes(row[0])[0] for row in found], [field.name for field in attrs.fields(Settings)])
        for name, shown, *_ in found:
            default = getattr(Settings(), name.strip("`"))
            if default is None:
                self.assertEqual(shown, "left out")
            else:
                self.assertEqual(tomllib.loads(f"value = {shown.strip('`')}"), {"value": default}, name)

    def test_numbers_in_its_sentences(self) -> None:
        text = PAGE.read_text("utf-8")
        self.assertIn(f"](console.md#passwords) of {FIRST_DELAY:g} to {LONGEST_DELAY:g} seconds", text)
        self.assertIn({5: "after five seconds"}[LINGER], text)
        self.assertIn(f"in {len(scenarios())} recorded sessions", text)
        stream = wire.XmlStream()
        self.assertIn(f"{stream.depth} levels or {stream.attributes} attributes", text)
        for name in GAME_TYPES:
            self.assertIn(f"`{name}`", text)


class DifferenceTests(SynchronousTestCase):
    def test_the_page_and_the_tests_have_the_same_list(self) -> None:
        shown = {codes(row[0])[0]: row[-1].split(", ") for row in rows(section("Differences from the official server"))}
        expected: dict[str, list[str]] = {"farewell": FAREWELLS}
        for number, difference in DIFFERENCES.items():
            for reason in difference.reasons:
                expected.setdefault(reason, []).append(number)
        self.assertEqual(shown, expected)


class CoordinatesTests(SynchronousTestCase):
    def test_the_neighbours_are_those_of_the_board(self) -> None:
        table = rows(section("Coordinates"))
        steps = {tuple(int(cell[1:] or 0) for cell in row[1:]) for row in table}
        self.assertEqual({sum(step) for step in steps}, {0})
        middle = BITS[INDEX[0, 0]]
        self.assertEqual(gathered(*((x, y) for x, y, _ in steps)), around(middle) & ~middle)
        self.assertIn(f"a hexagon of {len(CELLS)} fields", section("Coordinates"))
        self.assertIn(f"from -{RADIUS} to {RADIUS}", section("Coordinates"))

    def test_every_refusal_has_a_consequence(self) -> None:
        told = section("Where refusals show").partition("| Code |")[2]
        self.assertEqual({len(row) for row in rows("| Code |" + told)}, {3})
        self.assertTrue(all(row[2] for row in rows("| Code |" + told)))


class SessionTests(SynchronousTestCase):
    """The session by hand happens as it is told."""

    def test_it_happens_so(self) -> None:
        admin_told, ada_told, bob_told, request, end = re.findall(r"```text\n(.*?)```", section("By hand"), re.DOTALL)
        harness = SeasonHarness(Settings(password="secret"))
        admin, ada, bob = (harness.connect() for _ in range(3))
        self.ids: dict[str, str] = {}
        self.told(admin, admin_told)
        self.told(ada, ada_told)
        self.told(bob, bob_told)
        self.told(ada, request, begun=True)
        self.told(ada, end, begun=True)
        self.assertTrue(ada.is_closed)
        self.assertIn('<winner color="BLUE" displayName="Bob"/>', bob.stream.decode())

    def test_a_players_first_move_happens_so(self) -> None:
        joining, asked, moving = re.findall(r"```text\n(.*?)```", section("A player's first move"), re.DOTALL)
        harness = SeasonHarness()
        red, blue = harness.connect(), harness.connect()
        self.ids = {}
        self.told(red, joining)
        blue.join()
        self.told(red, asked, begun=True)
        self.told(red, moving, begun=True)
        self.assertEqual(red.session.refusals.first, [])
        self.assertEqual(blue.heard()[-1], "MoveRequest")

    def told(self, client: Client, text: str, *, begun: bool = False) -> None:
        """Type what stands at the margin; check that the rest is heard, where … stands for anything."""
        typed, heard = [], []
        for line in text.splitlines():
            at_margin = line.startswith("<") and line not in ("<protocol>", "</protocol>")
            (typed if at_margin else heard).append(line)
        for line in typed:
            client.feed(ID.sub(lambda found: self.ids.get(found[0], found[0]), line).encode() + b"\n")
        client.harness.turn()
        stream = client.stream.decode()
        pattern = re.escape("\n".join(heard))
        names = iter(range(100))
        pattern = ID.sub(lambda _: f"(?P<id{next(names)}>{ID.pattern})", pattern.replace("\\-", "-"))
        pattern = re.sub(r"(\\\n)?(\\ )*…(\\\n)?", ".*", pattern)
        found = re.search(pattern if begun else rf"\A{pattern}", stream, re.DOTALL)
        self.assertIsNotNone(found, f"{text}\n---\n{stream}")
        for told, said in zip(ID.findall("\n".join(heard)), found.groupdict().values(), strict=True):
            self.assertEqual(self.ids.setdefault(told, said), said)
