"""`gamed check --board`: checks tiles and courses of RoboRally.

Source: docs/specs/roborally.md#52-checks-of-a-tile, docs/specs/roborally.md#54-files.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from gamed.cli.terminal import one_line
from gamed.core.errors import ConfigError
from gamed.games.roborally.course_files import load_course, load_tile
from gamed.games.roborally.rules.checks import BoardFinding, check_board, check_flags, check_tile
from gamed.games.roborally.rules.courses import Limits


def check_boards(files: Iterable[Path], *, as_json: bool) -> int:
    """Print the findings of each file, a line each, or an object per file with --json. Return the exit status."""
    refused = False
    for file in files:
        try:
            findings: Sequence[BoardFinding] = _findings(file)
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


def _findings(file: Path) -> Sequence[BoardFinding]:
    """Return the errors and warnings of a course (`*.course`) or of a tile. Raises ConfigError."""
    if file.suffix != ".course":
        return check_tile(load_tile(file))
    course = load_course(str(file), Limits())
    return [*check_flags(course.board, course.flags), *check_board(course.board)]


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
