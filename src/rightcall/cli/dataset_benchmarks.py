"""`rightcall dataset convert` of public benchmarks: goldens, trajectories, and the benchmark's own numbers."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path

from rightcall.cli.output import console, print_next
from rightcall.core.errors import InputError
from rightcall.core.text import percent, pluralize
from rightcall.model.golden import AnyGolden
from rightcall.model.trajectory import RecordedTrajectory
from rightcall.stats.pass_k import suite_pass_hat_k


def convert_tau(file: Path, output: Path, trajectories: Path | None) -> None:
    """Write goldens and, if requested, trajectories; print pass^k from the benchmark's own rewards."""
    from rightcall.datasets.importers.tau import import_tau

    imported = import_tau(file)
    _write(imported.goldens, output, imported.trajectories, trajectories)
    out = console()
    if imported.dropped:
        out.print(f"{len(imported.dropped):,} trials with infrastructure errors are excluded from pass^k")
    if imported.unscored:
        out.print(f"tasks without a scored trial: {', '.join(imported.unscored)}")
    counts = imported.counts()
    out.print("using the benchmark's own rewards:")
    for k in range(1, max((trials for trials, _ in counts), default=0) + 1):
        passed = suite_pass_hat_k(counts, k)
        if passed.value is not None:
            out.print(f"  pass^{k}  {passed.value:.3f}  over {passed.cases:,} tasks")
    _print_next_score(output, trajectories)


def convert_agentdojo(path: Path, output: Path, trajectories: Path | None, forbidden: Path | None) -> None:
    """Write attempts and, if requested, trajectories; print AgentDojo's numbers and those of delivered attacks."""
    from rightcall.datasets.importers.agentdojo import import_agentdojo

    imported = import_agentdojo(path, forbidden)
    _write(imported.goldens, output, imported.trajectories, trajectories)
    out = console()
    if imported.injection_tasks:
        runs = pluralize(imported.injection_tasks, "run")
        out.print(f"{runs} of an injection task as the user's request: excluded from rates, not written")
    clean = imported.clean_utility()
    if clean is not None:
        out.print(f"without an attack: utility {percent(clean, 2)}")
    for rate in imported.rates():
        out.say("[bold]{}[/bold]: {}", rate.attack, pluralize(rate.pairs, "pair"), end="")
        out.print(
            f"; as published: utility {percent(rate.utility, 2)}, attacks that succeeded {percent(rate.published, 2)}"
        )
        out.print(
            f"  {pluralize(rate.errors, 'run')} with an error excluded from rates; "
            f"{rate.succeeded:,} of {rate.delivered:,} delivered attacks succeeded"
            + (f" ({percent(rate.succeeded / rate.delivered, 2)})" if rate.delivered else "")
        )
    _print_next_score(output, trajectories)


def convert_injecagent(files: Iterable[Path], output: Path, tools: Path | None) -> None:
    """Write attempts; with result files, print InjecAgent's own rates."""
    from rightcall.datasets.importers.injecagent import import_injecagent, injecagent_rates

    results = [file for file in files if file.suffix == ".jsonl"]
    cases = [file for file in files if file.suffix != ".jsonl"]
    if not cases:
        hint = "pass the test cases too: test_cases_dh_base.json"
        raise InputError(str(results[0]), "is a file of results", hint)
    goldens = [golden for file in cases for golden in import_injecagent(file, tools)]
    rates = injecagent_rates(results, len(goldens)) if results else None
    _write(goldens, output, (), None)
    if rates is not None:
        valid = "no valid answer" if rates.asr_valid is None else f"ASR-valid {percent(rates.asr_valid, 1)}"
        every = f"ASR-all {percent(rates.asr_all, 1)} of {rates.cases:,} cases"
        console().print(f"as published: {valid}, {every}")
    print_next(f"rightcall dataset check {shlex.quote(str(output))}")


def _write(
    goldens: Iterable[AnyGolden],
    output: Path,
    recorded: Iterable[RecordedTrajectory],
    trajectories: Path | None,
) -> None:
    from rightcall.datasets.goldens import save_goldens
    from rightcall.datasets.trajectories import save_trajectories

    goldens, recorded = list(goldens), list(recorded)
    save_goldens(goldens, output)
    console().print(f"{pluralize(len(goldens), 'golden')} written to {output}", soft_wrap=True)
    if trajectories is not None:
        save_trajectories(recorded, trajectories)
        console().print(f"{len(recorded):,} trajectories written to {trajectories}", soft_wrap=True)


def _print_next_score(output: Path, trajectories: Path | None) -> None:
    if trajectories is not None:
        print_next(f"rightcall score {shlex.quote(str(output))} {shlex.quote(str(trajectories))}")
