"""Whether `analyze` names a planted defect first, with its place, on domains it was tuned on and on others.

    python -m benchmarks planted [--per 7] [--tuned] [--alone] [--all]

The other domains were written here as well, and the defects are of the kinds that the rules know: rates on domains that
nobody here has seen are lower.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter

from benchmarks.planted_suites.defects import DEFECTS, Truth
from benchmarks.planted_suites.domains import HELD_OUT, TUNED, Domain
from benchmarks.planted_suites.suites import PlantedSuite, clean_suite
from rightcall.improve.findings import Analysis, RunFinding
from rightcall.improve.run_analysis import analyze_results

TOP = 3
LEAST_CHANGED = 3
SETTINGS = ((7, 3, 0.03, 0.8), (7, 3, 0.03, 0.5), (7, 3, 0.08, 0.6), (7, 1, 0.03, 0.8), (4, 3, 0.03, 0.8),
            (3, 1, 0.03, 0.8), (4, 1, 0.08, 0.6))  # fmt: skip


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
        clean, truths = clean_suite(domain, f"{seed}/{attempt}", goldens), []
        suite, harmed = clean, []
        for name in defects:
            suite, truth = DEFECTS[name](suite, random.Random(f"{seed}/{attempt}/{name}"))
            harmed.append(DEFECTS[name](clean, random.Random(f"{seed}/{attempt}/{name}"))[0].misread(seed))
            truths.append(truth)
        if len(defects) > 1 and not _apart(truths, harmed):
            continue
        if all(len(goldens) >= LEAST_CHANGED for goldens in harmed):
            break
    return suite, truths


def _apart(truths: list[Truth], harmed: list[set[str]]) -> bool:
    """Whether two defects are about different tools and harm different goldens."""
    one, two = truths
    return one.tools.isdisjoint(two.tools) and one.cause != two.cause and harmed[0].isdisjoint(harmed[1])


def analysed(
    suite: PlantedSuite, seed: str, *, trials: int, noise: float, reads: float, second: bool
) -> Analysis:
    """The analysis of a run, with a second model's run when asked."""
    results = suite.run(f"{seed}/one", trials=trials, noise=noise, reads=reads)
    others = {"second": suite.run(f"{seed}/two", trials=trials, noise=noise, reads=reads)} if second else {}
    return analyze_results(suite.tools, suite.goldens, results, system=suite.system, others=others)


def table(domains: tuple[Domain, ...], per: int, goldens: int, trials: int, noise: float, reads: float,
          *, second: bool = True, show: bool = False) -> tuple[Counter[str], Counter[str], Counter[str]]:  # fmt: skip
    """Suites, top-1 and top-3 hits by defect."""
    tried: Counter[str] = Counter()
    first: Counter[str] = Counter()
    third: Counter[str] = Counter()
    for domain in domains:
        for name in DEFECTS:
            for number in range(per):
                seed = f"{domain.name}/{name}/{number}"
                suite, (truth,) = planted(domain, [name], seed, goldens)
                found = analysed(suite, seed, trials=trials, noise=noise, reads=reads, second=second).findings
                tried[name] += 1
                first[name] += bool(found) and hit(found[0], truth)
                third[name] += any(hit(one, truth) for one in found[:TOP])
                if show and not (found and hit(found[0], truth)):
                    said = [(f.cause, f.tools, f.parameters, f.trials, f.plausibility) for f in found[:3]]
                    print("   missed", seed, truth, said)
    return tried, first, third


def clean(domains: tuple[Domain, ...], per: int, noise: float) -> tuple[int, int]:
    """Clean suites, and those of them with a stated finding."""
    stated = count = 0
    for domain in domains:
        for number in range(per):
            seed = f"clean/{domain.name}/{number}/{noise}"
            found = analysed(clean_suite(domain, seed), seed, trials=3, noise=noise, reads=0.8, second=True)
            count += 1
            stated += bool(found.stated)
    return count, stated


def two_defects(domains: tuple[Domain, ...], count: int, *, show: bool = False) -> tuple[int, int]:
    """Suites with two defects of different tools, and those with both among the first three findings."""
    both = 0
    for number in range(count):
        rng = random.Random(f"two/{number}")
        names, domain = rng.sample(sorted(DEFECTS), 2), rng.choice(domains)
        if "name" in names:  # renamed first, the other defect would not find its tool
            names.sort(key="name".__eq__)
        suite, truths = planted(domain, names, f"two/{number}", 7)
        found = analysed(suite, f"two/{number}", trials=3, noise=0.03, reads=0.8, second=True).findings[:TOP]
        good = all(any(hit(one, truth) for one in found) for truth in truths)
        both += good
        if show and not good:
            print("   missed", truths, [(f.cause, f.tools, f.parameters, f.trials) for f in found])
    return count, both


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--per", type=int, default=7, help="suites for each domain and defect")
    parser.add_argument("--all", action="store_true", help="every setting, not only the first and 3 x 1")
    parser.add_argument("--tuned", action="store_true", help="the domains it was tuned on")
    parser.add_argument("--alone", action="store_true", help="no run of a second model to compare with")
    parser.add_argument("--show", action="store_true", help="every miss")
    options = parser.parse_args()
    domains = TUNED if options.tuned else HELD_OUT
    print(f"domains: {', '.join(domain.name for domain in domains)}")
    print("goldens x trials  noise  reads  suites  top-1   top-3")
    for goldens, trials, noise, reads in SETTINGS if options.all else (SETTINGS[0], SETTINGS[5]):
        start = time.perf_counter()
        tried, first, third = table(
            domains, options.per, goldens, trials, noise, reads, second=not options.alone, show=options.show
        )
        n = tried.total()
        print(f"{goldens} x {trials}             {noise:>4.0%}   {reads:.1f}   {n:>5}   {first.total() / n:>6.1%}  "
              f"{third.total() / n:>6.1%}   ({time.perf_counter() - start:.0f} s)", flush=True)  # fmt: skip
        weak = {name: f"{first[name]}/{tried[name]}" for name in tried if first[name] < tried[name]}
        print(f"                  below 100 %: {weak}")
    if options.alone:
        return
    for noise in (0.03, 0.08):
        count, stated = clean(domains, 14, noise)
        print(f"clean suites, {noise:.0%} noise: {stated} of {count} with a stated finding")
    count, both = two_defects(domains, 60, show=options.show)
    print(f"two defects: both in the first three in {both} of {count}")


if __name__ == "__main__":
    main()
