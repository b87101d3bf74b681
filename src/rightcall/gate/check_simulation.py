"""What `check` will do, by playing its own rule on drawn trials: for `check --plan` and the benchmark."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rightcall.gate.check_rule import CheckRule, CheckWord
from rightcall.gate.check_settings import CheckSettings, strata_of
from rightcall.gate.trial_pairs import Scores, Stratum

DRAWS = 500
LEAST_OTHERS = 200
TYPICAL_NOISE = 0.04
"""Mean p(1−p) over goldens, assumed when none was tried twice: between a steady suite (.02) and a flaky one (.11)."""


class Played(NamedTuple):
    """One simulated check."""

    word: CheckWord
    calls: int


class Chances(NamedTuple):
    """Shares of the words over many draws, and the calls they took."""

    passed: float
    regressed: float
    mean_calls: float
    least_calls: int
    most_calls: int


def play(
    strata: Sequence[Stratum], rates: Mapping[str, float], rng: random.Random, settings: CheckSettings
) -> Played:
    """The rule on an agent that passes each golden with its true rate."""
    rule = CheckRule(strata, settings.risks)
    calls = 0
    for step in rule.steps():
        calls += len(step.unit)
        rule.feed(step, {golden: float(rng.random() < rates[golden]) for golden in step.unit})
    return Played(rule.end().word, calls)


def drawn_trials(rates: Mapping[str, float], trials: int, rng: random.Random) -> dict[str, Scores]:
    """A baseline of an agent with these true rates."""
    return {golden: tuple(float(rng.random() < p) for _ in range(trials)) for golden, p in rates.items()}


def dropped(rates: Mapping[str, float], by: float, rng: random.Random) -> dict[str, float]:
    """The same agent, worse by `by` on average over these goldens; some never pass again."""
    lost, target, after = 0.0, by * len(rates), dict(rates)
    for golden in rng.sample(sorted(rates), len(rates)):
        if lost >= target:
            break
        fall = min(after[golden], target - lost)
        after[golden] -= fall
        lost += fall
    return after


def foresee(
    affected: Mapping[str, Scores],
    rest: Mapping[str, Scores],
    settings: CheckSettings,
    *,
    seed: int = 0,
    worse: str = "",
    draws: int = DRAWS,
    full: bool = False,
) -> Chances:
    """Chances of PASS and REGRESSED for an agent like the baseline's, or one that is `worse` by a stratum's margin.

    Each golden's rate is drawn from what its trials leave possible, given how all goldens of the suite behave; then a
    new baseline and a candidate are drawn from it. Goldens that always passed are mostly steady, so a prior fitted to
    the suite foresees better than one that treats every golden alone.
    """
    rng = random.Random(f"{seed}/{worse}/{full}")  # noqa: S311  repeatable, not secret
    a, b = fitted_prior([*affected.values(), *rest.values()])
    words, calls = Counter[str](), list[int]()
    # A check asks a sample of the rest: twice as many stand for all of them, also for the noise.
    others, most = list(rest), max(LEAST_OTHERS, 2 * settings.sample)
    for number in range(draws):
        some = others if full or len(others) <= most else rng.sample(others, most)
        tried = [*affected.items(), *((golden, rest[golden]) for golden in some)]
        rates = {golden: _rate(scores, a, b, rng) for golden, scores in tried}
        before = {
            golden: tuple([float(rng.random() < rates[golden]) for _ in scores]) for golden, scores in tried
        }
        after = dict(rates)
        if worse:
            hit, margin = (affected, settings.drop) if worse == "affected" else (some, settings.drop_rest)
            after |= dropped({golden: rates[golden] for golden in hit}, margin, rng)
        strata = strata_of(
            {g: before[g] for g in affected}, {g: before[g] for g in some}, settings, f"{number}", full=full
        )
        played = play(strata, after, rng, settings)
        words[played.word] += 1
        calls.append(played.calls)
    return Chances(
        words["PASS"] / draws, words["REGRESSED"] / draws, math.fsum(calls) / draws, min(calls), max(calls)
    )


def fitted_prior(trials: Sequence[Scores]) -> tuple[float, float]:
    """Beta(a, b) of the goldens' rates by moments; Jeffreys' when there are too few.

    One trial each does not separate steady goldens from flaky ones: they are then taken to be as noisy as most suites.
    """
    tried = [scores for scores in trials if len(scores) > 1]
    if len(tried) < 10 and len(trials) >= 10:
        return _typical(math.fsum(math.fsum(scores) / len(scores) for scores in trials) / len(trials))
    if len(tried) < 10:
        return 0.5, 0.5
    m = len(min(tried, key=len))
    rates = [math.fsum(scores) / len(scores) for scores in tried]
    mean = math.fsum(rates) / len(rates)
    spread = math.fsum((rate - mean) ** 2 for rate in rates) / len(rates)
    alone = mean * (1 - mean)
    if alone <= 0:
        return (0.5, 0.5 / len(tried)) if mean > 0.5 else (0.5 / len(tried), 0.5)
    # The share of the spread that lies between goldens; what trials of one golden add is taken out.
    between = (spread - alone / m) * m / (m - 1)
    rho = min(max(between / alone, 0.01), 0.99)
    weight = 1 / rho - 1
    return max(mean * weight, 1e-3), max((1 - mean) * weight, 1e-3)


def _typical(mean: float) -> tuple[float, float]:
    """Beta(a, b) with this mean and E[p(1−p)] = `TYPICAL_NOISE`, or as much as the mean allows."""
    share = min(0.9, TYPICAL_NOISE / max(mean * (1 - mean), TYPICAL_NOISE))
    weight = share / (1 - share)
    return max(mean * weight, 1e-3), max((1 - mean) * weight, 1e-3)


def _rate(scores: Scores, a: float, b: float, rng: random.Random) -> float:
    passed = math.fsum(scores)
    return rng.betavariate(a + passed, b + len(scores) - passed)
