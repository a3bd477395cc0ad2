"""Common mistakes in the arguments of messages, described for the developers of clients.

The grammar refuses a line as a whole. This module looks at a refused line again, and names the mistake if it knows it.
Descriptions may quote the line, so they must only be public where the line cannot contain a program. Those of `SECRET`
messages quote nothing.
"""

from __future__ import annotations

import re
from typing import Final

_LONGEST_NAME: Final = 32
_SHOWN: Final = 20

_NAMED: Final = frozenset({"RGS", "RGA", "RLE", "SRO", "GRS"})
"""Messages whose only argument is a name."""

SECRET: Final = frozenset({"TRP", "TRR"})
"""Messages with a program, or with the registers that a robot opens."""

_GERMAN_EAST: Final = frozenset({"O", "o"})
"""East is Osten in German; the protocol writes E all the same."""


_NO_NAME: Final = f"it does not begin with a name of 1 to {_LONGEST_NAME} letters and a comma"


def fault(head: str, line: str) -> str:
    """Return the mistake in a message that begins with `head`; "" if it is not one of those that are known here.

    `line` is the whole message without white space.
    """
    if line == head:
        return f"{head} needs arguments in brackets" if head in _TOLD else ""
    if not line.endswith(")"):
        return "the closing bracket is missing"
    arguments = line[len(head) + 1 : -1]
    described = _TOLD.get(head)
    return "" if described is None else described(arguments)


def _name(name: str) -> str:
    if not name:
        return "the name is missing"
    strange = next((char for char in name if not (char.isascii() and char.isalpha())), "")
    if strange:
        return f"{strange} is not a letter"
    return f"the name has {len(name)} letters" if len(name) > _LONGEST_NAME else ""


def _place(place: str) -> str:
    if re.fullmatch(r"[0-9]+,[0-9]+", place):
        return "the place has no brackets of its own"
    return "the place is not a column and a row, each from 0 to 255"


def _facing(arguments: str) -> str:
    name, comma, facing = arguments.partition(",")
    if not comma:
        return "there is no comma between a name and a facing"
    hint = " (east is E)" if facing in _GERMAN_EAST else ""
    return _name(name) or f"{facing[:_SHOWN] or 'nothing'} is not a facing{hint}"


def _answer(arguments: str) -> str:
    name, comma, letter = arguments.partition(",")
    if not comma:
        return "there is no comma between a name and t or f"
    return _name(name) or _neither(letter)


def _neither(letter: str) -> str:
    return f"{letter[:_SHOWN] or 'nothing'} is neither t nor f"


def _program(arguments: str) -> str:
    name, _, rest = arguments.partition(",")
    numbers, _, letter = rest.rpartition(",")
    if _name(name):
        return _NO_NAME
    if "PK" in numbers:
        return "the list has cards, but must have their places"
    if not (numbers.startswith("(") and numbers.endswith(")")):
        return "the numbers are not in a list of their own, followed by a comma and t or f"
    if letter not in {"t", "f"}:
        return "after the list there is neither t nor f"
    return "the list holds something other than numbers from 1 to 255 and commas"


def _repairs(arguments: str) -> str:
    name = arguments.partition(",")[0]
    return _NO_NAME if _name(name) else "after the name there is something other than registers from 1 to 5 and commas"


_TOLD: Final = {
    **dict.fromkeys(_NAMED, _name),
    "SFI": _place,
    "TNR": _facing,
    "TBD": _answer,
    "TRP": _program,
    "TRR": _repairs,
}
