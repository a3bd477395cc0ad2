"""The official server's replay files: byte for byte, there and back, and what is refused."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random
from uuid import UUID

from lxml import etree
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import RemoteProtocolError, RuleError
from gamed.core.game import CHANCE, Outcome, Seat, Termination
from gamed.core.history import DRAWN, JOINED, LEFT, MOVE, STARTED, Entry, History, Value, ended
from gamed.games.softwarechallenge.replays import UNKNOWN_TIME
from gamed.games.softwarechallenge.seasons.hive.moves import to_notation
from gamed.games.softwarechallenge.seasons.hive.replays import read_replay, write
from gamed.games.softwarechallenge.seasons.hive.rules import Hive
from gamed.games.softwarechallenge.seasons.hive.strategy import Uniform
from gamed.records.importer import Imported, check
from gamed.records.index import index, schema_directory
from gamed.records.own import to_history
from gamed.records.record import document as record_document
from gamed.replayers import readers, replayers
from tests.games.softwarechallenge.recorded import connections, scenarios

GAME = Hive()
SCHEMA = "swc_2020_hive-replay.xsd"
ROOM = "6f0c1f0e-7c7e-4c1b-9d5e-2f6d3a1b4c5d"
LIMITS = {"soft_milliseconds": 2000, "hard_milliseconds": 10_000}
SIZES = {"78-save-replay": 55_907, "79-save-replay-join": 40_008}
"""The bytes of the replay files that the official server wrote in two scenarios; their transcripts' notes say so."""


def recorded(scenario: str) -> bytes:
    """Return the replay file of a recorded game, put together from what the player that stayed was told."""
    return filed(connections(scenario)[3].heard)


def filed(stream: bytes) -> bytes:
    """Return the replay file of a game, put together from what the server said to somebody."""
    rooms = re.findall(rb'\n  (<room [^>]*>\n    <data class="(?:memento|result)">.*?\n  </room>)', stream, re.DOTALL)
    told = [re.sub(rb"(?m)^  ", b"", room) for room in rooms]
    return b"\n".join([b"<protocol>", *told, b"</protocol>"])


def violations(file: bytes) -> list[str]:
    """Return what in a replay file the schema does not allow."""
    schema = etree.XMLSchema(etree.parse(schema_directory() / SCHEMA))
    schema.validate(etree.fromstring(file))
    return [entry.message for entry in schema.error_log]


def random_moves(seed: int, most: int = 60) -> tuple[list[str], Outcome | None]:
    """Return chance's lot and the moves of a random game, and how it ended, if it did within so many moves."""
    random, state = Random(seed), GAME.setup({})
    lot = GAME.draw(state, random)
    state = GAME.apply(state, CHANCE, lot)
    texts = [to_notation(lot)]
    while GAME.outcome(state) is None and len(texts) <= most:
        move = Uniform().choose(state, state.mover, random)
        texts.append(to_notation(move))
        state = GAME.apply(state, state.mover, move)
    return texts, GAME.outcome(state)


def history(moves: Sequence[str], *end: Entry, hints: dict[int, str] | None = None) -> History:
    """Return a game as it comes back from a replay file; the first of the moves is the lot."""
    joined = [Entry(0, JOINED, seat, data={"name": name}) for seat, name in enumerate(('a "b"\n<c>', "Ω"))]
    made = [
        Entry(0, MOVE, number % 2, move.encode(), {"hint": hints[number]} if hints and number in hints else {})
        for number, move in enumerate(moves[1:])
    ]
    entries = [*joined, Entry(0, STARTED), Entry(0, DRAWN, body=moves[0].encode()), *made, *end]
    return History(ROOM, "hive", UNKNOWN_TIME, 0, LIMITS, entries)


def lost(seat: Seat, why: Termination, **data: Value) -> tuple[Entry, Entry]:
    """Return the entries of an end by fault."""
    return Entry(0, LEFT, seat, data={"why": str(why), **data}), ended(0, Outcome(why, 1 - seat))


def whole(seed: int) -> History:
    moves, outcome = random_moves(seed)
    assert outcome is not None
    return history(moves, ended(0, outcome))


