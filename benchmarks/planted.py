"""Whether `analyze` names a planted defect first, with its place, on domains it was tuned on and on others.

    python -m benchmarks planted [--per 7] [--domains tuned|untuned|later|unseen|several] [--alone] [--all]

The other domains were written here as well, and the defects are of the kinds that the rules know: rates on domains that
nobody here has seen are lower.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

from benchmarks.planted_suites.defects import DEFECTS as FIRST_DEFECTS, Plant, Truth, renamed
from benchmarks.planted_suites.domains import HELD_OUT, TUNED, Domain
from benchmarks.planted_suites.later_domains import LOOKED_AT, NEVER_LOOKED_AT, SEVERAL
from benchmarks.planted_suites.missed_defects import MISSED
from benchmarks.planted_suites.suites import PlantedSuite, clean_suite
from benchmarks.planted_suites.unseen_domains import UNSEEN
from rightcall.improve.findings import Analysis, RunFinding
from rightcall.improve.improvement import apply_changes
from rightcall.improve.run_analysis import analyze_results

DEFECTS: dict[str, Plant] = {**FIRST_DEFECTS, **MISSED}
DOMAINS = {
    "tuned": (*TUNED, *LOOKED_AT),
    "untuned": HELD_OUT,
    "later": NEVER_LOOKED_AT,
    "unseen": UNSEEN,
    "several": SEVERAL,
}
TOP = 3


class Setting(NamedTuple):
    """How much is run: goldens a tool, trials, noise, and how often the agent reads the definitions."""

    goldens: int
    trials: int
    noise: float = 0.03
    reads: float = 0.8


SETTINGS = (
    Setting(7, 3), Setting(3, 1), Setting(7, 3, reads=0.5), Setting(7, 3, 0.08, 0.6), Setting(7, 1), Setting(4, 3),
    Setting(4, 1, 0.08, 0.6),
)  # fmt: skip


def hit(finding: RunFinding, truth: Truth) -> bool:
    """Cause and place: all tools and the parameter; of goldens at least half."""
    if finding.cause != truth.cause:
        return False
    if truth.goldens:
        return 2 * len(truth.goldens & set(finding.goldens)) >= len(truth.goldens)
    return truth.tools <= set(finding.tools) and (
        not truth.parameter or truth.parameter in finding.parameters
    )


def planted(domain: Domain, defects: list[str], seed: str, goldens: int) -> tuple[PlantedSuite, list[Truth]]:
    """A suite with these defects; one that changes fewer than three goldens is drawn again."""
    for attempt in range(40):
        clean = clean_suite(domain, f"{seed}/{attempt}", goldens)
        truths = []
        suite = clean
        harmed = []
        for name in defects:
            suite, truth = DEFECTS[name](suite, random.Random(f"{seed}/{attempt}/{name}"))
            harmed.append(
                DEFECTS[name](clean, random.Random(f"{seed}/{attempt}/{name}"))[0].misread(
                    f"{seed}/{attempt}"
                )
            )
            truths.append(truth)
        if len(defects) > 1 and not _apart(truths, harmed):
            continue
        least = 3 if goldens > 3 and "forbidden" not in defects else 2
        if all(len(changed) >= least for changed in harmed):
            return suite, truths
    raise ValueError(f"{domain.name}: {defects} changes too few goldens")


def _apart(truths: list[Truth], harmed: list[set[str]]) -> bool:
    """Whether defects are about different tools and causes, and harm different goldens."""
    return all(
        truths[i].tools.isdisjoint(truths[j].tools)
        and truths[i].cause != truths[j].cause
        and harmed[i].isdisjoint(harmed[j])
        for i, j in combinations(range(len(truths)), 2)
    )


def analysed(suite: PlantedSuite, seed: str, setting: Setting, *, second: bool) -> Analysis:
    """The analysis of a run, with a second model's run when asked."""
    how = {"trials": setting.trials, "noise": setting.noise, "reads": setting.reads}
    results = suite.run(f"{seed}/one", **how)
    others = {"second": suite.run(f"{seed}/two", **how)} if second else {}
    return analyze_results(suite.tools, suite.goldens, results, system=suite.system, others=others)


def harms(suite: PlantedSuite, finding: RunFinding, seed: str) -> bool:
    """Whether whoever reads the definitions misreads more goldens once the change is applied."""
    changed = suite
    for change in (change for change in finding.change if change.path == ("name",)):
        changed = renamed(changed, change.before, change.after)
    edits = [change for change in finding.change if change.path != ("name",)]
    tools, system = apply_changes(edits, changed.tools, changed.system)
    changed = replace(changed, tools=tools, system=system)
    before, after = (sum(len(one.misread(f"{seed}/{n}")) for n in range(3)) for one in (suite, changed))
    return after > before


class Rates(NamedTuple):
    """Suites by defect: tried, named first, among the first three; named first on the screen, something else there."""

    tried: Counter[str]
    first: Counter[str]
    third: Counter[str]
    shown: Counter[str]
    wrong: Counter[str]
    harm: Counter[str]


def table(
    domains: Sequence[Domain], per: int, setting: Setting, *, second: bool, show: bool = False
) -> Rates:
    """What is said first of suites with one defect, and whether applying it does harm."""
    rates = Rates(*(Counter() for _ in Rates._fields))
    tried, first, third = rates[:3]
    for domain in domains:
        for name in DEFECTS:
            for number in range(per):
                seed = f"{domain.name}/{name}/{number}"
                suite, (truth,) = planted(domain, [name], seed, setting.goldens)
                findings = analysed(suite, seed, setting, second=second).findings
                tried[name] += 1
                first[name] += bool(findings) and hit(findings[0], truth)
                third[name] += any(hit(finding, truth) for finding in findings[:TOP])
                if findings and (findings[0].stated or findings[0].danger):
                    rates.shown[name] += hit(findings[0], truth)
                    rates.wrong[name] += not hit(findings[0], truth)
                if findings and harms(suite, findings[0], seed):
                    rates.harm[name] += 1
                    print("   harm", seed, findings[0].cause, findings[0].change)
                if show and not (findings and hit(findings[0], truth)):
                    said = [(f.cause, f.tools, f.parameters, f.trials, f.plausibility) for f in findings[:3]]
                    print("   missed", seed, truth, said)
    return rates


