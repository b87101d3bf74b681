"""Savings and error rates of early stopping.

100 goldens, one trial each, fed to the real monitor in a seeded random order while they finish in another. The gate
is min 0.9 for the full run, min 0.85 and target 0.95 for `evalue`, alpha 0.05. Exact values come from
following every path.

    python -m benchmarks.early_stop [--runs 2000] [--seed 1]
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Callable

from rightcall.decide.early_stop import StopMonitor, shuffle_order
from rightcall.stats.power import gate_power
from rightcall.stats.sequential import Decision, LogE, e_decision, follow_paths, log_e_values, sprt_log_e

GOLDENS = 100
RATES = (0.6, 0.75, 0.85, 0.9, 0.95, 0.99)
MIN = 0.9
LOW = 0.85
HIGH = 0.95


def main() -> None:
    """Print the table, then what sorted goldens would do."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print("| true rate | stop | PASS | FAIL | INCONCLUSIVE | goldens used | exact | saved |")
    print("|---|---|---|---|---|---|---|---|")
    for rate in RATES:
        passing, failing = gate_power(GOLDENS, MIN, rate)
        print(
            f"| {rate} | none | {passing:.3f} | {failing:.3f} | {1 - passing - failing:.3f} | 100 | 100 | 0% |"
        )
        words, used = simulate(
            (LOW, HIGH), lambda rng, _, p=rate: rng.random() < p, options.runs, options.seed
        )
        exact = follow_paths(by_evidence, GOLDENS, rate).cases
        shares = " | ".join(f"{words[word]:.3f}" for word in ("PASS", "FAIL", "INCONCLUSIVE"))
        print(f"| {rate} | evalue | {shares} | {used:.1f} | {exact:.1f} | {1 - used / GOLDENS:.0%} |")
    fooled(options.runs, options.seed)


def simulate(
    rates: tuple[float, float],
    passes: Callable[[random.Random, int], bool],
    runs: int,
    seed: int,
) -> tuple[dict[str, float], float]:
    """Share of each word, and the mean number of goldens used."""
    rng = random.Random(seed)
    words: Counter[str] = Counter()
    used = 0
    for run in range(runs):
        scores = {f"g{i}": (float(passes(rng, i)),) for i in range(GOLDENS)}
        watching = StopMonitor(shuffle_order(scores, seed * 1_000_003 + run), *rates)
        finishing = list(scores)
        rng.shuffle(finishing)  # results come back in any order; the monitor keeps to the one drawn
        for golden_id in finishing:
            if watching.feed(golden_id, scores[golden_id]):
                break
        assert watching.stopped is not None
        words[watching.stopped.word] += 1
        used += watching.stopped.used
    return {word: words[word] / runs for word in ("PASS", "FAIL", "INCONCLUSIVE")}, used / runs


def fooled(runs: int, seed: int) -> None:
    """50 goldens that always pass and 50 that pass 60%: the mean is 0.8, the very min that must not PASS."""

    def easy_then_hard(rng: random.Random, i: int) -> bool:
        return i < GOLDENS // 2 or rng.random() < 0.6

    words, _ = simulate((0.8, 0.95), easy_then_hard, runs, seed)
    easy = [1.0] * (GOLDENS // 2)
    in_file_order = e_decision(log_e_values(easy, 0.8, 0.95))
    print(f"\nfalse PASS with 50 easy and 50 hard goldens: shuffled {words['PASS']:.1%}; ", end="")
    print(
        f"in file order the easy ones alone already say {in_file_order}, so 100% (which is why it is refused)"
    )


def by_evidence(s: int, n: int) -> Decision | None:
    """The e-value stop as a rule of passes and cases."""
    ratio = sprt_log_e(s, n, LOW, HIGH)
    return e_decision(LogE(ratio, -ratio))


if __name__ == "__main__":
    main()
