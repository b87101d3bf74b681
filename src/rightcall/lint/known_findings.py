"""Findings that are not reported: disabled in a definition, or known from a baseline.

A definition may disable a rule for itself, with a reason. In any format, on the tool or on a schema inside it (there it
covers what is below):

    "x-rightcall": {"ignore": {"TD301": "documented in the system prompt"}}

MCP servers may write it under `_meta.rightcall`. An ignore without a reason has no effect, and `unexplained-ignore`
says so. Rules of the security family cannot be disabled by the definition they are about, only by `--ignore` and
[tool.rightcall.lint].
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from rightcall.files.atomic import write_file
from rightcall.files.documents import JsonPath
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.lockfile import read_recorded
from rightcall.lint.report import Diagnostic, LintReport
from rightcall.lint.rule import Rule
from rightcall.records.record import Record


@dataclass(frozen=True)
class Ignore:
    """A rule disabled below a path."""

    rule: str
    reason: str
    path: JsonPath

    def covers(self, rule: Rule, path: JsonPath) -> bool:
        """Whether it silences a finding of the rule at this place; never without a reason, and never for security.

        Someone who poisons a definition would add the ignore too. Only the user's own settings silence those.
        """
        if (
            not self.reason
            or rule.family == "security"
            or (self.rule.upper() != rule.code and self.rule.lower() != rule.name)
        ):
            return False
        return path[: len(self.path)] == self.path


def ignores_of(tool: ToolFeatures) -> list[Ignore]:
    """Those written in the definition itself."""
    ignores = list(_of(tool.source.extension, ()))
    for node in tool.nodes:
        ignores += _of(node.schema.get("x-rightcall"), node.path)
    return ignores


def _of(extension: Any, path: JsonPath) -> Iterator[Ignore]:
    table = extension.get("ignore") if isinstance(extension, dict) else None
    reasons = (
        table
        if isinstance(table, dict)
        else {str(rule): "" for rule in table}
        if isinstance(table, list)
        else {}
    )
    for rule, reason in reasons.items():
        yield Ignore(str(rule), reason.strip() if isinstance(reason, str) else "", path)


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
    """The report with only the findings that are new; `folder` is where the baseline is kept."""
    name_below = _names_below(folder)
    left = Counter(baseline.findings)
    new = []
    for diagnostic in report.diagnostics:
        key = _key(diagnostic, name_below(diagnostic.file))
        if left[key] > 0:
            left[key] -= 1
        else:
            new.append(diagnostic)
    known_count = len(report.diagnostics) - len(new)
    return msgspec.structs.replace(report, diagnostics=tuple(new), known=known_count)


def read_baseline(path: Path) -> LintBaseline:
    """Read a baseline; raises `InputError`."""
    return read_recorded(path, LintBaseline, BASELINE_FORMAT, "create it with --write-baseline")


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
