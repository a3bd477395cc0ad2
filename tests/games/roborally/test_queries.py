"""What is told of a running turn, and how much may be asked. Source: roborally.md 1.7, 3.8.3."""

from __future__ import annotations

import re

from twisted.trial.unittest import SynchronousTestCase

from gamed.games.roborally.rules.game import RoboRally
from tests.games.roborally.gathering import Gathering, Peer, dealt, gathering

TURNS = (7, 9, 11, 8, 10, 12, 13, 14, 15)
"""Three cards to the left, then three to the right: five of them, by 1,2,4,5,6, turn from the east to the south."""

FIRST = tuple(card + 9 * number for number in range(4) for card in TURNS)
SECOND = (7, 9, 11, 8, 10, 12, 13, 14, 15, 16, 17, 49, 18, 19, 20, 21, 22, 23, *range(43, 52))
RATE = 50
