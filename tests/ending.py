"""Close what tests share when all tests have run, before pytest-xdist kills processes that exit slowly."""

from __future__ import annotations

import atexit
from contextlib import ExitStack

at_end = ExitStack()
"""Callbacks, the last first. `tests/conftest.py` closes it; under trial, the process does so when it exits."""

atexit.register(at_end.close)
