"""Messages that had no effect, and why: what a developer reads whose bot does something wrong.

Tables, receptions and dialects make a `Refusal` for each message that they refuse, ignore or cannot read, and for each
connection that a limit or a time closes. `gamed/lobby/refusals.py` logs and keeps them. Nothing here goes over a wire.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from attrs import define, evolve, field, frozen

from gamed.texts import printable

KEPT: Final = 10
"""Refusals of each peer that are kept and logged whole; after these, they are counted."""

SHOWN: Final = 200
"""Characters of a message that are shown."""

_LOOKED_AT: Final = 2 * SHOWN
"""Bytes of a message that are kept and searched for secrets; what is shown comes from these."""

_LONGEST_CODE: Final = 64
"""Bytes at the end of a cut message that are not shown, because half a secret could not be recognised."""

_SECRET_VALUE: Final = re.compile(
    # From the beginning of a word on: to try each of its letters takes long where it is long.
    r"""(?<!\w)((?:\w*pass\w*|\w*reserv\w*|\w*code)\s*[=>]\s*)("[^"]*"?|'[^']*'?|[^\s<>]+)""",
    re.IGNORECASE,
)
_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_TAKEN_OUT: Final = "[removed]"


@frozen
class Refusal:
    """A message that had no effect, or that cost the peer its connection."""

    code: str
    """Stable: lower-case words with hyphens."""

    reason: str
    """What is wrong, for people. Public while the match runs, so it never quotes what may be hidden from others."""

    expected: str = ""
    """What would have been taken instead."""

    text: bytes = b""
    """The message as it came; only `shown` may show it."""

    is_hidden: bool = False
    """Whether the text may hold what other players must not see, such as a card program."""


@define
class Refusals:
    """The refusals of one peer: the first `KEPT` and the first of each code whole, all of them counted by code."""

    first: list[Refusal] = field(factory=list)
    counts: dict[str, int] = field(factory=dict)

    def add(self, refusal: Refusal) -> bool:
        """Count a refusal; return whether it is among those that are kept."""
        self.counts[refusal.code] = self.counts.get(refusal.code, 0) + 1
        # What costs a peer its connection is told, however many of another kind came before.
        if len(self.first) >= KEPT and self.counts[refusal.code] > 1:
            return False
        # One byte more than is looked at tells that it was longer.
        self.first.append(evolve(refusal, text=refusal.text[: _LOOKED_AT + 1]))
        return True

    @property
    def reasons(self) -> dict[str, str]:
        """The different reasons of each code, as far as its refusals are kept; its first is."""
        found: dict[str, dict[str, None]] = {}
        for refusal in self.first:
            found.setdefault(refusal.code, {})[refusal.reason] = None
        return {code: "; ".join(reasons) for code, reasons in found.items()}

    @property
    def total(self) -> int:
        """How many there were."""
        return sum(self.counts.values())

    @property
    def summary(self) -> str:
        """How many there were of each code."""
        return ", ".join(f"{count} {code}" for code, count in self.counts.items())


def _no_code(_text: str) -> bool:
    return False


def shown(text: bytes, is_code: Callable[[str], bool] = _no_code) -> str:
    """Return a message as people may see it: cut, printable, without passwords and reservation codes.

    `is_code`: says whether a UUID is a reservation code of this daemon.
    """
    cut = text if len(text) <= _LOOKED_AT else text[: _LOOKED_AT - _LONGEST_CODE]
    found = cut.decode("utf-8", "backslashreplace")
    harmless = _without_secrets(found, is_code)
    length = SHOWN
    if "\0" in found:
        # Without NULs a password in UTF-16 is recognised, too. Half as many characters are as many bytes.
        bare = found.replace("\0", "")
        without = _without_secrets(bare, is_code)
        if without != bare:
            harmless, length = without, SHOWN // 2
    harmless = printable(harmless)
    return harmless if len(harmless) <= length and len(cut) == len(text) else harmless[:length] + "…"


def _without_secrets(text: str, is_code: Callable[[str], bool]) -> str:
    text = _SECRET_VALUE.sub(_taken_out, text)
    return _UUID.sub(lambda match: _TAKEN_OUT if is_code(match[0].lower()) else match[0], text)


def _taken_out(found: re.Match[str]) -> str:
    """Return a secret value's replacement, in the quotation marks that it had."""
    name, value = found.groups()
    first = value[0] if value[0] in "\"'" else ""
    last = first if value[1:].endswith(first) else ""
    return f"{name}{first}{_TAKEN_OUT}{last}"


def described(refusal: Refusal, is_code: Callable[[str], bool] = _no_code) -> str:
    """Return a refusal as one line: the reason, what was expected, and the message in quotation marks."""
    parts = [refusal.reason]
    if refusal.expected:
        parts.append(f"expected: {refusal.expected}")
    if refusal.text:
        parts.append(f'message: "{shown(refusal.text, is_code)}"')
    return "; ".join(parts)
