"""The outcome of a golden as a gate sees it: scored trials, errors, codes, latency and cost."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Literal, NamedTuple

from rightcall.decide.options import About
from rightcall.records.failure import FATAL
from rightcall.records.record import Record
from rightcall.records.run import CaseResult, missing_answers_text
from rightcall.records.safety import AttackOutcome
from rightcall.stats.clusters import Sample, sample, weighted_mean
from rightcall.stats.gaffke import Units, case_units, trial_units


class Outcome(Record, frozen=True):
    """All trials of one golden.

    `passes` holds 1.0 or 0.0 for each scored trial and is empty when every trial was an error; `metrics`
    holds the values of each metric over the trials where it did not break. `cluster` groups goldens whose
    outcomes are correlated; None means the golden is independent. Up to `lags_ms` of each of `latencies_ms` may have
    been spent by the machine that measured; empty means none. An unchecked golden only cost money. `attacks` is what
    an attack did in each trial of an attempt, also in those that are unchecked because the agent never met it.
    `broken_metrics` counts the scored trials in which a metric broke.

    A trial without an answer counts as whatever speaks against the word: `worst` has it as failed, for a word that
    says that something is good, and `best` as passed, for a word that says that it is bad.
    """

    golden_id: str
    passes: tuple[float, ...] = ()
    errors: int = 0
    category: str = "golden"
    tags: tuple[str, ...] = ()
    cluster: str | None = None
    weight: float = 1.0
    metrics: dict[str, tuple[float, ...]] = {}
    codes: dict[str, int] = {}
    latencies_ms: tuple[float, ...] = ()
    costs_usd: tuple[float, ...] = ()
    lags_ms: tuple[float, ...] = ()
    checked: bool = True
    attacks: tuple[AttackOutcome, ...] = ()
    broken_metrics: dict[str, int] = {}

    @property
    def rate(self) -> float:
        """Share of scored trials that passed; 0 when there is none."""
        return sum(self.passes) / len(self.passes) if self.passes else 0.0

    def scores(self, metric: str | None = None) -> tuple[float, ...]:
        """The trials' passes, or their values of a metric."""
        return self.passes if metric is None else self.metrics.get(metric, ())

    def unanswered(self, metric: str | None = None) -> int:
        """The trials of which nothing is known: errors, and those in which the metric broke."""
        if metric is None:
            return self.errors
        broken = self.broken_metrics.get(metric, 0)
        applies = broken or metric in self.metrics or not self.passes
        return self.errors + broken if applies else 0

    def worst(self, metric: str | None = None) -> tuple[float, ...]:
        """The scores of all trials that were asked, 0 without an answer."""
        return self.scores(metric) + (0.0,) * self.unanswered(metric)

    def best(self, metric: str | None = None) -> tuple[float, ...]:
        """The scores of all trials that were asked, 1 without an answer."""
        return self.scores(metric) + (1.0,) * self.unanswered(metric)


Reading = Literal["scores", "worst", "best"]
"""How trials without an answer count: not at all, as failed, or as passed."""


def outcomes_of(
    results: Iterable[CaseResult],
    *,
    clusters: Mapping[str, str | None] | None = None,
    tags: Mapping[str, Sequence[str]] | None = None,
) -> list[Outcome]:
    """Gather checked trials by golden, in the order goldens first appear; clusters and tags are by golden id."""
    trials: dict[str, list[CaseResult]] = {}
    for result in results:
        if result.checked:
            trials.setdefault(result.golden_id, []).append(result)
    return [
        _outcome(golden_id, sorted(results_of_golden, key=lambda r: r.trial), clusters or {}, tags or {})
        for golden_id, results_of_golden in trials.items()
    ]


class ScoredGoldens(NamedTuple):
    """Goldens with a scored trial, in three columns. A golden whose cluster is None stands for itself."""

    trials: list[tuple[float, ...]]
    weights: list[float]
    clusters: list[str | None]

    @property
    def grouped(self) -> bool:
        return any(cluster is not None for cluster in self.clusters)

    @property
    def mean(self) -> float:
        means = [xs[0] if len(xs) == 1 else math.fsum(xs) / len(xs) for xs in self.trials]
        return weighted_mean(means, self.weights if len(set(self.weights)) > 1 else None)

    def units(self, about: About = "cases_like_these") -> Units:
        """The independent units of a claim: clusters of goldens, or single trials."""
        if about == "these_goldens":
            return trial_units(self.trials, self.weights)
        return case_units(self.trials, self.clusters if self.grouped else None, self.weights)


