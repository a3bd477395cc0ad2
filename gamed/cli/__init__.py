"""The command line: `gamed …`.

Source: README.md#start-it, docs/reference/records.md#commands. Only light modules are imported at the top, so that
`gamed --help` answers at once. Each command imports the rest when it runs.
"""

from __future__ import annotations

import os

import click

from gamed import __version__
from gamed.cli.bot import bot
from gamed.cli.conversion import convert
from gamed.cli.doctor import doctor
from gamed.cli.files import install_files
from gamed.cli.imports import check_command, import_command
from gamed.cli.play import play
from gamed.cli.recording import record
from gamed.cli.records import export, records
from gamed.cli.reindex import reindex
from gamed.cli.removal import anonymise, delete
from gamed.cli.show import show
from gamed.cli.store import store
from gamed.cli.terminal import Commands
from gamed.cli.watch import watch


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="gamed", message="%(prog)s %(version)s")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Manage a game server that speaks the protocols of existing game programs.

    The server itself is started with `twistd -n gamed`.
    """
    if os.environ.get("NO_COLOR"):
        ctx.color = False


for _command in (
    import_command,
    check_command,
    export,
    convert,
    show,
    record,
    records,
    store,
    bot,
    play,
    watch,
    doctor,
    install_files,
):
    main.add_command(_command)
# `gamed records show` and `gamed records export` are older names of `gamed show` and `gamed export`.
for _command in (show, export, reindex, delete, anonymise):
    records.add_command(_command)
