"""A tool as it was found, and the sets in which tools are offered together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from rightcall.core.errors import InputError
from rightcall.files.documents import JsonPath
from rightcall.files.skill_folder import NO_SKILL, SkillFolder, find_skill_folders, read_skill_folder
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


def text_of(value: Any) -> str:
    """A value that should be text; nothing when it is something else."""
    return value if isinstance(value, str) else ""


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


def read_skill_set(root: Path, ignore: Iterable[str] = ()) -> ToolSet:
    """The skills below a folder. One that cannot be read is a finding, unless it is the only one."""
    tools = tuple(
        _source_tool(read_skill_folder(folder, root)) for folder in find_skill_folders(root, ignore)
    )
    if not tools:
        raise InputError(str(root), "no skill here", NO_SKILL)
    problems = [tool.skill for tool in tools if tool.skill is not None and tool.skill.problem]
    if len(problems) == len(tools) == 1:
        raise InputError(str(problems[0].file), problems[0].problem)
    return ToolSet(str(root), tools)


def _source_tool(folder: SkillFolder) -> SourceTool:
    """The skill without its body, which rules read when they look at it: ten thousand bodies need not be held."""
    text = folder.text
    return SourceTool(
        folder.name,
        text.description,
        fixable=False,
        origin=str(folder.file),
        line=1,
        skill=replace(folder, text=replace(text, body="")),
    )
