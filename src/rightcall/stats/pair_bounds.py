"""The one-sided bounds that decide about a difference of two agents: melded Gaffke draws.

In each stratum Dirichlet weights of the labelled values −1, 0 and 1, with one for the worst, fill in the unlabelled
pairs; then, about cases like these, the same for all pairs. Seeded. `python -m benchmarks judged --part pairs`
simulates its errors.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from rightcall.stats.bootstrap_interval import quantile_of_sorted
from rightcall.stats.intervals import Interval
from rightcall.stats.judged_interval import About
from rightcall.stats.pair_strata import PairStratum
from rightcall.stats.special import binomial_draw

DRAWS = 2_000


def difference_bounds(
    strata: Sequence[PairStratum], about: About, alpha: float, draws: int = DRAWS
) -> Interval:
    """One-sided lower and upper bound of the difference at 1−α each, by seeded draws."""
    cases = sum(stratum.cases for stratum in strata)
    difference = sum(s.cases / cases * (s.better - s.worse) / s.labels for s in strata)
    lower = quantile_of_sorted(sorted(_differences(strata, about, draws)), alpha)
    upper = -quantile_of_sorted(sorted(_differences([s.mirrored for s in strata], about, draws)), alpha)
    return Interval(min(lower, difference), max(upper, difference))


def _differences(strata: Sequence[PairStratum], about: About, draws: int) -> list[float]:
    rng = random.Random(0)  # noqa: S311  repeatable, not secret
    cases = sum(stratum.cases for stratum in strata)
    differences = []
    for _ in range(draws):
        worse = better = 0
        for stratum in strata:
            same = stratum.labels - stratum.worse - stratum.better
            down, level, up = _shares(rng, stratum.worse + 1, same, stratum.better)
            gains = binomial_draw(rng, stratum.cases - stratum.labels, up)
            losses = binomial_draw(
                rng, stratum.cases - stratum.labels - gains, down / (down + level) if down else 0.0
            )
            worse, better = worse + stratum.worse + losses, better + stratum.better + gains
        if about == "cases_like_these":
            down, _, up = _shares(rng, worse + 1, cases - worse - better, better)
            differences.append(up - down)
        else:
            differences.append((better - worse) / cases)
    return differences


def _shares(rng: random.Random, *counts: int) -> list[float]:
    """A draw of Dirichlet(counts); a count of 0 has no share."""
    parts = [rng.gammavariate(count, 1.0) if count else 0.0 for count in counts]
    total = sum(parts)
    return [part / total for part in parts]
