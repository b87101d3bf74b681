"""`rightcall dataset convert --from tau2`: results of τ-bench and τ²-bench."""

from __future__ import annotations

from pathlib import Path

from rightcall.cli.output import console


def convert_tau(file: Path, output: Path, trajectories: Path | None) -> None:
    """Write goldens and, if requested, trajectories; print pass^k from the benchmark's own rewards."""
    from rightcall.datasets import save_goldens, save_trajectories
    from rightcall.datasets.importers import import_tau
    from rightcall.stats import suite_pass_hat_k

    found = import_tau(file)
    save_goldens(found.goldens, output)
    out = console()
    out.print(f"{len(found.goldens):,} goldens written to {output}")
    if trajectories is not None:
        save_trajectories(found.trajectories, trajectories)
        out.print(f"{len(found.trajectories):,} trajectories written to {trajectories}")
    if found.dropped:
        out.print(f"{len(found.dropped):,} trials with infrastructure errors are excluded from pass^k")
    if found.unscored:
        out.print(f"tasks without a scored trial: {', '.join(found.unscored)}")
    counts = found.counts()
    out.print("using the benchmark's own rewards:")
    for k in range(1, max((trials for trials, _ in counts), default=0) + 1):
        passed = suite_pass_hat_k(counts, k)
        if passed.value is not None:
            out.print(f"  pass^{k}  {passed.value:.3f}  over {passed.cases:,} tasks")
    if trajectories is not None:
        out.print(f"next:\n  rightcall score {output} {trajectories}", soft_wrap=True)
