"""What an agent was told and what tools returned, as text and as values: what an answer may state.

Numbers may also follow from them: lengths and totals of lists, hundredths and thousandths, minutes of hours, and, where
the answer or the sources state few numbers, sums, differences and products of two.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from rightcall.core.codec import encode
from rightcall.core.dates import days_named, is_relative_date, without_dates
from rightcall.records.case import TestCase
from rightcall.records.golden import AnyGolden, request_of

MOST_TEXT = 20_000
"""Characters of a text that are searched."""

MOST_PAIRED = 6
"""Numbers of the sources of which every pair is combined; in an answer, all that are grounded."""

MOST_NUMBERS = 2_000
FACTORS = (100.0, 0.01, 1000.0, 0.001)
"""Cents and hundredths, thousands and thousandths."""

TIME_FACTORS = (60.0, 1 / 60)
"""Minutes of hours, which are whole or not at all."""

NUMBER = re.compile(r"(?<![\w.])\d{1,3}(?:[,\u00a0\u202f]\d{3})+(?:\.\d+)?(?!\d)|\d+(?:\.\d+)?")
TIME = re.compile(r"(?<!\d)(\d{1,2}):(\d{2})(?::\d{2})?\s*([ap])?\.?m?\b|\b(\d{1,2})\s*([ap])\.?m\b\.?", re.I)
WORDS = {name: value for value, name in enumerate(
    ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"])}  # fmt: skip
_WORD = re.compile(r"[^\W_]+")


def words_of(golden: AnyGolden, system: str = "") -> str:
    """Everything the agent is told: request, context, system prompt and the user's turns."""
    parts = [golden.system or system, *(golden.context or ())]
    turns = [turn.content for turn in golden.turns if turn.role == "user"]
    return "\n".join([request_of(golden), *parts, *turns])


def as_text(value: Any) -> str:
    """A result as text that can be searched."""
    if isinstance(value, str):
        return value[:MOST_TEXT]
    try:
        return encode(value).decode("utf-8", "replace")[:MOST_TEXT]
    except (TypeError, ValueError, RecursionError):
        return str(value)[:MOST_TEXT]


def bare_text(text: str) -> str:
    """A text without case, space and punctuation."""
    return "".join(_WORD.findall(text.casefold()))


def read_number(digits: str) -> float:
    return float(re.sub(r"[,\u00a0\u202f]", "", digits))


def without_times(text: str) -> str:
    """A text without times of day, so that their digits are not read as numbers."""
    return TIME.sub(" ", text)


class ValueSources:
    """The request, the context and every result of one case, ready to be asked for values."""

    def __init__(self, case: TestCase, allowed: Iterable[str] = ()) -> None:
        trajectory = case.trajectory
        told = [words_of(case.golden), *allowed]
        told += [m.content for m in trajectory.messages if m.role in ("user", "system", "tool") and m.content]
        results = [call.output for call in trajectory.calls if call.output is not None]
        self.text = "\n".join([*told, *map(as_text, results)])
        self.bare = bare_text(self.text)
        self.words = frozenset(_WORD.findall(self.text.casefold()))
        self.days = {day[5:] for day in days_named(self.text)}
        numbers = {read_number(digits) for digits in NUMBER.findall(without_times(without_dates(self.text)))}
        numbers |= {float(value) for word, value in WORDS.items() if word in self.words}
        derived = set(chain.from_iterable(_derived_numbers(result) for result in results))
        self._stated = numbers
        self._numbers = sorted([*numbers, *derived][:MOST_NUMBERS])
        self._may_resolve_days = any(is_relative_date(line[:40]) or _RELATIVE.search(line) for line in told)
        self._argument_days = {
            day[5:] for call in trajectory.calls for day in days_named(as_text(call.arguments or {}))
        }

    def has_day(self, day: str) -> bool:
        """Whether a day, without its year, was named; one that a call resolved from "tomorrow" counts."""
        return day in self.days or (self._may_resolve_days and day in self._argument_days)

    def has_number(self, value: float, slack: float, others: Iterable[float] = ()) -> bool:
        """Whether a number within `slack` was stated or follows; `others` are the answer's further numbers."""
        if self._near(value, slack) or any(self._near(value * f, slack * f) for f in FACTORS):
            return True
        if any(self._near(value * f, 0.0) for f in TIME_FACTORS):
            return True
        grounded = [other for other in others if other != value and self._near(other, 1e-9)]
        pool = {*grounded, *(self._stated if len(self._stated) <= MOST_PAIRED else ())}
        exact = 1e-9 * max(1.0, abs(value))
        return any(
            abs(result - value) <= (slack if rounds else exact)
            for result, rounds in _pair_results(sorted(pool)[:40])
        )

    def _near(self, value: float, slack: float) -> bool:
        slack = max(slack, abs(value) * 1e-9)
        at = bisect_left(self._numbers, value - slack)
        return at < len(self._numbers) and self._numbers[at] <= value + slack


_RELATIVE = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|next|this|last|coming|\w+day|week|month)\b", re.I
)


def _derived_numbers(value: Any, depth: int = 0) -> Iterator[float]:
    """Lengths of lists, and the total, mean and range of numbers under one key of a list's objects."""
    if depth > 6:
        return
    if isinstance(value, dict):
        for inner in value.values():
            yield from _derived_numbers(inner, depth + 1)
    elif isinstance(value, list | tuple):
        yield float(len(value))
        columns: dict[str, list[float]] = {}
        for item in value[:200]:
            fields = item.items() if isinstance(item, dict) else [("", item)]
            for key, inner in fields:
                if isinstance(inner, int | float) and not isinstance(inner, bool):
                    columns.setdefault(str(key), []).append(float(inner))
            if isinstance(item, dict | list | tuple):
                yield from _derived_numbers(item, depth + 1)
        for column in columns.values():
            yield from (sum(column), sum(column) / len(column), max(column) - min(column))


def _pair_results(numbers: list[float]) -> Iterator[tuple[float, bool]]:
    """Sum, difference and product of every pair, and one in per cent of the other, which is usually rounded."""
    for place, first in enumerate(numbers):
        for second in numbers[place:]:
            yield from ((first + second, False), (abs(first - second), False), (first * second, False))
            if first and second and first != second:
                yield from ((100 * first / second, True), (100 * second / first, True))
