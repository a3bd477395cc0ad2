"""The commands of the console. Each is a function that returns data, and its docstring is the command's help.

A function takes the `ConsoleOperator` and the arguments of its usage line. It returns an answer
(gamed/console/render.py) or a Deferred of one, and raises GamedError if the command cannot be carried out.
"""

from __future__ import annotations

import os
import resource
from collections.abc import Callable
from functools import partial
from ipaddress import ip_address
from typing import Any, Final

from twisted.internet.defer import Deferred
from twisted.logger import Logger

from gamed.admin import room_actions
from gamed.admin.operators import SHOWN, described
from gamed.config import LEVELS
from gamed.console import listings, seats
from gamed.console.operator import ConsoleOperator
from gamed.console.parsing import Command, named
from gamed.console.render import Answer, Facts, Picture, Table
from gamed.core.errors import ConsoleError
from gamed.core.reception import SupportsCourses, SwitchesLimits
from gamed.core.table import Step
from gamed.core.texts import printable
from gamed.lobby.room import Room
from gamed.net.limits import network_of
from gamed.net.session import Session
from gamed.records.record import Record, document
from gamed.store.query import Query

log = Logger()

LATER: Final = 0.2
"""Seconds until the daemon is stopped, so that the answer is sent before."""

SAVED_WITHIN: Final = 10.0
"""Seconds that `save` waits for the journal's sync."""

COMMANDS: Final[dict[str, Command]] = {}
"""All commands, by name."""


def command(usage: str, *, changes: bool = False) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a function a command."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        name = usage.partition(" ")[0]
        COMMANDS[name] = Command(name, usage, function, changes)
        return function

    return register


# Looking


@command("rooms [GAME]")
def rooms(operator: ConsoleOperator, game: str | None = None) -> Answer:
    """List the open rooms, the oldest first.

    GAME: only rooms of this game. LENGTH is the number of entries of the current match.

    Example: rooms {game}
    """
    lobby = operator.services.lobby
    if game is not None:
        operator.check_game(game)
    found = [room for room in lobby.rooms.values() if not room.is_closed and game in (None, room.history.kind)]
    columns = ("ID", "GAME", "STATE", "PLAYERS", "WATCHED", "LENGTH", "STARTED")
    return Table(columns, list(map(listings.room_row, found)), "No room is open.", ("PLAYERS",))


@command("room ROOM")
def room(operator: ConsoleOperator, word: str) -> Answer:
    """Show a room: its state, its clock, its last entries and its board.

    ROOM: the room's id, or at least its first four characters.

    Example: room 6f0c1f0e
    """
    found = operator.room(word)
    lobby = operator.services.lobby
    return listings.room_facts(found, lobby.game_types[found.history.kind], lobby.refusals)


@command("players [LISTENER]")
def players(operator: ConsoleOperator, listener: str | None = None) -> Answer:
    """List the connections of all games.

    LISTENER: only connections of this listener. PLACES lists the rooms of a connection, with its seat and name in each;
    an observer has "watches" instead of a seat. REFUSED, below a row, lists the first messages of the peer that had no
    effect, and why.

    Example: players {game}
    """
    if listener is not None:
        operator.check_listener(listener)
    known = operator.services.lobby.refusals
    rows = [
        (session.name, name, listings.places(session), listings.refused(session.refusals, known))
        for name, session in operator.services.listeners.sessions
        if listener in (None, name)
    ]
    return Table(("PEER", "LISTENER", "PLACES", "REFUSED"), rows, "Nobody is connected.", ("PLACES", "PEER"), "REFUSED")


