"""The durations that a daemon measures itself: the histograms of its metrics."""

from __future__ import annotations

import urllib.request
from collections import Counter
from collections.abc import Sequence

from attrs import define
from prometheus_client.parser import text_string_to_metric_families


@define
class Histogram:
    """A histogram of a web listener, counted from now on."""

    web: int
    metric: str
    _before: Counter[float]

    @classmethod
    def begin(cls, web: int, metric: str) -> Histogram:
        """Start counting."""
        return cls(web, metric, _buckets(web, metric))

    def told(self, bounds: Sequence[float]) -> str:
        """Return in words how many samples there were since then, and what shares took at most so many seconds."""
        within = _buckets(self.web, self.metric)
        within.subtract(self._before)
        count = within[float("inf")]
        shares = (f"{100 * within[most] / max(1, count):.1f} % within {1000 * most:g} ms" for most in bounds)
        return ", ".join((str(count), *shares))


def _buckets(web: int, metric: str) -> Counter[float]:
    with urllib.request.urlopen(f"http://127.0.0.1:{web}/metrics", timeout=20) as answer:
        families = text_string_to_metric_families(answer.read().decode())
        samples = [sample for family in families for sample in family.samples if sample.name == f"{metric}_bucket"]
    if not samples:
        raise AssertionError(f"there is no histogram {metric}")
    return Counter({float(sample.labels["le"]): int(sample.value) for sample in samples})
