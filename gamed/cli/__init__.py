"""The command line: `gamed …`.

Source: README.md#start-it, docs/reference/records.md#commands. The help of a group and the completion of its commands'
names are answered from the tables here: a command's module is imported only for that command.
"""

from __future__ import annotations

import os
from typing import Final

import click

from gamed import __version__
from gamed.cli.terminal import Commands, Entry

_SHOW: Final = Entry("show.show", "Print a game: its players, times, result, findings and boards.")
_EXPORT: Final = Entry("export.export", "Write a stored game, or all with --all, as it is stored or in another format.")


@click.group(
    cls=Commands,
    table={
        "bot": Entry("bot.bot", "Play GAME against whoever the server pairs this bot with."),
        "check": Entry("checking.check_command", "Check documents as `gamed import` does, but store nothing."),
        "convert": Entry("conversion.convert", "Convert games from one format to another."),
        "doctor": Entry(
            "doctor.doctor",
            "Check configuration, ports, files, disk, database, clocks and limits, and say what to do about problems.",
        ),
        "export": _EXPORT,
        "import": Entry("imports.import_command", "Check documents and store them as records."),
        "install-files": Entry(
            "files.install_files",
            "Write configuration, systemd units, documents, example clients and man pages into a directory.",
        ),
        "play": Entry("play.play", "Have bots play each other, and say which is stronger."),
        "record": Entry("recording.record", "Record a game: enter moves, take them back, start variations, comment."),
        "records": Entry("records_group", "List, show, export and delete stored games."),
        "show": _SHOW,
        "store": Entry("store_group", "Manage the database of the records."),
        "watch": Entry("watch.watch", "Watch the newest game of GAME in the terminal, move by move to the end."),
    },
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="gamed", message="%(prog)s %(version)s")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Manage a game server that speaks the protocols of existing game programs.

    The server itself is started with `twistd -n gamed`.
    """
    if os.environ.get("NO_COLOR"):
        ctx.color = False


@click.group(
    "records",
    cls=Commands,
    table={
        "anonymise": Entry(
            "removal.anonymise", "Remove a person's name, or an address, from all stored games permanently."
        ),
        "delete": Entry(
            "removal.delete", "Delete stored games permanently, by their ids, or all that the options select."
        ),
        # `gamed records show` and `gamed records export` are older names of `gamed show` and `gamed export`.
        "export": _EXPORT,
        "list": Entry("records.list_records", "Print a table of the games."),
        "reindex": Entry("reindex.reindex", "Rebuild the search index of the records: players, results, times."),
        "show": _SHOW,
    },
)
def records_group() -> None:
    """List, show, export and delete stored games."""


@click.group(
    "store",
    cls=Commands,
    table={
        "copy": Entry(
            "store.copy_store",
            "Copy all records from one database to another, for example from SQLite to PostgreSQL.",
        ),
    },
)
def store_group() -> None:
    """Manage the database of the records."""
