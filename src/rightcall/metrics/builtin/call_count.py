"""The metric `call_count`."""

from __future__ import annotations

from dataclasses import dataclass

from rightcall.core.errors import ConfigError
from rightcall.metrics.base import Metric
from rightcall.metrics.matching.case_score import states_calls
from rightcall.metrics.matching.kinds import calls_to_judge
from rightcall.model.case import TestCase
from rightcall.model.score import Score


@dataclass(frozen=True)
class CallCount(Metric):
    """Whether the agent stayed within its call limit.

    The limit is the metric's setting (`call_count(limit=3)`), otherwise the golden's `max_calls`, otherwise the
    number of expected calls. Above it the value is limit / calls.

    Golden: {"input": "Weather in Hanoi?", "max_calls": 1}
    Fails: [{"name": "get_weather", "arguments": {"city": "Hanoi"}}, {"name": "get_time", "arguments": {}}]
    Passes: [{"name": "get_weather", "arguments": {"city": "Hanoi"}}]
    """

    limit: int | None = None

    def __post_init__(self) -> None:
        if self.limit is not None and self.limit < 0:
            raise ConfigError(f"call_count: limit must not be negative, got {self.limit}")

    def nothing_to_check(self, case: TestCase) -> str:
        golden = case.golden
        limited = self.limit is not None or golden.max_calls is not None or states_calls(golden)
        return "" if limited else "neither the golden nor the metric's setting limits calls"

    def measure(self, case: TestCase) -> Score:
        golden, count = case.golden, len(calls_to_judge(case.golden, case.trajectory, case.tools))
        limit = golden.max_calls if self.limit is None else self.limit
        if limit is None:
            limit = max(map(len, (golden.expected_calls, *golden.any_of)))
        if count <= limit:
            return Score(1.0, True)
        return Score(limit / count, False, f"{count} calls, at most {limit} expected")
