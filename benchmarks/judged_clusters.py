"""Simulated runs whose cases are not alone: trials of a golden."""

from __future__ import annotations

import statistics

import numpy as np

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


def trial_errors(draws: int, seed: int) -> list[dict]:
    """Coverage and one-sided errors about goldens like these, by design."""
    return [trial_row(*design, draws, seed) for design in TRIALS]


def trial_row(goldens: int, trials: int, labels: int, rate: float, icc: float, draws: int, seed: int) -> dict:
    rng = np.random.default_rng([seed, goldens, trials])
    strength = (1 - icc) / icc
    covers = []
    false_pass = []
    false_fail = []
    widths = []
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
