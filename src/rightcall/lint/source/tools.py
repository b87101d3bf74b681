"""A tool as it was found, and the sets in which tools are offered together."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, Literal

from msgspec.structs import replace

from rightcall.core.errors import InputError
from rightcall.core.groups import group_by
from rightcall.files.documents import JsonPath
from rightcall.files.places import SUFFIXES, Document
from rightcall.files.skill_folder import NO_SKILL, SkillFolder, find_skill_folders, read_skill_folder
from rightcall.records.dialects import mcp
from rightcall.records.tool import Tool

CANONICAL: tuple[str, ...] = ("name", "title", "description", "input_schema", "output_schema", "annotations")


Spelling = Literal["anthropic", "openai", "openai-responses", "mcp", "bedrock", "gemini", "plain"]


@dataclass(frozen=True)
class SourceTool:
    """A definition exactly as in its source, valid or not, with its location.

    Nothing is checked yet: `input_schema` may be a number. `raw` is the definition in its original format.
    `paths` leads from canonical paths to those of the document, the longest one that fits counts; `base` is the
    path of the whole tool. `extension` is what the definition says to RightCall under `x-rightcall`. A tool without
    a document says its `origin`: a Python file, with the `line` of the function when it is known, or `mcp:SERVER`.
    `skill` is the folder of a skill, without its body.
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


def tool_set(
    tools: Iterable[Tool],
    *,
    name: str = "",
    server: str = "",
    origin: str = "",
    lines: Mapping[str, int] | None = None,
) -> ToolSet:
    """A set from tools of the model, as an MCP server, a suite or a Python module gives them."""
    line_of = lines or {}
    source_tools = [
        SourceTool(
            tool.name,
            tool.description,
            tool.input_schema,
            tool.output_schema,
            annotations=mcp.hints_of(tool) or None,
            title=tool.title,
            server=server,
            base=(index,),
            paths={(key,): (index, key) for key in CANONICAL if key != "annotations"},
            fixable=False,
            origin=origin,
            line=line_of.get(tool.name, 0),
        )
        for index, tool in enumerate(tools)
    ]
    return ToolSet(name, tuple(source_tools))


def join_sets(sets: Sequence[ToolSet], *, together: bool = False) -> list[ToolSet]:
    """The sets with files of a single tool each made one set, or with `together` everything made one set.

    One tool per file is a common layout, and rules that compare tools must see them together.
    Files that name different servers stay apart. Lines of a JSONL file are sets on purpose. Every tool keeps its file.
    """
    if together:
        return [_one(sets)] if len(sets) > 1 else list(sets)
    alone = group_by(filter(_is_file_of_one_tool, sets), lambda tool_set: tool_set.tools[0].server)
    first = {id(members[0]): members for members in alone.values() if len(members) > 1}
    later = {id(tool_set) for tool_set in chain.from_iterable(members[1:] for members in first.values())}
    return [
        _one(first[id(tool_set)]) if id(tool_set) in first else tool_set
        for tool_set in sets
        if id(tool_set) not in later
    ]


def _is_file_of_one_tool(tools: ToolSet) -> bool:
    suffix = Path(tools.name).suffix
    return len(tools.tools) == 1 and (suffix in SUFFIXES or suffix == ".py")


def _one(sets: Sequence[ToolSet]) -> ToolSet:
    tools: list[SourceTool] = list(chain.from_iterable(tool_set.tools for tool_set in sets))
    provider_run = list(chain.from_iterable(tool_set.provider_run for tool_set in sets))
    return ToolSet(_folder_of(tool_set.name for tool_set in sets), tuple(tools), tuple(provider_run))


def _folder_of(names: Iterable[str]) -> str:
    """The nearest folder above all files, as it was typed when it can be."""
    folders = {str(Path(name).parent) for name in names if name}
    try:
        return os.path.commonpath(folders) or "."
    except ValueError:  # no file, or typed from different roots
        return "all sources"
