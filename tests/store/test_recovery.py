"""Reading segments: torn tails, damaged lines, gaps."""

from __future__ import annotations

from pathlib import Path

from twisted.logger import capturedLogs
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.history import OPENED, Entry, History
from gamed.store.lines import FORGOTTEN, encode, prefix
from gamed.store.recovery import OpenRoom, read
from tests.store.examples import history, line
from tests.store.logs import sentences

A, B = "room-a", "room-b"
END = Entry(9, "ended", data={"termination": "victory", "winner": 1})
ENTRIES = [line(at, b"\xff(%d)." % at) for at in range(1, 4)]


def _line(room: str, seq: int, entry: Entry | None = None) -> bytes:
    if entry is None:
        entry = history(room).opened() if seq == 0 else ENTRIES[seq - 1]
    return encode(prefix(room), seq, entry)


BAD = (
    "journal: 1.journal: damaged lines: {}; {} in all, {} bytes; games of which no other line is left may be missing, "
    "and are not named"
)

INTERLEAVED = [(A, 0), (A, 1), (B, 0), (A, 2), (B, 1), (B, 2), (A, 3), (B, 3)]
LINES = [_line(room, seq) for room, seq in INTERLEAVED]


def _expected(places: list[tuple[str, int]]) -> dict[str, list[Entry]]:
    """Return the entries that these lines stand for, `opened` aside."""
    found: dict[str, list[Entry]] = {}
    for room, seq in places:
        found.setdefault(room, []).extend(ENTRIES[seq - 1 : seq] if seq else [])
    return found


