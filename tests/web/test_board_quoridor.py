"""Quoridor's board in a browser: pointer, keyboard, touch, the vote, the end, what is shown and said."""

from __future__ import annotations

import os
from random import Random
from typing import Any, ClassVar

from playwright.sync_api import Page

from gamed.games.quoridor.moves import HORIZONTAL_WALLS, VERTICAL_WALLS, Move, PawnMove, Wall, to_notation
from gamed.games.quoridor.rules import Quoridor, State
from gamed.games.quoridor.strategy import ShortestPath
from gamed.games.quoridor.walls import cell_at
from tests.web.browser import BrowserTestCase, chromium

RULES = Quoridor()
NAMES = ("Ada", "Bob & <b>Söhne</b>", None, "\u202eevil")


def after(*moves: Move, players: int = 2) -> State:
    state = RULES.setup({"players": players})
    for move in moves:
        state = RULES.apply(state, state.mover, move)
    return state


def scene(state: State | None, phase: str | None = None, seat: int | None = 0, **more: Any) -> dict[str, Any]:
    """Return a player's scene; `more`: keys of `you`, and `last`, `outcome`, `won`."""
    phase = phase or ("play" if state is not None and state.mover == seat else "wait")
    legal = RULES.view(state, seat) if state is not None and phase == "play" else {"moves": [], "places": []}
    you = {
        "seat": seat,
        "moves": legal["moves"],
        "places": legal["places"],
        "canVote": phase == "voting",
        "canReset": phase in ("won", "lost"),
        "pending": None,
        "leaver": None,
        "players": None if state is None else state.players,
    }
    you |= {name: value for name, value in more.items() if name in you}
    return {
        **shown(state, **{name: more[name] for name in ("last", "outcome") if name in more}),
        "phase": phase,
        "you": you,
        "won": more.get("won"),
    }


def shown(state: State | None, last: Any = None, outcome: Any = None) -> dict[str, Any]:
    """Return a spectator's scene."""
    players = 2 if state is None else state.players
    return {
        "board": None if state is None else RULES.view(state, None),
        "phase": "play",
        "seats": [{"seat": seat, "name": NAMES[seat], "connected": True} for seat in range(players)],
        "options": {"referee": "observe"},
        "outcome": outcome,
        "last": last,
        "turn": [] if state is None else sorted(RULES.to_move(state)),
        "isLive": True,
    }


def last(n: int, seat: int, move: Move) -> dict[str, Any]:
    return {"n": n, "seat": seat, "text": to_notation(move), "at": 1000, "took": 500}


def midgame(players: int, moves: int = 24) -> State:
    """Return a position with walls."""
    state, random = RULES.setup({"players": players}), Random(5)
    for number in range(moves):
        legal = list(RULES.legal_moves(state, state.mover))
        walls = [move for move in legal if isinstance(move, Wall)]
        wanted = random.choice(walls) if number % 3 and walls else ShortestPath().choose(state, state.mover, random)
        then = RULES.apply(state, state.mover, wanted)
        state = state if then.winner is not None else then
    return state


def race() -> State:
    """Return a game that seat 0 has won: it runs down, the other one runs to and fro."""
    state = after(PawnMove(3, 0), PawnMove(5, 8))
    for y in range(1, 9):
        state = RULES.apply(state, 0, PawnMove(3, y))
        if state.winner is None:
            state = RULES.apply(state, 1, PawnMove(5 + y % 2, 8))
    return state


START = after()
LOST_PAWN = State(
    (cell_at(4, 4), cell_at(4, 5)),
    midgame(2).walls._replace(horizontal=1 << cell_at(0, 1), vertical=1 << cell_at(7, 3)),
    (0, 1),
)


