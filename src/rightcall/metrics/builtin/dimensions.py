"""The standard dimensions, measured for every case: each is one number of its verdict."""

from __future__ import annotations

from collections.abc import Sequence

from rightcall.metrics.base import VerdictMetric
from rightcall.metrics.matching.case_numbers import latency_in_doubt
from rightcall.metrics.matching.reasons import join_clauses
from rightcall.metrics.matching.verdict import CaseVerdict
from rightcall.model.case import TestCase
from rightcall.model.failure import ARGUMENT_CODES, CALL_CODES
from rightcall.model.golden import expectations_of
from rightcall.model.score import Score


class CallPrecision(VerdictMetric):
    """Share of the calls made that were expected, with the right arguments.

    Low precision means unnecessary or harmful calls: each costs time and money, and some have side effects.
    TP / (calls made − optional calls made); 1 when nothing was called.

    Golden: {"input": "Weather in Hanoi?", "expected_calls": [{"tool": "get_weather", "args": {"city": "Hanoi"}}]}
    Fails: [{"name": "get_weather", "arguments": {"city": "Hanoi"}}, {"name": "send_email", "arguments": {}}]
    Passes: [{"name": "get_weather", "arguments": {"city": "Hanoi"}}]
    """

    number = "call_precision"


class CallRecall(VerdictMetric):
    """Share of the expected calls that were made, with the right arguments.

    Low recall means unfinished work. One actual call can satisfy only one expected call, so calling twice never
    raises recall above 1. TP / required calls; 1 when none are required.

    Golden: {"input": "Weather in Hanoi?", "expected_calls": [{"tool": "get_weather", "args": {"city": "Hanoi"}}]}
    Fails: []
    Passes: [{"name": "get_weather", "arguments": {"city": "Hanoi"}}]
    """

    number = "call_recall"


class CallF1(VerdictMetric):
    """Harmonic mean of call precision and call recall.

    One number that drops for missing and for unnecessary calls: 2·TP / (required + made).

    Golden: {"input": "Weather in Hanoi?", "expected_calls": [{"tool": "get_weather", "args": {"city": "Hanoi"}}]}
    Fails: [{"name": "get_weather", "arguments": {"city": "Hue"}}]
    Passes: [{"name": "get_weather", "arguments": {"city": "Hanoi"}}]
    """

    number = "call_f1"


class CallSoftF1(VerdictMetric):
    """Call F1 with partial credit for arguments.

    Separates nearly right from entirely wrong: a call with three of four correct arguments is better than no call.
    Like call F1, but each pair counts with its argument score instead of 0 or 1.

    Golden: {"input": "Weather in Hanoi?", "expected_calls": [{"tool": "get_weather", "args": {"city": "Hanoi"}}]}
    Fails: [{"name": "get_weather", "arguments": {"city": "Hue"}}]
    Passes: [{"name": "get_weather", "arguments": {"city": "Hanoi"}}]
    """

    number = "call_soft_f1"


class ToolPrecision(VerdictMetric):
    """Share of the calls made whose tool was expected, whatever the arguments.

    Separates choosing tools from filling arguments: if this is low, the model picks wrong tools, so improve names and
    descriptions.

    Golden: {"input": "Weather in Hanoi?", "expected_calls": [{"tool": "get_weather", "args": {"city": "Hanoi"}}]}
    Fails: [{"name": "get_forecast", "arguments": {"city": "Hanoi"}}]
    Passes: [{"name": "get_weather", "arguments": {"city": "Hue"}}]
    """

    number = "tool_precision"
    codes = CALL_CODES


class ToolRecall(VerdictMetric):
    """Share of the expected calls whose tool was called, whatever the arguments.

    If this is low, the model abstains or picks another tool.

    Golden: {"input": "Weather in Hanoi?", "expected_calls": [{"tool": "get_weather", "args": {"city": "Hanoi"}}]}
    Fails: []
    Passes: [{"name": "get_weather", "arguments": {"city": "Hue"}}]
    """

    number = "tool_recall"
    codes = CALL_CODES


class ToolF1(VerdictMetric):
    """Harmonic mean of tool precision and tool recall.

    The usual single number for tool selection. Repeats count: calling a tool twice that was expected once is not
    perfect.

    Golden: {"input": "Weather in Hanoi?", "expected_calls": [{"tool": "get_weather", "args": {"city": "Hanoi"}}]}
    Fails: [{"name": "get_weather", "arguments": {"city": "Hanoi"}}, {"name": "send_email", "arguments": {}}]
    Passes: [{"name": "get_weather", "arguments": {"city": "Hue"}}]
    """

    number = "tool_f1"
    codes = CALL_CODES


