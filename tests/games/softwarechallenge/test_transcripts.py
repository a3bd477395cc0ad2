"""Every recorded scenario against gamed: each client hears the same bytes, or what stands in `DIFFERENCES`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

from twisted.logger import capturedLogs
from twisted.trial.unittest import SynchronousTestCase

from tests.games.softwarechallenge.differences import DIFFERENCES, FAREWELLS
from tests.games.softwarechallenge.labels import MESSAGE, label
from tests.games.softwarechallenge.recorded import scenarios
from tests.games.softwarechallenge.replayed import Replay

FAREWELL = b"\n  <sc.protocol.responses.CloseConnection/>"
END = b"\n</protocol>"
LEFT = re.compile(rb'\n  <left roomId="[^"]*"/>\Z')


def edits(recorded: bytes, ours: bytes) -> Iterator[str]:
    """Yield what makes our stream out of the recorded one: messages that go (-) and come (+)."""
    theirs, own = MESSAGE.split(recorded), MESSAGE.split(ours)
    for what, i, j, k, m in SequenceMatcher(None, theirs, own, autojunk=False).get_opcodes():
        if what != "equal":
            yield from (f"- {label(message)}" for message in theirs[i:j])
            yield from (f"+ {label(message)}" for message in own[k:m])


def without_farewell(recorded: bytes, ours: bytes) -> bytes:
    """Return our stream without a goodbye that follows a `left`, where the recorded one has none."""
    goodbye = FAREWELL + END
    if recorded.endswith(goodbye) or not ours.endswith(goodbye):
        return ours
    before = ours.removesuffix(goodbye)
    if LEFT.search(before) is None:
        return ours
    # Afterwards the recorded client closed its side, and got the end tag, or it never did.
    return before + END if recorded.endswith(END) else before


class TranscriptTests(SynchronousTestCase):
    def replayed(self, number: str) -> Replay:
        """Return the scenario of this number, played."""
        (scenario,) = (name for name in scenarios() if name.startswith(number))
        difference = DIFFERENCES.get(number)
        replay = Replay(scenario, 0 if difference is None else difference.only_ours)
        with capturedLogs() as events:
            replay.run()
        self.assertEqual([event for event in events if "log_failure" in event], [], number)
        return replay

    def test_each_client_of_each_scenario(self) -> None:
        bade_farewell = []
        for name in scenarios():
            number = name[:2]
            found = {}
            for connection, (recorded, ours) in self.replayed(number).compared().items():
                rest = without_farewell(recorded, ours)
                if rest != ours and number not in bade_farewell:
                    bade_farewell.append(number)
                if rest != recorded:
                    found[connection] = tuple(edits(recorded, rest))
            expected = DIFFERENCES[number].edits if number in DIFFERENCES else {}
            self.assertEqual(found, expected, name)
        self.assertEqual(bade_farewell, FAREWELLS)

    def test_a_whole_game_is_identical_to_its_last_byte(self) -> None:
        for recorded, ours in self.replayed("10").compared().values():
            self.assertGreater(len(recorded), 500_000)
            self.assertEqual(ours.removesuffix(FAREWELL + END), recorded.removesuffix(END))

    def test_nothing_is_left_afterwards(self) -> None:
        for number in ("15", "41", "48", "54", "56", "95"):
            replay = self.replayed(number)
            harness = replay.harness
            # Rooms that were prepared and never filled wait for an hour.
            harness.wait(3601)
            self.assertEqual((harness.rooms, list(harness.lobby.rooms)), ([], []), number)
            self.assertEqual(len(harness.lobby.reservations), 0, number)
            harness.records()
            self.assertEqual(harness.clock.getDelayedCalls(), [], number)
