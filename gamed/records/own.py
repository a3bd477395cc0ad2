"""Convert between a `History` and gamed's own record format.

Source: docs/reference/records.md#gameds-own-records; the schemas describe the format. The publisher is `gamed-` and the
kind of game, as in `gamed-KIND`. The XML is formatted from strings, because every finished game is written here,
and building an element tree would take more than twice as long.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Final

from attrs import frozen
from lxml import etree

from gamed.core.findings import Finding
from gamed.core.game import Outcome, Seat
from gamed.core.history import DRAWN, JOINED, LINE, MOVE, Entry, History, Value, called
from gamed.records import notation
from gamed.records.parsing import parse
from gamed.records.record import Record, RecordError, SeatSummary, Summary

PUBLISHER: Final = "gamed-"
"""The prefix of the publisher of gamed's own records. The kind of game follows."""

PORTION: Final = 200
"""The number of entries that are formatted at a time, in about a millisecond. See `writing`."""

_NAME = re.compile("[a-z][a-z0-9]*(_[a-z][a-z0-9]*)*")
_CAPITAL = re.compile("[A-Z]")
# Attributes of an entry's element that are fields of `Entry`. All others are its `data`.
_OWN_ATTRIBUTES: Final = ("at", "seat", "encoding")


@frozen
class Judgement:
    """What the referee found, as the record states it."""

    findings: tuple[Finding, ...]

    unjudged: int | None
    """The first entry that was not judged; nor was any after it. None: all entries were judged."""


# Writing


def from_history(
    history: History, *, publisher: str, version: str, findings: Iterable[Finding], unjudged: int | None
) -> Record:
    """Return the record of a finished game; equal arguments give equal bytes.

    Raises RecordError(code="not-valid") if the history has no end, or a name that cannot be the name of an attribute.
    """
    chunks = writing(history, publisher=publisher, version=version, findings=findings, unjudged=unjudged)
    while True:
        try:
            next(chunks)
        except StopIteration as end:
            record: Record = end.value
            return record


def writing(
    history: History, *, publisher: str, version: str, findings: Iterable[Finding], unjudged: int | None
) -> Generator[None, None, Record]:
    """Do the same as `from_history` in steps of about a millisecond. The generator returns the record."""
    outcome = history.outcome
    if outcome is None:
        raise RecordError(f"the history of room {history.room} has no end", code="not-valid")
    if publisher != PUBLISHER + history.kind:
        raise RecordError(f"{publisher} is not the publisher of {history.kind} records", code="not-valid")
    header = _header(history, outcome, findings, unjudged)
    body = [b"<body>"]
    for begin in range(0, len(history.entries), PORTION):
        if begin:
            yield
        body.append("\n    ".join(map(_entry, history.entries[begin : begin + PORTION])).encode())
    return Record(history.room, publisher, version, header.encode(), b"\n    ".join(body) + b"\n  </body>")


def _header(history: History, outcome: Outcome, findings: Iterable[Finding], unjudged: int | None) -> str:
    winner = "" if outcome.winner is None else f' winner="{outcome.winner}"'
    lines = [
        "<header>",
        f"<id>{history.room}</id>",
        f"<opened>{history.opened_at}</opened>",
        f"<started>{history.started_at}</started>",
        f"<ended>{history.moment(history.entries[-1].at)}</ended>",
        f"<listener>{history.kind}</listener>",
        *_group("seats", _seats(history, outcome.winner)),
        f"<options{_attributes(history.options)}/>",
        f'<random seed="{history.seed}"/>',
        f'<result termination="{outcome.termination}"{winner}/>',
        *_group("findings", map(_finding, findings)),
    ]
    if unjudged is not None:
        lines.append(f'<unjudged entry="{unjudged}"/>')
    lines += _group("refusals", map(_entry, history.refused))
    lines += _group("attestations", map(_entry, history.attested))
    return "\n    ".join(lines) + "\n  </header>"


def _group(name: str, elements: Iterable[str]) -> list[str]:
    inner = [f"  {element}" for element in elements]
    return [f"<{name}>", *inner, f"</{name}>"] if inner else []


def _seats(history: History, winner: Seat | None) -> Iterator[str]:
    first = _first(history)
    for entry in history.of_kind(JOINED):
        name = notation.value(str(entry.data.get("name", "")))
        began = "" if first is None else f' first="{notation.value(entry.seat == first)}"'
        points = "" if winner is None else f' points="{int(entry.seat == winner)}"'
        yield f'<seat number="{entry.seat}" name="{name}"{began}{points}/>'


def _first(history: History) -> Seat | None:
    """Return the seat that moved first, as it was drawn or as the options fix it; None if neither says so."""
    for entry in history.of_kind(DRAWN):
        if "first" in entry.data:
            return int(entry.data["first"])
    # The seat that does not defend shoots first.
    return 1 if history.options.get("roles") == "first-defends" else None


def _finding(finding: Finding) -> str:
    attributes = f'code="{notation.attribute(finding.code)}" seat="{finding.seat}" entry="{finding.entry}"'
    return f"<finding {attributes}>{notation.sentence(finding.text)}</finding>"


