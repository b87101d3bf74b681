"""The verdict of a case: every number, whether it passed, and the evidence; the rules by which numbers become one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Literal

import msgspec

from rightcall.core.codec import convert
from rightcall.core.errors import ConfigError, suggestion
from rightcall.records.failure import Failure
from rightcall.records.golden import Golden
from rightcall.records.record import Record
from rightcall.records.run import CallPairs


class Numbers(Record, frozen=True):
    """Counts and rates of one case, all from one alignment. `docs/scoring.md` defines each."""

    tp: int
    fp: int
    fn: int
    absorbed: int
    call_precision: float = 1.0
    call_recall: float = 1.0
    call_f1: float = 1.0
    call_soft_f1: float = 1.0
    tool_precision: float = 1.0
    tool_recall: float = 1.0
    tool_f1: float = 1.0
    parameter_accuracy: float = 1.0
    order: float = 1.0
    content: float = 1.0
    latency: float = 1.0


class CaseVerdict(Record, frozen=True):
    """Did the agent make the right call? `score` is the overall score, 0 when something forbidden happened.

    `unknown` counts the calls, of `called`, whose arguments matter and are not known. `error` says why the case
    cannot be decided: it got no answer, would pass with some arguments and fail with others, or was not measured.
    It is not `checked` when the golden states no check; then it neither passed nor failed. `agents_known` and
    `agents_unknown` count the calls whose agent the golden asks about; where it is not known, that is not judged.
    `pairs` and `alternative` are those of `ScoredCalls`.
    """

    passed: bool
    score: float
    numbers: Numbers
    failures: tuple[Failure, ...] = ()
    unknown: int = 0
    called: int = 0
    error: str = ""
    checked: bool = True
    agents_known: int = 0
    agents_unknown: int = 0
    pairs: CallPairs = ()
    alternative: int = 0


WEIGHTS = {
    "precision": "call_precision",
    "recall": "call_recall",
    "parameter_accuracy": "parameter_accuracy",
    "content": "content",
    "latency": "latency",
    "order": "order",
    "tool_precision": "tool_precision",
    "tool_recall": "tool_recall",
}
"""The dimensions of the overall score, and the number behind each."""

OF_CALLS = ("precision", "recall", "parameter_accuracy", "order", "tool_precision", "tool_recall")


DEFAULT_WEIGHTS: Mapping[str, float] = MappingProxyType(
    {"precision": 0.3, "recall": 0.3, "parameter_accuracy": 0.3, "content": 0.1}
)


WEIGHTINGS: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "default": DEFAULT_WEIGHTS,
        "seed": MappingProxyType(
            {"tool_precision": 0.3, "tool_recall": 0.3, "parameter_accuracy": 0.3, "content": 0.1}
        ),
    }
)
"""Weightings with a name. `seed` takes precision and recall by tool name, and parameter accuracy with half credit; of a
golden without expected calls every word must be in the answer."""


class ScoringRules(msgspec.Struct, frozen=True):
    """How numbers become a verdict: `rules` of a suite.

    `weights` may be the name of a weighting: `default` or `seed`. `half_credit` makes a parameter that is present
    with a wrong value worth a half in parameter accuracy; the weighting `seed` turns it on.
    """

    weights: Mapping[str, float] | str = DEFAULT_WEIGHTS
    pass_rule: Literal["strict", "score"] = "strict"  # noqa: S105
    pass_score: float = 0.8
    secondary_threshold: float = 0.5
    half_credit: bool = False

    def __post_init__(self) -> None:
        chosen = self.weights
        if isinstance(chosen, str):
            if chosen not in WEIGHTINGS:
                hint = suggestion(chosen, WEIGHTINGS) or f"known: {', '.join(WEIGHTINGS)}"
                raise ConfigError(f"unknown weighting '{chosen}'; {hint}")
            if chosen == "seed":
                msgspec.structs.force_setattr(self, "half_credit", True)
            chosen = WEIGHTINGS[chosen]
            msgspec.structs.force_setattr(self, "weights", chosen)
        problems = [
            f"unknown weight '{name}'; {suggestion(name, WEIGHTS) or 'known: ' + ', '.join(WEIGHTS)}"
            for name in chosen
            if name not in WEIGHTS
        ]
        if any(weight < 0 for weight in chosen.values()) or not sum(chosen.values()) > 0:
            problems.append("weights must not be negative, and one must be above 0")
        thresholds = {"pass_score": self.pass_score, "secondary_threshold": self.secondary_threshold}
        problems += [
            f"{name} must be above 0 and at most 1, got {value:g}"
            for name, value in thresholds.items()
            if not 0 < value <= 1
        ]
        if problems:
            raise ConfigError(*problems)

    @property
    def weighting(self) -> Mapping[str, float]:
        assert not isinstance(self.weights, str)  # a name was resolved when the rules were made
        return self.weights

    def overall(self, numbers: Numbers) -> float:
        """The weighted mean of the dimensions."""
        if self.weights is DEFAULT_WEIGHTS:
            return _by_default(
                numbers.call_precision, numbers.call_recall, numbers.parameter_accuracy, numbers.content
            )
        weights = self.weighting
        total = sum(weights.values())
        worth = math.fsum(weight * getattr(numbers, WEIGHTS[name]) for name, weight in weights.items())
        return min(1.0, round(worth / total, 12))  # 0.3 + 0.3 + 0.3 + 0.1 is 1, not 0.9999999999999999

    def mean_of_stated(self, *, state: float | None = None, **values: float | None) -> float:
        """The weighted mean of what a golden without expected calls states; 1 when it states nothing.

        None stands for what is not stated. The state of the world has the weight that calls would have.
        """
        weights = self.weighting
        parts = [(weights.get(name, 0.0), value) for name, value in values.items() if value is not None]
        if state is not None:
            parts.append((math.fsum(weights.get(name, 0.0) for name in OF_CALLS) or 1.0, state))
        total = math.fsum(weight for weight, _ in parts)
        return min(1.0, round(math.fsum(w * value for w, value in parts) / total, 12)) if total else 1.0


@lru_cache(maxsize=1024)
def _by_default(precision: float, recall: float, parameters: float, content: float) -> float:
    """The overall score by the default weights, remembered: cases fail in the same few ways, and rounding is slow."""
    return min(1.0, round(0.3 * (precision + recall + parameters) + 0.1 * content, 12))


DEFAULT_RULES = ScoringRules()
NAMED_RULES = {"default": DEFAULT_RULES, "seed": ScoringRules("seed", "score")}
"""Rules with a name: `seed` scores as the tutorial does, by its weights, and passes a case by its score."""
Rules = ScoringRules | Mapping[str, Any] | str


def read_rules(rules: Rules | None) -> ScoringRules:
    """Scoring rules in any form: made, by name, or as the mapping of a suite."""
    if rules is None or isinstance(rules, ScoringRules):
        return rules or DEFAULT_RULES
    if not isinstance(rules, str):
        return convert(rules, ScoringRules, "rules")
    if rules not in NAMED_RULES:
        raise ConfigError(
            f"unknown rules '{rules}'; {suggestion(rules, NAMED_RULES) or 'known: ' + ', '.join(NAMED_RULES)}"
        )
    return NAMED_RULES[rules]


def pass_threshold(golden: Golden, rules: ScoringRules = DEFAULT_RULES) -> float:
    """The value from which a grade passes: 1, but for a secondary golden its own threshold or the suite's.

    Every grade without a threshold passes by it: the calls of the golden, the built-in numbers about
    them, and numbers that functions and evaluators return.
    """
    if golden.category != "secondary":
        return 1.0
    return rules.secondary_threshold if golden.threshold is None else golden.threshold


def with_pass_threshold(golden: Golden, rules: ScoringRules) -> Golden:
    """The golden as metrics see it, which do not know the rules of the suite: with its threshold."""
    if golden.category != "secondary" or golden.threshold is not None:
        return golden
    return msgspec.structs.replace(golden, threshold=rules.secondary_threshold)


def forbids_all(golden: Golden) -> bool:
    """Whether every call is wrong: a negative golden that names no tool forbids all."""
    return golden.no_calls or (golden.category == "negative" and not must_or_must_not(golden))


def score_of_stated(
    golden: Golden, numbers: Numbers, rules: ScoringRules, state: float | None = None
) -> float:
    """The score of a golden that expects no call: dimensions of which it says nothing drop out.

    `state` is the score of the final state, if the golden expects one; it takes the place of expected calls. By the
    weighting `seed` an answer that lacks one of its words is worth a half at most, however many it has.
    """
    any_call = (golden.extra_calls == "allow" or golden.category == "negative") and not forbids_all(golden)
    mean = rules.mean_of_stated(
        state=state,
        precision=None if any_call else numbers.call_precision,
        tool_precision=None if any_call else numbers.tool_precision,
        content=numbers.content if golden.output_contains else None,
        latency=numbers.latency if golden.max_latency_ms is not None else None,
    )
    lacks_word = (
        rules.weights is WEIGHTINGS["seed"] and bool(golden.output_contains) and numbers.content < 1.0
    )
    return min(mean, 0.5) if lacks_word else mean


def states_calls(golden: Golden) -> bool:
    """Whether a golden says anything about calls: which are expected or forbidden, or that others are not allowed."""
    return must_or_must_not(golden) or forbids_all(golden) or golden.extra_calls == "forbid"


def must_or_must_not(golden: Golden) -> bool:
    """Whether a golden names any calls, expected or forbidden."""
    return bool(golden.forbidden_calls or golden.expected_calls or golden.any_of)