ANIMATED = """
async ([scenes, animate]) => {
  window.board.destroy();
  const { create, words } = await import("/static/games/quoridor/board.js");
  const context = {
    t: (key) => words.en[key], mode: "watch", animate, announce: () => {},
    player: () => document.createElement("b"), setStatus: () => {},
    act: async () => {},
  };
  window.board = create(document.getElementById("board"), context);
  for (const scene of scenes) {
    window.board.update(scene);
    for (const _ of [1, 2]) await new Promise(requestAnimationFrame);
  }
  const moving = document.getAnimations().map((one) => one.effect.target.dataset);
  return moving.flatMap(({ pawn, built }) => pawn ?? built ?? []);
}
"""
"""Shows scenes one after the other; returns which pawns and walls move then."""


class Board(BrowserTestCase):
    def show(self, *scenes: dict[str, Any], mode: str = "play") -> None:
        first, *others = scenes
        self.mount("quoridor", first, mode)
        for one in others:
            self.update(one)

    def at(self, x: int, y: int) -> Any:
        return self.page.locator(f'[data-cell="{x},{y}"]')

    def gap(self, x: int, y: int, way: str) -> Any:
        return self.page.locator(f'[data-wall="{x},{y},{way}"]')

    def do(self, name: str) -> Any:
        return self.page.locator(f'[data-do="{name}"]')

    @property
    def preview(self) -> str | None:
        found = self.page.locator(".q-preview").get_attribute("data-preview")
        return found or None

    @property
    def status(self) -> str:
        return self.page.locator("#status").inner_text()

    def legal(self) -> list[str | None]:
        return [cell.get_attribute("data-cell") for cell in self.page.locator("[data-legal]").all()]

    def near(self, one: float, other: float) -> None:
        self.assertLess(abs(one - other), 1.5)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)


class PointerTests(Board):
    def test_a_legal_cell_acts(self) -> None:
        self.show(scene(START))
        self.assertEqual(sorted(self.legal(), key=str), ["3,0", "4,1", "5,0"])
        self.at(4, 1).click()
        self.assertEqual(self.acted(), [{"do": "move", "to": [4, 1]}])

    def test_any_other_cell_does_nothing(self) -> None:
        self.show(scene(START))
        for x, y in ((4, 0), (4, 2), (8, 8)):
            self.at(x, y).click()
        self.assertEqual(self.acted(), [])

    def test_a_gap_previews_and_puts_a_wall(self) -> None:
        self.show(scene(START))
        for wall in ("0,1,horizontal", "7,8,horizontal", "1,0,vertical", "8,7,vertical", "3,4,vertical"):
            x, y, way = wall.split(",")
            self.gap(int(x), int(y), way).hover()
            self.assertEqual(self.preview, wall)
            self.gap(int(x), int(y), way).click()
            self.assertEqual(self.acted(), [{"do": "wall", "at": [int(x), int(y), way]}])
        self.page.mouse.move(1200, 790)
        self.assertIsNone(self.preview)

    def test_every_gap_is_there_and_the_last_ones_reach_to_the_border(self) -> None:
        self.show(scene(START))
        self.assertEqual(self.page.locator("[data-wall]").count(), 128)
        for far in self.page.locator("[data-wall-of]").all():
            wall = far.get_attribute("data-wall-of")
            far.hover()
            self.assertEqual(self.preview, wall)

    def test_no_preview_where_no_wall_may_be(self) -> None:
        self.show(scene(after(Wall(3, 4, "horizontal"), PawnMove(4, 7))))
        for x, y, way in ((3, 4, "horizontal"), (4, 4, "horizontal"), (2, 4, "horizontal"), (4, 3, "vertical")):
            self.gap(x, y, way).hover()
            self.assertIsNone(self.preview, (x, y, way))
            self.gap(x, y, way).click()
        self.assertEqual(self.acted(), [])
        self.gap(5, 4, "horizontal").hover()
        self.assertEqual(self.preview, "5,4,horizontal")

    def test_who_waits_can_do_nothing(self) -> None:
        for one in (scene(START, seat=1), scene(START, pending="move", moves=[], places=[])):
            self.show(one)
            self.assertIsNone(self.page.locator(".q-board").get_attribute("data-active"))
            self.at(4, 1).click()
            spot = self.gap(3, 3, "horizontal").bounding_box()
            self.page.mouse.click(spot["x"] + spot["width"] / 2, spot["y"] + spot["height"] / 2)
            self.assertEqual((self.acted(), self.preview, self.legal()), ([], None, []))

    def test_nor_can_a_spectator(self) -> None:
        for mode in ("watch", "replay"):
            self.show(shown(START), mode=mode)
            self.at(4, 1).click()
            self.assertEqual(self.acted(), [])
            self.assertTrue(self.do("pawn").is_hidden())
            # Where the mover's pawn may go is shown to all.
            self.assertEqual(self.page.locator(".q-reach").count(), 3)

    def test_wall_mode(self) -> None:
        self.show(scene(START))
        self.do("vertical").click()
        self.assertEqual(self.do("vertical").get_attribute("aria-pressed"), "true")
        self.at(4, 1).hover()
        self.assertEqual(self.preview, "4,1,vertical")
        self.at(0, 8).hover()
        self.assertEqual(self.preview, "1,7,vertical")
        self.at(4, 1).click()
        self.assertEqual(self.acted(), [{"do": "wall", "at": [4, 1, "vertical"]}])
        self.do("pawn").click()
        self.at(4, 1).click()
        self.assertEqual(self.acted(), [{"do": "move", "to": [4, 1]}])

    def test_no_walls_left(self) -> None:
        self.show(scene(LOST_PAWN))
        self.assertTrue(self.do("horizontal").is_disabled())
        self.assertIn("no walls left", self.status)
        self.assertEqual(self.page.locator('.q-stock [data-seat="1"] .q-count').inner_text(), "walls: 1")

    def test_while_the_server_answers_nothing_more_is_sent(self) -> None:
        self.show(scene(START))
        self.page.evaluate("window.refusal = 'no'")
        self.at(4, 1).click()
        self.assertEqual(len(self.acted()), 1)
        # It was refused: the player may try again.
        self.page.evaluate("window.refusal = null")
        self.at(3, 0).click()
        self.assertEqual(self.acted(), [{"do": "move", "to": [3, 0]}])