@command("watch [ROOM]")
def watch(operator: ConsoleOperator, word: str | None = None) -> Answer:
    """Show live, above the prompt, the entries of a room, or what a listener's referee finds and refuses.

    ROOM: the room's id, or at least its first four characters; or the name of a listener, to see each refused message
    of its peers, whether they have a seat or not, and each finding in its rooms. To stop watching, type `watch` without
    ROOM, or Ctrl-C.

    Example: watch 6f0c1f0e
    """
    if word is None:
        return f"Stopped watching {operator.unwatch()} rooms or listeners."
    if word in operator.services.listeners.factories:
        operator.watch_refusals(word)
        return f"Watching what {word} refuses and finds; `watch` or Ctrl-C ends it."
    room = operator.room(word)
    operator.watch(room, partial(_seen, operator))
    operator.watch_refusals(room.id)
    return f"Watching room {room.id}; `watch` or Ctrl-C ends it."


def _seen(operator: ConsoleOperator, room: Room, step: Step) -> None:
    # An exception here must not affect the room.
    with log.failureHandler("console: cannot show a step"):
        name = room.id[:SHOWN]
        cells = map(listings.entry_cells, step.journal)
        lines = [f"{name} {at:9.3f} {kind} {listings.place(seat)}{what}" for at, kind, seat, what in cells]
        lines += [described(room, finding) for finding in step.findings]
        if step.closed:
            operator.watched.pop(room, None)
            operator.refusals_watched.discard(room.id)
            lines.append(f"{name} closed")
        for line in lines:
            operator.notify(printable(line) + "\n")


@command("limits [LISTENER]")
def limits(operator: ConsoleOperator, listener: str | None = None) -> Answer:
    """Show the limits of each listener, and how much of them is used.

    LISTENER: only this one. A rate or time of 0 means that there is no limit. To change limits, change the
    configuration and `reload` it.

    Example: limits {game}
    """
    services = operator.services
    if listener is not None:
        operator.check_listener(listener)
    factories = services.listeners.factories.items()
    rows = [listings.limits_row(name, factory) for name, factory in factories if listener in (None, name)]
    if listener is None:
        own = services.limits
        rows.append(("console", own.count, own.total, own.addresses, own.per_address, None, None, None))
    columns = ("LISTENER", "OPEN", "OF", "ADDRESSES", "OF EACH", "MESSAGES/S", "MESSAGE S", "UNSENT BYTES")
    return Table(columns, rows, "No game has a listener.")


@command("stats")
def stats(operator: ConsoleOperator) -> Answer:
    """Show statistics of the daemon: rooms, peers, records to be stored, stalls, memory, file descriptors.

    Times are in seconds, memory is in bytes.

    Example: stats --json
    """
    services = operator.services
    lobby = services.lobby
    open_rooms = [room for room in lobby.rooms.values() if not room.is_closed]
    return Facts(
        {
            "up for": services.clock.seconds() - services.started,
            "draining": lobby.is_draining,
            "rooms": len(open_rooms),
            "playing": sum(listings.state(room) == "playing" for room in open_rooms),
            "peers": sum(1 for _ in services.listeners.sessions),
            "reservations": len(lobby.reservations),
            "not recorded yet": lobby.record_writer.unstored,
            "journal": "failed: " + str(lobby.journal.failed) if lobby.journal.failed else "works",
            "durability": lobby.journal.durability,
            "stood still": lobby.stats.stalls.total,
            "banned networks": len(list(services.bans)),
            "wrong passwords": lobby.stats.wrong_passwords.total(),
            "operators": len(services.operators),
            "most memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
            "descriptors": len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else None,  # noqa: PTH112, PTH208 (Linux's list)
            "log level": services.levels.level,
        }
    )


@command("who")
def who(operator: ConsoleOperator) -> Answer:
    """List who is logged in to the console.

    Your own line has a star.

    Example: who
    """
    now = operator.services.clock.seconds()
    rows = [
        ("*" if other is operator else "", other.user, other.via, other.address, now - other.since, other.watching)
        for other in operator.services.operators
    ]
    return Table(("YOU", "USER", "DOOR", "ADDRESS", "SECONDS", "WATCHES"), rows)


# Rooms


