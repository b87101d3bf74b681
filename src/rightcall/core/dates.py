"""Days as people write them: ISO, with slashes, with the month in words; and words relative to today."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import date
from functools import lru_cache

MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul",
            "august aug", "september sept sep", "october oct", "november nov", "december dec",
        ),
        start=1,
    )
    for name in names.split()
}  # fmt: skip
_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_ISO = re.compile(r"(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
_COMPACT = re.compile(r"(?<!\d)((?:19|20)\d{2})(\d{2})(\d{2})(?!\d)")
_LOCAL = re.compile(r"(?<!\d)(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})(?!\d)")
_MONTH_FIRST = re.compile(rf"\b({_MONTH})\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?(?:,?\s+(\d{{4}}))?\b", re.I)
_DAY_FIRST = re.compile(
    rf"\b(\d{{1,2}})(?:st|nd|rd|th)?\.?\s+(?:of\s+)?({_MONTH})\.?(?:,?\s+(\d{{4}}))?\b", re.I
)
_RELATIVE = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|(?:next|this|last|coming)\s+(?:week|month|year|\w+day)|\w+day"
    r"|in\s+\w+\s+(?:days?|weeks?|months?)|(?:day|week)\s+after)\b",
    re.I,
)
_MAYBE = re.compile(rf"\d[-/.]\d|\d{{8}}|\b(?:{_MONTH})\b", re.I)
"""A cheap prefilter for text with a date."""
NO_YEAR = 1
"""The year of a date given without one."""


def day_of(text: str) -> str | None:
    """The date that a whole text represents, as YYYY-MM-DD; None for other text."""
    text = text.strip()
    if len(text) > 40:
        return None
    days = days_named(text)
    is_only_a_date = not _AROUND.sub("", without_dates(text))
    return min(days) if days and is_only_a_date else None


def days_named(text: str) -> frozenset[str]:
    """Every date in a text; of 03/04/2027 both readings, of "March 3" one without a year."""
    return _parse_days(text[:20_000])


@lru_cache(maxsize=64)
def _parse_days(text: str) -> frozenset[str]:
    days: set[str] = set()
    if not _MAYBE.search(text):
        return frozenset()
    named = [*_ISO.findall(text), *_COMPACT.findall(text)]
    for first, second, year in _LOCAL.findall(text):
        named += [(year, first, second), (year, second, first)]
    named += [(year, month, day) for month, day, year in _MONTH_FIRST.findall(text)]
    named += [(year, month, day) for day, month, year in _DAY_FIRST.findall(text)]
    for year, month, day in named:
        with suppress(ValueError):  # no such day
            number = MONTHS.get(month.lower()) or int(month)
            days.add(date(int(year or NO_YEAR), number, int(day)).isoformat())
    return frozenset(days)


def without_dates(text: str) -> str:
    """A text without its dates, so that their digits are not read as numbers."""
    for pattern in (_ISO, _COMPACT, _LOCAL, _MONTH_FIRST, _DAY_FIRST):
        text = pattern.sub(" ", text)
    return text


def is_relative_date(text: str) -> bool:
    """Whether a text is a relative date: "tomorrow", "next Friday"."""
    return len(text) <= 40 and _RELATIVE.search(text) is not None


_AROUND = re.compile(r"[\s,.]|the|on|of|T?\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})?", re.I)
