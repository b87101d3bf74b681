"""Tools converted for a provider, with the remaining lint errors, which the provider will reject."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from rightcall.lint.config import LintConfig
from rightcall.lint.engine import lint
from rightcall.lint.source.tools import SourceTool, ToolSet
from rightcall.model.tool import Tool
from rightcall.schema.convert import Converted, convert_tools
from rightcall.schema.definition import Definition
from rightcall.schema.rewrite import Loss

_RULES = ("TD001", "TD002", "TD004", "TD006", "TD007", "TD7")
"""Not JSON Schema, no object at the root, references to nowhere, and what the target itself refuses."""


def convert(tool: Tool | Definition, target: str) -> Converted:
    """The tool for one of the targets; raises `ConfigError` for an unknown one."""
    return convert_all([tool], target)[0]


def convert_all(definitions: Sequence[Tool | Definition], target: str) -> list[Converted]:
    """Tools that are offered together, each with the errors that remain among what is refused."""
    tools = convert_tools(definitions, target)
    sources = [
        SourceTool(tool.name, tool.description, tool.input_schema, base=(index,))
        for index, tool in enumerate(tools)
    ]
    report = lint([ToolSet("", tuple(sources))], config=LintConfig(targets=(target,), select=_RULES))
    errors = [diagnostic for diagnostic in report.diagnostics if diagnostic.severity == "error"]
    losses = [(e.tool, Loss("", e.code, f"{e.message}; {e.hint}" if e.hint else e.message)) for e in errors]
    refused = {tool.name: [loss for name, loss in losses if name == tool.name] for tool in tools}
    return [msgspec.structs.replace(tool, refused=(*tool.refused, *refused[tool.name])) for tool in tools]
