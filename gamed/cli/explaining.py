"""`gamed play --explain ID`: why a bot has lost a game, in words that its author understands.

Source: docs/reference/play.md#why-did-it-lose. Everything is read from the folder of the games: the record says what
happened, and the evidence beside it what the program wrote and used.
"""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import click
from attrs import field, frozen

from gamed.arena.matches import match_of
from gamed.arena.runner import START_SECONDS
from gamed.cli.playing import command_of, database_of
from gamed.core.errors import GamedError
from gamed.core.game import MOVE_TIME, Seat
from gamed.core.history import JOINED, STARTED, History, called
from gamed.core.texts import printable, timestamp
from gamed.records.own import PUBLISHER, Judgement, judgement, to_history
from gamed.records.positions import Replayed, Turn, departures, findings, losses, numbers_of, refusals, turns_of
from gamed.records.record import Record
from gamed.registry import game_types
from gamed.replayers import table_of
from gamed.store.database import Database
from gamed.store.reading import readable
from gamed.tournament.results import Cause, result_of

LINES: Final = 15
"""Lines of standard error, moves, and messages without effect that are shown: the last ones."""

IDLE: Final = 0.3
"""Who waits has the processor for a smaller part of the time."""

LONGEST: Final = 100
"""The most characters of a message that are shown."""

WIDTH: Final = 40
"""How long the bar of a move is that takes all of its time."""

