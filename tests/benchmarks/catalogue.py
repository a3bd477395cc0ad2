"""All measurements, with their figures and what is aimed at."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from tests.benchmarks import arena, blokus, browser, floods, hive, quoridor, relay, roborally, rooms, start
from tests.benchmarks.measuring import Figure, Measurement, Programs, cpu_seconds, settle
from tests.daemon import PATIENT, free_port, section

PAIRS = 20
EMPTY_PAGE = "an empty page"
TABLES = 50
QUORIDOR_SECONDS = 5.0
QUORIDOR_MOVES = 1_000
IDLE_TABLES = 1_000
HIVE_ROOMS = 20
HIVE_GAMES = 60
SHORT_GAME = 2
IDLE_ROOMS = 200


def season_moves(programs: Programs, at_once: int, make: type[hive.Game]) -> Sequence[float]:
    """Return the milliseconds of processor time of a move, and of a game without its moves."""
    port, keys = free_port(), f"messages_per_second = 100000.0\n{PATIENT}"
    with programs.daemon(more=section("softwarechallenge", port, keys)) as started:
        pid = started.process.pid
        hive.play(port, at_once, 2 * at_once, make=make)
        settle()
        spent, made = [], []
        for length in (SHORT_GAME, hive.LAST_TURN):
            before = cpu_seconds(pid)
            made.append(hive.play(port, at_once, HIVE_GAMES, length, make)[0])
            settle()
            spent.append((cpu_seconds(pid) - before) * 1e3)
    each = (spent[1] - spent[0]) / (made[1] - made[0])
    return each, (spent[0] - made[0] * each) / HIVE_GAMES


def hive_memory(programs: Programs) -> Sequence[float]:
    """Return the KiB of a room with two clients in a game."""
    port, keys = free_port(), f"connections_per_address = {2 * IDLE_ROOMS + 50}\n{PATIENT}"
    with programs.daemon(more=section("softwarechallenge", port, keys)) as started:
        games = [hive.Game(port) for _ in range(20)]
        settle()
        before = started.resident_bytes()
        games += [hive.Game(port) for _ in range(IDLE_ROOMS)]
        settle()
        each = (started.resident_bytes() - before) / IDLE_ROOMS / 2**10
        for game in games:
            game.close()
    return (each,)


def hive_rules(_programs: Programs) -> Sequence[float]:
    """Return the microseconds to validate a move, and to list the legal ones."""
    return hive.rules()


def hive_mementos(_programs: Programs) -> Sequence[float]:
    """Return the microseconds to write a memento."""
    return hive.mementos()[:1]


def hive_trees() -> Sequence[float]:
    """Return the microseconds to write it by an lxml tree."""
    return hive.mementos()[1:]


def blokus_rules(_programs: Programs) -> Sequence[float]:
    """Return the microseconds to list the legal moves of a middle-game position, and to write a memento."""
    return blokus.legal(), blokus.mementos()


def hive_beside() -> Sequence[float]:
    """Return the same of Hive."""
    return hive.rules()[1], hive.mementos()[0]


def quoridor_moves(programs: Programs, tables: int) -> Sequence[float]:
    """Return the microseconds of processor time of a move."""
    with programs.daemon(quoridor="tables = 0") as started:
        port, pid = started.quoridor_port, started.process.pid
        quoridor.play(port, tables, 1.0)
        settle(1.0)
        before = cpu_seconds(pid)
        moves = quoridor.play(port, tables, QUORIDOR_SECONDS).moves
        return ((cpu_seconds(pid) - before) / moves * 1e6,)


def quoridor_first_moves(programs: Programs) -> Sequence[float]:
    """Return the microseconds of processor time of a move, of the first ones that a daemon relays."""
    with programs.daemon(quoridor="tables = 0") as started:
        used = partial(cpu_seconds, started.process.pid)
        return (quoridor.per_move(started.quoridor_port, used, QUORIDOR_MOVES) * 1e6,)


def universe_first_moves(program: Path) -> Sequence[float]:
    """Return the same of a universe of Racket's."""
    with quoridor.universe(program) as (port, pid):
        return (quoridor.per_move(port, partial(cpu_seconds, pid), QUORIDOR_MOVES) * 1e6,)


