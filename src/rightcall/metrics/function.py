"""A plain function as a metric: `fn(case)`, or `fn(output, target)` by the names of its parameters."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from rightcall.core.codec import name_of, source_hash
from rightcall.core.errors import ConfigError
from rightcall.metrics.base import UserMetric, require_threshold, score_when_ready
from rightcall.metrics.matching.verdict import pass_threshold
from rightcall.model.case import TestCase
from rightcall.model.score import Score


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
