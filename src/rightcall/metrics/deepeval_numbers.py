"""Metrics with DeepEval's numbers: its `ToolCorrectnessMetric`, and those of the answer's text.

Tool correctness compares in three ways, each with or without arguments and outputs:

    exact     1 if the calls are those expected, one by one and in order, else 0
    ordered   the heaviest common subsequence, as a share of the expected calls
    neither   each expected call takes the best call that is left, as a share of the expected calls

Calls that agree in some arguments count in part: the share of the arguments of either call that are equal, inside objects
too. As in DeepEval, calls that are equal in everything (name, arguments, output) are one call when order does not count:
two equal expected calls and two equal calls score 0.5. `tests/compat` compares the numbers with DeepEval's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from rightcall.core.errors import ConfigError, InputError
from rightcall.metrics.base import CallMetric, Metric, require_threshold
from rightcall.metrics.matching.base import Scope
from rightcall.metrics.matching.compile import compile_matcher, matcher_key
from rightcall.metrics.matching.expectation import fits, pattern_text
from rightcall.records.call import ToolCall, ToolCallType
from rightcall.records.case import TestCase
from rightcall.records.expected_call import ExpectedCall
from rightcall.records.score import Score
from rightcall.tools.definitions.validate import pattern_test


@dataclass(frozen=True)
class ToolCorrectness(CallMetric):
    """The share of the expected calls that were made, by DeepEval's rules.

    Calls are compared by name, with `arguments` and `outputs` by these too. `exact` requires the expected calls and no
    others, in order; `ordered` counts those made in order. `strict` makes every value below 1 a 0. Without a `threshold`
    the value decides nothing.
    """

    threshold: float | None = 0.5
    arguments: bool = False
    outputs: bool = False
    exact: bool = False
    ordered: bool = False
    strict: bool = False

    def __post_init__(self) -> None:
        require_threshold(self.name, self.threshold)

    def measure(self, case: TestCase) -> Score:
        golden = case.golden
        called = case.trajectory.calls
        if self.arguments and any(call.arguments_unknown for call in called):
            return Score.broken("arguments_unknown: the arguments of a call were not recorded")
        alternatives = [golden.expected_calls, *golden.any_of] if golden.expected_calls else golden.any_of
        expected = max(
            ([call for call in calls if call.required] for calls in alternatives or [()]),
            key=lambda calls: self.share(calls, called),
        )
        value = self.share(expected, called)
        if self.strict and value < 1.0:
            value = 0.0
        passed = self.threshold is None or value >= self.threshold
        return Score(value, passed, _reason(expected, called, "" if self.exact or self.ordered else "any "))

    def share(self, expected: Sequence[ExpectedCall], called: Sequence[ToolCall]) -> float:
        """How much of what was expected was called."""
        if self.exact:
            pairs = zip(expected, called, strict=False)
            return float(len(expected) == len(called) and all(self.agreement(*pair) == 1.0 for pair in pairs))
        if not expected:
            return float(not called)
        weight = self._in_order if self.ordered else self._in_any_order
        return weight(expected, called) / len(expected)

    def agreement(self, expected: ExpectedCall, call: ToolCall) -> float:
        """0 for another tool or output, else the share of the arguments that are equal."""
        of_mcp = expected.notes.get("type") == "MCP"
        if not fits(expected.tool)(call.name) or of_mcp != (call.type is ToolCallType.MCP):
            return 0.0
        if self.outputs and expected.notes.get("output") != call.output:
            return 0.0
        return argument_agreement(expected.args or {}, call.arguments or {}) if self.arguments else 1.0

    def _in_order(self, expected: Sequence[ExpectedCall], called: Sequence[ToolCall]) -> float:
        best = [0.0] * (len(called) + 1)  # of the expected calls so far and the first n calls
        for expected_call in expected:
            row = [0.0]
            for place, call in enumerate(called):
                taken = best[place] + self.agreement(expected_call, call)
                row.append(max(row[place], best[place + 1], taken))
            best = row
        return best[-1]

    def _in_any_order(self, expected: Sequence[ExpectedCall], called: Sequence[ToolCall]) -> float:
        total = 0.0
        taken = list[ToolCall]()
        for expected_call in expected:
            left = [call for call in called if not any(_equal(call, other) for other in taken)]
            best = max(left, key=lambda call: self.agreement(expected_call, call), default=None)
            if best is not None and (agreement := self.agreement(expected_call, best)):
                total += agreement
                taken.append(best)
        return total


def argument_agreement(expected: dict[str, Any], actual: dict[str, Any]) -> float:
    """The share of the names in either that have equal values; objects agree by their own share."""
    names = expected.keys() | actual.keys()
    if not names:
        return 1.0
    common = sorted(expected.keys() & actual.keys())
    agreements = [_value_agreement(expected[name], actual[name]) for name in common]
    if len(common) == len(names) and all(value == 1.0 for value in agreements):
        return 1.0
    return sum(agreements) / len(names)


def _value_agreement(spec: Any, value: Any) -> float:
    """1 or 0, and for two objects the share of their members that agree; a matcher decides by itself."""
    key = matcher_key(spec) if isinstance(spec, dict) else None
    if callable(spec) or (key is not None and key != "exact"):
        return float(compile_matcher(spec, Scope()).score(value, 0) == 1.0)
    return _literal_agreement(spec["exact"] if key else spec, value)


def _literal_agreement(expected: Any, value: Any) -> float:
    if expected == value:
        return 1.0
    if not isinstance(expected, dict) or not isinstance(value, dict):
        return 0.0
    names = expected.keys() | value.keys()
    common = expected.keys() & value.keys()
    return sum(_literal_agreement(expected[name], value[name]) for name in common) / len(names)


def _equal(call: ToolCall, other: ToolCall) -> bool:
    return (call.name, call.arguments or {}, call.output) == (other.name, other.arguments or {}, other.output)


def _reason(expected: Sequence[ExpectedCall], called: Sequence[ToolCall], order: str) -> str:
    expected_text = ", ".join(pattern_text(call.tool) for call in expected) or "no call"
    called_text = ", ".join(call.name for call in called) or "nothing"
    in_order = f" in {order}order" if len(expected) > 1 else ""
    return f"expected {expected_text}{in_order}, called {called_text}"


@dataclass(frozen=True)
class AnswerText(Metric):
    """A metric of the answer, which must not be empty."""

    threshold: float = 1.0

    def __post_init__(self) -> None:
        require_threshold(self.name, self.threshold)

    def nothing_to_check(self, case: TestCase) -> str:
        return "" if case.trajectory.output else "there is no answer"


@dataclass(frozen=True)
class ExactMatch(AnswerText):
    """Whether the answer is the expected one, apart from spaces around it."""

    reads_expected_output: ClassVar[bool] = True

    def nothing_to_check(self, case: TestCase) -> str:
        if case.golden.expected_output is None:
            return "the golden has no expected_output"
        return super().nothing_to_check(case)

    def measure(self, case: TestCase) -> Score:
        equal = case.trajectory.output.strip() == (case.golden.expected_output or "").strip()
        why = "the answer is the expected one" if equal else "the answer differs from the expected one"
        return Score(float(equal), equal, why)


@dataclass(frozen=True)
class PatternMatch(AnswerText):
    """Whether a regular expression matches the whole answer, apart from spaces around it.

    It cannot hang, whatever a model answers: the syntax is that of the matcher `regex`.
    """

    pattern: str = ""
    ignore_case: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        try:
            self._matches("")
        except InputError as error:
            raise ConfigError(f"pattern_match: {error}") from None

    def measure(self, case: TestCase) -> Score:
        matches = self._matches(case.trajectory.output.strip())
        verb = "matches" if matches else "does not match"
        return Score(float(matches), matches, f"the answer {verb} {self.pattern}")

    def _matches(self, text: str) -> bool:
        return pattern_test(f"(?i){self.pattern}" if self.ignore_case else self.pattern)(text)


@dataclass(frozen=True)
class JsonCorrectness(AnswerText):
    """Whether the answer is JSON that a Pydantic model accepts."""

    expected_schema: Any = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not hasattr(self.expected_schema, "model_validate_json"):
            raise ConfigError("json_correctness: expected_schema must be a Pydantic model")

    def measure(self, case: TestCase) -> Score:
        try:
            self.expected_schema.model_validate_json(case.trajectory.output)
        except ValueError as error:  # Pydantic's errors are
            return Score(0.0, False, str(error))
        return Score(1.0, True, "the answer is JSON of the expected form")