command("prepare GAME [NAME...] [--paused] [--from RECORD] [--turn N]", changes=True)(seats.prepare)
command("reservations")(seats.reservations)
command("revoke CODE [--open]", changes=True)(seats.revoke)


@command("course GAME COURSE", changes=True)
def course(operator: ConsoleOperator, game: str, name: str) -> Answer:
    """Choose the course of the next game that opens.

    GAME: one that is played on courses. COURSE: the name of a course that comes with gamed, or a file. If several
    courses are chosen, each game takes the next one of them; after them, the configured courses continue.

    Example: course {game with boards} NAME
    """
    if not isinstance(reception := operator.reception(game), SupportsCourses):
        raise ConsoleError(f"{game} is not played on courses")
    reception.choose(name)
    return f"The next game of {game} is played on {name}."


@command("timeout ROOM SEAT on|off", changes=True)
def timeout(operator: ConsoleOperator, word: str, seat: int, switch: str) -> Answer:
    """Switch the time limits of a seat on or off, from its next move on.

    ROOM: the room's id, or at least its first four characters. SEAT: its number, counted from 0. `off`: its player may
    think forever. `on`: the limits apply again. Only for games whose limits can be switched.

    Example: timeout 6f0c 1 off
    """
    found = operator.room(word)
    if not isinstance(reception := operator.reception(found.history.kind), SwitchesLimits):
        raise ConsoleError(f"the time limits of {found.history.kind} cannot be switched")
    reception.set_timed(found, seat, timed=switch == "on")
    return f"The time limits of seat {seat} in room {found.id} are {switch}, from its next move on."


@command("pause ROOM", changes=True)
def pause(operator: ConsoleOperator, word: str) -> Answer:
    """Pause a room's match.

    ROOM: the room's id, or at least its first four characters. A game that asks for each move takes answers to requests
    that are open, and sends no new ones. Any other keeps what players send until the match goes on.

    Example: pause 6f0c
    """
    return room_actions.pause(operator.room(word))


@command("resume ROOM", changes=True)
def resume(operator: ConsoleOperator, word: str) -> Answer:
    """Resume a paused match.

    ROOM: the room's id, or at least its first four characters.

    Example: resume 6f0c
    """
    return room_actions.resume(operator.room(word))


@command("step ROOM [--forced]", changes=True)
def step(operator: ConsoleOperator, word: str, *, forced: bool = False) -> Answer:
    """Resume a paused match for one move.

    ROOM: the room's id, or at least its first four characters. --forced: start the match even if players are missing.

    Example: step 6f0c
    """
    return room_actions.step(operator.room(word), forced=forced)


@command("cancel ROOM", changes=True)
def cancel(operator: ConsoleOperator, word: str) -> Answer:
    """End a room's match without a winner, with the termination "cancelled".

    ROOM: the room's id, or at least its first four characters.

    Example: cancel 6f0c
    """
    return room_actions.cancel(operator.room(word))


# Peers and addresses


@command("kick PEER|ROOM [SEAT]", changes=True)
def kick(operator: ConsoleOperator, word: str, seat: int | None = None) -> Answer:
    """Close a peer's connection; its seats are emptied as if it had left.

    PEER: its name, or its address with port, as `players` shows it. Or ROOM and SEAT: the player on that seat.

    Example: kick 192.0.2.7:50123
    """
    peer = operator.peer(word) if seat is None else operator.room(word).peers.get(seat)
    if peer is None:
        raise ConsoleError(f"nobody sits on seat {seat}")
    _dismiss(operator, peer)
    return f"{peer.name} is kicked."


def _dismiss(operator: ConsoleOperator, peer: Any) -> None:
    if isinstance(peer, Session):
        peer.expel()
    # After `expel`, so that its events are sent before the connection is closed.
    operator.services.lobby.dismiss(peer)


