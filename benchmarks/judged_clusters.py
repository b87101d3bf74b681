"""Simulated runs whose cases are not alone: trials of a golden, and pairs of two agents' answers."""

from __future__ import annotations

import statistics
from itertools import product

import numpy as np

from rightcall.stats.judged_difference import JudgedDifference, difference_bounds, judged_difference
from rightcall.stats.judged_rate import judged_rate, trial_bounds

BOUND_DRAWS = 400
"""A fifth of the draws behind a bound, which makes it no less likely to be wrong."""

TRIALS = [
    # goldens, trials, labels, true rate, correlation of a golden's trials
    (40, 3, 36, 0.7, 0.5),
    (80, 5, 48, 0.9, 0.8),
    (80, 5, 48, 0.5, 0.2),
    (30, 5, 24, 0.9, 0.95),
    (100, 2, 72, 0.8, 0.6),
]
PAIRS = list(product((300,), (24, 48, 72), ((0.4, 0.4), (0.8, 0.8), (0.3, 0.45)), (0.5, 0.85)))


def trial_errors(draws: int, seed: int) -> list[dict]:
    """Coverage and one-sided errors about goldens like these, by design."""
    return [trial_row(*design, draws, seed) for design in TRIALS]


def trial_row(goldens: int, trials: int, labels: int, rate: float, icc: float, draws: int, seed: int) -> dict:
    rng = np.random.default_rng([seed, goldens, trials])
    strength = (1 - icc) / icc
    covers, false_pass, false_fail, widths = [], [], [], []
    names = {(g, t): g for g in range(goldens) for t in range(trials)}
    for _ in range(draws):
        hardness = rng.beta(rate * strength, (1 - rate) * strength, goldens)
        truth = rng.random((goldens, trials)) < hardness[:, None]
        verdicts = np.where(rng.random((goldens, trials)) < 0.85, truth, ~truth)
        chosen = rng.choice(goldens * trials, labels, replace=False)
        answers = {divmod(int(i), trials): bool(truth[divmod(int(i), trials)]) for i in chosen}
        found = judged_rate(answers, {case: bool(verdicts[case]) for case in names}, goldens=names)
        covers.append(found.low <= rate <= found.high)
        widths.append(found.high - found.low)
        assert found._trials is not None
        lower, upper = trial_bounds(found._trials, found.strata, 0.05, BOUND_DRAWS)
        false_pass.append(lower >= rate)
        false_fail.append(upper < rate)
    return {
        "design": f"{goldens} goldens × {trials}, {labels} labels, rate {rate}, icc {icc}:",
        "covers": statistics.fmean(covers), "width": statistics.fmean(widths),
        "false_pass": statistics.fmean(false_pass), "false_fail": statistics.fmean(false_fail),
    }  # fmt: skip


def pair_errors(draws: int, seed: int) -> list[dict]:
    return [pair_row(*design, draws, seed) for design in PAIRS]


def pair_row(
    cases: int, labels: int, rates: tuple[float, float], right: float, draws: int, seed: int
) -> dict:
    """Error against the labels alone, coverage, and false claims of a difference beyond the true one."""
    rng = np.random.default_rng([seed, labels, round(right * 100)])
    true = rates[1] - rates[0]
    errors, alone, covers, wrong_low, wrong_high, uses = [], [], [], [], [], []
    for _ in range(draws):
        common = rng.random(cases) < 0.5  # half of the goldens are as hard for one agent as for the other
        first = rng.random(cases)
        second = np.where(common, first, rng.random(cases))
        truth = np.stack([first < rates[0], second < rates[1]], axis=1)
        verdicts = np.where(rng.random(truth.shape) < right, truth, ~truth)
        chosen = [int(i) for i in rng.choice(cases, labels, replace=False)]
        found: JudgedDifference = judged_difference(
            {i: (bool(truth[i, 0]), bool(truth[i, 1])) for i in chosen},
            {i: (bool(a), bool(b)) for i, (a, b) in enumerate(verdicts)},
        )
        errors.append(found.difference - true)
        alone.append(float(np.mean(truth[chosen, 1].astype(int) - truth[chosen, 0])) - true)
        covers.append(found.low <= true <= found.high)
        lower, upper = difference_bounds(found.strata, found.about, 0.05, BOUND_DRAWS)
        wrong_low.append(lower > true)
        wrong_high.append(upper < true)
        uses.append(found.uses_judge)
    return {
        "design": f"{labels} of {cases} pairs, rates {rates}, judge right {right}:",
        "ratio": float(np.sqrt(np.mean(np.square(errors)) / np.mean(np.square(alone)))),
        "covers": statistics.fmean(covers), "false_better": statistics.fmean(wrong_low),
        "false_worse": statistics.fmean(wrong_high), "used": statistics.fmean(uses),
    }  # fmt: skip
