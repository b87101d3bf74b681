"""Analysis of a run: streamed from the store, or from results in memory.

In the store, goldens and failed trials are read side by side, in the order of ids.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from rightcall.improve.counters import FailedTrial, GoldenTrials
from rightcall.improve.findings import Analysis, Extreme, analyze_trials
from rightcall.improve.golden_facts import calls_expected
from rightcall.improve.past_runs import voter_of
from rightcall.improve.run_setup import run_record
from rightcall.improve.suspicion import RunVotes, run_votes
from rightcall.improve.votes import Voter
from rightcall.model.golden import AnyGolden, Golden
from rightcall.model.run import CaseResult
from rightcall.model.tool import Tool
from rightcall.store.base import RunFilter, StoredRun
from rightcall.store.sql.store import Store

MOST_COMPARED = 4
LOOKED_BACK = 50


def analyze_run(store: Store, run: str = "last", *, against: Sequence[str] | None = None) -> Analysis:
    """Why a stored run fails, and what to change.

    `against` names runs of other models on the same goldens, which can show that a golden is wrong; by default the
    newest run of each other model on the same dataset is taken.
    """
    stored = store.runs.get(run)
    record = run_record(store, stored)
    tools = list(record.tools) or _named_tools(trials_of(store, stored))
    compared = (
        [store.runs.get(run_id) for run_id in against]
        if against is not None
        else _of_other_models(store, stored)
    )
    others: dict[str, RunVotes] = {
        other.id: run_votes(voter_of(store, other, {}), trials_of(store, other))
        for other in compared
        if other.id != stored.id
    }
    analysis = analyze_trials(
        tools,
        trials_of(store, stored),
        run=stored.id,
        system=record.system,
        voter=voter_of(store, stored, {}),
        others=others,
        known=bool(record.tools) or not tools,
        inputs=lambda ids: store.runs.previews(stored.id, ids),
    )
    failures = store.runs.failures(stored.id)
    slow = [Extreme(*trial) for trial in failures.extreme_trials("latency_ms")]
    costly = [Extreme(*trial) for trial in failures.extreme_trials("cost_usd")]
    return msgspec.structs.replace(analysis, slow=tuple(slow), costly=tuple(costly))


def _named_tools(trials: Iterable[GoldenTrials]) -> list[Tool]:
    """Tools whose definitions are not stored, as those of code are: the names that were expected or called."""
    names: dict[str, None] = {}
    for one_golden in trials:
        names.update((tool, None) for tool, _ in calls_expected(one_golden.golden))
        names.update((call.name, None) for trial in one_golden.failed for call in trial.calls)
    return [Tool(name) for name in sorted(names) if name and not name.startswith("/")]


def trials_of(store: Store, stored: StoredRun) -> Iterator[GoldenTrials]:
    """Every golden of a run with its failed trials; one stored without its golden has only its id."""
    goldens, stored_failures = store.runs.goldens(stored.id), store.runs.failures(stored.id)
    failures = stored_failures.failed_trials()
    golden, failure = next(goldens, None), next(failures, None)
    for count in stored_failures.trial_counts():
        while golden is not None and golden.id != count.golden_id and golden.id < count.golden_id:
            golden = next(goldens, None)
        failed: list[FailedTrial] = []
        while failure is not None and failure.golden_id == count.golden_id:
            failed.append(FailedTrial(failure.trial, failure.codes, failure.calls, failure.state))
            failure = next(failures, None)
        golden_or_empty = (
            golden if golden is not None and golden.id == count.golden_id else Golden("", count.golden_id)
        )
        yield GoldenTrials(golden_or_empty, count.judged, count.passed, failed)


def _of_other_models(store: Store, stored: StoredRun) -> list[StoredRun]:
    """The newest run of each other model on the same goldens and tools."""
    mine = stored.run
    dataset = mine.fingerprints.get("dataset")
    runs_by_model: dict[str, StoredRun] = {}
    for other in store.runs.page(RunFilter(name=mine.name), limit=LOOKED_BACK) if dataset else ():
        same = other.run.fingerprints.get("dataset") == dataset and "perturb" not in other.run.settings
        if same and other.finished and other.run.agent != mine.agent:
            runs_by_model.setdefault(other.run.agent, other)
    return list(runs_by_model.values())[:MOST_COMPARED]


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
    requests = {
        name: golden.input if isinstance(golden, Golden) else golden.scenario
        for name, golden in by_id.items()
    }
    votes = {name: run_votes(Voter(name), gather_trials(by_id, of)) for name, of in (others or {}).items()}
    return analyze_trials(
        tools,
        gather_trials(by_id, results),
        run=run,
        system=system,
        others=votes,
        inputs=lambda ids: {name: requests[name] for name in ids},
    )


def gather_trials(goldens: Mapping[str, AnyGolden], results: Iterable[CaseResult]) -> Iterator[GoldenTrials]:
    """Results by golden, in the order of ids; errors say nothing about the agent."""
    trials: dict[str, list[CaseResult]] = {}
    for result in results:
        if result.judged and result.golden_id in goldens:
            trials.setdefault(result.golden_id, []).append(result)
    for golden_id, results_of_golden in sorted(trials.items()):
        failed = [
            FailedTrial(r.trial, r.codes, *((r.trajectory.calls, r.trajectory.state) if r.trajectory else ()))
            for r in sorted(results_of_golden, key=lambda r: r.trial)
            if not r.passed
        ]
        yield GoldenTrials(
            goldens[golden_id], len(results_of_golden), len(results_of_golden) - len(failed), failed
        )
