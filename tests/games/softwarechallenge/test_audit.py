"""What administrators of the Software-Challenge do is in the audit log, and what they only look at is not."""

from __future__ import annotations

from typing import Any

from twisted.logger import globalLogPublisher

from gamed.process.audit import NAMESPACE
from tests.games.softwarechallenge.administration import AdministrationTestCase
from tests.games.softwarechallenge.harness import HIVE, slot


class AuditTests(AdministrationTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.noted: list[tuple[str, str]] = []
        self.who: set[str] = set()
        globalLogPublisher.addObserver(self.note)
        self.addCleanup(globalLogPublisher.removeObserver, self.note)

    def note(self, event: Any) -> None:
        if event.get("log_namespace") == NAMESPACE:
            self.who.add(event["who"])
            self.noted.append((event["did"], event["result"]))

    def test_who_and_from_where(self) -> None:
        self.admin.send('<testMode testMode="true"/>')
        (who,) = self.who
        address = self.admin.session.name
        self.assertRegex(address, r":\d+$")
        self.assertTrue(who.startswith("user=") and who.endswith(f" {address}"), who)
        listener = self.admin.session.listener
        self.assertEqual(who, f"user={listener} from={listener} {address}")

    def test_what_was_done_and_what_came_of_it(self) -> None:
        self.prepared()
        room = self.room
        self.pause()
        self.pause()
        self.step()
        self.admin.send(f'<cancel roomId="{room}"/>')
        said = [(did.replace(room, "R"), result.replace(room, "R")) for did, result in self.noted]
        self.assertTrue(said.pop(0)[0].startswith(f'<prepare gameType="{HIVE}"'))
        self.assertEqual(
            said,
            [
                ('<pause roomId="R" pause="true"/>', "done"),
                ('<pause roomId="R" pause="true"/>', "the game is paused already; pause was ignored"),
                ('<step roomId="R"/>', "done"),
                ('<cancel roomId="R"/>', "done"),
            ],
        )

    def test_a_prepared_room_is_named_and_its_codes_are_not(self) -> None:
        room, codes = self.admin.prepare(slot("a"), slot("b"))
        self.admin.send(f'<freeReservation reservation="{codes[0]}"/>')
        self.assertEqual([result for _, result in self.noted], [f"room={room}", "done"])
        self.assertFalse(any(code in did for code in codes for did, _ in self.noted), self.noted)

    def test_what_is_refused(self) -> None:
        self.admin.send('<cancel roomId="nowhere"/>')
        self.assertEqual(self.noted, [('<cancel roomId="nowhere"/>', "failed: there is no such room")])

    def test_looking_and_strangers_are_not_noted(self) -> None:
        self.prepared()
        self.noted.clear()
        self.admin.send(f'<observe roomId="{self.room}"/>')
        stranger = self.harness.connect()
        stranger.send(f'<cancel roomId="{self.room}"/>')
        stranger.send('<authenticate password="wrong secret"/>')
        self.assertEqual(self.noted, [])
