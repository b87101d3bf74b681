"""Metrics of calls: which tools were called, with which arguments, and how often."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rightcall.core.errors import ConfigError
from rightcall.metrics.base import CallMetric, Metric, VerdictMetric, require_threshold, without_arguments
from rightcall.metrics.matching.base import equality_key
from rightcall.metrics.matching.call_kinds import calls_to_judge
from rightcall.metrics.matching.case_numbers import blank_read
from rightcall.metrics.matching.expectation import forbids
from rightcall.metrics.matching.handoffs import read_team
from rightcall.metrics.matching.judge_case import score_calls
from rightcall.metrics.matching.reasons import call_text, reason
from rightcall.metrics.matching.verdict import CaseVerdict, forbids_all, states_calls
from rightcall.records.call import ToolCall
from rightcall.records.case import TestCase
from rightcall.records.failure import ARGUMENT_CODES, CALL_CODES
from rightcall.records.golden import names_agents
from rightcall.records.score import Score
from rightcall.tools.definitions.validate import problems


@dataclass(frozen=True)
class ToolsSelected(VerdictMetric):
    """Whether all expected tools were selected: 1 or 0, whatever the arguments and whatever else was called.

    The first of the three single-turn evaluators: offer tools, run none, check the choice. `tool_recall` gives the
    share that was selected.

    Golden: {"input": "Weather in Hanoi?", "expected_calls": [{"tool": "get_weather"}]}
    Fails: [{"name": "get_time", "arguments": {}}]
    Passes: [{"name": "get_weather", "arguments": {"city": "Hanoi"}}, {"name": "get_time", "arguments": {}}]
    """

    number = "tool_recall"
    codes = CALL_CODES

    def of(self, verdict: CaseVerdict, sentences: Sequence[str], threshold: float = 1.0) -> Score:
        return Score.passed_if(verdict.numbers.tool_recall >= 1.0, self.why(verdict, sentences))


@dataclass(frozen=True)
class ToolsAvoided(CallMetric):
    """Whether no forbidden tool was called.

    The second single-turn evaluator. A negative golden, or one with `no_calls`, that names no tool forbids all tools.

    Golden: {"input": "Log me out", "category": "negative", "forbidden_calls": ["delete_account"]}
    Fails: [{"name": "delete_account", "arguments": {}}]
    Passes: [{"name": "log_out", "arguments": {}}]
    """

    def measure(self, case: TestCase) -> Score:
        golden = case.golden
        trajectory = case.trajectory if not names_agents(golden) else read_team(golden, case.trajectory)[0]
        calls = calls_to_judge(golden, trajectory, case.tools)
        if forbids_all(golden):
            called = dict.fromkeys(call.name for call in calls)
            return Score.passed_if(not called, f"no tool should have been called; called {', '.join(called)}")
        tests = [forbids(pattern) for pattern in golden.forbidden_calls]
        hit = dict.fromkeys(call.name for call in trajectory.calls if any(test(call) for test in tests))
        return Score.passed_if(not hit, f"forbidden tools were called: {', '.join(hit)}")


@dataclass(frozen=True)
class ToolSelection(VerdictMetric):
    """How well the selected tools agree with the expected ones: F1 on tool names, repeats counted.

    The third single-turn evaluator, for ambiguous goldens. Passes at `threshold` or above
    (`tool_selection(threshold=0.5)`); without one at 1, and for a secondary golden at the golden's threshold.

    Golden: {"input": "Weather in Hanoi?", "expected_calls": [{"tool": "get_weather"}]}
    Fails: [{"name": "get_weather", "arguments": {}}, {"name": "get_time", "arguments": {}}]
    Passes: [{"name": "get_weather", "arguments": {"city": "Hanoi"}}]
    """

    threshold: float | None = None

    number = "tool_f1"
    codes = CALL_CODES

    def __post_init__(self) -> None:
        require_threshold(self.name, self.threshold)

    def of(self, verdict: CaseVerdict, sentences: Sequence[str], threshold: float = 1.0) -> Score:
        needed = threshold if self.threshold is None else self.threshold
        return Score.graded(verdict.numbers.tool_f1, self.why(verdict, sentences), threshold=needed)


@dataclass(frozen=True)
class ArgumentMatch(CallMetric):
    """Whether every call of an expected tool has exactly the expected arguments.

    Ignores missing and extra calls: combine it with `tool_selection` to see which of the two went wrong. The value
    is the parameter accuracy among the calls whose tool was right.

    Golden: {"input": "Weather in Hanoi?", "expected_calls": [{"tool": "get_weather", "args": {"city": "Hanoi"}}]}
    Fails: [{"name": "get_weather", "arguments": {"city": "Hanoi", "units": "K"}}]
    Passes: [{"name": "get_weather", "arguments": {"city": "Hanoi"}}, {"name": "get_time", "arguments": {}}]
    """

    def measure(self, case: TestCase) -> Score:
        verdict = score_calls(case.golden, case.trajectory, case.tools)
        wrong = [failure for failure in verdict.failures if failure.code in ARGUMENT_CODES]
        if not wrong:
            return without_arguments(1.0, verdict) if verdict.unknown else Score(1.0, True)
        numbers = verdict.numbers
        value = numbers.parameter_accuracy / numbers.tool_recall if numbers.tool_recall else 0.0
        return Score(min(value, 1.0), False, reason(wrong), tuple(wrong))


@dataclass(frozen=True)
class SchemaValidity(Metric):
    """Share of the calls whose arguments are valid for the tool's schema.

    Requires no expectations, so it works on production traffic. A call to a tool that was not offered, or with
    arguments that are not a JSON object, is invalid; calls with unknown arguments are ignored. Without tool
    definitions the case is an error.

    Tools: [{"name": "get_weather", "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}}}]
    Golden: {"input": "Weather in Hanoi?"}
    Fails: [{"name": "get_weather", "arguments": {"city": 7}}]
    Passes: [{"name": "get_weather", "arguments": {"city": "Hanoi"}}]
    """

    def nothing_to_check(self, case: TestCase) -> str:
        return "" if case.tools else "no tool definitions are given"

    def measure(self, case: TestCase) -> Score:
        calls = blank_read(case.trajectory, case.tools).calls
        if not calls:
            return Score(1.0, True)
        checkable = [call for call in calls if not call.arguments_unknown or call.name not in case.tools]
        unknown = f"arguments unknown for {len(calls) - len(checkable)} of {len(calls)} calls"
        if not checkable:
            return Score.broken(f"arguments_unknown: {unknown}")
        problems = [
            problem for call in checkable if (problem := _schema_problem(case, call.name, call.arguments))
        ]
        notes = [unknown] if len(checkable) < len(calls) else []
        return Score(1 - len(problems) / len(checkable), not problems, "; ".join([*problems, *notes]))


def _schema_problem(case: TestCase, name: str, arguments: object) -> str:
    if name not in case.tools:
        return f"{name} is not a tool that was offered"
    if not isinstance(arguments, dict):
        return f"{name}: the arguments are not a JSON object"
    return "; ".join(f"{name}: {problem.message}" for problem in problems(case.tools[name], arguments))


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
        golden = case.golden
        count = len(calls_to_judge(case.golden, case.trajectory, case.tools))
        limit = golden.max_calls if self.limit is None else self.limit
        if limit is None:
            limit = max(map(len, (golden.expected_calls, *golden.any_of)))
        if count <= limit:
            return Score(1.0, True)
        return Score(limit / count, False, f"{count} calls, at most {limit} expected")


@dataclass(frozen=True)
class RedundantCalls(Metric):
    """Share of the calls that did not repeat an earlier, successful, identical call.

    Requires no expectations. Repeating a failed call is a retry, not redundant. Calls with unknown arguments are
    never redundant.

    Golden: {"input": "Weather in Hanoi?"}
    Fails: [{"name": "get_weather", "arguments": {"city": "Hanoi"}}, {"name": "get_weather", "arguments": {"city": "Hanoi"}}]
    Passes: [{"name": "get_weather", "arguments": {"city": "Hanoi"}}, {"name": "get_weather", "arguments": {"city": "Hue"}}]
    """

    def measure(self, case: TestCase) -> Score:
        calls = case.trajectory.calls
        unknown = [call.name for call in calls if call.arguments_unknown]
        if len(unknown) == len(calls) and len(set(unknown)) < len(unknown):
            why = f"arguments unknown for {len(unknown)} of {len(calls)} calls"
            return Score.broken(f"arguments_unknown: {why}")
        repeated = list(_repeats(calls))
        if not repeated:
            return Score(1.0, True)
        names = ", ".join(dict.fromkeys(call_text(call.name, call.arguments) for call in repeated))
        return Score(1 - len(repeated) / len(calls), False, f"repeated unnecessarily: {names}")


def _repeats(calls: Sequence[ToolCall]) -> Iterator[ToolCall]:
    succeeded: set[Any] = set()
    for call in calls:
        if call.arguments_unknown:
            continue
        key = (call.name, equality_key(call.arguments))
        if key in succeeded:
            yield call
        if call.status != "error":
            succeeded.add(key)
