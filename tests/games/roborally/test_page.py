"""The reference page says what the code does: its messages, its reasons, its forms, and the session by hand."""

from __future__ import annotations

import re
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from gamed.core.events import Event
from gamed.games.roborally import grammar, refusals, wire
from gamed.games.roborally import messages as m
from gamed.games.roborally.grammar import SAYABLE, Sender, parse
from gamed.games.roborally.messages import Malformed, Reason
from gamed.games.roborally.requests import FITTING
from gamed.games.roborally.rules import answers
from tests.games.roborally.gathering import Peer, gathering, usual
from tests.test_docs import raised, section

PAGE = Path(__file__).resolve().parents[3] / "docs" / "reference" / "roborally.md"

VALUES = {
    "(x,y)": "(4,7)",
    "(n)": "(2)",
    "...": "",
    "phase": "2",
    "cards": "PK(M1,49)",
    "facing": "N",
    "place": "(9,1)",
    "archive": "(9,1)",
    "flag": "1",
    "damage": "0",
    "lives": "3",
    "locked": "(1,PK(M1,49))",
    "active": "t",
    "virtual": "t",
}
"""What stands for something on the page, and what could stand there."""


def message(form: str, sender: Sender) -> Event:
    """Return what a form of the page says."""
    for word, value in VALUES.items():
        form = form.replace(word, value)
    return parse(form.encode(), sender)


def codes(cell: str) -> list[str]:
    """Return what stands in backquotes in a cell."""
    return re.findall(r"`([^`]+)`", cell)


class MessageTests(SynchronousTestCase):
    def setUp(self) -> None:
        text = section(PAGE, "Messages").partition("\n### ")[0]
        tables = [
            [line.strip("|").split(" | ") for line in table.splitlines()[2:]]
            for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)
        ]
        self.questions, self.requests, self.reasons = tables
        self.one_way = codes(text.partition("One-way messages:")[2].partition("\n\n")[0])

    def said(self, sender: Sender, *cells: str) -> list[Event]:
        found = [message(form, sender) for cell in cells for form in codes(cell) if form != "t"]
        self.assertEqual([event for event in found if isinstance(event, Malformed)], [])
        return found

    def test_every_message_of_a_peer_is_there_and_no_other(self) -> None:
        asked = self.said(Sender.PEER, *(row[0] for row in self.questions))
        answered = self.said(Sender.PEER, *(row[3] for row in self.requests))
        left = message(self.one_way[0], Sender.PEER)
        self.assertEqual({type(event) for event in [*asked, *answered, left]}, SAYABLE[Sender.PEER])
        queries = [event for event in asked if isinstance(event, m.Query)]
        self.assertEqual(len(queries), len({type(event) for event in queries}))

    def test_every_message_of_the_manager_is_there_and_no_other(self) -> None:
        answered = self.said(Sender.MANAGER, *(row[2] for row in self.questions if "the same" not in row[2]))
        asked = self.said(Sender.MANAGER, *(row[0] for row in self.requests))
        self.assertEqual([row[0].strip() for row in self.questions if row[2].startswith("a plan")], ["`GPL`"])
        self.assertEqual(self.one_way[1], "REN(reason)")
        told = {type(event) for event in [*answered, *asked]} | {m.PlanAnswer, m.Removed}
        self.assertEqual(told, SAYABLE[Sender.MANAGER])

    def test_the_answers_are_those_that_fit(self) -> None:
        for row in self.requests:
            (request,) = self.said(Sender.MANAGER, row[0])
            for answer in self.said(Sender.PEER, row[3]):
                self.assertIsInstance(answer, FITTING[type(request)], row)
        self.assertEqual({type(self.said(Sender.MANAGER, row[0])[0]) for row in self.requests}, set(FITTING))

    def test_every_reason_is_there(self) -> None:
        found = [parse(f"REN({code})".encode(), Sender.MANAGER) for row in self.reasons for code in codes(row[0])]
        self.assertEqual({event.reason for event in found}, set(Reason))
        self.assertEqual([event.note for event in found if event.note], ["Shutdown", "Cancelled", "Error"])

    def test_every_word_is_in_the_grammar(self) -> None:
        shown = set(re.findall(r'"([A-Z]{3})\(?"', section(PAGE, "Messages").partition("### Grammar")[2]))
        said = {codes(row[0])[0].partition("(")[0] for row in [*self.questions, *self.requests]}
        said |= {form.partition("(")[0] for row in self.requests for form in codes(row[3]) if form.startswith("T")}
        self.assertEqual(shown, said | {"RLE"})


class RefusalTests(SynchronousTestCase):
    def test_every_code_is_there_and_no_other(self) -> None:
        sources = [Path(str(module.__file__)).read_text() for module in (refusals, grammar, wire)]
        made = {code for source in sources for code in re.findall(r'(?:_of|Refusal|malformed)\(\s*"([a-z-]+)"', source)}
        made |= {"left", "line-too-long", "no-message"}
        made |= {"other-name", "unfinished", "nts-too-late", "ntc-too-late", "mnr-too-late", "mrp-too-late"}
        made |= {"mbd-too-late", "mrr-too-late"}
        rows = re.findall(r"^\| (`[a-z-]+`(?:, `[a-z-]+`)*) \|", section(PAGE, "What is not acceptable"), re.MULTILINE)
        made |= {code for code in raised(answers) if code.startswith(("card-", "register-"))}
        # What a client is told of a plan that it cannot read.
        made -= {"plan"}
        self.assertEqual(sorted(code for row in rows for code in codes(row)), sorted(made))


class SessionTests(SynchronousTestCase):
    def test_it_happens_as_it_is_told(self) -> None:
        """The bot beside plays its first cards; what Anna sees of it is the same with any others."""
        block = section(PAGE, "A session by hand").partition(" were typed:\n\n")[2]
        found = gathering()
        (bert,) = found.joins("Bert")
        anna = found.connects()
        heard: list[str] = []
        for line in re.findall(r"^    (.*)", block, re.MULTILINE):
            if line.startswith("> "):
                self.assertEqual(heard, [], line)
                heard = anna.says(line[2:])
                self.plays(bert)
                continue
            if line == "NTS":
                found.passes(found.settings.start_delay)
                self.plays(bert)
            heard += anna.hears()
            self.assertEqual(heard.pop(0), line)
        self.assertEqual((heard, anna.hears()), ([], []))
        self.assertGreater(found.table.steps, 30)

    def plays(self, bot: Peer) -> None:
        while heard := bot.hears():
            for line in heard:
                bot.unhears(bot.says(usual(bot.name, line)))
