"""How many labels an estimate needs before anyone labels: by simulation of the plan, seeded."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rightcall.core.errors import InputError
from rightcall.model.record import Record
from rightcall.stats.intervals import require_share
from rightcall.stats.judged_interval import (
    About,
    StratumMean,
    inverse_size,
    stratum_mean,
    weighted_rate,
)
from rightcall.stats.judged_strata import (
    LEVELS,
    JudgedCases,
    Judgement,
    LabelStratum,
    require_known_cases,
    usable_strata,
)
from rightcall.stats.label_plan import PRIOR, allocation_order
from rightcall.stats.melded_bounds import melded_p_value
from rightcall.stats.special import binomial_draw

DRAWS, FIRST_SIZE, POWER, PRIOR_WEIGHT = 500, 12, 0.8, 2


class LabelNeed(Record, frozen=True, omit_defaults=False):
    """The labels needed in all, None when labels of all `cases` would not do: then more cases are needed.

    `reached` is the share of draws with a decision, with that many labels.
    """

    labels: int | None
    cases: int
    reached: float


def labels_for_decision(
    judgements: Mapping[Any, Judgement],
    least: float,
    labels: Mapping[Any, bool | None] | None = None,
    **how: Any,
) -> LabelNeed:
    """Labels until a gate with this minimum passes or fails in 80 % of the draws."""
    require_share("label_count", "min", least)
    simulation = _Simulation(judgements, labels or {}, **how)

    def decided_share(n: int) -> float:
        runs = simulation.runs(n)
        return sum(simulation.decides(strata, least) for strata in runs) / len(runs)

    return simulation.search(decided_share, lambda x: x >= POWER)


class _Simulation:
    """Runs drawn from the strata of these judgements. People pass of each stratum what the labels so far say, weighed
    with the guess behind `label_plan`.
    """

    def __init__(
        self,
        judgements: Mapping[Any, Judgement],
        labels: Mapping[Any, bool | None],
        *,
        about: About = "cases_like_these",
        conf: float = 0.95,
        chosen: bool = True,
        seed: int = 0,
        draws: int = DRAWS,
    ) -> None:
        require_share("label_count", "conf", conf)
        require_known_cases(labels, judgements)
        judged = JudgedCases(judgements)
        if not judged.verdicts:
            raise InputError("label_count", "no judgement at all", "judge the cases first")
        self.sizes, self.cases = judged.cases, sum(judged.cases.values())
        self._about, self._conf, self._chosen, self._seed, self._draws = about, conf, chosen, seed, draws
        seen = {name: [0, 0] for name in LEVELS}
        for case, label in labels.items():
            if label is not None:
                seen[judged.level(case)][0] += 1
                seen[judged.level(case)][1] += bool(label)
        self._rates = {
            name: (passed + PRIOR_WEIGHT * PRIOR[name]) / (n + PRIOR_WEIGHT)
            for name, (n, passed) in seen.items()
        }

    def runs(self, n: int) -> list[list[LabelStratum]]:
        """Strata with `n` labels, for each draw."""
        rng = random.Random(self._seed)  # noqa: S311  repeatable, not secret
        return [self._run(rng, n) for _ in range(self._draws)]

    def _run(self, rng: random.Random, n: int) -> list[LabelStratum]:
        if self._chosen:
            levels = list(allocation_order(self.sizes, n))
        else:
            levels = rng.sample(LEVELS, n, counts=[self.sizes[name] for name in LEVELS])
        counts = {name: levels.count(name) for name in LEVELS}
        strata = [
            LabelStratum(
                name, self.sizes[name], counts[name], binomial_draw(rng, counts[name], self._rates[name])
            )
            for name in LEVELS
        ]
        return usable_strata(strata, self._chosen)[0]

    def _doubt(self, strata: Sequence[StratumMean]) -> tuple[float, float]:
        """The squared standard error; where all labels are equal it is 0, and one by the size orders them."""
        rate, inverse = weighted_rate(strata), inverse_size(strata, self._about)
        return rate * (1 - rate) * inverse, inverse

    def decides(self, strata: Sequence[LabelStratum], least: float) -> bool:
        """Whether a bound reaches the minimum; nearer to it than one standard error none does."""
        means = [stratum_mean(stratum) for stratum in strata]
        rate = weighted_rate(means)
        if (rate - least) ** 2 < self._doubt(means)[0]:
            return False
        side = strata if rate >= least else [stratum.mirrored for stratum in strata]
        return melded_p_value(side, self._about, least if rate >= least else 1 - least) <= 1 - self._conf

    def search(self, figure: Callable[[int], float], enough: Callable[[float], bool]) -> LabelNeed:
        """The fewest labels that are enough, within a twentieth: doubled until they are, then halved between."""
        short, size = 0, min(FIRST_SIZE, self.cases)
        while not enough(reached := figure(size)):
            if size == self.cases:
                return LabelNeed(None, self.cases, reached)
            short, size = size, min(2 * size, self.cases)
        while size - short > max(1, size // 20):
            middle = (short + size) // 2
            if enough(at_middle := figure(middle)):
                size, reached = middle, at_middle
            else:
                short = middle
        return LabelNeed(size, self.cases, reached)
