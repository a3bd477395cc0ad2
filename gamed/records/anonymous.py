"""Replace a person's name or address in a record by a neutral one.

Source: docs/howto/operate.md#a-persons-name. A name can be in a field of its own (of a seat, or of a player who joined)
and in free text: findings, refusals, reasons, hints, comments, the title of a game. A field is changed if all of it is
the name. Free text is changed where the name occurs as whole words, unless they are part of another player's longer
name. Moves and lines are not changed: they are the game itself.

The element tree is edited in place, which keeps the comments and white space of imported documents. Records of other
publishers are not changed: gamed does not know their fields, and could break a signature.
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

from gamed.records import notation, own
from gamed.records.canonical import imported_id
from gamed.records.index import Index, index, validate
from gamed.records.parsing import parse_whole
from gamed.records.record import Record, RecordError, document

NEUTRAL: Final = "anonymous"
"""The new name. If another player has it, "x" is appended, not a digit: some games' names are all letters."""

CHANGED: Final = "anonymised"
"""The person played, and the record was changed. The following outcomes leave the record as it is."""

MENTIONED: Final = "mentioned"
"""The name occurs only in free text. The person did not play, so somebody else may be meant."""

FOREIGN: Final = "foreign"
"""The name occurs in a record of a format that gamed does not know."""

FAILED: Final = "failed"
"""The record cannot be changed."""

_NAME: Final = "name"
_SEATS: Final = ("seats/seat", "players/player")
_FINDING: Final = "finding"
_REFUSED: Final = "refused"
_OWN_TEXTS: Final = (_NAME, "text", "hint", "reason", "expected")
_OTHER_NAMES: Final = (_NAME,)
_OTHER_TEXTS: Final = frozenset({"title", "event", "date", "place", "rules", "comment"})

Change = Callable[[str], str]
"""Returns a text with the person's name replaced."""


@frozen
class Person:
    """The person to be removed from records."""

    pattern: str
    """A regular expression that matches the name as whole words."""

    @classmethod
    def of(cls, name: str) -> Person:
        """Return the person with this name or IP address.

        An address also matches with a port after it: gamed names peers ADDRESS:PORT if they have no other name.
        """
        try:
            address = re.escape(str(ip_address(name)))
        except ValueError:
            return cls(rf"(?<!\w){re.escape(name)}(?!\w)")
        return cls(rf"(?<![\w.:])(?:\[{address}\]:\d+|{address}(?::\d+)?)(?![\w:]|\.\d)")

    def is_called(self, name: str) -> bool:
        """Whether all of a field is the person's name."""
        return re.fullmatch(self.pattern, name) is not None

    def change(self, others: frozenset[str], neutral: str) -> Change:
        """Return a function that replaces the person's name in a text by `neutral`. `others`: the other players' names.

        Longer names that contain this one are matched first, and kept.
        """
        longer = sorted((other for other in others if re.search(self.pattern, other)), key=len, reverse=True)
        found = re.compile("|".join([*map(re.escape, longer), f"({self.pattern})"]))
        return lambda text: found.sub(lambda match: match[0] if match[1] is None else neutral, text)


@frozen
class Outcome:
    """What was done about a record in which the name occurs."""

    code: str
    """`CHANGED`, `MENTIONED`, `FOREIGN` or `FAILED`."""

    record: Record | None = None
    """The changed record; None unless the code is `CHANGED`."""

    reason: str = ""
    """Why the record cannot be changed, if the code is `FAILED`."""


def anonymised(record: Record, person: Person, formats: Index | None = None) -> Outcome | None:
    """Try to replace a person's name in a record. Return None if the name does not occur in it. Raises nothing.

    `formats`: None are gamed's own.
    """
    formats = formats or index()
    try:
        header, body = parse_whole(record.header), parse_whole(record.body)
        if not _is_known(record, formats):
            return Outcome(FOREIGN) if _is_anywhere(person, header, body) else None
        names = frozenset(_names(record, header))
        others = frozenset(name for name in names if not person.is_called(name))
        change = person.change(others, _neutral(others))
        changes = [_change(record, element, person, change) for element in chain(header.iter(), body.iter())]
        if others == names:  # no seat has the person's name: drop the changed trees
            return Outcome(MENTIONED) if any(changes) else None
        made = _made(record, header, body)
        validate(document(made), formats)
    except RecordError as error:
        return Outcome(FAILED, reason=error.reason)
    return Outcome(CHANGED, made)


def _is_known(record: Record, formats: Index) -> bool:
    """Whether gamed knows where names are in records of this format: in its own, and in those that it plays."""
    found = formats.formats.get((record.publisher, record.version))
    return _is_own(record) or (found is not None and found.is_playable)


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
    if text and (is_comment or (tag in (_FINDING, _REFUSED) if is_own else tag in _OTHER_TEXTS)):
        element.text = change(text)
        is_changed = element.text != text
    # In gamed's own records the values of attributes are encoded by `notation`; in others they are plain text.
    for name in () if is_comment else _OWN_TEXTS if is_own else _OTHER_NAMES:
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
        raise RecordError(f"an attribute is not valid JSON: {attribute}", code="not-valid") from error


def _escaped(record: Record, text: str) -> str:
    return notation.text(text) if _is_own(record) else text


def _made(record: Record, header: etree._Element, body: etree._Element) -> Record:
    # The id of an imported record is made of its content.
    record_id = record.id if _is_own(record) else imported_id(record.publisher, record.version, header, body)
    written = [etree.tostring(node, encoding="unicode", with_tail=False).encode() for node in (header, body)]
    return attrs.evolve(record, id=record_id, header=written[0], body=written[1])
