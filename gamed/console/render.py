"""Renders what commands return, as text for a terminal or as JSON.

Source: docs/reference/console.md. Names and lines come from strangers, and could contain control characters. They are
escaped here, in one place for everything that is shown.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from textwrap import wrap
from typing import Any, Final, TypeAlias

from attrs import frozen

from gamed.core.texts import printable

LEAST: Final = 8
"""The least width of an elastic column."""

GAP: Final = "  "


@frozen
class Table:
    """Rows with the same columns."""

    columns: tuple[str, ...]
    rows: Sequence[tuple[Any, ...]]

    empty: str = "There is nothing to show."
    """The text that is shown if there are no rows."""

    elastic: tuple[str, ...] = ()
    """The columns that are wrapped to fit the terminal, in this order."""

    below: str = ""
    """A column of lists. Each item is shown in full, on a line below its row."""


@frozen
class Picture:
    """Lines that are shown unchanged, for example a board."""

    text: str


@frozen
class Facts:
    """Facts by name. A value is a text, a number, a bool, None, a list of texts, a `Table` or a `Picture`."""

    values: Mapping[str, Any]


Answer: TypeAlias = str | Table | Facts | Picture


def render(answer: Answer, width: int | None = None, *, as_json: bool = False) -> str:
    """Return an answer as text with a final line feed. `width`: the terminal's; None if it is not known."""
    if as_json:
        # The JSON is ASCII, so it has no control characters for a terminal.
        return json.dumps({"message": answer} if isinstance(answer, str) else _data(answer), indent=2) + "\n"
    return "".join(f"{line}\n" for line in _lines(answer, width))


def _data(answer: Any) -> Any:
    if isinstance(answer, Table):
        names = [column.lower() for column in answer.columns]
        return [dict(zip(names, map(_data, row), strict=True)) for row in answer.rows]
    if isinstance(answer, Facts):
        return {name: _data(value) for name, value in answer.values.items()}
    if isinstance(answer, Picture):
        return answer.text.split("\n")
    return answer


def _lines(answer: Answer, width: int | None) -> Iterable[str]:
    if isinstance(answer, Table):
        return _table(answer, width)
    if isinstance(answer, Facts):
        return _facts(answer, width)
    text = answer.text if isinstance(answer, Picture) else answer
    return map(printable, text.split("\n"))


def _facts(facts: Facts, width: int | None) -> Iterable[str]:
    plain = {name: value for name, value in facts.values.items() if not isinstance(value, Table | Picture)}
    longest = max(map(len, plain), default=0)
    for name, value in plain.items():
        yield f"{name:<{longest}}{GAP}{printable(_cell(value))}"
    for name, value in facts.values.items():
        if isinstance(value, Table | Picture):
            yield ""
            yield f"{name}:"
            yield from _lines(value, width)


def _table(table: Table, width: int | None) -> Iterable[str]:
    if not table.rows:
        return [table.empty]
    shown = [number for number, column in enumerate(table.columns) if column != table.below]
    rows = [tuple(table.columns[number] for number in shown)]
    rows += [tuple(printable(_cell(row[number])) for number in shown) for row in table.rows]
    widths = _widths(table, rows, width)
    lines = [_row(row, widths) for row in rows]
    items: list[Any] = [()] * len(rows)
    if len(shown) < len(table.columns):
        items[1:] = [row[table.columns.index(table.below)] for row in table.rows]
    return [each for row, below in zip(lines, items, strict=True) for each in (*row, *map(_indented, below))]


def _row(row: tuple[str, ...], widths: list[int]) -> Iterable[str]:
    """Return the lines of a row. A cell that is too long is wrapped."""
    wrapped = [wrap(cell, size) for cell, size in zip(row, widths, strict=True)]
    return [
        GAP.join(f"{part:<{size}}" for part, size in zip(parts, widths, strict=True)).rstrip()
        for parts in zip_longest(*wrapped, fillvalue="")
    ]


def _indented(item: str) -> str:
    return f"{GAP}{GAP}{printable(item)}"


def _widths(table: Table, rows: Sequence[tuple[str, ...]], width: int | None) -> list[int]:
    columns = [column for column in table.columns if column != table.below]
    widths = [max(len(row[number]) for row in rows) for number in range(len(columns))]
    if width is None:
        return widths
    excess = sum(widths) + len(GAP) * (len(widths) - 1) - width
    elastic = [columns.index(column) for column in table.elastic]
    longest = {number: max(len(word) for row in rows for word in row[number].split() or [""]) for number in elastic}
    # Words are broken only where they do not fit otherwise.
    for keeps_words in (True, False):
        for number in elastic:
            least = max(LEAST, longest[number]) if keeps_words else LEAST
            cut = max(0, min(excess, widths[number] - least))
            widths[number] -= cut
            excess -= cut
    return widths


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.1f}"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "-"
    return str(value)
