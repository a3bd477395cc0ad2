"""Records opened for reading, and a cache of them.

Source: docs/reference/records.md#what-is-kept, docs/reference/records.md#gameds-own-records. There are three kinds:
records of games that gamed hosted, of games that people wrote down, and opaque ones, which gamed stores but cannot
interpret.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from random import Random
from typing import Any, Final, Protocol, TypeAlias

import attrs
from attrs import define, field, frozen

from gamed.core.history import History
from gamed.records import own
from gamed.records.index import Index
from gamed.records.outline import Line, outline
from gamed.records.positions import Replayed, departures, findings, losses, refusals
from gamed.records.record import Record, RecordError, Summary, document, unplayed
from gamed.records.written import Listing
from gamed.registry import GameType, WrittenGame
from gamed.web.answers import Refusal
from gamed.web.naming import Naming
from gamed.web.thread_cooperator import Steps

Data: TypeAlias = dict[str, Any]

XML: Final = "xml"
REPLAY: Final = "replay"

MOST_LINES: Final = 2_000
"""The maximal number of lines of a record's outline in an answer; the file has all."""

MOST_POSITIONS: Final = 64
"""The maximal number of positions in one answer."""

XML_TYPE: Final = "application/xml"

Bounds: TypeAlias = Callable[[str, int, int, int], int]
"""`Call.number`: reads a number of the query, by its name, default, minimum and maximum. Raises Refusal."""


@frozen
class File:
    """A file to download."""

    ending: str
    """The end of its name, after the record's id."""

    mime: str
    data: bytes


class Opened(Protocol):
    """A record opened for reading."""

    record: Record

    @property
    def weight(self) -> int:
        """How much memory it takes, in positions or moves."""

    def to_data(self, naming: Naming) -> Data:
        """Return the record as JSON, without its positions."""

    def positions(self, bounds: Bounds, node: int | None) -> Iterator[Data]:
        """Yield the requested positions. Raises Refusal, and RuleError if the rules do not allow a move."""

    def file(self, chosen: str, naming: Naming) -> File:
        """Return the record in a format. Raises Refusal("no-format"), and RecordError if the format cannot hold it."""


def summary_data(summary: Summary, naming: Naming) -> Data:
    """Return a record's summary as JSON."""
    data = attrs.asdict(summary, filter=attrs.filters.exclude("kind", "owners"))
    known = {"game": summary.kind or None, "termination": summary.termination or None}
    return {**data, **known, "seats": naming.named(data["seats"])}


def _asked(bounds: Bounds, default: int, length: int) -> range:
    first = bounds("from", default, 0, length)
    last = bounds("to", first, first, length)
    if last - first >= MOST_POSITIONS:
        raise Refusal(400, "number", f"these are more than {MOST_POSITIONS} positions", "request fewer at a time")
    return range(first, last + 1)


def _no_format(publisher: str, chosen: str, formats: Sequence[str]) -> Refusal:
    text = f"records of {publisher} have no format {chosen[:40]}"
    return Refusal(404, "no-format", text, f"they have {', '.join(formats)}")


@define(eq=False)
class OpaqueRecord:
    """A record that gamed stores but cannot interpret."""

    record: Record
    weight: int = 1

    def to_data(self, naming: Naming) -> Data:
        """Return the columns of the database, header and body as an outline; everything else is unknown or empty."""
        lines: list[Line] = []
        if not self._is_hidden(naming):
            # A record that is not XML any longer can still be downloaded.
            with suppress(RecordError):
                lines = list(islice(outline(self.record), MOST_LINES + 1))
        return {
            **summary_data(unplayed(self.record), naming),
            "outcome": None,
            "unjudged": None,
            "moves": [],
            "options": {},
            "findings": [],
            "refusals": [],
            "departures": [],
            "losses": [],
            "formats": [XML],
            "boards": False,
            "content": [attrs.asdict(line) for line in lines[:MOST_LINES]],
            "isCut": len(lines) > MOST_LINES,
        }

    def positions(self, _bounds: Bounds, _node: int | None) -> Iterator[Data]:
        """Raise Refusal: there are no positions."""
        raise Refusal(404, "no-boards", f"gamed cannot replay {self.record.publisher} {self.record.version}")

    def file(self, chosen: str, naming: Naming) -> File:
        """Return the record as it is."""
        if chosen != XML:
            raise _no_format(self.record.publisher, chosen, [XML])
        if self._is_hidden(naming):
            text = "this file may contain the addresses of players"
            raise Refusal(403, "addresses", text, "only an administrator may download it")
        return File(".xml", XML_TYPE, document(self.record))

    def _is_hidden(self, naming: Naming) -> bool:
        """Whether the record may contain addresses of players, which a visitor may not see."""
        return not naming.shows_addresses and self.record.publisher.startswith(own.PUBLISHER)


