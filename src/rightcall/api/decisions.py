"""Decisions about stored runs, and how many goldens a decision takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from rightcall.api.run_result import RunResult
from rightcall.check.options import CheckSuiteOptions
from rightcall.check.suite_check import check_suite
from rightcall.core.codec import convert
from rightcall.core.errors import ConfigError
from rightcall.core.event_loop import as_blocking
from rightcall.core.options import Option, takes
from rightcall.decide.check_result import CheckResult
from rightcall.decide.check_settings import CheckSettings
from rightcall.decide.config import Gate, read_gate
from rightcall.decide.options import GateOptions, SampleSizeOptions
from rightcall.run.suite import load_suite
from rightcall.run.trust import require_trust
from rightcall.store.address import open_store

if TYPE_CHECKING:
    from rightcall.decide.sample_size import SamplePlan
    from rightcall.decide.verdict import Verdict
    from rightcall.improve.run_matrix import TrendPoint
    from rightcall.run.decisions import RunComparison
    from rightcall.store.sql.store import Store


@dataclass(frozen=True)
class GateCall(GateOptions):
    """The parameters of `rightcall.gate`."""

    run: Annotated[str | RunResult, Option("A stored run: an id, `last`, a tag or a git branch")] = "last"
    rules: Annotated[Gate | Mapping[str, Any] | None, Option("A `Gate`, or the mapping of a suite")] = None


class Comparisons(list["RunComparison"]):
    """Comparisons of candidates with one baseline; printed, each says what changed, was fixed and broke."""

    def __str__(self) -> str:
        from rightcall.show.comparison import print_comparison
        from rightcall.show.screen import screen_text

        return "\n\n".join(screen_text(partial(print_comparison, compared=one)) for one in self)

    __repr__ = __str__


class Trend(list["TrendPoint"]):
    """Runs in order of time, with their rates and what changed between them; printed, a table."""

    def show(self, width: int = 80) -> str:
        """The table for a terminal of this width."""
        from rightcall.show.comparison import print_trend
        from rightcall.show.screen import screen_text

        return screen_text(partial(print_trend, group="", points=self), width)

    def __str__(self) -> str:
        return self.show()

    __repr__ = __str__


@takes(GateCall)
def gate(options: GateCall) -> Verdict:
    """PASS, FAIL or INCONCLUSIVE for a stored run, with stated error rates.

    The gate is that of `suite` (a file), or `rules`; the other arguments add to it or replace its settings:
    `rc.gate("last", min=0.9)`, `rc.gate(run.id, baseline="main", margin=0.02)`.
    """
    from rightcall.run.decisions import gate_run
    from rightcall.run.suite import load_suite, suite_gate

    suite = load_suite(options.suite) if options.suite is not None else None
    settings = {"min": options.min, "forbid": list(options.forbid) or None}
    against = {"run": options.baseline, "margin": options.margin, "anyway": options.anyway or None}
    if isinstance(options.rules, Gate):
        if any(value is not None for value in (*settings.values(), *against.values())) or suite:
            raise ConfigError(
                "a Gate cannot be combined with other options; pass it alone, or pass a mapping"
            )
        rules = options.rules
    else:
        base = dict(suite.gate if suite else options.rules or {})
        mapping = _complete_gate(base, _present(settings), _present(against))
        gate = suite_gate(msgspec.structs.replace(suite, gate=mapping)) if suite else read_gate(mapping)
        rules = gate or Gate()
        if not rules.requires_something:
            raise ConfigError(
                "the gate has no requirements: set min, baseline or forbid, or name a suite with a gate"
            )
    if options.uncalibrated is not None:
        judges = msgspec.structs.replace(rules.judges, uncalibrated=options.uncalibrated)
        rules = msgspec.structs.replace(rules, judges=judges)
    quarantine = suite.quarantined_ids if suite else frozenset[str]()
    with open_store(options.store, must_exist=True) as store:
        run = store.runs.get(_run_id(options.run)).run
        return gate_run(store, run.id, rules, quarantine)


def compare(
    baseline: str | RunResult,
    *candidates: str | RunResult,
    margin: float = 0.0,
    alpha: float = 0.05,
    metric: str | None = None,
    anyway: bool = False,
    store: str | Path | None = None,
) -> Comparisons:
    """Each candidate against the baseline, golden by golden: better, not worse, worse or undecided.

    `margin` is the largest acceptable drop; `metric` is compared instead of pass rates; `anyway` compares
    runs whose dataset or metrics differ.
    """
    from rightcall.run.decisions import compare_runs

    if not candidates:
        raise ConfigError("compare needs a run to compare with the baseline")
    with _store_of((baseline, *candidates), store) as opened:
        compared = compare_runs(
            opened,
            _run_id(baseline),
            [_run_id(run) for run in candidates],
            margin=margin,
            alpha=alpha,
            metric=metric,
            anyway=anyway,
        )
    return Comparisons(compared)


def trend(runs: str | Sequence[str | RunResult], *, store: str | Path | None = None) -> Trend:
    """How runs moved over time: the newest of a group, or these, oldest first, with their rates and what changed."""
    from rightcall.improve.run_matrix import group_runs, run_trend

    with _store_of([] if isinstance(runs, str) else runs, store) as opened:
        if isinstance(runs, str):
            return Trend(run_trend(group_runs(opened, runs)))
        stored = sorted((opened.runs.get(_run_id(run)) for run in runs), key=lambda run: run.run.started_at)
        return Trend(run_trend(stored))


@takes(SampleSizeOptions)
def sample_size(options: SampleSizeOptions) -> SamplePlan:
    """How many goldens are needed to show a pass rate of `min` when the true rate is `target`.

    With `dataset` the plan is also evaluated for its goldens; those that state no check decide nothing and are not
    counted.
    """
    from rightcall.datasets.goldens import load_goldens
    from rightcall.decide.sample_size import cluster_sizes, plan
    from rightcall.records.golden import states_check

    have = clusters = None
    if options.dataset is not None:
        names = [golden.cluster for golden in load_goldens(options.dataset) if states_check(golden)]
        have = len(names)
        clusters = cluster_sizes(names)
    return plan(
        options.min,
        options.target,
        power=options.power,
        alpha=options.alpha,
        trials=options.trials,
        icc=options.icc,
        about=options.about,
        have=have,
        clusters=clusters,
        watch=options.watch,
    )


def _present(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in settings.items() if value is not None}


def _complete_gate(base: dict[str, Any], settings: dict[str, Any], against: dict[str, Any]) -> dict[str, Any]:
    """The mapping of a gate, completed by the other arguments."""
    mapping = base | settings
    if against and "run" not in against and "baseline" not in mapping:
        raise ConfigError("margin and anyway need a baseline, or a suite whose gate has one")
    if against:
        own_baseline = mapping.get("baseline")
        mapping["baseline"] = {**(own_baseline if isinstance(own_baseline, dict) else {}), **against}
    return mapping


def _store_of(runs: Sequence[str | RunResult], store: str | Path | None) -> AbstractContextManager[Store]:
    """The store of runs: the one named, or that of the first run that knows its own."""
    own = next((run.store for run in runs if isinstance(run, RunResult)), None)
    if store is None and own is not None:
        return nullcontext(own)
    return open_store(store, must_exist=True)


def _run_id(run: str | RunResult) -> str:
    return run if isinstance(run, str) else run.id


@takes(CheckSuiteOptions)
async def acheck(options: CheckSuiteOptions) -> CheckResult:
    """Compare the working version of a suite with a baseline: try what the change can affect, and stop once decided.

    Equal inputs give the stored verdict without a call, unless `again=True`.
    """
    suite = load_suite(options.suite)
    require_trust(Path(options.suite), trust=options.trust)
    if options.settings is not None:
        mapping = {**msgspec.to_builtins(suite.check), **options.settings}
        suite = msgspec.structs.replace(suite, check=convert(mapping, CheckSettings, "settings"))
    with open_store(options.store) as store:
        return await check_suite(suite, Path(options.suite), store, options)


check = as_blocking("check", acheck)
