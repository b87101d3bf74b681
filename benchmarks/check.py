"""How often `check` is wrong and what it costs, by playing the rule itself on simulated agents.

    python -m benchmarks.check [--runs 1000] [--seed 1] [--search SECONDS | --forecast]

Suites: steady (88 % of goldens pass at .99, 6 % at .01, 6 % anything), mixed (77/.98, 8/.02, 15) and flaky (55/.95,
10/.05, 35). A tenth of the goldens is affected by a changed tool; a global change affects none in particular. `leak`:
the drop hits a tenth of the rest. Cells: % REGRESSED / % PASS / calls. `--search` draws random designs (any mix of
rates, size, margins, baseline) and shows the worst; drops at the margin break some goldens, weaken all a little, or
better a third of them and worsen the others. The exit code is 1 when an error rate is above 5 %.
`--forecast` holds `check --plan` against simulated checks.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from rightcall.gate import CheckSettings, drawn_trials, dropped, foresee, play, strata_of

SUITES = {
    "steady": ((0.88, 0.99), (0.06, 0.01)),
    "mixed": ((0.77, 0.98), (0.08, 0.02)),
    "flaky": ((0.55, 0.95), (0.10, 0.05)),
}
CHANGES = [
    ("none", 0), ("one tool", 5), ("one tool", 10), ("one tool", 20), ("one tool", 50),
    ("global", 5), ("global", 10), ("global", 20), ("leak", 20), ("leak", 50), ("tool better", 10),
]  # fmt: skip
NARROW = CheckSettings(drop=0.1, drop_rest=0.05, sample=300)


@dataclass(frozen=True)
class Design:
    """A suite, its baseline and what is asked."""

    suite: str = "mixed"
    goldens: int = 200
    trials: int = 3
    settings: CheckSettings = field(default_factory=CheckSettings)
    affected: float = 0.1


@dataclass(frozen=True)
class Cell:
    """Shares of the words and mean calls of many simulated checks."""

    regressed: float
    passed: float
    calls: float

    def __str__(self) -> str:
        return f"{self.regressed:.1%} / {self.passed:.1%} / {self.calls:.0f}"


def rates_of(suite: str, goldens: int, rng: random.Random) -> dict[str, float]:
    """True rates of a suite's goldens."""
    (many, high), (few, low) = SUITES[suite]
    steady, bad = round(many * goldens), round(few * goldens)
    rest = goldens - steady - bad
    rates = [high] * steady + [low] * bad + [rng.uniform(0.1, 0.9) for _ in range(rest)]
    rng.shuffle(rates)
    return {f"g{i}": rate for i, rate in enumerate(rates)}


