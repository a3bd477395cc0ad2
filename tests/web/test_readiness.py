"""Whether the daemon says that it should be sent no players."""

from __future__ import annotations

from pathlib import Path

from gamed.lobby.match_recorder import AFTERWARDS
from gamed.lobby.record_writer import KEEP_AGAIN
from gamed.web.service import damage, readiness
from tests.lobby.doubles import LAST_SUNK, LobbyTestCase, StubbornStore


class DamageTests(LobbyTestCase):
    def test_damaged_segments_are_named_until_they_are_removed(self) -> None:
        self.open()
        self.assertEqual(damage(self.journal), {})
        self.journal.damaged = [Path("journal/00000003.damaged")]
        self.assertIn("damaged, see the log: journal/00000003.damaged;", damage(self.journal)["journal"])
        self.assertEqual(readiness((), self.journal, self.lobby)(), {})


class DrainTests(LobbyTestCase):
    def test_while_it_drains(self) -> None:
        self.open()
        problems = readiness((), self.journal, self.lobby)
        self.match()
        self.lobby.drain(lambda: None)
        self.assertIn("no new games begin", problems()["lobby"])


class StoreTests(LobbyTestCase):
    def ended(self) -> None:
        self.match().receive(0, [LAST_SUNK])
        self.turns(4, AFTERWARDS)

    def test_while_the_store_refuses(self) -> None:
        self.open(store=StubbornStore(refusals=1))
        problems = readiness((), self.journal, self.lobby)
        self.assertEqual(problems(), {})
        self.ended()
        self.assertEqual(problems(), {"store": "1 ended games are not stored yet; see the log"})
        self.clock.turn(KEEP_AGAIN)
        self.assertEqual(problems(), {})

    def test_while_the_database_does_not_answer(self) -> None:
        self.open()
        problems = readiness((), self.journal, self.lobby)
        self.store.silence = "the database has not answered for 3.0 seconds"
        self.assertEqual(problems(), {"store": f"{self.store.silence}; 0 ended games are not stored yet"})

    def test_a_game_on_its_way_is_no_problem_though_one_was_refused_long_ago(self) -> None:
        self.open(store=StubbornStore(refusals=1))
        problems = readiness((), self.journal, self.lobby)
        self.ended()
        self.clock.turn(KEEP_AGAIN)
        self.store.waits = True
        self.ended()
        self.assertEqual((self.lobby.record_writer.unstored, problems()), (1, {}))
