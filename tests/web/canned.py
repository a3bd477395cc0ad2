"""What the pages are shown: a made-up API of a toy game and of Go, and tests of pages that stand on it."""

from __future__ import annotations

from typing import Any

from tests.web.browser import PageTestCase

TRICKY = "<img src=x onerror=alert(1)>"
TAMED = "Ann\ufffdgnp.exe \u05d0\u05d1\u05d2"
TURNED = "Ann\u202egnp.exe \u05d0\u05d1\u05d2"

# A board of squares: enough of a game to see what the shell does with one.
TOY = """
import {el, replace} from "/static/dom.js";
export const words = {
  en: {went: "{name} takes {text}", title: "Toy", measure_ground: "Ground"},
  de: {went: "{name} nimmt {text}", title: "Spielzeug", measure_ground: "Boden"},
};
export function describe(move, scene, t) {
  return t("went", {name: scene.seats[move.seat].name, text: move.text});
}
export function create(root, context) {
  return {
    update(scene) {
      context.setStatus(`${scene.phase} ${context.animate ? "animated" : "still"}`);
      const act = (field) => () => context.act({do: "take", field}).catch(() => context.announce("refused"));
      replace(root, scene.board === null ? "none" : scene.board.fields.map(
        (field) => el("button", {type: "button", onclick: act(field)}, String(field))));
      root.dataset.mode = context.mode;
    },
    destroy() { window.destroyed = (window.destroyed ?? 0) + 1; },
  };
}
"""
SEATS = [{"seat": 0, "name": TRICKY, "connected": True}, {"seat": 1, "name": TURNED, "connected": False}]
GAMES = [
    {
        "kind": "toy",
        "name": "Toy",
        "can": ["watch", "play", "prepare", "from"],
        "bots": ["quick", "deep"],
        "opponents": [1, 2],
        "options": {},
    },
    {
        "kind": "go",
        "name": "Go",
        "can": ["record"],
        "bots": [],
        "options": {},
        "sides": ["black", "white"],
        "byPoints": True,
        "formats": {"sgf": "SGF", "gofans": "GoFans"},
    },
]
SESSION = {"token": "secret", "admin": False, "version": "1", "games": GAMES}
ROOM = {
    "id": "r1",
    "game": "toy",
    "state": "playing",
    "seats": SEATS,
    "watchers": 3,
    "moves": 2,
    "started": "2026-11-21T12:00:00Z",
    "options": {"soft_milliseconds": 1000, "note": TRICKY},
    "record": None,
    "free": 0,
    "reserved": 0,
}
OPEN = {**ROOM, "id": "r2", "state": "waiting", "moves": 0, "watchers": 0, "seats": SEATS[:1], "free": 1}
KEPT = {**OPEN, "id": "r3", "seats": [], "free": 0, "reserved": 2}
PREPARED = {
    "room": "r3",
    "game": "toy",
    "port": 13050,
    "tls": False,
    "seats": [
        {"seat": 0, "name": TRICKY, "code": "alpha", "link": "/?play=toy#alpha", "isUsed": False},
        {"seat": 1, "name": "", "code": "beta", "link": "/?play=toy#beta", "isUsed": False},
    ],
}


def move(n: int) -> dict[str, Any]:
    """Return a move of the toy game."""
    return {"n": n, "seat": (n + 1) % 2, "text": f"a{n}", "at": n * 1500, "took": 1500}


def moves(first: int, last: int) -> list[dict[str, Any]]:
    """Return moves of the toy game, the last one included."""
    return [move(n) for n in range(first, last + 1)]


def scene(n: int, **others: Any) -> dict[str, Any]:
    """Return a scene of the toy game after so many moves."""
    return {
        "board": {"fields": [n, n + 1]},
        "phase": "play",
        "seats": SEATS,
        "options": ROOM["options"],
        "outcome": None,
        "last": move(n) if n else None,
        "turn": [n % 2],
        "isLive": True,
        **others,
    }


RECORD = {
    "id": "0a1b2c3d",
    "publisher": "gamed-toy",
    "version": "1.0",
    "game": "toy",
    "started": "2026-11-21T12:00:00Z",
    "ended": "2026-11-21T12:05:00Z",
    "termination": "forfeit",
    "winner": 1,
    "length": 150,
    "seats": [{"seat": 0, "name": TRICKY, "points": 0}, {"seat": 1, "name": TURNED, "points": 1}],
}
UNREMARKABLE: dict[str, list[Any]] = {"findings": [], "refusals": [], "departures": [], "losses": []}
"""What the record of a game has of which there is nothing to say."""

