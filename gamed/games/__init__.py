"""The games, one folder each; they do not know each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import frozen

if TYPE_CHECKING:
    # Not at run time: a bot imports its game's package, and needs neither tables nor receptions.
    from collections.abc import Callable, Mapping
    from random import Random

    from gamed.core.game import Options
    from gamed.core.reception import LobbyServices, Reception
    from gamed.core.table import Table
    from gamed.wire import Connection


@frozen
class HostedGame:
    """What serves the peers of a listener, and plays its games."""

    connection: Callable[[Any], Connection]
    """Makes the server's side of the dialect, from the listener's settings."""

    reception: Callable[[Any, LobbyServices], Reception]
    """Makes the reception of the listener, which leads peers to rooms."""

    tables: Mapping[str, Callable[[Any, Options, Callable[[int], Random], float], Table]]
    """By a game's kind, what makes a new match of it from settings, options, a function that makes each draw's
    generator, and the time of its opening."""
