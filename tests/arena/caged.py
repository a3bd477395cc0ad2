"""Trials that run in a PID namespace of their own, so that a mistake of what kills processes hurts nothing else."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from functools import cache

from twisted.trial.unittest import SynchronousTestCase

from tests.daemon import ROOT

USER = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
NAMESPACE = ["unshare", *USER, "--pid", "--fork", "--kill-child", "--mount-proc"]


@cache
def why_not() -> str:
    """Return why no PID namespace can be made here; "" if one can."""
    tried = subprocess.run([*NAMESPACE, "true"], capture_output=True, text=True, timeout=60, check=False)
    return "" if tried.returncode == 0 else f"no PID namespace can be made: {tried.stderr.strip()}"


class CagedTestCase(SynchronousTestCase):
    """A test for each trial of a module: `python -m MODULE NAME` ends with status 0, and says nothing."""

    def setUp(self) -> None:
        if why_not():
            self.skipTest(why_not())

    def run_trial(self, module: str, name: str, longest: float = 300.0, **environment: str) -> str:
        """Run a trial; return what it has printed. `longest`: seconds."""
        command = [*NAMESPACE, sys.executable, "-m", module, name]
        found = {**os.environ, **environment}
        done = subprocess.run(
            command, cwd=ROOT, env=found, capture_output=True, text=True, timeout=longest, check=False
        )
        if done.returncode or done.stderr:
            self.fail(f"{name} ended with status {done.returncode}:\n{done.stderr}")
        return done.stdout

    def need(self, *programs: str) -> None:
        """Skip the test if programs of others are not installed."""
        for program in programs:
            if shutil.which(program) is None and "CI" not in os.environ:
                self.skipTest(f"{program} is not installed; CI always has it")


def add_tests(case: type[CagedTestCase], module: str, names: Iterable[str], needs: dict[str, tuple[str, ...]]) -> None:
    """Give a test case a test for each trial. `needs`: the programs of others that some of them need."""
    for name in names:

        def test(self: CagedTestCase, name: str = name) -> None:
            self.need(*needs.get(name, ()))
            self.run_trial(module, name)

        test.__name__ = f"test_{name}"
        setattr(case, test.__name__, test)