WORDS: Final = {
    "en": {
        "won": "{name} has won",
        "drawn": "nobody has won",
        "void": "nobody's game: it was broken off ({termination}), and is played again",
        "beaten": "{name} was beaten by the rules of the game.",
        "illegal": "{name} has lost because of a move that the rules do not allow.",
        "time": "{name} has lost because it took too long for a move.",
        "late": "It took {taken:.2f} s; allowed were {limit:.2f} s, and {gap:.3f} s of what it took did not count.",
        "crashed": "{name} has lost because its program crashed.",
        "cpu": "{name} has lost because its program has used up its processor time.",
        "never-connected": "{name} has lost because its program never connected to the game.",
        "left": "{name} has lost because its program closed the connection before the game was over.",
        "protocol": "{name} has lost because it sent what is no message of the protocol.",
        "not-reading": "{name} has lost because it did not read what was sent to it.",
        "resigned": "{name} has lost because it said goodbye before the game was over.",
        "idle": "{name} has lost because nothing was heard of it for too long.",
        "status": "The program ended by itself, with exit status {status}.",
        "signal": "The program was ended by signal {number}: {signal}.",
        "failed": "The program could not be started: {failed}.",
        "running": "The program was still running.",
        "held": "Its connection stayed open: a process that it has started holds it.",
        "came": "Its next message came {seconds:.2f} s after that.",
        "waiting": "It was waiting for something: in that time it hardly computed.",
        "waited": "It had {seconds:g} s from its start.",
        "finding": "The referee: {text}",
        "refused": "Had no effect, {count} x: {reason}",
        "message": "  after move {move}, it sent: {text}",
        "expected": "  expected was: {expected}",
        "used": "It used {cpu:.2f} s of processor time and at most {memory:.1f} MB of memory.",
        "used_of": "It used {cpu:.2f} s of processor time and at most {memory:.1f} of {limit:g} MB of memory.",
        "clock": "Time of its last moves (| is the limit of {limit:g} s):",
        "clock_free": "Time of its last moves:",
        "messages": "The last messages (time since the beginning; < came from it, > was sent to it):",
        "stderr": "The end of its standard error ({size} bytes in all):",
        "silent": "It wrote nothing to its standard error.",
        "again": "Play it again: {command}",
        "no_evidence": "What it wrote and used is not known: that was long ago, or the game was not played here.",
    },
    "de": {
        "won": "{name} hat gewonnen",
        "drawn": "niemand hat gewonnen",
        "void": "zählt für niemanden: abgebrochen ({termination}), und wird noch einmal gespielt",
        "beaten": "{name} wurde nach den Regeln des Spiels geschlagen.",
        "illegal": "{name} hat verloren, weil ein Zug gegen die Regeln war.",
        "time": "{name} hat verloren, weil ein Zug zu lange dauerte.",
        "late": "Er dauerte {taken:.2f} s; erlaubt waren {limit:.2f} s, und {gap:.3f} s davon zählten nicht.",
        "crashed": "{name} hat verloren, weil das Programm abgestürzt ist.",
        "cpu": "{name} hat verloren, weil das Programm seine Rechenzeit verbraucht hat.",
        "never-connected": "{name} hat verloren, weil das Programm sich nie mit dem Spiel verbunden hat.",
        "left": "{name} hat verloren, weil das Programm die Verbindung vor dem Ende der Partie geschlossen hat.",
        "protocol": "{name} hat verloren, weil es etwas gesendet hat, das keine Nachricht des Protokolls ist.",
        "not-reading": "{name} hat verloren, weil es nicht gelesen hat, was ihm gesendet wurde.",
        "resigned": "{name} hat verloren, weil es sich vor dem Ende der Partie verabschiedet hat.",
        "idle": "{name} hat verloren, weil zu lange nichts von ihm kam.",
        "status": "Das Programm hat sich selbst beendet, mit Exit-Status {status}.",
        "signal": "Das Programm wurde durch Signal {number} beendet: {signal}.",
        "failed": "Das Programm ließ sich nicht starten: {failed}.",
        "running": "Das Programm lief noch.",
        "held": "Die Verbindung blieb offen: Ein Prozess, den es gestartet hat, hält sie.",
        "came": "Seine nächste Nachricht kam {seconds:.2f} s danach.",
        "waiting": "Es wartete auf etwas: In dieser Zeit rechnete es kaum.",
        "waited": "Es hatte {seconds:g} s Zeit dafür.",
        "finding": "Der Schiedsrichter: {text}",
        "refused": "Hatte keine Wirkung, {count} x: {reason}",
        "message": "  nach Zug {move} gesendet: {text}",
        "expected": "  erwartet war: {expected}",
        "used": "Es hat {cpu:.2f} s Rechenzeit und höchstens {memory:.1f} MB Speicher gebraucht.",
        "used_of": "Es hat {cpu:.2f} s Rechenzeit und höchstens {memory:.1f} von {limit:g} MB Speicher gebraucht.",
        "clock": "Die Zeiten seiner letzten Züge (| ist die Grenze, {limit:g} s):",
        "clock_free": "Die Zeiten seiner letzten Züge:",
        "messages": "Die letzten Nachrichten (Zeit seit dem Beginn; < kam von ihm, > ging an es):",
        "stderr": "Das Ende seiner Fehlerausgabe ({size} Bytes insgesamt):",
        "silent": "Es hat nichts auf die Fehlerausgabe geschrieben.",
        "again": "Noch einmal spielen: {command}",
        "no_evidence": "Was es geschrieben und gebraucht hat, ist unbekannt: zu lange her, oder anderswo gespielt.",
    },
}


