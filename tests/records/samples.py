"""Histories for the tests of records: a whole game, and whatever Hypothesis can think of."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime

import attrs
from hypothesis import strategies as st

from gamed.core.findings import Finding
from gamed.core.game import Outcome, Termination
from gamed.core.history import DRAWN, JOINED, LEFT, LINE, REFUSED, STARTED, Entry, History, Value, ended
from gamed.records.own import from_history
from gamed.records.record import Record

ROOM = "6f0c1f0e-7c7e-4c1b-9d5e-2f6d3a1b4c5d"
OPTIONS: dict[str, Value] = {"roles": "first-defends", "referee": "observe", "corner_contact": True}
LINES = (b"(1,[3,4]).", b"(2,[3,4,1]).", b"(1,[0,0]).", b"(2,[0,0,4]).")
LIE = Finding("no-legal-fleet", 1, 6, "no fleet gives these answers")

_OTHERS = (Termination.TIME, Termination.DRAW, Termination.RESIGNED)
TERMINATIONS = [why for why in Termination if why not in _OTHERS]
"""How a game of Battleship can end: no move is timed, no game is drawn, and there is no word for a goodbye."""


def game(*lines: bytes, room: str = ROOM, started: str = "2026-11-21T09:00:00.000Z", winner: int | None = 0) -> History:
    """Return a finished Battleship game; the seats send the lines by turns, seat 1 first."""
    history = History(room, "battleship", started, 7, dict(OPTIONS))
    history.entries = [
        Entry(0, JOINED, 0, data={"name": "127.0.0.1:4711"}),
        Entry(12, JOINED, 1, data={"name": "[::1]:4712"}),
        Entry(12, STARTED),
        *(Entry(20 + number, LINE, 1 - (number + 1) % 4 // 2, line) for number, line in enumerate(lines or LINES)),
        ended(900, Outcome(Termination.VICTORY if winner is not None else Termination.SHUTDOWN, winner)),
    ]
    return history


def refused(history: History) -> History:
    """Return a game with two refusals of seat 1, the first after two moves, and with a number of further ones."""
    data: Mapping[str, Value] = {"code": "illegible", "entry": 5, "reason": "no full stop", "expected": "(1,[X,Y])."}
    whole = [
        Entry(400, REFUSED, 1, b"(1,[3,4])", data),
        Entry(500, REFUSED, 1, data={**data, "reason": "no bracket", "entry": 6}),
    ]
    history.refused = (*whole, Entry(900, REFUSED, 1, data={"code": "illegible", "count": 7}))
    return history


def record(history: History, *findings: Finding, unjudged: int | None = None) -> Record:
    """Return a history's record."""
    names = {"publisher": f"gamed-{history.kind}", "version": "1.1"}
    return from_history(history, **names, findings=findings, unjudged=unjudged)


def older(made: Record) -> Record:
    """Return a record as one of version 1.0: `started` is when the room was opened, and players have no sides."""
    header = re.sub(rb"<opened>(.*)</opened>\s*<started>.*</started>", rb"<started>\1</started>", made.header)
    return attrs.evolve(made, version="1.0", header=header, body=re.sub(rb' side="\w+"', b"", made.body))


def _is_unicode(text: str) -> bool:
    # Two surrogates side by side are one character for JSON, which the journal is made of, too.
    return bool(json.loads(json.dumps(text)) == text)


AWKWARD = (
    "true",
    "false",
    "5",
    "-7",
    "007",
    '"',
    '"5"',
    "\0",
    "]]>",
    "a\tb\nc",
    " x ",
    "\ufffe",
    "\udcff",
    "\r",
    "<&'>",
)

texts = st.sampled_from(AWKWARD) | st.text(st.characters(exclude_categories=())).filter(_is_unicode)
values = texts | st.integers(-(2**70), 2**70) | st.booleans()
names = st.from_regex("[a-z][a-z0-9]{0,4}(_[a-z][a-z0-9]{0,4}){0,2}", fullmatch=True).filter(
    lambda name: name not in ("at", "seat", "encoding")
)
data = st.dictionaries(names, values, max_size=3)
awkward_bodies = st.sampled_from(
    [b"", b"\r", b" ", b"\t(1,[3,4]). ", b"]]>", b"\xff", b"\xed\xa0\x80", b"\xef\xbf\xbe", b"\0"]
)
bodies = awkward_bodies | st.binary() | texts.map(lambda text: text.encode("utf-8", "replace"))
moments = st.integers(0, 10**10)
seats = st.integers(0, 1)
starts = st.datetimes(datetime(1970, 1, 1), datetime(9000, 1, 1), timezones=st.just(UTC)).map(  # noqa: DTZ001
    lambda moment: moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
)
outcomes = st.builds(Outcome, st.sampled_from(TERMINATIONS), st.none() | seats)
ends = st.builds(ended, moments, outcomes)

joins = st.builds(lambda at, seat, name: Entry(at, JOINED, seat, data={"name": name}), moments, seats, texts)
draws = st.builds(lambda at, first: Entry(at, DRAWN, data={"first": first}), moments, seats)
others = st.builds(
    Entry, moments, st.sampled_from([LINE, LEFT, STARTED, "time_out"]), st.none() | seats, st.none() | bodies, data
)
codes = st.from_regex("[a-z]{1,5}(-[a-z]{1,5})?", fullmatch=True)
refusals = st.builds(
    lambda at, seat, code, entry, reason, expected, body: Entry(
        at, REFUSED, seat, body, {"code": code, "entry": entry, "reason": reason, "expected": expected}
    ),
    *(moments, seats, codes, st.integers(0, 99), texts, texts),
    st.none() | st.text(st.characters(exclude_categories=("C",)), min_size=1, max_size=9).map(str.encode),
)
counts = st.builds(
    lambda at, seat, code, count: Entry(at, REFUSED, seat, data={"code": code, "count": count}),
    *(moments, seats, codes, st.integers(1, 10**6)),
)


@st.composite
def histories(draw: st.DrawFn) -> History:
    """Return any history that has an end, of any game, in any order."""
    entries = draw(st.lists(joins | draws | others, max_size=12))
    room, kind = str(draw(st.uuids())), draw(st.sampled_from(["battleship", "go", "quoridor"]))
    seed = draw(st.integers(0, 2**63))
    return History(room, kind, draw(starts), seed, draw(data), [*entries, draw(ends)])


@st.composite
def battleship_histories(draw: st.DrawFn) -> History:
    """Return a history as a relay of hostile clients writes it."""
    options: dict[str, Value] = {
        "roles": draw(st.sampled_from(["first-defends", "random"])),
        "referee": draw(st.sampled_from(["observe", "warn", "enforce"])),
        "corner_contact": draw(st.booleans()),
    }
    lines = st.builds(Entry, moments, st.just(LINE), seats, bodies)
    leaves = st.builds(
        lambda at, seat, why: Entry(at, LEFT, seat, data={"why": str(why)}),
        moments,
        seats,
        st.sampled_from(TERMINATIONS),
    )
    entries = [
        *(Entry(0, JOINED, seat, data={"name": draw(texts)}) for seat in range(draw(st.integers(0, 2)))),
        *draw(st.lists(draws, max_size=1)),
        *draw(st.lists(st.builds(Entry, moments, st.just(STARTED)), max_size=1)),
        *draw(st.lists(lines, max_size=8)),
        *draw(st.lists(leaves, max_size=1)),
        draw(ends),
    ]
    seed, refused = draw(st.integers(0, 2**63)), tuple(draw(st.lists(refusals | counts, max_size=3)))
    return History(str(draw(st.uuids())), "battleship", draw(starts), seed, options, entries, refused)