class TouchTests(Board):
    def opened(self) -> Page:
        """Return the page of a telephone."""
        context = chromium().new_context(
            viewport={"width": 320, "height": 640}, has_touch=True, reduced_motion="reduce"
        )
        self.addCleanup(context.close)
        return context.new_page()

    def test_a_finger_chooses_a_wall_and_puts_it_with_a_second_tap(self) -> None:
        self.show(scene(START))
        self.gap(3, 4, "horizontal").tap()
        self.assertEqual((self.acted(), self.preview), ([], "3,4,horizontal"))
        self.gap(5, 4, "horizontal").tap()
        self.assertEqual((self.acted(), self.preview), ([], "5,4,horizontal"))
        self.gap(5, 4, "horizontal").tap()
        self.assertEqual(self.acted(), [{"do": "wall", "at": [5, 4, "horizontal"]}])
        self.do("vertical").tap()
        self.at(4, 4).tap()
        self.at(4, 4).tap()
        self.assertEqual(self.acted(), [{"do": "wall", "at": [4, 4, "vertical"]}])
        self.do("pawn").tap()
        self.at(4, 1).tap()
        self.assertEqual(self.acted(), [{"do": "move", "to": [4, 1]}])


class SignUpTests(Board):
    def test_the_vote_by_buttons_and_keys(self) -> None:
        for players, key in ((2, "s"), (4, "w"), (4, "W")):
            self.show(scene(None, "voting", seat=None))
            self.do(f"vote-{players}").click()
            self.press(key)
            self.assertEqual(self.acted(), [{"do": "vote", "players": players}] * 2)
            self.page.keyboard.press(f"Control+{key}")
            self.assertEqual(self.acted(), [])

    def test_no_second_vote(self) -> None:
        self.show(scene(None, "voting", seat=None, pending="vote", canVote=False))
        self.assertEqual(self.do("vote-2").count(), 0)
        self.press("s")
        self.update(scene(START))
        self.press("s", "w", "r")
        self.assertEqual(self.acted(), [])

    def test_what_the_phases_say(self) -> None:
        for phase, more, text in (
            ("registering", {}, "Taking a seat"),
            ("waiting", {}, "another player"),
            ("waiting", {"players": 4}, "four players"),
            ("voting", {}, "Play now"),
            ("voted", {}, "has not voted"),
            ("rejected", {}, "full"),
            ("closed", {}, "closed"),
            ("disconnect", {"leaver": 1}, "Player 2 (\u2068Bob & <b>Söhne</b>\u2069) has left"),
        ):
            self.show(scene(None, phase, seat=None, **more))
            notice = self.page.locator(".q-notice")
            self.assertIn(text, notice.inner_text())
            self.assertEqual(self.status, "")
            self.assertIn(text, "".join(self.announced()))
            self.assertTrue(self.page.locator(".q-board").is_hidden())
            self.assertEqual(self.page.locator("#board").get_attribute("data-phase"), phase)
            waits = phase in ("registering", "waiting", "voted")
            self.assertEqual(notice.locator(".q-dots").count(), waits)

    def test_a_spectator_before_the_game(self) -> None:
        self.show(shown(None), mode="watch")
        self.assertIn("not begun", self.page.locator(".q-notice").inner_text())
        self.update(shown(START))
        self.assertTrue(self.page.locator(".q-notice").is_hidden())
        self.assertTrue(self.page.locator(".q-board").is_visible())


