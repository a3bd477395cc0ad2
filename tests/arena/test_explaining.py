"""`gamed play --explain`: each cause in words, with its evidence, in both languages."""

from __future__ import annotations

import json
import re
from typing import Any

from attrs import evolve
from twisted.trial.unittest import SynchronousTestCase

from gamed.cli.explaining import WORDS, Explanation, language
from gamed.core.findings import Finding
from gamed.core.game import Outcome, Termination
from gamed.core.history import ATTESTED, JOINED, LEFT, MOVE, REFUSED, STARTED, Entry, History, Value, ended
from gamed.records.own import Judgement
from gamed.tournament.results import Cause

BEGUN = [Entry(1, JOINED, 0, data={"name": "x"}), Entry(2, JOINED, 1, data={"name": "y"}), Entry(100, STARTED)]
MOVES = [Entry(1_100, MOVE, 0, b"a1"), Entry(1_600, MOVE, 1, b"b2\x1b"), Entry(3_600, MOVE, 0, b"c3")]


def explained(why: str, word: dict[str, Value] | None = None, **left: Value) -> Explanation:
    """Return the explanation of a game that Ann has lost by leaving."""
    end = [Entry(5_000, LEFT, 0, data={"why": why, **left}), ended(5_000, Outcome(Termination(why), 1))]
    options = {"move_milliseconds": 2_000}
    history = History("1a2b3c4d", "quoridor", "2026-11-29T10:00:00.000Z", 7, options, [*BEGUN, *MOVES, *end])
    history.attested = () if word is None else (Entry(4_999, ATTESTED, 0, data=word),)
    return Explanation(history, Judgement((), None), ["Ann", "Bob"])


