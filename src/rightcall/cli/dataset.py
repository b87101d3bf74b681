"""`rightcall dataset`: check, convert, split and version datasets."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

import click

from rightcall.api.score_options import ScoreOptions
from rightcall.cli import dataset_versions as versions
from rightcall.cli.command_options import takes_option
from rightcall.cli.options import (
    FILE,
    OUTPUT_BY_SUFFIX,
    PluginChoice,
    file_argument,
    json_option,
    output_option,
    skip_bad_option,
    store_option,
)
from rightcall.cli.output import console, print_json, print_next
from rightcall.core.errors import InputError
from rightcall.core.seam import load
from rightcall.core.text import pluralize
from rightcall.model.golden import AnyGolden

IMPORTERS = ("goldens", "bfcl", "tau2")
"""What `--from` names; installed packages add functions from a file to goldens."""


@click.group()
def dataset() -> None:
    """Check, convert, split and version datasets of goldens."""


@dataset.command()
@file_argument
@takes_option(ScoreOptions, "tools")
@click.option(
    "--quality", is_flag=True, help="Report coverage, balance, near-duplicates and goldens that are too easy"
)
@click.option("--run", "past", metavar="RUN", help="With --quality: report difficulty in this run")
@store_option
@skip_bad_option
@json_option
def check(
    file: Path,
    tools: Path | None,
    quality: bool,
    past: str | None,
    store_url: str | None,
    skip_bad: bool,
    as_json: bool,
) -> None:
    """Find mistakes in goldens: unknown tools, invalid arguments, contradictions, expectations that cannot be met.

    Exit code 2 if there are errors; warnings do not count.
    """
    from rightcall.cli.dataset_quality import SkippedRows, audit_line, quality_of_file, show_quality
    from rightcall.datasets.goldens import numbered_goldens
    from rightcall.improve.dataset_doubts import DatasetDoubts
    from rightcall.run.golden_check import check_goldens
    from rightcall.show.terminal import clean
    from rightcall.tools.definitions.load import load_tools

    toolset = {tool.name: tool for tool in load_tools(tools)} if tools else {}
    skipped = SkippedRows() if skip_bad else None
    if quality:
        measured_quality, easy_goldens = quality_of_file(file, toolset, skipped, past, store_url)
        if as_json:
            bad = skipped.problems if skipped else []
            print_json({"quality": measured_quality, "findings": easy_goldens, "skipped": bad})
        else:
            show_quality(measured_quality, easy_goldens, audit_line(file, store_url))
            if skipped:
                skipped.show()
        return
    count = 0

    def goldens_with_places() -> Iterator[tuple[str, AnyGolden]]:
        nonlocal count
        for line, golden in numbered_goldens(file, skipped=skipped):
            count += 1
            yield f"{file}:{line}", golden

    doubts = DatasetDoubts(toolset)
    findings = list(check_goldens(doubts.watch(goldens_with_places()), toolset))
    findings += doubts.findings()
    errors = [finding for finding in findings if finding.severity == "error"]
    if as_json:
        also = {"skipped": skipped.problems} if skipped else {}
        print_json({"goldens": count, "errors": len(errors), "findings": findings, **also})
    else:
        out = console()
        for finding in findings:
            color = "red" if finding.severity == "error" else "yellow"
            out.say(f"[{color}]{{}}[/{color}] [bold]{{}}[/bold] ", finding.severity, finding.code, end="")
            hint = f"; {finding.hint}" if finding.hint else ""
            out.print(clean(f"{finding.where}: {finding.message}{hint}"), soft_wrap=True)
        out.print(
            f"{pluralize(count, 'golden')}, {pluralize(len(errors), 'error')}, "
            f"{pluralize(len(findings) - len(errors), 'warning')}"
        )
        if skipped:
            skipped.show()
        if not tools:
            print_next("add --tools TOOLS.json to check arguments against schemas")
    if errors:
        raise click.exceptions.Exit(2)


@dataset.command()
@file_argument
@click.argument("answers", type=FILE, required=False)
@click.option("--from", "source", type=PluginChoice("importers", IMPORTERS), default="goldens", show_default=True,
              help="Kind of FILE; `bfcl` also takes ANSWERS, `tau2` is τ-bench or τ²-bench")  # fmt: skip
@output_option(OUTPUT_BY_SUFFIX, required=True)
@click.option("--to", "dialect", type=click.Choice(["native", "deepeval"]), default="native", show_default=True,
              help="Field names to write")  # fmt: skip
@click.option("--trajectories", type=FILE, help="With `--from tau2`: output file for the trajectories")
@skip_bad_option
def convert(
    file: Path,
    answers: Path | None,
    source: str,
    output: Path,
    dialect: Literal["native", "deepeval"],
    trajectories: Path | None,
    skip_bad: bool,
) -> None:
    """Convert goldens to another format: .jsonl, .json, .yaml or .csv.

    With `--from bfcl`, FILE contains questions of the Berkeley Function Calling Leaderboard and ANSWERS their answers.
    With `--from tau2`, FILE is a results file of τ-bench or τ²-bench. DeepEval files need no --from.
    """
    if source == "tau2":
        convert_tau(file, output, trajectories)
        return
    if trajectories:
        raise InputError(str(trajectories), "--trajectories requires --from tau2")
    from rightcall.datasets.goldens import load_goldens, save_goldens
    from rightcall.datasets.importers.bfcl import import_bfcl

    if answers and source != "bfcl":
        raise InputError(str(answers), "ANSWERS requires --from bfcl")
    from rightcall.cli.dataset_quality import SkippedRows

    if skip_bad and output.resolve() == file.resolve():
        problem = "with --skip-bad, overwriting the input would delete its bad rows"
        raise InputError(str(output), problem, "write to another file")
    skipped = SkippedRows() if skip_bad else None
    if source == "bfcl":
        goldens: Iterable[AnyGolden] = import_bfcl(file, answers)
    elif source == "goldens":
        goldens = load_goldens(file, skipped=skipped)
    else:
        goldens = load("importers", source)(file)
    count = 0

    def count_goldens() -> Iterator[AnyGolden]:
        nonlocal count
        for golden in goldens:
            count += 1
            yield golden

    save_goldens(count_goldens(), output, dialect=dialect)
    console().print(f"{pluralize(count, 'golden')} written to {output}", soft_wrap=True)
    if skipped:
        skipped.show()
    print_next(f"rightcall dataset check {shlex.quote(str(output))}")


@dataset.command()
@file_argument
@json_option
def stats(file: Path, as_json: bool) -> None:
    """Count goldens by category, tool, number of calls and tag."""
    from rightcall.datasets.goldens import load_goldens
    from rightcall.improve.dataset_statistics import dataset_statistics
    from rightcall.show.terminal import clean

    statistics = dataset_statistics(load_goldens(file))
    if as_json:
        print_json(statistics)
        return
    out = console()
    text = "[bold]{:,}[/bold] {} ({}), {:.0f} characters of input on average"
    noun = "golden" if statistics.goldens == 1 else "goldens"
    out.say(text, statistics.goldens, noun, statistics.kind, statistics.mean_input_characters)
    for title, counts in (
        ("categories", statistics.categories),
        ("expected calls per golden", statistics.calls_per_golden),
        ("expected tools", statistics.tools),
        ("forbidden tools", statistics.forbidden),
        ("tags", statistics.tags),
    ):
        if counts:
            shown = ", ".join(f"{key} {value:,}" for key, value in list(counts.items())[:12])
            more = f", … {len(counts) - 12:,} more" if len(counts) > 12 else ""
            out.say("[dim]{}:[/dim] ", title, end="")
            out.print(clean(shown + more))
    if statistics.without_expectation:
        noun = "golden has" if statistics.without_expectation == 1 else "goldens have"
        out.say("[yellow]{:,} {} no expectation[/yellow]", statistics.without_expectation, noun)


for command in versions.COMMANDS:
    dataset.add_command(command)


def convert_tau(file: Path, output: Path, trajectories: Path | None) -> None:
    """Write goldens and, if requested, trajectories; print pass^k from the benchmark's own rewards."""
    from rightcall.datasets.goldens import save_goldens
    from rightcall.datasets.importers.tau import import_tau
    from rightcall.datasets.trajectories import save_trajectories
    from rightcall.stats.pass_k import suite_pass_hat_k

    imported = import_tau(file)
    save_goldens(imported.goldens, output)
    out = console()
    out.print(f"{pluralize(len(imported.goldens), 'golden')} written to {output}")
    if trajectories is not None:
        save_trajectories(imported.trajectories, trajectories)
        out.print(f"{len(imported.trajectories):,} trajectories written to {trajectories}")
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
    if trajectories is not None:
        out.print(f"next:\n  rightcall score {output} {trajectories}", soft_wrap=True)
