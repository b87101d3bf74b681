"""Findings that are known already: only new ones count."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import msgspec

from rightcall.errors import InputError
from rightcall.files import write_file
from rightcall.lint.diagnostic import Diagnostic
from rightcall.lint.report import Report
from rightcall.model.codec import decode
from rightcall.model.record import Record

FORMAT = "rightcall/lint-baseline/1"


class Baseline(Record, frozen=True):
    """How often each finding occurred. A key names file, tool and code and ends in the fingerprint."""

    findings: dict[str, int]
    format: str = FORMAT


def baseline_of(report: Report) -> Baseline:
    """The baseline that makes every finding of a report known."""
    return Baseline(dict(sorted(Counter(map(_key, report.diagnostics)).items())))


def without_known(report: Report, baseline: Baseline) -> Report:
    """The report with only the findings that are new."""
    left = Counter(baseline.findings)
    new = []
    for diagnostic in report.diagnostics:
        key = _key(diagnostic)
        if left[key] > 0:
            left[key] -= 1
        else:
            new.append(diagnostic)
    known = len(report.diagnostics) - len(new)
    return msgspec.structs.replace(report, diagnostics=tuple(new), known=known)


def read_baseline(path: Path) -> Baseline:
    """Read a baseline; raises `InputError`."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(
            str(path), f"cannot be read: {error.strerror}", "make it with --write-baseline"
        ) from None
    baseline = decode(data, Baseline, str(path))
    if baseline.format != FORMAT:
        raise InputError(str(path), f"format must be '{FORMAT}', got '{baseline.format}'")
    return baseline


def write_baseline(path: Path, baseline: Baseline) -> None:
    """Write a baseline, one line a finding."""
    table = {"format": baseline.format, "findings": baseline.findings}
    write_file(path, msgspec.json.format(msgspec.json.encode(table), indent=2) + b"\n")


def _key(diagnostic: Diagnostic) -> str:
    return f"{diagnostic.file}:{diagnostic.tool}:{diagnostic.code}:{diagnostic.fingerprint}"