class OfficialTests(SynchronousTestCase):
    def test_the_recorded_files_have_the_sizes_that_were_told(self) -> None:
        self.assertEqual({name: len(recorded(name)) for name in SIZES}, SIZES)

    def test_what_is_read_of_them_is_written_as_they_are(self) -> None:
        for name in SIZES:
            self.assertEqual(write(read_replay(recorded(name))), recorded(name), name)

    def test_the_schema_describes_what_is_in_every_recorded_game(self) -> None:
        for name in scenarios():
            for number, connection in connections(name).items():
                self.assertEqual(violations(filed(connection.heard)), [], (name, number))

    def test_what_the_schema_does_not_allow(self) -> None:
        good = recorded("78-save-replay")
        for was, now in (
            (b' turn="1"', b' turn="61"'),
            (b'x="5" y="0" z="-5"', b'x="6" y="0" z="-6"'),
            (b"<null/>", b""),
            (b'type="BEE"', b'type="LADYBUG"'),
            (b'cause="LEFT"', b'cause="LOST"'),
            (b"<part>4</part>", b""),
        ):
            self.assertNotEqual(violations(good.replace(was, now, 1)), [], now)

    def test_what_they_say(self) -> None:
        found = read_replay(recorded("78-save-replay"))
        self.assertEqual([entry.data["name"] for entry in found.of_kind(JOINED)], ["Al pha", "Beta"])
        self.assertEqual(found.outcome, Outcome(Termination.LEFT, 1))
        self.assertEqual((str(UUID(found.room)), found.opened_at), (found.room, UNKNOWN_TIME))


class ThereAndBackTests(SynchronousTestCase):
    def check(self, made: History) -> None:
        self.assertEqual(violations(write(made)), [])
        again = read_replay(write(made))
        self.assertEqual((again.entries, again.room, again.options), (made.entries, made.room, made.options))

    def test_whole_games(self) -> None:
        for seed in range(4):
            self.check(whole(seed))

    def test_games_that_were_lost_by_a_fault(self) -> None:
        moves, _ = random_moves(1, 9)
        for seat in (0, 1):
            self.check(history(moves, *lost(seat, Termination.LEFT)))
            self.check(history(moves, *lost(seat, Termination.FORFEIT, text="It's not your turn yet.\n<&")))
            self.check(history(moves, *lost(seat, Termination.TIME, limit="soft")))
            self.check(history(moves, *lost(seat, Termination.TIME, limit="hard")))

    def test_games_without_a_result(self) -> None:
        moves, _ = random_moves(2, 9)
        cancelled = history(moves, ended(0, Outcome(Termination.CANCELLED)))
        self.check(cancelled)
        self.assertNotIn(b"result", write(cancelled))
        stopped = history(moves, ended(0, Outcome(Termination.SHUTDOWN)))
        self.assertEqual(read_replay(write(stopped)).entries, cancelled.entries)

    def test_a_game_without_a_move(self) -> None:
        self.check(history(random_moves(3, 0)[0], *lost(1, Termination.LEFT)))

    def test_hints(self) -> None:
        moves, _ = random_moves(4, 6)
        self.check(history(moves, *lost(0, Termination.LEFT), hints={0: "a", 3: "<b>\n  & c\n  "}))

    def test_the_hint_of_a_pass(self) -> None:
        moves = ["O -5,1 -4,-1 -4,0", "S A -5,0", "P"]
        made = history(moves, *lost(0, Termination.LEFT), hints={1: "nothing to do"})
        self.check(made)
        self.assertIn(b'<lastMove class="skipmove">\n        <hint>nothing to do</hint>\n', write(made))

    def test_the_time_limit_is_told(self) -> None:
        made = history(random_moves(5, 2)[0], *lost(0, Termination.TIME, limit="soft", soft=3500, hard=10_000))
        self.assertIn(b"innerhalb von 3.5 Sekunden", write(made))


def imported(document: bytes) -> Imported:
    return check(document, index(), replayers(), readers())


def taken(document: bytes) -> History:
    """Return the history in the record that comes of a document."""
    found = imported(document)
    assert found.record is not None, found
    return to_history(found.record)


