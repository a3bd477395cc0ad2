"""Unmodified socha clients, and the German how-to for pupils, followed to the letter.

SOCHA: the Python of an environment in which the how-to's packages are installed, as .ci/run does.
"""

from __future__ import annotations

import os
import re
import shlex
import socket
import subprocess
from pathlib import Path
from typing import ClassVar

from twisted.trial.unittest import SynchronousTestCase

from tests import proofs
from tests.daemon import PATIENT, ROOT, SCRIPTS, Daemon, free_port, section

PAGE = ROOT / "docs" / "howto" / "blokus-bot.md"
PYTHON = os.environ.get("SOCHA", "")
INSTALL = "pip install socha==5.1.0 'setuptools<82'"
PATIENCE = 200


class HowToTests(SynchronousTestCase):
    """The steps of the page. The daemon is the test's, and a mass test has one pair."""

    skip: ClassVar[str | None] = proofs.skip or (None if PYTHON else "SOCHA names no Python that has the package socha")

    def setUp(self) -> None:
        text = PAGE.read_text()
        joined = text.replace("\\\n       ", "")
        self.commands = re.findall(r"^    (\S.*)$", re.sub(r"(?ms)^```.*?^```$", "", joined), re.MULTILINE)
        self.blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        base = Path(self.mktemp()).resolve()
        self.folder, self.bot = base / "gamed", base / "bot"
        for folder in (self.folder, self.bot):
            folder.mkdir(parents=True)
        self.port = free_port()
        self.daemon = Daemon(
            base / "daemon", more=section("softwarechallenge", self.port, f'password = "x"\n{PATIENT}')
        )
        self.daemon.start()
        self.addCleanup(self.daemon.stop)

    def begun(self, command: str) -> subprocess.Popen[str]:
        """Start a command of the page, with the test's programs in place of the reader's."""
        words = shlex.split(command.replace("../bot-venv/bin/python", PYTHON).replace(".venv/bin", str(SCRIPTS)))
        process = subprocess.Popen(words, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(process.kill)
        return process

    def said(self, command: str) -> str:
        said, _ = self.begun(command).communicate(timeout=PATIENCE)
        return said

    def write(self, logic: str) -> None:
        (self.bot / "logic.py").write_text(logic)

    def test_it_as_it_is_written(self) -> None:
        make, _, _, install, first, won, mass, explain, *_ = self.commands
        self.assertEqual(make, "make run")
        self.assertEqual(install, f"../bot-venv/bin/{INSTALL}")
        self.assertIn(f"bin/{INSTALL}", (ROOT / ".ci" / "run").read_text())
        whole, better = self.blocks
        self.write(whole)
        ours, theirs = first.removesuffix("; wait").split(" & ")
        place = f" --port {self.port}"
        greedy = self.begun(ours + place)
        self.begun(theirs + place).communicate(timeout=PATIENCE)
        self.assertRegex(greedy.communicate(timeout=PATIENCE)[0], "game 1: won after")
        head, _, rest = whole.partition("    def calculate_move")
        self.write(f"{head}{better}\n\n{rest[rest.index('if __name__') :]}")
        self.assertRegex(self.said(won), r"\nlogic +2/2 ")
        said = self.said(mass.replace("--pairs 50", "--pairs 1"))
        self.assertIn("Siegpunkte", said)
        self.assertNotIn("left", said)
        game = re.findall(r", ([0-9a-f]{8})\)", said)[0]
        self.assertIn(f"gamed play --again {game}", self.said(explain.replace("NUMMER", game)))

    def test_joins_and_reservations(self) -> None:
        self.write(self.blocks[0])
        words = ["", "", *(f"--reservation {code}" for code in self.prepared())]
        players = [self.begun(f"{PYTHON} {self.bot}/logic.py --port {self.port} {word}") for word in words]
        for player in players:
            said, _ = player.communicate(timeout=PATIENCE)
            self.assertEqual((player.returncode, "ERROR" in said), (0, False), said[-2000:])
        self.daemon.settled(2)
        records = self.daemon.records()
        self.assertEqual({one["kind"] for one in records}, {"blokus"})
        self.assertLessEqual({one["termination"] for one in records}, {"victory", "draw"})
        names = [[seat["name"] for seat in one["seats"]] for one in records]
        self.assertEqual(sorted(map(sorted, names)), [["Ada", "Grace"], ["ONE", "TWO"]])
        self.assertEqual(self.daemon.unexpected(), [])

    def prepared(self) -> list[str]:
        """Return the codes of a prepared room for Ada and Grace."""
        slots = "".join(f'<slot displayName="{name}" canTimeout="true" reserved="true"/>' for name in ("Ada", "Grace"))
        asked = f'<authenticate password="x"/><prepare gameType="swc_2027_blokus" pause="false">{slots}</prepare>'
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as admin:
            admin.sendall(f"<protocol>{asked}".encode())
            said = b""
            while said.count(b"</reservation>") < 2:
                said += admin.recv(4096)
            admin.sendall(b"</protocol>")
        return re.findall("<reservation>(.+?)</reservation>", said.decode())
