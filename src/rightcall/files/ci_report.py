"""Remarks at lines of files, as CI servers read them: SARIF, workflow commands of GitHub, code quality of GitLab."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote, unquote

import msgspec

from rightcall.core.digest import hex_digest
from rightcall.core.text import one_line, workflow_command

SARIF_LEVELS = {"error": "error", "warning": "warning", "info": "note"}
COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}
SEVERITIES = {"danger": "critical", "error": "major", "warning": "minor", "info": "info"}


class Remark(msgspec.Struct, frozen=True):
    """One thing to show at a place.

    `line` and `column` count from 1; 0 is not known. `name` is what it is about, `pointer` where that is in the file.
    Code scanning refuses results without a file: `origin` stands for it there.
    """

    rule: str
    level: Literal["error", "warning", "info"]
    message: str
    file: str = ""
    line: int = 0
    column: int = 0
    name: str = ""
    fingerprint: str = ""
    pointer: str = ""
    origin: str = ""

    @property
    def mark(self) -> str:
        """What tells this remark from others, in every report."""
        parts = (self.rule, self.file, self.name, self.message)
        return self.fingerprint or hex_digest("\0".join(parts), 32)


def annotation(remark: Remark) -> str:
    """A workflow command of GitHub."""
    place = {"file": one_line(remark.file, 300)} if remark.file else {}
    for key, number in (("line", remark.line), ("col", remark.column)):
        if remark.file and remark.line and number:
            place[key] = str(number)
    title = one_line(f"{remark.rule} {remark.name}".strip(), 150)
    return workflow_command(COMMANDS[remark.level], one_line(remark.message, 1000), {**place, "title": title})


def code_quality(remarks: Sequence[Remark], dangerous: str = "") -> bytes:
    """GitLab's code quality report: relative paths; remarks of the rule `dangerous` are critical."""
    entries = [
        {
            "description": remark.message,
            "check_name": remark.rule,
            "fingerprint": remark.mark,
            "severity": SEVERITIES["danger" if remark.rule == dangerous else remark.level],
            "location": {"path": _relative(remark), "lines": {"begin": max(1, remark.line)}},
        }
        for remark in remarks
    ]
    return _document(entries)


def sarif(
    remarks: Sequence[Remark], rules: Mapping[str, Any], version: str, *, tool: str = "rightcall"
) -> bytes:
    """SARIF 2.1.0 with one run; `rules` describes the rule of each remark."""
    codes = sorted({remark.rule for remark in remarks})
    driver: dict[str, Any] = {"name": tool, "rules": [{"id": code, **rules[code]} for code in codes]}
    if version:
        driver["semanticVersion"] = version
    places = {code: index for index, code in enumerate(codes)}
    results = [_result(remark, places[remark.rule]) for remark in remarks]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    return _document({"$schema": schema, "version": "2.1.0", "runs": [run]})


def safe_text(value: Any) -> Any:
    """The value with unpaired surrogates, which JSON cannot represent, replaced by question marks."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {key: safe_text(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [safe_text(inner) for inner in value]
    return value


def _result(remark: Remark, rule: int) -> dict[str, Any]:
    column = {"startColumn": max(1, remark.column)} if remark.column or remark.pointer else {}
    location: dict[str, Any] = {
        "physicalLocation": {
            "artifactLocation": {"uri": _uri(remark.file) if remark.file else remark.origin},
            "region": {"startLine": max(1, remark.line), **column},
        }
    }
    if remark.pointer:
        location["logicalLocations"] = [{"fullyQualifiedName": remark.pointer, "kind": "object"}]
    return {
        "ruleId": remark.rule,
        "ruleIndex": rule,
        "level": SARIF_LEVELS[remark.level],
        "message": {"text": remark.message},
        "partialFingerprints": {"rightcall/v1": remark.mark},
        "locations": [location],
    }


def _uri(file: str) -> str:
    """A file as a reference: relative below the working directory."""
    path = Path(file)
    here = Path.cwd()
    whole = path if path.is_absolute() else here / path
    if whole.is_relative_to(here) and ".." not in whole.parts:
        return quote(whole.relative_to(here).as_posix().encode("utf-8", "replace"))
    return "file://" + quote(whole.resolve().as_posix().encode("utf-8", "replace"))


def _relative(remark: Remark) -> str:
    uri = _uri(remark.file) if remark.file else remark.origin
    return Path(remark.file).name if uri.startswith("file://") else unquote(uri)


def _document(value: Any) -> bytes:
    return msgspec.json.format(msgspec.json.encode(safe_text(value)), indent=2) + b"\n"
