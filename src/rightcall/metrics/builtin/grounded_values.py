"""The metric `grounded_values`."""

from __future__ import annotations

from dataclasses import dataclass

from rightcall.core.text import one_line
from rightcall.metrics.answer_values import AnswerValue, answer_values
from rightcall.metrics.base import Metric, require_threshold
from rightcall.metrics.value_sources import ValueSources, bare_text
from rightcall.model.case import TestCase
from rightcall.model.score import Score


@dataclass(frozen=True)
class GroundedValues(Metric):
    """Share of the answer's numbers, identifiers, dates and names that come from a result, the request or the context.

    An invented price or order number is worse than none, and finding it needs no model. `1,200`, `1200` and `1.2k` are
    equal, as are dates in digits and in words; a rounded number is the number, and counts, totals and differences follow
    from the results. A name is a capitalised word within a sentence. `allow` are further texts that may be stated;
    `kinds` are those checked. An answer without values passes; without an answer the case is an error.

    Golden: {"input": "What does room 12 cost?"}
    Fails: {"output": "Room 12 costs $95 a night.", "calls": [{"name": "get_price", "status": "ok", "output": {"price": 90}}]}
    Passes: {"output": "Room 12 costs $90 a night.", "calls": [{"name": "get_price", "status": "ok", "output": {"price": 90}}]}
    """

    kinds: tuple[str, ...] = ("number", "id", "date", "name")
    allow: tuple[str, ...] = ()
    threshold: float = 1.0

    def __post_init__(self) -> None:
        require_threshold(self.name, self.threshold)

    def nothing_to_check(self, case: TestCase) -> str:
        return "" if case.trajectory.output.strip() else "there is no answer"

    def measure(self, case: TestCase) -> Score:
        if reason := self.nothing_to_check(case):
            return Score.broken(reason)
        values = [value for value in answer_values(case.trajectory.output) if value.kind in self.kinds]
        if not values:
            return Score(1.0, True)
        missing = _ungrounded(values, ValueSources(case, self.allow))
        share = 1 - len(missing) / len(values)
        if share >= self.threshold:
            return Score(share, True)
        texts = ", ".join(f"{value.kind} {one_line(value.text, 60)}" for value in missing[:5])
        return Score(share, False, f"in no result, request or context: {texts}")


def _ungrounded(values: list[AnswerValue], sources: ValueSources) -> list[AnswerValue]:
    numbers = [value.number for value in values if value.kind == "number" and not value.day]
    return [value for value in values if not _is_grounded(value, sources, numbers)]


def _is_grounded(value: AnswerValue, sources: ValueSources, numbers: list[float]) -> bool:
    if value.kind == "date":
        return sources.has_day(value.day)
    if value.kind == "number":
        if value.day:  # a time of day
            return _has_time(int(value.number), sources)
        return sources.has_number(value.number, value.slack, numbers)
    if value.kind == "id":
        return bare_text(value.text) in sources.bare
    words = [word.removesuffix("'s").removesuffix("’s") for word in value.text.casefold().split()]
    return sum(bare_text(word) in sources.bare for word in words) * 2 > len(words)


def _has_time(clock: int, sources: ValueSources) -> bool:
    """Whether a time of day stands in the sources as 19:30, 1930, 7:30 pm or 7 pm."""
    hour, minute = divmod(clock, 100)
    forms = {f"{hour:02}{minute:02}", f"{hour}{minute:02}", f"{hour % 12 or 12}{minute:02}"}
    forms |= {f"{hour % 12 or 12}{half}m" for half in "ap"} if not minute else set()
    return any(form in sources.bare for form in forms)
