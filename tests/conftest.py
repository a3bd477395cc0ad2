"""Configuration of pytest: see "How they are run" in tests/README.md."""

from __future__ import annotations

import contextlib
import gc
import tempfile
import tracemalloc
import warnings
from collections.abc import Generator
from functools import cache
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from xdist.scheduler import LoadFileScheduling

from tests.ending import at_end

UNIT_SECONDS = 0.5
"""Processor time that a test needs at most, unless Hypothesis, a corpus or whole games are its subject."""

FRAMES = 3
"""Frames of the place at which an object was made, in warnings."""


@pytest.hookimpl(wrapper=True)
def pytest_runtestloop() -> Generator[None, object, object]:
    """Run the tests in a separate directory, as trial does, so that nothing is left in the checkout."""
    # Not earlier: the workers of pytest-xdist find the tests by their initial directory.
    with (
        tempfile.TemporaryDirectory(prefix="gamed-tests-", ignore_cleanup_errors=True) as directory,
        contextlib.chdir(directory),
        at_end,
    ):
        return (yield)


@cache
def needs_daemon(module: Path) -> bool:
    """Return whether a module of tests runs a real daemon."""
    text = module.read_text()
    return "from tests.daemon import" in text or "from tests.interop." in text


class Modules(LoadFileScheduling):
    """Has a module's tests run in one process, and those of all modules that need a daemon in the same one.

    Daemons and the programs of others have time limits: no two such tests may run at a time.
    """

    def _split_scope(self, nodeid: str) -> str:
        module: str = super()._split_scope(nodeid)
        return "daemons" if needs_daemon(self.config.rootpath / module) else module


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Modules:
    """Return the scheduler that decides which process of pytest-xdist runs which tests."""
    return Modules(config, log)


def is_last(item: pytest.Item, nextitem: pytest.Item | None) -> bool:
    """Return whether a test is the last one of its module."""
    return nextitem is None or nextitem.path != item.path


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None, object, object]:
    """Note where objects are made during the tests of a module with a daemon, so that warnings name the place."""
    if needs_daemon(item.path):
        tracemalloc.start(FRAMES)
    try:
        return (yield)
    finally:
        if is_last(item, nextitem):
            tracemalloc.stop()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None, object, object]:
    """Fail a test with a daemon that leaves a file, a pipe or a socket open.

    Otherwise the garbage collector would find it during a later test, which would fail.
    """
    result = yield
    if needs_daemon(item.path):
        if is_last(item, nextitem):
            # What became garbage only after the test that made it is the module's, too.
            gc.unfreeze()
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always", ResourceWarning)
            gc.collect()
        if found:
            pytest.fail("\n".join(map(described, found)), pytrace=False)
        # What is left is the modules' and the session's: the collector need not look at it again.
        gc.freeze()
    return result


def described(warning: warnings.WarningMessage) -> str:
    """Return the text of a ResourceWarning, with the place at which the object was made."""
    place = tracemalloc.get_object_traceback(warning.source)
    return "\n".join([f"left open: {warning.message}", *(() if place is None else place.format())])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Note the processor time of a test; that of other processes and what Hypothesis does are not counted."""
    began = process_time()
    try:
        return (yield)
    finally:
        if not getattr(item.obj, "is_hypothesis_test", False):
            item.user_properties.append(("seconds", process_time() - began))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """List the tests that need more processor time than a unit test may."""
    found = [
        (dict(report.user_properties).get("seconds", 0.0), report.nodeid)
        for report in terminalreporter.getreports("passed")
    ]
    slow = sorted(((seconds, test) for seconds, test in found if seconds > UNIT_SECONDS), reverse=True)
    if slow:
        terminalreporter.section(f"more than {UNIT_SECONDS} s of processor time, without Hypothesis")
    for seconds, test in slow:
        terminalreporter.line(f"{seconds:.2f}s {test}")
