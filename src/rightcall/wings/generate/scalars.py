"""Numbers, days and times that a schema and its text allow and that people would say.

Days are in the past for what has happened, in the future for what is planned; of two ends of one range, the smaller is
first.
"""

from __future__ import annotations

import datetime
import random
import re
from typing import Any

from rightcall.core.words import name_tokens, word_set
from rightcall.schema.effects import EFFECTS, verb_of
from rightcall.schema.types import is_number
from rightcall.wings.generate.documented_values import range_in, step_in
from rightcall.wings.generate.patterns import fits_pattern
from rightcall.wings.generate.pools import coordinate_of
from rightcall.wings.generate.schema_parts import text_of

LARGEST_EDGE = 1_000
"""Limits beyond it are those of a number type, not of what people ask for."""

_RANGES = {
    "days": (1, 14), "nights": (1, 14), "hours": (1, 12), "minutes": (5, 90), "seconds": (5, 60), "ms": (1000, 20_000),
    "timeout": (5, 60), "limit": (5, 50), "count": (2, 20), "max": (5, 50), "size": (5, 50), "quantity": (1, 12),
    "guests": (1, 8), "people": (1, 8), "adults": (1, 4), "children": (1, 3), "page": (2, 9), "year": (2024, 2031),
    "month": (1, 12), "amount": (5, 900), "price": (5, 900), "percent": (1, 99), "latitude": (-60, 60),
    "lat": (-60, 60), "longitude": (-150, 150), "lon": (-150, 150), "lng": (-150, 150), "rating": (1, 5),
    "age": (18, 80), "id": (1000, 99_999), "width": (200, 1600), "height": (200, 1200), "port": (8000, 8999),
    "depth": (1, 3), "level": (1, 3), "index": (0, 9), "scale": (1, 4), "offset": (10, 100), "row": (1, 40),
    "line": (1, 40), "column": (1, 20), "version": (1, 12), "number": (2, 400), "priority": (1, 4), "score": (0, 1),
    "threshold": (0, 1), "ratio": (0, 1), "temperature": (0, 1),
    "similarity": (0, 1), "opacity": (0, 1), "zoom": (3, 15), "rank": (1, 10),
}  # fmt: skip
FRACTIONS = word_set("""
    amount price cost latitude lat longitude lon lng temperature ratio score similarity threshold opacity
    probability weight rate strength stability distance radius balance total
    """)
"""What is measured rather than counted."""
_MOMENTS = word_set("timestamp epoch ts since until")
EPOCH = 1_798_000_000