@define(eq=False)
class OwnRecord:
    """The record of a game that gamed hosted, replayed."""

    record: Record
    game_type: GameType
    summary: Summary

    replayed: Replayed
    """Its positions and moves."""

    @property
    def weight(self) -> int:
        """The number of positions."""
        return len(self.replayed.states)

    @property
    def formats(self) -> list[str]:
        """The formats in which it can be downloaded."""
        return [XML, *([REPLAY] if self.game_type.replays else [])]

    def to_data(self, naming: Naming) -> Data:
        """Return the summary, the outcome, the findings and all moves."""
        history, judged = self.replayed.history, own.judgement(self.record)
        outcome = history.outcome
        return {
            **summary_data(self.summary, naming),
            "moves": self.replayed.moves,
            "outcome": None if outcome is None else attrs.asdict(outcome),
            "options": dict(history.options),
            "findings": naming.named(findings(history, judged.findings)),
            "refusals": naming.named(refusals(history)),
            "departures": naming.named(departures(history)),
            "losses": naming.named(losses(history)),
            "unjudged": judged.unjudged,
            "formats": self.formats,
            "boards": True,
        }

    def measures(self) -> Steps[dict[str, list[list[int | None]]]]:
        """Return the numbers of each seat after 0, 1, 2, … moves, by the names of measures."""
        found: dict[str, list[list[int | None]]] = {}
        for state in self.replayed.states:
            for name, values in self.game_type.measures(state).items():
                series = found.setdefault(name, [[] for _ in values])
                for one, value in zip(series, values, strict=True):
                    one.append(value)
            yield
        return found

    def positions(self, bounds: Bounds, node: int | None) -> Iterator[Data]:
        """Yield positions as a spectator sees them."""
        if node is not None:
            raise Refusal(400, "node", "this game has no variations", "use the parameters from and to")
        return map(self.replayed.position, _asked(bounds, 0, len(self.replayed.moves)))

    def file(self, chosen: str, naming: Naming) -> File:
        """Return the record, or a file for another program's replay viewer."""
        history = naming.history(self.replayed.history)
        if chosen == XML:
            return File(".xml", XML_TYPE, document(self._of(history)))
        for replay in self.game_type.replays:
            if chosen in (REPLAY, replay.name):
                return File(f"-{replay.name}.xml", XML_TYPE, replay.write(history))
        raise _no_format(self.record.publisher, chosen, self.formats)

    def _of(self, history: History) -> Record:
        """Return the record with this history: itself, or a copy if the history was changed."""
        if history is self.replayed.history:
            return self.record
        publisher, version, judged = self.record.publisher, self.record.version, own.judgement(self.record)
        return own.from_history(history, publisher=publisher, version=version, **attrs.asdict(judged, recurse=False))


