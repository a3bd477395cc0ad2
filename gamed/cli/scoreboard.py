"""What `gamed play` says: a line for each game, the score so far, the table, JSON and CSV.

Source: docs/reference/play.md#what-it-says.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from statistics import fmean
from typing import Any, Final, TextIO

import attrs
from attrs import define, field, frozen

from gamed.arena.client import Means
from gamed.arena.runner import Finished
from gamed.cli.terminal import counted_of, ending
from gamed.core.game import Options
from gamed.core.texts import printable
from gamed.registry import Column, Scores
from gamed.tournament.elo import Estimate
from gamed.tournament.results import Result
from gamed.tournament.schedule import Plan, Played, distinct, pairs, played
from gamed.tournament.sprt import Sprt
from gamed.tournament.tables import GONE, Meeting, Standing, cause_of, meetings, standings

COLUMNS: Final = (
    "id", "pair", "leg", "first", "second", "winner", "termination", "moves", "seconds", "cause"
)  # fmt: skip
"""Those of the CSV, and the keys of a game in JSON."""

FIRST: Final = COLUMNS.index("first")

WEAKER: Final = 10
UNDECIDED: Final = 11
UNFIT: Final = 12
"""Exit statuses: the first bot is weaker; nobody knows; a bot has played no game to its end, or games are missing."""

ASIDE: Final = "      "
"""What stands before a line that explains the one above."""


def points(score: float) -> str:
    """Return a score as people write it: 12, ½, 3½."""
    whole = int(score)
    return f"{whole or ''}½" if score > whole else str(whole)


@frozen
class Decision:
    """What an SPRT says."""

    verdict: int | None = None
    """1: H1 is accepted; 0: H0 is."""

    count: int = 0
    """After how many distinct pairs."""

    ratio: float = 0.0
    """The log-likelihood ratio there."""

    last: int | None = None
    """The number of the pair that decided. What comes after it counts nowhere."""


@define
class Scoreboard:
    """The games of a match so far, and how they are told."""

    kind: str
    plan: Plan
    names: Sequence[str]
    options: Options
    sprt: Sprt | None = None
    """With which test the match ends before its last game."""

    results: dict[str, Result] = field(factory=dict)
    """Those of the games that have ended, by their ids."""

    columns: Sequence[Column] = ()
    """Those of the contest's table."""

    scores: Mapping[str, Scores] = field(factory=dict)
    """What they count, by the ids of the games."""

    means: Mapping[str, Means] = field(factory=dict)
    """The means of what the programs have told of themselves, by the ids of the games."""

    count: int = field(init=False)
    """How many games count."""

    def __attrs_post_init__(self) -> None:
        self.count = len(self.games)

    def settle(self, results: dict[str, Result]) -> None:
        """Count those games that are recorded, and no others."""
        self.results = results
        self.count = len(self.games)

    # A game

    def line(self, finished: Finished) -> str:
        """Take a game that has ended. Return the line on it, and lines on programs that went."""
        result, seats = finished.result, finished.fixture.seats
        self.results[result.id] = result
        one, other = (printable(self.names[entrant]) for entrant in seats)
        details = f"{result.termination}, {counted_of(result.moves, 'move')}, {result.seconds:.1f} s, {result.id[:8]}"
        if result.is_void:
            return f"{ASIDE}{one} - {other}: nobody's game ({result.termination})"
        self.count += 1
        score = f"{one} {points(result.score(0))} : {points(result.score(1))} {other}"
        found = f"{self.count:{len(str(self.plan.total))}}/{self.plan.total}  {score}  ({details})"
        return "\n".join([found, *self._gone(finished)])

    def _gone(self, finished: Finished) -> Iterator[str]:
        for seat, entrant in enumerate(finished.fixture.seats):
            if finished.result.causes.get(seat) not in GONE:
                continue
            exit_ = finished.exits.get(seat)
            # What a program has written that could not be started is that of an earlier game.
            said = "" if seat in finished.reasons else finished.said.get(seat, "")
            how = finished.reasons.get(seat) or (ending(exit_.status) if exit_ else "its connection ended")
            yield f"{ASIDE}  {printable(self.names[entrant])}: {how}{f': {printable(said)[:200]}' if said else ''}"

    # The score

    @property
    def games(self) -> list[Played]:
        """The games that count: with a verdict of the SPRT, those up to it."""
        games = played(self.plan, self.results)
        last = self._decision(games).last
        return games if last is None else [game for game in games if game.fixture.pair <= last]

    @property
    def decision(self) -> Decision:
        """What the SPRT says."""
        return self._decision(played(self.plan, self.results))

    def _decision(self, games: Sequence[Played]) -> Decision:
        """Return what the SPRT says of some games.

        Only the pairs before the first one that is not whole count, so that no speed of a game changes the verdict.
        """
        if self.sprt is None:
            return Decision()
        whole = takewhile(lambda counted: counted[0] == counted[1].number, enumerate(pairs(self.plan, games)))
        kept = distinct([pair for _, pair in whole])
        verdict, count, ratio = self.sprt.decided(pair.score for pair in kept)
        return Decision(verdict, count, ratio, None if verdict is None else kept[count - 1].number)

    @property
    def table(self) -> list[Standing]:
        """What the entrants have got, the best first."""
        rows = standings(self.plan, self.games)
        return sorted(rows, key=lambda row: (-row.score, *(-value for value in self.counted(row.entrant)), row.entrant))

    def counted(self, entrant: int) -> list[float]:
        """Return what an entrant has got, for each of the contest's columns."""
        own = [(self.scores.get(game.result.id, {}), game.fixture.seats) for game in self.games]
        found = []
        for column in self.columns:
            values = [
                scores[column.score][seats.index(entrant)]
                for scores, seats in own
                if entrant in seats and column.score in scores
            ]
            found.append(fmean(values) if column.is_mean and values else float(sum(values)))
        return found

    @property
    def meetings(self) -> list[Meeting]:
        """What each two have got from each other."""
        return meetings(self.plan, self.games)

    def so_far(self) -> str:
        """Return the score so far in a few words."""
        if self.plan.entrants > 2:  # noqa: PLR2004 (two have one score)
            return ", ".join(f"{printable(self.names[row.entrant])} {points(row.score)}" for row in self.table)
        (meeting,) = self.meetings
        bar = f", {meeting.estimate} Elo" if meeting.estimate is not None else ""
        bar += "" if self.sprt is None else f", LLR {self.decision.ratio:.2f}"
        return f"{self._pair(meeting)} {points(meeting.score)} : {points(meeting.games - meeting.score)}{bar}"

    def _pair(self, meeting: Meeting) -> str:
        return " - ".join(printable(self.names[entrant]) for entrant in meeting.entrants)

    def lines(self) -> Iterator[str]:
        """Yield the lines of the table."""
        counted = ["\u2300 " * column.is_mean + column.title for column in self.columns]
        rows = [("", "score", "won", "drawn", "lost", *counted, "lost by")]
        for row in self.table:
            causes = sorted(row.causes.items(), key=lambda cause: -cause[1])
            why = ", ".join(f"{cause} {count}" for cause, count in causes)
            score = f"{points(row.score)}/{row.games}"
            counts = [f"{value:.2f}".removesuffix(".00") for value in self.counted(row.entrant)]
            cells = (str(row.won), str(row.drawn), str(row.lost), *counts)
            rows.append((printable(self.names[row.entrant]), score, *cells, why))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for name, *numbers, why in rows:
            padded = [f"{name:<{widths[0]}}"]
            padded += [f"{number:>{width}}" for number, width in zip(numbers, widths[1:], strict=False)]
            yield "  ".join([*padded, why]).rstrip()
        yield ""
        for meeting in self.meetings:
            yield from self._evidence(meeting)
        for row in self.unfit:
            yield f"{printable(self.names[row.entrant])} has played no game to its end."

    @property
    def unfit(self) -> list[Standing]:
        """Those who have never played a game to its end."""
        return [row for row in self.table if row.games and not row.finished]

    def _verdict(self, meeting: Meeting, estimate: Estimate) -> str:
        """Return who is the stronger one, and how likely that is."""
        likelier = estimate.superiority < 1 / 2
        likely = max(estimate.superiority, 1 - estimate.superiority)
        name = printable(self.names[meeting.entrants[likelier]])
        who = f"{name} is the stronger one with {likely:.1%}"
        if estimate.stronger or self.sprt is not None:
            return who
        return "not decided" if likely == 1 / 2 else f"not decided; {who}"

    def _evidence(self, meeting: Meeting) -> Iterator[str]:
        pairs = f"{meeting.distinct} distinct of {counted_of(meeting.pairs, 'pair')}"
        if meeting.estimate is None:
            yield f"{self._pair(meeting)}: no whole pair yet"
            return
        yield f"{self._pair(meeting)}: {meeting.estimate} Elo ({pairs}); {self._verdict(meeting, meeting.estimate)}"
        yield f"First seat: {meeting.first_seat} Elo"
        if meeting.distinct == 1 < meeting.pairs:
            yield self.more_pairs
        if self.sprt is not None:
            decision, (low, high) = self.decision, self.sprt.bounds
            found = {None: "no verdict", 0: "H0 is accepted", 1: "H1 is accepted"}[decision.verdict]
            hypotheses = f"SPRT of elo0={self.sprt.elo0:g} and elo1={self.sprt.elo1:g}"
            count = counted_of(decision.count, "distinct pair")
            yield f"{hypotheses}: {found} after {count}, LLR {decision.ratio:.2f} ({low:.2f}, {high:.2f})"

    @property
    def more_pairs(self) -> str:
        """A sentence on what makes more distinct pairs."""
        return (
            "All pairs are alike, which is evidence of one pair only: let the bots draw lots from {seed}, or play "
            "--openings"
        )

    def status(self) -> int:
        """Return the exit status of a match that has come to its end."""
        verdict = self.decision.verdict
        is_missing = verdict is None and self.count < self.plan.total
        if is_missing or self.unfit:
            return UNFIT
        if self.sprt is not None:
            return {1: 0, 0: WEAKER, None: UNDECIDED}[verdict]
        if self.plan.entrants > 2:  # noqa: PLR2004 (more have no order that one number says)
            return 0
        (meeting,) = self.meetings
        stronger = 0 if meeting.estimate is None else meeting.estimate.stronger
        return {1: 0, -1: WEAKER, 0: UNDECIDED}[stronger]

    # For programs

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the games that count as data, in the order of the plan."""
        for game in self.games:
            result, seats = game.result, game.fixture.seats
            loser = next((entrant for entrant in seats if cause_of(game, entrant) is not None), None)
            values = (
                result.id,
                game.fixture.pair,
                game.fixture.leg,
                *(self.names[entrant] for entrant in seats),
                None if result.winner is None else self.names[seats[result.winner]],
                str(result.termination),
                result.moves,
                result.seconds,
                None if loser is None else str(cause_of(game, loser)),
            )
            yield dict(zip(COLUMNS, values, strict=True))

    def write_csv(self, file: TextIO) -> None:
        """Write a row for each game, with a column for each number that a first or a second bot has told."""
        told = {
            id_: {(name, seat): mean for seat, row in means.items() for name, mean in row.items()}
            for id_, means in self.means.items()
        }
        columns = sorted({key for row in told.values() for key in row})
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*COLUMNS, *(f"{COLUMNS[FIRST + seat]} {name}" for name, seat in columns)])
        for row in self.rows():
            numbers = told.get(row["id"], {})
            writer.writerow([*row.values(), *(numbers.get(key) for key in columns)])

    def json(self) -> str:
        """Return the match as JSON, each game on a line of its own."""
        entrants = [
            {
                "name": self.names[row.entrant],
                "score": row.score,
                "games": row.games,
                "won": row.won,
                "drawn": row.drawn,
                "lost": row.lost,
                "causes": {str(cause): count for cause, count in row.causes.items()},
                **dict(zip([column.score for column in self.columns], self.counted(row.entrant), strict=True)),
            }
            for row in self.table
        ]
        pairings = [
            {
                "entrants": [self.names[entrant] for entrant in meeting.entrants],
                "games": meeting.games,
                "score": meeting.score,
                "pairs": meeting.pairs,
                "distinct": meeting.distinct,
                "difference": _estimated(meeting.estimate),
                "first_seat": _estimated(meeting.first_seat),
            }
            for meeting in self.meetings
        ]
        found: dict[str, Any] = {
            "game": self.kind,
            "match": self.plan.id,
            "seed": self.plan.seed,
            "options": dict(self.options),
        }
        if self.sprt is not None:
            found["sprt"] = {**attrs.asdict(self.sprt), **attrs.asdict(self.decision)}
        head = json.dumps({**found, "entrants": entrants, "pairings": pairings}, indent=2)
        games = ",\n".join(f"    {json.dumps(row)}" for row in self.rows())
        return f'{head[:-2]},\n  "games": [\n{games}\n  ]\n}}'


def _estimated(estimate: Estimate | None) -> Mapping[str, Any] | None:
    if estimate is None:
        return None
    numbers = {
        "elo": estimate.elo,
        "bar": estimate.bar,
        "superiority": estimate.superiority,
        "normalized": estimate.normalized,
        "score": estimate.score,
        "low": estimate.low,
        "high": estimate.high,
    }
    # JSON has no infinity.
    return {name: round(value, 4) if math.isfinite(value) else None for name, value in numbers.items()}
