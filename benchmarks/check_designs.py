"""Error rates of `check` in random designs: WORSE without a change, PASS with a drop of exactly the margin.

    python -m benchmarks check_designs [--designs 500] [--runs 200] [--again 2000] [--seed 1] [--workers 1]

A design is a suite of 40 to 500 goldens with any mix of rates, alone or in clusters, 1 to 10 baseline trials, margins
of 5 to 30 points, a sample of 40 to 300, and up to half of the goldens affected. Drops at the margin break some
goldens, weaken all a little, or better a third of them and worsen the others. Each design is played by the rule itself.

The rule is the one without confirmation (`confirm: off`). Every design is played `--runs` times; the ten that erred
most in each way are played `--again` times with fresh draws, because the worst of many is partly bad luck. Exits with 1
when one of those errs more often than a true 5% can show.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial

from benchmarks.check_simulation import draw_trials, play, worse_rates
from rightcall.decide.check_settings import CheckSettings, strata_of

NOMINAL = 0.05
WORST = 10
"""Designs of each kind of error that are played again."""
Way = Callable[[Mapping[str, float], float, random.Random], dict[str, float]]


@dataclass(frozen=True)
class RandomDesign:
    """A suite with true rates before and after a drop of exactly the margin in one stratum.

    `fell` is false where the goldens could not fall so far; PASS is then no error.
    """

    settings: CheckSettings
    trials: int
    rates: dict[str, float]
    after: dict[str, float]
    affected: list[str]
    clusters: dict[str, str]
    fell: bool
    way: str

    def __str__(self) -> str:
        s = self.settings
        return (
            f"{len(self.rates)} goldens, {len(self.affected)} affected, {self.trials} baseline trials, "
            f"margins {s.drop:.2f} and {s.drop_rest:.2f}, sample {s.sample}, "
            f"{len(set(self.clusters.values())) or 'no'} clusters, {self.way}"
        )


@dataclass(frozen=True)
class Errors:
    """Shares of wrong words in one design."""

    number: int
    regressed: float
    passed: float | None
    design: str


def main() -> None:
    """Print the mean of each error, and the worst designs played again."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--designs", type=int, default=500)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--again", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    with ProcessPoolExecutor(options.workers) as pool:
        found = []
        once = partial(errors_of, runs=options.runs, seed=options.seed, draw="first")
        for errors in pool.map(once, range(options.designs)):
            found.append(errors)
            if len(found) % 25 == 0:
                print(f"  {len(found)} designs", file=sys.stderr, flush=True)
        twice = partial(errors_of, runs=options.again, seed=options.seed, draw="second")
        worst = [
            shown("WORSE without a change", found, lambda e: e.regressed, lambda n: pool.map(twice, n)),
            shown("PASS at the margin", found, lambda e: e.passed, lambda n: pool.map(twice, n)),
        ]
    most = NOMINAL + 2 * math.sqrt(NOMINAL * (1 - NOMINAL) / options.again)
    print(f"a true 5% shows up to {most:.1%} in {options.again:,} checks")
    sys.exit(1 if max(worst) > most else 0)


def shown(
    name: str,
    found: list[Errors],
    share_of: Callable[[Errors], float | None],
    again: Callable[[list[int]], Iterable[Errors]],
) -> float:
    """The lines of one kind of error; the worst share of the designs that were played again."""
    known = [(share, errors.number) for errors in found if (share := share_of(errors)) is not None]
    mean = math.fsum(share for share, _ in known) / len(known)
    first = sorted(known, reverse=True)[:WORST]
    print(f"{name}: {len(known)} designs, mean {mean:.1%}, worst {first[0][0]:.1%}")
    second = [(share_of(errors) or 0.0, errors) for errors in again([number for _, number in first])]
    worst, at = max(second, key=lambda pair: pair[0])
    print(f"  the {len(second)} worst again: {', '.join(f'{share:.1%}' for share, _ in second)}")
    print(f"  {worst:.1%} is design {at.number}: {at.design}", flush=True)
    return worst


