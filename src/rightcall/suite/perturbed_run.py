"""Clean and perturbed runs of the same goldens, paired: how much does a harmless change move the score?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from rightcall import stats
from rightcall.analysis import PerturbEffect
from rightcall.errors import ConfigError, suggestion
from rightcall.store import Store
from rightcall.suite.perturbation import ABLATIONS, DRAWS, KINDS, RANDOM, perturbed_plan
from rightcall.suite.plan import Plan
from rightcall.suite.runner import run_plan

WITHIN = 0.05


async def run_perturbed(plan: Plan, store: Store, kinds: Sequence[str]) -> list[PerturbEffect]:
    """Two clean runs, then each kind; every run is kept, marked as perturbed."""
    for kind in kinds:
        if kind not in KINDS:
            hint = suggestion(kind, KINDS) or f"known: {', '.join(KINDS)}"
            raise ConfigError(f"unknown perturbation '{kind}'; {hint}")
    first_plans = {
        kind: perturbed_plan(plan, kind, 0) for kind in kinds
    }  # every problem before anything is spent
    clean = [await _rates(replace(plan, gate=None), store, f"clean {n + 1}") for n in range(2)]
    effects = []
    for kind in kinds:
        draws = []
        for draw in range(DRAWS if kind in RANDOM else 1):
            changed, goldens = first_plans[kind] if draw == 0 else perturbed_plan(plan, kind, draw)
            if goldens:
                made = replace(changed, dataset=goldens, gate=None)
                draws.append(await _rates(made, store, kind))
        effects.append(_effect(kind, clean, draws))
    return _adjusted(effects)


async def _rates(plan: Plan, store: Store, kind: str) -> dict[str, float]:
    marked = replace(
        plan, settings={**plan.settings, "perturb": kind}, group=f"{plan.group or plan.name}/perturb"
    )
    outcome = await run_plan(marked, store)
    counts = store.trial_counts(outcome.run.id)
    return {one.golden_id: one.passed / one.judged for one in counts if one.judged}


def _effect(
    kind: str, clean: Sequence[Mapping[str, float]], draws: Sequence[Mapping[str, float]]
) -> PerturbEffect:
    ids = sorted(name for name in clean[0] if draws and all(name in one for one in draws))
    if not ids:
        return PerturbEffect(kind, 0, 0.0, 0.0, 0.0, None, None, 1.0, 0.0, "no golden fits")
    before = [clean[0][name] for name in ids]
    if kind == "drop":  # another expectation: no call. Not paired with the clean verdicts
        after = [_mean([one[name] for one in draws]) for name in ids]
        sample = stats.estimate(stats.sample([[value] for value in after]))
        down, up = sample.low - 1, sample.high - 1
        word = "calls another" if sample.mean < 1 - WITHIN else "STABLE"
        return PerturbEffect(kind, len(ids), 1.0, sample.mean, sample.mean - 1, down, up, 1.0, 0.0, word)
    after = [_mean([one[name] for one in draws]) for name in ids]
    d = [two - one for one, two in zip(before, after, strict=True)]
    low, high = _interval(d)
    flips = _mean([_mean([_passes(one[name]) != _passes(clean[0][name]) for one in draws]) for name in ids])
    noise = _mean(
        [float(_passes(clean[1][name]) != _passes(clean[0][name])) for name in ids if name in clean[1]]
    )
    return PerturbEffect(
        kind,
        len(ids),
        _mean(before),
        _mean(after),
        _mean(d),
        low,
        high,
        stats.sign_flip(d),
        flips - noise,
        "",
    )


def _interval(d: Sequence[float]) -> tuple[float | None, float | None]:
    """The careful interval: where nothing changed on a few goldens, little is known."""
    found = stats.paired_t(d)
    if found.se is None:
        return None, None
    centre, se = stats.shrunk_difference(found.mean, found.se, found.clusters)
    return centre - 1.96 * se, centre + 1.96 * se


def _adjusted(effects: list[PerturbEffect]) -> list[PerturbEffect]:
    """Verdicts, with p adjusted for the number of kinds."""
    import msgspec

    open_ones = [one for one in effects if not one.verdict]
    adjusted = stats.benjamini_hochberg([one.p for one in open_ones]) if open_ones else []
    words = {}
    for one, p in zip(open_ones, adjusted, strict=True):
        words[one.kind] = msgspec.structs.replace(one, p_adjusted=p, verdict=_verdict(one, p))
    return [words.get(one.kind, one) for one in effects]


def _verdict(one: PerturbEffect, p: float) -> str:
    if one.kind in ABLATIONS:
        return "ablation"
    if p < 0.05 and one.difference < 0:
        return "FRAGILE"
    if one.low is not None and one.high is not None and one.low >= -WITHIN and one.high <= WITHIN:
        return "STABLE"
    return "not shown"


def _passes(rate: float) -> bool:
    return rate >= 0.5


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
