"""The one tree of errors.

Source: docs/topics/design.md#errors. Whatever gamed raises on purpose is a `GamedError`; anything else is a defect.
"""

from __future__ import annotations


class GamedError(Exception):
    """The root of all errors that gamed raises on purpose."""


class ProtocolError(GamedError):
    """A wire protocol was broken."""


class LocalProtocolError(ProtocolError):
    """We tried to send what the dialect cannot say: a defect of ours."""


class RemoteProtocolError(ProtocolError):
    """The peer broke the protocol.

    `code` is stable and names the reason; `hint` says what would have been taken, or is empty; `text`: the message.
    """

    def __init__(self, message: str, *, code: str = "protocol", hint: str = "", text: bytes = b"") -> None:
        super().__init__(message)
        self.code = code
        self.hint = hint
        self.text = text

    def fresh(self) -> RemoteProtocolError:
        """Return the same error as it is before it is raised, to be kept or raised once more.

        One that was raised holds what it came through, which would hold it: both would wait for the garbage collector.
        """
        return RemoteProtocolError(str(self), code=self.code, hint=self.hint, text=self.text)


class RuleError(GamedError):
    """A move that the rules refuse. `code` is stable: referee findings are named by it."""

    code = "rule"

    def __init__(self, message: str, *, code: str | None = None) -> None:
        super().__init__(message)
        if code is not None:
            self.code = code


class InvalidMove(RuleError):  # noqa: N818 (python-chess's name)
    """What was sent is no move of this game at all."""

    code = "invalid-move"


class IllegalMove(RuleError):  # noqa: N818 (python-chess's name)
    """A move of this game, but not one that is legal in this position."""

    code = "illegal-move"


class NotYourTurn(RuleError):  # noqa: N818 (the name that boardgame servers use)
    """A move by a seat that is not to move."""

    code = "out-of-turn"


class RoomError(GamedError):
    """A room cannot do what it was asked to."""


class ConsoleError(GamedError):
    """A command of the console cannot do what it was asked to."""


class StoreError(GamedError):
    """The record store or the journal cannot do what it was asked to."""


class DiskError(StoreError):
    """The disk does not take what is to be kept; it may do so later."""


class UnknownRecord(StoreError):  # noqa: N818 (what it is)
    """No record has this id, or more than one begins with what was given of it."""


class StoreConflict(StoreError):  # noqa: N818 (what it is)
    """A record of this id is stored already, with other content."""


class ConfigError(GamedError):
    """The configuration cannot be used; the text says which key, and what to write instead."""
