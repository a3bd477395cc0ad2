"""The shell: it executes lines as commands, shows their answers, and writes an audit log."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from attrs import define, field
from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from gamed.console.commands import COMMANDS
from gamed.console.operator import ConsoleOperator
from gamed.console.parsing import Argument, Call, Command, UsageError, named, parse, split
from gamed.console.render import Facts, Picture, Table, render
from gamed.console.screens import Screen
from gamed.core.errors import GamedError
from gamed.core.texts import printable

log = Logger()

PROMPT: Final = "gamed> "

RESULT: Final = 200
"""The number of a result's characters that the audit log contains."""


@define(eq=False)
class Shell:
    """Executes the lines of a logged-in operator."""

    operator: ConsoleOperator

    screen: Callable[[], Screen]
    """Returns the screen for answers. A telnet connection changes it when the client begins to send keys."""

    hold: Callable[[], None]
    """Holds further lines back while a command is running."""

    release: Callable[[], None]
    """Ends the hold."""

    has_prompt: bool = True

    has_failed: bool = False
    """Whether the last command has failed."""

    _is_over: bool = field(default=False, init=False)

    def received(self, line: str) -> None:
        """Execute a command."""
        self.run(line)

    def run(self, line: str) -> Deferred[None] | None:
        """Execute a command. The Deferred, if there is one, fires when its answer has been shown."""
        try:
            words = split(line)
            if not words:
                self.prompt()
                return None
            call = parse(words, COMMANDS)
            answer = call.command.run(self.operator, *call.arguments, **call.options)
        except Exception:  # noqa: BLE001 (a fault in a command must not end the session)
            self._fail(line, Failure())
            return None
        if isinstance(answer, Deferred):
            self.hold()
            return answer.addCallback(self._show, call, line).addErrback(self._failed, line).addCallback(self._go_on)
        self._finish(answer, call, line)
        return None

    def _finish(self, answer: Any, call: Call, line: str) -> None:
        try:
            self._show(answer, call, line)
        except Exception:  # noqa: BLE001 (as above)
            self._fail(line, Failure())

    def _show(self, answer: Any, call: Call, line: str) -> None:
        self.has_failed = False
        screen = self.screen()
        text = render(answer, screen.width, as_json=call.as_json)
        if call.command.changes:
            self.operator.noted(line, _result(answer))
        if not self._is_over:
            screen.show(text)
            self.prompt()

    def _failed(self, failure: Failure, line: str) -> None:
        self._fail(line, failure)

    def _go_on(self, _result: object) -> None:
        self.release()

    def _fail(self, line: str, failure: Failure) -> None:
        self.has_failed = True
        error = failure.value
        said = str(error)
        if not isinstance(error, GamedError):
            log.failure("console: a command failed: {line}", failure=failure, line=ascii(line)[1:-1])
            said = "the command failed because of an error in gamed itself; the log has the details"
        command = named(line.split(maxsplit=1)[0], COMMANDS) if line.split() else None
        if command is not None and command.changes and not isinstance(error, UsageError):
            self.operator.noted(line, f"failed: {said}"[:RESULT])
        if not self._is_over:
            self.screen().show("".join(f"{printable(part)}\n" for part in said.split("\n")))
            self.prompt()

    def prompt(self) -> None:
        """Ask for the next command."""
        if self.has_prompt:
            self.screen().ask(PROMPT)

    def interrupted(self) -> None:
        """Stop watching, and show the prompt again."""
        self.operator.unwatch()
        self.prompt()

    def ended(self) -> None:
        """Leave."""
        self.operator.close()

    def close(self) -> None:
        """Show nothing any longer."""
        self._is_over = True
        self.operator.unwatch()

    # Completion

    def completions(self, line: str) -> list[str]:
        """Return the completions of a line's last word."""
        *words, last = line.split(" ")
        words = [word for word in words if word]
        found: Iterable[str] = COMMANDS
        if words:
            command = named(words[0], COMMANDS)
            found = () if command is None else self._words(command, words[1:], last)
        return sorted({word for word in found if word.startswith(last)})

    def _words(self, command: Command, before: list[str], last: str) -> Iterable[str]:
        if last.startswith("-"):
            return [f"--{name}" for name in (*command.options, "json")]
        option = before[-1][2:] if before and before[-1].startswith("--") else ""
        kind = command.options.get(option)
        if kind is not None:
            return self.operator.candidates(kind)
        place = len([word for word in before if not word.startswith("--")])
        return self._meant(command.arguments[place]) if place < len(command.arguments) else ()

    def _meant(self, argument: Argument) -> Iterable[str]:
        if "COMMAND" in argument.kinds:
            return COMMANDS
        return [*argument.choices, *(word for kind in argument.kinds for word in self.operator.candidates(kind))]


def _result(answer: Any) -> str:
    if isinstance(answer, Facts):
        plain = {name: value for name, value in answer.values.items() if not isinstance(value, Table | Picture)}
        return " ".join(f"{name}={value}" for name, value in plain.items())[:RESULT]
    return str(answer)[:RESULT] if isinstance(answer, str) else "done"
