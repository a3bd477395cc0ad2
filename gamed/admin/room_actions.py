"""The actions of administrators on rooms, for console and browser. Each returns a sentence, or raises RoomError."""

from __future__ import annotations

from gamed.core.errors import RoomError
from gamed.core.game import Termination
from gamed.lobby.room import Room


def pause(room: Room) -> str:
    """Pause the match."""
    if room.table.is_paused:
        raise RoomError(f"room {room.id} is paused already")
    room.pause()
    return f"Room {room.id} is paused."


def resume(room: Room) -> str:
    """Resume a paused match."""
    _check_paused(room)
    room.resume()
    return f"Room {room.id} goes on."


def step(room: Room, *, forced: bool = False) -> str:
    """Resume a paused match for one move."""
    _check_paused(room)
    room.step(forced=forced)
    return f"Room {room.id} goes one step."


def cancel(room: Room) -> str:
    """End the match without a winner."""
    room.stop(Termination.CANCELLED)
    return f"Room {room.id} is cancelled."


def _check_paused(room: Room) -> None:
    if not room.table.is_paused:
        raise RoomError(f"room {room.id} is not paused")
