"""The base classes of metrics, and a plain function as a metric: `fn(case)`, or `fn(output, target)` by the names of its
parameters.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import Field, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Self

from rightcall.core.codec import name_of, source_hash
from rightcall.core.declared_values import require_values
from rightcall.core.errors import ConfigError
from rightcall.metrics.matching.case_numbers import unknown_text
from rightcall.metrics.matching.judge_case import score_calls
from rightcall.metrics.matching.reasons import reason, sentence
from rightcall.metrics.matching.verdict import CaseVerdict, pass_threshold, states_calls
from rightcall.records.case import TestCase
from rightcall.records.failure import Code
from rightcall.records.score import Score

PERFECT = Score(1.0, True)
"""The perfect score, one shared object."""


ABOUT_ARGUMENTS = frozenset(
    ("call_precision", "call_recall", "call_f1", "call_soft_f1", "parameter_accuracy")
)
"""Numbers that are undefined for calls with unknown arguments."""


GRADED = ABOUT_ARGUMENTS | {"tool_precision", "tool_recall", "tool_f1"}
"""Numbers that grade the calls: those of a secondary golden pass from its threshold."""


def without_arguments(value: float, verdict: CaseVerdict, threshold: float = 1.0) -> Score:
    """The score over the calls with known arguments; an error, neither 1 nor 0, when there are none."""
    why = unknown_text(verdict)
    if verdict.unknown == verdict.called:
        return Score.broken(f"arguments_unknown: {why}")
    return Score(value, value >= threshold, why)


class Metric:
    """A measurement of one case.

    Subclass it as a frozen dataclass whose fields are its settings and write `measure` (or `async def measure`).
    A metric keeps nothing between cases, so one instance may serve a thousand cases at once. Its docstring is
    its page: what it measures, why it matters, then `Golden:`, `Fails:` and `Passes:` lines with an example.
    `reads_expected_output` declares that it compares the answer with the golden's `expected_output`, `asks_model` that a
    model decides [default: whether it has a `model`]: people's labels then say what its verdicts are worth.
    """

    reads_expected_output: ClassVar[bool] = False

    def __new__(cls, *args: Any, **settings: Any) -> Self:
        """Raise `ConfigError` for a setting that is not of the type that the class declares for it."""
        require_values(metric_name(cls), cls, dict(zip(_positional(cls), args, strict=False)) | settings)
        return super().__new__(cls)

    def measure(self, case: TestCase) -> Score | Awaitable[Score]:
        raise NotImplementedError(f"{type(self).__name__} must define measure(self, case) -> Score")

    def nothing_to_check(self, case: TestCase) -> str:
        """Why the case has nothing that the metric could check; empty when it has.

        A metric that was asked for and has nothing to check is an error of the case, never a pass.
        """
        return ""

    async def check(self) -> list[str]:
        """Problems that make the metric impossible to compute, such as a judge without a key. Spends nothing."""
        return []

    @property
    def name(self) -> str:
        """The name users type: the class's, in snake case."""
        return metric_name(type(self))


def _positional(cls: type) -> Iterator[str]:
    """The settings of a metric that may be passed without a keyword, in order."""
    fields: Mapping[str, Field[Any]] = getattr(cls, "__dataclass_fields__", {})
    return (name for name, field in fields.items() if field.init and not field.kw_only)


class CallMetric(Metric):
    """A metric of calls: the golden must say something about calls."""

    def nothing_to_check(self, case: TestCase) -> str:
        return "" if states_calls(case.golden) else "the golden states nothing about calls"


class UserMetric(Metric):
    """A metric that only calls a user's `function`: it may block, so it runs in a thread unless it is async.

    With `whole_conversation` it gets a conversation as a `ConversationalTestCase`; other metrics get it as one golden.
    """

    whole_conversation: ClassVar[bool] = False

    if TYPE_CHECKING:

        @property
        def function(self) -> Callable[..., Any]: ...


AnyMetric = Metric | str | Callable[..., Any]
"""A metric as users pass it: a name, a metric or a plain function."""


def require_threshold(name: str, threshold: float | None) -> None:
    """Raise `ConfigError` for a threshold that every value reaches, or none. None is that of the golden."""
    if threshold is not None and not 0 < threshold <= 1:
        raise ConfigError(f"{name}: threshold must be above 0 and at most 1, got {threshold:g}")


def asks_model(metric: Any) -> bool:
    """Whether a metric asks a model: it says so by `asks_model`, else it holds a `model`, as judges of others do."""
    inner = getattr(metric, "mirrored", None) or getattr(metric, "metric", None)
    if inner is not None:
        return asks_model(inner)
    declared = getattr(metric, "asks_model", None)
    return declared if isinstance(declared, bool) else getattr(metric, "model", None) is not None


def score_when_ready(measured: Any, score: Callable[[Any], Score]) -> Score | Awaitable[Score]:
    """The score of what a user's function returned; if that is awaitable, of its result."""

    async def later() -> Score:
        return score(await measured)

    return later() if inspect.isawaitable(measured) else score(measured)


