"""What a metric is."""

from __future__ import annotations

import re
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import ClassVar

from rightcall.metrics.matching.judge import judge
from rightcall.metrics.matching.reasons import reason
from rightcall.metrics.matching.verdict import Verdict
from rightcall.model.case import TestCase
from rightcall.model.failure import Code
from rightcall.model.score import Score


class Metric:
    """A measurement of one case.

    Subclass it as a frozen dataclass whose fields are its settings and write `measure` (or `async def measure`).
    A metric keeps nothing between cases, so one instance may serve a thousand cases at once. Its docstring is
    its page: what it measures, why it matters, then `Golden:`, `Fails:` and `Passes:` lines with an example.
    """

    def measure(self, case: TestCase) -> Score | Awaitable[Score]:
        raise NotImplementedError(f"{type(self).__name__} needs a method measure(self, case) -> Score")

    @property
    def name(self) -> str:
        """The name users type: the class's, in snake case."""
        return metric_name(type(self))


def metric_name(metric: type) -> str:
    """`ToolF1` → `tool_f1`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", metric.__name__).lower()


@dataclass(frozen=True)
class VerdictMetric(Metric):
    """A metric that is one number of the verdict, so that many of them cost one alignment.

    `number` is the field of `Numbers`; `codes` are the failures that explain it (all when empty).
    """

    number: ClassVar[str]
    codes: ClassVar[frozenset[Code]] = frozenset()

    def measure(self, case: TestCase) -> Score:
        return self.of(judge(case.golden, case.trajectory, case.tools))

    def of(self, verdict: Verdict) -> Score:
        value: float = getattr(verdict.numbers, self.number)
        return Score(1.0, True) if value >= 1.0 else Score(value, False, self.why(verdict))

    def why(self, verdict: Verdict) -> str:
        relevant = [f for f in verdict.failures if not self.codes or f.code in self.codes]
        return reason(relevant or verdict.failures)


CALL_CODES: frozenset[Code] = frozenset(
    ("no_call", "missing_call", "unexpected_call", "duplicate_call", "retry", "wrong_tool", "unknown_tool")
)
ARGUMENT_CODES: frozenset[Code] = frozenset(
    (
        "missing_arg", "extra_arg", "wrong_value", "wrong_type", "bad_json", "schema_violation",
        "forbidden_arg", "hallucinated_ref",
    )
)  # fmt: skip