def clean(domains: Sequence[Domain], per: int, setting: Setting, *, second: bool) -> tuple[int, int]:
    """Clean suites, and those of them with a stated finding."""
    stated = 0
    seeds = [
        (domain, f"clean/{domain.name}/{number}/{setting.noise}")
        for domain in domains
        for number in range(per)
    ]
    for domain, seed in seeds:
        suite = clean_suite(domain, seed, setting.goldens)
        stated += bool(analysed(suite, seed, setting, second=second).stated)
    return len(seeds), stated


def two_defects(
    domains: Sequence[Domain], count: int, *, second: bool, show: bool = False
) -> tuple[int, int]:
    """Suites with two defects of different tools, and those with both among the first three findings."""
    both = 0
    for number in range(count):
        rng = random.Random(f"two/{number}")
        names = rng.sample(sorted(FIRST_DEFECTS), 2)
        domain = rng.choice(domains)
        if "name" in names:  # renamed first, the other defect would not find its tool
            names.sort(key="name".__eq__)
        suite, truths = planted(domain, names, f"two/{number}", 7)
        found = analysed(suite, f"two/{number}", SETTINGS[0], second=second).findings[:TOP]
        good = all(any(hit(one, truth) for one in found) for truth in truths)
        both += good
        if show and not good:
            print("   missed", truths, [(f.cause, f.tools, f.parameters, f.trials) for f in found])
    return count, both


SMALL = Setting(3, 3)
"""26 goldens: what one person writes in a day."""
APART = sorted(DEFECTS.keys() - {"forbidden", "name", "pattern_contrast", "pattern_narrow"})
"""Defects that leave the goldens and names of others alone."""


def several_defects(
    domains: Sequence[Domain], count: int, defects: int, *, second: bool, show: bool = False
) -> tuple[int, int, int]:
    """Small suites with several defects, those whose first findings are exactly these, and defects named among them."""
    exact = named = 0
    for number in range(count):
        rng = random.Random(f"several/{defects}/{number}")
        while True:
            names = rng.sample(APART, defects)
            domain = rng.choice(domains)
            seed = f"several/{defects}/{number}"
            try:
                suite, truths = planted(domain, names, seed, SMALL.goldens)
                break
            except (KeyError, ValueError):
                continue  # these cannot be planted apart
        first = analysed(suite, seed, SMALL, second=second).findings[:defects]
        hits = [any(hit(finding, truth) for finding in first) for truth in truths]
        exact = exact + all(hits)
        named = named + sum(hits)
        if show and not all(hits):
            print(
                "   missed",
                truths,
                [(f.cause, f.tools, f.parameters, f.trials, f.plausibility) for f in first],
            )
    return count, exact, named


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--per", type=int, default=7, help="suites for each domain and defect")
    parser.add_argument("--all", action="store_true", help="every setting, not only the first and 3 x 1")
    parser.add_argument("--domains", choices=DOMAINS, default="untuned", help="which domains")
    parser.add_argument("--alone", action="store_true", help="no run of a second model to compare with")
    parser.add_argument("--show", action="store_true", help="every miss")
    options = parser.parse_args()
    domains = DOMAINS[options.domains]
    second = not options.alone
    print(f"domains: {', '.join(domain.name for domain in domains)}")
    print("goldens x trials  noise  reads  suites  top-1   top-3")
    for setting in SETTINGS if options.all else SETTINGS[:2]:
        start = time.perf_counter()
        rates = table(domains, options.per, setting, second=second, show=options.show)
        tried, first, third = rates[:3]
        n = tried.total()
        (goldens, trials, noise, reads) = setting
        seconds = time.perf_counter() - start
        print(f"{goldens} x {trials}             {noise:>4.0%}   {reads:.1f}   {n:>5}   "
              f"{first.total() / n:>6.1%}  {third.total() / n:>6.1%}   ({seconds:.0f} s)", flush=True)  # fmt: skip
        weak = {name: f"{first[name]}/{tried[name]}" for name in tried if first[name] < tried[name]}
        print(
            f"                  on the screen {rates.shown.total() / n:.1%}, something else there "
            f"{rates.wrong.total() / n:.1%}, changes that do harm {rates.harm.total()}"
        )
        print(f"                  {len(tried)} defects, below 100%: {weak}")
    for setting in (*SETTINGS[:2], Setting(7, 3, 0.08)):
        count, stated = clean(domains, 4 * options.per, setting, second=second)
        how = f"{setting.goldens} x {setting.trials}, {setting.noise:.0%} noise"
        print(f"clean suites, {how}: {stated} of {count} with a stated finding")
    count, both = two_defects(domains, 60, second=second, show=options.show)
    print(f"two defects: both in the first three in {both} of {count}")
    for defects in (2, 3):
        several = several_defects(domains, 10 * options.per, defects, second=second, show=options.show)
        count, exact, named = several
        print(
            f"3 x 3 with {defects} defects: the first {defects} findings are exactly these in {exact} of {count}; "
            f"{named} of {defects * count} defects are among them"
        )


if __name__ == "__main__":
    main()
