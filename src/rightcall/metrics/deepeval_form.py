"""Metrics of DeepEval's form: `measure` and `a_measure` keep the last `score`, `reason` and `success` in the metric.

BaseMetric, BaseConversationalMetric   to subclass, as in DeepEval
DeepEvalMetric                         such a metric, or a copy from other code, as a metric of RightCall
MirroredMetric                         a metric of RightCall with DeepEval's methods
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, wraps
from typing import Any, ParamSpec

from rightcall.core.codec import name_of, source_hash, stable_repr
from rightcall.core.errors import RightCallError
from rightcall.core.event_loop import run_blocking
from rightcall.metrics.base import Metric, UserMetric, metric_name, score_when_ready
from rightcall.metrics.score_case import measure_alone
from rightcall.records.case import AnyTestCase
from rightcall.records.record import Reading
from rightcall.records.score import Score

P = ParamSpec("P")


class BaseMetric(Metric):
    """DeepEval's base class of custom metrics: write `measure` and `a_measure`, which set `score` and `success`.

    `evaluate`, `assert_test` and the other functions measure a copy for each test case, so what a metric keeps is
    never that of another case.
    """

    threshold: float | None = None
    score: float | None = None
    score_breakdown: dict[str, Any] | None = None
    reason: str | None = None
    success: bool | None = None
    error: str | None = None
    evaluation_model: str | None = None
    evaluation_cost: float | None = None
    strict_mode: bool = False
    async_mode: bool = True
    verbose_mode: bool = True
    include_reason: bool = False
    verbose_logs: str | None = None
    skipped: bool = False
    flaky: bool = False
    model: Any = None

    def measure(self, test_case: Any, *args: Any, **options: Any) -> Any:  # type: ignore[override]
        """Score the test case, keep `score`, `reason` and `success`, and return the score."""
        raise NotImplementedError(f"{type(self).__name__} must define measure(self, test_case)")

    async def a_measure(self, test_case: Any, *args: Any, **options: Any) -> Any:
        """The same for async code [default: `measure`]."""
        return self.measure(test_case, *args, **options)

    def is_successful(self) -> bool | None:
        """Whether the last score reaches the threshold; None without a threshold."""
        if self.threshold is None:
            self.success = None
        else:
            self.success = self.error is None and self.score is not None and self.score >= self.threshold
        return self.success

    @property
    def __name__(self) -> str:
        return "Base Metric"


class BaseConversationalMetric(BaseMetric):
    """DeepEval's base class of custom metrics of conversations: `measure` gets a `ConversationalTestCase`."""


@dataclass(frozen=True, repr=False)
class DeepEvalMetric(UserMetric):
    """A metric of DeepEval's form as a metric of RightCall. Its `is_successful` decides whether a score passes."""

    metric: Any

    whole_conversation = True

    @property
    def name(self) -> str:
        """The metric's `__name__`, or its class in snake case."""
        own = getattr(self.metric, "__name__", None)
        is_named = isinstance(own, str) and own not in ("", "Base Metric")
        return str(own) if is_named else metric_name(type(self.metric))

    @property
    def function(self) -> Callable[..., Any]:
        """What is called: `a_measure` if the metric has one and runs async, else `measure`."""
        own = getattr(type(self.metric), "a_measure", None)
        if own is None or own is BaseMetric.a_measure or not getattr(self.metric, "async_mode", True):
            return self.metric.measure  # type: ignore[no-any-return]
        return self.metric.a_measure  # type: ignore[no-any-return]

    def measure(self, case: AnyTestCase) -> Any:
        metric = copy.copy(self.metric)
        measured = getattr(metric, self.function.__name__)(case)
        return score_when_ready(measured, partial(_score, metric))

    def __repr__(self) -> str:
        kind = type(self.metric)
        settings = {name: value for name, value in sorted(vars(self.metric).items()) if name not in OUTCOME}
        return f"DeepEvalMetric({name_of(kind)} {source_hash(kind)}, {stable_repr(settings)})"


