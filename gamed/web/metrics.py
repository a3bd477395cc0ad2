"""The metrics that Prometheus reads at `/metrics`.

Source: docs/reference/metrics.md, which lists every metric. Values are in base units, and no label has an unbounded
number of values. Everything is collected when it is requested, so that a move pays only for a few counters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from attrs import define, field
from prometheus_client import CollectorRegistry, GCCollector, PlatformCollector, ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, InfoMetricFamily
from prometheus_client.registry import Collector

from gamed import __version__
from gamed.core.stats import Histogram, Stats, Traffic

Families = Iterator[CounterMetricFamily | GaugeMetricFamily | HistogramMetricFamily | InfoMetricFamily]


@define(eq=False)
class DaemonCollector(Collector):
    """Collects the metrics of a daemon."""

    stats: Stats

    rooms: Callable[[], Iterable[Any]]
    """Returns the open rooms."""

    waiting_records: Callable[[], int]
    """Returns the number of ended games that are not stored yet."""

    traffic: Mapping[str, Traffic] = field(factory=dict, kw_only=True)
    """The traffic of each listener, by its name."""

    sessions: Mapping[str, Mapping[Any, None]] = field(factory=dict, kw_only=True)
    """The connections of each listener, by its name."""

    problems: Callable[[], Mapping[str, str]] = field(default=dict, kw_only=True)
    """Returns the problems that `/readyz` shows."""

    expiries: Callable[[], Mapping[str, datetime]] = field(default=dict, kw_only=True)
    """Returns when the certificates of TLS listeners expire."""

    warnings: Callable[[], Mapping[str, str]] = field(default=dict, kw_only=True)
    """Returns the warnings that `/readyz` shows."""

    def collect(self) -> Families:
        """Yield all metrics."""
        yield InfoMetricFamily("gamed_build", "The version of gamed.", {"version": __version__})
        yield from self._rooms()
        yield from self._listeners()
        yield from self._games()
        yield from self._state()
        stats = self.stats
        yield _histogram("gamed_move_latency_seconds", "Time from a move's arrival to its last event.", stats.latency)
        yield _histogram("gamed_journal_append_seconds", "Duration of a write to the journal.", stats.appends)
        yield _histogram("gamed_store_keep_seconds", "Time until a record is stored, including the queue.", stats.keeps)
        yield _histogram(
            "gamed_reactor_stall_seconds", "Time by which long reactor turns exceeded 20 ms.", stats.stalls
        )
        yield _histogram("gamed_gc_pause_seconds", "Duration of a garbage collection.", stats.pauses)
        yield _counter("gamed_journal_errors", "Failed writes to the journal.", stats.append_errors)
        yield _counter("gamed_disk_outages", "Periods in which the journal could not be written.", stats.outages)
        yield _counter("gamed_disk_outage_seconds", "Total duration of the ended disk outages.", stats.outage_seconds)
        yield _counter("gamed_store_errors", "Failed attempts to store a record; they are retried.", stats.keep_errors)
        yield _counter("gamed_store_timeouts", "Database queries that timed out.", stats.store_timeouts)
        yield _counter("gamed_faults", "Internal errors; each ended one room or one connection.", stats.faults)
        yield from self._passwords()
        waiting = GaugeMetricFamily("gamed_records_waiting", "Ended games that are not stored yet.")
        waiting.add_metric([], self.waiting_records())
        yield waiting

    def _rooms(self) -> Families:
        counts: dict[tuple[str, str], int] = {}
        for room in self.rooms():
            state = "open" if not room.history.was_started else "playing" if room.table.outcome is None else "ended"
            key = (room.history.kind, state)
            counts[key] = counts.get(key, 0) + 1
        family = GaugeMetricFamily("gamed_rooms", "Rooms, by game and state.", labels=["game", "state"])
        for key, count in sorted(counts.items()):
            family.add_metric(key, count)
        yield family

    def _passwords(self) -> Families:
        wrong = CounterMetricFamily("gamed_wrong_passwords", "Wrong passwords, by listener.", labels=["listener"])
        for name, count in sorted(self.stats.wrong_passwords.items()):
            wrong.add_metric([name], count)
        yield wrong
        text = "Periods with too many wrong passwords in a minute."
        yield _counter("gamed_password_alarms", text, self.stats.password_alarms)

    def _listeners(self) -> Families:
        connections = GaugeMetricFamily("gamed_connections", "Open connections.", labels=["listener"])
        for name, sessions in self.sessions.items():
            connections.add_metric([name], len(sessions))
        accepted = CounterMetricFamily("gamed_connections_accepted", "Accepted connections.", labels=["listener"])
        refused = CounterMetricFamily("gamed_connections_refused", "Refused connections.", labels=["listener", "cause"])
        received = CounterMetricFamily("gamed_received_bytes", "Bytes received from peers.", labels=["listener"])
        sent = CounterMetricFamily("gamed_sent_bytes", "Bytes sent to peers.", labels=["listener"])
        for name, traffic in self.traffic.items():
            accepted.add_metric([name], traffic.accepted)
            received.add_metric([name], traffic.received)
            sent.add_metric([name], traffic.sent)
            for cause, count in sorted(traffic.refused.items()):
                refused.add_metric([name, cause], count)
        yield from (connections, accepted, refused, received, sent)

    def _state(self) -> Families:
        problems = self.problems()
        ready = GaugeMetricFamily("gamed_ready", "1 if the daemon is ready for players, else 0.")
        ready.add_metric([], not problems)
        parts = GaugeMetricFamily("gamed_problem", "1 for each part that is not ready.", labels=["part"])
        for part in sorted(problems):
            parts.add_metric([part], 1)
        expiries = GaugeMetricFamily(
            "gamed_certificate_expiry_timestamp_seconds", "When the certificate expires.", labels=["listener"]
        )
        for name, expires in sorted(self.expiries().items()):
            expiries.add_metric([name], expires.timestamp())
        warnings = GaugeMetricFamily("gamed_warning", "1 for each part with a warning.", labels=["part"])
        for part in sorted(self.warnings()):
            warnings.add_metric([part], 1)
        yield from (ready, parts, expiries, warnings)

    def _games(self) -> Families:
        moves = CounterMetricFamily("gamed_moves", "Moves and relayed lines.", labels=["game"])
        opened = CounterMetricFamily("gamed_rooms_opened", "Rooms opened.", labels=["game"])
        ended = CounterMetricFamily("gamed_games_ended", "Ended games, by cause.", labels=["game", "termination"])
        findings = CounterMetricFamily("gamed_findings", "Violations found by referees.", labels=["game", "code"])
        refusals = CounterMetricFamily("gamed_refusals", "Messages without effect, by reason.", labels=["code"])
        for kind, count in sorted(self.stats.moves.items()):
            moves.add_metric([kind], count)
        for kind, count in sorted(self.stats.opened.items()):
            opened.add_metric([kind], count)
        for names, count in sorted(self.stats.ended.items()):
            ended.add_metric(names, count)
        for names, count in sorted(self.stats.findings.items()):
            findings.add_metric(names, count)
        for code, count in sorted(self.stats.refusals.items()):
            refusals.add_metric([code], count)
        yield from (moves, opened, ended, findings, refusals)


def _histogram(name: str, text: str, distribution: Histogram) -> HistogramMetricFamily:
    buckets, count = [], 0
    for bound, here in zip((*distribution.bounds, "+Inf"), distribution.counts, strict=True):
        count += here
        buckets.append((str(bound), count))
    family = HistogramMetricFamily(name, text)
    family.add_metric([], buckets, distribution.total)
    return family


def _counter(name: str, text: str, value: float) -> CounterMetricFamily:
    family = CounterMetricFamily(name, text)
    family.add_metric([], value)
    return family


def registry(collector: DaemonCollector) -> CollectorRegistry:
    """Return a registry with the metrics of a daemon and of its process."""
    made = CollectorRegistry()
    made.register(collector)
    ProcessCollector(registry=made)
    PlatformCollector(registry=made)
    GCCollector(registry=made)
    return made
