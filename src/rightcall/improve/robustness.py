"""What faults and harmless changes did to a run, compared with its clean control.

Clean and perturbed runs of the same goldens are paired: how much does a harmless change move the score?
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec

from rightcall.core.errors import ConfigError
from rightcall.improve.counters import mean
from rightcall.improve.golden_facts import first_expected_tool
from rightcall.improve.perturbations import ABLATIONS, KINDS, RANDOM, read_kind
from rightcall.improve.variant import PerturbTask, Variant
from rightcall.model.golden import Golden
from rightcall.model.record import Record
from rightcall.model.tool import Tool
from rightcall.run.plan import Plan
from rightcall.run.runner import run_plan
from rightcall.stats.clusters import sample
from rightcall.stats.mean_interval import estimate
from rightcall.stats.paired_tests import benjamini_hochberg, paired_t, shrunk_difference
from rightcall.stats.permutation import sign_flip
from rightcall.stats.power import mde_paired
from rightcall.store.sql.store import Store
from rightcall.tools.faults.measures import (
    FaultPair,
    FaultSummary,
    blind_retries,
    check_share,
    double_effects,
    fault_summary,
    faults_that_fired,
    in_plain_words,
    missing_effects,
)


class FaultReport(Record, frozen=True):
    """The paired measures. `doubled` says, for each case with a repeated side effect, what was repeated and why."""

    twin: str
    run: str
    summary: FaultSummary
    double_effects: int
    lost_effects: int
    blind_retries: int
    verified_before_retry: float | None
    doubled: dict[str, str]


def fault_report(
    store: Store, twin: str, run: str, planned: tuple[str, ...], tools: Mapping[str, Tool]
) -> FaultReport:
    """Compare a run with faults to its control, trial by trial; a fault that never fired is `not_run`."""
    twins = {(r.golden_id, r.trial): r for r in store.runs.results(twin, trajectories=True)}
    pairs: list[FaultPair] = []
    doubled: dict[str, str] = {}
    doubles = lost = blind = 0
    checked: list[float] = []
    for struck in store.runs.results(run, trajectories=True):
        before = twins.get((struck.golden_id, struck.trial))
        if before is None or not struck.judged or not before.judged or struck.trajectory is None:
            continue
        happened = struck.trajectory
        fired = faults_that_fired(happened.ledger)
        pairs.append(FaultPair(struck.golden_id, struck.trial, struck.passed, before.passed, fired))
        doubles += len(double_effects(happened.ledger))
        clean = before.trajectory.ledger if before.trajectory else ()
        lost += len(missing_effects(clean, happened.ledger)) if fired else 0
        blind += len(blind_retries(happened.calls, tools))
        if (share := check_share(happened.calls, tools)) is not None:
            checked.append(share)
        if words := in_plain_words(happened.calls, happened.ledger, tools):
            doubled[f"{struck.golden_id} trial {struck.trial}"] = words
    return FaultReport(
        twin=twin,
        run=run,
        summary=fault_summary(pairs, planned),
        double_effects=doubles,
        lost_effects=lost,
        blind_retries=blind,
        verified_before_retry=sum(checked) / len(checked) if checked else None,
        doubled=doubled,
    )


class PositionRate(Record, frozen=True):
    """The pass rate of goldens by the position of their tool in the list of tools, counted from 1."""

    first: int
    last: int
    goldens: int
    rate: float


class PerturbEffect(Record, frozen=True):
    """One kind of perturbation against the clean run, golden by golden.

    `flips` is the share of goldens whose verdict changed, minus those that a second clean run changes. The verdict is
    STABLE when the whole interval is within five points, FRAGILE when the score falls beyond noise, else not shown.
    `mde` is the smallest difference that would probably have been detected. `positions` are those of `order`.
    """

    kind: str
    goldens: int
    clean: float
    perturbed: float
    difference: float
    low: float | None
    high: float | None
    p: float
    flips: float
    verdict: str = ""
    p_adjusted: float = 1.0
    mde: float | None = None
    positions: tuple[PositionRate, ...] = ()
    runs: tuple[str, ...] = ()


DRAWS = 3
WITHIN = 0.05
POWER = 0.8
MOST_PLACES = 8
"""Maximum number of positions shown separately; longer lists are split into this many parts."""

Paraphrased = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class _Drawn:
    """A variant, its run, and the rates of its goldens."""

    variant: Variant
    run: str
    rates: Mapping[str, float]


async def run_perturbed(
    plan: Plan,
    store: Store,
    kinds: Sequence[str],
    *,
    paraphrases: Paraphrased | None = None,
    announce: Callable[[str], None] = lambda sentence: None,
) -> list[PerturbEffect]:
    """Two clean runs and each kind, all at the same time; every run is kept, marked as perturbed."""
    plan = plan.with_goldens()
    variants = make_variants(plan, kinds, paraphrases or {})  # every problem before anything is spent
    tools = list(plan.definitions)
    clean = Variant(plan, [g for g in plan.goldens() if isinstance(g, Golden)], tools)
    jobs = [("clean 1", clean), ("clean 2", clean)]
    jobs += [(kind, variant) for kind, drawn in variants.items() for variant in drawn if variant.goldens]
    cases = sum(len(variant.goldens) * plan.trials for _, variant in jobs)
    announce(f"{len(jobs)} runs, clean and perturbed, {cases:,} cases")
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(_run_variant(variant, store, kind, len(jobs))) for kind, variant in jobs]
    runs_by_kind = [(kind, task.result()) for (kind, _), task in zip(jobs, tasks, strict=True)]
    twins = [drawn for kind, drawn in runs_by_kind if kind.startswith("clean ")]
    effects = [
        _effect(kind, twins, [drawn for name, drawn in runs_by_kind if name == kind]) for kind in variants
    ]
    return _adjust_verdicts(effects)


def make_variants(plan: Plan, kinds: Sequence[str], paraphrases: Paraphrased) -> dict[str, list[Variant]]:
    """The variants of a plan by kind; three draws of random ones."""
    model = plan.agent.model
    if isinstance(model, str) and model.startswith("recorded"):
        raise ConfigError("--perturb changes the requests, and a cassette contains only those it recorded")
    tools = list(plan.definitions)
    goldens = [golden for golden in plan.goldens() if isinstance(golden, Golden)]
    variants: dict[str, list[Variant]] = {}
    for typed in kinds:
        kind, about = read_kind(typed)
        task = PerturbTask(plan, tools, goldens, 0, about, paraphrases)
        draws = DRAWS if kind in RANDOM else 1
        variants[typed] = [KINDS[kind](replace(task, draw=draw)) for draw in range(draws)]
    return variants


async def _run_variant(variant: Variant, store: Store, kind: str, runs: int) -> _Drawn:
    plan = variant.plan
    marked = replace(
        plan,
        dataset=list(variant.goldens),
        in_memory=None,
        gate=None,
        settings={**plan.settings, "perturb": kind},
        group=f"{plan.group or plan.name}/perturb",
        concurrency=max(1, plan.concurrency // runs),
    )
    outcome = await run_plan(marked, store)
    counts = store.runs.failures(outcome.run.id).trial_counts()
    return _Drawn(
        variant,
        outcome.run.id,
        {count.golden_id: count.passed / count.judged for count in counts if count.judged},
    )


def _effect(kind: str, clean: Sequence[_Drawn], draws: Sequence[_Drawn]) -> PerturbEffect:
    first, second = (drawn.rates for drawn in clean)
    runs = tuple(drawn.run for drawn in draws)
    ids = sorted(name for name in first if draws and all(name in drawn.rates for drawn in draws))
    if not ids:
        return PerturbEffect(kind, 0, 0.0, 0.0, 0.0, None, None, 1.0, 0.0, "no golden fits")
    after = [mean([drawn.rates[name] for drawn in draws]) for name in ids]
    if kind.partition("=")[0] == "drop":  # another expectation: no call. Not paired with the clean verdicts
        return _drop_effect(kind, after, runs)
    clusters = {golden.id: golden.cluster for golden in clean[0].variant.goldens}
    before = [first[name] for name in ids]
    d = [rate_after - rate_before for rate_before, rate_after in zip(before, after, strict=True)]
    of = [clusters.get(name) or name for name in ids]
    low, high, mde = _interval(d, of)
    flips = mean(
        [mean([_passes(drawn.rates[name]) != _passes(first[name]) for drawn in draws]) for name in ids]
    )
    noise = mean([float(_passes(second[name]) != _passes(first[name])) for name in ids if name in second])
    return PerturbEffect(
        kind,
        len(ids),
        mean(before),
        mean(after),
        mean(d),
        low,
        high,
        sign_flip(d, clusters=of),
        flips - noise,
        mde=mde,
        positions=_positions([*clean, *draws]) if kind == "order" else (),
        runs=runs,
    )


def _drop_effect(kind: str, after: Sequence[float], runs: tuple[str, ...]) -> PerturbEffect:
    rate = estimate(sample([[value] for value in after]))
    word = "calls another" if rate.mean < 1 - WITHIN else "STABLE"
    low, high = rate.low - 1, rate.high - 1
    return PerturbEffect(
        kind, len(after), 1.0, rate.mean, rate.mean - 1, low, high, 1.0, 0.0, word, runs=runs
    )


def _positions(runs: Sequence[_Drawn]) -> tuple[PositionRate, ...]:
    """Pass rates by position of the expected tool, over the clean and the shuffled runs."""
    count = len(runs[0].variant.tools)
    size = -(-count // MOST_PLACES)
    rates: dict[int, list[float]] = {}
    for drawn in runs:
        places = {tool.name: at for at, tool in enumerate(drawn.variant.tools)}
        for golden in drawn.variant.goldens:
            if first_expected_tool(golden) in places and golden.id in drawn.rates:
                rates.setdefault(places[first_expected_tool(golden)] // size, []).append(
                    drawn.rates[golden.id]
                )
    return tuple(
        PositionRate(part * size + 1, min(count, (part + 1) * size), len(rates_of_part), mean(rates_of_part))
        for part, rates_of_part in sorted(rates.items())
    )


def _interval(d: Sequence[float], clusters: Sequence[str]) -> tuple[float | None, float | None, float | None]:
    """The conservative interval and the smallest detectable difference: a few unchanged goldens show little."""
    test = paired_t(d, clusters)
    if test.se is None:
        return None, None, None
    centre, se = shrunk_difference(test.mean, test.se, test.clusters)
    mde = mde_paired(1, se**2, 0.05, POWER)
    return max(-1.0, centre - 1.96 * se), min(1.0, centre + 1.96 * se), mde if mde < 1 else None


def _adjust_verdicts(effects: list[PerturbEffect]) -> list[PerturbEffect]:
    """Verdicts, with p adjusted for the number of kinds."""
    open_ones = [effect for effect in effects if not effect.verdict]
    adjusted = benjamini_hochberg([effect.p for effect in open_ones]) if open_ones else []
    words = {
        effect.kind: msgspec.structs.replace(effect, p_adjusted=p, verdict=_verdict(effect, p))
        for effect, p in zip(open_ones, adjusted, strict=True)
    }
    return [words.get(effect.kind, effect) for effect in effects]


def _verdict(effect: PerturbEffect, p: float) -> str:
    if effect.kind.partition("=")[0] in ABLATIONS:
        return "ablation"
    if p < 0.05 and effect.difference < 0:
        return "FRAGILE"
    if effect.low is not None and effect.high is not None and effect.low >= -WITHIN and effect.high <= WITHIN:
        return "STABLE"
    return "not shown"


def _passes(rate: float) -> bool:
    return rate >= 0.5
