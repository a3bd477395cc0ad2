"""A message that a peer has begun and not ended, as regular looks find it.

Source: docs/topics/design.md#refusals. The end of such a message may never come, and nothing else would tell its
developer.
"""

from __future__ import annotations

from typing import Final

from attrs import define

from gamed.core.refusals import Refusal
from gamed.wire import Connection

UNFINISHED: Final = 10.0
"""Seconds after which a developer learns that a message was begun and has not ended."""

_REASON: Final = f"a message was begun {UNFINISHED:g} seconds ago and has not ended"


@define(weakref_slot=False)
class BegunMessage:
    """What the last looks have found. It is dropped when a look finds no unfinished message of the peer's."""

    since: float | None = None
    """The look since which a message that must end soon has not ended; None: there was none."""

    _text: bytes = b""
    _text_since: float = 0.0
    _is_reported: bool = False

    def look(self, connection: Connection, now: float) -> Refusal | None:
        """Look once more; return a refusal, once, when a message has not ended for `UNFINISHED` seconds."""
        if not connection.begun:
            self.since = None
        elif self.since is None:
            self.since = now
        text = connection.unfinished
        if not text or not self._text or not text.startswith(self._text):
            self._text, self._text_since, self._is_reported = text, now, False
        elif not self._is_reported and now - self._text_since >= UNFINISHED:
            self._is_reported = True
            # Half a message may hold what is hidden, such as a card program.
            return Refusal("unfinished", _REASON, connection.ending, text, is_hidden=True)
        return None
