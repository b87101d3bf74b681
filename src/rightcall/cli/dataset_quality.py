"""The output of `rightcall dataset check --quality` and `--skip-bad`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from rightcall.cli.output import console, tell
from rightcall.core.digest import file_digest
from rightcall.core.errors import InputError
from rightcall.core.text import first_names, pluralize
from rightcall.store.address import open_store, store_address

if TYPE_CHECKING:
    from rightcall.improve.dataset_quality import Quality
    from rightcall.model.golden import AnyGolden
    from rightcall.model.run import CaseResult
    from rightcall.model.tool import Tool
    from rightcall.run.golden_check import DatasetFinding

SHOWN = 20
T = TypeVar("T")


class CountedGoldens(Generic[T]):
    """Goldens, or goldens with their places, counted as they are read."""

    def __init__(self, goldens: Iterable[T]) -> None:
        self._goldens, self.count = goldens, 0

    def __iter__(self) -> Iterator[T]:
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


def audit_line(file: Path, store: str | Path | None) -> str:
    """What the last audit of this very dataset found, if the store has one; `rightcall audit` makes it."""
    stored = store_address(store).file
    if stored is not None and not stored.exists():
        return ""
    with open_store(store, must_exist=True) as opened:
        entry = opened.audits.get(file_digest(file))
    return entry.sentence if entry is not None else ""


def show_quality(quality: Quality, findings: Sequence[DatasetFinding], audit: str = "") -> None:
    """Print the findings, then the totals; `audit` is a line about the last audit."""
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
    lines += [audit] if audit else []
    lines += [f"advice: {line}" for line in quality.advice]
    for line in lines:
        out.print(line, soft_wrap=True)