class ExplanationTests(SynchronousTestCase):
    def said(self, explanation: Explanation, tongue: str = "en") -> str:
        return "\n".join(explanation.lines(tongue))

    def test_each_cause_has_its_sentence_in_both_languages(self) -> None:
        self.assertEqual(WORDS["en"].keys(), WORDS["de"].keys())
        self.assertEqual(set(Cause) - WORDS["en"].keys(), set())
        for name, text in WORDS["en"].items():
            holes = [sorted(re.findall(r"\{(\w+)", one)) for one in (text, WORDS["de"][name])]
            self.assertEqual(holes[0], holes[1], name)

    def test_a_crash(self) -> None:
        crashed = explained("left", {"status": -11, "cpu": 80, "memory": 9_100})
        data: dict[str, Any] = {"status": -11, "cpu": 80, "memory": 9_100, "limits": {"memory": 1_500}}
        messages = [
            {"at": 3_599, "from": "daemon", "text": "go\\n", "bytes": 3},
            {"at": 3_600, "from": "bot", "text": 200 * "c", "bytes": 8_000},
        ]
        numbers = {"depth": [[200, 4.0]], "nodes": [[1_700, 1.5e9]]}
        data |= {"stderr": "one\ntwo\n", "stderr_bytes": 8, "messages": messages, "numbers": numbers}
        crashed = evolve(crashed, evidence={0: data})
        self.assertEqual(
            self.said(crashed).splitlines(),
            [
                "quoridor, Ann - Bob, 1a2b3c4d: Bob has won",
                "",
                "Ann has lost because its program crashed.",
                "The program was ended by signal 11: Segmentation fault.",
                "Time of its last moves (| is the limit of 2 s):",
                "      1    1.000 s ####################                    | a1  depth 4",
                "      3    2.000 s ########################################| c3  nodes 1.5e+09",
                "It used 0.08 s of processor time and at most 9.1 of 1500 MB of memory.",
                "The last messages (time since the beginning; < came from it, > was sent to it):",
                r"      3.499 s > go\n",
                f"      3.500 s < {100 * 'c'}… (8000 bytes)",
                "The end of its standard error (8 bytes in all):",
                "  one",
                "  two",
            ],
        )
        self.assertIn("Ann hat verloren, weil das Programm abgestürzt ist.", self.said(crashed, "de"))
        found = json.loads(json.dumps(crashed.data()))
        self.assertEqual([bot["cause"] for bot in found["bots"]], ["crashed", None])
        self.assertEqual(found["bots"][0]["evidence"]["stderr"], "one\ntwo\n")

    def test_the_other_ends_of_a_program(self) -> None:
        for word, *said in (
            ({"status": 3}, "its program crashed", "by itself, with exit status 3."),
            ({"status": 0}, "closed the connection", "by itself, with exit status 0."),
            ({"running": True}, "closed the connection", "The program was still running."),
            ({"status": -24}, "used up its processor time", "by signal 24"),
            ({"running": True, "seated": False}, "never connected", "It had 30 s from its start."),
            ({"failed": "No such file", "seated": False}, "never connected", "could not be started: No such file."),
        ):
            text = self.said(explained("left", word))
            for part in (*said, "What it wrote and used is not known"):
                self.assertIn(part, text)
        self.assertNotIn("It had", text)

    def test_too_late(self) -> None:
        text = self.said(explained("time", taken=2_034, gap=4, limit=2_000))
        self.assertIn("took too long for a move.\nIt took 2.03 s; allowed were 2.00 s, and 0.004 s of what", text)
        for found, said in (
            ({"running": True, "cpu": 2_010, "memory": 9_000}, "still running"),
            ({"running": True, "cpu": 90, "memory": 9_000}, "It was waiting for something"),
            (
                {"messages": [{"at": at, "from": "bot", "text": "c", "bytes": 1} for at in (5_000, 5_350)]},
                "came 0.35 s",
            ),
            ({"status": 0}, "status 0"),
            ({"status": 0}, "a process that it has started holds it"),
        ):
            late = evolve(explained("time", taken=2_034, gap=4, limit=2_000), evidence={0: found})
            self.assertIn(said, self.said(late))
            self.assertEqual("waiting" in self.said(late), found.get("cpu") == 90)
        self.assertNotIn("It used", self.said(late))

    def test_what_the_referee_and_the_protocol_say(self) -> None:
        refused = Entry(4_900, REFUSED, 0, b"(1,[3", {"code": "x", "reason": "no bracket", "entry": 6, "expected": "]"})
        other = Entry(4_900, REFUSED, 1, None, {"code": "y", "reason": "of Bob", "entry": 6})
        found = explained("removed")
        found.history.refused = (refused, other)
        judged = Judgement((Finding("wall", 0, 5, "the wall crosses another one"), Finding("z", 1, 5, "of Bob")), None)
        text = self.said(evolve(found, judged=judged))
        for part in (
            "it sent what is no message of the protocol.",
            "The referee: the wall crosses another one",
            "Had no effect, 1 x: no bracket\n  after move 3, it sent: (1,[3\n  expected was: ]",
        ):
            self.assertIn(part, text)
        self.assertNotIn("of Bob", text)
        # Who is silent has sent nothing.
        found.history.refused = (evolve(refused, body=b""),)
        self.assertIn("no bracket\n  expected was: ]", self.said(found))

    def test_nobodys_and_a_draw(self) -> None:
        for outcome, said in (
            (Outcome(Termination.CANCELLED), "nobody's game: it was broken off (cancelled)"),
            (Outcome(Termination.LIMIT), "nobody has won"),
        ):
            history = evolve(explained("left").history, entries=[*BEGUN, ended(200, outcome)])
            text = self.said(Explanation(history, Judgement((), None), ["Ann", "Bob"]))
            self.assertIn(said, text)
            self.assertEqual(len(text.splitlines()), 1)

    def test_beaten_without_a_limit(self) -> None:
        history = evolve(
            explained("left").history, options={}, entries=[*BEGUN, *MOVES, ended(9, Outcome(Termination.VICTORY, 0))]
        )
        text = self.said(Explanation(history, Judgement((), None), ["Ann", "Bob"]))
        self.assertIn(
            "Bob was beaten by the rules of the game.\nTime of its last moves:\n      2    0.500 s ####", text
        )

    def test_the_language_is_the_users(self) -> None:
        for names, tongue in (
            ({"LANG": "de_DE.UTF-8"}, "de"),
            ({"LANG": "de_DE.UTF-8", "LC_ALL": "C"}, "en"),
            ({"LC_MESSAGES": "de_AT", "LANG": "en_GB", "LC_ALL": ""}, "de"),
            ({}, "en"),
        ):
            self.patch(language.__globals__["os"], "environ", names)
            self.assertEqual(language(), tongue)