class EndTests(Board):
    won = race()

    def test_the_winner_and_a_new_game(self) -> None:
        for seat, phase, text in ((0, "won", "You have won."), (1, "lost", "Player 1 (\u2068Ada\u2069) has won.")):
            self.show(scene(self.won, phase, seat=seat, won=phase == "won"))
            self.assertIn(text, self.page.locator(".q-notice").inner_text())
            self.assertIn(text, self.announced()[0])
            self.do("reset").click()
            self.press("r")
            self.assertEqual(self.acted(), [{"do": "reset"}] * 2)
            self.update(scene(self.won, phase, seat=seat, pending="reset", canReset=False))
            self.assertIn("has been requested", self.page.locator(".q-notice").inner_text())
            self.press("r")
            self.assertEqual((self.acted(), self.do("reset").count()), ([], 0))
            self.update(scene(START, seat=seat))
            self.assertTrue(self.page.locator(".q-notice").is_hidden())
            self.assertEqual(self.page.locator("[data-built]").count(), 0)

    def test_who_left(self) -> None:
        self.show(scene(START), scene(START, "disconnect", leaver=1, moves=[], places=[]))
        notice = self.page.locator(".q-notice")
        self.assertEqual(notice.inner_text(), "Player 2 (\u2068Bob & <b>Söhne</b>\u2069) has left. The game is over.")
        self.assertTrue(self.page.locator(".q-board").is_visible())
        self.at(4, 1).click()
        self.assertEqual(self.acted(), [])
        self.assertTrue(self.do("pawn").is_hidden())
        # Nobody is to move any more.
        self.assertEqual(self.page.locator(".q-on, .q-reach, [data-legal]").count(), 0)

    def test_who_won_and_left(self) -> None:
        for seat, text in ((0, "You have won."), (1, "Player 1 (\u2068Ada\u2069) has won.")):
            self.show(scene(self.won, "disconnect", seat=seat, leaver=1 - seat))
            self.assertEqual(self.page.locator(".q-notice").inner_text(), text)

    def test_what_a_spectator_reads(self) -> None:
        for outcome, state, text in (
            (None, START, "Player 1 (\u2068Ada\u2069) is to move."),
            ({"termination": "victory", "winner": 0}, self.won, "Player 1 (\u2068Ada\u2069) has won."),
            ({"termination": "left", "winner": 1}, START, "A player has left. The game is over."),
            ({"termination": "cancelled", "winner": None}, START, "The game is over."),
        ):
            self.show(shown(state, outcome=outcome), mode="watch")
            self.assertEqual(self.status, text)


