"""The formats of Go, GoFans and SGF, and what the shell shows of a game: this module is a `Formats`.

Source: docs/reference/records.md#gofans.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import attrs

from gamed.games.go import gofans, sgf, sgf_encodings
from gamed.games.go import recording as recordings
from gamed.games.go.convert import convert, newest
from gamed.games.go.hoshi import handicap
from gamed.games.go.json_views import Listing
from gamed.games.go.played import play_gofans, played_go, summary_of_go
from gamed.games.go.recorder import Recorder
from gamed.games.go.replay import positions
from gamed.games.go.text_board import draw
from gamed.games.go.tree import RESIGNED, GoGame, Player, name
from gamed.records.record import document

HELP: Final = """\
D4 (any point), pass, resign   make a move
undo                           take the last move back
back, forward                  walk along the line; another move then begins a variation
comment TEXT, title TEXT       note something on this move, or name the game
show                           print the board"""

SGF: Final = "sgf"
GOFANS: Final = "gofans"
"""The newest version that holds the game; `gofans-1.1` to `gofans-2.2` are the versions."""

_BLANK: Final = b"\xef\xbb\xbf \t\r\n"
_START = re.compile(rb"\(\s*;")

games = sgf.games
read = gofans.read
record = newest
play = play_gofans
played = played_go
summary = summary_of_go
listing = Listing
recording = recordings.begun
continued = recordings.continued


def is_file(data: bytes) -> bool:
    """Whether a file is SGF and not XML: it begins with a game, or has one after text that is not XML."""
    text = sgf_encodings.decoded(data)[0].encode() if sgf_encodings.is_utf_16(data) else data
    begin = text.lstrip(_BLANK)
    return begin.startswith(b"(") or (not begin.startswith(b"<") and _START.search(begin) is not None)


def check_encoding(encoding: str) -> None:
    """Raise RecordError if the name of an encoding of SGF is not known."""
    sgf_encodings.chosen(encoding)


def write(game: GoGame, chosen: str) -> tuple[bytes, list[str]]:
    """Return a game as a file, and sentences on what the format cannot hold. Raises RecordError and RuleError."""
    if chosen == SGF:
        return sgf.write([game])
    if chosen == GOFANS:
        return document(newest(game)), []
    version = chosen.removeprefix(f"{GOFANS}-")
    held, notes = convert(game, version)
    return document(gofans.write(held, version, record_id="")), notes


def suffix(chosen: str) -> tuple[str, str]:
    """Return the ending of the names of a format's files, and their media type."""
    return (".sgf", "application/x-go-sgf") if chosen == SGF else (".xml", "application/xml")


def facts(game: GoGame) -> Iterator[tuple[str, object]]:
    """Yield the names and values of a game's header; None where it does not say."""
    for key in ("title", "event", "date", "place", "rules", "komi", "handicap"):
        yield key, getattr(game, key)
    yield from ((player.color or f"player {player.id}", _told(player)) for player in game.players)
    yield "comment", game.comment


def _told(player: Player) -> str:
    words = [player.name or "?", player.rank or ""]
    if player.points is not None:
        words.append("resigned" if player.points == RESIGNED else f"{player.points:g} points")
    return " ".join(filter(None, words))


def length(game: GoGame) -> int:
    """Return the number of moves of the main line."""
    return sum(1 for _ in game.main_line())


def picture(game: GoGame, moves: int) -> str:
    """Return the position after so many moves of the main line as text, below the last of them."""
    last = next((node for number, node in enumerate(game.main_line(), 1) if number == moves), None)
    board = draw(positions(game, moves), None if last is None else last.point)
    if last is None:
        return board
    move = "pass" if last.point is None else name(last.point, game.size)
    comment = f": {last.comment}" if last.comment else ""
    return f"{game.color_of(last) or f'player {last.player}'} {move}{comment}\n{board}"


def to_data(game: GoGame) -> dict[str, Any]:
    """Return a game's header and main line, ready for JSON."""
    data = attrs.asdict(game, recurse=False, filter=attrs.filters.exclude("roots", "players"))
    moves = [
        {"player": node.player, "color": game.color_of(node), "point": node.point, "comment": node.comment}
        for node in game.main_line()
    ]
    return {"kind": "go", **data, "players": [attrs.asdict(player) for player in game.players], "moves": moves}


def to_page(game: GoGame, listing: Listing) -> dict[str, Any]:
    """Return what the browser shows of a game: its `moves`, `tree`, `options` and `facts`."""
    return {
        "moves": listing.moves(game.main_line()),
        "tree": listing.tree(),
        "options": {name: getattr(game, name) for name in ("size", "komi", "handicap", "rules")},
        "facts": {name: getattr(game, name) for name in ("title", "event", "date", "place", "comment")},
    }


def recorder(facts: Mapping[str, Any]) -> Recorder:
    """Begin a game that is written down by lines of text. Raises RuleError if the handicap does not fit."""
    size, stones = facts["size"], facts["handicap"]
    players = tuple(Player(seat, facts[color], color=color) for seat, color in enumerate(("black", "white")))
    game = GoGame(size, players, komi=facts["komi"], handicap=stones or None, rules=facts["rules"])
    game.setup = handicap(size, stones)
    return Recorder(game)