WHOLE = {
    **RECORD,
    **UNREMARKABLE,
    "moves": moves(1, 150),
    "outcome": {"termination": "forfeit", "winner": 1},
    "options": ROOM["options"],
    "findings": [{"code": "odd", "seat": 0, "name": TRICKY, "entry": 3, "move": 7, "text": "that was odd"}],
    "losses": [{"seat": 0, "name": TRICKY, "cause": "illegal"}],
    "unjudged": None,
    "formats": ["xml", "replay"],
    "boards": True,
}
NODES = [
    {"id": 1, "parent": 0, "n": 1, "seat": 0, "color": "black", "point": [4, 4], "text": "D6"},
    {
        "id": 2,
        "parent": 1,
        "n": 2,
        "seat": 1,
        "color": "white",
        "point": [5, 5],
        "text": "E5",
        "comment": "White answers",
    },
    {"id": 3, "parent": 2, "n": 3, "seat": 0, "color": "black", "point": [6, 6], "text": "F4"},
    {"id": 4, "parent": 1, "n": 2, "seat": 1, "color": "white", "point": [3, 3], "text": "C7"},
    {"id": 5, "parent": 4, "n": 3, "seat": 0, "color": "black", "point": [2, 2], "text": "B8"},
    {"id": 6, "parent": 0, "n": 1, "seat": 0, "color": "black", "point": None, "text": "pass"},
]
LINE = [{**node, "node": node["id"], "at": None, "took": None} for node in NODES[:3]]
GO_BOARD = {
    "size": 9,
    "stones": {"black": [[4, 4]], "white": []},
    "removed": [],
    "prisoners": [0, 0],
    "to_move": [1],
    "passes": 0,
    "resigned": None,
    "last": [4, 4],
    "ko": None,
    "colors": {},
}
GO_SEATS = [{"seat": 0, "name": "Kuro", "connected": True}, {"seat": 1, "name": "Shiro", "connected": True}]
GO_RECORD = {
    **RECORD,
    "id": "60600000",
    "game": "go",
    "publisher": "gofans",
    "started": "",
    "termination": None,
    "winner": None,
    "length": 3,
    "seats": [{**seat, "points": None} for seat in GO_SEATS],
    "moves": LINE,
    "outcome": None,
    "options": {"size": 9, "komi": 6.5, "handicap": 0, "rules": "japanese"},
    **UNREMARKABLE,
    "formats": ["xml", "sgf", "gofans"],
    "boards": True,
    "tree": {"comment": "A short game", "nodes": NODES},
    "facts": {"title": "Final", "event": None, "date": None, "place": TRICKY, "comment": None},
}
RECORDING = {
    "id": "g1",
    "scene": {
        "board": GO_BOARD,
        "phase": "play",
        "you": {"seat": 1, "color": "white", "illegal": []},
        "won": None,
        "seats": GO_SEATS,
        "options": GO_RECORD["options"],
        "outcome": None,
        "last": LINE[0],
        "turn": [1],
        "isLive": False,
    },
    "tree": GO_RECORD["tree"],
    "moves": LINE,
    "current": 1,
    "can": {"back": True, "forward": True, "undo": True, "setup": False},
    "facts": {"title": "Final", "event": None, "date": None, "place": None},
    "score": None,
    "saved": None,
}


def refused(status: int, code: str, text: str) -> Any:
    """Return what answers with an error."""
    return lambda _: (status, {"error": {"code": code, "text": text, "hint": ""}})


def positions(first: int, last: int) -> list[dict[str, Any]]:
    """Return positions of the toy game."""
    return [
        {"n": n, "board": {"fields": [n, n + 1]}, "turn": [n % 2], "phase": "play", "last": move(n) if n else None}
        for n in range(first, last + 1)
    ]


class ShellTestCase(PageTestCase):
    """All pages have something to show."""

    def setUp(self) -> None:
        super().setUp()
        style = "[data-kind=toy] { display: block }"
        self.files = {"/static/games/toy/board.js": TOY, "/static/games/toy/board.css": style}
        go = [{"n": n, "node": n, "board": GO_BOARD, "turn": [1], "phase": "play", "last": None} for n in range(4)]
        self.api = {
            "GET /session": SESSION,
            "GET /rooms": [ROOM, OPEN],
            "GET /prepared": [],
            "GET /seats": [{"id": "s1", "game": "toy", "room": "r1", "name": "Me"}],
            "GET /rooms/r1": {**ROOM, "scene": {**scene(2), "moves": moves(1, 2)}},
            "GET /seats/s1": {
                "id": "s1",
                "game": "toy",
                "room": "r1",
                "name": "Me",
                "scene": {**scene(2), "you": {"seat": 0}, "won": None},
                "moves": moves(1, 2),
            },
            "GET /records": {"records": [RECORD], "next": "older-ones"},
            "GET /records/0a1b2c3d": WHOLE,
            "GET /records/0a1b2c3d/positions?from=0&to=63": positions(0, 63),
            "GET /records/0a1b2c3d/positions?from=64&to=127": positions(64, 127),
            "GET /records/0a1b2c3d/positions?from=128&to=150": positions(128, 150),
            "GET /records/0a1b2c3d/evidence": {"bots": []},
            "GET /records/60600000": GO_RECORD,
            "GET /records/60600000/positions": go,
            "GET /recordings": {
                "recordings": [
                    {"id": "g1", "title": TRICKY, "players": ["Kuro", None], "size": 9, "moves": 3, "saved": None}
                ]
            },
            "GET /recordings/g1": RECORDING,
        }

    def text(self, selector: str = "main") -> str:
        """Return the text that is seen."""
        return self.page.inner_text(selector)

    def see(self, text: str, selector: str = "main") -> None:
        """Wait until a text is seen."""
        self.wait("([where, text]) => document.querySelector(where)?.innerText.includes(text)", [selector, text])


PAGES = {
    "lobby": ("/", "[data-room]"),
    "room": ("/rooms/r1", ".board button"),
    "screen": ("/rooms/r1?screen", ".board button"),
    "seat": ("/seats/s1", ".board button"),
    "records": ("/records", "table"),
    "record": ("/records/0a1b2c3d?move=9", ".board button"),
    "variations": ("/records/60600000?move=2", ".tree"),
    "recorder": ("/recorder", "form"),
    "recording": ("/recorder/g1", ".tree"),
    "missing": ("/nowhere", "h1"),
}
"""Each page: its address, and what stands on it when it is ready."""
