"""How often a gate is wrong for a run whose true rate is exactly the threshold.

Trials of one golden are alike (beta-binomial with intra-class correlation ICC), as they are with real agents. At
the threshold a PASS or a FAIL is equally unfounded; each should occur in at most 5 % of runs. Beside the gate stand
the naive rules: counting every trial as a case, and comparing the bare rate with the threshold.

    python -m benchmarks.gate_error_rates [--runs 10000] [--seed 1]
"""

from __future__ import annotations

import argparse
import math
import random
from collections.abc import Callable

from rightcall import stats

SUITES = [
    # goldens, trials, threshold, ICC
    (60, 1, 0.9, 0.0),
    (30, 3, 0.8, 0.2),
    (20, 5, 0.8, 0.3),
    (20, 5, 0.9, 0.5),
    (30, 5, 0.9, 0.5),
    (30, 10, 0.9, 0.3),
    (50, 3, 0.9, 0.5),
    (60, 5, 0.95, 0.5),
    (100, 3, 0.9, 0.5),
    (100, 5, 0.95, 0.7),
    (200, 3, 0.9, 0.5),
]
GRADED: list[tuple[str, Callable[[random.Random], float]]] = [
    ("scores like F1", lambda rng: rng.choices([1, 0.8, 0.667, 0.5, 0], [70, 10, 8, 5, 7])[0]),
    ("nearly all 1", lambda rng: rng.choices([1, 0.8, 0.667, 0], [90, 5, 3, 2])[0]),
    ("Beta(9, 1)", lambda rng: rng.betavariate(9, 1)),
]


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(
        "| goldens × trials | threshold | ICC | false PASS | false FAIL | false PASS, trials as cases "
        "| false FAIL, trials as cases | plain n*, false PASS | bare rate says PASS |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for goldens, trials, theta, icc in SUITES:
        shares = yes_no(goldens, trials, theta, icc, options.runs, options.seed)
        print(f"| {goldens} × {trials} | {theta} | {icc} | " + " | ".join(f"{s:.1%}" for s in shares) + " |")
    print("\n| graded scores | goldens | false PASS | false FAIL | false PASS, one-sided t |")
    print("|---|---|---|---|---|")
    for name, draw in GRADED:
        for goldens in (30, 60, 120):
            shares = graded(draw, goldens, options.runs // 4, options.seed)
            print(f"| {name} | {goldens} | " + " | ".join(f"{s:.1%}" for s in shares) + " |")


def yes_no(goldens: int, trials: int, theta: float, icc: float, runs: int, seed: int) -> list[float]:
    """Shares of runs: false PASS and FAIL of the gate, of pooled trials, of the unguarded n*, of the bare rate."""
    rng = random.Random(seed)
    counts = [0] * 6
    known: dict[tuple[int, int], tuple[bool, ...]] = {}
    for _ in range(runs):
        passes = [one_golden(rng, trials, theta, icc) for _ in range(goldens)]
        key = sum(passes), sum([c * c for c in passes])  # all that mean and error depend on
        if key not in known:
            known[key] = judged([[1.0] * c + [0.0] * (trials - c) for c in passes], theta)
        counts = [n + hit for n, hit in zip(counts, known[key], strict=True)]
    return [n / runs for n in counts]


def one_golden(rng: random.Random, trials: int, theta: float, icc: float) -> int:
    """Passes of one golden whose own rate is drawn around the threshold."""
    rate = rng.betavariate(theta * (1 - icc) / icc, (1 - theta) * (1 - icc) / icc) if icc else theta
    return sum([rng.random() < rate for _ in range(trials)])


def judged(cases: list[list[float]], theta: float) -> tuple[bool, ...]:
    """What each rule says of one run."""
    found = stats.sample(cases)
    p_pass, p_fail = stats.p_values(found, theta)
    pooled_pass, pooled_fail = stats.clopper_pearson_p_values(found.mean * found.trials, found.trials, theta)
    n = stats.effective_n(found)
    plain_pass, _ = stats.clopper_pearson_p_values(found.mean * n, n, theta)
    rate = found.mean >= theta - 1e-12
    return p_pass <= 0.05, p_fail < 0.05, pooled_pass <= 0.05, pooled_fail < 0.05, plain_pass <= 0.05, rate


def graded(draw: Callable[[random.Random], float], goldens: int, runs: int, seed: int) -> list[float]:
    """False PASS and FAIL of the gate at the true mean, and the false PASS of a one-sided t bound."""
    rng = random.Random(seed)
    theta = math.fsum(draw(rng) for _ in range(200_000)) / 200_000
    counts = [0, 0, 0]
    for _ in range(runs):
        found = stats.sample([[draw(rng)] for _ in range(goldens)])
        p_pass, p_fail = stats.p_values(found, theta)
        by_t = not found.se or stats.t_sf((found.mean - theta) / found.se, goldens - 1) <= 0.05
        hits = p_pass <= 0.05, p_fail < 0.05, by_t and found.mean > theta
        counts = [n + hit for n, hit in zip(counts, hits, strict=True)]
    return [n / runs for n in counts]


if __name__ == "__main__":
    main()
