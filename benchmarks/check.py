"""Error rates and cost of `check`, by running its rule on simulated agents.

    python -m benchmarks check [--runs 1000] [--seed 1] [--confirm base]

Suites: steady (88% of goldens pass at .99, 6% at .01, 6% anything), mixed (77/.98, 8/.02, 15) and flaky (55/.95,
10/.05, 35). A tenth of the goldens is affected by a changed tool; a global change affects none in particular. `leak`:
the drop hits a tenth of the rest. Cells: % WORSE / % PASS / calls. The rule is the one without confirmation, or
the one named; `check_years` compares them. `check_designs` searches random designs for the
worst.

`--few`: suites of 3 to 20 goldens, all affected, with four times the runs where nothing changed; cells: % WORSE /
% NO LOSS SEEN or PASS / calls of both versions. Exits with 1 when a promise is missed: WORSE without a change in at
most .4%, exit code 0 without a change in 90% of steady and mixed suites up to ten goldens, one dead golden of five
found in 90%.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import msgspec

from benchmarks.check_simulation import draw_trials, play, worse_rates
from rightcall.decide.check_settings import CheckSettings, strata_of

SUITES = {
    "steady": ((0.88, 0.99), (0.06, 0.01)),
    "mixed": ((0.77, 0.98), (0.08, 0.02)),
    "flaky": ((0.55, 0.95), (0.10, 0.05)),
}
CHANGES = [
    ("none", 0), ("one tool", 5), ("one tool", 10), ("one tool", 20), ("one tool", 50),
    ("global", 5), ("global", 10), ("global", 20), ("leak", 20), ("leak", 50), ("tool better", 10),
]  # fmt: skip
NARROW = CheckSettings(drop=0.1, drop_rest=0.05, sample=300, confirm="off")


@dataclass(frozen=True)
class Design:
    """A suite, its baseline and what is asked."""

    suite: str = "mixed"
    goldens: int = 200
    trials: int = 3
    settings: CheckSettings = field(default_factory=lambda: CheckSettings(confirm="off"))
    affected: float = 0.1


@dataclass(frozen=True)
class Cell:
    """Shares of the words and mean calls of many simulated checks."""

    worse: float
    passed: float
    calls: float

    def __str__(self) -> str:
        return f"{self.worse:.1%} / {self.passed:.1%} / {self.calls:.0f}"


def rates_of(suite: str, goldens: int, rng: random.Random) -> dict[str, float]:
    """True rates of a suite's goldens."""
    (many, high), (few, low) = SUITES[suite]
    steady = round(many * goldens)
    bad = round(few * goldens)
    rest = goldens - steady - bad
    rates = [high] * steady + [low] * bad + [rng.uniform(0.1, 0.9) for _ in range(rest)]
    rng.shuffle(rates)
    return {f"g{i}": rate for i, rate in enumerate(rates)}


def simulate(design: Design, change: str, points: float, runs: int, seed: int) -> Cell:
    """One cell of a table."""
    rng = random.Random(f"{seed}/{design.suite}/{change}/{points}")
    words = {"WORSE": 0, "PASS": 0}
    calls = 0
    for run in range(runs):
        rates = rates_of(design.suite, design.goldens, rng)
        cut = 0 if change == "global" else round(design.affected * design.goldens)
        names = list(rates)
        affected = names[:cut]
        rest = names[cut:]
        before = draw_trials(rates, design.trials, rng)
        after = changed(rates, affected, rest, change, points / 100, rng)
        strata = strata_of(
            {g: before[g] for g in affected}, {g: before[g] for g in rest}, design.settings, f"{seed}/{run}"
        )
        played = play(strata, after, rng, design.settings, rates)
        calls += played.calls
        words[played.word] = words.get(played.word, 0) + 1
    return Cell(words["WORSE"] / runs, words["PASS"] / runs, calls / runs)