def quoridor_memory(programs: Programs) -> Sequence[float]:
    """Return the KiB of a table with two worlds in a game."""
    limits = f"tables = 0\nconnections_per_address = {4 * IDLE_TABLES}"
    with programs.daemon(quoridor=limits) as started:
        port, script = started.quoridor_port, quoridor.script(0)
        tables = [quoridor.Table(port, script) for _ in range(50)]
        settle(0.5)
        before = started.resident_bytes()
        tables += [quoridor.Table(port, script) for _ in range(IDLE_TABLES)]
        settle(0.5)
        each = (started.resident_bytes() - before) / IDLE_TABLES / 2**10
        for table in tables:
            table.close()
    return (each,)


def roborally_turns(programs: Programs) -> Sequence[float]:
    """Return the milliseconds of processor time of a turn of two robots, their games' beginnings and records included.

    A game that is not counted comes first: it loads and lays out the course.
    """
    port, more = roborally.section(roborally.DUEL_KEYS)
    with programs.daemon(more=more) as started:
        roborally.duel(port, roborally.DUELS)
        settle()
        before = cpu_seconds(started.process.pid)
        turns = sum(roborally.duel(port, number) for number in range(roborally.DUELS))
        settle()
        return ((cpu_seconds(started.process.pid) - before) / turns * 1e3,)


def roborally_rules(_programs: Programs) -> Sequence[float]:
    """Return the milliseconds that the rules alone take for a turn of eight robots."""
    turns, seconds = roborally.rules_alone()
    return (seconds / turns * 1e3,)


def roborally_queries(programs: Programs) -> Sequence[float]:
    """Return the microseconds of processor time of three queries, and the KiB of a game of eight robots."""
    port, more = roborally.section()
    with programs.daemon(more=more) as started:
        pid, found = started.process.pid, []
        for question in (b"GSS", b"GRS(Anna)", b"GPL"):
            before = cpu_seconds(pid)
            roborally.queries(port, question)
            found.append((cpu_seconds(pid) - before) / roborally.QUERIES * 1e6)
        return (*found, roborally.memory(started, port) / 2**10)


LINE = "µs CPU"
MOVE = "ms CPU"
BARE = "a bare Twisted relay"
BARE_LOOP = "a bare Twisted loop"
REACTOR = "importing Twisted's reactor"


def _relay(pairs: int, most: float, *, apart: bool) -> Measurement:
    manner = "each line sent by itself" if apart else "answer and shot in one segment"
    title = f"a relayed Battleship line, {pairs} pair{'s' * (pairs > 1)}, {manner}"
    return Measurement(
        "relay",
        (Figure(title, LINE, BARE, most),),
        partial(relay.lines, pairs=pairs, apart=apart),
        partial(relay.bare_lines, pairs, apart=apart),
    )


def _arena(start: str, most: float) -> Measurement:
    return Measurement(
        "arena",
        (Figure(f"a Battleship game of two {start} processes, 66 shots a side", "ms", BARE_LOOP, most),),
        partial(arena.games, start=start),
        partial(arena.bare_games, start),
    )


def _season(name: str, rooms: int, make: type[hive.Game], *most: float) -> Measurement:
    where = f"{rooms} room{'s' * (rooms > 1)}"
    figures = (
        Figure(f"a {name} move, {where}", MOVE, most_of_before=most[0] if most else None),
        Figure(f"a {name} game without its moves, {where}", MOVE, most_of_before=most[1] if most else None),
    )
    return Measurement(name.lower(), figures, partial(season_moves, at_once=rooms, make=make))


def _universe(title: str, reference: str, program: Path, most: float | None) -> Measurement:
    return Measurement(
        "universe",
        (Figure(title, LINE, reference, most),),
        quoridor_first_moves,
        partial(universe_first_moves, program),
    )


UNIVERSES = (
    _universe("a Quoridor move, the first 1,000", "Racket universe", quoridor.UNIVERSE, 1 / 20),
    _universe("a Quoridor move, the same", "Racket universe without its list of messages", quoridor.QUIET, None),
)

