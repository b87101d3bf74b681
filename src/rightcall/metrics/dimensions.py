"""The standard dimensions, measured for every case: each is one number of its verdict."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from operator import attrgetter

from rightcall.metrics.base import GRADED, PERFECT, VerdictMetric
from rightcall.metrics.matching.case_numbers import latency_in_doubt
from rightcall.metrics.matching.fast_path import flawless
from rightcall.metrics.matching.reasons import reason, sentence
from rightcall.metrics.matching.verdict import CaseVerdict, Numbers
from rightcall.records.case import TestCase
from rightcall.records.failure import ARGUMENT_CODES, CALL_CODES
from rightcall.records.golden import expectations_of
from rightcall.records.score import Score
from rightcall.records.trajectory import Trajectory


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
        return Score(verdict.score, verdict.passed, reason(verdict.failures, sentences))


STANDARD: dict[str, VerdictMetric] = {
    metric.name: metric
    for metric in (
        CallPrecision(), CallRecall(), CallF1(), CallSoftF1(), ToolPrecision(), ToolRecall(), ToolF1(),
        ParameterAccuracy(), Order(), Content(), Latency(), Overall(),
    )
}  # fmt: skip
"""The dimensions by name, in the order in which they are shown."""


SPOTLESS: dict[str, Score] = dict.fromkeys(STANDARD, PERFECT)
NUMBERED = tuple(name for name in STANDARD if name != "overall")
"""Dimensions that are a number of the verdict under the same name."""
NUMBERS_OF = attrgetter(*NUMBERED)


def dimension_scores(verdict: CaseVerdict, threshold: float = 1.0) -> dict[str, Score]:
    """The score of each dimension; one shared dict for flawless cases, which are the most common.

    `threshold` is the golden's, from which grades of its calls pass.
    """
    if verdict is flawless(verdict.numbers.tp):
        return SPOTLESS
    failures = verdict.failures
    if len(failures) == 1 and not verdict.unknown:
        return _for_one_reason(verdict, sentence(failures[0]), threshold)
    sentences = [sentence(failure) for failure in failures]
    return {name: metric.of(verdict, sentences, threshold) for name, metric in STANDARD.items()}


def _for_one_reason(verdict: CaseVerdict, why: str, threshold: float) -> dict[str, Score]:
    """The same when one failure explains every dimension: most are then 1 or 0, and share a score."""
    zeros, between = _imperfect(verdict.numbers)
    scores = SPOTLESS.copy()
    scores.update(dict.fromkeys(zeros, Score(0.0, False, why)))
    for name, value in between:
        scores[name] = Score.graded(value, why, threshold=threshold if name in GRADED else 1.0)
    scores["overall"] = Score(verdict.score, verdict.passed, why)
    return scores


@lru_cache(maxsize=1024)
def _imperfect(numbers: Numbers) -> tuple[list[str], list[tuple[str, float]]]:
    """The dimensions that are 0, and those between 0 and 1 with their values."""
    values = list(zip(NUMBERED, NUMBERS_OF(numbers), strict=True))
    return [name for name, value in values if not value], [pair for pair in values if 0.0 < pair[1] < 1.0]


AGENTS_KNOWN = "agents_known"
"""The share of the agents that a golden asks about, which were known. It decides nothing."""


def agents_score(*verdicts: CaseVerdict) -> dict[str, Score]:
    """How many of the agents that a golden asks about were known; empty when it asks about none."""
    known, unknown = (sum(getattr(v, f"agents_{word}") for v in verdicts) for word in ("known", "unknown"))
    if not known + unknown:
        return {}
    why = f"agent unknown in {unknown} of {known + unknown} calls: name your agents" if unknown else ""
    return {AGENTS_KNOWN: Score(known / (known + unknown), True, why)}


def no_answer(trajectory: Trajectory) -> str:
    """Why the case says nothing about the agent; empty when it does."""
    if trajectory.stop_reason != "infra_error":
        return ""
    return trajectory.error or "no answer"
