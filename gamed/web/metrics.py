"""The metrics that Prometheus reads at `/metrics`.

Source: docs/reference/metrics.md, which lists every metric. Values are in base units, and no label has an unbounded
number of values. Everything is collected when it is requested, so that a move pays only for a few counters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, TypeAlias, TypeVar

from attrs import define, field
from prometheus_client import CollectorRegistry, GCCollector, PlatformCollector, ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, InfoMetricFamily
from prometheus_client.registry import Collector

from gamed import __version__
from gamed.core.stats import Histogram, Stats, Traffic

_Family = TypeVar("_Family", CounterMetricFamily, GaugeMetricFamily)
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
        rooms = Counter(map(_game_and_state, self.rooms()))
        yield _gauge("gamed_rooms", "Rooms, by game and state.", rooms, "game", "state")
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
        yield _counter("gamed_wrong_passwords", "Wrong passwords, by listener.", stats.wrong_passwords, "listener")
        text = "Periods with too many wrong passwords in a minute."
        yield _counter("gamed_password_alarms", text, stats.password_alarms)
        yield _gauge("gamed_records_waiting", "Ended games that are not stored yet.", self.waiting_records())

    def _listeners(self) -> Families:
        connections = {name: len(sessions) for name, sessions in self.sessions.items()}
        yield _gauge("gamed_connections", "Open connections.", connections, "listener")
        traffic = self.traffic.items()
        accepted = {name: one.accepted for name, one in traffic}
        yield _counter("gamed_connections_accepted", "Accepted connections.", accepted, "listener")
        refused = {(name, cause): count for name, one in traffic for cause, count in one.refused.items()}
        yield _counter("gamed_connections_refused", "Refused connections.", refused, "listener", "cause")
        received = {name: one.received for name, one in traffic}
        yield _counter("gamed_received_bytes", "Bytes received from peers.", received, "listener")
        sent = {name: one.sent for name, one in traffic}
        yield _counter("gamed_sent_bytes", "Bytes sent to peers.", sent, "listener")

    def _state(self) -> Families:
        problems = dict.fromkeys(self.problems(), 1)
        yield _gauge("gamed_ready", "1 if the daemon is ready for players, else 0.", not problems)
        yield _gauge("gamed_problem", "1 for each part that is not ready.", problems, "part")
        expiries = {name: expires.timestamp() for name, expires in self.expiries().items()}
        name = "gamed_certificate_expiry_timestamp_seconds"
        yield _gauge(name, "When the certificate expires.", expiries, "listener")
        yield _gauge("gamed_warning", "1 for each part with a warning.", dict.fromkeys(self.warnings(), 1), "part")

    def _games(self) -> Families:
        stats = self.stats
        yield _counter("gamed_moves", "Moves and relayed lines.", stats.moves, "game")
        yield _counter("gamed_rooms_opened", "Rooms opened.", stats.opened, "game")
        yield _counter("gamed_games_ended", "Ended games, by cause.", stats.ended, "game", "termination")
        yield _counter("gamed_findings", "Violations found by referees.", stats.findings, "game", "code")
        yield _counter("gamed_refusals", "Messages without effect, by reason.", stats.refusals, "code")


def _game_and_state(room: Any) -> tuple[str, str]:
    state = "open" if not room.history.was_started else "playing" if room.table.outcome is None else "ended"
    return room.history.kind, state


def _histogram(name: str, text: str, distribution: Histogram) -> HistogramMetricFamily:
    buckets, count = [], 0
    for bound, here in zip((*distribution.bounds, "+Inf"), distribution.counts, strict=True):
        count += here
        buckets.append((str(bound), count))
    family = HistogramMetricFamily(name, text)
    family.add_metric([], buckets, distribution.total)
    return family


Values: TypeAlias = float | Mapping[Any, float]
"""A value, or one for each label or tuple of labels."""


def _counter(name: str, text: str, values: Values, *labels: str) -> CounterMetricFamily:
    return _filled(CounterMetricFamily(name, text, labels=labels), values)


def _gauge(name: str, text: str, values: Values, *labels: str) -> GaugeMetricFamily:
    return _filled(GaugeMetricFamily(name, text, labels=labels), values)


def _filled(family: _Family, values: Values) -> _Family:
    for key, value in sorted(values.items()) if isinstance(values, Mapping) else [((), values)]:
        family.add_metric([key] if isinstance(key, str) else key, value)
    return family


def registry(collector: DaemonCollector) -> CollectorRegistry:
    """Return a registry with the metrics of a daemon and of its process."""
    made = CollectorRegistry()
    made.register(collector)
    ProcessCollector(registry=made)
    PlatformCollector(registry=made)
    GCCollector(registry=made)
    return made
