"""Marks attempts that the linter would have refused when the tools were loaded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from rightcall.lint.engine import lint
from rightcall.model.golden import Golden
from rightcall.model.safety import Safety
from rightcall.model.tool import Tool
from rightcall.tools.attacks.tool_list import poison_tools

FAMILY = "TD8"
"""Rules about hostile definitions."""


def with_lint_marks(attempts: Sequence[Golden], tools: Mapping[str, Tool]) -> list[Golden]:
    """The attempts; those that poison the list of tools name the rules that see it."""
    codes_by_text: dict[str, list[str]] = {}

    def marked(attempt: Golden) -> Golden:
        safety = attempt.safety
        rules = _rules(safety, tools, codes_by_text) if safety is not None and safety.poisons_tools else ()
        if safety is None or not rules:
            return attempt
        return msgspec.structs.replace(attempt, safety=msgspec.structs.replace(safety, lint=rules))

    return [marked(attempt) for attempt in attempts]


def _rules(safety: Safety, tools: Mapping[str, Tool], codes_by_text: dict[str, list[str]]) -> tuple[str, ...]:
    """Security rules that the poisoned tool breaks and the original does not."""
    codes: dict[str, None] = {}
    for name, tool in poison_tools(tools, safety, pulled=True).items():
        if tools.get(name) != tool:
            before = _codes(tools[name], codes_by_text) if name in tools else ()
            codes |= dict.fromkeys(code for code in _codes(tool, codes_by_text) if code not in before)
    return tuple(codes)


def _codes(tool: Tool, codes_by_text: dict[str, list[str]]) -> list[str]:
    key = f"{tool.name}\x1f{tool.description}\x1f{tool.title}"
    if key not in codes_by_text:
        errors = (problem.code for problem in lint([tool]).diagnostics if problem.severity == "error")
        codes_by_text[key] = [code for code in errors if code.startswith(FAMILY)]
    return codes_by_text[key]
