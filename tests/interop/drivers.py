"""Drivers for the games' boards: they choose a legal move that the board shows, by mouse or by keyboard.

The heads of gamed/games/*/static/board.js say which attributes elements have.
"""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, Protocol

from playwright.sync_api import Error, Page

from tests.interop.browsing import PATIENCE, tab_to

MOST_TURNS = 300

WAIT = """
words => {
  const board = document.querySelector(".board");
  return words.includes(board?.dataset.phase) && board.dataset.phase;
}
"""


class Hand(Protocol):
    """A way to use a board."""

    page: Page

    def press(self, selector: str) -> None:
        """Press a button, or an element with its role."""

    def cell(self, grid: str, selector: str, place: Sequence[int]) -> None:
        """Choose a cell of a grid."""


class Mouse:
    """Only the mouse."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def press(self, selector: str) -> None:
        self.page.click(selector)

    def cell(self, grid: str, selector: str, place: Sequence[int]) -> None:
        self.page.click(f"{grid} [{selector}='{place[0]},{place[1]}']")


TOWARDS = """
selector => {
  const [from, to] = [document.activeElement, document.querySelector(selector)].map(one => one.getBoundingClientRect());
  const middle = (box, from, size) => box[from] + box[size] / 2;
  const right = middle(to, "left", "width") - middle(from, "left", "width");
  const down = middle(to, "top", "height") - middle(from, "top", "height");
  if (Math.abs(right) > 2) return right > 0 ? "ArrowRight" : "ArrowLeft";
  return Math.abs(down) > 2 ? (down > 0 ? "ArrowDown" : "ArrowUp") : null;
}
"""
"""The key that brings the cursor nearer to an element, as it is seen: a board may be turned."""


class Keys:
    """Only keys: Tab to reach an element, arrows inside a grid, Enter."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def press(self, selector: str) -> None:
        tab_to(self.page, selector)
        self.page.keyboard.press("Enter")

    def cell(self, grid: str, selector: str, place: Sequence[int]) -> None:
        self.go(grid, selector, place)
        self.page.keyboard.press("Enter")

    def go(self, grid: str, selector: str, place: Sequence[int]) -> None:
        """Move the cursor in a grid of squares to a place."""
        tab_to(self.page, f"{grid} [{selector}]")
        target = f"{grid} [{selector}='{place[0]},{place[1]}']"
        while key := self.page.evaluate(TOWARDS, target):
            self.page.keyboard.press(key)


def waits(page: Page, *phases: str) -> str:
    """Wait until the board is in one of some phases, and return which."""
    return str(page.wait_for_function(WAIT, arg=phases).json_value())


def votes(page: Page, press: Callable[[str], None]) -> None:
    """Vote for a game of two, unless the other one has begun it, which may happen between a look and the vote."""
    if waits(page, "voting", "play", "wait") == "voting":
        page.set_default_timeout(5_000)
        with contextlib.suppress(AssertionError, Error):
            press("[data-do=vote-2]")
        page.set_default_timeout(PATIENCE * 1_000)
    waits(page, "play", "wait")


# Battleship

ENEMY = "[data-board=enemy]"
OWN = "[data-board=own]"
STATES = """
() => Object.fromEntries([...document.querySelectorAll("[data-board=enemy] [data-cell]")].map(
  cell => [cell.dataset.cell, cell.dataset.state]))
"""


def place_ships(hand: Hand) -> None:
    """Place the ships: shuffle once, turn one of them, and press the button when they are ready."""
    waits(hand.page, "placing")
    before = _ships(hand.page)
    hand.press("[data-do=roll]")
    hand.page.wait_for_function(f"before => String(before) !== String({SHIPS})", arg=before)
    hand.press("[data-do=ready]")


SHIPS = "[...document.querySelectorAll('[data-ship]')].map(ship => ship.dataset.at)"


def _ships(page: Page) -> list[str]:
    found: list[str] = page.evaluate(f"() => {SHIPS}")
    return found


def shoot_all(hand: Hand, targets: Sequence[tuple[int, int]] | None = None) -> int:
    """Shoot until the game is over, and return the number of shots.

    `targets`: in this order; None: round hits, else every other cell.
    """
    left = deque(targets or ())
    for shots in range(MOST_TURNS):
        if waits(hand.page, "shoot", "over", "broken") != "shoot":
            return shots
        at = left.popleft() if targets is not None else _likely(hand.page.evaluate(STATES))
        shoot(hand, at)
    raise AssertionError("the game does not end")


def shoot(hand: Hand, at: tuple[int, int]) -> None:
    """Shoot at a cell, and wait for the answer: until then, the board may still say that it is to be shot."""
    hand.cell(ENEMY, "data-cell", at)
    hand.page.wait_for_function(
        """at => document.querySelector(`[data-board=enemy] [data-cell="${at}"]`).dataset.state !== "unknown"
           || document.querySelector(".board").dataset.phase === "broken" """,
        arg=f"{at[0]},{at[1]}",
    )


