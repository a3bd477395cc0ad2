"""docs/reference/software-challenge.md says what the code does."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import attrs
from twisted.trial.unittest import SynchronousTestCase

from gamed.games.softwarechallenge import Settings, messages, wire
from gamed.games.softwarechallenge.passwords import FAILURES, FORGIVEN
from gamed.games.softwarechallenge.season import Cause
from gamed.games.softwarechallenge.seasons.hive.checks import TEXTS
from gamed.games.softwarechallenge.seasons.hive.wire import GAME_TYPES
from gamed.net.session import LINGER
from tests.games.softwarechallenge.differences import DIFFERENCES, FAREWELLS
from tests.games.softwarechallenge.hall import Client, Hall
from tests.games.softwarechallenge.recorded import scenarios

PAGE = Path(__file__).resolve().parents[3] / "docs" / "reference" / "software-challenge.md"
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


class TableTests(SynchronousTestCase):
    def test_every_message_of_clients_is_there(self) -> None:
        shown = [codes(row[0])[0] for row in rows(section("What clients say"))]
        self.assertEqual(sorted(shown), sorted(wire._READERS))

    def test_their_attributes_are_read(self) -> None:
        reading = Path(str(wire.__file__)).read_text("utf-8")
        for row in rows(section("What clients say")):
            for attribute in codes(row[1]):
                self.assertRegex(reading, rf'["\s]{attribute}["\s]', row[0])

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
            messages.MoveRequest: ("r",),
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

    def test_every_key_is_there_with_its_default(self) -> None:
        found = rows(section("Configuration"))
        self.assertEqual([codes(row[0])[0] for row in found], [field.name for field in attrs.fields(Settings)])
        for name, shown, *_ in found:
            default = getattr(Settings(), name.strip("`"))
            if default is None:
                self.assertEqual(shown, "left out")
            else:
                self.assertEqual(tomllib.loads(f"value = {shown.strip('`')}"), {"value": default}, name)

    def test_numbers_in_its_sentences(self) -> None:
        text = PAGE.read_text("utf-8")
        self.assertIn(f"after {FAILURES} wrong ones from an address in {FORGIVEN:g} seconds", text)
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


class SessionTests(SynchronousTestCase):
    """The session by hand happens as it is told."""

    def test_it_happens_so(self) -> None:
        admin_told, ada_told, bob_told, request, end = re.findall(r"```text\n(.*?)```", section("By hand"), re.DOTALL)
        hall = Hall(Settings(password="secret"))
        admin, ada, bob = (hall.connect() for _ in range(3))
        self.ids: dict[str, str] = {}
        self.told(admin, admin_told)
        self.told(ada, ada_told)
        self.told(bob, bob_told)
        self.told(ada, request, begun=True)
        self.told(ada, end, begun=True)
        self.assertTrue(ada.is_closed)
        self.assertIn('<winner color="BLUE" displayName="Bob"/>', bob.stream.decode())

    def told(self, client: Client, text: str, *, begun: bool = False) -> None:
        """Type what stands at the margin; check that the rest is heard, where … stands for anything."""
        typed, heard = [], []
        for line in text.splitlines():
            at_margin = line.startswith("<") and line not in ("<protocol>", "</protocol>")
            (typed if at_margin else heard).append(line)
        for line in typed:
            client.feed(ID.sub(lambda found: self.ids.get(found[0], found[0]), line).encode() + b"\n")
        client.hall.turn()
        stream = client.stream.decode()
        pattern = re.escape("\n".join(heard))
        names = iter(range(100))
        pattern = ID.sub(lambda _: f"(?P<id{next(names)}>{ID.pattern})", pattern.replace("\\-", "-"))
        pattern = re.sub(r"(\\\n)?(\\ )*…(\\\n)?", ".*", pattern)
        found = re.search(pattern if begun else rf"\A{pattern}", stream, re.DOTALL)
        self.assertIsNotNone(found, f"{text}\n---\n{stream}")
        for told, said in zip(ID.findall("\n".join(heard)), found.groupdict().values(), strict=True):
            self.assertEqual(self.ids.setdefault(told, said), said)
