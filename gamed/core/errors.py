"""The hierarchy of errors. Whatever gamed raises on purpose is a `GamedError`; any other exception is a defect.

Source: docs/topics/design.md#errors.
"""

from __future__ import annotations


class GamedError(Exception):
    """The root of all errors that gamed raises on purpose."""


class ProtocolError(GamedError):
    """A wire protocol was broken."""


class LocalProtocolError(ProtocolError):
    """We tried to send something that the dialect cannot express: a defect of ours."""


class RemoteProtocolError(ProtocolError):
    """The peer broke the protocol.

    `code` names the reason and is stable. `hint` says what would have been accepted instead, or is empty. `text` is the
    peer's message.
    """

    def __init__(self, message: str, *, code: str = "protocol", hint: str = "", text: bytes = b"") -> None:
        super().__init__(message)
        self.code = code
        self.hint = hint
        self.text = text

    def fresh(self) -> RemoteProtocolError:
        """Return a copy without a traceback, to be kept or raised again.

        A traceback refers to frames whose variables may refer to the error: a reference cycle.
        """
        return RemoteProtocolError(str(self), code=self.code, hint=self.hint, text=self.text)


class RuleError(GamedError):
    """A move that the rules refuse."""

    code = "rule"
    """The code of the referee's finding; it is stable."""

    move: int | None
    """The number of the move in its record, from 1; None if it is not in a record."""

    def __init__(self, message: str, *, code: str | None = None, move: int | None = None) -> None:
        super().__init__(message)
        self.move = move
        if code is not None:
            self.code = code


TOO_MUCH_WORK = "too-much-work"
"""The code of a RuleError that says nothing about the game: its rules would have to compute for too long."""


class InvalidMove(RuleError):  # noqa: N818 (python-chess's name)
    """A message that is not a move of this game."""

    code = "invalid-move"


class IllegalMove(RuleError):  # noqa: N818 (python-chess's name)
    """A move of this game, but not one that is legal in this position."""

    code = "illegal-move"


class NotYourTurn(RuleError):  # noqa: N818 (the name that boardgame servers use)
    """A move by a seat that is not to move."""

    code = "out-of-turn"


class RoomError(GamedError):
    """A room cannot do what was asked of it."""


class ConsoleError(GamedError):
    """A command of the console cannot do what was asked of it."""


class StoreError(GamedError):
    """The record store or the journal cannot do what was asked of it."""


class DiskError(StoreError):
    """The disk refuses a write. It may accept it later, for example when there is space again."""


class UnknownRecord(StoreError):  # noqa: N818 (what it is)
    """No record has this id, or several ids begin with the text that was given."""


class StoreConflict(StoreError):  # noqa: N818 (what it is)
    """A record with this id and other content is stored already."""


class InvalidRequest(GamedError):  # noqa: N818 (as InvalidMove)
    """A request has a value that is not possible. `code` is stable, `hint` says what would be possible, or is empty."""

    def __init__(self, code: str, text: str, hint: str = "") -> None:
        super().__init__(text)
        self.code, self.hint = code, hint


class ConfigError(GamedError):
    """The configuration cannot be used; the text says which key, and what to write instead."""