class BrokenOffTests(SynchronousTestCase):
    """The official server's files of games that a player left: there is no result in them."""

    def setUp(self) -> None:
        self.moves, _ = random_moves(8, 6)
        self.document = write(history(self.moves, *lost(0, Termination.LEFT)))

    def assert_taken(self, document: bytes, moves: int) -> None:
        expected = history(self.moves[: 1 + moves], ended(0, Outcome(Termination.CANCELLED)))
        self.assertEqual(taken(document), expected)

    def test_an_empty_room_instead_of_the_result(self) -> None:
        states = self.document[: self.document.rindex(b"<room ")]
        self.assert_taken(states + f'<room roomId="{ROOM}"/>\n</protocol>'.encode(), 6)
        self.assert_taken(states + f'<room roomId="{ROOM}"/>\n'.encode(), 6)

    def test_a_file_that_is_cut_off(self) -> None:
        starts = [found.start() for found in re.finditer(b"<room ", self.document)]
        self.assertEqual(len(starts), 8)
        self.assert_taken(self.document.removesuffix(b"</protocol>")[: starts[7]], 6)
        self.assert_taken(self.document[: starts[4]], 3)
        for cut in (starts[4] + 1, starts[4] + 300, starts[5] - 3):
            self.assert_taken(self.document[:cut], 3)

    def test_what_is_cut_off_before_the_first_state_is_none(self) -> None:
        self.assertEqual(imported(self.document[:800]).code, "not-valid")

    def test_a_character_that_is_cut_off(self) -> None:
        cut = self.document.index("Ω".encode(), self.document.index(b'turn="3"'))
        self.assert_taken(self.document[: cut + 1], 2)

    def test_another_encoding_is_refused_whole_or_cut_off(self) -> None:
        other = self.document.decode().replace("Ω", "ä").encode("latin-1", "replace")
        for document in (other, other[: len(other) // 2]):
            self.assertEqual(imported(document).code, "not-xml")

    def test_malformed_xml_is_still_told_with_its_place(self) -> None:
        spoilt = self.document.replace(b"</board>", b"</bored>", 1)
        found = imported(spoilt[:30_000])
        self.assertEqual((found.code, found.line), ("not-xml", spoilt[: spoilt.index(b"</bored>")].count(b"\n") + 1))


class StreamTests(SynchronousTestCase):
    """What the season's GUI saves: all that the server told it."""

    def stream(self, session: str) -> bytes:
        """Return what an administrator was told in a recorded session of the official server."""
        return connections(session)[1].heard

    def test_a_whole_stream_of_the_official_server(self) -> None:
        stream = self.stream("41-prepared-unpaused-full-game")
        self.assertTrue(all(word in stream for word in (b"<prepared ", b"<observed ", b"<left ")))
        found = taken(stream)
        self.assertEqual(found.outcome, Outcome(Termination.DRAW))
        self.assertEqual(len(list(found.of_kind(MOVE))), 10)
        # A reservation code is as good as a password.
        record = imported(stream).record
        assert record is not None
        codes = re.findall("<reservation>(.*?)<", stream.decode())
        self.assertEqual([code for code in codes if code.encode() in record_document(record)], [])
        self.assertEqual(len(codes), 4)

    def test_streams_of_games_that_a_player_left_or_that_were_cancelled(self) -> None:
        for session, outcome in (
            ("74-utf8-names", Outcome(Termination.LEFT, 1)),
            ("40-admin-prepare-observe-pause-step", Outcome(Termination.CANCELLED)),
        ):
            self.assertEqual(taken(self.stream(session)).outcome, outcome)

    def test_a_player_s_stream(self) -> None:
        stream = connections("78-save-replay")[3].heard
        self.assertIn(b"welcomeMessage", stream)
        self.assertEqual(taken(stream), read_replay(recorded("78-save-replay")))

    def test_the_games_of_two_rooms_are_refused(self) -> None:
        both = self.stream("74-utf8-names").removesuffix(b"</protocol>") + recorded("78-save-replay")[10:]
        found = imported(both)
        self.assertEqual(found.code, "not-valid")
        self.assertIn("more than one room", found.sentence)

    def test_the_last_state_of_a_held_game_is_not_told(self) -> None:
        """The official server sends the result of a paused game without the state that it is of."""
        for seed in range(1, 8):
            document = write(whole(seed))
            starts = [found.start() for found in re.finditer(b"<room ", document)]
            found = taken(document[: starts[-2]] + document[starts[-1] :])
            self.assertEqual(found.outcome, Outcome(Termination.CANCELLED))
            self.assertEqual(len(list(found.of_kind(MOVE))), len(starts) - 3)


class RefusedTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.document = write(whole(7))

    def imported(self, document: bytes) -> Imported:
        return imported(document)

    def code(self, old: str, new: str) -> str:
        """Return what becomes of the document when its first part of this kind is another one."""
        self.assertIn(old.encode(), self.document)
        return self.imported(self.document.replace(old.encode(), new.encode(), 1)).code

    def test_as_it_is_it_is_imported(self) -> None:
        found = self.imported(self.document)
        self.assertEqual(found.code, "imported")
        assert found.record is not None
        self.assertEqual(to_history(found.record), whole(7))
        self.assertEqual(found.record.id, ROOM)

    def test_a_game_with_other_moves_is_illegal(self) -> None:
        last = re.findall(rb'<lastMove.*?<destination x="(.*?)"', self.document, re.DOTALL)
        self.assertTrue(last)
        changed = re.sub(rb'(<lastMove.*?<destination x=")[^"]*', rb"\g<1>5", self.document, count=1, flags=re.DOTALL)
        self.assertEqual(self.imported(changed).code, "illegal")

    def test_states_that_do_not_follow_are_illegal(self) -> None:
        middle = self.document.index(b'turn="5"')
        head, tail = self.document[:middle], self.document[middle:]
        changed = head + tail.replace(b'isObstructed="false"/>', b'isObstructed="true"/>', 1)
        self.assertEqual(self.imported(changed).code, "illegal")

    def test_a_missing_state_is_illegal(self) -> None:
        without = re.sub(rb'<room [^>]*>\s*<data class="memento">\s*<state [^>]*turn="4".*?</room>', b"",
                         self.document, flags=re.DOTALL)  # fmt: skip
        self.assertLess(len(without), len(self.document))
        self.assertEqual(self.imported(without).code, "illegal")

    def test_a_repeated_state_is_nothing(self) -> None:
        (state,) = re.findall(rb'<room [^>]*>\s*<data class="memento">\s*<state [^>]*turn="4".*?</room>',
                              self.document, flags=re.DOTALL)  # fmt: skip
        twice = self.document.replace(state, state + b"\n" + state)
        self.assertEqual(read_replay(twice), read_replay(self.document))

    def test_another_result_is_illegal(self) -> None:
        winner = b"RED" if b'<winner color="RED"' in self.document else b"BLUE"
        other = b"BLUE" if winner == b"RED" else b"RED"
        changed = self.document.replace(b'<winner color="' + winner, b'<winner color="' + other)
        self.assertEqual(self.imported(changed).code, "illegal")
        cut = write(history(random_moves(7, 5)[0], ended(0, Outcome(Termination.CANCELLED))))
        result = self.document[self.document.rindex(b"<room ") :]
        self.assertEqual(self.imported(cut.replace(b"</protocol>", result)).code, "illegal")

    def test_what_is_no_replay(self) -> None:
        self.assertEqual(self.code('turn="0"', 'turn="2"'), "not-valid")
        self.assertEqual(self.code("memento", "welcomeMessage"), "not-valid")
        self.assertEqual(self.code('class="setmove"', 'class="nonsense"'), "not-valid")
        without = re.sub(rb"<lastMove.*?</lastMove>", b"", self.document, count=1, flags=re.DOTALL)
        self.assertEqual(self.imported(without).code, "not-valid")
        self.assertEqual(self.imported(b"<protocol/>").code, "not-valid")
        self.assertEqual(self.imported(b'<protocol><joined roomId="R"/></protocol>').code, "not-valid")
        self.assertEqual(self.imported(b"<protocol>").code, "not-valid")
        self.assertEqual(self.imported(b"<protocol></room>").code, "not-xml")
        self.assertEqual(self.imported(b"<!DOCTYPE protocol><protocol/>").code, "forbidden")

    def test_a_room_whose_id_is_none(self) -> None:
        self.assertEqual(self.imported(self.document.replace(ROOM.encode(), b"R")).code, "not-valid")

    def test_nothing_else_comes_of_spoilt_bytes(self) -> None:
        random = Random(1)
        for _ in range(60):
            spoilt = bytearray(self.document[:60_000] + b"</protocol>")
            for _ in range(random.randrange(1, 4)):
                spoilt[random.randrange(len(spoilt))] = random.randrange(256)
            try:
                read_replay(bytes(spoilt))
            except (RemoteProtocolError, RuleError):
                continue
