"""Dates as people write them in Go records, converted to ISO 8601 so that they can be sorted."""

from __future__ import annotations

import re
from datetime import date
from typing import Final

_LONGEST: Final = 200
# The ideographs are "year" and "month" in Chinese and Japanese.
_YEAR_FIRST = re.compile(r"(?<!\d)(\d{4})\s*[-/.\u5e74]\s*(\d{1,2})(?!\d)(?:\s*[-/.\u6708]\s*(\d{1,2})(?!\d))?")
_PLAIN = re.compile(r"(?<!\d)(\d{4})(\d{2})(\d{2})(?!\d)")
_YEAR_LAST = re.compile(r"(?<!\d)(\d{1,2})\s*([-/.])\s*(\d{1,2})\s*\2\s*(\d{4})(?!\d)")
_YEAR = re.compile(r"(?<!\d)(1\d{3}|20\d\d)(?!\d)")
_DAY = re.compile(r"(?<!\d)(\d{1,2})(?!\d)")
# The first three letters, in English and German: both are common in European files.
_MONTHS: Final = (
    *("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"),
    *("jan", "feb", "m\u00e4r", "apr", "mai", "jun", "jul", "aug", "sep", "okt", "nov", "dez"),
)
_MONTH = re.compile(rf"(?<![^\W\d_])({'|'.join(_MONTHS)})[^\W\d_]*", re.IGNORECASE)


def iso(text: str | None) -> str:
    """Return the first date in a text in ISO 8601, as precise as the text is: a day, a month, a year or "".

    SGF prescribes `2001-08-01`; files have `August 1, 2001`, `2001/8/1`, `1.8.2001` and more. If it is not clear which
    number is the day and which the month, only the year is returned.
    """
    said = (text or "")[:_LONGEST]
    if found := _YEAR_FIRST.search(said) or _PLAIN.search(said):
        return _date(*(int(part) if part else 0 for part in found.groups()))
    if found := _YEAR_LAST.search(said):
        return _year_last(int(found[1]), found[2], int(found[3]), int(found[4]))
    year = _YEAR.search(said)
    if year is None:
        return ""
    month, day = _MONTH.search(said), _DAY.search(said)
    number = _MONTHS.index(month[1].lower()) % 12 + 1 if month else 0
    return _date(int(year[1]), number, int(day[1]) if day else 0)


def _year_last(one: int, separator: str, two: int, year: int) -> str:
    # With dots, the day comes first everywhere. With other separators, only a number above 12 tells which is the day.
    if separator == "." or one > 12:  # noqa: PLR2004 (months)
        return _date(year, two, one)
    return _date(year, one, two) if two > 12 or one == two else _date(year, 0, 0)  # noqa: PLR2004 (months)


def _date(year: int, month: int, day: int) -> str:
    try:
        if day:
            return date(year, month, day).isoformat()
        return date(year, month, 1).isoformat()[:7] if month else date(year, 1, 1).isoformat()[:4]
    except ValueError:
        # There is no such day, or no such month: keep what is possible.
        return _date(year, month, 0) if day else _date(year, 0, 0) if month else ""
