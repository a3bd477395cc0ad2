"""`gamed check --board`: checks files that describe boards."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from gamed.cli.terminal import one_line
from gamed.core.errors import ConfigError
from gamed.registry import BoardFinding, game_types

DESCRIBED, _CHECK = next((made.boards for made in game_types().values() if made.boards), ("", None))
"""What files a game has boards in, for people; "" if no game has."""


def check_boards(files: Iterable[Path], *, as_json: bool) -> int:
    """Print the findings of each file, a line each, or an object per file with --json. Return the exit status."""
    refused = False
    for file in files:
        try:
            findings: Sequence[BoardFinding] = () if _CHECK is None else _CHECK(file)
            error = ""
        except ConfigError as unreadable:
            findings, error = (), str(unreadable)
        is_bad = bool(error) or any(finding.is_error for finding in findings)
        refused |= is_bad
        if as_json:
            _report_json(file, findings, error, is_bad=is_bad)
        else:
            _report(file, findings, error, is_bad=is_bad)
    return int(refused)


def _report(file: Path, findings: Sequence[BoardFinding], error: str, *, is_bad: bool) -> None:
    code = click.style("refused" if is_bad else "valid", fg="red" if is_bad else "green")
    click.echo(f"{code} {one_line(error or str(file))}")
    for finding in findings:
        click.echo(f"  {one_line(str(finding))}")


def _report_json(file: Path, findings: Sequence[BoardFinding], error: str, *, is_bad: bool) -> None:
    listed = [
        {"code": finding.code, "place": finding.place, "sentence": finding.text, "error": finding.is_error}
        for finding in findings
    ]
    click.echo(json.dumps({"file": str(file), "valid": not is_bad, "error": error or None, "findings": listed}))