@command("ban ADDRESS", changes=True)
def ban(operator: ConsoleOperator, word: str) -> Answer:
    """Refuse all connections from an address or a network, and close those that are open.

    ADDRESS: an address, or a network such as 192.0.2.0/24. The ban lasts until `unban`, or until the
    daemon stops.

    Example: ban 192.0.2.0/24
    """
    network = network_of(word)
    if operator.services.bans.banned(operator.address) or _is_in(operator.address, network):
        raise ConsoleError(f"{network} contains your own address {operator.address}")
    operator.services.bans.ban(network)
    dropped = [session for _, session in operator.services.listeners.sessions if _is_in(session.address, network)]
    for session in dropped:
        _dismiss(operator, session)
    others = [other for other in operator.services.operators if _is_in(other.address, network)]
    for other in others:
        other.close()
    return f"{network} is banned; {len(dropped) + len(others)} connections are closed."


def _is_in(address: str, network: Any) -> bool:
    try:
        return ip_address(address) in network
    except ValueError:
        return False


@command("unban NETWORK", changes=True)
def unban(operator: ConsoleOperator, word: str) -> Answer:
    """Lift the ban of an address or a network.

    NETWORK: as `bans` shows it.

    Example: unban 192.0.2.0/24
    """
    if not operator.services.bans.unban(network := network_of(word)):
        raise ConsoleError(f"{network} is not banned")
    return f"{network} is no longer banned."


@command("bans")
def bans(operator: ConsoleOperator) -> Answer:
    """List the banned networks, and how many connections from each were refused.

    Bans last until the daemon stops.

    Example: bans
    """
    rows = [(str(network), count) for network, count in operator.services.bans]
    return Table(("NETWORK", "REFUSED"), rows, "Nobody is banned.")


# Records


@command("records [list|show|export] [RECORD] [FILE] [--player NAME] [--game GAME] [--termination CAUSE] [--limit N]")
def records(
    operator: ConsoleOperator,
    action: str = "list",
    word: str | None = None,
    file: str | None = None,
    **criteria: Any,
) -> Any:
    """List the games that were played, show one, or export one.

    `list`, which may be left out, lists the newest 20 games, or as many as --limit says; --player, --game and
    --termination select games. `show RECORD` shows a game with its board. `export RECORD [FILE]` prints its XML, or
    writes it to a new file in the folder `exports` of the state directory. RECORD: the record's id, or at least its
    first four characters.

    Example: records list --game {game} --limit 5
    """
    store, types = operator.services.lobby.store, operator.services.lobby.game_types
    if action == "list":
        kind, limit = criteria.pop("game", None), criteria.pop("limit", 20)
        listed = store.find(Query(kind=kind, limit=limit, **criteria))
        return listed.addCallback(operator.note_records).addCallback(listings.records_table, types)
    if word is None:
        raise ConsoleError(f"records {action} needs a RECORD; `records` lists them")
    found: Deferred[Any] = store.record(word.lower())
    answer = partial(listings.record_facts, types) if action == "show" else partial(_export, operator, file)
    return found.addCallback(answer)


def _export(operator: ConsoleOperator, file: str | None, record: Record) -> Answer:
    if file is None:
        return Picture(document(record).decode().rstrip("\n"))
    if "/" in file or file.startswith(".") or not file.isprintable():
        raise ConsoleError("FILE must be a plain name: it is written to the folder exports of the state directory")
    path = operator.services.state / "exports" / file
    try:
        path.parent.mkdir(exist_ok=True)
        with path.open("xb") as opened:
            opened.write(document(record))
    except OSError as error:
        raise ConsoleError(f"cannot write {path}: {error.strerror}") from error
    return f"The record {record.id} is in {path}."


# The daemon


@command("save", changes=True)
def save(operator: ConsoleOperator) -> Any:
    """Wait until everything that was journalled so far is on the disk.

    The journal is synced every 10 to 50 milliseconds; this waits for the next sync.

    Example: save
    """
    journal = operator.services.lobby.journal
    if journal.failed:
        raise ConsoleError(f"the journal cannot sync: {journal.failed}")
    saved: Deferred[str] = Deferred()

    def synced() -> None:
        if not saved.called:
            saved.callback("Everything that was journalled is on the disk.")

    journal.on_disk(synced)
    return saved.addTimeout(SAVED_WITHIN, operator.services.clock, _not_saved)