def _likely(states: dict[str, str]) -> tuple[int, int]:
    unknown = [_pair(key) for key, state in states.items() if state == "unknown"]
    hits = {_pair(key) for key, state in states.items() if state == "hit"}
    beside = [
        at for at in unknown if any((at[0] + x, at[1] + y) in hits for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)))
    ]
    every_other = [at for at in unknown if sum(at) % 2 == 0]
    return (beside or every_other or unknown)[0]


def _pair(key: str) -> tuple[int, int]:
    x, y = key.split(",")
    return int(x), int(y)


# Quoridor

GRID = ".q-board"
MOVES = ".moves li"
TABLE = """
() => ({
  legal: [...document.querySelectorAll("[data-cell][data-legal]")].map(cell => cell.dataset.cell),
  built: [...document.querySelectorAll("[data-built]")].map(wall => wall.dataset.built),
  seat: Number(document.querySelector(".player .you").closest("[data-seat]").dataset.seat),
})
"""


def walk(hand: Hand) -> int:
    """Walk by the shortest way until the game is over, and return the number of steps."""
    for steps in range(MOST_TURNS):
        if not own_turn(hand.page):
            return steps
        step(hand)
    raise AssertionError("the game does not end")


def step(hand: Hand) -> None:
    """Make one step by the shortest way, when it is this player's turn."""
    table = hand.page.evaluate(TABLE)
    told = hand.page.locator(MOVES).count()
    far = _distances(table["built"], 8 if table["seat"] == 0 else 0)
    hand.cell(GRID, "data-cell", min(map(_pair, table["legal"]), key=lambda at: far[at]))
    hand.page.wait_for_selector(f"{MOVES} >> nth={told}", state="attached")


def own_turn(page: Page) -> bool:
    """Wait for this player's turn, or the end; return whether it is a turn."""
    page.wait_for_function(
        """() => document.querySelector(".q-board[data-active]")
           || ["won", "lost", "disconnect", "closed"].includes(document.querySelector(".board")?.dataset.phase)"""
    )
    return page.locator(".q-board[data-active]").count() > 0


def put_wall(hand: Hand, x: int, y: int, way: str) -> None:
    """Put a wall, which must be shown before it is put."""
    if isinstance(hand, Keys):
        tab_to(hand.page, f"{GRID} [data-cell]")
        hand.page.keyboard.press(way[0])
        hand.go(GRID, "data-cell", (x, y))
        hand.page.wait_for_selector(f"[data-preview='{x},{y},{way}']")
        hand.page.keyboard.press("Enter")
    else:
        hand.page.hover(f"[data-wall='{x},{y},{way}']")
        hand.page.wait_for_selector(f"[data-preview='{x},{y},{way}']")
        hand.press(f"[data-wall='{x},{y},{way}']")
    hand.page.wait_for_selector(f"[data-built='{x},{y},{way}']", state="attached")
    if isinstance(hand, Keys):
        hand.page.keyboard.press("Escape")


def _distances(built: Sequence[str], row: int) -> dict[tuple[int, int], int]:
    """Return the number of steps from each cell of Quoridor's board to a row, without pawns."""
    walls = {tuple(wall.split(",")) for wall in built}

    def has(x: int, y: int, way: str) -> bool:
        return (str(x), str(y), way) in walls

    def blocked(x: int, y: int, dx: int, dy: int) -> bool:
        if dy:
            edge = max(y, y + dy)
            return has(x, edge, "horizontal") or has(x - 1, edge, "horizontal")
        edge = max(x, x + dx)
        return has(edge, y, "vertical") or has(edge, y - 1, "vertical")

    far = {(x, row): 0 for x in range(9)}
    queue = deque(far)
    while queue:
        x, y = queue.popleft()
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            there = x + dx, y + dy
            if 0 <= there[0] < 9 and 0 <= there[1] < 9 and there not in far and not blocked(x, y, dx, dy):
                far[there] = far[x, y] + 1
                queue.append(there)
    return far


# Hive

CHOICES = """
() => ({
  pieces: [...document.querySelectorAll("button[data-piece][aria-disabled=false]:not([hidden])")].map(one =>
    `[data-piece=${one.dataset.piece}][data-seat="${one.dataset.seat}"]`),
  fields: [...document.querySelectorAll("[data-cell][data-movable]")].map(one => one.dataset.cell),
  skips: !document.querySelector(".h-skip").hidden,
})
"""
TARGETS = "() => [...document.querySelectorAll('[data-cell][data-target]')].map(one => one.dataset.cell)"


def play_hive(hand: Hand, random: Random) -> int:
    """Make any legal moves until the game is over, and return their number: place pieces first."""
    for moves in range(MOST_TURNS):
        if waits(hand.page, "play", "over") == "over":
            return moves
        move_hive(hand, random)
    raise AssertionError("the game does not end")