def goldens_with_scores(
    outcomes: Iterable[Outcome], metric: str | None = None, reading: Reading = "scores"
) -> ScoredGoldens | None:
    """The goldens with a scored trial, None when there is none; outcomes are read once and not kept."""
    trials: list[tuple[float, ...]] = []
    weights: list[float] = []
    clusters: list[str | None] = []
    for outcome in outcomes:
        if scores := getattr(outcome, reading)(metric):
            trials.append(scores)
            weights.append(outcome.weight)
            clusters.append(outcome.cluster)
    return ScoredGoldens(trials, weights, clusters) if trials else None


def sample_of(outcomes: Iterable[Outcome], metric: str | None = None) -> Sample | None:
    """The scored goldens as a sample, None when there is none."""
    scored = goldens_with_scores(outcomes, metric)
    if scored is None:
        return None
    uneven = len(set(scored.weights)) > 1
    groups = [i if cluster is None else cluster for i, cluster in enumerate(scored.clusters)]
    return sample(scored.trials, groups if scored.grouped else None, scored.weights if uneven else None)


def cluster_key(outcome: Outcome) -> tuple[str, str]:
    """Its cluster, or itself; a golden's id never collides with a cluster of the same name."""
    if outcome.cluster is None:
        return ("golden", outcome.golden_id)
    return ("cluster", outcome.cluster)


class Unanswered(NamedTuple):
    """The trials without an answer, of how many; `goldens` have one, and `never` have nothing else."""

    trials: int = 0
    of_trials: int = 0
    goldens: int = 0
    of_goldens: int = 0
    never: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        return self.trials / self.of_trials if self.of_trials else 0.0

    @property
    def text(self) -> str:
        """Their number in words; empty when every trial was answered."""
        if not self.trials:
            return ""
        if self.of_trials == self.of_goldens:
            return missing_answers_text(self.goldens, self.of_goldens, "golden")
        return missing_answers_text(self.trials, self.of_trials, "case")


def unanswered_trials(outcomes: Iterable[Outcome], metric: str | None = None) -> Unanswered:
    """The trials of checked goldens without an answer, or without a value of a metric."""
    trials = of_trials = goldens = of_goldens = 0
    never: list[str] = []
    for outcome in outcomes:
        missing = outcome.unanswered(metric)
        known = len(outcome.scores(metric))
        if not missing + known:
            continue
        trials += missing
        of_trials += missing + known
        goldens += bool(missing)
        of_goldens += 1
        if not known:
            never.append(outcome.golden_id)
    return Unanswered(trials, of_trials, goldens, of_goldens, never=tuple(never))


def _outcome(
    golden_id: str,
    trials: list[CaseResult],
    clusters: Mapping[str, str | None],
    tags: Mapping[str, Sequence[str]],
) -> Outcome:
    scored = [t for t in trials if not t.error]
    names = dict.fromkeys(chain.from_iterable(t.metrics for t in scored))
    values = {name: [t.metrics[name] for t in scored if name in t.metrics] for name in names}
    broken = {name: sum(bool(score.error) for score in scores) for name, scores in values.items()}
    return Outcome(
        golden_id,
        tuple(float(t.passed) for t in scored),
        errors=len(trials) - len(scored),
        category=trials[0].category,
        tags=tuple(tags.get(golden_id, ())),
        cluster=clusters.get(golden_id),
        metrics={
            name: tuple(s.value for s in scores if not s.error)
            for name, scores in values.items()
            if not all(s.error for s in scores)
        },
        broken_metrics={name: count for name, count in broken.items() if count},
        codes=dict(Counter(failure.code for failure in chain.from_iterable(t.codes for t in scored))),
        latencies_ms=tuple(t.latency_ms for t in scored if t.latency_ms is not None),
        lags_ms=tuple(
            t.trajectory.lag_ms if t.trajectory else 0.0 for t in scored if t.latency_ms is not None
        ),
        costs_usd=tuple(t.usage.cost_usd for t in trials if t.usage.cost_usd is not None),
    )


def alarms_of(a: Sequence[Outcome], b: Sequence[Outcome]) -> dict[str, tuple[str, ...]]:
    """By fatal code, the goldens of B that have it where A was scored without it."""
    before = {outcome.golden_id: outcome.codes for outcome in a if outcome.passes}
    ids_by_code = {
        code: tuple(
            outcome.golden_id
            for outcome in b
            if outcome.codes.get(code) and not before.get(outcome.golden_id, {code: 1}).get(code)
        )
        for code in sorted(FATAL)
    }
    return {code: ids for code, ids in ids_by_code.items() if ids}
