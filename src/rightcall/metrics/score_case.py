"""The scorer: computes the result of a case from what the agent did and what was expected.

`run`, `evaluate`, `score`, `assert_test`, `check` and re-scoring all go through it, so a case has one verdict
everywhere. A case passes when its calls pass, everything its golden states is true, and every named metric passes.
What cannot be computed makes the case an error, never a pass. docs/scoring.md states the rule for users.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from rightcall.errors import MatcherBroke
from rightcall.metrics.base import Metric
from rightcall.metrics.builtin.final_state import FinalState
from rightcall.metrics.builtin.turns import Turns
from rightcall.metrics.conversation import ConversationVerdict, as_one_golden, score_conversation
from rightcall.metrics.matching.case_numbers import latency_in_doubt
from rightcall.metrics.matching.case_score import (
    DEFAULT_RULES,
    FORBIDDEN,
    forbids_all,
    score_closely,
    score_of_stated,
)
from rightcall.metrics.matching.fast_path import is_flawless
from rightcall.metrics.matching.reasons import reason
from rightcall.metrics.matching.verdict import Numbers, ScoringRules
from rightcall.metrics.measure import (
    METRIC_SECONDS,
    SPOTLESS,
    dimension_scores,
    is_dimension,
    measure_one,
    no_answer,
    scored_in_time,
)
from rightcall.model.case import TestCase
from rightcall.model.failure import Failure
from rightcall.model.golden import AnyGolden, ConversationalGolden, Golden
from rightcall.model.run import CaseResult
from rightcall.model.score import Score
from rightcall.model.tool import Tool
from rightcall.model.trajectory import Trajectory
from rightcall.tools.definitions import offered_tools


@dataclass(frozen=True)
class Scorer:
    """The criteria of cases in addition to their goldens.

    `metrics` decide, `observe` only measure. A metric that takes longer than `seconds` is broken.
    """

    metrics: Sequence[Metric] = ()
    observe: Sequence[Metric] = ()
    rules: ScoringRules = DEFAULT_RULES
    seconds: float = METRIC_SECONDS

    @property
    def names(self) -> tuple[str, ...]:
        """The requested metrics, deciding and observed."""
        return tuple(metric.name for metric in (*self.metrics, *self.observe))

    def stated(
        self, golden: AnyGolden, trial: int, trajectory: Trajectory, tools: Mapping[str, Tool]
    ) -> CaseResult:
        """The result by what the golden states alone: the whole result when no metric is named or observed."""
        return result_of(golden, trial, trajectory, offered_tools(golden, tools), rules=self.rules)

    async def result(
        self,
        golden: AnyGolden,
        trial: int,
        trajectory: Trajectory,
        tools: Mapping[str, Tool],
        left: float | None = None,
    ) -> CaseResult:
        """The result of one trial. `tools` are those of the suite; the golden chooses among them.

        `left` is how many seconds the case has left; what is not computed by then makes it an error.
        """
        offered = offered_tools(golden, tools)
        deadline = None if left is None else time.monotonic() + left
        result = await scored_in_time(
            lambda done: result_of(golden, trial, done, offered, rules=self.rules), trajectory, left
        )
        if result.error or not (self.metrics or self.observe):
            return result
        one = golden if isinstance(golden, Golden) else as_one_golden(golden)
        case = TestCase(one, trajectory, dict(offered))
        named = {metric.name: await self._score(metric, case, result, deadline) for metric in self.metrics}
        seen = {metric.name: await self._score(metric, case, result, deadline) for metric in self.observe}
        if seen:
            result = msgspec.structs.replace(result, metrics={**result.metrics, **seen})
        return decided(result, named)

    async def _score(
        self, metric: Metric, case: TestCase, result: CaseResult, deadline: float | None
    ) -> Score:
        known = result.metrics.get(metric.name)
        if known is not None and (is_dimension(metric) or isinstance(metric, FinalState | Turns)):
            return known  # by the rules of this suite, and without a second alignment
        left = self.seconds if deadline is None else max(0.0, deadline - time.monotonic())
        return await measure_one(metric, case, min(self.seconds, left))

    async def problems(self) -> list[str]:
        """Problems that make a metric impossible to compute (a judge's key, host or model), found at no cost."""
        found: list[str] = []
        for metric in (*self.metrics, *self.observe):
            check = getattr(metric, "check", None)
            if check is not None:
                found += [f"metric {metric.name}: {problem}" for problem in await check()]
        return list(dict.fromkeys(found))


def result_of(
    golden: AnyGolden,
    trial: int,
    trajectory: Trajectory,
    tools: Mapping[str, Tool],
    *,
    rules: ScoringRules = DEFAULT_RULES,
) -> CaseResult:
    """The result of one case by what its golden states. `tools` are those the agent was offered."""
    if not isinstance(golden, Golden):
        return _conversation(golden, trial, trajectory, tools, rules)
    failures: tuple[Failure, ...] = ()
    if is_flawless(golden, trajectory):
        passed, score, scores, error = True, 1.0, SPOTLESS, ""
    else:
        try:
            verdict = score_closely(golden, trajectory, tools, rules)
        except MatcherBroke as problem:
            return _not_judged(golden, trial, trajectory, str(problem))
        passed, score, failures = verdict.passed, verdict.score, verdict.failures
        scores, error = dimension_scores(verdict), no_answer(trajectory) or verdict.undecided
        if golden.expected_state is not None or golden.max_latency_ms is not None:
            result = _result(golden, trial, trajectory, passed, score, scores, failures, error)
            stated = None if golden.expected_calls or golden.any_of else verdict.numbers
            return _with_measured(result, golden, trajectory, stated, rules)
    return CaseResult(  # by position: names cost half a microsecond, and this is made for every case
        golden.id,
        trial,
        passed,
        score,
        scores,
        failures,
        golden.category,
        golden.cluster,
        golden.tags,
        error,
        trajectory.latency_ms,
        trajectory.usage,
    )


def decided(result: CaseResult, named: Mapping[str, Score]) -> CaseResult:
    """The result combined with further scores: it passes if it did and all of them do.

    One that broke makes the case an error. Their codes become codes of the case, and their reasons reasons; a case
    that fails without any code gets `failed_metric`, so that counts by code miss none.
    """
    if not named:
        return result
    metrics = {**result.metrics, **named}
    broken = [f"{name}: {score.error}" for name, score in named.items() if score.error]
    failed = {name: score for name, score in named.items() if not score.passed}
    passed = result.passed and not failed
    overall = result.metrics["overall"]
    if failed and not broken:
        said = [overall.reason, *(_why(name, score) for name, score in failed.items())]
        text = "; ".join(dict.fromkeys(part for part in said if part))
        metrics["overall"] = Score(overall.value, False, text, overall.codes)
    return msgspec.structs.replace(
        result,
        passed=passed and not broken,
        metrics=metrics,
        codes=_joined(result.codes, named.values()) or (() if broken else _without_code(failed)),
        error="; ".join(broken) or result.error,
    )


def _why(name: str, score: Score) -> str:
    return f"{name}: {score.reason}" if score.reason else f"{name} did not pass"


def _without_code(failed: Mapping[str, Score]) -> tuple[Failure, ...]:
    return tuple(Failure("failed_metric", detail=_why(name, score)) for name, score in failed.items())


def _joined(codes: tuple[Failure, ...], scores: Iterable[Score]) -> tuple[Failure, ...]:
    found = list(codes)
    for score in scores:
        found += [code for code in score.codes if code not in found]
    return tuple(found) if len(found) > len(codes) else codes


def _with_measured(
    result: CaseResult, golden: Golden, trajectory: Trajectory, numbers: Numbers | None, rules: ScoringRules
) -> CaseResult:
    """The result combined with the final state and the latency.

    `numbers` are given when no call is expected, so that the state counts for the score.
    """
    if result.error:
        return result
    named: dict[str, Score] = {}
    if golden.expected_state is not None:
        named["final_state"] = state = FinalState().measure(TestCase(golden, trajectory))
        if numbers is not None and not state.error and not _spoilt(result, golden, trajectory):
            result = _scored(result, score_of_stated(golden, numbers, rules, state.value))
    if golden.max_latency_ms is not None and trajectory.latency_ms is None:
        named["latency"] = Score.broken("the golden has max_latency_ms, but the latency was not recorded")
    elif result.passed and (doubt := latency_in_doubt(golden, trajectory)):
        named["latency"] = Score.broken(doubt)  # whatever else fails a case fails it on any machine
    return decided(result, named)


def _spoilt(result: CaseResult, golden: Golden, trajectory: Trajectory) -> bool:
    """Whether the score is 0 because something happened that must not."""
    return any(failure.code in FORBIDDEN for failure in result.codes) or (
        bool(trajectory.calls) and forbids_all(golden)
    )


def _scored(result: CaseResult, score: float) -> CaseResult:
    overall = msgspec.structs.replace(result.metrics["overall"], value=score)
    return msgspec.structs.replace(result, score=score, metrics={**result.metrics, "overall": overall})


def _conversation(
    golden: ConversationalGolden,
    trial: int,
    trajectory: Trajectory,
    tools: Mapping[str, Tool],
    rules: ScoringRules,
) -> CaseResult:
    """The result of one conversation. `turns` is a metric of it; its reason names the first turn that went wrong."""
    try:
        verdict = score_conversation(golden, trajectory, tools, rules=rules)
    except MatcherBroke as problem:
        return _not_judged(golden, trial, trajectory, str(problem))
    scores: dict[str, Score] = {**dimension_scores(verdict.shown), "turns": verdict.turns_score()}
    scores["overall"] = Score(verdict.score, verdict.passed, "" if verdict.passed else _reason(verdict))
    error = no_answer(trajectory) or verdict.problem
    passed = verdict.passed and not error
    result = _result(golden, trial, trajectory, passed, verdict.score, scores, verdict.failures, error)
    stated = None if golden.expected_calls or verdict.turns else verdict.whole.numbers
    return _with_measured(result, as_one_golden(golden), trajectory, stated, rules)


def _reason(verdict: ConversationVerdict) -> str:
    turns = verdict.turns_score()
    return turns.reason or reason(verdict.whole.failures)


def _not_judged(golden: AnyGolden, trial: int, trajectory: Trajectory, error: str) -> CaseResult:
    """The result of a case whose golden contains a function that failed."""
    scores = {"overall": Score.broken(error)}
    return _result(golden, trial, trajectory, False, 0.0, scores, (), error)


def _result(
    golden: AnyGolden,
    trial: int,
    trajectory: Trajectory,
    passed: bool,
    score: float,
    scores: dict[str, Score],
    failures: tuple[Failure, ...],
    error: str,
) -> CaseResult:
    return CaseResult(
        golden_id=golden.id,
        trial=trial,
        passed=passed,
        score=score,
        metrics=scores,
        codes=failures,
        category=golden.category,
        cluster=golden.cluster,
        tags=golden.tags,
        error=error,
        latency_ms=trajectory.latency_ms,
        usage=trajectory.spent,
    )
