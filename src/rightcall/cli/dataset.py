"""`rightcall dataset`: check, convert, split and version datasets."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import click

from rightcall.api.recorded_scores import ScoreOptions
from rightcall.cli import dataset_versions as versions
from rightcall.cli.command_options import (
    OUTPUT,
    OUTPUT_BY_SUFFIX,
    CommandGroup,
    PluginChoice,
    SkipBadOption,
    file_argument,
    takes_option,
)
from rightcall.cli.output import console, print_json, print_next
from rightcall.core.errors import InputError
from rightcall.core.options import JsonOption, Option, StoreOption
from rightcall.core.seam import load
from rightcall.core.text import pluralize
from rightcall.records.golden import AnyGolden

if TYPE_CHECKING:
    from rightcall.run.golden_check import DatasetFinding
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rightcall.cli.output import tell
from rightcall.core.text import first_names
from rightcall.store.address import open_store

if TYPE_CHECKING:
    from rightcall.improve.dataset_quality import DatasetStatistics, Quality
    from rightcall.records.run import CaseResult
    from rightcall.records.tool import Tool
    from rightcall.run.golden_check import DatasetFinding


IMPORTERS = ("goldens", "bfcl", "skill-queries")
"""What `--from` names; installed packages add functions from a file to goldens."""


@click.group(cls=CommandGroup)
def dataset() -> None:
    """Check, convert, split and version datasets of goldens."""


@dataset.command()
@file_argument
@takes_option(ScoreOptions, "tools")
def check(
    file: Path,
    tools: Path | None,
    quality: Annotated[
        bool, Option("Report coverage, balance, near-duplicates and goldens that are too easy")
    ] = False,
    past: Annotated[
        str | None, Option("With --quality: report difficulty in this run", flags=("--run",), metavar="RUN")
    ] = None,
    store_url: StoreOption = None,
    skip_bad: SkipBadOption = False,
    as_json: JsonOption = False,
) -> None:
    """Find mistakes in goldens: unknown tools, invalid arguments, contradictions, expectations that cannot be met.

    Shows what the dataset holds too: categories, numbers of calls, tools and tags.

    Exit code 2 if there are errors, rows that cannot be read, or no goldens; warnings do not count.
    """
    from rightcall.improve.dataset_quality import DatasetCounts
    from rightcall.improve.golden_doubts import DatasetDoubts
    from rightcall.run.golden_check import check_goldens
    from rightcall.run.request_templates import MOST_SEARCHED, template_groups, template_notice
    from rightcall.tools.definitions.source import load_tools

    toolset = {tool.name: tool for tool in load_tools(tools)} if tools else {}
    skipped = SkippedRows() if skip_bad else None
    if quality:
        measured_quality, easy_goldens = quality_of_file(file, toolset, skipped, past, store=store_url)
        if as_json:
            bad = skipped.problems if skipped else []
            print_json({"quality": measured_quality, "findings": easy_goldens, "skipped": bad})
        else:
            show_quality(measured_quality, easy_goldens)
            if skipped:
                skipped.show()
        return
    counts = DatasetCounts()
    doubts = DatasetDoubts(toolset)
    goldens = counts.watch(doubts.watch(placed_goldens(file, skipped)))
    findings = [*check_goldens(goldens, toolset), *doubts.findings()]
    errors = sum(finding.severity == "error" for finding in findings)
    statistics = counts.statistics()
    if as_json:
        also = {"skipped": skipped.problems} if skipped else {}
        print_json(
            {
                "goldens": statistics.goldens,
                "errors": errors,
                "findings": findings,
                "statistics": statistics,
                **also,
            }
        )
    else:
        _print_findings(findings)
        print_statistics(statistics)
        again = SkippedRows() if skip_bad else None
        readable = (golden for _, golden in placed_goldens(file, again))
        if notice := template_notice(template_groups(islice(readable, MOST_SEARCHED))):
            console().print(notice, style="yellow")
        rows = (statistics.goldens, "golden"), (errors, "error"), (len(findings) - errors, "warning")
        console().print(", ".join(pluralize(*row) for row in rows))
        if skipped:
            skipped.show()
        if not tools:
            tell("with --tools, arguments are checked against the schemas of the tools")
    if errors or (skipped and skipped.problems):
        raise click.exceptions.Exit(2)
    if not statistics.goldens:
        raise InputError(str(file), "has no goldens; nothing was checked", "is it the right file?")


def _print_findings(findings: Sequence[DatasetFinding]) -> None:
    from rightcall.show.terminal import clean

    out = console()
    for finding in findings:
        color = "red" if finding.severity == "error" else "yellow"
        out.say(f"[{color}]{{}}[/{color}] [bold]{{}}[/bold] ", finding.severity, finding.code, end="")
        hint = f"; {finding.hint}" if finding.hint else ""
        out.print(clean(f"{finding.where}: {finding.message}{hint}"), soft_wrap=True)


@dataset.command()
@click.argument("files", type=click.Path(path_type=Path), nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--from",
    "source",
    type=PluginChoice("importers", IMPORTERS),
    default="goldens",
    show_default=True,
    help="Kind of FILE; `bfcl` takes a second file with answers",
)
def convert(
    files: tuple[Path, ...],
    source: str,
    output: Annotated[Path, Option(OUTPUT_BY_SUFFIX, flags=OUTPUT, writes="document")],
    dialect: Annotated[
        Literal["native", "deepeval"], Option("Field names to write", flags=("--to",))
    ] = "native",
    skip_bad: SkipBadOption = False,
) -> None:
    """Convert goldens to another format: .jsonl, .json, .yaml or .csv.

    With `--from bfcl`, the files are questions of the Berkeley Function Calling Leaderboard and their answers. With
    `--from skill-queries`, FILE has queries that should load a skill or not, or is the `evals.json` of one. DeepEval
    files need no --from.
    """
    from rightcall.datasets.goldens import load_goldens, save_goldens
    from rightcall.datasets.importers.bfcl import import_bfcl
    from rightcall.datasets.importers.skill_queries import import_skill_queries

    file, *further = files
    if further and (source != "bfcl" or len(further) > 1):
        problem = "one file of answers at most"
        if source != "bfcl":
            problem = "a second file is only read with --from bfcl"
        raise InputError(str(further[-1]), problem, "convert one file at a time")
    skipped = SkippedRows() if skip_bad else None
    if source == "bfcl":
        goldens: Iterable[AnyGolden] = import_bfcl(file, *further)
    elif source == "skill-queries":
        goldens = import_skill_queries(file)
    elif source == "goldens":
        goldens = load_goldens(file, skipped=skipped)
    else:
        goldens = load("importers", source)(file)
    counted = CountedGoldens(goldens)
    save_goldens(counted, output, dialect=dialect)
    console().print(f"{pluralize(counted.count, 'golden')} written to {output}", soft_wrap=True)
    if skipped:
        skipped.show()
    print_next(f"rightcall dataset check {shlex.quote(str(output))}")


for command in versions.COMMANDS:
    dataset.add_command(command)


SHOWN = 20


class CountedGoldens:
    """Goldens, counted as they are read."""

    def __init__(self, goldens: Iterable[AnyGolden]) -> None:
        self._goldens = goldens
        self.count = 0

    def __iter__(self) -> Iterator[AnyGolden]:
        for golden in self._goldens:
            self.count += 1
            yield golden


class SkippedRows:
    """Collects the rows that were skipped and the problem with each."""

    def __init__(self) -> None:
        self.problems: list[str] = []

    def __call__(self, error: InputError) -> None:
        self.problems.append(str(error))

    def show(self) -> None:
        """Print the skipped rows to stderr."""
        for problem in self.problems:
            tell(f"skipped: {problem}", err=True)
        if self.problems:
            tell(f"{len(self.problems):,} bad rows skipped", err=True)


def placed_goldens(file: Path, skipped: SkippedRows | None) -> Iterator[tuple[str, AnyGolden]]:
    """The goldens of a file, each with its line."""
    from rightcall.datasets.goldens import numbered_goldens

    return ((f"{file}:{line}", golden) for line, golden in numbered_goldens(file, skipped=skipped))


def quality_of_file(
    file: Path, tools: dict[str, Tool], skipped: SkippedRows | None, run: str | None, store: str | Path | None
) -> tuple[Quality, list[DatasetFinding]]:
    """The quality of a file of goldens, with the results of an earlier run if given."""
    from rightcall.improve.dataset_quality import QualityCheck

    check = QualityCheck(tools)
    findings = list(check.findings(placed_goldens(file, skipped)))
    past: Iterable[CaseResult] = ()
    if run is not None:
        with open_store(store, must_exist=True) as opened:
            past = list(opened.runs.results(opened.runs.get(run).id))
    return check.quality(past), findings


def show_quality(quality: Quality, findings: Sequence[DatasetFinding]) -> None:
    """Print the findings, then the totals."""
    out = console()
    for finding in findings[:SHOWN]:
        named = f"{finding.code} {finding.where} '{finding.golden_id}'"
        out.print(f"{named}: {finding.message}; {finding.hint}", soft_wrap=True)
    if len(findings) > SHOWN:
        out.print(f"… and {len(findings) - SHOWN:,} more (use --json to list all)")
    cover = quality.coverage
    counts = ", ".join(f"{name} {count:,}" for name, count in quality.categories.items())
    lines = [f"{pluralize(quality.goldens, 'golden')}: {counts}"]
    if cover.tools:
        for word, total, missing in (
            ("tools", cover.tools, cover.missing_tools),
            ("parameters", cover.parameters, cover.missing_parameters),
            ("enum values", cover.values, cover.missing_values),
        ):
            named = f"; never expected: {first_names(missing, 8)}" if missing else ""
            lines.append(f"{total - len(missing):,} of {total:,} {word} are expected{named}")
        lines.append(f"the keyword baseline passes {quality.easy:,}")
    lines.append(f"{quality.duplicates:,} near-duplicates, {quality.leaks:,} name the expected tool")
    if quality.difficulty:
        passed = ", ".join(f"{n:,} {word} passed" for word, n in quality.difficulty.items())
        lines.append(f"in that run: {passed}")
    lines += [f"advice: {line}" for line in quality.advice]
    for line in lines:
        out.print(line, soft_wrap=True)


def print_statistics(statistics: DatasetStatistics) -> None:
    """Print what a dataset holds."""
    from rightcall.show.terminal import clean

    out = console()
    length = f"{statistics.mean_input_characters:.0f} characters of input on average"
    out.say("[dim]{}, {}[/dim]", statistics.kind, length)
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
