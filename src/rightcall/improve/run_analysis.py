"""Analysis of a run: streamed from the store, or from results in memory.

In the store, goldens and failed trials are read side by side, in the order of ids.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from rightcall.improve.counters import FailedTrial, GoldenTrials
from rightcall.improve.findings import Analysis, analyze_trials
from rightcall.improve.golden_facts import calls_expected
from rightcall.improve.past_evidence import voter_of
from rightcall.improve.reference import changes_since_passing
from rightcall.improve.run_setup import run_record
from rightcall.improve.votes import RunVotes, Voter, run_votes
from rightcall.records.golden import AnyGolden, Golden, request_of
from rightcall.records.run import CaseResult
from rightcall.records.tool import Tool
from rightcall.run.rehearsal.toolset import Toolset
from rightcall.store.base import RunFilter, StoredRun
from rightcall.store.sql.failures import StoredFailure
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
    tools = list(record.tools) or _tools_by_name_alone(trials_of(store, stored))
    compared = (
        [store.runs.get(run_id) for run_id in against]
        if against is not None
        else _of_other_models(store, stored)
    )
    toolset = Toolset({tool.name: tool for tool in tools})
    others: dict[str, RunVotes] = {
        other.id: run_votes(voter_of(store, other, {}), trials_of(store, other), toolset)
        for other in compared
        if other.id != stored.id
    }
    analysis = analyze_trials(
        tools,
        trials_of(store, stored),
        system=record.system if record.system_known else None,
        since=changes_since_passing(store, stored),
        voter=voter_of(store, stored, {}),
        others=others,
        known=bool(record.tools) or not tools,
        inputs=lambda ids: store.runs.previews(stored.id, ids),
    )
    return msgspec.structs.replace(analysis, run=stored.id, owned=record.owned)


def _tools_by_name_alone(trials: Iterable[GoldenTrials]) -> list[Tool]:
    """Tools whose definitions are not stored, as those of code are: the names that were expected or called."""
    names: dict[str, None] = {}
    for one_golden in trials:
        names.update((tool, None) for tool, _ in calls_expected(one_golden.golden))
        names.update((call.name, None) for trial in one_golden.failed for call in trial.calls)
    return [Tool(name) for name in sorted(names) if name and not name.startswith("/")]


def trials_of(store: Store, stored: StoredRun) -> Iterator[GoldenTrials]:
    """Every golden of a run with its failed trials; one stored without its golden has only its id."""
    goldens = store.runs.goldens(stored.id)
    stored_failures = store.runs.failures(stored.id)
    failed = _ByGolden(stored_failures.failed_trials())
    golden = next(goldens, None)
    for count in stored_failures.trial_counts():
        while golden is not None and golden.id != count.golden_id and golden.id < count.golden_id:
            golden = next(goldens, None)
        name = count.golden_id
        known = golden if golden is not None and golden.id == name else Golden("", name)
        yield GoldenTrials(known, count.judged, count.passed, failed.take(name))


class _ByGolden:
    """Stored trials in the order of goldens, taken golden by golden."""

    def __init__(self, trials: Iterator[StoredFailure]) -> None:
        self._trials = trials
        self._next = next(trials, None)

    def take(self, golden_id: str) -> list[FailedTrial]:
        trials = []
        while (trial := self._next) is not None and trial.golden_id == golden_id:
            trials.append(FailedTrial(trial.trial, trial.codes, trial.calls, trial.state))
            self._next = next(self._trials, None)
        return trials


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
    system: str | None = "",
    others: Mapping[str, Iterable[CaseResult]] | None = None,
) -> Analysis:
    """Why cases failed. `system` is None where it is not known.

    `others` are results of the same goldens by other models, by run.
    """
    by_id = {golden.id: golden for golden in goldens}
    toolset = Toolset({tool.name: tool for tool in tools})
    votes = {
        name: run_votes(Voter(name), gather_trials(by_id, of), toolset) for name, of in (others or {}).items()
    }
    return analyze_trials(
        tools,
        gather_trials(by_id, results),
        system=system,
        others=votes,
        inputs=lambda ids: {name: request_of(by_id[name]) for name in ids},
    )


def gather_trials(goldens: Mapping[str, AnyGolden], results: Iterable[CaseResult]) -> Iterator[GoldenTrials]:
    """Results by golden, in the order of ids; errors say nothing about the agent."""
    trials: dict[str, list[CaseResult]] = {}
    for result in results:
        if result.judged and result.golden_id in goldens:
            trials.setdefault(result.golden_id, []).append(result)
    for golden_id, results_of_golden in sorted(trials.items()):
        in_order = sorted(results_of_golden, key=lambda r: r.trial)
        failed = [_trial_of(result) for result in in_order if not result.passed]
        yield GoldenTrials(goldens[golden_id], len(in_order), len(in_order) - len(failed), failed)


def _trial_of(result: CaseResult) -> FailedTrial:
    happened = result.trajectory
    return FailedTrial(result.trial, result.codes, *((happened.calls, happened.state) if happened else ()))
