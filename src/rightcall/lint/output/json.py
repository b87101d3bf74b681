"""The report as JSON, with the summary that the other forms show."""

from __future__ import annotations

from typing import Any

import msgspec

from rightcall.lint.report import Report


def json(report: Report) -> str:
    """One object; `format` says its version."""
    return msgspec.json.format(msgspec.json.encode(document(report)), indent=2).decode() + "\n"


def document(report: Report) -> dict[str, Any]:
    """The same as plain values."""
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
        "diagnostics": _safe(msgspec.to_builtins(report.diagnostics)),
        "tools": _safe(msgspec.to_builtins(report.tools)),
        "pairs": _safe(msgspec.to_builtins(report.pairs)),
    }


def _safe(value: Any) -> Any:
    """The value with half surrogate pairs, which JSON cannot carry, written as question marks."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {key: _safe(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_safe(inner) for inner in value]
    return value
