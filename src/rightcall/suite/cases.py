"""Ready test cases, scored: what an agent did is known, nothing is run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from rightcall.executor import Pool
from rightcall.metrics import Metric, Rules, measure_all, result_of
from rightcall.metrics.matching.judge import SPOILING
from rightcall.model.case import AnyTestCase, TestCase
from rightcall.model.golden import with_id
from rightcall.model.run import CaseResult
from rightcall.tools.offer import offered_tools


async def score_cases(
    cases: Sequence[AnyTestCase],
    metrics: Sequence[Metric] = (),
    *,
    rules: Rules | None = None,
    concurrency: int = 32,
) -> list[CaseResult]:
    """The result of each case, in their order; several cases of one golden are its trials."""
    seen: Counter[str] = Counter()
    jobs: list[tuple[int, AnyTestCase, int]] = []
    for place, case in enumerate(cases):
        named = msgspec.structs.replace(case, golden=with_id(case.golden))
        jobs.append((place, named, seen[named.golden.id]))
        seen[named.golden.id] += 1
    found: dict[int, CaseResult] = {}

    async def do(job: tuple[int, AnyTestCase, int]) -> None:
        place, case, trial = job
        found[place] = await score_case(case, trial, metrics, rules or Rules())

    await Pool(max(1, min(concurrency, len(jobs)))).run(iter(jobs), do)
    return [found[place] for place in range(len(jobs))]


async def score_case(case: AnyTestCase, trial: int, metrics: Sequence[Metric], rules: Rules) -> CaseResult:
    """One case by its dimensions and the metrics that were named, which then decide whether it passes."""
    if not isinstance(case, TestCase):
        from rightcall.suite.conversations import score_conversation

        return await score_conversation(case, trial, metrics, rules)
    tools = offered_tools(case.golden, case.tools)
    result = result_of(case.golden, trial, case.trajectory, tools, rules=rules)
    more = await measure_all(metrics, TestCase(case.golden, case.trajectory, dict(tools)))
    merged: Mapping[str, object] = {**result.metrics, **more} if more else result.metrics
    return decided(msgspec.structs.replace(result, metrics=merged, trajectory=case.trajectory), metrics)


def decided(result: CaseResult, metrics: Sequence[Metric]) -> CaseResult:
    """The result with the metrics that were named deciding whether it passed.

    Without any, the golden's own rules decide. What spoils a case (a forbidden call, a broken agent) does so
    whatever was named. A metric that broke is an error, not a failure of the agent.
    """
    if not metrics or result.error:
        return result
    scores = {metric.name: result.metrics[metric.name] for metric in metrics}
    broken = [f"{name}: {score.error}" for name, score in scores.items() if score.error]
    spoiled = any(failure.code in SPOILING for failure in result.codes)
    passed = all(score.passed for score in scores.values()) and not spoiled
    return msgspec.structs.replace(result, passed=passed, error="; ".join(broken))
