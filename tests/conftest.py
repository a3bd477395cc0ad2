"""Under pytest, as under trial, the tests run in a directory of their own, so that nothing stays in the checkout."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

_directory = tempfile.TemporaryDirectory(prefix="gamed-tests-", ignore_cleanup_errors=True)
_home = Path.cwd()


def pytest_sessionstart() -> None:
    os.chdir(_directory.name)


def pytest_sessionfinish() -> None:
    os.chdir(_home)
    _directory.cleanup()
