"""A tool definition as written: unchecked, in canonical form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from rightcall.model.dialects.mcp import HINTS
from rightcall.model.tool import Tool

Spelling = Literal["anthropic", "openai", "openai-responses", "mcp", "bedrock", "gemini", "plain", "openapi"]


@dataclass(frozen=True)
class Definition:
    """A definition exactly as in its source, valid or not.

    Nothing is checked yet: `input_schema` may be a number. `raw` is the definition in its original format.
    """

    name: str
    description: str = ""
    input_schema: Any = None
    output_schema: Any = None
    annotations: Any = None
    title: str = ""
    spelling: Spelling = "plain"
    strict: bool = False
    raw: Any = None


def definition_of(tool: Tool) -> Definition:
    """The definition of an already parsed tool."""
    return Definition(
        name=tool.name,
        description=tool.description,
        input_schema=tool.input_schema,
        output_schema=tool.output_schema,
        annotations=mcp_hints(tool),
        title=tool.title,
    )


def mcp_hints(tool: Tool) -> dict[str, bool] | None:
    """The annotations of a tool in MCP format; None when it has none."""
    read = {theirs: getattr(tool.annotations, ours) for theirs, ours in HINTS.items()}
    return {hint: value for hint, value in read.items() if value is not None} or None