class ParameterAccuracy(VerdictMetric):
    """Mean argument score of the expected calls.

    If the right tools are chosen but this is low, improve the parameter descriptions or the schema. An expected call
    without a partner scores 0; order does not matter.

    Golden: {"input": "Weather in Hanoi?", "expected_calls": [{"tool": "get_weather", "args": {"city": "Hanoi"}}]}
    Fails: [{"name": "get_weather", "arguments": {"city": "Hue"}}]
    Passes: [{"name": "get_weather", "arguments": {"city": "Hanoi"}}]
    """

    number = "parameter_accuracy"
    codes = ARGUMENT_CODES


class Order(VerdictMetric):
    """Share of the correct calls that were made in the right order.

    Correct calls in the wrong order can be as harmful as wrong calls: charge, then check. 1 when no order is required.

    Golden: {"input": "Check, then pay", "order": "strict", "expected_calls": [{"tool": "check", "args": {}}, {"tool": "pay", "args": {}}]}
    Fails: [{"name": "pay"}, {"name": "check"}]
    Passes: [{"name": "check"}, {"name": "pay"}]
    """

    number = "order"
    codes = frozenset(("order_violation",))

    def nothing_to_check(self, case: TestCase) -> str:
        golden = case.golden
        ordered = golden.order == "strict" or any(call.after for call in expectations_of(golden))
        return "" if ordered else "the golden requires no order"


class Content(VerdictMetric):
    """Share of the required content that the final answer contains.

    Correct calls are worth little if the answer omits their result. `output_contains` lists keywords (case-insensitive)
    and matchers. Missing content fails the case and lowers its score by the weight of content.

    Golden: {"input": "Weather in Hanoi?", "output_contains": ["Hanoi", "°C"]}
    Fails: {"output": "It is sunny in Hanoi."}
    Passes: {"output": "Hanoi: sunny, 31 °C."}
    """

    number = "content"
    codes = frozenset(("missing_content",))

    def nothing_to_check(self, case: TestCase) -> str:
        return "" if case.golden.output_contains else "the golden has no output_contains"


class Latency(VerdictMetric):
    """Whether the agent stayed within the golden's time budget.

    1 within `max_latency_ms`, otherwise budget / time taken; 1 without a budget. A budget without a measured time makes
    the case an error, as does a budget between `latency_ms - lag_ms` and `latency_ms`: the machine was too busy to
    measure.

    Golden: {"input": "Weather in Hanoi?", "max_latency_ms": 1000}
    Fails: {"latency_ms": 4000}
    Passes: {"latency_ms": 900}
    """

    number = "latency"
    codes = frozenset(("over_latency",))

    def nothing_to_check(self, case: TestCase) -> str:
        return "the golden has no max_latency_ms" if case.golden.max_latency_ms is None else ""

    def measure(self, case: TestCase) -> Score:
        doubt = latency_in_doubt(case.golden, case.trajectory)
        return Score.broken(doubt) if doubt else super().measure(case)


class Overall(VerdictMetric):
    """The score of the case: the weighted mean of its dimensions; passes when the case passes.

    0.3·precision + 0.3·recall + 0.3·parameter accuracy + 0.1·content by default, and 0 when a forbidden call or
    argument occurred. Its reason is the reason of the case.

    Golden: {"input": "Weather in Hanoi?", "expected_calls": [{"tool": "get_weather", "args": {"city": "Hanoi"}}]}
    Fails: [{"name": "get_weather", "arguments": {"city": "Hue"}}]
    Passes: [{"name": "get_weather", "arguments": {"city": "Hanoi"}}]
    """

    number = "score"

    def nothing_to_check(self, case: TestCase) -> str:
        return ""  # it is the case itself

    def of(self, verdict: CaseVerdict, sentences: Sequence[str], threshold: float = 1.0) -> Score:
        if verdict.error:
            return Score.broken(verdict.error)
        return Score(verdict.score, verdict.passed, join_clauses(sentences))


STANDARD: dict[str, VerdictMetric] = {
    metric.name: metric
    for metric in (
        CallPrecision(), CallRecall(), CallF1(), CallSoftF1(), ToolPrecision(), ToolRecall(), ToolF1(),
        ParameterAccuracy(), Order(), Content(), Latency(), Overall(),
    )
}  # fmt: skip
"""The dimensions by name, in the order in which they are shown."""
