"""`gamed doctor`: checks whether a daemon can run here, and says what to do if not."""

from __future__ import annotations

import json

import attrs
import click

from gamed.cli.terminal import config_option, json_option, one_line
from gamed.config import load
from gamed.core.errors import ConfigError
from gamed.doctor.examination import examine, worst
from gamed.doctor.quick_checks import ERROR, OK, Finding

_COLOURS = {"ok": "green", "warning": "yellow", "error": "red"}


@click.command(epilog="Example: gamed doctor --config /etc/gamed/gamed.toml")
@config_option
@click.option("--quick", is_flag=True, help="Only the checks that the daemon makes at its start and before a reload.")
@json_option
@click.pass_context
def doctor(ctx: click.Context, config: str | None, quick: bool, as_json: bool) -> None:  # noqa: FBT001 (click's way)
    """Check configuration, ports, files, disk, database, clocks and limits, and say what to do about problems.

    Run it as the daemon's user. A running daemon is not disturbed. The exit status is 1 if there is an error, and 0 if
    there are only warnings.
    """
    try:
        loaded = load(config)
    except ConfigError as error:
        findings = [Finding("configuration", ERROR, str(error))]
    else:
        where = f"{config} can be used" if config else "no file was given; the defaults of etc/gamed.toml apply"
        findings = [Finding("configuration", OK, where), *examine(loaded, quick=quick)]
    if as_json:
        click.echo(json.dumps([attrs.asdict(finding) for finding in findings], indent=2))
    else:
        for finding in findings:
            status = click.style(f"{finding.status:<8}", fg=_COLOURS[finding.status])
            click.echo(f"{status} {finding.check:<13} {one_line(finding.text)}")
    ctx.exit(1 if worst(findings) == ERROR else 0)
