"""Broken clients over the four wires: `gamed show` names the fault of each, from its record alone.

FAULTS=DIR in the environment writes what is shown into files, for somebody who guesses from them.
"""

from __future__ import annotations

import contextlib
import os
import random
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from attrs import define, field
from click.testing import CliRunner
from twisted.trial.unittest import SynchronousTestCase

from gamed.cli import main
from gamed.core.errors import RemoteProtocolError
from gamed.records.record import document
from tests.records.test_every_end import MIDDLE, Match, Seat

ENFORCE: Final[Mapping[str, Any]] = {"referee": "enforce"}
STRICT: Final[Mapping[str, Any]] = {"referee": "strict"}


@define(eq=False)
class BrokenSeat(Seat):
    """A program that sends something else instead of one of its answers."""

    match: Match | None = None
    breaks: Callable[[Match, Seat, bytes], bytes | None] | None = None
    """Takes the answer and returns what is sent; None: the client closes."""

    applies: Callable[[bytes], bool] = field(default=lambda _answer: True)
    """Whether an answer is one that can be broken."""

    count: int = 1
    """The how many-th of these is broken."""

    def play(self) -> bool:
        """Answer what has come, until something was broken. Return whether anything had come."""
        if self.count <= 0:
            return False
        data = self.wire.received[self.read :]
        self.read += len(data)
        answer: bytes | None = self.player.receive_data(data) if data and not self.player.is_done else b""
        if answer and self.applies(answer):
            self.count -= 1
            if self.count == 0 and self.breaks is not None and self.match is not None:
                answer = self.breaks(self.match, self, answer)
        if answer is None:
            self.wire.leave()
        elif answer and not self.wire.is_closed:
            self.wire.send(answer)
        return bool(data)


class Partner(Seat):
    """An honest program, which does not mind how the other one ends."""

    def play(self) -> bool:
        """Answer what has come. Return whether anything had."""
        with contextlib.suppress(RemoteProtocolError):
            return super().play()
        return False


def _says(text: bytes) -> Callable[[Match, Seat, bytes], bytes]:
    return lambda _match, _seat, _answer: text


def _instead(old: bytes, new: bytes) -> Callable[[Match, Seat, bytes], bytes]:
    def changed(_match: Match, _seat: Seat, answer: bytes) -> bytes:
        found = re.sub(old, new, answer, count=1)
        assert found != answer, answer
        return found

    return changed


def _late(seconds: float) -> Callable[[Match, Seat, bytes], bytes]:
    def waited(match: Match, _seat: Seat, answer: bytes) -> bytes:
        match.harness.clock.advance(seconds)
        return answer

    return waited


