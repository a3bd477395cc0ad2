"""Where gamed says something else than the official server said in the recordings, and why.

Source: docs/reference/software-challenge.md#differences-from-the-official-server,
docs/specs/software-challenge.md#recorded-data. docs/reference/software-challenge.md has the same list.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen

FAREWELLS = [
    "10", "11", "12", "13", "14", "20", "21", "22", "23", "24", "25", "26", "27", "30", "32", "34", "35", "36", "37",
    "38", "39", "40", "41", "48", "52", "54", "59", "60", "62", "63", "64", "67", "70", "74", "76", "78", "79", "89",
    "93", "94", "95",
]  # fmt: skip
"""The scenarios in which a client is told goodbye after its `left`, which the official server does not do."""

OTHERS_WIN = "+ LEFT 0 -1, REGULAR 2 -1"
NO_ROOM = "+ error there is no such room"
KICK = "sc.protocol.responses.CloseConnection"
NO_SKIP = "Skipping a turn is only allowed when no other moves can be made"
HARD = ("- HARD_TIMEOUT 0 -1, REGULAR 2 -1", "- left")


@frozen
class Difference:
    """What differs in a scenario beside the farewell, by connection: messages that go (-) and come (+).

    `reasons`: as the page names them. `only_ours`: so many rooms are opened by us before the first recorded one is.
    """

    reasons: tuple[str, ...]
    edits: Mapping[int, tuple[str, ...]] = field(factory=dict)
    only_ours: int = 0


def raced(*more: str) -> tuple[str, ...]:
    """Return what differs for an observer whose `observed` overtook a `joinedGameRoom` in the recording."""
    return ("+ joinedGameRoom true", "- joinedGameRoom true", *more)


FIRST = "+ memento 0 Alice & Ä Bob"

DIFFERENCES = {
    "11": Difference(("sooner",), {2: ("+ MoveRequest",)}),
    "20": Difference(("race", "observe"), {1: raced("+ memento 0 Unknown Unknown")}),
    "24": Difference(
        ("missmove",),
        {
            1: (
                f"+ error Ungueltiger Zug von 'Unknown'.\n{NO_SKIP}",
                "+ RULE_VIOLATION 0 -1, REGULAR 2 -1",
                "+ left",
            ),
            2: ("- LEFT 0 -1, REGULAR 2 -1", "+ RULE_VIOLATION 0 -1, REGULAR 2 -1"),
        },
    ),
    "25": Difference(("why",), {1: ("+ error (5,5,-10) is off the board",)}),
    "27": Difference(("why",), {1: ("+ error (9,0,-9) is off the board",)}),
    "30": Difference(
        ("race", "observe", "at-once"),
        {
            1: raced(
                "- memento 1 Unknown Unknown setmove",
                "- REGULAR 2 -1, HARD_TIMEOUT 0 -1",
                "+ memento 0 Unknown Unknown",
                "+ REGULAR 2 -1, RULE_VIOLATION 0 -1",
            ),
            2: (
                "- memento 1 Unknown Unknown setmove",
                "- REGULAR 2 -1, HARD_TIMEOUT 0 -1",
                "+ REGULAR 2 -1, RULE_VIOLATION 0 -1",
            ),
        },
    ),
    "32": Difference(
        ("why", "at-once"),
        {1: ("+ error there is no such room, or its game is over",), 2: (HARD[0], OTHERS_WIN)},
    ),
    "33": Difference(("why",), {3: ("+ error you have no seat in this room",)}),
    "34": Difference(("at-once",), {2: (OTHERS_WIN, "+ left")}),
    "37": Difference(("why",), {1: ("+ error there is no move of class 'foo'",)}),
    "38": Difference(("why",), {1: ("+ error there is no piece RED LADYBUG",)}),
    "39": Difference(("at-once",), {2: ("- REGULAR 2 -1, HARD_TIMEOUT 0 -1", "+ RULE_VIOLATION 0 -1, REGULAR 2 -1")}),
    "40": Difference(("paused-start",), dict.fromkeys((1, 2, 3), (FIRST,))),
    "46": Difference(("game-type",), {17: (f"- {KICK}", "+ joined")}),
    "47": Difference(
        ("game-type",),
        {
            1: (f"- {KICK}", "+ joined", "+ welcomeMessage red", "+ memento 0 Unknown Unknown", "+ MoveRequest"),
            3: (f"- {KICK}", "+ joined", "+ welcomeMessage blue", "+ memento 0 Unknown Unknown"),
            6: (f"- {KICK}", "+ prepared"),
        },
        only_ours=1,
    ),
    "48": Difference(
        ("no-zombies", "paused-start"),
        {
            7: (
                "- <protocol/>",
                "+ <protocol>",
                "+ joined",
                "+ welcomeMessage red",
                "+ memento 0 Unknown Unknown",
                "+ MoveRequest",
                "+ </protocol>",
            ),
            8: (
                "- <protocol/>",
                "+ <protocol>",
                "+ joined",
                "+ welcomeMessage blue",
                "+ memento 0 Unknown Unknown",
                OTHERS_WIN,
                "+ left",
            ),
            16: ("+ memento 0 x y",),
            17: ("+ memento 0 x y",),
        },
    ),
    "50": Difference(("why",), dict.fromkeys((1, 3, 4, 5, 6), (NO_ROOM,))),
    "52": Difference(
        ("no-zombies", "why"),
        {
            # The cancelled room took the move that is on its way; we take it before, as it came.
            2: ("+ memento 2 p1 p2 setmove", "+ MoveRequest", "- memento 2 p1 p2 setmove"),
            3: ("+ memento 2 p1 p2 setmove", "- memento 2 p1 p2 setmove"),
            4: (NO_ROOM,),
        },
    ),
    "53": Difference(("observe",), {1: ("+ memento 2 Unknown Unknown setmove", "+ memento 3 Unknown Unknown setmove")}),
    "54": Difference(("at-once",), dict.fromkeys((1, 3), (HARD[0], OTHERS_WIN))),
    "57": Difference(("unpause",), {1: ("- memento 0  ", "+ memento 0 Alice & Ä Bob")}),
    "58": Difference(("one-request", "paused-start"), {2: (FIRST, "- MoveRequest", *HARD), 3: (*HARD, FIRST)}),
    "59": Difference(
        ("at-once", "paused-start"),
        {2: (FIRST,), 3: (FIRST, "+ RULE_VIOLATION 0 -1, REGULAR 2 -1", "+ left")},
    ),
    "60": Difference(
        ("answers-only", "at-once", "why", "paused-start"),
        {
            1: (
                "- memento 2 Alice & Ä Bob setmove",
                FIRST,
                "+ REGULAR 2 -1, RULE_VIOLATION 0 -1",
                "+ left",
                NO_ROOM,
                f"+ {KICK}",
            ),
            2: (
                FIRST,
                "- memento 2 Alice & Ä Bob setmove",
                "- MoveRequest",
                "+ REGULAR 2 -1, RULE_VIOLATION 0 -1",
                "+ left",
            ),
            3: (
                "- memento 2 Alice & Ä Bob setmove",
                FIRST,
                "+ error We didn't request a data from you yet.",
                f"+ {KICK}",
            ),
        },
    ),
    "61": Difference(("paused-start",), dict.fromkeys((1, 2), ("+ memento 0 Unknown Unknown",))),
    "62": Difference(("race", "observe"), {1: raced("+ memento 0 Unknown Unknown")}),
    "63": Difference(("race", "observe"), {1: raced("+ memento 0 Unknown Unknown")}),
    "66": Difference(
        ("hints",),
        {
            1: (
                "- memento 1 Unknown Unknown setmove ''",
                "- REGULAR 2 6, LEFT 0 -1",
                "- left",
                "+ memento 1 Unknown Unknown setmove 'one'",
                r"+ memento 2 Unknown Unknown setmove 'one\ntwo'",
                "+ MoveRequest",
            ),
            2: (
                "- memento 1 Unknown Unknown setmove ''",
                "+ memento 1 Unknown Unknown setmove 'one'",
                r"+ memento 2 Unknown Unknown setmove 'one\ntwo'",
            ),
        },
    ),
    "67": Difference(("why",), {2: ("+ error there is no element 'foo' here",)}),
    "70": Difference(
        ("why",),
        {
            1: ("+ error a setmove needs a piece",),
            3: ("+ error a setmove needs a destination",),
            7: ("+ error 'a' is not a number",),
            11: ("+ error there is no piece red ANT",),
        },
    ),
    "92": Difference(("one-request",), {2: ("- MoveRequest", *HARD), 3: HARD}),
    "93": Difference(("why", "sooner"), {1: (NO_ROOM,), 2: ("+ MoveRequest",)}),
    "94": Difference(("why",), dict.fromkeys((1, 2), ("+ error nobody has this slot",))),
    "95": Difference(
        ("no-zombies",),
        {
            2: ("- joined", "- welcomeMessage red", "- memento 0 p1 p2", "- MoveRequest"),
            3: ("- joined", "- welcomeMessage blue", "- memento 0 p1 p2", f"+ {KICK}"),
        },
    ),
}
