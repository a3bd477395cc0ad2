"""Five hundred random games of all dialects, bad peers among them: each record goes out, is checked, and comes back.

The games are played over the wires, in memory. The rest is done by the command line: `gamed import` of the exported
files into an empty store, and `gamed records export --all`, which must give the same files. The seed of a game is its
number. PROVE=short: 40 games.
"""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Any, Final

from attrs import define, field
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import RemoteProtocolError
from gamed.records.own import to_history
from gamed.records.record import document
from tests.daemon import SCRIPTS
from tests.games.roborally.test_forbidden import CHEATING
from tests.proofs import amount, skip  # noqa: F401 (trial looks for `skip`)
from tests.proofs.fuzzing import damaged
from tests.records.test_every_end import SETTINGS, WAYS, Match, Seat, silent

GAMES: Final = amount(500, 40)
HONEST: Final = 0.3
"""The part of the games in which nobody is bad."""

LENGTHS: Final = (2, 10, 40, 400)
"""Answers of a seat after which the way is drawn in which the game ends, if it has not ended."""

VARIANTS: Final[Mapping[str, tuple[Mapping[str, Any], ...]]] = {
    "battleship": ({}, {"referee": "warn"}, {"referee": "enforce"}, {"referee": "enforce", "corner_contact": False}),
    "blokus": ({},),
    "hive": ({},),
    "quoridor": ({}, {"referee": "strict"}, {"game_moves": 30}),
    "roborally": ({}, {"max_turns": 3}),
}
FAREWELLS: Final = {"blokus": b"</protocol>", "hive": b"</protocol>", "roborally": b"RLE()\n"}


@define(eq=False)
class RandomSeat(Seat):
    """A program that leaves when it hears what it cannot use, and that may be bad."""

    kind: str = ""
    random: Random = field(factory=Random)
    badness: float = 0.0
    """How many of its answers are replaced by something bad."""

    said: list[bytes] = field(factory=list)

    def play(self) -> bool:
        """Answer what has come. Return whether anything had."""
        data = self.wire.received[self.read :]
        self.read += len(data)
        if self.wire.is_closed or not data or self.player.is_done:
            return False
        try:
            answer: bytes | None = self.player.receive_data(data)
        except RemoteProtocolError:
            answer = None
        if answer and self.random.random() < self.badness:
            answer = self._bad(answer)
        if answer is None:
            self.wire.leave()
            self.wire.transport.loseConnection()
        elif answer:
            self.said.append(answer)
            self.wire.send(answer)
        return True

    def _bad(self, answer: bytes) -> bytes | None:
        """Return what is sent instead of an answer; None: the peer leaves."""
        before = self.random.choice([*self.said, answer])
        cheating = self.random.choice([*CHEATING.values()]).encode() + b"\n"
        ways: tuple[Callable[[], bytes | None], ...] = (
            lambda: damaged(self.random, answer),
            lambda: answer + before,
            lambda: before,
            lambda: self._other_number(answer),
            lambda: self._other_number(answer),
            lambda: b"",
            lambda: cheating if self.kind == "roborally" else answer * 2,
            lambda: answer[: len(answer) // 2],
            lambda: FAREWELLS.get(self.kind),
            lambda: None,
        )
        return self.random.choice(ways)()

    def _other_number(self, answer: bytes) -> bytes:
        """Return an answer with another digit in place of one: often a well-formed move that is illegal."""
        places = [at for at, byte in enumerate(answer) if chr(byte).isdigit()]
        at = self.random.choice(places or [0])
        return answer[:at] + str(self.random.randrange(10)).encode() + answer[at + 1 :]


def played(number: int) -> Match:
    """Play the random game of this number to an end."""
    random = Random(number)
    kind = random.choice(list(SETTINGS))
    match = Match(kind, random.choice(VARIANTS[kind]))
    badness = [0.0, 0.0]
    if random.random() > HONEST:
        badness[random.randrange(2)] = random.choice((0.01, 0.05, 0.3))
    match.seats = [
        RandomSeat(seat.wire, seat.player, kind=kind, random=random, badness=part)
        for seat, part in zip(match.seats, badness, strict=True)
    ]
    match.play(random.choice(LENGTHS))
    WAYS[random.choice(list(WAYS))](match)
    silent(match)
    return match


class RandomEndTests(SynchronousTestCase):
    def test_each_record_comes_back(self) -> None:
        folder = Path(self.mktemp()).resolve()
        (folder / "out").mkdir(parents=True)
        ends: Counter[tuple[str, str]] = Counter()
        found: dict[str, bytes] = {}
        number = 0
        while len(found) < GAMES:
            match = played(number)
            for record in match.records:
                outcome = to_history(record).outcome
                assert outcome is not None
                ends[match.kind, str(outcome.termination)] += 1
                found[f"{record.id}.xml"] = document(record)
                (folder / "out" / f"{number:04}.xml").write_bytes(document(record))
            number += 1
        for (kind, end), count in sorted(ends.items()):
            print(f"{kind:10} {end:12} {count:4}")
        print(f"{len(found)} records of {number} matches")
        config = folder / "gamed.toml"
        config.write_text(f'[store]\nurl = "sqlite:///{folder}/games.db"\nstate = "{folder}"\n')

        def gamed(*args: object) -> list[dict[str, Any]]:
            command = [SCRIPTS / "gamed", *map(str, args), "--config", config, "--json"]
            done = subprocess.run(command, capture_output=True, text=True, timeout=1_200, check=False)
            lines = [json.loads(line) for line in done.stdout.splitlines()]
            wrong = [line for line in lines if line.get("outcome") not in ("valid", "imported", "written", None)]
            self.assertEqual((done.returncode, wrong[:3], done.stderr), (0, [], ""), args)
            return lines

        gamed("check", folder / "out")
        gamed("import", folder / "out")
        gamed("records", "export", "--all", folder / "back")
        self.assertEqual({file.name: file.read_bytes() for file in (folder / "back").iterdir()}, found)
        self.assertEqual({kind for kind, _ in ends}, set(SETTINGS))
