"""A person's names and addresses taken out of a record, and something neutral put in their place.

Source: docs/howto/operate.md#a-persons-name. A name stands in fields of its own (who sat on a seat, who joined), and
may stand in texts for people: findings, reasons, hints, comments, the title of a game. Fields are changed where the
whole of them is the name. In texts it is changed where it stands as a word or words, and not as a part of the longer
name of another player. Moves and lines are the game itself, and stay.

The element tree is changed in place, so that comments and white space of documents that were imported stay. A record
of another publisher stays as it is: gamed does not know what is a name in it, and a signature in it would break.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from ipaddress import ip_address
from itertools import chain
from typing import Final

import attrs
from attrs import frozen
from lxml import etree

from gamed.records import gofans, notation, own
from gamed.records.canonical import imported_id
from gamed.records.index import validate
from gamed.records.parsing import parse_whole
from gamed.records.record import Record, RecordError, document

NEUTRAL: Final = "anonymous"
"""The name that is put in place. RoboRally's names have letters alone, so a second one in a game gets a letter more."""

CHANGED: Final = "anonymised"
MENTIONED: Final = "mentioned"
FOREIGN: Final = "foreign"
FAILED: Final = "failed"

_NAME: Final = "name"
_SEATS: Final = ("seats/seat", "players/player")
_FINDING: Final = "finding"
_OWN_TEXTS: Final = (_NAME, "text", "hint")
_GO_NAMES: Final = (_NAME,)
_GO_TEXTS: Final = frozenset({"title", "event", "date", "place", "rules", "comment"})

Change = Callable[[str], str]


@frozen
class Person:
    """Whom a name or an address means."""

    pattern: str

    @classmethod
    def of(cls, name: str) -> Person:
        """Return who is called so. An address stands for itself with any port, too: that is what gamed calls peers."""
        try:
            address = re.escape(str(ip_address(name)))
        except ValueError:
            return cls(rf"(?<!\w){re.escape(name)}(?!\w)")
        return cls(rf"(?<![\w.:])(?:\[{address}\]:\d+|{address}(?::\d+)?)(?![\w:]|\.\d)")

    def is_called(self, name: str) -> bool:
        """Whether a field is the person's name, and nothing but that."""
        return re.fullmatch(self.pattern, name) is not None

    def change(self, others: frozenset[str], neutral: str) -> Change:
        """Return what puts something neutral in the place of the person in a text. `others`: further names in it."""
        longer = sorted((other for other in others if re.search(self.pattern, other)), key=len, reverse=True)
        found = re.compile("|".join([*map(re.escape, longer), f"({self.pattern})"]))
        return lambda text: found.sub(lambda match: match[0] if match[1] is None else neutral, text)


@frozen
class Outcome:
    """What came of a record that has to do with the person: a code, and the record that takes its place.

    `MENTIONED`: a text names the person, who did not play; it may mean somebody else. `FOREIGN`: a format that gamed
    does not read has the name. `FAILED`: why is in `reason`. These three stay as they are.
    """

    code: str
    record: Record | None = None
    reason: str = ""


def anonymised(record: Record, person: Person) -> Outcome | None:
    """Return what comes of a record; None: it has nothing to do with the person. Raises nothing."""
    try:
        header, body = parse_whole(record.header), parse_whole(record.body)
        if not _is_known(record):
            return Outcome(FOREIGN) if _is_anywhere(person, header, body) else None
        names = frozenset(_names(record, header))
        others = frozenset(name for name in names if not person.is_called(name))
        change = person.change(others, _neutral(others))
        changes = [_change(record, element, person, change) for element in chain(header.iter(), body.iter())]
        if others == names:
            return Outcome(MENTIONED) if any(changes) else None
        made = _made(record, header, body)
        validate(document(made))
    except RecordError as error:
        return Outcome(FAILED, reason=error.reason)
    return Outcome(CHANGED, made)


def _is_known(record: Record) -> bool:
    return _is_own(record) or (record.publisher == gofans.PUBLISHER and record.version in gofans.VERSIONS)


def _is_own(record: Record) -> bool:
    return record.publisher.startswith(own.PUBLISHER)


def _is_anywhere(person: Person, *nodes: etree._Element) -> bool:
    texts = (text for node in nodes for element in node.iter() for text in _texts(element))
    return any(re.search(person.pattern, text) for text in texts)


def _texts(element: etree._Element) -> Iterator[str]:
    yield from filter(None, (element.text, element.tail))
    if isinstance(element.tag, str):
        yield from map(str, element.attrib.values())


def _names(record: Record, header: etree._Element) -> Iterator[str]:
    for path in _SEATS:
        for seat in header.iterfind(path):
            if _NAME in seat.attrib:
                yield _read(record, str(seat.attrib[_NAME]))


def _neutral(others: frozenset[str]) -> str:
    """Return a name that nobody else in the game has."""
    name = NEUTRAL
    while name in others:
        name += "x"
    return name


def _change(record: Record, element: etree._Element, person: Person, change: Change) -> bool:
    """Change what names the person in an element; return whether anything did."""
    tag, text, is_own = element.tag, element.text, _is_own(record)
    is_comment = not isinstance(tag, str)
    is_changed = False
    if text and (is_comment or (tag == _FINDING if is_own else tag in _GO_TEXTS)):
        element.text = change(text)
        is_changed = element.text != text
    # Names in a GoFans document stand as they are, and other attributes of it are no texts.
    for name in () if is_comment else _OWN_TEXTS if is_own else _GO_NAMES:
        attribute = element.get(name)
        if attribute is not None:
            said = _read(record, attribute)
            new = change(said) if name != _NAME or person.is_called(said) else said
            if new != said:
                element.set(name, _escaped(record, new))
                is_changed = True
    return is_changed


def _read(record: Record, attribute: str) -> str:
    if not _is_own(record):
        return attribute
    try:
        return str(notation.read(attribute))
    except ValueError as error:
        raise RecordError(f"an attribute that is not JSON: {attribute}", code="not-valid") from error


def _escaped(record: Record, text: str) -> str:
    return notation.text(text) if _is_own(record) else text


def _made(record: Record, header: etree._Element, body: etree._Element) -> Record:
    # Ids of imported records stand for what is in them.
    id = record.id if _is_own(record) else imported_id(record.publisher, record.version, header, body)  # noqa: A001
    written = [etree.tostring(node, encoding="unicode", with_tail=False).encode() for node in (header, body)]
    return attrs.evolve(record, id=id, header=written[0], body=written[1])
