"""Adapters against the truth: scenarios with every framework's own package and a model server whose log is the truth.

Each framework runs in its own environment (`make .venv-adapters/NAME/.ready`; without one in this environment), first
unobserved, then observed. The record must equal the log in calls, arguments, order, steps, status, results, nesting,
stop reason, tokens, cached tokens and the answer, and both runs must send the same requests: number, bodies, headers.
What differs must be a limitation stated in the catalog; anything else ends the benchmark with exit code 1.

    python -m benchmarks adapters                    # all; prints a row for each framework
    python -m benchmarks adapters autogen crewai     # some
    python -m benchmarks adapters --outages          # a model server that fails: is it `infra_error`?
    python -m benchmarks adapters --again            # three evaluations, three cells, twenty tests in one process
    python -m benchmarks adapters --write            # all, and write the table into docs/evidence.md

To add a framework, add `frameworks/NAME.py` with a subclass of `Framework`, named like its adapter; another way to
use the same framework is `frameworks/NAME__variant.py`.
"""

from __future__ import annotations


def main() -> None:
    from benchmarks.adapters.all_frameworks import main as run

    run()
