"""Under pytest, as under trial, the tests run in a directory of their own, so that nothing stays in the checkout."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

_directory = tempfile.TemporaryDirectory(prefix="gamed-tests-", ignore_cleanup_errors=True)
_home = Path.cwd()


def pytest_sessionstart(session: pytest.Session) -> None:
    # Of several processes, the one that hands the tests out starts the others from where it is.
    if session.config.getoption("dist", "no") == "no":
        os.chdir(_directory.name)


def pytest_sessionfinish() -> None:
    os.chdir(_home)
    _directory.cleanup()
