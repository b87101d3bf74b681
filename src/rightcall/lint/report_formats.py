"""The report for programs: JSON, SARIF 2.1.0 for code scanning, commands of GitHub, a picture of similar pairs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec

from rightcall.core.text import workflow_command
from rightcall.lint.report import Diagnostic, LintReport
from rightcall.lint.report_text import printable
from rightcall.lint.rule import FAMILIES, find_rule


def json_text(report: LintReport) -> str:
    """One object; `format` says its version."""
    value = document(report)
    try:
        data = msgspec.json.encode(value)
    except UnicodeEncodeError:  # an unpaired surrogate, which JSON cannot represent
        data = msgspec.json.encode(safe_text(msgspec.to_builtins(value)))
    return msgspec.json.format(data, indent=2).decode() + "\n"


def document(report: LintReport) -> dict[str, Any]:
    """The same as values that msgspec encodes."""
    return {
        "format": "rightcall/lint/1",
        "summary": {
            **report.counts(),
            "tools": len(report.tools),
            "tokens": report.tokens,
            "known": report.known,
            "ignored": report.ignored,
            "by_rule": report.by_rule(),
        },
        "diagnostics": report.diagnostics,
        "tools": report.tools,
        "pairs": report.pairs,
        "effects": report.effects,
    }


def safe_text(value: Any) -> Any:
    """The value with unpaired surrogates, which JSON cannot represent, replaced by question marks."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {key: safe_text(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [safe_text(inner) for inner in value]
    return value


_LEVELS = {"error": "error", "warning": "warning", "info": "note"}

_PAGES = "docs/lint/rules"


def sarif_text(report: LintReport, version: str = "") -> str:
    """One run with the rules that found something."""
    codes = sorted({diagnostic.code for diagnostic in report.diagnostics})
    rules = [_rule(code) for code in codes]
    return sarif_log(rules, [_result(diagnostic, codes) for diagnostic in report.diagnostics], version)


def sarif_log(rules: list[dict[str, Any]], results: list[dict[str, Any]], version: str = "") -> str:
    """One run of RightCall with its rules and results, as text."""
    driver: dict[str, Any] = {"name": "rightcall", "rules": rules}
    if version:
        driver["semanticVersion"] = version
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    log = {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run]}
    return msgspec.json.format(msgspec.json.encode(log), indent=2).decode() + "\n"


def _uri(diagnostic: Diagnostic) -> str:
    """Where the tool is, as a reference: relative below the working directory.

    Code scanning refuses results without a file, so a server gets a name that stays the same: `mcp/SERVER`.
    """
    if not diagnostic.file:
        name = re.sub(r"[^A-Za-z0-9._-]+", "-", diagnostic.origin.removeprefix("mcp:")).strip("-.")
        return f"mcp/{name or 'server'}" if diagnostic.origin else "tools"
    return file_uri(diagnostic.file)


def file_uri(file: str) -> str:
    """A file as a reference: relative below the working directory."""
    path, here = Path(file), Path.cwd()
    whole = path if path.is_absolute() else here / path
    if whole.is_relative_to(here) and ".." not in whole.parts:
        return quote(whole.relative_to(here).as_posix().encode("utf-8", "replace"))
    return "file://" + quote(whole.resolve().as_posix().encode("utf-8", "replace"))


def _rule(code: str) -> dict[str, Any]:
    rule = find_rule(code)
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": " ".join(rule.explanation.split())},
        "help": {"text": f"{' '.join(rule.explanation.split())} `rightcall rule {rule.code}` says more."},
        "helpUri": f"{_PAGES}/{rule.name}.md",
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {"tags": [FAMILIES[rule.family]]},
    }


def _result(diagnostic: Diagnostic, codes: list[str]) -> dict[str, Any]:
    text = f"{diagnostic.tool}: {diagnostic.message}" + (f" ({diagnostic.hint})" if diagnostic.hint else "")
    place = {
        "artifactLocation": {"uri": _uri(diagnostic)},
        "region": {"startLine": max(diagnostic.line, 1), "startColumn": max(diagnostic.column, 1)},
    }
    pointer = {"fullyQualifiedName": safe_text(diagnostic.pointer), "kind": "object"}
    return {
        "ruleId": diagnostic.code,
        "ruleIndex": codes.index(diagnostic.code),
        "level": _LEVELS[diagnostic.severity],
        "message": {"text": safe_text(text)},
        "partialFingerprints": {"rightcall/v1": diagnostic.fingerprint},
        "locations": [{"logicalLocations": [pointer], "physicalLocation": place}],
    }


_COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}


def github_text(report: LintReport) -> str:
    """One command per line."""
    return "".join(f"{_command(diagnostic)}\n" for diagnostic in report.diagnostics)


def _command(diagnostic: Diagnostic) -> str:
    properties = {"title": f"{diagnostic.code} {diagnostic.rule}"}
    if diagnostic.file:
        line = {"line": str(diagnostic.line), "col": str(diagnostic.column)} if diagnostic.line else {}
        properties = {"file": diagnostic.file, **line, **properties}
    source = f"{diagnostic.origin}: " if diagnostic.origin else ""
    message = f"{source}{diagnostic.tool}: {diagnostic.message}" + (
        f"; {diagnostic.hint}" if diagnostic.hint else ""
    )
    shown = {name: printable(value) for name, value in properties.items()}
    return workflow_command(_COMMANDS[diagnostic.severity], printable(message), shown)