@define(eq=False)
class WrittenRecord:
    """The record of a game that people have written down."""

    record: Record
    game_type: WrittenGame
    game: Any
    """The game, which the formats of its type know."""

    listing: Listing = field(init=False)
    """Numbers the nodes of the game's tree, and renders them."""

    def __attrs_post_init__(self) -> None:
        self.listing = self.game_type.formats.listing(self.game)

    @property
    def weight(self) -> int:
        """The number of nodes in its tree."""
        return len(self.listing.nodes) + 1

    def to_data(self, naming: Naming) -> Data:
        """Return the summary, the main line and the tree."""
        formats = self.game_type.formats
        summary = formats.summary(self.record, self.game)
        return {
            **summary_data(summary, naming),
            "outcome": {"termination": summary.termination, "winner": summary.winner} if summary.termination else None,
            "findings": [],
            "refusals": [],
            "departures": [],
            "losses": [],
            "unjudged": None,
            "formats": [XML, *self.game_type.page_formats],
            "boards": True,
            **formats.to_page(self.game, self.listing),
        }

    def positions(self, bounds: Bounds, node: int | None) -> Iterator[Data]:
        """Yield positions of the main line, or of the line through a node of the tree."""
        if node and node not in self.listing.nodes:
            raise Refusal(404, "no-node", f"the tree has no node {node}")
        line = self.listing.line(node or 0)
        asked = _asked(bounds, len(self.listing.path(node or 0)), len(line))
        return self.listing.positions(line, asked[0], asked[-1])

    def file(self, chosen: str, _naming: Naming) -> File:
        """Return the record, or a file in another format of the game."""
        if chosen == XML:
            return File(".xml", XML_TYPE, document(self.record))
        return file_of(self.game_type, self.game, chosen)


def file_of(game_type: WrittenGame, game: Any, chosen: str) -> File:
    """Return a written game as a file in one of its formats.

    Raises RecordError if the format cannot hold the game, and RuleError if the rules do not allow one of its moves.
    """
    known = dict.fromkeys((*game_type.page_formats, *game_type.format_names))
    if chosen not in known:
        raise _no_format(game_type.publisher, chosen, [*known])
    ending, mime = game_type.formats.suffix(chosen)
    return File(ending, mime, game_type.formats.write(game, chosen)[0])


def opened(record: Record, formats: Index, types: Mapping[str, GameType | WrittenGame]) -> Steps[Opened]:
    """Open a record, in steps. `types` are the games by their publishers."""
    try:
        return (yield from _interpreted(record, formats, types))
    except RecordError:
        # It may be older than the formats of today. It can still be downloaded.
        return OpaqueRecord(record)


def _interpreted(record: Record, formats: Index, types: Mapping[str, GameType | WrittenGame]) -> Steps[Opened]:
    found = formats.formats.get((record.publisher, record.version))
    if found is None or not found.is_playable:
        return OpaqueRecord(record)
    game_type = types.get(record.publisher)
    if game_type is None:
        return OpaqueRecord(record)
    if isinstance(game_type, WrittenGame):
        written = WrittenRecord(record, game_type, game_type.formats.read(record))
        yield from written.listing.played()
        return written
    history = own.to_history(record)
    yield
    summary = _summary(record, history)
    table = game_type.table(game_type.settings(), history.options, Random, 0.0)
    replayed = Replayed(table, history, game_type.public_text)
    yield from replayed.played()
    return OwnRecord(record, game_type, summary, replayed)


def _summary(record: Record, history: History) -> Summary:
    """Return the same as `own.summary`, without parsing the record again."""
    try:
        return own.summarize(history, publisher=record.publisher, version=record.version)
    except (KeyError, ValueError, OverflowError) as error:
        raise RecordError(f"not valid {record.publisher} {record.version}: {error}", code="not-valid") from error


@define(eq=False)
class RecordCache:
    """A cache of opened records; the least recently used ones are dropped first."""

    count: int = 8
    """The maximal number of records."""

    weight: int = 20_000
    """The maximal weight of all records together. A single heavier record is kept nevertheless."""

    _held: OrderedDict[str, Opened] = field(factory=OrderedDict)
    """By id, the least recently used one first."""

    def take(self, id: str) -> Opened | None:  # noqa: A002 (the path parameter's name)
        """Return a cached record by its whole id, or None."""
        found = self._held.get(id)
        if found is not None:
            self._held.move_to_end(id)
        return found

    def drop(self, id: str) -> None:  # noqa: A002 (the path parameter's name)
        """Remove a record from the cache."""
        self._held.pop(id, None)

    def put(self, found: Opened) -> None:
        """Add a record to the cache."""
        self._held[found.record.id] = found
        self._held.move_to_end(found.record.id)
        while len(self._held) > 1 and (len(self._held) > self.count or self._weight() > self.weight):
            self._held.popitem(last=False)

    def _weight(self) -> int:
        return sum(found.weight for found in self._held.values())
