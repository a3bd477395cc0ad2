"""The five boards under axe, in light and in dark: nothing serious."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import axe_playwright_python

from tests.games.roborally.scenes import scene as turn
from tests.games.roborally.scenes import started
from tests.web import test_board_battleship as battleship
from tests.web import test_board_go as go
from tests.web import test_board_hive as hive
from tests.web import test_board_quoridor as quoridor
from tests.web import test_board_roborally as roborally
from tests.web.browser import BrowserTestCase

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()

RUN = """async () => {
  // What passes is counted: to describe all of it takes most of the time.
  const found = await axe.run(document.getElementById("board"), {resultTypes: ["violations"]});
  return {violations: found.violations, passes: found.passes.length};
}"""


class AccessTests(BrowserTestCase):
    """Each board as who plays sees it, and as who watches does."""

    def check(self, kind: str, scene: Mapping[str, Any]) -> None:
        """Fail if axe finds anything serious on this board."""
        self.mount(kind, scene, "play" if scene.get("you") else "watch")
        self.page.evaluate(f"() => {{ {AXE} }}")
        for scheme in ("light", "dark"):
            self.page.emulate_media(color_scheme=scheme)
            found = self.page.evaluate(RUN)
            serious = [
                (rule["id"], node["target"], node["failureSummary"])
                for rule in found["violations"]
                if rule["impact"] in ("serious", "critical")
                for node in rule["nodes"]
            ]
            self.assertGreater(found["passes"], 5, kind)
            self.assertEqual(serious, [], (kind, scheme))

    def test_battleship(self) -> None:
        self.check("battleship", battleship.scene(battleship.at_work()))
        self.check("battleship", battleship.scene(battleship.person(ready=False)))
        self.check("battleship", battleship.watched(*battleship.LINES))

    def test_go(self) -> None:
        board = go.recording(*go.KO).scene()
        self.check("go", board)
        letters = [{"point": [7, 7], "text": "A"}]
        self.check("go", {**board, "you": None, "board": {**board["board"], "marks": letters}})
        self.check("go", go.replayed(go.colorful(), 4))

    def test_hive(self) -> None:
        state = hive.recorded(40).state
        self.check("hive", hive.scene(state, state.mover, hive.recorded(40).last))
        self.check("hive", hive.of("stack of five"))
        self.check("hive", hive.of(hive.PASSING, 0))

    def test_quoridor(self) -> None:
        state = quoridor.midgame(4)
        self.check("quoridor", quoridor.scene(state, seat=state.mover))
        self.check("quoridor", quoridor.scene(None, "voting", seat=None))
        self.check("quoridor", quoridor.shown(state))

    def test_roborally(self) -> None:
        self.check("roborally", turn(roborally.with_locks(started("karussell", 2)), 0))
        crowd = (roborally.robot(1, 1, damage=3), roborally.robot(2, 1, is_virtual=True))
        self.check("roborally", turn(roborally.everything(*crowd)))
