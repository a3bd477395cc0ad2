"""What Prometheus reads, and what it may rely on."""

from __future__ import annotations

import gc
import re
from datetime import UTC, datetime
from pathlib import Path

from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.events import Moved
from gamed.core.stats import Histogram, Stats, Traffic
from gamed.process.garbage import GarbagePauses
from gamed.web.metrics import DaemonCollector, registry
from tests.lobby.doubles import LAST_SUNK, SHOT, LobbyTestCase, WatchedJournal

UNITS = ("_ready", "_problem", "_seconds", "_bytes", "_info", "_total", "_rooms", "_connections", "_records_waiting")
LABELS = {"part", "game", "state", "listener", "cause", "termination", "code", "le", "version"}


class DistributionTests(SynchronousTestCase):
    def test_values_fall_below_their_bounds(self) -> None:
        distribution = Histogram((1.0, 2.0))
        for value in (0.5, 1.0, 1.5, 2.0, 9.0):
            distribution.observe(value)
        self.assertEqual((distribution.counts, distribution.total, distribution.count), ([2, 2, 1], 14.0, 5))


class GarbageTests(SynchronousTestCase):
    def test_each_collection_is_a_pause(self) -> None:
        pauses = Histogram()
        garbage = GarbagePauses(pauses)
        garbage.start()
        gc.collect()
        garbage.stop()
        gc.collect()
        self.assertEqual(pauses.count, 1)
        self.assertGreater(pauses.total, 0.0)
        garbage.stop()


class MetricsTests(LobbyTestCase):
    def setUp(self) -> None:
        self.open(journal=WatchedJournal())
        self.problems: dict[str, str] = {}
        self.traffic = Traffic(accepted=3, received=100, sent=50)
        self.traffic.refused["address"] = 2
        collector = DaemonCollector(
            self.lobby.stats,
            self.lobby.rooms.values,
            lambda: self.lobby.record_writer.unstored,
            traffic={"battleship": self.traffic},
            sessions={"battleship": {}},
            problems=lambda: self.problems,
            expiries=lambda: {"web": datetime(1970, 1, 2, tzinfo=UTC)},
            warnings=lambda: {"journal": "damaged"},
        )
        self.registry = registry(collector)

    def scraped(self) -> str:
        return generate_latest(self.registry).decode()

    def value(self, line: str) -> float:
        """Return the value of the one sample that is named so, labels included."""
        (found,) = re.findall(rf"^{re.escape(line)} (\S+)$", self.scraped(), re.MULTILINE)
        return float(found)

    def test_before_the_first_game(self) -> None:
        self.assertEqual(self.value("gamed_move_latency_seconds_count"), 0)
        self.assertEqual(self.value("gamed_faults_total"), 0)

    def test_whether_it_is_ready_and_until_when_its_certificates_hold(self) -> None:
        self.assertEqual(self.value("gamed_ready"), 1)
        self.problems["journal"] = "the disk is full"
        self.assertEqual((self.value("gamed_ready"), self.value('gamed_problem{part="journal"}')), (0, 1))
        self.assertEqual(self.value('gamed_warning{part="journal"}'), 1)
        self.assertEqual(self.value('gamed_certificate_expiry_timestamp_seconds{listener="web"}'), 86_400)

    def test_a_game_is_counted(self) -> None:
        room = self.match()
        self.assertEqual(self.value('gamed_rooms{game="battleship",state="playing"}'), 1)
        room.receive(1, [SHOT])
        room.receive(0, [LAST_SUNK])
        self.clock.turn()
        self.assertEqual(self.value('gamed_moves_total{game="battleship"}'), 2)
        self.assertEqual(self.value('gamed_rooms_opened_total{game="battleship"}'), 1)
        self.assertEqual(self.value('gamed_games_ended_total{game="battleship",termination="victory"}'), 1)
        self.assertGreaterEqual(self.value("gamed_move_latency_seconds_count"), 2)
        self.turns(5, 1.0)
        self.assertEqual(self.value("gamed_store_keep_seconds_count"), 1)
        self.assertEqual(self.value("gamed_records_waiting"), 0)

    def test_a_finding_is_counted(self) -> None:
        room = self.match()
        room.receive(0, [SHOT])
        self.turns(5, 1.0)
        self.assertEqual(self.value('gamed_findings_total{code="out-of-turn",game="battleship"}'), 1)

    def test_errors_are_counted(self) -> None:
        room = self.match()
        room.receive(1, [SHOT])
        self.journal.refuses = True
        self.clock.turn()
        self.assertEqual(len(self.flushLoggedErrors()), 1)
        self.assertEqual(self.value("gamed_journal_errors_total"), 1)
        self.assertEqual(self.value("gamed_faults_total"), 1)

    def test_a_refused_record_waits(self) -> None:
        self.store.refusals = 1
        room = self.match()
        room.receive(0, [LAST_SUNK])
        self.turns(5, 1.0)
        self.flushLoggedErrors()
        self.assertEqual((self.value("gamed_store_errors_total"), self.value("gamed_records_waiting")), (1, 1))

    def test_listeners_are_counted(self) -> None:
        self.assertEqual(self.value('gamed_connections_accepted_total{listener="battleship"}'), 3)
        self.assertEqual(self.value('gamed_connections_refused_total{cause="address",listener="battleship"}'), 2)
        self.assertEqual(self.value('gamed_received_bytes_total{listener="battleship"}'), 100)

    def test_every_name_follows_the_rules(self) -> None:
        """What `promtool check metrics` looks for: help, type, base units, `_total` on counters alone."""
        self.match().receive(1, [Moved(b"(1,[0,0]).")])
        families = list(text_string_to_metric_families(self.scraped()))
        ours = [family for family in families if family.name.startswith("gamed_")]
        self.assertGreater(len(ours), 15)
        for family in ours:
            self.assertTrue(family.documentation, family.name)
            self.assertNotEqual(family.type, "unknown", family.name)
            self.assertRegex(family.name, r"^gamed_[a-z_]+$")
            self.assertNotRegex(family.name, r"milli|micro|kilo|minutes|count$|sum$|bucket$")
            for sample in family.samples:
                self.assertLessEqual(set(sample.labels), LABELS, family.name)
                self.assertEqual(sample.name.endswith("_total"), family.type == "counter", sample.name)
                if family.type == "histogram":
                    self.assertTrue(family.name.endswith("_seconds"), family.name)

    def test_buckets_only_grow(self) -> None:
        stats = Stats()
        for value in (0.0001, 0.003, 0.003, 7.0):
            stats.latency.observe(value)
        text = generate_latest(registry(DaemonCollector(stats, list, lambda: 0))).decode()
        counts = [int(float(n)) for n in re.findall(r"gamed_move_latency_seconds_bucket.* (\S+)$", text, re.MULTILINE)]
        self.assertEqual((counts, counts[0], counts[-1]), (sorted(counts), 1, 4))

    def test_the_reference_page_has_them_all(self) -> None:
        page = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "metrics.md").read_text()
        shown = set(re.findall(r"^\| `(gamed_\w+)` \|", page, re.MULTILINE))
        ours = {
            f"{family.name}_total" if family.type == "counter" else family.name
            for family in text_string_to_metric_families(self.scraped())
            if family.name.startswith("gamed_")
        }
        self.assertEqual(shown, {name.removesuffix("_info") + "_info" if "build" in name else name for name in ours})
