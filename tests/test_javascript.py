"""The browser's modules are checked by TypeScript, by their JSDoc types, and by ESLint."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

ROOT = Path(__file__).parent.parent
SETTINGS = ROOT / "tests/javascript"


class JavaScriptTests(SynchronousTestCase):
    def check(self, program: str, *options: str) -> None:
        if shutil.which(program) is None and "CI" not in os.environ:
            self.skipTest(f"{program} is not installed (Debian: node-typescript, eslint); CI always has it")
        # A Node.js that is not Debian's does not look there.
        environment = {**os.environ, "NODE_PATH": "/usr/share/nodejs"}
        command = [program, *options]
        done = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False
        )
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_types(self) -> None:
        self.check("tsc", "--project", str(SETTINGS / "jsconfig.json"))

    def test_lint(self) -> None:
        settings = str(SETTINGS / "eslintrc.json")
        self.check("eslint", "--no-eslintrc", "--config", settings, "--format", "unix", "--ext", ".js", "gamed")
