"""The result of a verification: on the terminal, as JSON and as JUnit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rightcall.core.text import one_line, pluralize
from rightcall.show.junit import JUnitCase, junit_document
from rightcall.wings.contracts.tool_comparison import ContractChange
from rightcall.wings.contracts.verification import ContractResult, ContractVerdict, ToolVerdict

LEVELS = {"breaking": "breaking", "model": "for the model", "compatible": "compatible"}
STYLES: dict[str, str] = {
    "breaking": "red",
    "for the model": "yellow",
    "not verified": "yellow",
    "compatible": "green",
}
_ORDER: tuple[ContractVerdict, ...] = ("breaking", "for the model", "not verified", "compatible")


def terminal_lines(result: ContractResult) -> Iterator[tuple[str, str]]:
    """The lines of a terminal, each with its style."""
    yield f"{one_line(result.recorded, 100)} → {one_line(result.other, 100)}", "bold"
    width = max((len(tool.name) for tool in result.tools), default=0)
    for change in result.listing:
        yield f"  {change_line(change)}", STYLES[LEVELS[change.level]]
    for tool in sorted(result.tools, key=lambda tool: _ORDER.index(tool.verdict)):
        yield f"{one_line(tool.name, 100):<{width}}  {tool.verdict}{_calls_note(tool)}", STYLES[tool.verdict]
        for change in tool.changes:
            yield f"  {change_line(change)}", "dim" if change.level == "compatible" else ""
    yield summary_line(result), STYLES[result.verdict]


def summary_line(result: ContractResult) -> str:
    """`breaking: 1 of 3 tools (…); 4 of 5 recorded calls verified`."""
    counts = [f"{result.count(verdict)} {verdict}" for verdict in _ORDER if result.count(verdict)]
    calls = (
        f"{result.verified} of {pluralize(result.calls, 'recorded call')} verified"
        if result.calls
        else "no calls"
    )
    return f"{result.verdict}: {', '.join(counts) or 'no tools'}; {calls}"


def change_line(change: ContractChange) -> str:
    place = f" {change.path}:" if change.path else ":"
    call = f" [{change.call}]" if change.call else ""
    return f"{LEVELS[change.level]}: {change.part}{place} {change.text}{call}"


def as_json(result: ContractResult) -> dict[str, Any]:
    """The document of `--json`."""
    return {
        "verdict": result.verdict,
        "recorded": result.recorded,
        "other": result.other,
        "calls": result.calls,
        "verified": result.verified,
        "not_verified": result.calls - result.verified,
        "list": [_change(change) for change in result.listing],
        "tools": [
            {
                "tool": tool.name,
                "verdict": tool.verdict,
                "calls": tool.calls,
                "verified": tool.verified,
                "changes": [_change(change) for change in tool.changes],
            }
            for tool in result.tools
        ],
    }


def as_junit(result: ContractResult, name: str) -> bytes:
    """JUnit XML: a test case per tool; a breaking tool fails, one that is not verified is skipped."""
    return junit_document(name, list(map(_junit_case, result.tools)))


def _junit_case(tool: ToolVerdict) -> JUnitCase:
    changes = "\n".join(map(change_line, tool.changes))
    if tool.verdict == "breaking":
        first = next(change for change in tool.changes if change.level == "breaking")
        return JUnitCase(tool.name, "mcp", "failure", change_line(first), changes)
    if tool.verdict == "not verified":
        return JUnitCase(tool.name, "mcp", "skipped", _calls_note(tool).strip(" ()"))
    return JUnitCase(tool.name, "mcp", text=changes)


def _calls_note(tool: ToolVerdict) -> str:
    if not tool.calls:
        return " (definition only)"
    if tool.verified == tool.calls:
        return f" ({pluralize(tool.calls, 'call')})"
    return f" ({tool.calls - tool.verified} of {pluralize(tool.calls, 'call')} not verified)"


def _change(change: ContractChange) -> dict[str, str]:
    return {
        "level": LEVELS[change.level],
        "part": change.part,
        "path": change.path,
        "text": change.text,
        "call": change.call,
    }
