"""The scorer: computes the result of a case from what the agent did and what was expected.

`run`, `evaluate`, `score`, `score_trajectory`, `assert_test`, `check` and re-scoring all go through it, so a case has
one verdict everywhere. A case passes when its calls pass, everything its golden states is true, and every named metric passes.
What cannot be computed makes the case an error, never a pass. A case that nothing decides is unchecked. docs/scoring.md states the rule for users.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from rightcall.core.errors import ConfigError
from rightcall.metrics.base import Metric, UserMetric
from rightcall.metrics.builtin.dialogue import Turns
from rightcall.metrics.builtin.effects import FinalState
from rightcall.metrics.case_result import result_of, with_scores
from rightcall.metrics.conversation import OF_TURNS, as_one_golden, expectations_by_exchange
from rightcall.metrics.dimensions import STANDARD
from rightcall.metrics.matching.call_kinds import read_skills
from rightcall.metrics.matching.verdict import DEFAULT_RULES, ScoringRules, with_pass_threshold
from rightcall.metrics.measurement import METRIC_SECONDS, measure_all, missing_evidence
from rightcall.records.case import AnyTestCase, ConversationalTestCase, TestCase
from rightcall.records.golden import AnyGolden, Golden, states_check
from rightcall.records.run import CaseResult
from rightcall.records.score import Score
from rightcall.records.tool import Tool
from rightcall.records.trajectory import Trajectory
from rightcall.tools.definitions.offer import tools_for


class Scorer(msgspec.Struct, frozen=True):
    """The criteria of cases in addition to their goldens.

    `metrics` decide, `observe` only measure.
    """

    metrics: Sequence[Metric] = ()
    observe: Sequence[Metric] = ()
    rules: ScoringRules = DEFAULT_RULES

    @property
    def names(self) -> tuple[str, ...]:
        """The requested metrics, deciding and observed."""
        return tuple(metric.name for metric in (*self.metrics, *self.observe))

    def checks(self, golden: AnyGolden) -> bool:
        """Whether anything decides the cases of a golden: a metric, or a check that it states."""
        return bool(self.metrics) or states_check(golden)

    def stated(
        self, golden: AnyGolden, trial: int, trajectory: Trajectory, tools: Mapping[str, Tool]
    ) -> CaseResult:
        """The result by what the golden states alone: the whole result when no metric is named or observed."""
        offered = tools_for(golden, tools)
        if not states_check(golden):
            return as_unchecked(silent_result(golden, trial, trajectory, offered, rules=self.rules))
        return result_of(golden, trial, trajectory, offered, rules=self.rules)

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
        offered = tools_for(golden, tools)
        deadline = None if left is None else time.monotonic() + left
        stated = await score_in_time(
            lambda done: result_of(golden, trial, done, offered, rules=self.rules), trajectory, left
        )
        result = stated
        checked = self.checks(golden)
        if not states_check(golden):
            result = silent_result(golden, trial, trajectory, offered, rules=self.rules)
        if not result.checked:  # an attempt whose attack the agent never met
            return result
        if result.error or not (self.metrics or self.observe):
            return result if checked else as_unchecked(result)
        case = case_for_metrics(golden, trajectory, offered, self.rules)
        by_turns = not isinstance(golden, Golden) and bool(expectations_by_exchange(golden))
        metrics = (*self.metrics, *self.observe)
        scores = {metric.name: _by_result(metric, case, stated, by_turns) for metric in metrics}
        rest = [metric for metric in metrics if scores[metric.name] is None]
        if rest:
            left = METRIC_SECONDS if deadline is None else max(0.0, deadline - time.monotonic())
            scores |= await measure_metrics(rest, case, golden, min(METRIC_SECONDS, left))
        measured_scores = {name: score for name, score in scores.items() if score is not None}
        if not checked:
            return as_unchecked(result, measured_scores)
        if self.observe:
            seen = {metric.name: measured_scores[metric.name] for metric in self.observe}
            result = replace(result, metrics={**result.metrics, **seen})
        return with_scores(result, {metric.name: measured_scores[metric.name] for metric in self.metrics})

    async def require_ready(self) -> None:
        """Raise `ConfigError` with what is missing to score with these metrics."""
        if problems := await self.problems():
            raise ConfigError(*problems)

    async def problems(self) -> list[str]:
        """Problems that make a metric impossible to compute (a judge's key, host or model), found at no cost."""
        problems: list[str] = []
        for metric in (*self.metrics, *self.observe):
            check = getattr(metric, "check", None)
            if check is not None:
                problems += [f"metric {metric.name}: {problem}" for problem in await check()]
        return list(dict.fromkeys(problems))


def silent_result(
    golden: AnyGolden, trial: int, trajectory: Trajectory, tools: Mapping[str, Tool], rules: ScoringRules
) -> CaseResult:
    """The result of a golden that states no check, before metrics: it fails only if the agent broke down.

    Its dimensions compare calls with expectations that nobody stated, so only the overall score is left.
    """
    open_golden = replace(golden, extra_calls="allow")
    result = result_of(open_golden, trial, trajectory, tools, rules=rules)
    return replace(result, metrics={"overall": result.metrics["overall"]})


def as_unchecked(result: CaseResult, observed: Mapping[str, Score] | None = None) -> CaseResult:
    """A result that nothing decides: neither passed nor failed, with the observed scores alone."""
    return replace(result, passed=False, score=0.0, metrics=dict(observed or {}), checked=False)


def case_for_metrics(
    golden: AnyGolden, trajectory: Trajectory, tools: Mapping[str, Tool], rules: ScoringRules = DEFAULT_RULES
) -> TestCase:
    """The case as metrics see it: a conversation as one golden, and the threshold that the rules give it."""
    one_golden = with_pass_threshold(as_one_golden(golden), rules)
    return TestCase(one_golden, read_skills(trajectory, tools), dict(tools))


async def measure_metrics(
    metrics: Sequence[Metric], case: TestCase, golden: AnyGolden, seconds: float = METRIC_SECONDS
) -> dict[str, Score]:
    """The score of each metric; those of whole conversations get the conversation instead of the one golden."""
    if isinstance(golden, Golden):
        return await measure_all(metrics, case, seconds)
    whole = [metric for metric in metrics if isinstance(metric, UserMetric) and metric.whole_conversation]
    conversation = ConversationalTestCase(golden, case.trajectory, case.tools)
    scores = await measure_all([metric for metric in metrics if metric not in whole], case, seconds)
    return scores | await measure_all(whole, conversation, seconds)


async def measure_alone(metric: Metric, test_case: AnyTestCase) -> Score:
    """The score of one metric, whatever the golden says of the case."""
    golden = test_case.golden
    case = case_for_metrics(golden, test_case.trajectory, test_case.tools)
    return (await measure_metrics([metric], case, golden))[metric.name]


def _by_result(metric: Metric, case: TestCase, result: CaseResult, by_turns: bool) -> Score | None:
    """The score that the result already has, by the rules of this suite and without a second alignment.

    `by_turns` says that the turns of a conversation state calls, though the conversation as one golden does not.
    """
    score = result.metrics.get(metric.name)
    is_dimension = type(metric) is type(STANDARD.get(metric.name))
    if score is None or not (is_dimension or isinstance(metric, FinalState | Turns)):
        return None
    about_turns = by_turns and (isinstance(metric, Turns) or metric.name in OF_TURNS)
    missing = "" if about_turns else missing_evidence(metric, case)
    return Score.broken(missing) if missing else score


MANY_CALLS = 500
"""Number of calls from which scoring takes tenths of a second and runs in a thread."""

LEAST = 1.0
"""Seconds that scoring always gets, even if the case used all its time."""


def time_to_score(seconds: float | None, trajectory: Trajectory) -> float | None:
    """What a case that may take `seconds` has left when its trajectory is known; None without a limit."""
    if seconds is None:
        return None
    return max(LEAST, seconds - (trajectory.latency_ms or 0.0) / 1000)


async def score_in_time(
    judge: Callable[[Trajectory], CaseResult], trajectory: Trajectory, seconds: float | None
) -> CaseResult:
    """What `judge` makes of the trajectory, or an error when that takes too long. Its work is bounded, so it ends."""
    if len(trajectory.calls) < MANY_CALLS:
        return judge(trajectory)
    import asyncio  # files are scored without it

    try:
        return await asyncio.wait_for(asyncio.to_thread(judge, trajectory), seconds)
    except TimeoutError:
        why = f"scoring {len(trajectory.calls):,} calls took longer than the remaining {seconds:g} seconds"
        return judge(Trajectory(stop_reason="infra_error", error=why))
