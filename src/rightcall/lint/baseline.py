"""Files that later runs are compared with: a baseline of known findings, and a lockfile of approved definitions.

With a baseline only new findings are reported; with a lockfile changed definitions are.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from rightcall.core.codec import decode
from rightcall.core.digest import hex_digest
from rightcall.core.errors import InputError
from rightcall.files.atomic import write_file
from rightcall.lint.report import Diagnostic, LintReport
from rightcall.lint.source.tools import SourceTool, ToolSet, shown_examples
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
    known_count = len(report.diagnostics) - len(new)
    return msgspec.structs.replace(report, diagnostics=tuple(new), known=known_count)


def read_baseline(path: Path) -> LintBaseline:
    """Read a baseline; raises `InputError`."""
    return _read_recorded(path, LintBaseline, BASELINE_FORMAT, "create it with --write-baseline")


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
            self._names[file] = self._relative_name(file)
        return self._names[file]

    def _relative_name(self, file: str) -> str:
        if not file or self._folder is None:
            return file
        whole = Path(file).parent.resolve() / Path(file).name
        return whole.relative_to(self._folder).as_posix() if whole.is_relative_to(self._folder) else file


def _key(diagnostic: Diagnostic, file: str) -> str:
    return f"{file}:{diagnostic.tool}:{diagnostic.code}:{diagnostic.fingerprint}"


LOCK_FORMAT = "rightcall/tools-lock/1"


class Lock(Record, frozen=True):
    """The file: the SHA-256 of each tool by name (and server, when it says); several when tools share a name."""

    tools: dict[str, str | tuple[str, ...]]
    format: str = LOCK_FORMAT


R = TypeVar("R", LintBaseline, Lock)


def definition_hash(tool: SourceTool) -> str:
    """SHA-256 of what a model is shown, in canonical JSON: the order of keys does not matter."""
    parts: Any = {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "input_schema": tool.input_schema,
        "output_schema": tool.output_schema,
        "annotations": tool.annotations,
    }
    examples = shown_examples(tool)
    if examples is not None:
        parts["input_examples"] = examples
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"), ensure_ascii=True, default=str)
    return hex_digest(text)


def lock_key(tool: SourceTool) -> str:
    """`server/name`, or the bare name."""
    return f"{tool.server}/{tool.name}" if tool.server else tool.name


def lock_of(sets: Iterable[ToolSet]) -> Lock:
    """The lock of the current definitions."""
    hashes: dict[str, set[str]] = {}
    for tool_set in sets:
        for tool in tool_set.tools:
            hashes.setdefault(lock_key(tool), set()).add(definition_hash(tool))
    return Lock(
        {key: min(hashes) if len(hashes) == 1 else tuple(sorted(hashes)) for key, hashes in hashes.items()}
    )


def read_lock(path: Path) -> dict[str, frozenset[str]]:
    """The hashes of each tool of a lockfile; raises `InputError`."""
    lock = _read_recorded(path, Lock, LOCK_FORMAT, "create it with --update-lock")
    return {
        key: frozenset((hashes,) if isinstance(hashes, str) else hashes) for key, hashes in lock.tools.items()
    }


def write_lock(path: Path, lock: Lock) -> None:
    """Write the lockfile, sorted, so that changes show as changed lines."""
    table = {"format": lock.format, "tools": dict(sorted(lock.tools.items()))}
    write_file(path, msgspec.json.format(msgspec.json.encode(table), indent=2) + b"\n")


def _read_recorded(path: Path, as_type: type[R], form: str, hint: str) -> R:
    """A file that the linter wrote; `InputError` when it is missing or of another format."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(str(path), f"cannot be read: {error.strerror}", hint) from None
    recorded = decode(data, as_type, str(path))
    if recorded.format != form:
        raise InputError(str(path), f"format must be '{form}', got '{recorded.format}'")
    return recorded
