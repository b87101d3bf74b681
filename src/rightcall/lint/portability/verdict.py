"""What the linter would still call an error of converted tools: the target will refuse them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from rightcall.lint.config import LintConfig
from rightcall.lint.engine import lint
from rightcall.lint.portability.rewrite import Loss
from rightcall.lint.source.tools import SourceTool, ToolSet

if TYPE_CHECKING:
    from rightcall.lint.portability.convert import Converted

_RULES = ("TD001", "TD002", "TD004", "TD006", "TD007", "TD7")
"""Not JSON Schema, no object at the root, references to nowhere, and what the target itself refuses."""


def with_verdict(tools: Sequence[Converted], target: str) -> list[Converted]:
    """The tools, each with the errors that are left among what is refused."""
    sources = [
        SourceTool(tool.name, tool.description, tool.input_schema, base=(index,))
        for index, tool in enumerate(tools)
    ]
    report = lint([ToolSet("", tuple(sources))], config=LintConfig(targets=(target,), select=_RULES))
    found: dict[str, list[Loss]] = {}
    for diagnostic in report.diagnostics:
        if diagnostic.severity == "error":
            text = f"{diagnostic.message}; {diagnostic.hint}" if diagnostic.hint else diagnostic.message
            found.setdefault(diagnostic.tool, []).append(Loss("", diagnostic.code, text))
    return [
        msgspec.structs.replace(tool, refused=(*tool.refused, *found.get(tool.name, ()))) for tool in tools
    ]