def move_hive(hand: Hand, random: Random) -> None:
    """Make any legal move, when it is this player's turn."""
    turn = hand.page.text_content(".h-turn")
    found = hand.page.evaluate(CHOICES)
    if found["skips"]:
        hand.press("[data-action=skip]")
    elif found["pieces"]:
        hand.press(random.choice(found["pieces"]))
        _drop(hand, random)
    else:
        _field(hand, random.choice(found["fields"]))
        _drop(hand, random)
    hand.page.wait_for_function(
        """turn => document.querySelector(".board").dataset.phase !== "play"
           || document.querySelector(".h-turn").textContent !== turn""",
        arg=turn,
    )


def _drop(hand: Hand, random: Random) -> None:
    hand.page.wait_for_selector("[data-cell][data-target]")
    _field(hand, random.choice(hand.page.evaluate(TARGETS)))


def _field(hand: Hand, name: str) -> None:
    if not isinstance(hand, Keys):
        hand.page.click(f"[data-cell='{name}']")
        return
    tab_to(hand.page, ".h-field-grid [data-cell]")
    x, y = _pair(name)
    here_x, here_y = _pair(str(hand.page.evaluate("document.activeElement.dataset.cell")))
    # Coordinates are (x, y, -x-y): first a slanting way to the row, then along it.
    rows = (x + y) - (here_x + here_y)
    for _ in range(abs(rows)):
        # PageUp adds 1 to x, Home to y. Near the border one of the two would leave the board, and has no effect.
        before = hand.page.evaluate("document.activeElement.dataset.cell")
        first, second = ("PageUp", "Home") if rows > 0 else ("PageDown", "End")
        hand.page.keyboard.press(first)
        if hand.page.evaluate("document.activeElement.dataset.cell") == before:
            hand.page.keyboard.press(second)
    here_x, here_y = _pair(str(hand.page.evaluate("document.activeElement.dataset.cell")))
    for _ in range(abs(x - here_x)):
        hand.page.keyboard.press("ArrowRight" if x > here_x else "ArrowLeft")
    hand.page.keyboard.press("Enter")


# RoboRally

HAND = "[...document.querySelectorAll('[data-card]')].map(card => card.dataset.card)"
UNUSED = HAND.replace("[data-card]", "[data-card]:not(.used)")
PROMPT = """
() => {
  const board = document.querySelector(".board");
  if (!board) return false;
  if (["over", "out"].includes(board.dataset.phase) || document.querySelector(".ending:not([hidden])")) return "over";
  if (board.querySelector("button[data-facing]")) return "facing";
  if (board.querySelector("[data-card]")) return "program";
  if (board.querySelector("[data-stay]")) return "power";
  return board.querySelector("[data-open]") ? "repair" : false;
}
"""


def play_roborally(hand: Hand) -> int:
    """Program any cards until the game is over, and return the number of decisions."""
    for made in range(MOST_TURNS):
        if not move_roborally(hand):
            return made
    raise AssertionError("the game does not end")


def move_roborally(hand: Hand) -> bool:
    """Make the next decision, and return whether there was one: the game may be over."""
    decisions = {"facing": _face, "program": _program, "power": _wake, "repair": _repair}
    prompt = str(hand.page.wait_for_function(PROMPT).json_value())
    if prompt != "over":
        decisions[prompt](hand)
    return prompt != "over"


def _face(hand: Hand) -> None:
    hand.press("button[data-facing=N]" if isinstance(hand, Mouse) else "button[data-facing]")
    hand.page.wait_for_selector("button[data-facing]", state="detached")


def _program(hand: Hand) -> None:
    page = hand.page
    cards = page.evaluate(HAND)
    empty = page.locator("[data-register][aria-pressed]").count()
    if isinstance(hand, Keys):
        tab_to(page, "[data-card]")
        for n in range(empty):
            page.keyboard.press(str(n + 1))
        page.wait_for_selector("[data-submit]:focus")
        page.keyboard.press("Enter")
    else:
        for card in page.evaluate(UNUSED)[:empty]:
            page.click(f"[data-card='{card}']")
        page.click("[data-submit]")
    # The next hand may be there at once.
    page.wait_for_function(f"cards => String({HAND}) !== String(cards)", arg=cards)


def _wake(hand: Hand) -> None:
    hand.press("[data-stay=false]")
    hand.page.wait_for_selector("[data-stay]", state="detached")


def _repair(hand: Hand) -> None:
    page = hand.page
    while page.locator("[data-submit]").is_disabled():
        hand.press("[data-open][aria-pressed=false]")
    hand.press("[data-submit]")
    page.wait_for_selector("[data-open]", state="detached")


def drag_card(page: Page) -> Any:
    """Drag the first card of the hand to the third register, and return the card."""
    card = page.locator("[data-card]").first
    name = card.get_attribute("data-card")
    card.drag_to(page.locator("[data-register='3']"))
    page.wait_for_selector(f"[data-card='{name}'].used")
    return name