OUTCOME = frozenset(
    ("score", "reason", "success", "error", "score_breakdown", "verbose_logs", "evaluation_cost")
)
"""Attributes of a metric that its last measurement left."""


class MeasuredScore(float):
    """What `measure` of a mirrored metric returns: DeepEval's number, with the fields of a `Score`."""

    result: Score

    @classmethod
    def of(cls, score: Score) -> MeasuredScore:
        number = cls(score.value)
        number.result = score
        return number

    value = Reading[float](lambda number: number.result.value)
    passed = Reading[bool](lambda number: number.result.passed)
    reason = Reading[str](lambda number: number.result.reason)


class MirroredMetric(BaseMetric):
    """A metric of RightCall under DeepEval's name and with its methods; the settings are attributes.

    `measure` raises an error when the metric cannot be computed: nothing to check, a judge that does not answer.
    """

    mirrored: Metric
    label: str

    def __init__(self, mirrored: Metric, label: str, *, strict_mode: bool = False) -> None:
        self.mirrored = mirrored
        self.label = label
        self.strict_mode = strict_mode
        self.threshold = getattr(mirrored, "threshold", None)
        self.model = getattr(mirrored, "model", None)

    @property
    def name(self) -> str:
        return self.mirrored.name

    @property
    def __name__(self) -> str:
        return self.label

    def measure(  # type: ignore[override]
        self, test_case: AnyTestCase, *args: Any, **options: Any
    ) -> MeasuredScore:
        return run_blocking(self.a_measure(test_case))

    async def a_measure(self, test_case: AnyTestCase, *args: Any, **options: Any) -> MeasuredScore:
        self.score = self.reason = self.error = None
        self.success = False
        score = await measure_alone(self.mirrored, test_case)
        if score.error:
            self.error = score.error
            raise RightCallError(f"{self.label}: {score.error}")
        self.score = score.value
        self.reason = score.reason
        self.success = score.passed if self.threshold is not None else None
        return MeasuredScore.of(score)

    def is_successful(self) -> bool | None:
        return self.success

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "mirrored":
            raise AttributeError(name)
        return getattr(self.mirrored, name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MirroredMetric) and self.mirrored == other.mirrored

    def __hash__(self) -> int:
        return hash((type(self), self.name))

    def __repr__(self) -> str:
        return repr(self.mirrored)


def mirror_metric(label: str) -> Callable[[Callable[P, Metric]], Callable[P, MirroredMetric]]:
    """Decorator: the metric that a constructor returns, with DeepEval's methods and its `__name__`."""

    def decorate(constructor: Callable[P, Metric]) -> Callable[P, MirroredMetric]:
        @wraps(constructor)
        def construct(*args: P.args, **settings: P.kwargs) -> MirroredMetric:
            metric = constructor(*args, **settings)
            return MirroredMetric(metric, label or metric.name, strict_mode=bool(settings.get("strict_mode")))

        return construct

    return decorate


def as_deepeval_metric(metric: Any) -> Metric | None:
    """A metric of DeepEval's form as RightCall's scorer takes it; None for any other object."""
    if isinstance(metric, MirroredMetric):
        return metric.mirrored
    if hasattr(metric, "measure") and hasattr(metric, "is_successful") and not isinstance(metric, type):
        return DeepEvalMetric(metric)
    return None


def _score(metric: Any, measured: Any) -> Score:
    """The score that a metric kept, or else returned."""
    error = getattr(metric, "error", None)
    if error:
        return Score.broken(str(error))
    value = getattr(metric, "score", None)
    value = measured if value is None else value
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"set score to {type(value).__name__}; expected a number from 0 to 1")
    passed = metric.is_successful()
    reason = getattr(metric, "reason", None)
    return Score(float(value), passed is None or bool(passed), "" if reason is None else str(reason))
