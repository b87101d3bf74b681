"""Scores existing behaviour: recorded trajectories, one at a time, and test cases; nothing is run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import tee
from pathlib import Path

import msgspec

from rightcall.agents.pool import Pool
from rightcall.core.errors import InputError
from rightcall.datasets.pairs import pair
from rightcall.datasets.review import refuse_unreviewed
from rightcall.metrics.base import AnyMetric
from rightcall.metrics.matching.verdict import Rules, read_rules
from rightcall.metrics.resolve import as_metrics, metrics_to_observe
from rightcall.metrics.score_case import Scorer
from rightcall.records.case import AnyTestCase
from rightcall.records.golden import AnyGolden, with_id
from rightcall.records.run import CaseResult
from rightcall.records.tool import Tool
from rightcall.records.trajectory import Trajectory

Pair = tuple[AnyGolden, int, Trajectory]
Visit = Callable[[AnyGolden, CaseResult], None]
"""Looks at a golden and its result, which has the trajectory."""

BY_GOLDENS = Scorer()
"""The goldens alone decide."""


def scorer_of(
    metrics: Iterable[AnyMetric], measure: Iterable[AnyMetric] = (), rules: Rules | None = None
) -> Scorer:
    """The scorer of metrics in any form; those to `measure` do not decide."""
    chosen = as_metrics(metrics)
    return Scorer(chosen, metrics_to_observe(measure, chosen), read_rules(rules))


def score_recorded(
    goldens: Path,
    trajectories: Path,
    *,
    tools: Iterable[Tool] = (),
    scorer: Scorer = BY_GOLDENS,
    partial: bool = False,
    left_out: Callable[[int], None] | None = None,
    look: Callable[[Trajectory], None] | None = None,
    visit: Visit | None = None,
) -> Iterator[CaseResult]:
    """The result of each recorded trial, streamed: memory does not grow with the number of cases.

    Metrics may be `def` or `async def`. With `partial`, `left_out` receives the number of goldens without a trajectory.
    `look` is called with each trajectory, and `visit` with each golden and its result. Unreviewed goldens are errors.
    """
    pairs = pair(goldens, trajectories, partial=partial, left_out=left_out)
    yield from score_pairs(
        _of_reviewed(pairs, goldens), goldens, tools=tools, scorer=scorer, look=look, visit=visit
    )


def _of_reviewed(pairs: Iterable[Pair], file: Path) -> Iterator[Pair]:
    for reviewed_pair in pairs:
        if reviewed_pair[0].metadata:
            next(refuse_unreviewed([reviewed_pair[0]], file))
        yield reviewed_pair


def score_pairs(
    pairs: Iterable[Pair],
    goldens: Path,
    *,
    tools: Iterable[Tool] = (),
    scorer: Scorer = BY_GOLDENS,
    look: Callable[[Trajectory], None] | None = None,
    visit: Visit | None = None,
) -> Iterator[CaseResult]:
    """The result of each pair; errors name the file of the goldens."""
    toolset = {tool.name: tool for tool in tools}
    if visit is not None:
        pairs, scored = tee(pairs)  # nothing is read ahead: each pair is scored before the next is read
        results = score_pairs(pairs, goldens, tools=tools, scorer=scorer, look=look)
        for result, (golden, _, trajectory) in zip(results, scored, strict=True):
            visit(golden, msgspec.structs.replace(result, trajectory=trajectory))
            yield result
        return
    try:
        if not scorer.metrics and not scorer.observe:
            stated = scorer.stated
            for golden, trial, trajectory in pairs:
                if look is not None:
                    look(trajectory)
                yield stated(golden, trial, trajectory, toolset)
            return
        import asyncio  # only metrics may be async

        with asyncio.Runner() as loop:
            loop.run(scorer.require_ready())
            for golden, trial, trajectory in pairs:
                if look is not None:
                    look(trajectory)
                yield loop.run(scorer.result(golden, trial, trajectory, toolset))
    except InputError as error:  # scoring knows the golden, not its location
        if error.where.startswith("golden '"):
            raise InputError(f"{goldens}: {error.where}", error.problem, error.hint) from None
        raise


async def score_cases(
    cases: Sequence[AnyTestCase], scorer: Scorer, *, concurrency: int = 32
) -> list[CaseResult]:
    """The result of each case, in order; several cases of one golden are its trials."""
    await scorer.require_ready()
    for _ in refuse_unreviewed(case.golden for case in cases):
        pass
    seen: Counter[str] = Counter()
    jobs: list[tuple[int, AnyTestCase, int]] = []
    for place, case in enumerate(cases):
        named = msgspec.structs.replace(case, golden=with_id(case.golden))
        jobs.append((place, named, seen[named.golden.id]))
        seen[named.golden.id] += 1
    results: dict[int, CaseResult] = {}

    async def do(job: tuple[int, AnyTestCase, int]) -> None:
        place, case, trial = job
        result = await scorer.result(case.golden, trial, case.trajectory, case.tools)
        results[place] = msgspec.structs.replace(result, trajectory=case.trajectory)

    await Pool(max(1, min(concurrency, len(jobs)))).run(iter(jobs), do)
    return [results[place] for place in range(len(jobs))]
