"""A tool definition as someone wrote it: unchecked, in canonical spelling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from rightcall.model.dialects.mcp import HINTS
from rightcall.model.tool import Tool

Spelling = Literal["anthropic", "openai", "openai-responses", "mcp", "bedrock", "gemini", "plain", "openapi"]


@dataclass(frozen=True)
class Definition:
    """A definition as raw and wrong as it stands in its source.

    Nothing is checked yet: `input_schema` may be a number. `raw` is the definition in its own spelling.
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
    """The definition of a tool that was read already."""
    return Definition(
        name=tool.name,
        description=tool.description,
        input_schema=tool.input_schema,
        output_schema=tool.output_schema,
        annotations=spelled_hints(tool),
        title=tool.title,
    )


def spelled_hints(tool: Tool) -> dict[str, bool] | None:
    """The annotations of a tool in the spelling of MCP; None when it has none."""
    read = {theirs: getattr(tool.annotations, ours) for theirs, ours in HINTS.items()}
    return {hint: value for hint, value in read.items() if value is not None} or None
