"""Hive's board on a page, as its tests show it: scenes of recorded and made positions."""

from __future__ import annotations

import re
from typing import Any

from gamed.core.game import Seat
from gamed.games.softwarechallenge.seasons.hive.person import HiveGuide
from gamed.games.softwarechallenge.seasons.hive.position import State
from gamed.games.softwarechallenge.seasons.hive.rules import Hive
from tests.games.softwarechallenge.hive.recorded import Scene, named, plays
from tests.web.browser import BrowserTestCase

GUIDE, HIVE = HiveGuide(), Hive()
NAMES = ("Ada & <b>", "Grace")
STACKS = "beetle on top may step down anywhere around"
PASSING = "all own pieces covered, bee in hand"

BARRED = """
all => all.map((one) => {
  const part = (name) => one.querySelector(name);
  const fill = (name) => getComputedStyle(part(name)).fill;
  const [bars, place] = [".h-bars", ".h-place"].map((name) => part(name).getBoundingClientRect());
  return [bars.bottom, place.top, fill(".h-place"), fill(".h-ground")];
})
"""
"""Of each barred field: where its cross ends and its coordinates begin, from above; the colours of these and below."""


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, as WCAG 2 defines it."""

    def luminance(color: str) -> float:
        parts = [int(part) / 255 for part in re.findall(r"\d+", color)]
        red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def recorded(turn: int) -> Scene:
    """Return a position of a game with many beetles."""
    (found,) = [play for play in plays() if play.name.startswith("g-beetle-7-0035")]
    return found.scenes[turn]


def scene(state: State, seat: Seat | None = None, last: str | None = None, **more: Any) -> dict[str, Any]:
    """Return the scene of a position: a player's if there is a seat, else a spectator's."""
    over = HIVE.outcome(state) is not None
    asked = seat is not None and state.mover == seat and not over
    shown: dict[str, Any] = {
        "board": HIVE.view(state, seat),
        "phase": "over" if over else "play" if asked else "wait",
        "seats": [{"seat": number, "name": name, "connected": True} for number, name in enumerate(NAMES)],
        "options": {"soft_milliseconds": 2000, "hard_milliseconds": 10000},
        "outcome": None,
        "last": last and {"n": state.turn, "seat": 1 - state.mover, "text": last, "at": 0, "took": 1},
        "turn": [state.mover],
        "isLive": True,
    }
    if seat is not None:
        legal = GUIDE.legal(state, seat) if asked else []
        skips = legal == [{"do": "skip"}]
        shown["you"] = {"seat": seat, "legal": legal, "mustSkip": skips, "last": None, "refusal": None, "result": None}
        shown["won"] = None
    return {**shown, **more}


def of(name: str, seat: Seat | None = None, **more: Any) -> dict[str, Any]:
    """Return the scene of a named position."""
    return scene(named(name).state, seat, **more)


class HiveBoardTestCase(BrowserTestCase):
    def field(self, name: str) -> Any:
        return self.page.locator(f'[data-cell="{name}"]')

    def held(self, piece: str, seat: Seat = 0) -> Any:
        return self.page.locator(f'[data-piece="{piece}"][data-seat="{seat}"]')

    def marked(self, flag: str) -> set[str]:
        """Return the fields that have a mark."""
        found = self.page.eval_on_selector_all(f"[data-cell][data-{flag}]", "all => all.map((one) => one.dataset.cell)")
        return set(found)

    def targets(self, shown: dict[str, Any], **wanted: Any) -> set[str]:
        """Return the fields that legal moves of this kind go to."""
        legal = [one for one in shown["you"]["legal"] if all(one.get(key) == value for key, value in wanted.items())]
        return {f"{one['to'][0]},{one['to'][1]}" for one in legal}

    def focused(self) -> str:
        return str(
            self.page.evaluate("document.activeElement.dataset.cell ?? document.activeElement.dataset.piece ?? ''")
        )

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def row(self, name: str) -> int:
        """Return a field's row, from 0 in the middle, downwards."""
        x, y = map(int, name.split(","))
        return -x - y

    def middle(self, name: str) -> float:
        """Return where the middle of a field is, from the left."""
        box = self.field(name).locator(".h-ground").bounding_box()
        return float(box["x"] + box["width"] / 2)

    def status(self) -> str:
        return str(self.page.text_content("#status"))