def _not_saved(_result: object, seconds: float) -> None:
    raise ConsoleError(f"the journal was not synced within {seconds:g} seconds")


@command("drain", changes=True)
def drain(operator: ConsoleOperator) -> Answer:
    """Start no new games, and stop the daemon when the last one has ended.

    Rooms whose match has not begun are closed at once. Only a restart undoes this.

    Example: drain
    """
    services = operator.services
    if services.lobby.is_draining:
        raise ConsoleError("the daemon is draining already")
    services.lobby.drain(partial(_stop_later, operator))
    left = sum(not room.is_closed for room in services.lobby.rooms.values())
    return f"No new games begin; {left} go on, and the daemon stops after the last."


@command("shutdown", changes=True)
def shutdown(operator: ConsoleOperator) -> Answer:
    """Stop the daemon now. Matches end without a winner, with the termination "shutdown", and are recorded.

    To let them end first, use `drain` instead.

    Example: shutdown
    """
    _stop_later(operator)
    return "The daemon stops."


def _stop_later(operator: ConsoleOperator) -> None:
    operator.services.clock.callLater(LATER, operator.services.stop)


@command("reload", changes=True)
def reload(operator: ConsoleOperator) -> Answer:
    """Read the configuration again, and say which changes apply now and which need a restart.

    No connection is dropped. Limits, rates, the console's accounts, the log level and the web listener's settings apply
    at once, and the other settings of games to new rooms and connections. Endpoints and the store need a restart. New
    TLS certificates are used for new connections. If they cannot be used, the answer says why, and the old ones stay in
    use.

    Example: reload
    """
    return operator.services.reloader.reload()


@command("log [LEVEL]", changes=True)
def log_level(operator: ConsoleOperator, level: str | None = None) -> Answer:
    """Show the level of the log, or change it.

    LEVEL: debug, info, warn, error or critical. Lines of the audit log are written at any level.

    Example: log warn
    """
    if level is not None:
        if level not in LEVELS:
            raise ConsoleError(f"LEVEL is one of {', '.join(LEVELS)}")
        operator.services.levels.change(level)
    return f"The log's level is {operator.services.levels.level}."


@command("python", changes=True)
def python(operator: ConsoleOperator) -> Answer:
    """Start a Python prompt inside the daemon. Ctrl-D ends it, and the session.

    Only by SSH with a terminal, and only with `manhole = true` in the configuration. Code that is typed there can do
    anything. `parts` has the services of the daemon.

    Example: python
    """
    if operator.python is None:
        raise ConsoleError("there is no Python prompt here: it needs SSH, a terminal and [console] manhole = true")
    operator.python()
    return "This is Python; `parts` has the services of the daemon."


@command("help [COMMAND]")
def help_(_operator: ConsoleOperator, name: str | None = None) -> Answer:
    """List the commands, or explain one.

    COMMAND: its name. Each command takes --json, and --help. Put words with spaces in quotation marks.

    Example: help prepare
    """
    if name is None:
        rows = [(found.usage, found.summary) for _, found in sorted(COMMANDS.items())]
        return Table(("COMMAND", "WHAT IT DOES"), rows, elastic=("COMMAND", "WHAT IT DOES"))
    found = named(name, COMMANDS)
    if found is None:
        raise ConsoleError(f"there is no command {name}; `help` lists them")
    return Picture(f"usage: {found.usage} [--json]\n\n{found.help}")


@command("quit")
def quit_(operator: ConsoleOperator) -> Answer:
    """Leave the console.

    `exit`, `logout`, and Ctrl-D on an empty line do the same.

    Example: quit
    """
    operator.services.clock.callLater(0, operator.close)
    return "Bye."
