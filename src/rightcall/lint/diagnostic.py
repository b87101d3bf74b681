"""A rule's finding, and its message."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from rightcall.files.documents import JsonPath
from rightcall.model.record import Record

Severity = Literal["error", "warning", "info"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
"""From worst to mildest."""

FixKind = Literal["none", "safe", "suggested"]


class _Removed:
    def __repr__(self) -> str:
        return "REMOVED"


REMOVED = _Removed()
"""Marker for a member that an edit removes."""


@dataclass(frozen=True)
class Edit:
    """Put `value` at `path` inside a tool (adding the last key when it is not there), or take it away."""

    path: JsonPath
    value: Any


class Finding(msgspec.Struct, frozen=True, gc=False):
    """A rule's finding at one place in a tool. `severity` None means the rule's own.

    `path` is inside the tool, in the canonical spelling: `("input_schema", "properties", "city")`.
    `edits` is the fix, empty when there is none; `safe` says that it cannot change what the tool means.
    `others` names further tools the finding is about.
    """

    path: JsonPath
    message: str
    hint: str = ""
    severity: Severity | None = None
    edits: tuple[Edit, ...] = ()
    safe: bool = False
    others: tuple[str, ...] = ()


class Diagnostic(Record, frozen=True):
    """One lint message on a tool, with its place in the file.

    `line` and `column` count from 1; 0 means that the place in the file is not known, or that there is no file: then
    `origin` says where the tool came from, such as `mcp:SERVER`. `pointer` is the JSON
    pointer from the root of the file (or of the tool, without a file). `fingerprint` stays the same when
    lines move, so that a baseline survives edits elsewhere. `evidence` says what stored runs showed.
    """

    code: str
    rule: str
    severity: Severity
    tool: str
    message: str
    hint: str = ""
    file: str = ""
    line: int = 0
    column: int = 0
    pointer: str = ""
    excerpt: str = ""
    fix: FixKind = "none"
    others: tuple[str, ...] = ()
    evidence: str = ""
    fingerprint: str = ""
    origin: str = ""
