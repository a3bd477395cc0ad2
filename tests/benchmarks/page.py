"""The page of results: a table as text, and the ratios as a picture (SVG)."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from statistics import median
from xml.sax.saxutils import escape

from tests.benchmarks.measuring import Samples

WIDTH = 900
ROW = 34
LEFT = 430
"""Where the bars begin; left of it are the titles."""

LARGE = 1000.0
"""From here on numbers are written without an exponent or a fraction."""

RIGHT = 90
"""Room for the figure behind a bar."""


def machine() -> str:
    """Return what the figures depend on: processor, cores, system, Python, Twisted."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    model = next((line.partition(": ")[2] for line in lines if line.startswith("model name")), platform.machine())
    cores = sum(line.startswith("processor") for line in lines)
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"{model}, {cores} cores, {platform.system()} {platform.release()}, {python}, Twisted {version('Twisted')}"


def text(title: str, table: Sequence[Samples]) -> str:
    """Return the results as lines of text."""
    return "\n".join((title, machine(), "", *(line for samples in table for line in lines(samples)), ""))


def lines(samples: Samples) -> Iterator[str]:
    """Yield the lines of one figure: its value, and each ratio with its range and its aim."""
    figure = samples.figure
    aim = "" if samples.reference else _aim(samples.ours, figure.most)
    yield f"{figure.title}: {_value(samples.ours)} {figure.unit}{aim}"
    if samples.reference:
        yield _ratio(figure.reference, samples.reference, samples.ratios(samples.reference), figure.most, figure.unit)
    if samples.before:
        ratios = samples.ratios(samples.before)
        yield _ratio("before", samples.before, ratios, figure.most_of_before, figure.unit)


def _ratio(name: str, values: list[float], ratios: list[float], most: float | None, unit: str) -> str:
    return f"    {_value(ratios)} times {name} ({_value(values)} {unit}){_aim(ratios, most)}"


def _aim(values: list[float], most: float | None) -> str:
    if most is None:
        return ""
    return f", aim at most {_number(most)}: {'reached' if median(values) <= most else 'not reached'}"


def _value(values: list[float]) -> str:
    """Return the median, and the range if there is one."""
    middle, least, most = (_number(value) for value in (median(values), min(values), max(values)))
    return middle if least == most else f"{middle} [{least} to {most}]"


def _number(value: float) -> str:
    return f"{value:.3g}" if value < LARGE else f"{value:.0f}"


def svg(title: str, table: Sequence[Samples]) -> str:
    """Return a picture of all ratios: a bar is the median, a line its range, a mark what is aimed at."""
    bars = [bar for samples in table for bar in _bars(samples)]
    longest = max((max(*ratios, most or 0.0) for _, ratios, most in bars), default=1.0)
    height = 60 + ROW * len(bars)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
        f'<text x="10" y="22" font-size="15">{escape(title)}</text>',
        f'<text x="10" y="40" font-size="10" fill="#555">{escape(machine())}</text>',
    ]
    for number, (label, ratios, most) in enumerate(bars):
        parts += _bar(60 + ROW * number, label, ratios, most, (WIDTH - LEFT - RIGHT) / longest)
    return "\n".join((*parts, "</svg>", ""))


def _bars(samples: Samples) -> Iterator[tuple[str, list[float], float | None]]:
    figure = samples.figure
    if samples.reference:
        yield f"{figure.title}, of {figure.reference}", samples.ratios(samples.reference), figure.most
    if samples.before:
        yield f"{figure.title}, of before", samples.ratios(samples.before), figure.most_of_before


def _bar(top: int, label: str, ratios: list[float], most: float | None, scale: float) -> Iterator[str]:
    middle, end = top + ROW / 2 - 4, LEFT + scale * median(ratios)
    good = most is None or median(ratios) <= most
    yield f'<text x="{LEFT - 8}" y="{middle + 4:.0f}" font-size="11" text-anchor="end">{escape(label)}</text>'
    yield (
        f'<rect x="{LEFT}" y="{top + 4}" width="{end - LEFT:.1f}" height="{ROW - 16}"'
        f' fill="{"#4a90b8" if good else "#d08a3e"}"/>'
    )
    yield (
        f'<path d="M{LEFT + scale * min(ratios):.1f} {middle:.0f}H{LEFT + scale * max(ratios):.1f}"'
        ' stroke="#222" stroke-width="2"/>'
    )
    if most is not None:
        x = LEFT + scale * most
        yield f'<path d="M{x:.1f} {top}v{ROW - 8}" stroke="#b00" stroke-width="2" stroke-dasharray="3 2"/>'
    aim = "" if most is None else f" (aim {most:g})"
    yield f'<text x="{end + 8:.1f}" y="{middle + 4:.0f}" font-size="11">{median(ratios):.2f}{aim}</text>'
