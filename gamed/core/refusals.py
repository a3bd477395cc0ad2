"""Messages that had no effect, and why. The log shows them to the developers of bots.

Tables, receptions and dialects make a `Refusal` for each message that they refuse, ignore or cannot read, and for each
connection that is closed because of a limit. `gamed/lobby/refusals.py` logs and keeps them. They are not sent to peers.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import Final

from attrs import define, evolve, field, frozen

from gamed.core.game import Seat
from gamed.core.history import REFUSED, Entry, Value
from gamed.core.texts import printable

KEPT: Final = 10
"""Refusals of each peer that are kept and logged in full. The following ones are only counted."""

SHOWN: Final = 200
"""The most characters of a message that are shown."""

_LOOKED_AT: Final = 2 * SHOWN
"""Bytes of a message that are kept and searched for secrets before a part of them is shown."""

_LONGEST_CODE: Final = 64
"""Bytes at the end of a truncated message that are not shown, because half a secret cannot be recognised."""

_SECRET_VALUE: Final = re.compile(
    # Anchored at the beginning of a word. Otherwise a long word takes quadratic time.
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
    """What is wrong, for people. It is public while the match runs, so it never quotes hidden information."""

    expected: str = ""
    """What would have been accepted instead."""

    text: bytes = b""
    """The message as it came. It is displayed only through `shown`."""

    is_hidden: bool = False
    """Whether the text may contain what other players must not see, such as a card program."""

    is_for_programs: bool = False
    """Whether only programs must hear of it: a person may take so long, or leave."""


LEFT_EARLY: Final = Refusal(
    "left",
    "it ended its side of the connection before the game was over, which counts as leaving",
    "a connection that stays open until the game is over (`echo … | nc` ends its side at once)",
    is_for_programs=True,
)
"""A peer that has sent something leaves a match that goes on, or that it waits for."""


@define
class Refusals:
    """The refusals of one peer. The first `KEPT`, and the first of each code, are kept in full."""

    first: list[Refusal] = field(factory=list)
    counts: dict[str, int] = field(factory=dict)

    def add(self, refusal: Refusal) -> bool:
        """Count a refusal; return whether it is among those that are kept."""
        self.counts[refusal.code] = self.counts.get(refusal.code, 0) + 1
        # The first of each code is always kept: it may be the one that explains why the connection was closed.
        if len(self.first) >= KEPT and self.counts[refusal.code] > 1:
            return False
        # The extra byte shows that the message was longer.
        self.first.append(evolve(refusal, text=refusal.text[: _LOOKED_AT + 1]))
        return True

    @property
    def reasons(self) -> dict[str, str]:
        """The different reasons of each code, among the refusals that are kept."""
        found: dict[str, dict[str, None]] = {}
        for refusal in self.first:
            found.setdefault(refusal.code, {})[refusal.reason] = None
        return {code: "; ".join(reasons) for code, reasons in found.items()}

    @property
    def more(self) -> dict[str, int]:
        """How many of each code are not kept."""
        kept = Counter(refusal.code for refusal in self.first)
        return {code: count - kept[code] for code, count in self.counts.items() if count > kept[code]}

    @property
    def total(self) -> int:
        """How many there were."""
        return sum(self.counts.values())

    @property
    def summary(self) -> str:
        """How many there were of each code."""
        return ", ".join(f"{count} {code}" for code, count in self.counts.items())


@define
class MatchRefusals:
    """What was refused to the players of one match, as entries of its history."""

    _players: dict[Seat, Refusals] = field(factory=dict)

    def add(
        self, player: Seat, refusal: Refusal, at: int, number: int, is_code: Callable[[str], bool]
    ) -> tuple[Entry, ...]:
        """Count a refusal. Return its entry, if it is one that the record has in full.

        `at`: its time, as entries have it. `number`: that of the match's entry that follows.
        """
        if not self._players.setdefault(player, Refusals()).add(refusal):
            return ()
        # Made now, because a reservation code that is used up meanwhile would not be recognised.
        message = shown(refusal.text, is_code) if refusal.text and not refusal.is_hidden else ""
        data: dict[str, Value] = {"code": refusal.code, "reason": refusal.reason, "entry": number}
        if refusal.expected:
            data["expected"] = refusal.expected
        return (Entry(at, REFUSED, player, message.encode() or None, data),)

    def rest(self, at: int) -> tuple[Entry, ...]:
        """Return entries with the numbers of the refusals that the record does not have in full."""
        more = ((player, *item) for player, found in self._players.items() for item in found.more.items())
        return tuple(Entry(at, REFUSED, player, data={"code": code, "count": count}) for player, code, count in more)


def _no_code(_text: str) -> bool:
    return False


def shown(text: bytes, is_code: Callable[[str], bool] = _no_code) -> str:
    """Return a message as people may see it: truncated, printable, without passwords and reservation codes.

    `is_code` tells whether a UUID is a reservation code of this daemon.
    """
    cut = text if len(text) <= _LOOKED_AT else text[: _LOOKED_AT - _LONGEST_CODE]
    found = cut.decode("utf-8", "backslashreplace")
    harmless = _without_secrets(found, is_code)
    length = SHOWN
    if "\0" in found:
        # A password in UTF-16 is recognised after NULs are removed. Each character that is left was two bytes.
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
    """Return the replacement of a secret value, in the same quotation marks."""
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