def errors_of(number: int, *, runs: int, seed: int, draw: str) -> Errors:
    """One design, played `runs` times without a change and as often with the drop."""
    design = random_design(random.Random(f"{seed}/{number}"))
    rng = random.Random(f"{seed}/{number}/{draw}")
    words = Counter[tuple[str, str]]()
    rest = [golden for golden in design.rates if golden not in set(design.affected)]
    for run in range(runs):
        before = draw_trials(design.rates, design.trials, rng)
        strata = strata_of(
            {g: before[g] for g in design.affected},
            {g: before[g] for g in rest},
            design.settings,
            f"{seed}/{draw}/{run}",
            clusters=design.clusters,
        )
        for name, truth in (("none", design.rates), ("margin", design.after)):
            words[name, play(strata, truth, rng, design.settings, design.rates).word] += 1
    passed = words["margin", "PASS"] / runs if design.fell else None
    return Errors(number, words["none", "WORSE"] / runs, passed, str(design))


def random_design(rng: random.Random) -> RandomDesign:
    """Any mix of rates, sizes, margins and clusters."""
    settings = CheckSettings(
        drop=rng.uniform(0.05, 0.3),
        drop_rest=rng.uniform(0.05, 0.3),
        sample=rng.randint(40, 300),
        confirm="off",
    )
    goldens = rng.randint(40, 500)
    trials = rng.randint(1, 10)
    levels = [(rng.random(), rng.random() ** 0.3) for _ in range(rng.randint(1, 4))]
    rates = {
        f"g{i}": rng.choices([p for _, p in levels], [w for w, _ in levels])[0]
        if rng.random() < 0.8
        else rng.random()
        for i in range(goldens)
    }
    names = list(rates)
    cut = rng.choice((0, round(rng.uniform(0, 0.5) * goldens)))
    affected = names[:cut]
    rest = names[cut:]
    clusters = (
        {**clusters_of(affected, "a", rng), **clusters_of(rest, "r", rng)} if rng.random() < 0.3 else {}
    )
    hit, by = (affected, settings.drop) if affected and rng.random() < 0.7 else (rest, settings.drop_rest)
    way: Way = rng.choice((worse_rates, a_little_each, some_better))
    after = {**rates, **way({g: rates[g] for g in hit}, by, rng)}
    fell = mean_fall(rates, after, hit, clusters) >= by - 1e-9
    return RandomDesign(settings, trials, rates, after, affected, clusters, fell, way.__name__)


def clusters_of(names: list[str], prefix: str, rng: random.Random) -> dict[str, str]:
    """Neighbours in clusters of one size, or of any size up to it."""
    size = rng.randint(2, 8)
    alike = rng.random() < 0.5
    found = dict[str, str]()
    at = 0
    while at < len(names):
        taken = size if alike else rng.randint(1, size)
        found |= dict.fromkeys(names[at : at + taken], f"{prefix}{at}")
        at += taken
    return found


def mean_fall(
    rates: Mapping[str, float], after: Mapping[str, float], hit: list[str], clusters: Mapping[str, str]
) -> float:
    """How far the mean over units fell; a cluster is one unit."""
    falls: dict[str, list[float]] = {}
    for golden in hit:
        falls.setdefault(clusters.get(golden, golden), []).append(rates[golden] - after[golden])
    return math.fsum(math.fsum(each) / len(each) for each in falls.values()) / len(falls)


def a_little_each(rates: Mapping[str, float], by: float, rng: random.Random) -> dict[str, float]:
    """Every golden worse by the same, as far as it can be, until the mean has fallen by `by`."""
    after = dict(rates)
    left = by * len(rates)
    while left > 1e-9 and (able := [golden for golden, rate in after.items() if rate > 1e-9]):
        for golden in able:
            fall = min(after[golden], left / len(able))
            after[golden] -= fall
        left = by * len(rates) - sum(rates[golden] - after[golden] for golden in rates)
    return after


def some_better(rates: Mapping[str, float], by: float, rng: random.Random) -> dict[str, float]:
    """A third better, the others worse by as much more, so that the mean has fallen by `by`."""
    names = rng.sample(sorted(rates), len(rates))
    third = names[: len(names) // 3]
    better = {golden: min(1.0, rates[golden] + 0.3) for golden in third}
    gained = sum(better[golden] - rates[golden] for golden in third)
    others = {golden: rates[golden] for golden in names[len(third) :]}
    return better | worse_rates(others, (by * len(rates) + gained) / len(others), rng)


if __name__ == "__main__":
    main()
