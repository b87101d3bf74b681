"""Baselines out of the store: `branch:main` is the newest pool of a suite's runs on that branch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from itertools import chain
from pathlib import Path

import msgspec

from rightcall.core.codec import decode
from rightcall.core.errors import InputError
from rightcall.files.revision import base_commit, is_ancestor
from rightcall.recording.model_requests import HeardSetup
from rightcall.recording.request_digest import distinct_first_requests
from rightcall.records.failure import confusions
from rightcall.records.run import CaseResult
from rightcall.run.baseline_file import (
    MOST_DAYS,
    MOST_RUNS,
    BaselineHeader,
    BaselineLine,
    BaselinePool,
    BaselineRun,
    Marks,
    join_marks,
    load_baseline,
    merge_baselines,
    require_baseline,
    result_marks,
)
from rightcall.run.inputs import Inputs, ask_hash, golden_hash
from rightcall.run.run_record import CHECKED, REPLAYED, major_changes
from rightcall.run.watched_inputs import join_watches, same_watch, watch_of_run
from rightcall.store.base import RunFilter, StoredRun
from rightcall.store.sql.store import Store

SAVE_ONE = "save one on main: rightcall run SUITE --trials 3 --save-baseline FILE"
LOOKED_BACK = 500
BRANCH = "branch:"
TRIALS_OF_RESULTS = 3
"""Trials of a golden whose results are kept: enough to see which vary by themselves."""
SERVED = 50
"""Trajectories that are read to see which model answered."""
NO_PACKAGES = frozenset(
    (
        *("git_branch", "git_commit", "git_dirty", "git_base", "check", "process"),
        *("suite_file", "run_options"),
    )
)
"""Other keys in the versions of a run."""


def merged_baseline(store: Store | None, names: str | Sequence[str], suite: str) -> BaselinePool:
    """The baseline of one name or of several [default: branch:main]: runs with the newest inputs are pooled."""
    chosen = (names,) if isinstance(names, str) else tuple(names) or (f"{BRANCH}main",)
    return merge_baselines(find_baseline(store, name, suite) for name in chosen)


def find_baseline(store: Store | None, name: str, suite: str) -> BaselinePool:
    """The named baseline: a file, `branch:NAME`, or a run pooled with earlier ones that have the same inputs."""
    if Path(name).is_file():
        require_baseline(Path(name))
        return load_baseline(Path(name))
    if "/" in name or name.endswith((".jsonl", ".gz", ".json")):
        raise InputError(
            f"baseline {name}",
            "no such file",
            f"save one on the main branch: rightcall run SUITE --trials 3 --save-baseline {name}",
        )
    if store is None:
        raise InputError(
            f"baseline {name}",
            "there is no store and no such file",
            SAVE_ONE,
        )
    if name.startswith(BRANCH):
        branch = name.removeprefix(BRANCH)
        runs = [run for run in whole_runs(store, suite) if run.run.versions.get("git_branch") == branch]
        if not runs:
            raise _no_baseline(store, name, branch, suite)
        return pool_runs(store, _before_this_work(runs, branch))
    baseline_run = _last_run(store, suite) if name in ("last", "last~0") else store.runs.get(name)
    if CHECKED in baseline_run.tags:
        raise InputError(
            f"baseline {name}",
            "is a run of `rightcall check`, which tries part of the goldens",
            f"name another run: rightcall runs list --suite {baseline_run.run.name}",
        )
    branch = baseline_run.run.versions.get("git_branch", "")
    earlier = [
        run
        for run in whole_runs(store, baseline_run.run.name)
        if run.run.started_at < baseline_run.run.started_at
        and run.run.versions.get("git_branch", "") == branch
    ]
    return pool_runs(store, [baseline_run, *earlier])


def _before_this_work(newest_first: list[StoredRun], branch: str) -> list[StoredRun]:
    """The runs up to the commit where this work left the branch: what came to the branch later is not compared.

    All of them where git cannot tell, or where there is none from before.
    """
    here = Path.cwd()
    if not (base := base_commit(here, branch=branch)):
        return newest_first
    later = set[str]()
    for number, run in enumerate(newest_first):
        commit = run.run.versions.get("git_commit", "")
        if commit in later:
            continue
        if not commit or is_ancestor(here, commit, base) is not False:
            return newest_first[number:]
        later.add(commit)
    return newest_first


def _last_run(store: Store, suite: str) -> StoredRun:
    """The newest run of the suite that is not a check; one with uncommitted changes counts too."""
    runs = store.runs.page(RunFilter(name=suite, state="finished"), limit=LOOKED_BACK)
    for run in runs:
        if CHECKED not in run.tags and run.results >= run.planned:
            return run
    raise InputError(
        "baseline last",
        f"the store has no finished run of suite '{suite}'",
        "run it first: rightcall run SUITE --trials 3",
    )


def _no_baseline(store: Store, name: str, branch: str, suite: str) -> InputError:
    """The error for a branch without a baseline, with what the store has instead."""
    problem = f"the store has no complete run of suite '{suite}' on branch {branch}"
    hint = f"run the suite there once: git switch {branch} && rightcall run SUITE --trials 3"
    elsewhere = [run.run.versions.get("git_branch") for run in whole_runs(store, suite)]
    if named := next(filter(None, elsewhere), None):
        hint = f"its runs are on {named}: use --baseline branch:{named}, or {hint}"
    elif elsewhere:
        hint = f"its runs were made outside git: use --baseline last, or {hint}"
    elif any(
        run.run.versions.get("git_dirty") == "true" and CHECKED not in run.tags
        for run in store.runs.page(RunFilter(name=suite, state="finished"), limit=LOOKED_BACK)
    ):
        problem += "; runs with uncommitted changes do not count"
        hint = "commit or discard the changes and run the suite again, or name a run: --baseline RUN"
    return InputError(f"baseline {name}", problem, hint)


def whole_runs(store: Store, suite: str) -> list[StoredRun]:
    """Finished runs of a suite that tried every golden, newest first; not of `check` or with uncommitted changes."""
    runs = store.runs.page(RunFilter(name=suite, state="finished"), limit=LOOKED_BACK)
    return [
        run
        for run in runs
        if CHECKED not in run.tags
        and run.run.versions.get("git_dirty") != "true"
        and run.results >= run.planned
        and "inputs" in run.run.fingerprints
    ]


def pool_runs(store: Store, newest_first: Sequence[StoredRun]) -> BaselinePool:
    """Runs with the inputs of the newest, while nothing else came between; all before them are history."""
    newest = newest_first[0]
    if "inputs" not in newest.run.fingerprints:
        raise InputError(f"run {newest.id}", "does not record its inputs", "run the suite again")
    selection = newest.run.fingerprints.get("selection")
    newest_inputs = newest.run.fingerprints["inputs"]
    since = _time(newest) - timedelta(days=MOST_DAYS)
    compared: list[StoredRun] = []
    watched = watch_of_run(store, newest.run)
    for run in newest_first:
        if (
            run.run.fingerprints.get("inputs") != newest_inputs
            or _time(run) < since
            or len(compared) >= MOST_RUNS
        ):
            break
        if major_changes(_packages(run), _packages(newest)):
            break
        if not same_watch(watched, watch_of_run(store, run.run)):
            break
        if run.run.fingerprints.get("selection") == selection:
            compared.append(run)
    # The same recorded answers again are not new trials: they are used only where there is nothing else.
    compared = [run for run in compared if REPLAYED not in run.tags] or compared[:1]
    for run in compared:
        watched = join_watches(watched, watch_of_run(store, run.run))
    older = [run for run in newest_first if run.run.started_at < compared[-1].run.started_at][:MOST_RUNS]
    inputs = _inputs(store, newest)
    header = BaselineHeader(
        newest.run.name,
        newest_inputs,
        inputs,
        tuple(_baseline_run(run) for run in compared),
        older=tuple(_baseline_run(run) for run in older),
        branch=newest.run.versions.get("git_branch", ""),
        commit=""
        if newest.run.versions.get("git_dirty") == "true"
        else newest.run.versions.get("git_commit", ""),
        served_model=models_that_answered(
            store.runs.results(newest.id, limit=SERVED, trajectories=True), inputs.agent.get("model", "")
        ),
        versions=_packages(newest),
        watched=None if watched is None else msgspec.structs.replace(watched, heard=HeardSetup()),
        keeps_state=newest.run.summary.keeps_state if newest.run.summary else "",
    )
    return BaselinePool(header, tuple(_lines(store, compared, older, inputs)))


def _packages(run: StoredRun) -> dict[str, str]:
    return {
        name: package_version for name, package_version in run.run.versions.items() if name not in NO_PACKAGES
    }


def models_that_answered(results: Iterable[CaseResult], asked: str) -> tuple[str, ...]:
    """Names of the models that answered; the requested name where the server reported the same or nothing."""
    answered = [r.trajectory for r in results if r.trajectory is not None and not r.error]
    return tuple(sorted({trajectory.served_model or asked for trajectory in answered}))


def _lines(
    store: Store, compared: Sequence[StoredRun], older: Sequence[StoredRun], inputs: Inputs
) -> list[BaselineLine]:
    goldens = {golden.id: golden for golden in store.runs.goldens(compared[0].id)}
    names = {name: golden_hash(golden) for name, golden in goldens.items()}
    returned: dict[str, list[Marks]] = {}
    trials: list[dict[str, list[CaseResult]]] = []
    for run in compared:
        enough = all(len(returned.get(name, ())) >= TRIALS_OF_RESULTS for name in names)
        trials.append(_by_golden(store, run, names, None if enough else returned))
    history = [_by_golden(store, run, names) for run in older]
    lines = []
    for name, golden in sorted(goldens.items()):
        now = [results_of_run[name] for results_of_run in trials if name in results_of_run]
        if now and not any(any(result.checked for result in results) for results in now):
            continue  # in no rate then, and compared with nothing now
        before = list(chain.from_iterable(results_of_run.get(name, ()) for results_of_run in history))
        everything = [*before, *chain.from_iterable(now)]
        requests = [r.first_request for r in chain.from_iterable(now) if not r.error]
        confused = Counter(called for result in before for _, called in confusions(result.codes))
        lines.append(
            BaselineLine(
                name,
                names[name],
                ask_hash(golden, inputs),
                tuple("".join(map(mark_of, results)) for results in now),
                old="".join(map(mark_of, before)),
                codes=dict(sorted(Counter(f.code for result in before for f in result.codes).items())),
                hard=tuple(sorted({f.code for result in everything for f in result.codes})),
                confused=dict(sorted(confused.items())),
                s=scores_by_run(now),
                first=distinct_first_requests(requests) if any(requests) else (),
                results=join_marks(returned.get(name, ())),
            )
        )
    if not lines:
        raise InputError(
            f"run {compared[0].id}", "nothing was checked in it", "a baseline needs a checked golden"
        )
    if unscored := [line.id for line in lines if not line.scores]:
        raise InputError(
            f"run {compared[0].id}",
            f"{len(unscored):,} of its goldens have no scored trial, such as {unscored[0]}",
            "a baseline must be a full run",
        )
    return lines


def _by_golden(
    store: Store, run: StoredRun, names: dict[str, str], returned: dict[str, list[Marks]] | None = None
) -> dict[str, list[CaseResult]]:
    """A run's results by golden, without goldens that have changed since; what their tools `returned` is added."""
    hashes = {golden.id: golden_hash(golden) for golden in store.runs.goldens(run.id)}
    results: dict[str, list[CaseResult]] = {}
    for result in store.runs.results(run.id, trajectories=returned is not None):
        if hashes.get(result.golden_id) == names.get(result.golden_id):
            if returned is not None and result.trajectory is not None:
                returned.setdefault(result.golden_id, []).append(result_marks(result.trajectory.calls))
            slim = msgspec.structs.replace(result, trajectory=None)
            results.setdefault(result.golden_id, []).append(slim)
    return results


def _inputs(store: Store, run: StoredRun) -> Inputs:
    document = store.runs.document("inputs", run.run.fingerprints["inputs"])
    if document is None:
        raise InputError(f"run {run.id}", "its inputs are not in the store", "run the suite again")
    return decode(document, Inputs, f"run {run.id}")


def scores_by_run(runs: Sequence[Sequence[CaseResult]]) -> tuple[tuple[float | None, ...], ...]:
    """The scores of trials, run by run; empty when they only repeat passed and failed."""
    if all(all(result.error or result.score == result.passed for result in results) for results in runs):
        return ()
    return tuple(
        tuple(None if result.error else round(result.score, 6) for result in results) for results in runs
    )


def mark_of(result: CaseResult) -> str:
    return "e" if result.error else "1" if result.passed else "0"


def _baseline_run(run: StoredRun) -> BaselineRun:
    inputs = run.run.fingerprints.get("inputs", "")[:16]
    return BaselineRun(run.id, run.run.started_at, run.run.trials, inputs, replayed=REPLAYED in run.tags)


def _time(run: StoredRun) -> datetime:
    return datetime.fromisoformat(run.run.started_at)