def metric_name(metric: type) -> str:
    """`ToolF1` → `tool_f1`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", metric.__name__).lower()


@dataclass(frozen=True)
class VerdictMetric(CallMetric):
    """A metric that is one number of the verdict, so that many of them cost one alignment.

    `number` is the field of `Numbers`; `codes` are the failures that explain it (all when empty).
    """

    number: ClassVar[str]
    codes: ClassVar[frozenset[Code]] = frozenset()

    def measure(self, case: TestCase) -> Score:
        verdict = score_calls(case.golden, case.trajectory, case.tools)
        sentences = [sentence(failure) for failure in verdict.failures]
        return self.of(verdict, sentences, pass_threshold(case.golden))

    def of(self, verdict: CaseVerdict, sentences: Sequence[str], threshold: float = 1.0) -> Score:
        """The score for a verdict whose failures are already worded, once for all metrics.

        `threshold` is the golden's, from which a grade passes.
        """
        value: float = getattr(verdict.numbers, self.number)
        if verdict.unknown and self.number in ABOUT_ARGUMENTS:
            return without_arguments(value, verdict, threshold)
        if value >= 1.0:
            return PERFECT
        needed = threshold if self.number in GRADED else 1.0
        return Score.graded(value, self.why(verdict, sentences), threshold=needed)

    def why(self, verdict: CaseVerdict, sentences: Sequence[str]) -> str:
        if len(sentences) == 1:
            return sentences[0]
        relevant = [failure for failure in verdict.failures if failure.code in self.codes]
        return reason(relevant) if relevant else reason(verdict.failures, sentences)


def target_of(case: TestCase) -> Any:
    """The expected answer: `expected_output`, or `target` of the golden's metadata."""
    golden = case.golden
    return golden.metadata.get("target") if golden.expected_output is None else golden.expected_output


PARTS: dict[str, Callable[[TestCase], Any]] = {
    "case": lambda case: case,
    "test_case": lambda case: case,
    "golden": lambda case: case.golden,
    "trajectory": lambda case: case.trajectory,
    "tools": lambda case: case.tools,
    "input": lambda case: case.golden.input,
    "output": lambda case: case.trajectory.output,
    "target": target_of,
    "calls": lambda case: case.trajectory.calls,
    "expected_calls": lambda case: case.golden.expected_calls,
    "state": lambda case: case.trajectory.state,
    "metadata": lambda case: case.golden.metadata,
}
"""The parts of a case that a function can request by parameter name."""
WHOLE = (PARTS["case"], PARTS["test_case"])


@dataclass(frozen=True, repr=False)
class FunctionMetric(UserMetric):
    """A function that returns true or false, a number from 0 to 1, or a `Score`; it may be `async def`.

    A number passes at `threshold` or above [default: 1, for a secondary golden the golden's threshold].
    """

    function: Callable[..., Any]
    threshold: float | None = None
    label: str = ""

    def __post_init__(self) -> None:
        require_threshold(self.name, self.threshold)
        parameters_of(self.function)  # report a function that cannot be called now, not at the first case

    @property
    def name(self) -> str:
        """The function's own, or the label."""
        own = getattr(self.function, "__name__", type(self.function).__name__)
        return self.label or own.strip("<>")

    @property
    def reads_expected_output(self) -> bool:  # type: ignore[override]  # depends on the function
        """Whether the function asks for the `target`."""
        return "target" in (parameters_of(self.function) or ())

    def measure(self, case: TestCase) -> Score | Awaitable[Score]:
        names = parameters_of(self.function)
        arguments = (case,) if names is None else ()
        returned = self.function(*arguments, **{name: PARTS[name](case) for name in names or ()})
        needed = pass_threshold(case.golden) if self.threshold is None else self.threshold
        return score_when_ready(returned, partial(score_of_value, threshold=needed))

    def __repr__(self) -> str:
        limit = "by golden" if self.threshold is None else f"{self.threshold:g}"
        return f"FunctionMetric({name_of(self.function)} {source_hash(self.function)}, {limit}, {self.name})"


def score_of_value(returned: Any, threshold: float) -> Score:
    """What a function returned as a score; a number passes from `threshold` upward."""
    if isinstance(returned, Score):
        return returned
    plain = returned.item() if hasattr(returned, "item") else returned  # a NumPy number
    if isinstance(plain, bool):
        return Score.passed_if(plain, "returned False")
    if isinstance(plain, int | float):
        value = float(plain)
        return Score.graded(value, f"{value:g}, below {threshold:g}", threshold=threshold)
    raise TypeError(f"returned {type(returned).__name__}; expected true, false, a number or a Score")


def parameters_of(function: Callable[..., Any]) -> Sequence[str] | None:
    """The parts of a case that a function requests by name; None when it takes the case itself."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return None  # written in C: its parameters are unknown
    needed = [
        p for p in parameters if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
    ]
    named = [p.name for p in parameters if p.name in PARTS and p.kind is not p.POSITIONAL_ONLY]
    if needed and all(p.name in PARTS and p.kind is not p.POSITIONAL_ONLY for p in needed):
        return named
    if len(needed) <= 1 and parameters and parameters[0].kind is not parameters[0].KEYWORD_ONLY:
        _refuse_misspelt(function, parameters[0].name)
        return None
    shown = ", ".join(p.name for p in needed) or "no parameters"
    raise ConfigError(
        f"metric {getattr(function, '__name__', function)}({shown}) cannot be called; a metric function takes "
        f"the case, or parameters named {', '.join(PARTS)}"
    )


def _refuse_misspelt(function: Callable[..., Any], name: str) -> None:
    """Refuse a parameter that is nearly the name of a part: it would silently receive the whole case."""
    from difflib import get_close_matches

    near = get_close_matches(name, [part for part in PARTS if PARTS[part] not in WHOLE], n=1, cutoff=0.8)
    if near and name not in ("case", "test_case"):
        shown = getattr(function, "__name__", function)
        problem = f"metric {shown}({name}): did you mean '{near[0]}'? name it case if it takes the whole case"
        raise ConfigError(problem)
