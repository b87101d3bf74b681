"""The forecasts of `check --plan` compared with simulated checks of the same suites.

    python -m benchmarks check_plan [--suites 40] [--checks 25] [--draws 25] [--seed 1] [--shape 200x3x20]

For each shape (goldens × baseline trials × affected goldens) suites of three kinds are drawn, each with its own true
rates. Their checks are simulated, with a new baseline each; the plan sees one baseline and no rate. Shown are the mean
chances, foreseen and true, of PASS without a change and of REGRESSED with a drop of the affected goldens at the margin;
then the standard error of their difference, and in brackets by how much the plan of one suite is off (root mean square
without the noise of the simulation): few trials cannot tell which of the affected goldens are flaky.
Exits with 1 when a pair is further apart than 5 points and what the simulation itself may be off.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
from dataclasses import dataclass

from benchmarks.check import SUITES, Design, rates_of
from rightcall.decide.check_settings import ComparedGoldens, strata_of
from rightcall.decide.check_simulation import draw_trials, foresee, play, worse_rates

SHAPES = (
    (60, 1, 5),
    (60, 1, 20),
    (60, 3, 5),
    (60, 3, 20),
    (200, 1, 5),
    (200, 1, 20),
    (200, 3, 5),
    (200, 3, 20),
)
PROMISED = 0.05


@dataclass(frozen=True)
class Compared:
    """A mean chance over suites: foreseen and true, the standard error of their difference, and how far one is off."""

    foreseen: float
    true: float
    error: float
    one: float

    @property
    def apart(self) -> bool:
        """Whether they differ by more than promised, beyond twice the error."""
        return abs(self.foreseen - self.true) > PROMISED + 2 * self.error

    def __str__(self) -> str:
        off = f"±{self.error * 100:.1f} ({self.one * 100:.0f})"
        return f"{self.foreseen:>6.0%} {self.true:>5.0%} {off}{' !' if self.apart else '  '}"


def forecast(design: Design, *, suites: int, checks: int, draws: int, seed: int) -> tuple[Compared, Compared]:
    """PASS without a change, and REGRESSED with the affected goldens worse by their margin."""
    rng, settings = random.Random(f"{seed}/{design}"), design.settings
    cut = round(design.affected * design.goldens)
    pairs: tuple[list[tuple[float, float]], list[tuple[float, float]]] = ([], [])
    for number in range(suites):
        rates = rates_of(design.suite, design.goldens, rng)
        names = list(rates)
        seen = draw_trials(rates, design.trials, rng)
        true = [0, 0]
        for check in range(checks):
            before = draw_trials(rates, design.trials, rng)
            strata = strata_of(
                {g: before[g] for g in names[:cut]},
                {g: before[g] for g in names[cut:]},
                settings,
                f"{number}/{check}",
            )
            worse = rates | worse_rates({g: rates[g] for g in names[:cut]}, settings.drop, rng)
            true[0] += play(strata, rates, rng, settings).word == "PASS"
            true[1] += play(strata, worse, rng, settings, rates).word == "REGRESSED"
        known = ComparedGoldens({g: seen[g] for g in names[:cut]}, {g: seen[g] for g in names[cut:]})
        fine = foresee(known, settings, seed=number, draws=draws)
        worse_ = foresee(known, settings, seed=number, draws=draws, worse="affected")
        pairs[0].append((fine.passed, true[0] / checks))
        pairs[1].append((worse_.regressed, true[1] / checks))
    return compared(pairs[0], draws, checks), compared(pairs[1], draws, checks)


def compared(pairs: list[tuple[float, float]], draws: int, checks: int) -> Compared:
    """Means over suites."""
    number = len(pairs)
    off = [foreseen - true for foreseen, true in pairs]
    mean = math.fsum(off) / number
    spread = math.fsum((each - mean) ** 2 for each in off) / max(1, number - 1)
    foreseen, true = (math.fsum(pair[i] for pair in pairs) / number for i in (0, 1))
    noise = math.fsum(f * (1 - f) / (draws - 1) + t * (1 - t) / (checks - 1) for f, t in pairs) / number
    one = math.sqrt(max(0.0, math.fsum(each**2 for each in off) / number - noise))
    return Compared(foreseen, true, math.sqrt(spread / number), one)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suites", type=int, default=40)
    parser.add_argument("--checks", type=int, default=25)
    parser.add_argument("--draws", type=int, default=25)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shape", default="", metavar="GOLDENSxTRIALSxAFFECTED")
    options = parser.parse_args()
    shapes = [tuple(map(int, options.shape.split("x")))] if options.shape else SHAPES
    print(
        f"{'goldens × trials, affected':<34}{'PASS, no change':<24}REGRESSED at the margin (foreseen, true)"
    )
    apart = 0
    for goldens, trials, affected in shapes:
        for suite in SUITES:
            design = Design(suite, goldens, trials, affected=affected / goldens)
            found = forecast(
                design, suites=options.suites, checks=options.checks, draws=options.draws, seed=options.seed
            )
            apart += sum(each.apart for each in found)
            print(
                f"{f'{suite:<7} {goldens} × {trials}, {affected}':<34}"
                + "".join(f"{each!s:<24}" for each in found),
                flush=True,
            )
    print(f"{apart} further apart than 5 points")
    sys.exit(1 if apart else 0)


if __name__ == "__main__":
    main()
