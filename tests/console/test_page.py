"""docs/reference/console.md says what the docstrings of the commands say.

`python -m tests.console.test_page` writes its last section anew.
"""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import fill

import attrs
from twisted.trial.unittest import SynchronousTestCase

from gamed.admin import accounts
from gamed.config import ConsoleConfig
from gamed.console import input_throttle, telnet
from gamed.console.commands import COMMANDS
from gamed.console.parsing import Command
from gamed.core import passwords

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "console.md"
HEADING = "\n## Commands\n"

COLUMNS = 100
"""Characters in a line of Markdown, at most."""


def section(command: Command) -> str:
    """Return what the page says of a command."""
    changes = "\n\nThe audit log records this command." if command.changes else ""
    *text, example = command.help.splitlines()
    body = "\n\n".join(fill(paragraph, COLUMNS) for paragraph in "\n".join(text).strip().split("\n\n"))
    typed = example.removeprefix("Example: ")
    return f"### {command.name}\n\n    {command.usage}\n\n{body}{changes}\n\nExample: `{typed}`\n"


def commands() -> str:
    """Return the last section of the page."""
    return HEADING + "\n" + "\n".join(section(COMMANDS[name]) for name in sorted(COMMANDS))


class PageTests(SynchronousTestCase):
    def test_every_command_is_there_as_its_docstring_has_it(self) -> None:
        _, heading, shown = PAGE.read_text().partition(HEADING)
        self.assertEqual(heading + shown, commands())

    def test_every_key_is_there_with_its_default(self) -> None:
        rows = dict(re.findall(r"^\| `(\w+)` \| `(.+?)` \|", PAGE.read_text(), re.MULTILINE))
        address_text = {True: "true", False: "false"}
        for key in attrs.fields(ConsoleConfig):
            default = key.default
            shown = address_text.get(default, str(default)) if isinstance(default, bool) else default
            self.assertEqual(rows[key.name], f'"{shown}"' if isinstance(default, str) else str(shown), key.name)
        self.assertEqual(list(rows), [key.name for key in attrs.fields(ConsoleConfig)])

    def test_its_figures_are_those_of_the_code(self) -> None:
        text = " ".join(PAGE.read_text().split())
        for said in (
            f"{accounts.TRIES} wrong passwords end a connection",
            f"{passwords.LONGEST_DELAY:g} seconds at most",
            f"forgotten after {passwords.FORGIVEN / 60:g} minutes",
            f"{passwords.MOST_HELD} answers of an address",
            f"more than {passwords.MANY} wrong passwords in a minute",
            f"{telnet.LOGIN_SECONDS:g} seconds to log in",
            f"more than {input_throttle.LINE_BYTES} bytes",
            f"{input_throttle.LINES_PER_SECOND:g} commands a second",
            f"{input_throttle.LINES_IN_STORE} at once",
            f"{telnet.STUCK:g} seconds",
        ):
            self.assertIn(said, text)


if __name__ == "__main__":
    PAGE.write_text(PAGE.read_text().partition(HEADING)[0] + commands())
