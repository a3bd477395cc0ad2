"""The two kinds of input: whole lines, or single keys, which a line editor here turns into lines.

Source: docs/reference/console.md. The kind depends on the client: a telnet program and a pseudo-terminal of SSH send
keys, `nc` and `ssh host command` send lines.
"""

from __future__ import annotations

from typing import Any, Final, Protocol

from attrs import define, field
from twisted.conch.insults import insults
from twisted.conch.recvline import HistoricRecvLine
from twisted.python.compat import iterbytes

HISTORY: Final = 200
"""The number of lines in the history."""

INTERRUPT, END, ERASE = b"\x03", b"\x04", b"\x15"


class Conversation(Protocol):
    """The handler of a peer's lines: the login, or the shell."""

    def received(self, line: str) -> None:
        """Take a line."""

    def interrupted(self) -> None:
        """Take Ctrl-C."""

    def ended(self) -> None:
        """Take Ctrl-D."""

    def completions(self, line: str) -> list[str]:
        """Return the completions of a line's last word."""


class Screen(Protocol):
    """The output of a conversation."""

    width: int | None
    """In characters; None if it is not known."""

    def show(self, text: str) -> None:
        """Show a text above what is being typed."""

    def ask(self, prompt: str, *, secret: bool = False) -> None:
        """Show a prompt for the next line. `secret`: what is typed is not shown."""


def decoded(line: bytes) -> str:
    """Return a line as text."""
    return line.decode("utf-8", "surrogateescape")


def encoded(text: str) -> bytes:
    """Encode a text for the terminal."""
    return text.encode("utf-8", "backslashreplace")


@define(eq=False)
class Lines:
    """Takes whole lines from a client that echoes and edits them itself."""

    transport: Any
    conversation: Conversation
    width: int | None = None
    _typed: bytearray = field(factory=bytearray)
    _was_return: bool = False

    def dataReceived(self, data: bytes) -> None:
        """Take bytes. The input throttle limits the length of lines."""
        for number in data:
            char = bytes((number,))
            if char == b"\n" and self._was_return:
                self._was_return = False
            elif char in b"\r\n":
                self._was_return = char == b"\r"
                line, self._typed = bytes(self._typed), bytearray()
                self.conversation.received(decoded(line))
            else:
                self._was_return = False
                self._take(char)

    def _take(self, char: bytes) -> None:
        if char == INTERRUPT:
            self._typed.clear()
            self.conversation.interrupted()
        elif char == END:
            self.conversation.ended()
        elif char != b"\0":
            self._typed += char

    def show(self, text: str) -> None:
        """Show a text."""
        self.transport.write(encoded(text))

    def ask(self, prompt: str, *, secret: bool = False) -> None:  # noqa: ARG002 (Screen's signature)
        """Show a prompt."""
        self.show(prompt)