class DrawingTests(Board):
    def test_pawns_walls_and_goals(self) -> None:
        for players in (2, 4):
            state = midgame(players)
            self.show(shown(state), mode="watch")
            self.assertEqual(self.page.locator("[data-pawn]").count(), players)
            self.assertEqual(self.page.locator(".q-goal").count(), players)
            walls = {",".join(map(str, wall)) for wall in RULES.view(state, None)["walls"]}
            built = {one.get_attribute("data-built") for one in self.page.locator("[data-built]").all()}
            self.assertEqual(built, walls)
            for seat in range(players):
                x, y = RULES.view(state, None)["pawns"][seat]
                pawn = self.page.locator(f'[data-pawn="{seat}"] circle').last.bounding_box()
                cell = self.at(x, y).locator("rect").bounding_box()
                self.near(pawn["x"] + pawn["width"] / 2, cell["x"] + cell["width"] / 2)
                self.near(pawn["y"] + pawn["height"] / 2, cell["y"] + cell["height"] / 2)

    def test_a_wall_lies_where_the_rules_have_it(self) -> None:
        walls = (HORIZONTAL_WALLS[cell_at(2, 3)], VERTICAL_WALLS[cell_at(6, 5)])
        self.show(shown(after(*walls)), mode="watch")
        across = self.page.locator('[data-built="2,3,horizontal"]').bounding_box()
        above, below = self.at(2, 2).locator("rect").bounding_box(), self.at(3, 3).locator("rect").bounding_box()
        self.near(across["y"], above["y"] + above["height"])
        self.near(across["y"] + across["height"], below["y"])
        self.near(across["x"], above["x"])
        self.near(across["x"] + across["width"], below["x"] + below["width"])
        self.assertIn("wall above", self.at(3, 3).get_attribute("aria-label"))
        self.assertIn("wall below", self.at(2, 2).get_attribute("aria-label"))
        self.assertIn("wall on the left", self.at(6, 6).get_attribute("aria-label"))
        self.assertIn("wall on the right", self.at(5, 5).get_attribute("aria-label"))

    def test_a_players_own_side_is_down_and_what_is_said_is_meant_as_it_is_seen(self) -> None:
        walls = (HORIZONTAL_WALLS[cell_at(2, 3)], VERTICAL_WALLS[cell_at(6, 5)], PawnMove(1, 4), PawnMove(7, 4))
        state = after(*walls, players=4)
        for seat, side in enumerate(("wall below", "wall above", "wall on the left", "wall on the right")):
            self.show(scene(state, seat=seat))
            pawns = [self.page.locator(f'[data-pawn="{n}"]').bounding_box() for n in range(4)]
            self.assertEqual(max(range(4), key=lambda n: pawns[n]["y"]), seat)
            self.assertIn(side, self.at(3, 3).get_attribute("aria-label"))
            stock = self.page.locator(".q-stock").last
            self.assertEqual(stock.locator(f'[data-seat="{seat}"]').count(), 1)
            text = self.page.locator(f'[data-pawn="{seat}"] text').bounding_box()
            self.assertGreater(text["height"], text["width"])
        # A horizontal wall is one that lies so on the screen.
        self.show(scene(after(*walls[:2], players=4), seat=2))
        self.do("horizontal").click()
        self.at(2, 6).hover()
        box = self.page.locator(".q-preview").bounding_box()
        self.assertGreater(box["width"], box["height"])
        self.assertEqual(self.preview, "2,6,vertical")

    def test_a_wall_has_its_builders_colour(self) -> None:
        mine, theirs = Wall(2, 3, "horizontal"), Wall(6, 5, "vertical")
        made = [last(1, 0, mine), last(2, 1, theirs)]
        self.show({**shown(after(mine, theirs)), "moves": made[1:]}, mode="watch")
        found = [one.get_attribute("data-seat") for one in self.page.locator("[data-built]").all()]
        # Of the first one it is not known, as after the start from a position.
        self.assertEqual(found, ["", "1"])
        fill = "(wall) => getComputedStyle(wall).fill"
        colours = [one.evaluate(fill) for one in self.page.locator("[data-built]").all()]
        self.assertEqual(colours, ["rgb(43, 26, 12)", "rgb(31, 95, 174)"])
        self.update({**shown(after(mine, theirs)), "moves": made})
        self.assertEqual(self.page.locator('[data-built="2,3,horizontal"]').get_attribute("data-seat"), "0")

    def test_walls_go_when_a_replay_goes_back(self) -> None:
        move = Wall(2, 3, "horizontal")
        self.show(shown(after(move), last(1, 0, move)), shown(START), mode="replay")
        self.assertEqual(self.page.locator("[data-built]").count(), 0)
        self.update(shown(after(players=4)))
        self.assertEqual(self.page.locator("[data-pawn]").count(), 4)
        self.update(shown(START))
        self.assertEqual(self.page.locator("[data-pawn]").count(), 2)

    def test_the_last_move_is_marked(self) -> None:
        step, wall = PawnMove(4, 1), Wall(2, 3, "horizontal")
        self.show(shown(START), shown(after(step), last(1, 0, step)), mode="watch")
        self.assertEqual(self.page.locator('.q-trail[data-seat="0"]').count(), 1)
        self.update(shown(after(step), last(1, 0, step)))
        self.assertEqual(self.page.locator(".q-trail").count(), 1)
        self.update(shown(after(step, wall), last(2, 1, wall)))
        self.assertEqual(self.page.locator(".q-trail").count(), 0)
        self.assertEqual(self.page.locator(".q-last").get_attribute("data-built"), "2,3,horizontal")

    def test_the_last_move_is_animated_where_that_is_wanted(self) -> None:
        step, wall = PawnMove(4, 1), Wall(2, 3, "horizontal")
        scenes = [shown(START), shown(after(step), last(1, 0, step)), shown(after(step, wall), last(2, 1, wall))]
        self.page.emulate_media(reduced_motion="no-preference")
        self.mount("quoridor", scenes[0], "watch")
        for animate, moving in ((True, ["0", "2,3,horizontal"]), (False, [])):
            self.assertEqual(self.page.evaluate(ANIMATED, [scenes, animate]), moving)
        self.page.emulate_media(reduced_motion="reduce")
        self.assertEqual(self.page.evaluate(ANIMATED, [scenes, True]), [])

    def test_what_a_cell_is_called(self) -> None:
        self.show(scene(START))
        self.assertEqual(self.at(4, 1).get_attribute("aria-label"), "e2, you may go here")
        self.assertEqual(self.at(4, 0).get_attribute("aria-label"), "e1, Player 1 (\u2068Ada\u2069)")
        self.assertEqual(self.at(0, 8).get_attribute("aria-label"), "a9, goal of player 1")

    def test_what_moves_are_called(self) -> None:
        self.show(scene(START))
        one = scene(START)
        for move, text in (
            (PawnMove(4, 1), "Player 1 moves to e2"),
            (Wall(5, 6, "horizontal"), "Player 1 places the wall f6h"),
            (Wall(5, 6, "vertical"), "Player 1 places the wall e7v"),
        ):
            self.assertEqual(self.described(last(1, 0, move), one), text)
        self.assertEqual(self.described({"n": 1, "seat": 1, "text": "dance"}, one), "Player 2: dance")

    def test_names_are_text(self) -> None:
        self.show(shown(after(players=4)), mode="watch")
        self.assertEqual(self.page.locator("#board b").count(), 0)
        self.assertEqual(self.page.locator('.q-stock [data-seat="3"] bdi').count(), 1)

    def test_it_says_whose_turn_it_is_only_when_that_changes(self) -> None:
        self.show(scene(START))
        self.assertEqual(len(self.announced()), 1)
        self.update(scene(START))
        self.assertEqual(self.announced(), [])

    def test_it_goes_without_a_trace(self) -> None:
        self.show(scene(None, "voting", seat=None))
        self.page.evaluate("window.board.destroy()")
        self.press("s")
        self.assertEqual((self.acted(), self.page.locator("#board").inner_html()), ([], ""))

    def test_the_tools_are_beside_the_board_where_there_is_room(self) -> None:
        self.show(scene(START))
        for width, is_beside in ((1280, True), (400, False)):
            self.page.set_viewport_size({"width": width, "height": 800})
            found = [self.page.locator(name).bounding_box() for name in (".q-board", ".q-tools")]
            board, tools = (box for box in found if box)
            self.assertEqual(tools["x"] >= board["x"] + board["width"], is_beside)
            self.assertEqual(tools["y"] >= board["y"] + board["height"], not is_beside)

    def test_nothing_sticks_out(self) -> None:
        for width, height in ((320, 640), (640, 400), (1280, 800), (3840, 2160)):
            for state in (midgame(2), midgame(4)):
                self.page.set_viewport_size({"width": width, "height": height})
                self.show(scene(state, seat=state.mover))
                self.assertEqual(self.page.evaluate("document.documentElement.scrollWidth"), width)
                box = self.page.locator(".q-board").bounding_box()
                self.near(box["width"], box["height"])
                # A scroll bar may take some of a small window.
                self.assertGreater(box["width"], min(width, height - 224) * 0.85)

    def test_it_fills_a_big_screen(self) -> None:
        self.page.set_viewport_size({"width": 1920, "height": 1080})
        self.show(shown(midgame(2)), mode="watch")
        self.page.evaluate("document.body.className = 'screen'; document.getElementById('board').className += ' board'")
        box = self.page.locator(".q-board").bounding_box()
        self.assertGreater(box["height"], 800)
        # Above it are the names and whose turn it is.
        self.assertLess(self.page.locator(".q-stock").last.bounding_box()["y"] - box["y"], 1080 * 0.82)
        self.near(box["x"] + box["width"] / 2, 960)

    def test_players_tools_and_board_are_seen_together_with_the_page_around(self) -> None:
        for width, height in ((570, 800), (570, 950), (950, 800), (900, 1024), (360, 740)):
            self.page.set_viewport_size({"width": width, "height": height})
            self.show(scene(midgame(2), seat=midgame(2).mover))
            boxes = [one.bounding_box() for one in self.page.locator(".q-stock, .q-tools, .q-board").all()]
            self.assertLess(max(box["y"] + box["height"] for box in boxes), height - 90, (width, height))