def simulate(design: Design, change: str, points: float, runs: int, seed: int) -> Cell:
    """One cell of a table."""
    rng = random.Random(f"{seed}/{design.suite}/{change}/{points}")
    words = {"REGRESSED": 0, "PASS": 0}
    calls = 0
    for run in range(runs):
        rates = rates_of(design.suite, design.goldens, rng)
        cut = 0 if change == "global" else round(design.affected * design.goldens)
        names = list(rates)
        affected, rest = names[:cut], names[cut:]
        before = drawn_trials(rates, design.trials, rng)
        after = changed(rates, affected, rest, change, points / 100, rng)
        strata = strata_of(
            {g: before[g] for g in affected}, {g: before[g] for g in rest}, design.settings, f"{seed}/{run}"
        )
        played = play(strata, after, rng, design.settings)
        calls += played.calls
        words[played.word] = words.get(played.word, 0) + 1
    return Cell(words["REGRESSED"] / runs, words["PASS"] / runs, calls / runs)


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
        mirrored = dropped({g: 1 - rates[g] for g in affected}, by, rng)
        return {**rates, **{g: 1 - p for g, p in mirrored.items()}}
    hit = {"one tool": affected, "global": rest, "leak": rng.sample(rest, len(rest) // 10)}[change]
    return {**rates, **dropped({g: rates[g] for g in hit}, by, rng)}


def main() -> None:
    """Print the tables; fail when an error rate is above what is promised."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--search", type=float, default=0.0, metavar="SECONDS")
    parser.add_argument("--forecast", action="store_true")
    options = parser.parse_args()
    if options.forecast:
        show_forecasts(options.runs, options.seed)
        return
    if options.search:
        search(options.search, options.runs, options.seed)
        return
    print(f"{'change':<16}" + "".join(f"{f'N {n} (A {n // 10})':>26}" for n in (60, 200, 1000)))
    for change, points in CHANGES:
        cells = [
            simulate(Design(goldens=n), change, points, options.runs, options.seed) for n in (60, 200, 1000)
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
    for design in others:
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


def search(seconds: float, runs: int, seed: int) -> None:
    """Random designs: the worst false REGRESSED without a change, the worst PASS with a drop at a margin."""
    rng, end = random.Random(seed), time.monotonic() + seconds
    found: dict[str, list[tuple[float, str]]] = {"REGRESSED without a change": [], "PASS at the margin": []}
    while time.monotonic() < end:
        none, margin, said = searched(rng, runs)
        for shares, share in zip(found.values(), (none, margin), strict=True):
            shares.append((share, said))
    print(f"{len(found['PASS at the margin'])} random designs, {runs:,} checks each")
    for name, shares in found.items():
        mean, (worst, said) = sum(share for share, _ in shares) / len(shares), max(shares)
        print(f"  {name}: mean {mean:.1%}, worst {worst:.1%} at {said}")
    most = 0.05 + 2 * math.sqrt(0.05 * 0.95 / runs)  # what a true 5 % may show in this many checks
    sys.exit(1 if any(max(shares)[0] > most for shares in found.values()) else 0)


def forecast(
    design: Design, *, checks: int, baselines: int, draws: int, seed: int
) -> list[tuple[float, float]]:
    """What `--plan` foresees and what checks do: PASS without a change, REGRESSED at the margin of the affected."""
    rng, settings = random.Random(seed), design.settings
    foreseen, true = [0.0, 0.0], [0.0, 0.0]
    for number in range(checks):
        rates = rates_of(design.suite, design.goldens, rng)
        names, cut = list(rates), round(design.affected * design.goldens)
        before = drawn_trials(rates, design.trials, rng)
        affected, rest = {g: before[g] for g in names[:cut]}, {g: before[g] for g in names[cut:]}
        strata = strata_of(affected, rest, settings, f"{number}")
        worse = rates | dropped({g: rates[g] for g in affected}, settings.drop, rng)
        true[0] += (play(strata, rates, rng, settings).word == "PASS") / checks
        true[1] += (play(strata, worse, rng, settings).word == "REGRESSED") / checks
        if number < baselines:
            foreseen[0] += foresee(affected, rest, settings, seed=number, draws=draws).passed / baselines
            told = foresee(affected, rest, settings, seed=number, draws=draws, worse="affected")
            foreseen[1] += told.regressed / baselines
    return list(zip(foreseen, true, strict=True))


def show_forecasts(runs: int, seed: int) -> None:
    """`--plan` beside the simulation of the same suite."""
    print(f"{'suite':<24}{'PASS, no change':>26}{'REGRESSED at the margin':>28}    (foreseen, true)")
    for suite in SUITES:
        for goldens, trials in ((60, 3), (60, 10), (200, 1), (200, 3), (200, 10), (400, 3)):
            found = forecast(Design(suite, goldens, trials), checks=runs, baselines=20, draws=50, seed=seed)
            (passed, really_passed), (worse, really_worse) = found
            print(
                f"{f'{suite} N {goldens} m {trials}':<24}{passed:>17.0%} {really_passed:>8.0%}"
                f"{worse:>19.0%} {really_worse:>8.0%}",
                flush=True,
            )


def searched(rng: random.Random, runs: int) -> tuple[float, float, str]:
    """One random design: how often REGRESSED comes without a change, and PASS at a margin."""
    settings = CheckSettings(
        drop=rng.uniform(0.05, 0.3), drop_rest=rng.uniform(0.05, 0.3), sample=rng.randint(40, 300)
    )
    goldens, trials = rng.randint(40, 500), rng.randint(1, 10)
    levels = [(rng.random(), rng.random() ** 0.3) for _ in range(rng.randint(1, 4))]
    rates = {
        f"g{i}": rng.choices([p for _, p in levels], [w for w, _ in levels])[0]
        if rng.random() < 0.8
        else rng.random()
        for i in range(goldens)
    }
    cut = rng.choice((0, round(rng.uniform(0, 0.5) * goldens)))
    affected, rest = list(rates)[:cut], list(rates)[cut:]
    hit, by = (affected, settings.drop) if affected and rng.random() < 0.7 else (rest, settings.drop_rest)
    way = rng.choice((dropped, a_little_each, some_better))
    after = {**rates, **way({g: rates[g] for g in hit}, by, rng)}
    fell = sum(rates[g] - after[g] for g in hit) / len(hit) >= by - 1e-9
    words: list[dict[str, int]] = [{}, {}]
    for number in range(runs):
        before = drawn_trials(rates, trials, rng)
        for counts, truth in zip(words, (rates, after), strict=True):
            strata = strata_of(
                {g: before[g] for g in affected}, {g: before[g] for g in rest}, settings, f"{number}"
            )
            word = play(strata, truth, rng, settings).word
            counts[word] = counts.get(word, 0) + 1
    said = (
        f"{goldens} goldens, {cut} affected, {trials} baseline trials, drop {settings.drop:.2f}, "
        f"drop_rest {settings.drop_rest:.2f}, sample {settings.sample}, {way.__name__}"
    )
    return words[0].get("REGRESSED", 0) / runs, fell * words[1].get("PASS", 0) / runs, said


def a_little_each(rates: Mapping[str, float], by: float, rng: random.Random) -> dict[str, float]:
    """Every golden worse by the same, as far as it can be, until the mean has fallen by `by`."""
    after, left = dict(rates), by * len(rates)
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
    return better | dropped(others, (by * len(rates) + gained) / len(others), rng)


if __name__ == "__main__":
    main()