class Keys(HistoricRecvLine):
    """Takes keys: a line editor with history and completion. It is the protocol on insults' terminal."""

    def __init__(self, conversation: Conversation, prompt: str = "", *, secret: bool = False) -> None:
        self.conversation = conversation
        self.ps = (encoded(prompt), b"")
        self.secret = secret

    def connectionMade(self) -> None:
        """Set the handlers of keys."""
        super().connectionMade()
        self.keyHandlers.update(
            {
                INTERRUPT: self._interrupt,
                END: self._end,
                ERASE: self._erase,
                b"\x01": self.handle_HOME,
                b"\x05": self.handle_END,
                b"\x08": self.handle_BACKSPACE,
            }
        )

    def initializeScreen(self) -> None:
        """Do not clear the screen."""
        self.setInsertMode()

    def terminalSize(self, width: int, height: int) -> None:
        """Set the window's size."""
        self.width, self.height = width or 80, height

    def keystrokeReceived(self, keyID: Any, _modifier: Any) -> None:  # noqa: N803 (Twisted's names)
        """Take a key; ignore unknown ones."""
        handler = self.keyHandlers.get(keyID)
        if handler is not None:
            handler()
        elif isinstance(keyID, bytes) and len(keyID) == 1 and keyID >= b" ":
            self.characterReceived(keyID, False)  # noqa: FBT003 (Twisted's signature)

    def characterReceived(self, ch: bytes, moreCharactersComing: bool) -> None:  # noqa: FBT001, N803 (Twisted's)
        """Take a character; a secret one is not shown."""
        if self.secret:
            self.lineBuffer.append(ch)
            self.lineBufferIndex = len(self.lineBuffer)
        else:
            super().characterReceived(ch, moreCharactersComing)

    def handle_BACKSPACE(self) -> None:
        """Delete the character before the cursor."""
        if self.secret:
            del self.lineBuffer[-1:]
            self.lineBufferIndex = len(self.lineBuffer)
        else:
            super().handle_BACKSPACE()

    def handle_TAB(self) -> None:
        """Complete the last word, or show its completions."""
        before, after = self.currentLineBuffer()
        if self.secret or after:
            return
        found = self.conversation.completions(decoded(before))
        word = decoded(before).rpartition(" ")[2]
        common = _begin(found)
        if len(common) > len(word) or len(found) == 1:
            for char in iterbytes(encoded(common[len(word) :] + (" " if len(found) == 1 else ""))):
                self.characterReceived(char, False)  # noqa: FBT003 (Twisted's signature)
        elif found:
            self.show("  ".join(found) + "\n")

    def handle_RETURN(self) -> None:
        """End the line; a secret one leaves no trace in the history."""
        if self.secret:
            self.historyPosition = len(self.historyLines)
            line, self.lineBuffer, self.lineBufferIndex = b"".join(self.lineBuffer), [], 0
            self.terminal.nextLine()
            self.lineReceived(line)
        else:
            super().handle_RETURN()
            del self.historyLines[:-HISTORY]

    # In a secret line these keys do nothing, as in a shell.

    def handle_UP(self) -> None:
        """Go back in the history."""
        if not self.secret:
            super().handle_UP()

    def handle_DOWN(self) -> None:
        """Go on in the history."""
        if not self.secret:
            super().handle_DOWN()

    def handle_LEFT(self) -> None:
        """Move left."""
        if not self.secret:
            super().handle_LEFT()

    def handle_HOME(self) -> None:
        """Move to the start of the line."""
        if not self.secret:
            super().handle_HOME()

    def lineReceived(self, line: bytes) -> None:
        """Pass a line on. The next prompt follows the answer."""
        self.ps = (b"", b"")
        self.secret = False
        self.conversation.received(decoded(line))

    def _interrupt(self) -> None:
        self.terminal.write(b"^C\n")
        self.lineBuffer, self.lineBufferIndex = [], 0
        self.conversation.interrupted()

    def _end(self) -> None:
        if not self.lineBuffer:
            self.conversation.ended()

    def _erase(self) -> None:
        if not self.secret:
            self.handle_HOME()
            self.terminal.eraseToLineEnd()
        self.lineBuffer, self.lineBufferIndex = [], 0

    # Screen

    def show(self, text: str) -> None:
        """Show a text above what is being typed."""
        typing = b"" if self.secret else b"".join(self.lineBuffer)
        prompt = self.ps[0] + typing
        self.terminal.write((b"\r\x1b[K" if prompt else b"") + encoded(text) + prompt)
        back = 0 if self.secret else len(self.lineBuffer) - self.lineBufferIndex
        if back and prompt:
            self.terminal.cursorBackward(back)

    def ask(self, prompt: str, *, secret: bool = False) -> None:
        """Show a prompt for the next line."""
        self.ps, self.secret = (encoded(prompt), b""), secret
        self.terminal.write(self.ps[0])


def _begin(words: list[str]) -> str:
    """Return the common prefix of all words."""
    first, last = min(words, default=""), max(words, default="")
    return next((first[:at] for at, char in enumerate(first) if last[at : at + 1] != char), first)


def terminal(keys: Keys, transport: Any) -> insults.ServerProtocol:
    """Return insults' terminal that reads keys from a transport."""
    made = insults.ServerProtocol(lambda: keys)
    made.makeConnection(transport)
    return made
