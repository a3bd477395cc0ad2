"""Reserved seats."""

from __future__ import annotations

import uuid

from tests.lobby.doubles import LobbyTestCase


class ReservationTests(LobbyTestCase):
    def setUp(self) -> None:
        self.open()
        self.book = self.lobby.reservations
        self.room = self.lobby.open("battleship")

    def test_a_code_is_a_random_uuid(self) -> None:
        codes = {self.book.make(self.room, seat).code for seat in (0, 1) for _ in range(50)}
        self.assertEqual(len(codes), 100)
        self.assertEqual({uuid.UUID(code).version for code in codes}, {4})

    def test_a_code_is_used_once(self) -> None:
        made = self.book.make(self.room, 1)
        self.assertEqual(self.book.take(made.code), made)
        self.assertIsNone(self.book.take(made.code))

    def test_an_unknown_code_is_nothing(self) -> None:
        self.assertIsNone(self.book.take("00000000-0000-4000-8000-000000000000"))

    def test_a_seat_is_reserved_until_its_code_is_used(self) -> None:
        made = self.book.make(self.room, 1)
        self.assertEqual([self.book.is_reserved(self.room, seat) for seat in (0, 1)], [False, True])
        self.book.take(made.code)
        self.assertFalse(self.book.is_reserved(self.room, 1))

    def test_a_revoked_code_leaves_its_seat_closed(self) -> None:
        made = self.book.make(self.room, 1)
        self.book.revoke(made.code)
        self.assertIsNone(self.book.find(made.code))
        self.assertEqual((list(self.book), self.book.is_reserved(self.room, 1)), ([], True))
        self.book.expire(self.room)
        self.assertEqual(self.book._by_room, {})

    def test_codes_go_with_their_room(self) -> None:
        other = self.lobby.open("battleship")
        kept = self.book.make(other, 0)
        for seat in (0, 1):
            self.book.make(self.room, seat)
        self.assertEqual(len(self.book), 3)
        self.arrive("a")
        self.room.join(self.arrive("b")[1])
        self.room.leave(0)
        self.assertEqual(list(self.book), [kept])
