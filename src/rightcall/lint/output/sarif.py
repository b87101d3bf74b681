"""SARIF 2.1.0, for code scanning."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec

from rightcall.lint.output.json import safe_text
from rightcall.lint.report import Diagnostic, LintReport
from rightcall.lint.rule import FAMILIES, find_rule

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
