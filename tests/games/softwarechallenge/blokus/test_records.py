"""The records of games: valid against the season's schema, and read back as they were."""

from __future__ import annotations

from pathlib import Path
from random import Random

from twisted.trial.unittest import SynchronousTestCase

from gamed.core.history import LEFT, MOVE
from gamed.games.softwarechallenge.seasons import blokus
from gamed.games.softwarechallenge.seasons.blokus.client import player
from gamed.games.softwarechallenge.seasons.blokus.replays import read_replay, write
from gamed.games.softwarechallenge.seasons.blokus.rules import Blokus
from gamed.records.index import index, validate
from gamed.records.own import to_history
from gamed.records.record import RecordError, document
from tests.games.softwarechallenge.blokus.test_client import played
from tests.games.softwarechallenge.blokus.test_sessions import SESSIONS, Session, draw_of

FORMATS = index(Path(blokus.__file__).parent / "schemas")


class RecordTests(SynchronousTestCase):
    def test_whole_games(self) -> None:
        harness = played(player("greedy", Random(1)), player("random", Random(2)))
        (record,) = harness.store.records.values()
        validate(document(record), FORMATS)
        history = to_history(record)
        self.assertGreater(sum(1 for _ in history.of_kind(MOVE)), 40)
        again = read_replay(write(history))
        bodies = [[entry.body for entry in one.of_kind(MOVE)] for one in (history, again)]
        self.assertEqual(*bodies)

    def test_games_that_were_broken_off(self) -> None:
        whys = set()
        for steps in SESSIONS.values():
            self.patch(Blokus, "draw", draw_of(steps))
            session = Session(steps)
            session.play()
            session.harness.wait(1)
            for record in session.harness.store.records.values():
                validate(document(record), FORMATS)
                whys |= {entry.data["why"] for entry in to_history(record).of_kind(LEFT)}
        self.assertEqual(whys, {"forfeit", "left", "removed", "resigned", "time"})

    def test_what_the_schema_does_not_allow(self) -> None:
        harness = played(player("greedy", Random(3)), player("random", Random(4)))
        (record,) = harness.store.records.values()
        text = document(record)
        for was, now in (
            (b">START PENTO_", b">START TETRO_"),
            (b">B PENTO_", b">X PENTO_"),
            (b' seat="0"', b' seat="2"'),
        ):
            self.assertIn(was, text)
            self.assertRaises(RecordError, validate, text.replace(was, now, 1), FORMATS)
