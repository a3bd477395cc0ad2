"""Makes man pages from the help texts of the commands: what `--help` prints, as roff."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import click

WHOLE: Final = 1_000
"""The longest summary of a command, in characters; high enough that click truncates none."""


class Roff(click.HelpFormatter):
    """Writes roff (man(7)) where click's own formatter writes text for a terminal."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:  # noqa: ARG002 (click's)
        """Write the synopsis of a command."""
        self.write_heading("Synopsis")
        self.write(f"\\fB{_escaped(prog)}\\fP {_escaped(args)}\n")

    def write_heading(self, heading: str) -> None:
        """Begin a section."""
        self.write(f".SH {heading.upper()}\n")

    def write_paragraph(self) -> None:
        """Do nothing: sections and lists begin their own paragraphs."""

    def write_text(self, text: str) -> None:
        """Write paragraphs. One that begins with click's mark against wrapping keeps its lines."""
        for paragraph in text.split("\n\n"):
            first, _, rest = paragraph.strip().partition("\n")
            kept = first.strip() == "\b"
            lines = _escaped(rest if kept else paragraph)
            self.write(f".PP\n.nf\n{lines}\n.fi\n" if kept else f".PP\n{lines}\n")

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:  # noqa: ARG002
        """Write options or commands with their descriptions."""
        for term, text in rows:
            self.write(f".TP\n\\fB{_escaped(term)}\\fP\n{_escaped(text)}\n")


def _escaped(text: str) -> str:
    """Escape a text, so that roff finds no requests in it."""
    plain = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join(
        f"\\&{line}" if line.startswith((".", "'")) else line for line in map(str.strip, plain.split("\n"))
    )


def pages(command: click.Command, context: click.Context, version: str) -> Iterator[tuple[str, str]]:
    """Yield the file name and the text of a command's page, and of those of its commands."""
    name = context.command_path.replace(" ", "-")
    formatter = Roff()
    formatter.write(f'.TH {name.upper()} 1 "" "{version}" "{version}"\n')
    formatter.write_heading("Name")
    formatter.write(f"{_escaped(name)} \\- {_escaped(command.get_short_help_str(WHOLE))}\n")
    command.format_usage(context, formatter)
    formatter.write_heading("Description")
    command.format_help_text(context, formatter)
    command.format_options(context, formatter)
    if command.epilog:
        formatter.write_heading("Example")
        formatter.write_text(command.epilog.removeprefix("Example: "))
    yield f"{name}.1", formatter.getvalue()
    for below, child in sorted(getattr(command, "commands", {}).items()):
        yield from pages(child, click.Context(child, info_name=below, parent=context), version)
