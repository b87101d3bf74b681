"""Scores existing test cases; nothing is run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from rightcall.errors import ConfigError
from rightcall.executor import Pool
from rightcall.metrics import Scorer
from rightcall.model.case import AnyTestCase
from rightcall.model.golden import with_id
from rightcall.model.run import CaseResult


async def score_cases(
    cases: Sequence[AnyTestCase], scorer: Scorer, *, concurrency: int = 32
) -> list[CaseResult]:
    """The result of each case, in order; several cases of one golden are its trials."""
    problems = await scorer.problems()
    if problems:
        raise ConfigError(*problems)
    seen: Counter[str] = Counter()
    jobs: list[tuple[int, AnyTestCase, int]] = []
    for place, case in enumerate(cases):
        named = msgspec.structs.replace(case, golden=with_id(case.golden))
        jobs.append((place, named, seen[named.golden.id]))
        seen[named.golden.id] += 1
    found: dict[int, CaseResult] = {}

    async def do(job: tuple[int, AnyTestCase, int]) -> None:
        place, case, trial = job
        found[place] = await score_test_case(case, trial, scorer)

    await Pool(max(1, min(concurrency, len(jobs)))).run(iter(jobs), do)
    return [found[place] for place in range(len(jobs))]


async def score_test_case(case: AnyTestCase, trial: int, scorer: Scorer) -> CaseResult:
    """One case, with what the agent did and its result."""
    result = await scorer.result(case.golden, trial, case.trajectory, case.tools)
    return msgspec.structs.replace(result, trajectory=case.trajectory)
