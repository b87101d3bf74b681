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
    codes_by_text: dict[str, tuple[str, ...]] = {}
    marked = []
    for attempt in attempts:
        safety = attempt.safety
        if safety is None or not safety.poisons_tools:
            marked.append(attempt)
            continue
        rules = _rules(safety, tools, codes_by_text)
        marked.append(
            msgspec.structs.replace(attempt, safety=msgspec.structs.replace(safety, lint=rules))
            if rules
            else attempt
        )
    return marked


def _rules(
    safety: Safety, tools: Mapping[str, Tool], codes_by_text: dict[str, tuple[str, ...]]
) -> tuple[str, ...]:
    """Security rules that the poisoned tool breaks and the original does not."""
    poisoned = poison_tools(tools, safety, pulled=True)
    changed = [tool for name, tool in poisoned.items() if tools.get(name) != tool]
    before = {
        name: _codes(tools[name], codes_by_text) for name in tools if name in {tool.name for tool in changed}
    }
    codes = [
        code
        for tool in changed
        for code in _codes(tool, codes_by_text)
        if code not in before.get(tool.name, ())
    ]
    return tuple(dict.fromkeys(codes))


def _codes(tool: Tool, codes_by_text: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    key = f"{tool.name}\x1f{tool.description}\x1f{tool.title}"
    if key not in codes_by_text:
        report = lint([tool])
        codes_by_text[key] = tuple(
            dict.fromkeys(
                d.code for d in report.diagnostics if d.code.startswith(FAMILY) and d.severity == "error"
            )
        )
    return codes_by_text[key]
