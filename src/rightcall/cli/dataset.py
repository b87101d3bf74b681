"""`rightcall dataset`: check, convert and count goldens."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import click

from rightcall.cli import dataset_versions as versions
from rightcall.cli.output import as_json_option, console, print_json, print_next
from rightcall.errors import InputError
from rightcall.model.golden import AnyGolden

file_argument = click.argument("file", type=click.Path(path_type=Path))


@click.group()
def dataset() -> None:
    """Check, convert and count goldens."""


@dataset.command()
@file_argument
@click.option("--tools", type=click.Path(path_type=Path), help="The tools that the goldens speak of.")
@click.option(
    "--quality", is_flag=True, help="How good a test it is: coverage, balance, repeats, too easy ones."
)
@click.option("--run", "past", metavar="RUN", help="With --quality: how hard the goldens were in this run.")
@click.option("--store", help="Where that run is kept; .rightcall/rightcall.db unless said.")
@click.option("--skip-bad", is_flag=True, help="Pass over rows that cannot be read, and list them.")
@as_json_option
def check(
    file: Path,
    tools: Path | None,
    quality: bool,
    past: str | None,
    store: str | None,
    skip_bad: bool,
    as_json: bool,
) -> None:
    """Find what would make a run worthless: unknown tools, impossible arguments, contradictions.

    Exit code 2 when there is an error; warnings alone are fine.
    """
    from rightcall.cli.dataset_quality import SkippedRows, quality_of_file, show_quality
    from rightcall.datasets import numbered_goldens
    from rightcall.quality import check_goldens
    from rightcall.report import clean
    from rightcall.tools import load_tools

    toolset = {tool.name: tool for tool in load_tools(tools)} if tools else {}
    skipped = SkippedRows() if skip_bad else None
    if quality:
        found, doubts = quality_of_file(file, toolset, skipped, past, store)
        if as_json:
            print_json({"quality": found, "findings": doubts, "skipped": skipped.problems if skipped else []})
        else:
            show_quality(found, doubts)
            if skipped:
                skipped.show()
        return
    count = 0

    def placed() -> Iterator[tuple[str, AnyGolden]]:
        nonlocal count
        for line, golden in numbered_goldens(file, skipped=skipped):
            count += 1
            yield f"{file}:{line}", golden

    findings = list(check_goldens(placed(), toolset))
    errors = [finding for finding in findings if finding.severity == "error"]
    if as_json:
        bad = {"skipped": skipped.problems} if skipped else {}
        print_json({"goldens": count, "errors": len(errors), "findings": findings, **bad})
    else:
        out = console()
        for finding in findings:
            color = "red" if finding.severity == "error" else "yellow"
            out.say(f"[{color}]{{}}[/{color}] [bold]{{}}[/bold] ", finding.severity, finding.code, end="")
            hint = f"; {finding.hint}" if finding.hint else ""
            out.print(clean(f"{finding.where}: {finding.message}{hint}"), soft_wrap=True)
        out.print(f"{count:,} goldens, {len(errors):,} errors, {len(findings) - len(errors):,} warnings")
        if skipped:
            skipped.show()
        if not tools:
            print_next("the same with --tools TOOLS.json, to check arguments against schemas")
    if errors:
        raise click.exceptions.Exit(2)


@dataset.command()
@file_argument
@click.argument("answers", type=click.Path(path_type=Path), required=False)
@click.option("--from", "source", type=click.Choice(["goldens", "bfcl", "tau2"]), default="goldens", show_default=True,
              help="What FILE is; bfcl takes ANSWERS too, tau2 is τ-bench or τ²-bench.")  # fmt: skip
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), required=True, help="Where to; the suffix says how."
)
@click.option("--to", "dialect", type=click.Choice(["native", "deepeval"]), default="native", show_default=True,
              help="Whose fields to write.")  # fmt: skip
@click.option("--trajectories", type=click.Path(path_type=Path), help="With tau2: where the trials go.")
@click.option("--skip-bad", is_flag=True, help="Pass over rows that cannot be read, and list them.")
def convert(
    file: Path,
    answers: Path | None,
    source: str,
    output: Path,
    dialect: Literal["native", "deepeval"],
    trajectories: Path | None,
    skip_bad: bool,
) -> None:
    """Write goldens in another format: .jsonl, .json, .yaml or .csv.

    With --from bfcl, FILE holds questions of the Berkeley Function Calling Leaderboard and ANSWERS their answers. With
    --from tau2, FILE is a results file of τ-bench or τ²-bench. Files of DeepEval need no --from.
    """
    if source == "tau2":
        from rightcall.cli.dataset_tau import convert_tau

        convert_tau(file, output, trajectories)
        return
    if trajectories:
        raise InputError(str(trajectories), "only --from tau2 has trajectories to write")
    from rightcall.datasets import load_goldens, save_goldens
    from rightcall.datasets.importers import import_bfcl

    if answers and source != "bfcl":
        raise InputError(str(answers), "only --from bfcl takes a second file")
    from rightcall.cli.dataset_quality import SkippedRows

    if skip_bad and output.resolve() == file.resolve():
        problem = "--skip-bad would delete the bad rows from the only copy"
        raise InputError(str(output), problem, "write to another file")
    skipped = SkippedRows() if skip_bad else None
    goldens = import_bfcl(file, answers) if source == "bfcl" else load_goldens(file, skipped=skipped)
    count = 0

    def counted() -> Iterator[AnyGolden]:
        nonlocal count
        for golden in goldens:
            count += 1
            yield golden

    save_goldens(counted(), output, dialect=dialect)
    console().print(f"{count:,} goldens written to {output}", soft_wrap=True)
    if skipped:
        skipped.show()
    print_next(f"rightcall dataset check {shlex.quote(str(output))}")


@dataset.command()
@file_argument
@as_json_option
def stats(file: Path, as_json: bool) -> None:
    """What a dataset holds: categories, tools, calls, tags."""
    from rightcall.datasets import load_goldens
    from rightcall.quality import dataset_statistics
    from rightcall.report import clean

    found = dataset_statistics(load_goldens(file))
    if as_json:
        print_json(found)
        return
    out = console()
    text = "[bold]{:,}[/bold] goldens ({}), {:.0f} characters of input on average"
    out.say(text, found.goldens, found.kind, found.mean_input_characters)
    for title, counts in (
        ("categories", found.categories),
        ("expected calls per golden", found.calls_per_golden),
        ("expected tools", found.tools),
        ("forbidden tools", found.forbidden),
        ("tags", found.tags),
    ):
        if counts:
            shown = ", ".join(f"{key} {value:,}" for key, value in list(counts.items())[:12])
            more = f", … {len(counts) - 12:,} more" if len(counts) > 12 else ""
            out.say("[dim]{}:[/dim] ", title, end="")
            out.print(clean(shown + more))
    if found.without_expectation:
        out.say("[yellow]{:,} goldens expect nothing[/yellow]", found.without_expectation)


for command in versions.COMMANDS:
    dataset.add_command(command)
