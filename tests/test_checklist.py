"""The checklist of `tests/checklist.py` is complete for each game of the registry."""

from __future__ import annotations

import shutil
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from gamed.registry import GameMaker, game_types, games
from tests.checklist import ROOT, Checklist

CHECKED = (
    *("README.md", "schemas", "docs/reference", "docs/howto/install.md", "docs/howto/operate.md", "etc"),
    *(
        str((made.folder / name).relative_to(ROOT))
        for made in game_types().values()
        for name in ("static", "schemas")
        if (made.folder / name).is_dir()
    ),
)


class ChecklistTests(SynchronousTestCase):
    def test_nothing_is_missing(self) -> None:
        for name, maker in games().items():
            self.assertEqual([str(one) for one in Checklist(maker).missing()], [], name)

    def folder(self) -> Path:
        """Return a copy of the files that the checklist examines."""
        folder = Path(self.mktemp())
        for path in CHECKED:
            copy = shutil.copytree if (ROOT / path).is_dir() else shutil.copy2
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            copy(ROOT / path, folder / path)
        return folder

    def test_a_port_that_is_not_told_is_written_to_each_place(self) -> None:
        folder = self.folder()
        another = Checklist(GameMaker("another", 45_678, "gamed.games.battleship"), folder)
        found = [one for one in another.missing() if one.write]
        for one in found:
            self.assertIn("--write does it", str(one))
        for _ in found:
            next(one.write() for one in another.missing() if one.write)
        self.assertEqual([one for one in another.missing() if one.write], [])
        changed = {path for path in CHECKED if path.endswith(".md")} - {"README.md"}
        changed |= {"etc/systemd/gamed-another.socket", "etc/systemd/gamed.service", "etc/sysctl.d/gamed.conf"}
        changed |= {"etc/container/Containerfile", "etc/container/compose.yaml"}
        self.assertEqual({one.path for one in found}, changed)
        for path in changed:
            text = (folder / path).read_text()
            self.assertRegex(text, "another|45678", path)
            # install.md has one of these lines twice.
            self.assertNotRegex(text, r"gamed-another\.socket .*gamed-another\.socket", path)

    def test_what_people_must_write_is_told(self) -> None:
        name = "another"
        another = Checklist(GameMaker(name, 45_678, "gamed.games.battleship"), self.folder())
        told = [str(one) for one in another.missing() if not one.write]
        self.assertEqual(told[:4], [
            f"docs/reference/{name}.md: describe the wire: messages, order, ends, limits, refusals",
            "README.md: add the game's row to the table of ports: | TITLE | 45678 | CLIENTS |",
            f"README.md: link to docs/reference/{name}.md",
            "etc/gamed.toml: add the section [another]",
        ])  # fmt: skip
        self.assertIn("etc/gamed.toml: explain `idle_seconds` in the section [another], with its default", told[4:])

    def test_files_that_are_gone_are_told(self) -> None:
        folder = self.folder()
        for maker in games().values():
            self.assertEqual(list(Checklist(maker, folder).missing()), [])
            schemas, boards = [], []
            for made in maker.load_all():
                own = made.folder.relative_to(ROOT)
                place = f"{own}/schemas" if (ROOT / own / "schemas").is_dir() else "schemas"
                schemas.append(f"{place}/{made.publisher}-{made.version}.xsd")
                boards += [f"{own}/static/board.{ending}" for ending in ("js", "css")]
            for path in (*schemas, *boards):
                (folder / path).unlink()
            self.assertEqual([one.path for one in Checklist(maker, folder).missing()], [*schemas, *boards])
