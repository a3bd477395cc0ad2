"""Follow the tutorial in a browser as it is written; with SHOTS set, its pictures are regenerated."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from tests.daemon import ROOT, SCRIPTS
from tests.interop.browsing import PATIENCE, seated
from tests.interop.drivers import MOVES, Mouse, own_turn, put_wall, shoot, shoot_all, waits
from tests.interop.programs import end
from tests.proofs.live import LiveProof
from tests.web.browser import FILES

TUTORIAL = ROOT / "docs" / "tutorial"
PICTURES = TUTORIAL / "pictures"
HEAVIEST = 150_000
SIZE = {"width": 1024, "height": 720}


def commands(page: str) -> list[str]:
    """Return the commands of a page of the tutorial."""
    return re.findall(
        r"^    (\S.*)$", re.sub(r"^   !.*$", "", (TUTORIAL / page).read_text(), flags=re.MULTILINE), re.MULTILINE
    )


class TutorialTests(LiveProof):
    """All pages of the tutorial, one after the other, with one daemon."""

    def setUp(self) -> None:
        super().setUp()
        self.page.set_viewport_size(SIZE)

    def runs(self, command: str, *more: str) -> subprocess.Popen[str]:
        """Run a command of the tutorial as it is written. `more`: this daemon's port, and how fast a bot plays."""
        words = [word.replace(".venv/bin", str(SCRIPTS)) for word in command.split()]
        process = subprocess.Popen([*words, *more], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(end, process)
        return process

    def shoots(self, name: str) -> None:
        """Take a picture if SHOTS is set, always with the light color scheme."""
        file = PICTURES / f"{name}.png"
        if "SHOTS" in os.environ:
            self.page.evaluate("() => scrollTo(0, 0)")
            self.page.screenshot(path=str(file))
        self.assertLess(file.stat().st_size, HEAVIEST)

    def press(self, text: str, within: str = "") -> None:
        """Press the element with this text, as the tutorial says."""
        self.assertIn(f"**{text}**", self.text)
        self.page.click(f"{within} :is(button, a):text-is('{text}'):visible".strip())

    def read(self, page: str) -> list[str]:
        """Read a page of the tutorial, and return its commands."""
        self.text = (TUTORIAL / page).read_text()
        return commands(page)

    def test_it_as_it_is_written(self) -> None:
        self.first_steps()
        if shutil.which("swipl") is not None or "CI" in os.environ:
            self.prolog()
        self.watch()
        self.replay()

    def first_steps(self) -> None:
        # The Makefile starts twistd as the daemon of this test was started.
        self.assertEqual(self.read("index.md"), ["make run"])
        self.assertIn("twistd -n gamed", (ROOT / "Makefile").read_text())
        self.page.goto("/")
        self.page.wait_for_selector("[data-game=hive]")
        self.shoots("lobby")
        self.press("Play", "[data-game=quoridor]")
        self.page.fill("dialog input[name=name]", "Ann")
        self.page.check("dialog label:has-text('Play against programs') input")
        self.press("Sit down", "dialog")
        seated(self.page)
        self.assertTrue(own_turn(self.page))
        put_wall(Mouse(self.page), 3, 4, "horizontal")
        for _ in range(2):
            self.assertTrue(own_turn(self.page))
            count = self.page.locator(MOVES).count()
            self.page.locator("[data-cell][data-legal]").last.click()
            self.page.wait_for_selector(f"{MOVES} >> nth={count}", state="attached")
        self.assertTrue(own_turn(self.page))
        self.shoots("quoridor")
        self.page.click(".brand")
        self.page.wait_for_selector("h2:text-is('Your games')")
        self.page.click("a.button.primary[href^='/seats/']")
        self.assertTrue(own_turn(self.page))

    def prolog(self) -> None:
        (command,) = self.read("prolog.md")
        program = self.runs(command, "--port", str(self.daemon.ports["battleship"]))
        room = self.open_room("battleship")
        self.press("Play", f"[data-room='{room}']")
        self.page.fill("dialog input[name=name]", "Ann")
        self.press("Sit down", "dialog")
        seated(self.page)
        waits(self.page, "placing")
        self.press("Shuffle")
        self.press("Turn")
        self.shoots("placing")
        self.press("Ready")
        hand = Mouse(self.page)
        for row in range(3):
            for column in range(4):
                waits(self.page, "shoot")
                shoot(hand, (2 * column + row % 2, 2 * row))
        waits(self.page, "shoot")
        self.shoots("battleship")
        shoot_all(hand)
        self.page.wait_for_selector(".ending a:text-is('To the record')")
        out, _ = program.communicate(timeout=PATIENCE)
        won = self.page.locator(".ending strong").inner_text().strip() == "You won."
        self.assertIn(f"KI won {int(not won)} times and lost {int(won)} times.", out)

    def watch(self) -> None:
        first, second = self.read("watch.md")
        more = "--port", str(self.daemon.ports["quoridor"]), "--pace", "0.2"
        ada = self.runs(first, *more)
        room = self.open_room("quoridor")
        self.press("Watch", f"[data-room='{room}']")
        self.page.wait_for_selector(".board[data-kind]")
        ben = self.runs(second, *more)
        self.page.wait_for_selector(f"{MOVES} >> nth=9", state="attached")
        self.assertIn("**Big screen**", self.text)
        self.page.wait_for_selector("a:text-is('Big screen')")
        self.shoots("watching")
        self.page.wait_for_selector(".ending a")
        for bot in (ada, ben):
            self.assertEqual(bot.communicate(timeout=PATIENCE)[1], "")

    def replay(self) -> None:
        written = self.read("replay.md")
        record = self.record(self.page)
        self.press("To the record")
        self.page.wait_for_selector(".moves li button >> nth=5")
        self.page.click(".moves li[data-n='10'] button")
        self.page.wait_for_selector(".moves li.here[data-n='10']")
        self.page.keyboard.press("ArrowRight")
        self.page.wait_for_selector(".moves li.here[data-n='11']")
        self.shoots("replay")
        self.press("Copy the link to this position")
        self.page.wait_for_url(f"**/records/{record['id']}?move=11")
        listed, *single = written
        names = str(self.daemon.config)
        out, err = self.runs(listed, "--config", names).communicate(timeout=PATIENCE)
        self.assertEqual((err, record["id"][:4] in out), ("", True))
        for command in single:
            shown = self.runs(command.replace("ID", record["id"]), "--config", names).communicate(timeout=PATIENCE)
            self.assertEqual(shown[1], "", command)
            self.assertGreater(len(shown[0]), 100)
        self.page.click("a:text-is('Records')")
        self.page.wait_for_selector(f"a[href='/records/{record['id']}']")

    def open_room(self, game: str) -> str:
        """Find the room of a game in the lobby."""
        room = self.room(self.page, game)
        self.page.goto("/")
        self.page.wait_for_selector("h2:text-is('Open rooms')")
        self.page.wait_for_selector(f"[data-room='{room}']")
        return room

    def test_what_it_tells_to_press_is_there(self) -> None:
        words = "\n".join(FILES.find(name).content.decode() for name in FILES.names if name.endswith(".js"))
        pages = sorted(TUTORIAL.glob("*.md"))
        self.assertEqual(len(pages), 5)
        for page in pages:
            for label in re.findall(r"\*\*(.+?)\*\*", page.read_text()):
                self.assertIn(f'"{label}"', words, page.name)

    def test_its_pictures_are_used_and_light(self) -> None:
        text = "".join(page.read_text() for page in TUTORIAL.glob("*.md"))
        used = {Path(path).name for path in re.findall(r"\]\(pictures/(.+?)\)", text)}
        self.assertEqual({file.name for file in PICTURES.iterdir()}, used)
        for file in PICTURES.iterdir():
            self.assertLess(file.stat().st_size, HEAVIEST, file.name)
