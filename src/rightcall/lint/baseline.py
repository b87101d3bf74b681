"""The baseline: known findings, so that only new ones are reported."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import msgspec

from rightcall.errors import InputError
from rightcall.files import write_file
from rightcall.lint.diagnostic import Diagnostic
from rightcall.lint.report import LintReport
from rightcall.model.codec import decode
from rightcall.model.record import Record

FORMAT = "rightcall/lint-baseline/1"


class LintBaseline(Record, frozen=True):
    """How often each finding occurred. A key names file, tool and code and ends in the fingerprint.

    Files below the folder of the baseline are relative to it; others are as typed.
    """

    findings: dict[str, int]
    format: str = FORMAT


def baseline_of(report: LintReport, folder: Path | None = None) -> LintBaseline:
    """The baseline that makes every finding of a report known; `folder` is where it will be kept."""
    files = _Files(folder)
    keys = Counter(_key(diagnostic, files.name(diagnostic.file)) for diagnostic in report.diagnostics)
    return LintBaseline(dict(sorted(keys.items())))


def without_known(report: LintReport, baseline: LintBaseline, folder: Path | None = None) -> LintReport:
    """The report with only the findings that are new; `folder` is where the baseline is kept.

    A finding is also known by the name of its file as it was typed, which older baselines hold.
    """
    files = _Files(folder)
    left = Counter(baseline.findings)
    new = []
    for diagnostic in report.diagnostics:
        names = files.name(diagnostic.file), diagnostic.file
        key = next((key for name in names if left[key := _key(diagnostic, name)] > 0), None)
        if key is not None:
            left[key] -= 1
        else:
            new.append(diagnostic)
    known = len(report.diagnostics) - len(new)
    return msgspec.structs.replace(report, diagnostics=tuple(new), known=known)


def read_baseline(path: Path) -> LintBaseline:
    """Read a baseline; raises `InputError`."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(
            str(path), f"cannot be read: {error.strerror}", "create it with --write-baseline"
        ) from None
    baseline = decode(data, LintBaseline, str(path))
    if baseline.format != FORMAT:
        raise InputError(str(path), f"format must be '{FORMAT}', got '{baseline.format}'")
    return baseline


def write_baseline(path: Path, baseline: LintBaseline) -> None:
    """Write a baseline, one line per finding."""
    table = {"format": baseline.format, "findings": baseline.findings}
    write_file(path, msgspec.json.format(msgspec.json.encode(table), indent=2) + b"\n")


class _Files:
    """Names of files from the folder of the baseline, each made once."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder.resolve() if folder is not None else None
        self._names: dict[str, str] = {}

    def name(self, file: str) -> str:
        if file not in self._names:
            self._names[file] = self._made(file)
        return self._names[file]

    def _made(self, file: str) -> str:
        if not file or self._folder is None:
            return file
        whole = Path(file).parent.resolve() / Path(file).name
        return whole.relative_to(self._folder).as_posix() if whole.is_relative_to(self._folder) else file


def _key(diagnostic: Diagnostic, file: str) -> str:
    return f"{file}:{diagnostic.tool}:{diagnostic.code}:{diagnostic.fingerprint}"