def _half(match: Match, seat: Seat, answer: bytes) -> bytes:
    """Send the first half of a message, and no more."""
    seat.wire.send(answer[: len(answer) // 2])
    for _ in range(700):
        match.harness.clock.advance(0.1)
    return b""


def _again(_match: Match, seat: Seat, answer: bytes) -> bytes:
    """Shoot at the first cell again."""
    first = re.findall(rb"\(2,\[(\d,\d),\d\]\)", seat.wire.received)[0]
    return re.sub(rb"\(1,\[\d,\d\]\)", b"(1,[%s])" % first, answer)


def _leaves(_match: Match, _seat: Seat, _answer: bytes) -> None:
    return None


def _shot(answer: bytes) -> bool:
    return b"(1," in answer


def _moves(answer: bytes) -> bool:
    return b"move" in answer


def _programs(answer: bytes) -> bool:
    return answer.startswith(b"TRP")


ANY: Final[Callable[[bytes], bool]] = lambda _answer: True  # noqa: E731
TO = rb'<destination x="[^"]*" y="[^"]*" z="[^"]*"'
PAWN = b"(move player 7.0 7.0 7.0)\n"

FAULTS: Final[Mapping[str, tuple[str, Mapping[str, Any], Callable[[bytes], bool], int, Any, str]]] = {
    # name: (game, settings, which answers count, the how many-th of them, what is done, what `gamed show` must say)
    "hive wrong class": ("hive", {}, _moves, 3, _instead(b'"(set|drag)move"', b'"jumpmove"'), "jumpmove"),
    "hive illegal move": ("hive", {}, _moves, 3, _instead(TO, b'<destination x="-5" y="0" z="5"'), r"-5"),
    "hive out of turn": ("hive", {}, _moves, 3, lambda _m, _s, answer: answer * 2, "not .*turn|out-of-turn"),
    "hive late by a little": ("hive", {}, _moves, 3, _late(3.2), r"limit 2\.000 s; taken 3\.210 s"),
    "hive late by far": ("hive", {}, _moves, 3, _late(12.0), r"10 s"),
    "hive half a message": ("hive", {}, _moves, 3, _half, "still open|begun"),
    "hive not XML": ("hive", {}, _moves, 3, _says(b"hello <<< & world"), "hello <<< & world"),
    "hive goodbye": ("hive", {}, _moves, 3, _says(b"</protocol>"), "resigned"),
    "hive leaves": ("hive", {}, _moves, 3, _leaves, "left"),
    "hive two megabytes": ("hive", {}, _moves, 3, _says(b"<room>" + b"x" * 2_000_000), "long"),
    "battleship illegible": ("battleship", ENFORCE, _shot, 4, _says(b"shoot at (3,4)\n"), "illegible"),
    "battleship out of turn": (
        "battleship", ENFORCE, _shot, 4, lambda _m, _s, answer: answer + b"(1,[0,0]).\n", "out-of-turn"),
    "battleship same cell twice": ("battleship", ENFORCE, _shot, 4, _again, "repeated-shot"),
    "battleship outside the board": ("battleship", ENFORCE, _shot, 4, _instead(rb"\(1,\[\d", b"(1,[10"), r"10,\d"),
    "battleship long line": ("battleship", {}, _shot, 4, _says(b"(" * 2_000_000), "long"),
    "battleship leaves": ("battleship", {}, _shot, 4, _leaves, "left"),
    "quoridor unreachable field": ("quoridor", STRICT, _moves, 4, _says(PAWN), r"cannot go|unreachable"),
    "quoridor out of turn": ("quoridor", STRICT, _moves, 4, lambda _m, _s, answer: answer * 2, "out-of-turn"),
    "quoridor illegible": ("quoridor", STRICT, _moves, 4, _says(b"(move pawn to 4 5\n)"), r"move pawn"),
    "quoridor leaves": ("quoridor", {}, _moves, 4, _leaves, "left"),
    "roborally card twice": (
        "roborally", {}, _programs, 2, _instead(rb"\(\d,\d,", b"(1,1,"), "a card for two registers"),
    "roborally card it has not": (
        "roborally", {}, _programs, 2, _instead(rb"\((\d),\d,", rb"(\1,99,"), r"outside of the \d that were dealt"),
    "roborally five illegible lines": ("roborally", {}, _programs, 2, _says(b"hello\n" * 6), "violations|illegible"),
    "roborally no answer": ("roborally", {}, _programs, 2, _half, r"60 s"),
    "roborally goodbye": ("roborally", {}, _programs, 2, _says(b"RLE(Anna)\n"), "resigned"),
    "roborally leaves": ("roborally", {}, _programs, 2, _leaves, "left"),
}  # fmt: skip


def played(kind: str, settings: Mapping[str, Any], **broken: Any) -> Match:
    """Play a match whose first player is broken, until nothing more comes."""
    match = Match(kind, settings)
    first, second = match.seats
    match.seats = [BrokenSeat(first.wire, first.player, match=match, **broken), Partner(second.wire, second.player)]
    match.play(10 * MIDDLE[kind])
    for _ in range(100):
        match.harness.clock.advance(0.1)
    if not match.records:
        # The game has no limit of time, and its user ends the program that hangs.
        first.wire.leave()
    return match


class NamedFaultTests(SynchronousTestCase):
    def test_each_is_named(self) -> None:
        # The same games each time: by chance, an illegal move may be legal.
        self.patch(random, "getrandbits", lambda _bits: 1)
        missed = {}
        for number, (name, (kind, settings, applies, count, breaks, told)) in enumerate(FAULTS.items(), 1):
            match = played(kind, settings, applies=applies, count=count, breaks=breaks)
            (record,) = match.records
            file = Path(self.mktemp())
            file.write_bytes(document(record))
            shown = CliRunner().invoke(main, ["show", str(file), "--move", "0"])
            self.assertEqual(shown.exit_code, 0, (name, shown.output))
            if not re.search(told, shown.output):
                missed[name] = shown.output
            if "FAULTS" in os.environ:
                folder = Path(os.environ["FAULTS"])
                folder.mkdir(exist_ok=True)
                (folder / f"{number:02}.txt").write_text(shown.output)
                (folder / f"{number:02}.xml").write_bytes(document(record))
        self.assertEqual(missed, {}, "\n".join(missed.values()))
