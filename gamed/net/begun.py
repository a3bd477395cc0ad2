"""A message that a peer has begun and not ended, such as a line without its line feed.

A client with that bug waits for an answer, and so does the server. Regular looks find such messages, so that the
client's developer learns of it.

Source: docs/topics/design.md#refusals.
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
    """What the last looks have found. The session drops it when a look finds no unfinished message."""

    since: float | None = None
    """When a look first found the message for which `message_seconds` counts; None: there is none."""

    _text: bytes = b""
    """The beginning of the unfinished message, as far as the last look has seen it."""

    _text_since: float = 0.0
    """When a look first found this message."""

    _is_reported: bool = False
    """Whether its refusal was returned."""

    def look(self, connection: Connection, now: float) -> Refusal | None:
        """Look once more. Return a refusal when a message has not ended for `UNFINISHED` seconds, once a message."""
        if not connection.begun:
            self.since = None
        elif self.since is None:
            self.since = now
        text = connection.unfinished
        if not text or not self._text or not text.startswith(self._text):
            self._text, self._text_since, self._is_reported = text, now, False
        elif not self._is_reported and now - self._text_since >= UNFINISHED:
            self._is_reported = True
            # Even half a message may hold a secret, such as a card program.
            return Refusal("unfinished", _REASON, connection.ending, text, is_hidden=True)
        return None
