"""Analysis of results in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from rightcall.analysis.counters import FailedTrial, GoldenTrials
from rightcall.analysis.findings import Analysis, analyze_trials
from rightcall.analysis.suspicion import behaviours_of
from rightcall.model.golden import AnyGolden, Golden
from rightcall.model.run import CaseResult
from rightcall.model.tool import Tool


def analyze_results(
    tools: Sequence[Tool],
    goldens: Iterable[AnyGolden],
    results: Iterable[CaseResult],
    *,
    run: str = "",
    system: str = "",
    others: Mapping[str, Iterable[CaseResult]] | None = None,
) -> Analysis:
    """Why cases failed. `others` are results of the same goldens by other models, by run."""
    by_id = {golden.id: golden for golden in goldens}
    said = {
        name: golden.input if isinstance(golden, Golden) else golden.scenario
        for name, golden in by_id.items()
    }
    behaviours = {name: behaviours_of(tools, gathered(by_id, of)) for name, of in (others or {}).items()}
    return analyze_trials(
        tools,
        gathered(by_id, results),
        run=run,
        system=system,
        others=behaviours,
        inputs=lambda ids: {name: said[name] for name in ids},
    )


def gathered(goldens: Mapping[str, AnyGolden], results: Iterable[CaseResult]) -> Iterator[GoldenTrials]:
    """Results by golden, in the order of ids; errors say nothing about the agent."""
    trials: dict[str, list[CaseResult]] = {}
    for result in results:
        if not result.error and result.golden_id in goldens:
            trials.setdefault(result.golden_id, []).append(result)
    for golden_id, found in sorted(trials.items()):
        failed = [
            FailedTrial(r.trial, r.codes, r.trajectory.calls if r.trajectory else ())
            for r in sorted(found, key=lambda r: r.trial)
            if not r.passed
        ]
        yield GoldenTrials(goldens[golden_id], len(found), len(found) - len(failed), failed)