def _entry(entry: Entry) -> str:
    body = entry.body
    if entry.kind == LINE and body is not None and not entry.data and notation.is_plain(body):
        # A relayed line, as nearly all entries of such a game are.
        seat = "" if entry.seat is None else f' seat="{entry.seat}"'
        return f'<line at="{entry.at}"{seat}>{body.decode("ascii")}</line>'
    kind = _camel(entry.kind)
    seat = "" if entry.seat is None else f' seat="{entry.seat}"'
    data = _attributes(entry.data) if entry.data else ""
    head = f'<{kind} at="{entry.at}"{seat}{data}'
    if body is None:
        return f"{head}/>"
    content = notation.content(body)
    if content is None:
        return f'{head} encoding="{notation.BASE64}">{notation.base64(body)}</{kind}>'
    return f"{head}>{content}</{kind}>"


def _attributes(data: Mapping[str, Value]) -> str:
    # Equal mappings may differ in their order, and equal histories must give equal bytes.
    return "".join([f' {_camel(name)}="{notation.value(data[name])}"' for name in sorted(data)])


@cache
def _camel(name: str) -> str:
    if not _NAME.fullmatch(name) or name in _OWN_ATTRIBUTES:
        raise RecordError(f"a record cannot hold the name {name!r}", code="not-valid")
    head, *words = name.split("_")
    return head + "".join(word.capitalize() for word in words)


# Reading


def to_history(record: Record) -> History:
    """Return the history that a record was made of. Raises RecordError if it is not a valid record of gamed's own."""
    with _reading(record):
        header, body = parse(record.header), parse(record.body)
        return History(
            room=_text(header, "id"),
            kind=_kind(record),
            # Records of version 1.0 have no `opened`: there, `started` is when the room was opened.
            opened_at=_text(header, "started" if header.find("opened") is None else "opened"),
            seed=int(_child(header, "random").attrib["seed"]),
            options=_data(_child(header, "options")),
            entries=_entries(body),
            refused=tuple(_entries(header.find("refusals"))),
            attested=tuple(_entries(header.find("attestations"))),
        )


def summary(record: Record) -> Summary:
    """Return the search fields of a record. Raises RecordError if it is not a valid record of gamed's own."""
    with _reading(record):
        return summarize(to_history(record), publisher=record.publisher, version=record.version)


def summarize(history: History, *, publisher: str, version: str) -> Summary:
    """Return the search fields of a finished game. Raises RecordError(code="not-valid") if it has no end."""
    outcome = history.outcome
    if outcome is None:
        raise RecordError(f"the history of room {history.room} has no end", code="not-valid")
    winner = outcome.winner
    return Summary(
        id=history.room,
        publisher=publisher,
        version=version,
        kind=history.kind,
        started=history.started_at,
        ended=history.moment(history.entries[-1].at),
        termination=str(outcome.termination),
        winner=winner,
        length=sum(entry.kind in (LINE, MOVE) for entry in history.entries),
        seats=tuple(
            SeatSummary(int(entry.seat or 0), called(entry), _points(entry.seat, winner))
            for entry in history.of_kind(JOINED)
        ),
    )


def _points(seat: Seat | None, winner: Seat | None) -> float | None:
    return None if winner is None else float(seat == winner)


def judgement(record: Record) -> Judgement:
    """Return the judgement in a record. Raises RecordError if it is not a valid record of gamed's own."""
    with _reading(record):
        header = parse(record.header)
        unjudged = header.find("unjudged")
        return Judgement(
            findings=tuple(map(_read_finding, header.iterfind("findings/finding"))),
            unjudged=None if unjudged is None else int(unjudged.attrib["entry"]),
        )


@contextmanager
def _reading(record: Record) -> Iterator[None]:
    try:
        yield
    # OverflowError: an entry's offset is beyond the dates that datetime can represent.
    except (KeyError, ValueError, OverflowError) as error:
        raise RecordError(f"not valid {record.publisher} {record.version}: {error}", code="not-valid") from error


def _kind(record: Record) -> str:
    kind = record.publisher.removeprefix(PUBLISHER)
    if kind == record.publisher:
        raise ValueError("the publisher is not gamed")
    return kind


def _child(parent: etree._Element, name: str) -> etree._Element:
    child = parent.find(name)
    if child is None:
        raise ValueError(f"there is no {name} in {parent.tag}")
    return child


def _text(parent: etree._Element, name: str) -> str:
    return _child(parent, name).text or ""


def _read_finding(element: etree._Element) -> Finding:
    data = element.attrib
    return Finding(str(data["code"]), int(data["seat"]), int(data["entry"]), element.text or "")


def _entries(body: etree._Element | None) -> list[Entry]:
    entries: list[Entry] = []
    for element in () if body is None else body:
        try:
            entries.append(_read_entry(element))
        except ValueError as error:
            number = sum(1 for _ in element.itersiblings(element.tag, preceding=True))
            raise RecordError(
                f"the entry is not valid: {error}", code="not-valid", place=(element.tag, number)
            ) from error
    return entries


def _read_entry(element: etree._Element) -> Entry:
    seat = element.get("seat")
    return Entry(
        at=int(element.attrib["at"]),
        kind=_snake(str(element.tag)),
        seat=None if seat is None else int(seat),
        body=notation.body(element.text, element.get("encoding")),
        data=_data(element),
    )


def _data(element: etree._Element) -> dict[str, Value]:
    return {
        _snake(str(name)): notation.read(str(text))
        for name, text in element.attrib.items()
        if name not in _OWN_ATTRIBUTES
    }


def _snake(name: str) -> str:
    return _CAPITAL.sub(lambda capital: f"_{capital[0].lower()}", name)
