"""A baseline of known findings: with it, only new ones are reported."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path

import msgspec

from rightcall.files.atomic import write_file
from rightcall.lint.recorded_file import read_recorded
from rightcall.lint.report import Diagnostic, LintReport
from rightcall.model.record import Record

BASELINE_FORMAT = "rightcall/lint-baseline/1"


class LintBaseline(Record, frozen=True):
    """How often each finding occurred. A key names file, tool and code and ends in the fingerprint.

    Files below the folder of the baseline are relative to it; others are as typed.
    """

    findings: dict[str, int]
    format: str = BASELINE_FORMAT


def baseline_of(report: LintReport, folder: Path | None = None) -> LintBaseline:
    """The baseline that makes every finding of a report known; `folder` is where it will be kept."""
    name_below = _names_below(folder)
    keys = Counter(_key(diagnostic, name_below(diagnostic.file)) for diagnostic in report.diagnostics)
    return LintBaseline(dict(sorted(keys.items())))


def without_known(report: LintReport, baseline: LintBaseline, folder: Path | None = None) -> LintReport:
    """The report with only the findings that are new; `folder` is where the baseline is kept.

    A finding is also known by the name of its file as it was typed, which older baselines hold.
    """
    name_below = _names_below(folder)
    left = Counter(baseline.findings)
    new = []
    for diagnostic in report.diagnostics:
        names = name_below(diagnostic.file), diagnostic.file
        key = next((key for name in names if left[key := _key(diagnostic, name)] > 0), None)
        if key is not None:
            left[key] -= 1
        else:
            new.append(diagnostic)
    known_count = len(report.diagnostics) - len(new)
    return msgspec.structs.replace(report, diagnostics=tuple(new), known=known_count)


def read_baseline(path: Path) -> LintBaseline:
    """Read a baseline; raises `InputError`."""
    return read_recorded(path, LintBaseline, (BASELINE_FORMAT,), "create it with --write-baseline")


def write_baseline(path: Path, baseline: LintBaseline) -> None:
    """Write a baseline, one line per finding."""
    table = {"format": baseline.format, "findings": baseline.findings}
    write_file(path, msgspec.json.format(msgspec.json.encode(table), indent=2) + b"\n")


def _names_below(folder: Path | None) -> Callable[[str], str]:
    """Names of files from the folder of the baseline, each made once."""
    base = folder.resolve() if folder is not None else None

    @cache
    def name_below(file: str) -> str:
        if not file or base is None:
            return file
        whole = Path(file).parent.resolve() / Path(file).name
        return whole.relative_to(base).as_posix() if whole.is_relative_to(base) else file

    return name_below


def _key(diagnostic: Diagnostic, file: str) -> str:
    return f"{file}:{diagnostic.tool}:{diagnostic.code}:{diagnostic.fingerprint}"