def changed(
    rates: Mapping[str, float],
    affected: list[str],
    rest: list[str],
    change: str,
    by: float,
    rng: random.Random,
) -> dict[str, float]:
    """True rates after the change."""
    if change == "none":
        return dict(rates)
    if change == "tool better":
        mirrored = worse_rates({g: 1 - rates[g] for g in affected}, by, rng)
        return {**rates, **{g: 1 - p for g, p in mirrored.items()}}
    hit = {"one tool": affected, "global": rest, "leak": rng.sample(rest, len(rest) // 10)}[change]
    return {**rates, **worse_rates({g: rates[g] for g in hit}, by, rng)}


FEW = [
    ("steady", 3, 3), ("mixed", 5, 1), ("mixed", 5, 3), ("mixed", 10, 3), ("mixed", 20, 3), ("mixed", 20, 5),
    ("flaky", 5, 3), ("flaky", 20, 3), ("all .9", 5, 3), ("all .9", 10, 3),
]  # fmt: skip
BROKEN = {"nothing": 0, "one dead": 1, "one .98 → .5": 1, "two dead": 2}


def simulate_few(suite: str, goldens: int, trials: int, change: str, runs: int, seed: int) -> Cell:
    """One cell of the table of small suites."""
    rng = random.Random(f"{seed}/{suite}/{goldens}/{trials}/{change}")
    words = Counter[str]()
    calls = 0
    settings = CheckSettings()
    for run in range(runs):
        everyone = {f"g{i}": 0.9 for i in range(goldens)}
        rates = everyone if suite == "all .9" else rates_of(suite, goldens, rng)
        before = draw_trials(rates, trials, rng)
        after = dict(rates)
        steady = [golden for golden, rate in rates.items() if rate >= 0.9]
        for golden in rng.sample(steady, BROKEN[change]):
            after[golden] = 0.5 if ".5" in change else 0.0
        strata = strata_of({}, before, settings, f"{seed}/{run}", full=True)
        played = play(strata, after, rng, settings, rates, few=dict.fromkeys(rates, strata[0].rounds))
        words[played.word] += 1
        calls += played.calls
    good = words["PASS"] + words["NO LOSS SEEN"]
    return Cell(words["WORSE"] / runs, good / runs, calls / runs)


def show_few(runs: int, seed: int) -> int:
    """Print the table of small suites; 1 when a promise is missed."""
    missed = 0
    print(f"{'suite, goldens, trials':<24}" + "".join(f"{change:>24}" for change in BROKEN))
    for suite, goldens, trials in FEW:
        cells = {
            change: simulate_few(suite, goldens, trials, change, runs * (1 if broken else 4), seed)
            for change, broken in BROKEN.items()
        }
        nothing = cells["nothing"]
        small = goldens <= 10 and suite in ("steady", "mixed")
        missed |= nothing.worse > 0.004 or (small and nothing.passed < 0.9)
        missed |= goldens == 5 and cells["one dead"].worse < 0.9
        print(
            f"{f'{suite} {goldens}, {trials}':<24}" + "".join(f"{cell!s:>24}" for cell in cells.values()),
            flush=True,
        )
    return missed


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--few", action="store_true")
    parser.add_argument("--runs", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--confirm", choices=("off", "base", "candidate"), default="off")
    options = parser.parse_args()
    if options.few:
        sys.exit(show_few(options.runs, options.seed))
    print(f"{'change':<16}" + "".join(f"{f'N {n} (A {n // 10})':>26}" for n in (60, 200, 1000)))
    for change, points in CHANGES:
        cells = [
            simulate(
                Design(goldens=n, settings=CheckSettings(confirm=options.confirm)),
                change,
                points,
                options.runs,
                options.seed,
            )
            for n in (60, 200, 1000)
        ]
        print(f"{f'{change} {points}':<16}" + "".join(f"{cell!s:>26}" for cell in cells), flush=True)
    others = [
        Design("steady"),
        Design(trials=10),
        Design("flaky"),
        Design("flaky", trials=10),
        Design(goldens=60, trials=10),
        Design(trials=1),
        Design(trials=5, settings=NARROW),
        Design(goldens=1000, trials=5, settings=NARROW),
    ]
    print()
    for other in others:
        design = replace(other, settings=msgspec.structs.replace(other.settings, confirm=options.confirm))
        cells = [
            simulate(design, change, points, options.runs, options.seed)
            for change, points in (
                ("none", 0),
                ("one tool", 10),
                ("one tool", 20),
                ("global", 5),
                ("global", 10),
            )
        ]
        label = f"{design.suite} N {design.goldens} m {design.trials} {design.settings.drop:g}"
        print(f"{label:<24}" + "".join(f"{cell!s:>25}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
