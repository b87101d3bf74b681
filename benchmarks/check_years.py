"""Years of pull requests through the rule of `check`: false blocks, regressions found, drift of the provider.

    python -m benchmarks check_years [--baselines 1000] [--years 2000] [--suites mixed-200,…] [--seed 1] [--workers 1]
    python -m benchmarks check_years --anchor [--years 120]

A year has 250 checks, ten of which share a baseline; 6% of the changes are really worse (30% of them by 20 points on
one tool, 20% by 50, 10% by 10; 20% by 10 points everywhere, 10% by 5, 10% by 20). Years are drawn from the
baselines that were simulated. `off` is the rule without confirmation at alpha .05, `base` the default: an alarm at .20,
confirmed by fresh trials of both versions. The chance that an alarm without a change is confirmed is measured by
confirming each one `--repeats` times. Drift: everything is worse since the baseline, the change is innocent.

`--anchor`: weekly comparisons of the newest nine trials with a frozen pool, at .05/52, in years in which the pass rate
falls by so many points. Exits with 1 when a promise is missed.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
from collections import Counter, defaultdict
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial

from benchmarks.check import rates_of
from benchmarks.check_simulation import draw_trials, play, play_pairs, worse_rates
from rightcall.decide.check_settings import LONE_LEVEL, CheckSettings, Scores, Stratum, strata_of
from rightcall.run.baseline_anchor import ANCHOR_TRIALS, LEVEL
from rightcall.stats.permutation import ExchangeTable, exchange_p

CHECKS = 250
WORSE = 0.06
SHARED = 10
MIX = {
    ("tool", 20): 0.3, ("tool", 50): 0.2, ("global", 10): 0.2,
    ("tool", 10): 0.1, ("global", 5): 0.1, ("global", 20): 0.1,
}  # fmt: skip
DRIFTS = (10, 5)
RULES = {name: CheckSettings(confirm=name) for name in ("off", "base", "candidate")}
NULLS = ("tool",) * 6 + ("global",) * 4
"""The ten checks of a baseline, as often of a tool as the changes that are worse."""


@dataclass
class Simulated:
    """Checks of one rule on the baselines of a suite.

    `false` has, for each baseline, the chance of each of its ten checks without a change to be WORSE.
    """

    false: list[list[float]] = field(default_factory=list)
    alarms: Counter[str] = field(default_factory=Counter)
    calls: dict[tuple[str, int], list[int]] = field(default_factory=lambda: defaultdict(list))
    found: dict[tuple[str, int], list[bool]] = field(default_factory=lambda: defaultdict(list))

    def add(self, other: Simulated) -> None:
        self.false += other.false
        self.alarms += other.alarms
        for mine, theirs in ((self.calls, other.calls), (self.found, other.found)):
            for kind, values in theirs.items():
                mine[kind] += values  # type: ignore[operator]

    @property
    def false_a_year(self) -> float:
        rates = [rate for rates in self.false for rate in rates]
        return CHECKS * (1 - WORSE) * math.fsum(rates) / len(rates)

    @property
    def found_share(self) -> float:
        return math.fsum(weight * self.share(kind) for kind, weight in MIX.items())

    @property
    def calls_a_year(self) -> float:
        worse = math.fsum(weight * mean(self.calls[kind]) for kind, weight in MIX.items())
        return CHECKS * ((1 - WORSE) * mean(self.calls["none", 0]) + WORSE * worse)

    def share(self, kind: tuple[str, int]) -> float:
        return mean(self.found[kind])

    def years(self, years: int, rng: random.Random) -> list[int]:
        """False WORSE in each of so many years."""
        counts = []
        for _ in range(years):
            drawn = [rates for rates in rng.choices(self.false, k=CHECKS // SHARED) if any(rates)]
            counts.append(sum(rng.random() < rate * (1 - WORSE) for rates in drawn for rate in rates))
        return counts


def mean(values: list[int] | list[bool]) -> float:
    return sum(values) / len(values)


def simulate_baseline(
    number: int, *, suite: str, goldens: int, seed: int, repeats: int, rules: tuple[str, ...]
) -> dict[str, Simulated]:
    """Every check of one baseline, by every rule."""
    rng = random.Random(f"{seed}/{suite}/{goldens}/{number}")
    rates = rates_of(suite, goldens, rng)
    names = list(rates)
    before = draw_trials(rates, 3, rng)
    affected = names[: goldens // 10]
    simulated = {rule: Simulated(false=[[]]) for rule in rules}

    def strata(kind: str, check: str) -> list[Stratum]:
        first: list[str] = affected if kind == "tool" else []
        last = names[len(first) :]
        return strata_of(_of(before, first), _of(before, last), CheckSettings(), f"{number}/{check}")

    for check, kind in enumerate(NULLS):
        drawn = strata(kind, str(check))
        for rule, results in simulated.items():
            played = play(drawn, rates, rng, RULES[rule])
            results.calls["none", 0].append(played.calls)
            chance = float(played.word == "WORSE")
            if rule == "base" and played.alarm:
                results.alarms[kind] += 1
                level = LONE_LEVEL if played.lone else RULES[rule].confirm_level
                again = [play_pairs(played.alarm, rates, rates, rng, level)[0] for _ in range(repeats)]
                chance = sum(again) / repeats
            results.false[0].append(chance)
    for kind, points in MIX:
        hit = affected if kind == "tool" else names
        after = rates | worse_rates({name: rates[name] for name in hit}, points / 100, rng)
        drawn = strata(kind, f"{kind}{points}")
        for rule, results in simulated.items():
            played = play(drawn, after, rng, RULES[rule], rates)
            results.found[kind, points].append(played.word == "WORSE")
            results.calls[kind, points].append(played.calls)
    for points in DRIFTS:
        after = worse_rates(rates, points / 100, rng)
        drawn = strata(NULLS[number % SHARED], f"drift{points}")
        for rule, results in simulated.items():
            played = play(drawn, after, rng, RULES[rule], after)
            results.found["drift", points].append(played.word == "WORSE")
    return simulated


def _of(before: dict[str, Scores], names: list[str]) -> dict[str, Scores]:
    return {name: before[name] for name in names}


def show_suite(suite: str, goldens: int, options: argparse.Namespace) -> list[str]:
    """Print the table of a suite; what it misses of the promises."""
    rules = ("off", "base", "candidate") if options.candidate else ("off", "base")
    baseline = partial(
        simulate_baseline,
        suite=suite,
        goldens=goldens,
        seed=options.seed,
        repeats=options.repeats,
        rules=rules,
    )
    totals = {rule: Simulated() for rule in rules}
    with ProcessPoolExecutor(options.workers) as pool:
        for done, one_baseline in enumerate(pool.map(baseline, range(options.baselines), chunksize=8), 1):
            for rule, results in one_baseline.items():
                totals[rule].add(results)
            if done % 100 == 0:
                print(f"  {suite} {goldens}: {done} baselines", file=sys.stderr, flush=True)
    print(f"\n{suite} {goldens}: {options.baselines} baselines, {options.years} years")
    kinds = [f"{kind} {points}" for kind, points in MIX]
    print(
        f"{'rule':<10}{'false':>7}{'P(>1)':>8}{'P(>3)':>8}{'share':>8}{'found':>8}{'calls':>9}  {'  '.join(kinds)}"
    )
    for rule, results in totals.items():
        years = results.years(options.years, random.Random(f"{options.seed}/years"))
        more = [sum(count > most for count in years) / len(years) for most in (1, 3)]
        false = results.false_a_year
        found = results.found_share
        share = false / (false + CHECKS * WORSE * found)
        cells = "  ".join(
            f"{results.share(kind):>{len(name)}.1%}" for kind, name in zip(MIX, kinds, strict=True)
        )
        print(
            f"{rule:<10}{false:>7.2f}{more[0]:>8.1%}{more[1]:>8.1%}{share:>8.1%}{found:>8.1%}"
            f"{results.calls_a_year:>9,.0f}  {cells}"
        )
    today = totals["off"]
    new = totals["base"]
    nulls = {kind: options.baselines * NULLS.count(kind) for kind in ("tool", "global")}
    alarms = ", ".join(f"{kind} {new.alarms[kind] / count:.1%}" for kind, count in nulls.items())
    print(f"alarms without a change: {alarms}; calls {new.calls_a_year / today.calls_a_year - 1:+.1%}")
    for points in DRIFTS:
        shares = "  ".join(
            f"{rule} {results.share(('drift', points)):.1%}" for rule, results in totals.items()
        )
        print(f"everything {points} points worse since the baseline, WORSE: {shares}", flush=True)
    if (suite, goldens) != ("mixed", 200):
        return []
    promises = {
        "at most .15 false a year": new.false_a_year <= 0.15,
        "found at least as many as without confirmation": new.found_share >= today.found_share,
        "drift of 10 points: at most 2% WORSE": new.share(("drift", 10)) <= 0.02,
    }
    return [promise for promise, kept in promises.items() if not kept]


def anchor_year(
    number: int, *, suite: str, goldens: int, points: float, seed: int
) -> tuple[int, float] | None:
    """The week in which the anchor raised an alarm, and the points lost by then; None when it did not."""
    rng = random.Random(f"anchor/{seed}/{suite}/{points}/{number}")
    rates = rates_of(suite, goldens, rng)
    frozen = draw_trials(rates, ANCHOR_TRIALS, rng)
    order = rng.sample(sorted(rates), goldens)
    for week in range(1, 53):
        lost = points / 100 * week / 52
        now = _worse_in_order(rates, lost, order)
        newest = draw_trials(now, ANCHOR_TRIALS, rng)
        if exchange_p([ExchangeTable(frozen[name], newest[name]) for name in rates]) <= LEVEL:
            return week, 100 * lost
    return None


def _worse_in_order(rates: dict[str, float], by: float, order: list[str]) -> dict[str, float]:
    """Worse by `by` on average: goldens break one after the other, in this order."""
    after = dict(rates)
    left = by * len(rates)
    for name in order:
        fall = min(after[name], left)
        after[name] -= fall
        left -= fall
    return after


def show_anchor(options: argparse.Namespace) -> list[str]:
    """Print weeks until an alarm; what is missed of the promises."""
    missed = []
    print(f"{'suite':<8}{'points a year':>15}{'alarm':>9}{'weeks':>8}{'points lost':>13}")
    with ProcessPoolExecutor(options.workers) as pool:
        for suite in ("mixed", "flaky"):
            for points in (0, 5, 20):
                year = partial(anchor_year, suite=suite, goldens=200, points=points, seed=options.seed)
                alarms = [alarm for alarm in pool.map(year, range(options.years), chunksize=4) if alarm]
                share = len(alarms) / options.years
                when = sum(week for week, _ in alarms) / max(1, len(alarms))
                lost = sum(points_lost for _, points_lost in alarms) / max(1, len(alarms))
                print(f"{suite:<8}{points:>15}{share:>9.1%}{when:>8.1f}{lost:>13.1f}", flush=True)
                if (points and share < 0.99) or (not points and share > 0.05 + 2 * 0.22 / options.years**0.5):
                    missed.append(f"{suite}, {points} points a year: alarm in {share:.1%} of years")
    return missed


def main() -> None:
    """Print the tables, and whether the promises are kept."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--baselines", type=int, default=1_000)
    parser.add_argument("--years", type=int, default=None)
    parser.add_argument("--suites", default="mixed-200")
    parser.add_argument("--repeats", type=int, default=100)
    parser.add_argument("--candidate", action="store_true")
    parser.add_argument("--anchor", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    options.years = options.years or (120 if options.anchor else 2_000)
    missed = show_anchor(options) if options.anchor else []
    for name in [] if options.anchor else options.suites.split(","):
        suite, _, goldens = name.partition("-")
        missed += show_suite(suite, int(goldens), options)
    print("missed: " + "; ".join(missed) if missed else "every promise is kept")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
