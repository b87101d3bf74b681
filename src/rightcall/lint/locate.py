"""From what a rule found to what the user is told: where it stands, unless it is ignored there."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import NamedTuple

from rightcall.files import JsonPath, pointer
from rightcall.lint.checks import Found
from rightcall.lint.config import LintConfig
from rightcall.lint.diagnostic import Diagnostic, FixKind
from rightcall.lint.evidence import LintEvidence
from rightcall.lint.ignores import Ignore, comment_ignores, ignores_of
from rightcall.lint.source.tools import SourceTool


class Where(NamedTuple):
    """Where a finding stands in its file."""

    line: int
    column: int
    excerpt: str
    pointer: str


def not_ignored(everything: Iterable[Found], config: LintConfig) -> tuple[list[tuple[Found, Where]], int]:
    """The findings to show, with their places, and how many were ignored."""
    ignores: dict[int, list[Ignore]] = {}
    shown = []
    ignored = 0
    comments: dict[int, list[Ignore]] = {}
    places: dict[tuple[int, JsonPath], Where] = {}  # rules often speak of the same place
    for found in everything:
        tool, rule, finding = found
        path = finding.path
        key = id(tool), path
        where = places.get(key)
        if where is None:
            where = places[key] = _place(tool.source, path)
        if id(tool) not in ignores:
            document = tool.source.document
            if id(document) not in comments:
                comments[id(document)] = comment_ignores(document)
            ignores[id(tool)] = [*ignores_of(tool), *comments[id(document)]]
        inline = ignores[id(tool)]
        if (config.per_tool_ignores and config.ignores(tool.name, rule)) or (
            inline and any(ignore.covers(rule, path, where.line) for ignore in inline)
        ):
            ignored += 1
        else:
            shown.append((found, where))
    return shown, ignored


def _place(source: SourceTool, path: JsonPath) -> Where:
    real = source.document_path(path)
    if source.document is None:
        return Where(source.line, min(source.line, 1), "", pointer(real))
    return Where(*source.document.locate(real), pointer(real))


def diagnostic_of(found: Found, where: Where, evidence: LintEvidence) -> Diagnostic:
    tool, rule, finding = found.tool, found.rule, found.finding
    source = tool.source
    is_server = source.origin.startswith("mcp:")
    key = f"{rule.code}|{tool.name}|{finding.path}|{sorted(finding.others)}"
    confused = evidence.of_confusion(tool.name, finding.others) if finding.others else ""
    severity = finding.severity or rule.severity
    return Diagnostic(
        code=rule.code,
        rule=rule.name,
        severity="warning" if confused and severity == "info" else severity,
        tool=tool.name,
        message=finding.message,
        hint=finding.hint,
        file=source.document.name if source.document else "" if is_server else source.origin,
        line=where.line,
        column=where.column,
        pointer=where.pointer,
        excerpt=where.excerpt,
        fix=fix_kind(found),
        others=finding.others,
        evidence=confused or evidence.of_parameter(tool.name, finding.path),
        origin=source.origin if is_server else "",
        fingerprint=hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:16],
    )


def fix_kind(found: Found) -> FixKind:
    """Can the finding be fixed in its file, and without a second look?"""
    if not found.finding.edits or not found.tool.source.fixable or found.tool.source.document is None:
        return "none"
    return "safe" if found.finding.safe else "suggested"
