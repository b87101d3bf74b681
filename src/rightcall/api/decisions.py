"""Decisions about stored runs, and how many goldens a decision takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from rightcall.core.errors import ConfigError, InputError

if TYPE_CHECKING:
    from rightcall.api.run_result import RunResult
    from rightcall.decide.config import About, ClusterMode, Gate
    from rightcall.decide.sample_size import SamplePlan
    from rightcall.decide.verdict import Verdict
    from rightcall.run.decisions import RunComparison

CLAIMS_NOTHING = {"target", "alpha", "rule", "about", "cluster"}
"""Settings of a gate that are not requirements by themselves."""


def gate(
    run: str | RunResult = "last",
    rules: Gate | Mapping[str, Any] | None = None,
    *,
    suite: str | Path | None = None,
    min: float | None = None,
    target: float | None = None,
    alpha: float | None = None,
    rule: Literal["interval", "point"] | None = None,
    about: About | None = None,
    cluster: ClusterMode | None = None,
    baseline: str | None = None,
    margin: float | None = None,
    anyway: bool = False,
    forbid: Sequence[str] = (),
    include_unreviewed: bool = False,
    store: str | Path | None = None,
) -> Verdict:
    """PASS, FAIL or INCONCLUSIVE for a stored run, with stated error rates.

    The gate is that of `suite` (a file), or `rules` (a `Gate` or the mapping of a suite); the other arguments
    add to it or replace its settings: `rc.gate("last", min=0.9)`, `rc.gate(run.id, baseline="main", margin=0.02)`.
    """
    from rightcall.decide.config import Gate, read_gate
    from rightcall.run.decisions import gate_run
    from rightcall.run.suite import load_suite
    from rightcall.store.address import open_store

    loaded = load_suite(suite) if suite is not None else None
    given: dict[str, Any] = {"min": min, "target": target, "alpha": alpha, "rule": rule, "about": about}
    given |= {"forbid": list(forbid) or None, "cluster": cluster}
    against = {"run": baseline, "margin": margin, "anyway": anyway or None}
    if isinstance(rules, Gate):
        if any(value is not None for value in (*given.values(), *against.values())) or loaded:
            raise ConfigError(
                "a Gate cannot be combined with other options; pass it alone, or pass a mapping"
            )
        chosen = rules
    else:
        base = dict(loaded.gate if loaded else rules or {})
        chosen = read_gate(_completed(base, _present(given), _present(against)))
    quarantine = frozenset(loaded.quarantine) if loaded else frozenset[str]()
    with open_store(store, must_exist=True) as opened:
        run = _run_id(run)
        found = opened.run(run).run
        if found.settings.get("include_unreviewed") and not include_unreviewed:
            raise InputError(
                f"run {found.id}",
                "has unreviewed goldens",
                "review them and run again, or pass --include-unreviewed",
            )
        return gate_run(opened, run, chosen, quarantine)


def compare(
    baseline: str | RunResult,
    *candidates: str | RunResult,
    margin: float = 0.0,
    alpha: float = 0.05,
    metric: str | None = None,
    anyway: bool = False,
    cluster: ClusterMode = "declared",
    store: str | Path | None = None,
) -> list[RunComparison]:
    """Each candidate against the baseline, golden by golden: better, not worse, worse or undecided.

    `margin` is the largest acceptable drop; `metric` is compared instead of pass rates; `anyway` compares
    runs whose dataset or metrics differ; `cluster="auto"` counts goldens whose requests are one template as one.
    """
    from rightcall.run.decisions import compare_runs
    from rightcall.store.address import open_store

    if not candidates:
        raise ConfigError("compare needs a run to compare with the baseline")
    with open_store(store, must_exist=True) as opened:
        return compare_runs(
            opened,
            _run_id(baseline),
            [_run_id(run) for run in candidates],
            margin=margin,
            alpha=alpha,
            metric=metric,
            anyway=anyway,
            cluster=cluster,
        )


def sample_size(
    min: float,
    target: float,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    trials: int = 1,
    icc: float = 0.5,
    about: About = "cases_like_these",
    dataset: str | Path | None = None,
    cluster: ClusterMode = "declared",
    cost_per_case: float | None = None,
    watch: Callable[[], None] | None = None,
) -> SamplePlan:
    """How many goldens are needed to show a pass rate of `min` when the true rate is `target`, and the cost.

    `icc` is the correlation between trials of one golden, from 0 to 1. With `dataset` the plan is also evaluated for
    its goldens, whose clusters are those they declare or, with `cluster="auto"`, also their templates; those that state
    no check decide nothing and are not counted. `watch` is called after every simulated run.
    """
    from rightcall.datasets.goldens import load_goldens
    from rightcall.decide.sample_size import cluster_sizes, plan as planned
    from rightcall.model.golden import states_check
    from rightcall.run.request_templates import template_clusters, template_groups

    have = clusters = None
    if dataset is not None:
        goldens = [golden for golden in load_goldens(dataset) if states_check(golden)]
        found = template_clusters(template_groups(goldens)) if cluster == "auto" else {}
        named = [golden.cluster or found.get(golden.id) for golden in goldens]
        have, clusters = len(named), cluster_sizes(named)
    return planned(
        min,
        target,
        power=power,
        alpha=alpha,
        trials=trials,
        icc=icc,
        about=about,
        cost_per_trial=cost_per_case,
        have=have,
        clusters=clusters,
        watch=watch,
    )


def _present(given: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in given.items() if value is not None}


def _completed(base: dict[str, Any], given: dict[str, Any], against: dict[str, Any]) -> dict[str, Any]:
    """The mapping of a gate, completed by the other arguments."""
    mapping = base | given
    if against and "run" not in against and "baseline" not in mapping:
        raise ConfigError("margin and anyway need a baseline, or a suite whose gate has one")
    if against:
        known = mapping.get("baseline")
        mapping["baseline"] = {**(known if isinstance(known, dict) else {}), **against}
    if not mapping.keys() - CLAIMS_NOTHING:
        raise ConfigError(
            "the gate has no requirements: set min, baseline or forbid, or name a suite with a gate"
        )
    return mapping


def _run_id(run: str | RunResult) -> str:
    return run if isinstance(run, str) else run.id
