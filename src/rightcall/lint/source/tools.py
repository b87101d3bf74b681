"""A tool as it was found, and the sets in which tools are offered together."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from rightcall.files.documents import JsonPath
from rightcall.files.skill_folder import SkillFolder
from rightcall.lint.source.document import Document
from rightcall.schema.definition import Definition

CANONICAL: tuple[str, ...] = ("name", "title", "description", "input_schema", "output_schema", "annotations")


@dataclass(frozen=True)
class SourceTool(Definition):
    """A definition with its location.

    `paths` leads from canonical paths to those of the document, the longest one that fits counts; `base` is the
    path of the whole tool. `extension` is what the definition says to RightCall under `x-rightcall`. A tool without
    a document says its `origin`: a Python file, with the `line` of the function when it is known, or `mcp:SERVER`.
    `skill` is the folder of a skill, without its body.
    """

    server: str = ""
    base: JsonPath = ()
    paths: dict[JsonPath, JsonPath] = field(default_factory=dict)
    document: Document | None = None
    fixable: bool = True
    extension: Any = None
    origin: str = ""
    line: int = 0
    skill: SkillFolder | None = None

    def document_path(self, path: JsonPath) -> JsonPath:
        """The document path of a canonical path; `base` when it has no counterpart."""
        for length in range(len(path), 0, -1):
            real = self.paths.get(path[:length])
            if real is not None:
                return real + path[length:]
        return self.base


def shown_examples(tool: SourceTool) -> Any:
    """The input examples shown to Anthropic's models with a definition; None without any."""
    return tool.raw.get("input_examples") if isinstance(tool.raw, dict) else None


@dataclass(frozen=True)
class ToolSet:
    """Tools that are offered to a model together. `name` is their source.

    `provider_run` names those that a provider runs itself (`web_search`): they have no schema to look at.
    """

    name: str
    tools: tuple[SourceTool, ...]
    provider_run: tuple[str, ...] = ()
