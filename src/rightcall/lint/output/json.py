"""The report as JSON, with the summary that the other forms show."""

from __future__ import annotations

from typing import Any

import msgspec

from rightcall.lint.report import LintReport


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
