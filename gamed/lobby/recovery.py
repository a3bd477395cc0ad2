"""Recovery at the start of the daemon: the matches in the journal become records.

Those that have ended are recorded as they are. Unfinished ones end with the termination "server fault", by which nobody
loses.

Source: docs/topics/design.md#the-journal.
"""

from __future__ import annotations

from twisted.logger import Logger

from gamed.core.errors import StoreError
from gamed.core.game import Outcome, Termination
from gamed.core.history import HELD, OPENED, Entry, History, ended
from gamed.core.lots import Seeded
from gamed.core.table import Table, replay
from gamed.lobby.lobby import Lobby

log = Logger()


def recover(lobby: Lobby) -> int:
    """Make records of all matches that are in the journal. Return how many."""
    count = 0
    for history in list(lobby.journal.open_rooms()):
        if history.is_recorded and history.kind in lobby.game_types:
            try:
                _recover(lobby, history)
            except StoreError:
                raise
            except Exception:  # noqa: BLE001 (one room that cannot be replayed must not keep the daemon from starting)
                log.failure("room={room} stays in the journal: it cannot be replayed", room=history.room)
            else:
                count += 1
        elif not history.is_recorded:
            lobby.journal.forget(history.room)
        else:
            log.error(
                "room={room} stays in the journal: the game {game} is not installed",
                room=history.room,
                game=history.kind,
            )
    lobby.record_writer.keep()
    return count


def _recover(lobby: Lobby, history: History) -> None:
    history.set_apart()
    # A fixture's match may have no entries yet.
    end = history.entries[-1] if history.entries else Entry(0, OPENED)
    # Only the journal has HELD entries. The data of the last one belong to the match's end.
    history.entries = [entry for entry in history.entries if entry.kind != HELD]
    if history.outcome is None:
        last = ended(end.at, Outcome(Termination.SERVER_FAULT))
        if end.kind == HELD:
            last.data = {**last.data, **end.data}
        history.entries.append(last)
        lobby.journal.append([(history.room, (last,))])
    log.info(
        "recovered: room={room} game={game} termination={termination}",
        room=history.room,
        game=history.kind,
        termination=str(history.entries[-1].data["termination"]),
    )
    lobby.recorder.record(history, replayed(lobby, history).match)


def replayed(lobby: Lobby, history: History) -> Table:
    """Return the table at the end of a history, with its findings."""
    game_type = lobby.game_types[history.kind]
    table = game_type.table(lobby.settings[history.kind], history.options, Seeded(history.seed), 0.0)
    for _ in replay(table, history):
        pass
    return table
