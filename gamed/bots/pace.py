"""How long a bot waits before it answers, so that people's clients have the time to show the last move.

The wire may not say what program an opponent is. But nobody clicks
three times in succession in the same hundredth of a second: an opponent that answers after exactly as long a wait as
our own, or at once, is a program, and most probably a bot of ours. Then there is nobody to wait for.
"""

from __future__ import annotations

from math import inf
from typing import Final

from attrs import define

UNTIL_KNOWN: Final = 3.13
"""The usual wait in seconds. The authors' client shows its own move for 24 frames, which takes 3 seconds on a computer
that draws 8 a second; the rest makes the wait one that no other program has."""

CLOSE: Final = 0.01
"""By how many seconds two equal waits may differ."""

ALIKE: Final = 3
"""How many answers in succession show a program."""


@define
class Pace:
    """The waits of one bot in one match after another."""

    seconds: float
    """How long to wait before each answer."""

    is_fixed: bool = True
    """Whether to wait for programs, too."""

    _alike: int = 0
    _sent_at: float = -inf

    @property
    def is_over(self) -> bool:
        """Whether there is nobody to wait for."""
        return not self.seconds or self._alike == ALIKE

    def wait(self, heard_at: float) -> float:
        """Return the seconds from the opponent's move, which was heard at this time, to the answer."""
        if not self.is_fixed and not self.is_over:
            took = heard_at - self._sent_at
            self._alike = self._alike + 1 if min(took, abs(took - self.seconds)) < CLOSE else 0
        seconds = 0.0 if self.is_over else self.seconds
        self._sent_at = heard_at + seconds
        return seconds

    def begin(self) -> None:
        """Wait again: the opponents of the next match may be others."""
        self._alike, self._sent_at = 0, -inf