MEASUREMENTS = (
    *(_relay(pairs, most, apart=apart) for apart in (True, False) for pairs, most in ((PAIRS, 1.4), (1, 1.3))),
    Measurement(
        "game",
        (Figure("a whole Battleship game, 60 shots a side", MOVE, most_of_before=0.5),),
        relay.whole_games,
    ),
    *(_arena(start, most) for start, most in (("fresh", 1 / 0.5), ("kept", 1 / 0.35))),
    _season("Hive", 1, hive.Game, 0.5, 0.35),
    _season("Hive", HIVE_ROOMS, hive.Game, 0.5, 0.35),
    _season("Blokus", 1, blokus.Game),
    _season("Blokus", HIVE_ROOMS, blokus.Game),
    Measurement("quoridor", (Figure("a Quoridor move, 1 table", LINE),), partial(quoridor_moves, tables=1)),
    Measurement(
        "quoridor", (Figure(f"a Quoridor move, {TABLES} tables", LINE),), partial(quoridor_moves, tables=TABLES)
    ),
    *(UNIVERSES if quoridor.racket_is_installed() else ()),
    Measurement(
        "roborally",
        (Figure("a RoboRally turn of two robots", MOVE, most_of_before=0.45),),
        roborally_turns,
    ),
    Measurement(
        "start",
        (
            Figure("start to ready, all listeners", "s CPU", REACTOR, 3.0),
            Figure("memory at rest, all listeners", "MiB", REACTOR, 75 / 43),
        ),
        start.start_and_rest,
        start.import_and_rest,
    ),
    Measurement(
        "browser",
        (
            Figure("a record's page until it shows its board", "ms", EMPTY_PAGE),
            Figure(f"… with the processor slowed {browser.SLOWER} times", "ms", EMPTY_PAGE),
        ),
        browser.first_board,
        browser.empty_page,
    ),
    Measurement(
        "browser",
        (
            Figure("a record's page of some 350 moves with its data, compressed", "kB", most=100.0),
            Figure("frames that are dropped while its slider is moved", "%"),
        ),
        browser.weight_and_frames,
    ),
    Measurement(
        "bots",
        tuple(Figure(f"gamed bot {game} until it connects", "s CPU", REACTOR, 1.5) for game in start.BOTS),
        start.bots,
        start.imports_of_a_bot,
    ),
    Measurement(
        "memory",
        (Figure("an idle Battleship connection, paired", "bytes", most=2_560.0),),
        relay.idle_connections,
    ),
    Measurement("memory", (Figure("a Hive room with two clients in a game", "KiB"),), hive_memory),
    Measurement("memory", (Figure("a Quoridor table with two worlds in a game", "KiB"),), quoridor_memory),
    Measurement(
        "rooms",
        (
            Figure("10,000 Battleship rooms, 200 of them active", "MiB", most=250.0),
            Figure("… the p99 of a line there, beyond that of 200 rooms alone", "ms", most=5.0),
        ),
        rooms.open_rooms,
    ),
    Measurement(
        "floods",
        (
            Figure("the p99 of a move while all listeners are flooded, to the quiet one", "times", most=2.0),
            Figure("… to the one of a second daemon at the same time, which is not flooded", "times"),
            Figure("the longest turn of the reactor meanwhile", MOVE, most=5.0),
            Figure("the longest turn by the clock", "ms"),
        ),
        floods.flooded,
    ),
    Measurement(
        "queries",
        (
            *(Figure(f"a RoboRally query {name}", LINE) for name in ("GSS", "GRS", "GPL")),
            Figure("a RoboRally game of eight robots", "KiB"),
        ),
        roborally_queries,
    ),
    Measurement(
        "rules",
        (Figure("a RoboRally turn of eight robots by the rules alone", "ms"),),
        roborally_rules,
        in_process=True,
    ),
    Measurement(
        "rules",
        (
            Figure("Hive: to validate a move", "µs"),
            Figure("Hive: to list the legal moves", "µs"),
        ),
        hive_rules,
        in_process=True,
    ),
    Measurement(
        "rules",
        (Figure("Hive: to write a memento", "µs", "an lxml tree", 0.1),),
        hive_mementos,
        hive_trees,
        in_process=True,
    ),
    Measurement(
        "rules",
        (
            Figure("Blokus: to list the legal moves of a middle game", "µs", "Hive's"),
            Figure("Blokus: to write a memento", "µs", "Hive's"),
        ),
        blokus_rules,
        hive_beside,
        in_process=True,
    ),
)
