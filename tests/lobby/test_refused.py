"""What is refused in a match is in the journal and in the record: the reason, the message, its place and its time."""

from __future__ import annotations

from copy import deepcopy

from gamed.core.events import Moved
from gamed.core.history import REFUSED, Entry
from gamed.core.refusals import KEPT, Refusal
from gamed.core.relay import Relay
from gamed.core.table import Step
from gamed.lobby.match_recorder import AFTERWARDS
from gamed.records.own import to_history
from tests.lobby.doubles import LAST_SUNK, SHOT, LobbyTestCase


class RefusedTests(LobbyTestCase):
    def setUp(self) -> None:
        self.open()
        self.room = self.match()

    def refused(self, refusal: Refusal, seat: int = 1) -> None:
        self.clock.turn(0.5)
        self.room.refused(seat, refusal)

    def recorded(self) -> tuple[Entry, ...]:
        """End the match, and return what its record has of refusals."""
        self.room.receive(0, [LAST_SUNK])
        for _ in range(6):
            self.clock.turn(AFTERWARDS)
        found = to_history(self.store.records[self.room.id])
        self.assertEqual((found.refused, found.entries), (self.room.history.refused, self.room.history.entries))
        return found.refused

    def test_reason_message_place_and_time(self) -> None:
        self.room.receive(1, [SHOT])
        self.clock.turn()
        self.journal.batches.clear()
        self.refused(Refusal("empty-line", "a line is empty", "(1,[X,Y]).", b'\xff <password="x">'))
        self.clock.turn()
        self.assertEqual(self.journal.batches, [[(self.room.id, [REFUSED])]])
        data = {"code": "empty-line", "reason": "a line is empty", "expected": "(1,[X,Y]).", "entry": 4}
        said = b'\\xff <password="[removed]">'
        self.assertEqual(self.recorded(), (Entry(500, REFUSED, 1, said, data),))

    def test_a_refusal_between_two_messages_of_one_read_has_its_place(self) -> None:
        real = Relay.receive

        def refusing(table: Relay, seat: int, event: Moved, now: float, arrived: float) -> Step:
            if event.body == b"x":
                return Step(refused=((seat, Refusal("x", "x")),))
            return real(table, seat, event, now, arrived)

        self.patch(Relay, "receive", refusing)
        self.room.receive(1, [SHOT, Moved(b"x"), SHOT])
        self.assertEqual([entry.data["entry"] for entry in self.recorded()], [4])

    def test_after_the_first_ten_they_are_counted(self) -> None:
        for number in range(KEPT + 5):
            self.refused(Refusal("often", "again", text=b"%d" % number))
        for _ in range(3):
            self.refused(Refusal("late", "the first of its code"))
        found = self.recorded()
        self.assertEqual([entry.data["code"] for entry in found], ["often"] * KEPT + ["late", "often", "late"])
        self.assertEqual([entry.data.get("count") for entry in found[KEPT:]], [None, 5, 2])

    def test_each_seat_has_its_own(self) -> None:
        for seat in (0, 1):
            for _ in range(KEPT):
                self.refused(Refusal("often", "again"), seat)
        self.assertEqual(len(self.recorded()), 2 * KEPT)

    def test_hidden_text_is_left_out(self) -> None:
        self.refused(Refusal("card-twice", "a card is there twice", text=b"PK(M1,1)", is_hidden=True))
        (entry,) = self.recorded()
        self.assertIsNone(entry.body)

    def test_after_the_end_nothing_is_added(self) -> None:
        self.room.receive(0, [LAST_SUNK])
        self.refused(Refusal("often", "again"))
        self.assertEqual(self.recorded(), ())

    def test_a_crash_loses_none_but_the_counts(self) -> None:
        for _ in range(KEPT + 5):
            self.refused(Refusal("often", "again", text=b"x"))
        self.clock.turn()
        journal = deepcopy(self.journal)
        journal.start()
        (history,) = journal.open_rooms()
        self.assertEqual([entry for entry in history.entries if entry.kind == REFUSED], [*self.room.history.refused])
        self.room.cut_off()
        self.assertEqual(self.room.history.refused[-1].data, {"code": "often", "count": 5})
