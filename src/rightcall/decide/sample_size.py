"""Sample size: how many goldens a gate needs, and whether PASS is possible."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from rightcall.core.errors import ConfigError
from rightcall.core.text import percent, pluralize
from rightcall.decide.config import Gate
from rightcall.decide.options import About
from rightcall.decide.simulation import (
    DRAWS,
    POPULATIONS,
    Demand,
    Watch,
    chance_to_pass,
    chance_with_clusters,
    goldens_for_power,
)
from rightcall.records.record import Record
from rightcall.stats.gaffke import gaffke_p_values, units
from rightcall.stats.intervals import clopper_pearson_p_values
from rightcall.stats.paired_tests import holm
from rightcall.stats.power import all_pass_n, gate_n, gate_power
from rightcall.stats.sequential import Decision, LogE, Operating, e_decision, follow_paths, log_e_step

LIKELY_ICC = 0.5
"""Default correlation between trials of one golden (0 independent, 1 identical)."""

MOST_STOPPED = 2_000
"""Maximum number of goldens for which the mean length of an early-stopped run is computed exactly."""


class SamplePlan(Record, frozen=True):
    """The sample size of a gate with `min` and `target`.

    `goldens` reach `power`, the probability of PASS at `target`; `perfect` is the fewest with which a flawless run can
    PASS. `draws` is the number of simulated runs, 0 when the answer is exact, and `icc` the assumed correlation
    between trials of one golden. Simulated numbers are those of the worse of two populations; `by_population` has the
    goldens that each needs. `allowed_failures` holds for single trials and is None otherwise. `have` and
    what follows are None without a dataset; the means of early stops are None when no PASS is possible.
    """

    sentence: str
    goldens: int
    trials: int
    perfect: int
    allowed_failures: int | None
    power: float
    about: About = "cases_like_these"
    icc: float | None = None
    draws: int = 0
    have: int | None = None
    clusters: int | None = None
    chance_to_pass: float | None = None
    evalue_goldens: float | None = None
    evalue_pass: float | None = None
    by_population: dict[str, int] = {}


class _Asked(NamedTuple):
    demand: Demand
    target: float
    trials: int
    icc: float
    about: About


def plan(  # noqa: PLR0913  keywords, each a separate question
    minimum: float,
    target: float,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    trials: int = 1,
    icc: float = LIKELY_ICC,
    about: About = "cases_like_these",
    have: int | None = None,
    clusters: Sequence[int] | None = None,
    watch: Watch | None = None,
) -> SamplePlan:
    """How many goldens are needed to show a rate of at least `minimum` when the true rate is `target`.

    Exact for one trial of each golden, and for `about: these_goldens`, where it is the number of trials that
    counts. With several trials the gate's own rule is simulated. `clusters` holds the sizes of the clusters the `have`
    goldens form; `watch` is called after each simulated run.
    """
    if trials < 1:
        raise ConfigError(f"plan: trials must be at least 1, got {trials}")
    if not 0 <= icc <= 1:
        raise ConfigError(f"plan: icc must lie between 0 and 1, got {icc:g}")
    if have is not None and have < 1:
        raise ConfigError("plan: the dataset has no goldens, so there is nothing to plan with")
    asked = _Asked(Demand(minimum, alpha), target, trials, icc, about=about)
    need = _goldens_needed(asked, power, watch)
    exact = trials == 1 or about == "these_goldens"
    chance = None if have is None else _chance(asked, have, clusters, watch)
    size = have or need.goldens
    sample_plan = SamplePlan(
        "",
        need.goldens,
        trials,
        need.flawless,
        allowed_failures=need.may_fail if trials == 1 else None,
        power=need.power,
        about=about,
        icc=None if exact and not _has_clusters(clusters) else icc,
        draws=0 if exact and not _has_clusters(clusters) else DRAWS,
        have=have,
        clusters=len(clusters) if clusters and _has_clusters(clusters) else None,
        chance_to_pass=chance,
        by_population=need.by_population,
    )
    if trials == 1 and size <= MOST_STOPPED and chance != 0 and not _has_clusters(clusters):
        stops = _stop_chances(size, minimum, target, alpha)
        sample_plan = msgspec.structs.replace(
            sample_plan, evalue_goldens=stops.cases, evalue_pass=stops.passing
        )
    return msgspec.structs.replace(sample_plan, sentence=_sentence(sample_plan, minimum, target, power))


class _Needed(NamedTuple):
    """Goldens that reach a power, the `power` they reach, how many of them `may_fail` when each is tried once, and
    how many would do if every trial passed (`flawless`); and those that each simulated population needs.
    """

    goldens: int
    flawless: int
    may_fail: int
    power: float
    by_population: dict[str, int]


def _goldens_needed(asked: _Asked, power: float, watch: Watch | None) -> _Needed:
    (minimum, alpha) = asked.demand
    target = asked.target
    trials = asked.trials
    single, passing, reached = gate_n(minimum, target, power, alpha)
    needed = _Needed(single, all_pass_n(minimum, alpha), single - passing, reached, by_population={})
    if asked.about == "these_goldens":  # the number of trials counts, whatever they are of
        goldens = math.ceil(single / trials)
        while (reached := gate_power(goldens * trials, minimum, target, alpha)[0]) < power:
            goldens += 1
        return needed._replace(goldens=goldens, flawless=math.ceil(needed.flawless / trials), power=reached)
    if trials == 1:
        return needed
    between = needed.flawless, max(single, needed.flawless) + 10
    drawn = {name: population(trials, target, asked.icc) for name, population in POPULATIONS.items()}
    needs = {
        name: goldens_for_power(goldens, asked.demand, power, between, watch=watch)
        for name, goldens in drawn.items()
    }
    goldens, reached = max(needs.values(), key=lambda need: (need[0], -need[1]))
    by_population = {name: number for name, (number, _) in needs.items()}
    return needed._replace(goldens=goldens, power=reached, by_population=by_population)


def warnings(
    gate: Gate,
    categories: Iterable[str],
    tags: Iterable[Iterable[str]] = (),
    *,
    trials: int = 1,
    clusters: Iterable[str | None] = (),
) -> list[str]:
    """Problems of a gate for a dataset whose goldens have these categories, tags and clusters.

    Above all, that PASS is impossible because even a flawless run is too small.
    """
    kinds = list(categories)
    labels = [set(t) for t in tags] if gate.tags else []
    groups = list(clusters) or [None] * len(kinds)
    everyone = range(len(kinds))
    members: dict[str, tuple[float, Sequence[int]]] = {}
    if gate.min is not None:
        members["pass rate"] = gate.min, everyone
    members |= {f"metric {m}": (limit, everyone) for m, limit in gate.metrics.items()}
    for c, limit in gate.categories.items():
        members[f"category {c}"] = limit, [i for i in everyone if kinds[i] == c]
    for t, limit in gate.tags.items():
        members[f"tag {t}"] = limit, [i for i in everyone if labels and t in labels[i]]
    problems = [f"{name}: no goldens match" for name, (_, who) in members.items() if not who]
    if gate.rule == "interval":
        sizes = {
            name: (limit, cluster_sizes(groups[i] for i in who))
            for name, (limit, who) in members.items()
            if who
        }
        problems += _impossible(sizes, gate, trials)
    return problems


def cluster_sizes(clusters: Iterable[str | None]) -> list[int]:
    """Sizes of the clusters that goldens form; a golden without one is its own."""
    named = Counter(clusters)
    alone = named.pop(None, 0)
    return [*named.values(), *[1] * alone]


def _impossible(sizes: Mapping[str, tuple[float, list[int]]], gate: Gate, trials: int) -> list[str]:
    best = [_flawless_p(of, limit, gate.about, trials) for limit, of in sizes.values()]
    adjusted = holm(best)
    problems = []
    for (name, (limit, of)), p in zip(sizes.items(), adjusted, strict=True):
        if p <= gate.alpha:
            problems += _only_flawless(name, limit, of, gate, trials=trials) if len(sizes) == 1 else []
            continue
        n = sum(of)
        needed = all_pass_n(limit, gate.alpha)
        among = f" (more with {len(sizes)} rules)" if len(sizes) > 1 else ""
        if gate.about == "these_goldens":
            problems.append(
                f"{name}: PASS is impossible, {pluralize(n, 'golden')} of {pluralize(trials, 'trial')} cannot show "
                f"{percent(limit)} even if all pass; at least {needed:,} trials in total are needed{among}"
            )
            continue
        unit = "cluster" if len(of) < n else "golden"
        inside = (
            f" in {pluralize(len(of), 'cluster')}, the largest of {max(of):,}," if unit == "cluster" else ""
        )
        what = "are needed" if unit == "golden" else "clusters of one size are needed"
        text = (
            f"{name}: PASS is impossible, {pluralize(n, 'golden')}{inside} cannot show {percent(limit)} even if "
            f"all pass; at least {needed:,} {what}{among}"
        )
        if trials > 1 and n * trials >= needed:
            text += "; to decide about exactly these goldens, set `about: these_goldens`, which counts their trials"
        problems.append(text)
    return problems


def _only_flawless(name: str, limit: float, of: Sequence[int], gate: Gate, trials: int) -> list[str]:
    """Few goldens with many trials: PASS is possible, but one golden that never passes rules it out."""
    if trials == 1 or gate.about == "these_goldens" or len(of) < sum(of):
        return []
    n = sum(of)
    room = all_pass_n(limit, gate.alpha)
    while clopper_pearson_p_values(room - 1, room, limit)[0] > gate.alpha:
        room += 1
    if n >= room:
        return []
    return [
        f"{name}: {pluralize(n, 'golden')} can show {percent(limit)} only if nearly every trial passes, however many "
        f"trials each has; {room:,} leave room for one golden that fails. To decide about exactly these goldens, "
        "set `about: these_goldens`, which counts their trials"
    ]


def _flawless_p(sizes: Sequence[int], limit: float, about: About, trials: int) -> float:
    if about == "these_goldens":
        return float(limit ** (sum(sizes) * trials))
    return gaffke_p_values(units([1.0] * len(sizes), [float(n) for n in sizes]), limit)[0]


def _has_clusters(clusters: Sequence[int] | None) -> bool:
    return clusters is not None and max(clusters, default=1) > 1


def _chance(plan: _Asked, have: int, clusters: Sequence[int] | None, watch: Watch | None) -> float:
    """The probability of PASS with the existing goldens, in the worse population."""
    demand = plan.demand
    trials = plan.trials
    if plan.about == "these_goldens":
        return gate_power(have * trials, demand.theta, plan.target, demand.alpha)[0]
    sizes = Counter(clusters) if clusters else Counter({1: have})
    if _flawless_p(list(sizes.elements()), demand.theta, plan.about, trials) > demand.alpha:
        return 0.0
    if set(sizes) == {1} and trials == 1:
        return gate_power(have, demand.theta, plan.target, demand.alpha)[0]
    chances = []
    for population in POPULATIONS.values():
        drawn = {n: (population(n * trials, plan.target, plan.icc), k) for n, k in sizes.items()}
        if set(sizes) == {1}:
            chances.append(chance_to_pass(*drawn[1], demand, watch=watch))
        else:
            chances.append(chance_with_clusters(drawn, demand, watch=watch))
    return min(chances)


def _stop_chances(total: int, minimum: float, target: float, alpha: float) -> Operating:
    """What `stop: evalue` does with `total` goldens when the rate is `target`."""
    up = log_e_step(1.0, minimum, target)
    down = log_e_step(0.0, minimum, target)

    def by_evidence(s: int, n: int) -> Decision | None:
        log_e = LogE(s * up.plus + (n - s) * down.plus, s * up.minus + (n - s) * down.minus)
        return e_decision(log_e, alpha, alpha)

    return follow_paths(by_evidence, total, target)


def _sentence(sample_plan: SamplePlan, minimum: float, target: float, power: float) -> str:
    of = f" of {sample_plan.trials} trials" if sample_plan.trials > 1 else ""
    where = " on exactly these goldens" if sample_plan.about == "these_goldens" else ""
    text = (
        f"To show at least {percent(minimum)}{where} when the true rate is {percent(target)}, with a chance of "
        f"{percent(power)}, takes {'about ' if sample_plan.draws else ''}{pluralize(sample_plan.goldens, 'golden')}{of}"
    )
    if sample_plan.allowed_failures is not None:
        text += f", of which {sample_plan.allowed_failures:,} may fail"
    if sample_plan.draws:
        needs = "the worse of two populations"
        if by := sample_plan.by_population:
            needs = f"{by['beta']:,} if goldens differ gradually, {by['never pass']:,} if some never pass"
        text += (
            f" (simulated, {sample_plan.draws:,} runs; trials of one golden agree with correlation "
            f"{sample_plan.icc:g}; {needs})"
        )
    text += f". A flawless run needs {sample_plan.perfect:,}."
    if sample_plan.have is not None and sample_plan.chance_to_pass is not None:
        inside = f" in {pluralize(sample_plan.clusters, 'cluster')}" if sample_plan.clusters else ""
        if sample_plan.chance_to_pass == 0:
            text += f" With {sample_plan.have:,}{inside} PASS is impossible: add goldens or lower min."
        else:
            text += f" With {sample_plan.have:,}{inside} the chance to PASS is {percent(sample_plan.chance_to_pass)}."
    return text