def language() -> str:
    """Return the user's language by the environment: "de", else "en"."""
    named = next(filter(None, map(os.environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), "")
    return "de" if named.startswith("de") else "en"


@frozen
class Explanation:
    """A game, and what is known of its programs."""

    history: History
    judged: Judgement
    names: Sequence[str]
    """The bots, by seat."""

    evidence: Mapping[Seat, Mapping[str, Any]] = field(factory=dict)

    again: str | None = None
    """The command that plays it again."""

    took: Mapping[int, int | None] = field(factory=dict)
    """How many milliseconds each move took, by its number, as far as that is known."""

    @property
    def turns(self) -> list[Turn]:
        """The moves, with the time that each took."""
        return turns_of(self.history, self.took)

    @property
    def losers(self) -> dict[Seat, Cause]:
        """Why bots have lost, by their seats."""
        return {one["seat"]: one["cause"] for one in losses(self.history)}

    def lines(self, tongue: str) -> Iterator[str]:
        """Yield the explanation in a language."""
        words, result = WORDS[tongue], result_of(self.history)
        end = "void" if result.is_void else "drawn" if result.winner is None else "won"
        name = "" if result.winner is None else self.names[result.winner]
        said = words[end].format(name=name, termination=result.termination)
        yield f"{self.history.kind}, {' - '.join(self.names)}, {self.history.room}: {said}"
        for seat, cause in self.losers.items():
            yield ""
            yield words[cause].format(name=self.names[seat])
            yield from self._happened(words, seat, cause)
            yield from self._refused(words, seat)
            yield from self._moves(words, seat)
            yield from self._evidence(words, seat)
        if self.again is not None:
            yield ""
            yield words["again"].format(command=self.again)

    def _happened(self, words: Mapping[str, str], seat: Seat, cause: Cause) -> Iterator[str]:
        left: Mapping[str, Any] = next((one for one in departures(self.history) if one["seat"] == seat), {})
        if "taken" in left:
            yield words["late"].format(**{name: left[name] / 1000 for name in ("taken", "limit", "gap")})
        program = left.get("program") or self.evidence.get(seat, {})
        if cause is not Cause.BEATEN:
            yield from _end(words, program)
        if cause is Cause.TIME:
            yield from self._meanwhile(words, seat, left, program)
        if cause is Cause.NEVER_CONNECTED and "running" in program:
            yield words["waited"].format(seconds=START_SECONDS)
        for finding in findings(self.history, self.judged.findings):
            if finding["seat"] == seat:
                yield words["finding"].format(text=finding["text"])

    def _meanwhile(
        self, words: Mapping[str, str], seat: Seat, left: Mapping[str, Any], program: Mapping[str, Any]
    ) -> Iterator[str]:
        """Yield what a program did that has let its time pass."""
        found, over = self.evidence.get(seat, {}), left.get("at", 0) + self._began
        taken, spent = left.get("taken", 0), found.get("cpu")
        late = next((one["at"] for one in found.get("messages", ()) if one["from"] == "bot" and one["at"] > over), None)
        if late is not None:
            yield words["came"].format(seconds=(late - over) / 1000)
        if "status" in program:
            yield words["held"]
        elif spent is not None and spent <= IDLE * taken:
            yield words["waiting"]

    def _refused(self, words: Mapping[str, str], seat: Seat) -> Iterator[str]:
        for refusal in refusals(self.history):
            if refusal["seat"] == seat:
                yield words["refused"].format(count=refusal["count"], reason=refusal["reason"])
                for message in refusal["messages"][-LINES:]:
                    if message["text"]:
                        yield words["message"].format(move=message["move"], text=message["text"])
                    if message["expected"]:
                        yield words["expected"].format(expected=message["expected"])

    def _moves(self, words: Mapping[str, str], seat: Seat) -> Iterator[str]:
        """Yield a bar for the time of each of a bot's last moves, with the numbers that it has told of itself."""
        options = self.history.options
        limit = int(options.get(MOVE_TIME, options.get("soft_milliseconds", 0))) / 1000
        turns = [turn for turn in self.turns if turn.seat == seat]
        if not turns:
            return
        told = numbers_of(turns, self.evidence.get(seat, {}).get("numbers", {}))
        yield words["clock" if limit else "clock_free"].format(limit=limit)
        scale = limit or max(turn.seconds for turn in turns) or 1.0
        for turn in turns[-LINES:]:
            bar = "#" * min(WIDTH, round(WIDTH * turn.seconds / scale))
            edge = "|" if limit else ""
            numbers = ", ".join(f"{name} {number:g}" for name, number in told[turn.number].items())
            said = f"{turn.text[:WIDTH]}  {numbers}" if numbers else turn.text[:WIDTH]
            yield f"  {turn.number:>5} {turn.seconds:>8.3f} s {bar:<{WIDTH}}{edge} {said}".rstrip()

    @property
    def _began(self) -> int:
        """When the game began, as entries have it."""
        return next((entry.at for entry in self.history.of_kind(STARTED)), 0)

    def _evidence(self, words: Mapping[str, str], seat: Seat) -> Iterator[str]:
        found = self.evidence.get(seat)
        if found is None:
            yield words["no_evidence"]
            return
        if "cpu" in found:
            limit = found.get("limits", {}).get("memory", 0)
            numbers = {"cpu": found["cpu"] / 1000, "memory": found["memory"] / 1000, "limit": limit}
            yield words["used_of" if limit else "used"].format(**numbers)
        messages = found.get("messages", ())[-LINES:]
        if messages:
            yield words["messages"]
        for message in messages:
            sign, size = "<" if message["from"] == "bot" else ">", message["bytes"]
            text = (
                message["text"] if len(message["text"]) <= LONGEST else message["text"][:LONGEST] + f"… ({size} bytes)"
            )
            yield f"  {(message['at'] - self._began) / 1000:>9.3f} s {sign} {text}"
        text = str(found.get("stderr", "")).rstrip()
        yield words["stderr"].format(size=found.get("stderr_bytes", 0)) if text else words["silent"]
        yield from (f"  {line}" for line in text.splitlines()[-LINES:])

    def data(self) -> dict[str, Any]:
        """Return it as data for JSON."""
        result = result_of(self.history)
        bots = [
            {"name": name, "cause": self.losers.get(seat), "evidence": self.evidence.get(seat)}
            for seat, name in enumerate(self.names)
        ]
        return {
            "id": self.history.room,
            "game": self.history.kind,
            "termination": str(result.termination),
            "winner": result.winner,
            "bots": bots,
            "departures": departures(self.history),
            "findings": findings(self.history, self.judged.findings),
            "refusals": refusals(self.history),
            "again": self.again,
        }


def _end(words: Mapping[str, str], program: Mapping[str, Any]) -> Iterator[str]:
    """Yield what became of a program, if that is known."""
    status = int(program.get("status", 0))
    if "failed" in program:
        yield words["failed"].format(failed=program["failed"])
    elif status < 0:
        yield words["signal"].format(number=-status, signal=signal.strsignal(-status) or "?")
    elif "status" in program:
        yield words["status"].format(status=status)
    elif "running" in program:
        yield words["running"]


def explain(folder: Path, game: str, *, as_json: bool) -> None:
    """Print why a bot has lost a game of a folder. Raises GamedError."""
    found = explanation(folder, game)
    if as_json:
        click.echo(json.dumps(found.data(), indent=2))
    else:
        for line in found.lines(language()):
            click.echo(printable(line))


def stored(folder: Path, game: str) -> tuple[Record, Mapping[Seat, str]]:
    """Read the record of a game of a folder, by the first characters of its id, and the evidence. Raises GamedError."""
    with readable(f"sqlite:///{database_of(folder)}") as address:
        store = Database(address)
        store.thd_open(upgrades=False)
        try:
            record = store.thd_record(game.lower())
            evidence = store.thd_evidence(record.id, timestamp(datetime.now(UTC)))
        finally:
            store.thd_close()
    if not record.publisher.startswith(PUBLISHER):
        raise GamedError(f"{record.id} was not played by gamed")
    return record, evidence


def explanation(folder: Path, game: str) -> Explanation:
    """Read a game of a folder, by the first characters of its id, with the evidence on it. Raises GamedError."""
    record, evidence = stored(folder, game)
    history = to_history(record)
    known = {seat: _without_keys(json.loads(data)) for seat, data in evidence.items()}
    took = took_of(history)
    found = match_of(folder, history.room)
    if found is not None:
        match, fixture = found
        names = [match.names[entrant] for entrant in fixture.seats]
        again = command_of(folder, f"--again {history.room[:8]}")
        return Explanation(history, judgement(record), names, known, again, took)
    joined = {entry.seat: called(entry) for entry in history.of_kind(JOINED)}
    names = [joined.get(seat) or f"seat {seat}" for seat in range(max(2, len(joined)))]
    return Explanation(history, judgement(record), names, known, took=took)


def took_of(history: History) -> Mapping[int, int | None]:
    """Return how many milliseconds each move of a game took, by its number, as its record's page says it."""
    made = game_types().get(history.kind)
    if made is None:
        return {}
    replayed = Replayed(table_of(made, history.options), history)
    for _ in replayed.played():
        pass
    return {move["n"]: move["took"] for move in replayed.moves}


def _without_keys(evidence: dict[str, Any]) -> Mapping[str, Any]:
    evidence.pop("keys", None)
    return evidence