class RecoveryTests(SynchronousTestCase):
    def read(self, *segments: bytes) -> dict[str, OpenRoom]:
        directory = Path(self.mktemp())
        directory.mkdir()
        paths = []
        for number, content in enumerate(segments, 1):
            path = directory / f"{number}.journal"
            path.write_bytes(content)
            paths.append((number, path))
        with capturedLogs() as events:
            reading = read(paths)
        self.logged, self.damaged = sentences(events), set(reading.damaged)
        return reading.rooms

    def found(self, *segments: bytes) -> dict[str, list[Entry]]:
        return {name: room.history.entries for name, room in self.read(*segments).items()}

    def test_a_room_has_the_facts_it_was_opened_with(self) -> None:
        room = self.read(_line(A, 0))[A]
        self.assertEqual(room, OpenRoom(history(A), 1))
        self.assertEqual(room.seq, 1)

    def test_a_tail_torn_at_any_byte_costs_only_the_torn_line(self) -> None:
        content = b"".join(LINES)
        for end in range(len(content) + 1):
            whole = content[:end].count(b"\n")
            self.assertEqual(self.found(content[:end]), _expected(INTERLEAVED[:whole]))
            is_torn = not content[:end].endswith(b"\n") and end > 0
            tail = len(content[:end].rpartition(b"\n")[2])
            torn = f"journal: 1.journal: damaged lines: {whole + 1}; 1 in all, {tail} bytes; "
            torn += f"the file ends in the middle of the last one, after {end} bytes; games of which no other "
            self.assertEqual([said[: len(torn)] for said in self.logged[:1]], [torn] if is_torn else [])
            self.assertEqual(self.damaged, {1} if is_torn else set())

    def test_zeroes_are_counted_in_bytes(self) -> None:
        self.found(LINES[0] + bytes(727_960) + b"\n" + LINES[1])
        self.assertEqual(self.logged[0], BAD.format(2, 1, 727_961))

    def test_a_torn_tail_hides_nothing_of_the_next_segment(self) -> None:
        segments = b"".join(LINES[:4]) + LINES[4][:-5], b"".join(LINES[4:])
        self.assertEqual(self.found(*segments), _expected(INTERLEAVED))
        self.assertTrue(self.logged[0].startswith("journal: 1.journal: damaged lines: 5; 1 in all, "), self.logged[0])

    def test_the_segment_of_the_first_line_is_known(self) -> None:
        rooms = self.read(LINES[0] + LINES[1], LINES[2], LINES[3])
        self.assertEqual([room.first for room in rooms.values()], [1, 2])

    def test_a_damaged_line_costs_its_room_the_rest_and_no_other_room_anything(self) -> None:
        for place, (room, seq) in enumerate(INTERLEAVED):
            damaged = LINES[place].replace(b'"at":', b'"at":9', 1)
            self.assertNotEqual(damaged, LINES[place])
            found = self.found(b"".join([*LINES[:place], damaged, *LINES[place + 1 :]]))
            kept = [(name, n) for name, n in INTERLEAVED if name != room or n < seq]
            self.assertEqual(found, _expected(kept))
            self.assertEqual(self.logged[0], BAD.format(place + 1, 1, len(damaged)))
            self.assertEqual(self.damaged, {1})

    def test_a_damaged_line_is_told_with_what_it_costs(self) -> None:
        self.found(LINES[0] + b"nonsense\n" + LINES[3] + LINES[2])
        breaks_off = "breaks off after entry 0: what followed may be among the damaged lines"
        self.assertEqual(
            self.logged,
            [
                BAD.format(2, 1, 9),
                "journal: room=room-a game=battleship: the entries 1 to 1 are missing, and 1 after them are not used",
                f"journal: room=room-b game=battleship {breaks_off}",
            ],
        )

    def test_a_gap_ends_a_room(self) -> None:
        places = [(A, 0), (A, 1), (A, 3), (B, 0), (B, 1)]
        segments = b"".join(_line(*place) for place in places[:2]), b"".join(_line(*place) for place in places[2:4])
        self.assertEqual(self.found(*segments, _line(*places[4])), _expected([(A, 0), (A, 1), (B, 0), (B, 1)]))
        self.assertIn("room=room-a game=battleship: the entries 2 to 2 are missing", self.logged[0])
        # Something was cut out of one of those that its lines are in.
        self.assertEqual(self.damaged, {1, 2})

    def test_what_a_restart_appended_at_a_gap_is_taken(self) -> None:
        found = self.found(_line(A, 0) + _line(A, 1) + _line(A, 3), _line(A, 2, END))
        self.assertEqual((found, self.logged), ({A: [ENTRIES[0], END]}, []))

    def test_a_room_without_its_first_line_is_not_found(self) -> None:
        self.assertEqual(self.found(_line(A, 1) + _line(B, 0)), {B: []})
        self.assertIn("room=room-a: how it was opened is missing, so its 1 entries are not used", self.logged[0])
        self.assertEqual(self.damaged, {1})

    def test_a_room_must_be_opened_with_its_facts(self) -> None:
        self.assertEqual(self.found(_line(A, 0, Entry(0, OPENED)) + _line(B, 0, ENTRIES[0])), {})
        self.assertIn("room=room-a cannot be opened: KeyError('game')", self.logged[0])
        self.assertIn("room=room-b: how it was opened is missing", self.logged[1])

    def test_lines_in_any_order_are_the_same_room(self) -> None:
        whole = [_line(A, 0), _line(A, 1), _line(A, 2), _line(A, 3, END), _line(B, 0)]
        for first in range(5):
            for second in range(first):
                swapped = list(whole)
                swapped[first], swapped[second] = whole[second], whole[first]
                self.assertEqual(self.found(b"".join(swapped)), {A: [*ENTRIES[:2], END], B: []})
                # The order between rooms means nothing.
                self.assertEqual(self.damaged, set() if swapped[:4] == whole[:4] else {1} & self.damaged)
        self.assertEqual(self.found(b"".join([whole[0], whole[2], whole[1], whole[3]])), {A: [*ENTRIES[:2], END]})
        self.assertEqual(self.logged[0], "journal: room=room-a: its lines are not in their order, and are used")
        self.assertEqual(self.damaged, {1})

    def test_a_forgotten_room_whose_first_segment_is_gone_is_no_damage(self) -> None:
        """It began in a segment that nobody needs, and its beginning stands once more before its end."""
        forgotten = encode(prefix(A), 4, Entry(0, FORGOTTEN))
        rest = [_line(A, 2), _line(A, 0), _line(A, 1), _line(A, 3, END)]
        self.assertEqual(self.found(b"".join([*rest, forgotten, _line(B, 0)])), {B: []})
        self.assertEqual((self.logged, self.damaged), ([], set()))

    def test_lines_that_come_after_their_room_was_forgotten_open_nothing(self) -> None:
        forgotten = encode(prefix(A), 3, Entry(0, FORGOTTEN))
        self.assertEqual(self.found(_line(A, 0) + _line(A, 1) + forgotten + _line(A, 2)), {})
        self.assertEqual(self.found(forgotten + _line(A, 0) + _line(A, 1)), {})
        self.assertEqual(self.logged, [])

    def test_what_is_repeated_before_the_end_replaces_what_was_damaged(self) -> None:
        for bad in range(2):
            lines = [_line(A, 0), _line(A, 1), _line(A, 2), _line(A, 0), _line(A, 1), _line(A, 3, END)]
            lines[bad] = lines[bad].replace(b'"at":', b'"at":9', 1)
            self.assertEqual(self.found(b"".join(lines)), {A: [*ENTRIES[:2], END]})
            self.assertIn(f"damaged lines: {bad + 1}", self.logged[0])
            self.assertEqual(self.damaged, {1})

    def test_a_damaged_line_feed_costs_no_line(self) -> None:
        whole = b"".join(LINES)
        for at in [at for at, byte in enumerate(whole) if byte == ord("\n")]:
            damaged = whole[:at] + b"\x0b" + whole[at + 1 :]
            self.assertEqual(self.found(damaged), _expected(INTERLEAVED))
            self.assertEqual(self.damaged, {1})

    def test_zeroes_cost_the_lines_that_they_touch_only(self) -> None:
        whole = b"".join(LINES)
        end = len(whole) - len(LINES[7])
        self.assertEqual(self.found(whole[:end] + bytes(len(LINES[7]))), _expected(INTERLEAVED[:7]))
        self.assertEqual(self.damaged, {1})
        begin = len(LINES[0] + LINES[1])
        zeroed = whole[: begin - 1] + bytes(1 + len(LINES[2])) + whole[begin + len(LINES[2]) :]
        self.assertEqual(self.found(zeroed), {A: ENTRIES})
        self.assertIn(
            "room=room-b: how it was opened is missing, so its 3 entries are not used", "\n".join(self.logged)
        )

    def test_a_forgotten_room_is_not_found(self) -> None:
        forgotten = encode(prefix(A), 2, Entry(0, FORGOTTEN))
        self.assertEqual(self.found(_line(A, 0) + _line(A, 1), _line(B, 0) + forgotten), {B: []})

    def test_a_gap_in_a_forgotten_room_is_no_loss(self) -> None:
        forgotten = encode(prefix(A), 9, Entry(0, FORGOTTEN))
        self.assertEqual(self.found(_line(A, 2) + forgotten), {})
        self.assertEqual(self.logged, [])

    def test_a_history_begins_after_the_opening(self) -> None:
        (room,) = self.read(LINES[0] + LINES[1]).values()
        whole: History = history(A)
        whole.entries.append(ENTRIES[0])
        self.assertEqual(room.history, whole)

    def test_a_segment_that_cannot_be_read_is_an_error(self) -> None:
        self.assertRaises(OSError, read, [(1, Path(self.mktemp()))])
