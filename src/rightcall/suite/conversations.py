"""Conversations that were held, scored: turn by turn, as a whole, and by the state they left behind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from rightcall.metrics import Metric, Rules, measure_all
from rightcall.metrics.conversation import ConversationVerdict, as_one_golden, judge_conversation
from rightcall.metrics.final_state import FinalState
from rightcall.metrics.matching.judge import DEFAULT_RULES
from rightcall.metrics.measure import dimension_scores
from rightcall.model.case import ConversationalTestCase, TestCase
from rightcall.model.golden import ConversationalGolden
from rightcall.model.run import CaseResult
from rightcall.model.score import Score
from rightcall.model.tool import Tool
from rightcall.model.trajectory import Trajectory
from rightcall.tools.offer import offered_tools


def conversation_result(
    golden: ConversationalGolden,
    trial: int,
    trajectory: Trajectory,
    tools: Mapping[str, Tool],
    *,
    rules: Rules = DEFAULT_RULES,
) -> CaseResult:
    """The result of one conversation. `turns` is a metric of it; its reason names the first turn that went wrong."""
    verdict = judge_conversation(golden, trajectory, tools, rules=rules)
    scores: dict[str, Score] = {**dimension_scores(verdict.whole), "turns": verdict.turns_score()}
    scores["overall"] = Score(verdict.score, verdict.passed, "" if verdict.passed else _why(verdict))
    passed, codes, error = verdict.passed, verdict.failures, verdict.problem
    if golden.expected_state is not None:
        state = FinalState().measure(TestCase(as_one_golden(golden), trajectory))
        scores["final_state"] = state
        passed, codes, error = passed and state.passed, (*codes, *state.codes), error or state.error
    if trajectory.stop_reason == "infra_error":
        error = error or trajectory.error or "the provider did not answer"
    return CaseResult(
        golden_id=golden.id,
        trial=trial,
        passed=passed and not error,
        score=verdict.score,
        metrics=scores,
        codes=codes,
        category=golden.category,
        cluster=golden.cluster,
        tags=golden.tags,
        error=error,
        latency_ms=trajectory.latency_ms,
        usage=trajectory.usage,
    )


async def score_conversation(
    case: ConversationalTestCase, trial: int, metrics: Sequence[Metric], rules: Rules
) -> CaseResult:
    """The same with metrics that were named, each of which looks at the conversation as a whole."""
    from rightcall.suite.cases import decided

    tools = offered_tools(case.golden, case.tools)
    result = conversation_result(case.golden, trial, case.trajectory, tools, rules=rules)
    whole = TestCase(as_one_golden(case.golden), case.trajectory, dict(tools))
    more = await measure_all(metrics, whole)
    merged = {**result.metrics, **more}
    return decided(msgspec.structs.replace(result, metrics=merged, trajectory=case.trajectory), metrics)


def _why(verdict: ConversationVerdict) -> str:
    from rightcall.metrics.matching.reasons import reason

    turns = verdict.turns_score()
    return turns.reason or reason(verdict.whole.failures)
