"""Overhead of `check`: diff, plan and verdict of a large suite.

    python -m benchmarks check_overhead [--goldens 1000] [--trials 3]

Promised on one core: below 1 s.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.whole_checks import Simulated, marks, write_suite
from rightcall.check.design import design_check
from rightcall.check.first_requests import FirstRequests
from rightcall.check.options import CheckOptions
from rightcall.decide.check_rule import CheckRule
from rightcall.run.baseline_pool import find_baseline
from rightcall.run.runner import run_plan
from rightcall.run.suite import load_suite
from rightcall.run.suite_plan import plan_suite
from rightcall.store.address import open_store


def main() -> None:
    """Print the seconds of each part; CPU time, so that a busy machine does not matter."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--goldens", type=int, default=1000)
    parser.add_argument("--trials", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, open_store(Path(name) / "rightcall.db") as store:
        sys.path.insert(0, name)
        folder = Path(name)
        file = write_suite(Path(name), options.goldens)
        Simulated.rates = {f"g{i}": 0.02 if i % 12 == 0 else 0.98 for i in range(options.goldens)}
        outcome = asyncio.run(run_plan(plan_suite(load_suite(file), folder, trials=1), store))
        pool = marks(
            find_baseline(store, outcome.run.id, "simulated"),
            Simulated.rates,
            options.trials,
            Simulated.rng,
        )
        write_suite(folder, options.goldens, told=" Changed.")
        suite = load_suite(file)
        began = time.process_time()
        plan = plan_suite(suite, folder)
        design = design_check(suite, folder, plan, pool, CheckOptions(), FirstRequests())
        designed = time.process_time()
        rule = CheckRule(design.strata)
        for step in rule.steps():
            rule.feed(step, {g: float(Simulated.rng.random() < Simulated.rates[g]) for g in step.unit})
        word = rule.end().word
        decided = time.process_time()
    print(f"diff and plan {designed - began:.2f} s, verdict {word} {decided - designed:.2f} s")
    sys.exit(1 if decided - began > 1 else 0)


if __name__ == "__main__":
    main()
