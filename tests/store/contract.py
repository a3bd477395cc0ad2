"""What every journal and every store must do, as functions that make the test classes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import StoreError
from gamed.core.history import History
from gamed.records.record import unplayed
from gamed.store import Journal, Store
from gamed.store.query import NOBODY, PLAYER, Query
from tests.store.examples import ROOM, history, line, record, summary
from tests.store.pump import Pump

OTHER = "00000000-e89b-42d3-a456-426614174000"


def journal_tests(  # noqa: C901 (a class of tests)
    open_journal: Callable[[Path], Journal], restarted: Callable[[Journal], Journal]
) -> type[SynchronousTestCase]:
    """Return the tests of a journal. `restarted` returns what a new process would find."""

    class JournalTests(SynchronousTestCase):
        def setUp(self) -> None:
            self.journal = open_journal(Path(self.mktemp()))
            self.journal.start()
            # The journal that is current at the end is meant.
            self.addCleanup(lambda: self.journal.stop())  # noqa: PLW0108

        def restart(self) -> list[History]:
            self.journal.stop()
            self.journal = restarted(self.journal)
            self.journal.start()
            return list(self.journal.open_rooms())

        def opened(self, room: str = ROOM) -> History:
            room_history = history(room)
            self.journal.append([(room, (room_history.opened(),))])
            return room_history

        def add(self, room: History, *ats: int) -> int:
            entries = [line(at) for at in ats]
            room.entries += entries
            return self.journal.append([(room.room, entries)])

        def test_a_new_journal_has_no_rooms(self) -> None:
            self.assertEqual(list(self.journal.open_rooms()), [])

        def test_a_running_room_is_found_again_as_it_was(self) -> None:
            room = self.opened()
            self.add(room, 1)
            self.add(room, 2, 3)
            self.assertEqual(self.restart(), [room])

        def test_a_room_that_was_only_opened_is_found_again(self) -> None:
            room = self.opened()
            self.assertEqual(self.restart(), [room])

        def test_rooms_come_in_the_order_of_their_opening(self) -> None:
            rooms = [self.opened(), self.opened(OTHER)]
            self.add(rooms[1], 1)
            self.add(rooms[0], 1)
            self.assertEqual(self.restart(), rooms)

        def test_a_found_room_is_yielded_once(self) -> None:
            self.opened()
            self.restart()
            self.assertEqual(list(self.journal.open_rooms()), [])

        def test_a_found_room_goes_on(self) -> None:
            room = self.opened()
            self.add(room, 1)
            self.restart()
            self.add(room, 2)
            self.assertEqual(self.restart(), [room])

        def test_what_was_found_does_not_change_by_what_is_appended(self) -> None:
            room = self.opened()
            (found,) = self.restart()
            self.add(room, 1)
            self.assertEqual(found.entries, [])

        def test_a_forgotten_room_is_not_found(self) -> None:
            self.opened()
            other = self.opened(OTHER)
            self.journal.forget(ROOM)
            self.assertEqual(self.restart(), [other])

        def test_a_found_room_can_be_forgotten(self) -> None:
            self.opened()
            self.restart()
            self.journal.forget(ROOM)
            self.assertEqual(self.restart(), [])

        def test_forgetting_an_unknown_room_does_nothing(self) -> None:
            room = self.opened()
            self.journal.forget(OTHER)
            self.assertEqual(self.restart(), [room])

        def test_the_position_grows_with_what_is_appended(self) -> None:
            room = self.opened()
            first = self.add(room, 1)
            self.assertEqual(self.journal.append([(ROOM, ())]), first)
            self.assertGreater(self.add(room, 2), first)

        def test_a_room_must_be_opened_first(self) -> None:
            error = self.assertRaises(StoreError, self.journal.append, [(ROOM, (line(1),))])
            self.assertIn(ROOM, str(error))
            self.assertEqual(self.restart(), [])

        def test_a_forgotten_room_takes_no_more(self) -> None:
            room = self.opened()
            self.journal.forget(ROOM)
            self.assertRaises(StoreError, self.add, room, 1)

        def test_with_process_durability_nothing_waits(self) -> None:
            called: list[int] = []
            self.journal.when_synced(self.add(self.opened(), 1), lambda: called.append(1))
            self.assertEqual(called, [1])
            self.assertEqual(self.journal.durability, "process")
            self.assertIsNone(self.journal.failed)

    return JournalTests


def store_tests(  # noqa: C901 (a class of tests)
    open_store: Callable[[Path, Pump], Store],
) -> type[SynchronousTestCase]:
    """Return the tests of a store."""

    class StoreTests(SynchronousTestCase):
        def setUp(self) -> None:
            self.pump = Pump()
            self.store = open_store(Path(self.mktemp()), self.pump)
            self.store.start()
            self.addCleanup(lambda: self.pump.result(self.store.stop()))

        def result(self, deferred: Deferred[Any]) -> Any:
            return self.pump.result(deferred)

        def refusal(self, deferred: Deferred[Any]) -> str:
            return str(self.assertRaises(StoreError, self.result, deferred))

        def keep_all(self, **numbered: dict[str, Any]) -> None:
            for name, facts in numbered.items():
                number = int(name.removeprefix("n"))
                self.result(self.store.keep(record(number), summary(number, **facts)))

        def evidence(self, number: int, now: str) -> Any:
            return self.result(self.store.evidence(record(number).id, now))

        def found(self, query: Query) -> list[int]:
            return [one.length - 40 for one in self.result(self.store.find(query))]

        def test_what_is_kept_comes_back(self) -> None:
            kept = record(1, "<body>Zoë &amp; 碁 \U0001f600\r\n</body>".encode())
            self.assertEqual(self.result(self.store.keep(kept)), kept.id)
            self.assertEqual(self.result(self.store.record(kept.id)), kept)

        def test_the_same_again_is_no_error(self) -> None:
            self.keep_all(n1={})
            self.assertEqual(self.result(self.store.keep(record(1), summary(1))), record(1).id)
            self.assertEqual(self.found(Query()), [1])

        def test_the_same_id_with_other_content_is_refused(self) -> None:
            self.keep_all(n1={})
            self.assertIn(record(1).id, self.refusal(self.store.keep(record(1, b"<body>2</body>"))))
            self.assertEqual(self.result(self.store.record(record(1).id)), record(1))

        def test_the_same_content_spelt_otherwise_is_no_conflict(self) -> None:
            self.result(self.store.keep(record(1, b"<body a='1'  b='2'><x/></body>")))
            self.result(self.store.keep(record(1, b'<body b="2" a="1"><x></x></body>')))
            kept = self.result(self.store.record(record(1).id))
            self.assertEqual(kept.body, b"<body a='1'  b='2'><x/></body>")
            self.assertIn(record(1).id, self.refusal(self.store.keep(record(1, b"<body a='1' b='2'> <x/></body>"))))
            self.assertIn(record(1).id, self.refusal(self.store.keep(record(1, b"no XML"))))

        def test_kept_at_once_only_the_conflict_is_refused(self) -> None:
            records = [record(1), record(2), record(2, b"<body>2</body>"), record(3), record(1)]
            asked = [self.store.keep(one) for one in records]
            self.assertIn(record(2).id, self.refusal(asked.pop(2)))
            self.assertEqual([self.result(one) for one in asked], [record(n).id for n in (1, 2, 3, 1)])
            self.assertEqual(self.result(self.store.record(record(2).id)), record(2))

        def test_a_record_is_found_by_the_beginning_of_its_id(self) -> None:
            self.keep_all(n18={}, n255={})
            self.assertEqual(self.result(self.store.record("0000001")), record(18))

        def test_a_beginning_must_be_unique(self) -> None:
            self.keep_all(n1={}, n2={})
            self.assertIn("more than one", self.refusal(self.store.record("0000")))

        def test_a_beginning_has_four_characters(self) -> None:
            self.keep_all(n1={})
            self.assertIn("there is no record 000;", self.refusal(self.store.record("000")))

        def test_a_beginning_is_no_pattern(self) -> None:
            self.keep_all(n1={})
            for pattern in ("0000%", "0000_", "____", "%%%%"):
                self.assertIn("there is no record", self.refusal(self.store.record(pattern)))

        def test_a_beginning_is_as_it_is_spelt(self) -> None:
            self.keep_all(n43981={})
            self.assertEqual(self.result(self.store.record("0000abcd")), record(43981))
            for other in ("0000ABCD", "000\uff10", "0000abcd\0", "0000\ud800"):
                self.assertIn("there is no record", self.refusal(self.store.record(other)))

        def test_an_unknown_record_is_an_error(self) -> None:
            self.assertIn("there is no record abcd", self.refusal(self.store.record("abcd")))

        def test_a_summary_comes_back_as_it_was(self) -> None:
            draw = summary(2, ("Zoë", "Ada", "碁"), termination="idle")
            self.keep_all(n1={})
            self.result(self.store.keep(record(2), draw))
            self.assertEqual(self.result(self.store.find(Query(termination="idle"))), [draw])

        def test_a_record_without_summary_is_listed_last_and_found_by_its_format(self) -> None:
            foreign = attrs.evolve(record(1), publisher="Chess Club", version="1.0b")
            self.result(self.store.keep(foreign))
            self.keep_all(n2={}, n3={})
            self.assertEqual(self.found(Query()), [2, 3, -40])
            self.assertEqual(self.result(self.store.find(Query(publisher="Chess Club"))), [unplayed(foreign)])
            self.assertEqual(self.found(Query(version="1.0b")), [-40])
            self.assertEqual(self.found(Query(publisher=record(2).publisher, version=record(2).version)), [2, 3])
            self.assertEqual(self.found(Query(publisher="Chess", version="1.0b")), [])

        def test_what_a_later_version_recorded_does_not_expire(self) -> None:
            self.result(self.store.keep(attrs.evolve(record(1), publisher="gamed-chess")))
            self.assertEqual(self.result(self.store.expire("2100-01-01T00:00:00.000Z", 9)), frozenset())

        def test_the_newest_come_first(self) -> None:
            self.keep_all(
                n1={"started": "2026-11-20T00:00:00.000Z"},
                n2={"started": "2026-11-22T00:00:00.000Z"},
                n4={"started": "2026-11-21T00:00:00.000Z"},
                n3={"started": "2026-11-21T00:00:00.000Z"},
            )
            self.assertEqual(self.found(Query()), [2, 3, 4, 1])
            self.assertEqual(self.found(Query(limit=2, offset=1)), [3, 4])

        def test_the_order_is_that_of_code_points(self) -> None:
            own = summary(1)
            texts = [
                "2026-11-2",
                "2026-11-20",
                "2026-11-20 1",
                "2026-11-20T1",
                "2026-11-20t1",
                "20261120",
                "é",
                "\U0001f600",
            ]
            for text in texts:
                self.result(self.store.keep(attrs.evolve(record(1), id=text), attrs.evolve(own, id=text)))
            self.assertEqual([one.id for one in self.result(self.store.find(Query()))], texts)
            for number, text in enumerate(texts):
                asked = Query(after=(own.ended, text))
                self.assertEqual([one.id for one in self.result(self.store.find(asked))], texts[number + 1 :])
            for text in texts:
                name = f"{text} started"
                timed = attrs.evolve(own, id=name, started=text, ended=text, kind="hive")
                self.result(self.store.keep(attrs.evolve(record(1), id=name), timed))
            for number, text in enumerate(texts):
                asked = Query(kind="hive", since=text)
                found = [one.started for one in self.result(self.store.find(asked))]
                self.assertEqual(found, texts[: number - 1 if number else None : -1])

        def test_a_name_that_is_no_text_is_found_all_the_same(self) -> None:
            for number, name in enumerate(("nu\0l", "hal\ud800f", "\udcff")):
                self.result(self.store.keep(record(number), summary(number, (name,))))
                self.assertEqual(self.found(Query(player=name)), [number])

        def test_what_nobody_can_have_is_not_found(self) -> None:
            self.keep_all(n1={})
            for text in ("\0", "\ud800"):
                self.assertEqual(self.found(Query(kind=text)), [])
                self.assertEqual(self.found(Query(player=text, winner=PLAYER)), [])
            self.assertEqual(self.found(Query(after=("\ud800", ""))), [1])

        def test_games_are_in_the_order_of_their_ends(self) -> None:
            self.keep_all(
                n1={"started": "2026-11-01T09:00:00.000Z", "ended": "2026-11-03T09:00:00.000Z"},
                n2={"started": "2026-11-02T09:00:00.000Z", "ended": "2026-11-02T09:00:00.000Z"},
            )
            self.assertEqual(self.found(Query()), [1, 2])
            last = ("2026-11-03T09:00:00.000Z", record(1).id)
            self.assertEqual(self.found(Query(after=last)), [2])

        def test_evidence_is_kept_with_its_record(self) -> None:
            """A later one replaces it. There is none of a record that is not stored."""
            times = [f"2026-11-0{day}T09:00:00.000Z" for day in range(1, 6)]
            self.keep_all(n1={}, n2={})
            for number, seat, data in ((1, 0, "a"), (1, 1, "b"), (2, 0, "c"), (3, 0, "d"), (1, 0, "e")):
                self.result(self.store.keep_evidence(record(number).id, seat, data, times[2], times[0]))
            self.assertEqual(self.evidence(1, times[0]), {0: "e", 1: "b"})
            self.assertEqual(self.evidence(2, times[2]), {0: "c"})
            self.assertEqual(self.evidence(3, times[0]), {})
            # It has expired: nobody gets it, and with the next one it is deleted.
            self.assertEqual(self.evidence(1, times[3]), {})
            self.result(self.store.keep_evidence(record(2).id, 1, "f", times[4], times[3]))
            self.assertEqual([self.evidence(number, times[0]) for number in (1, 2)], [{}, {1: "f"}])

        def test_evidence_goes_with_its_record(self) -> None:
            now = "2026-11-29T09:00:00.000Z"
            self.keep_all(n1={"ended": "2026-11-01T09:00:00.000Z"}, n2={"ended": now})
            for number in (1, 2):
                self.result(self.store.keep_evidence(record(number).id, 0, "a", now, now))
            self.result(self.store.expire(now, 10))
            self.assertEqual([self.evidence(number, now) for number in (1, 2)], [{}, {0: "a"}])

        def test_whose_games_they_were(self) -> None:
            self.keep_all(n1={}, n2={}, n3={})
            for number, owners in ((4, {"203.0.113.7"}), (5, {"203.0.113.7", "ab12"}), (6, {"ab12"})):
                own = attrs.evolve(summary(number), owners=frozenset(owners))
                self.result(self.store.keep(record(number), own))
            *_, last = self.result(self.store.find(Query()))
            self.assertEqual(last, own)
            self.assertEqual(self.found(Query(owners=frozenset({"203.0.113.7"}))), [4, 5])
            self.assertEqual(self.found(Query(owners=frozenset({"ab12", "nobody"}))), [5, 6])
            self.assertEqual(self.found(Query(owners=frozenset())), [])
            self.assertEqual(self.found(Query()), [1, 2, 3, 4, 5, 6])

        def test_since_includes_its_moment(self) -> None:
            self.keep_all(n1={"started": "2026-10-31T23:59:59.999Z"}, n2={"started": "2026-11-01T00:00:00.000Z"})
            self.assertEqual(self.found(Query(since="2026-11")), [2])
            self.assertEqual(self.found(Query(since="2026-11-01T00:00:00.000Z")), [2])

        def test_what_is_asked_for_must_all_fit(self) -> None:
            self.keep_all(
                n1={"kind": "hive"},
                n2={"names": ("Grace", "Edsger")},
                n3={"termination": "left"},
                n4={"names": ("Edsger", "Grace"), "termination": "left"},
            )
            self.assertEqual(self.found(Query(kind="battleship")), [2, 3, 4])
            self.assertEqual(self.found(Query(player="Grace")), [1, 2, 3, 4])
            self.assertEqual(self.found(Query(player="Edsger")), [2, 4])
            self.assertEqual(self.found(Query(player="edsger")), [])
            self.assertEqual(self.found(Query(player="Edsger", termination="left")), [4])
            self.assertEqual(self.found(Query(kind="hive", termination="left")), [])

        def test_a_player_on_two_seats_is_one_game(self) -> None:
            self.keep_all(n1={"names": ("Ada", "Ada")})
            self.assertEqual(self.found(Query(player="Ada")), [1])

        def test_until_includes_the_whole_of_what_it_names(self) -> None:
            self.keep_all(n1={"started": "2026-10-31T23:59:59.999Z"}, n2={"started": "2026-11-01T00:00:00.000Z"})
            self.assertEqual(self.found(Query(until="2026-10")), [1])
            self.assertEqual(self.found(Query(until="2026-11-01")), [2, 1])
            self.assertEqual(self.found(Query(until="2026-10-30")), [])
            self.assertEqual(self.found(Query(since="2026-11", until="2026-11")), [2])

        def test_the_winner_is_a_seat_or_nobody_or_the_player(self) -> None:
            self.keep_all(n1={"names": ("Ada", "Grace")}, n2={"names": ("Grace", "Ada")})
            self.result(self.store.keep(record(3), attrs.evolve(summary(3), winner=None)))
            self.result(self.store.keep(record(4), attrs.evolve(summary(4), winner=1)))
            self.assertEqual(self.found(Query(winner=0)), [1, 2])
            self.assertEqual(self.found(Query(winner=1)), [4])
            self.assertEqual(self.found(Query(winner=NOBODY)), [3])
            self.assertEqual(self.found(Query(winner=PLAYER, player="Ada")), [1])
            self.assertEqual(self.found(Query(winner=PLAYER, player="Grace")), [2, 4])
            self.assertEqual(self.found(Query(winner=PLAYER, player="Nobody")), [])

        def test_what_follows_a_game(self) -> None:
            early, late = "2026-11-20T00:00:00.000Z", "2026-11-21T00:00:00.000Z"
            self.keep_all(n1={"started": early}, n2={"started": late}, n3={"started": late}, n4={"started": early})
            self.assertEqual(self.found(Query()), [2, 3, 1, 4])
            for place, number, started in ((1, 2, late), (2, 3, late), (3, 1, early), (4, 4, early)):
                self.assertEqual(self.found(Query(after=(started, record(number).id))), [2, 3, 1, 4][place:])

        def test_the_header_of_a_record(self) -> None:
            self.keep_all(n1={})
            self.assertEqual(self.result(self.store.header(record(1).id)), b"<header/>")
            for other in (record(2).id, record(1).id[:8], ""):
                self.assertIsNone(self.result(self.store.header(other)))

        def test_own_games_that_ended_before_a_moment_expire_some_at_a_time(self) -> None:
            numbers = range(1, 6)
            for number in numbers:
                ended = f"2026-11-0{number}T10:00:00.000Z"
                own = attrs.evolve(summary(number), started=f"2026-11-0{number}T09:00:00.000Z", ended=ended)
                self.result(self.store.keep(record(number), own))
            foreign = attrs.evolve(record(9), publisher="GoFans")
            imported = attrs.evolve(summary(9), publisher="GoFans", started="1846-09-11", ended="1846-09-11")
            self.result(self.store.keep(foreign, imported))
            before = "2026-11-04T10:00:00.000Z"
            self.assertEqual(self.result(self.store.expire(before, 2)), {record(number).id for number in (1, 2)})
            self.assertEqual(len(self.found(Query())), 4)
            self.assertEqual([self.result(self.store.expire(before, 2)) for _ in range(2)], [{record(3).id}, set()])
            self.assertEqual(self.found(Query()), [5, 4, 9])
            for number in (1, 2, 3):
                self.assertIsNone(self.result(self.store.header(record(number).id)))

    return StoreTests