def sample_number(
    name: str, schema: dict[str, Any], rng: random.Random, *, whole: bool, at_edge: bool = False
) -> int | float:
    """A number for a parameter; `at_edge` takes one of its limits where they are of a size that people say."""
    tokens, text = name_tokens(name), text_of(schema)
    if "multipleOf" in schema and is_number(schema["multipleOf"]) and schema["multipleOf"] > 0:
        step: float = schema["multipleOf"]
    else:
        step = step_in(text) or (1 if whole else 0.25)
    low, high = _bound(schema, "minimum", step), _bound(schema, "maximum", step)
    edges = [end for end in (low, high) if end and abs(end) <= LARGEST_EDGE] if at_edge else []
    if edges:
        return _as_number(rng.choice(edges), whole)
    if not _MOMENTS.isdisjoint(tokens) or re.search(r"\bunix\b|\bepoch\b", text, re.IGNORECASE):
        moment = EPOCH + 3600 * rng.randint(0, 5000)
        return moment * 1000 if "milli" in text else moment
    told_low, told_high = range_in(text)
    low, high = (told_low if low is None else low), (told_high if high is None else high)
    usual: tuple[float, float] = next(
        (_RANGES[token] for token in reversed(tokens) if token in _RANGES), (2, 30)
    )
    usual = _RANGES["page"] if "page" in tokens[:-1] and tokens[-1] in ("number", "no", "index") else usual
    if step_in(text) and "multipleOf" not in schema:
        low, usual = max(low or 0, step), (step, 9 * step)
        low = -(-low // step) * step
    start = usual[0] if low is None else max(low, min(usual[0], high if high is not None else usual[0]))
    end = usual[1] if high is None else min(high, max(usual[1], start))
    count = int((max(start, end) - start) / step)
    return _as_number(start + step * rng.randint(0, max(0, min(count, 10_000))), whole and step == int(step))


def _bound(schema: dict[str, Any], word: str, step: float) -> float | None:
    """The smallest or largest value a schema allows, rounded to its step."""
    limit: Any = schema.get(word)
    exclusive: Any = schema.get(f"exclusive{word.capitalize()}")
    upward = word == "minimum"
    ends = [limit] if is_number(limit) else []
    if is_number(exclusive):
        ends.append(exclusive + step if upward else exclusive - step)
    if not ends:
        return None
    end = max(ends) if upward else min(ends)
    grid = -(-end // step) * step if upward else end // step * step
    return float(grid) if "multipleOf" in schema else float(end)


def _as_number(value: float, whole: bool) -> int | float:
    return int(value) if whole or float(value).is_integer() else round(value, 6)


_PAST = datetime.datetime(2025, 1, 6, tzinfo=datetime.UTC)
_FUTURE = datetime.datetime(2027, 1, 4, tzinfo=datetime.UTC)
_AHEAD = (
    r"forecasts?|projections?|upcoming|future|book(?:ing)?s?|reserv\w+|flights?|hotels?|trips?|travel\w*|itinerar\w+"
    r"|calendars?|appointments?|trains?|free slots?|available (?:dates|times|slots|rooms)"
)
_READ_AHEAD = re.compile(rf"\b(?:{_AHEAD})\b", re.IGNORECASE)
_PLANNED = re.compile(
    rf"\b(?:{_AHEAD}|schedul\w+|deadlines?|expir\w+|remind\w*|meetings?|events?|rent\w*|due|start|target|sprints?|milestones?)\b",
    re.IGNORECASE,
)
"""Words for what has not happened yet: few where something is read, more where something is planned."""

_HAPPENED = re.compile(
    r"\b(?:logs?|logged|worklogs?|record(?:ed|s)?|histor\w+|archives?|past|expenses?|transactions?|payments?|spent)\b",
    re.IGNORECASE,
)
_FORMS = (
    "%Y-%m-%d", "%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M",
    "%H:%M", "%H:%M:%S", "%Y/%m/%d", "%m/%d/%Y", "%d/%m/%Y", "%d.%m.%Y", "%d-%m-%Y", "%Y-%m", "%Y%m%d", "%Y",
)  # fmt: skip
_NO_DATES = ("abcdef", "Ab-12")
_DIGITS = ("%Y%m%d", "%Y")
"""Forms that a number may have as well: only a name tells that a date is meant."""

_DATE_WORDS = word_set("date day start end since until from to month year begin after before when")


class Calendar:
    """Moments for the arguments of one call: close to each other, none twice."""

    def __init__(self, about: str, rng: random.Random) -> None:
        self._rng = rng
        start = _PAST if is_about_the_past(about) else _FUTURE
        self._day = start + datetime.timedelta(days=rng.randint(0, 300))

    def next_moment(self) -> datetime.datetime:
        """A quarter of an hour of a working day, one to nine days after the last."""
        self._day += datetime.timedelta(days=self._rng.randint(1, 9))
        return self._day.replace(hour=self._rng.randint(7, 19), minute=self._rng.choice((0, 15, 30, 45)))


def is_about_the_past(about: str) -> bool:
    """Whether the dates of a tool lie in the past: it reads what has happened, or records it."""
    name, _, text = about.partition("\n")
    purpose = f"{' '.join(name_tokens(name))} {text}"
    if _HAPPENED.search(purpose):
        return True
    is_read = EFFECTS.get(verb_of(name)) == "read"
    return (_READ_AHEAD if is_read else _PLANNED).search(purpose) is None


def date_form(pattern: str, name: str) -> str:
    """The form of dates or times that a regular expression asks for; empty when it is about something else."""
    if any(fits_pattern(pattern, text) for text in _NO_DATES):
        return ""
    named = not _DATE_WORDS.isdisjoint(name_tokens(name))
    moment = datetime.datetime(2027, 10, 23, 14, 45, tzinfo=datetime.UTC)
    forms = (
        form
        for form in _FORMS
        if (named or form not in _DIGITS) and fits_pattern(pattern, moment.strftime(form))
    )
    return next(forms, "")


_PAIRS = (
    ("min", "max"), ("minimum", "maximum"), ("start", "end"), ("from", "to"), ("since", "until"), ("after", "before"),
    ("lower", "upper"), ("first", "last"), ("checkin", "checkout"), ("in", "out"),
)  # fmt: skip


def in_order(arguments: dict[str, Any]) -> dict[str, Any]:
    """The smaller of two values first, where their names are the two ends of one range."""
    ends = {frozenset(_as_end(name)): name for name in arguments}
    for name, value in list(arguments.items()):
        for low, high in _PAIRS:
            if coordinate_of(name) and low not in ("min", "minimum", "lower"):
                continue  # from one place to another, in any direction
            tokens = _as_end(name)
            other = (
                ends.get(frozenset(high if token == low else token for token in tokens))
                if low in tokens
                else None
            )
            if other is not None and other != name and _is_after(value, arguments[other]):
                arguments[name], arguments[other] = arguments[other], value
            if other is not None and other != name and "time" in _as_end(name):
                arguments[other] = _an_hour_later(arguments[name], arguments[other])
    return arguments


def _an_hour_later(start: Any, end: Any) -> Any:
    """The end of what starts then and is not a matter of days; other values as they are."""
    is_moment = all(
        isinstance(value, str) and re.match(r"\d{4}-\d\d-\d\dT\d\d:", value) for value in (start, end)
    )
    return (
        f"{start[:11]}{int(start[11:13]) + 1:02}{start[13:]}" if is_moment and int(start[11:13]) < 23 else end
    )


def _as_end(name: str) -> tuple[str, ...]:
    return name_tokens(name.replace("check_", "check"))


def _is_after(value: Any, other: Any) -> bool:
    if is_number(value) and is_number(other):
        return bool(value > other)
    are_moments = all(
        isinstance(end, str) and re.match(r"\d{4}-\d\d|\d\d:\d\d", end) for end in (value, other)
    )
    return are_moments and value > other