class GermanTests(Board):
    language: ClassVar[str] = "de"

    def test_it_speaks_german(self) -> None:
        self.show(scene(START))
        self.assertEqual(self.status, "Du bist am Zug: ein Schritt auf ein markiertes Feld oder eine Mauer.")
        self.assertEqual(self.page.locator('.q-stock [data-seat="0"] .q-count').inner_text(), "Mauern: 10")
        self.assertEqual(self.do("pawn").inner_text().strip(), "Figur")
        self.assertEqual(self.described(last(1, 0, PawnMove(4, 1)), scene(START)), "Spieler 1 zieht nach e2")


class Pictures(Board):
    """What is to be looked at."""

    skip: ClassVar[str | None] = None if os.environ.get("SHOTS") else "SHOTS=1 takes the pictures"

    def test_before_the_game(self) -> None:
        self.show(scene(None, "voting", seat=None))
        self.shoot("quoridor-vote")
        self.show(scene(None, "waiting", seat=None, players=4))
        self.shoot("quoridor-waiting")

    def test_with_two(self) -> None:
        state = midgame(2, 8)
        move = PawnMove(*RULES.view(state, state.mover)["moves"][0])
        before = last(8, 1 - state.mover, PawnMove(4, 7))
        self.show(
            scene(state, last=before), scene(RULES.apply(state, state.mover, move), last=last(9, state.mover, move))
        )
        self.shoot("quoridor-wait")
        self.show(scene(state, seat=state.mover))
        self.press("Tab", "ArrowUp", "ArrowUp", "h")
        self.shoot("quoridor-play")

    def test_with_four(self) -> None:
        state = midgame(4)
        self.show(scene(state, seat=state.mover))
        self.shoot("quoridor-four")
        self.show(scene(state, "disconnect", seat=1, leaver=3))
        self.shoot("quoridor-disconnect")

    def test_the_end(self) -> None:
        self.show(scene(EndTests.won, "won"))
        self.shoot("quoridor-won")
