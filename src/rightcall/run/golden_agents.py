"""Checks what goldens say about agents, before any money is spent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from rightcall.core.errors import InputError, suggestion
from rightcall.metrics.matching.teamwork import compile_agent, names_of
from rightcall.records.expected_call import is_target
from rightcall.records.golden import AnyGolden, expectations_of
from rightcall.records.tool import Tool

Note = tuple[Literal["error", "warning"], str, str, str]
"""Severity, code, message and hint: a finding without its location."""


def agent_notes(golden: AnyGolden, tools: Mapping[str, Tool]) -> Iterator[Note]:
    """Patterns that accept no agent, agents that are not in the suite, and limits that contradict each other.

    A suite lists its agents as tools of kind `agent`; where it lists none, any name may be right.
    """
    listed = [tool.name for tool in tools.values() if tool.kind == "agent"]
    for field, pattern in _patterns(golden):
        try:
            compile_agent(pattern)
        except InputError as error:
            if field.startswith("forbidden"):
                continue  # whoever reads the entry as a whole says so
            yield "error", "bad_matcher", f"{field}: {error.problem}", error.hint
            continue
        for name in names_of(pattern):
            if listed and name not in listed:
                hint = suggestion(name, listed) or f"agents of the suite: {', '.join(listed[:8])}"
                yield "error", "unknown_agent", f"{field}: no such agent '{name}'", hint
    handoffs = sum(
        call.min for call in golden.expected_calls if call.required and "handoff" in _words(call.tool)
    )
    if golden.max_handoffs is not None and handoffs > golden.max_handoffs:
        message = f"{handoffs} hand-offs are expected, but max_handoffs is {golden.max_handoffs}"
        yield "error", "contradiction", message, ""
    for call in golden.expected_calls:
        deep = max((name.count("/") for name in _paths(call.by)), default=0)
        if golden.max_depth is not None and deep > golden.max_depth:
            message = f"a call is expected {deep} levels deep, but max_depth is {golden.max_depth}"
            yield "error", "contradiction", message, ""


def _patterns(golden: AnyGolden) -> Iterator[tuple[str, Any]]:
    for i, call in enumerate(expectations_of(golden)):
        if call.by is not None:
            yield f"expected_calls[{i}].by", call.by
        if is_target(call.tool):
            assert isinstance(call.tool, dict)
            yield from ((f"expected_calls[{i}].{word}", target) for word, target in call.tool.items())
    for i, pattern in enumerate(golden.forbidden_calls):
        if isinstance(pattern, dict):
            yield from (
                (f"forbidden_calls[{i}].{word}", pattern[word])
                for word in ("by", "handoff", "delegate")
                if word in pattern
            )
    yield from ((f"agents.{name}", name) for name in golden.agents)
    if golden.answered_by is not None:
        yield "answered_by", golden.answered_by


def _words(pattern: Any) -> Any:
    return pattern if isinstance(pattern, dict) else ()


def _paths(by: Any) -> list[str]:
    return [by] if isinstance(by, str) else list(by) if isinstance(by, tuple) else []
