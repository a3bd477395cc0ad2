"""The limits that a game is run with: the settings of its listener, as far as they concern the table.

Source: docs/reference/roborally.md#configuration.
"""

from __future__ import annotations

from attrs import define


@define
class TableLimits:
    """Numbers of peers and violations, and times in seconds."""

    min_players: int = 2
    """Players without whom the game does not start."""

    max_channels: int = 8
    """Output channels that may register for one game."""

    move_timeout: int = 60
    """For each decision of a player; 0: any time. GTO tells it to players."""

    ack_timeout: float = 10.0
    """For the `ok` to one notification (NTS, NTC)."""

    ack_budget: float = 30.0
    """For all `ok`s of one channel in one turn together, so that slow channels cannot stretch the game."""

    start_delay: float = 10.0
    """From the moment when there are enough players to the start, so that more can come."""

    linger: float = 30.0
    """From the end of the game to the end of its connections, so that peers can ask for the winning order."""

    max_violations: int = 5
    """Messages of one peer that are answered with `error`; with the last of them it is removed."""
