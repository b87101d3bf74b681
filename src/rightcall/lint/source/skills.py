"""Skills as a set of tools that are linted together: one for each folder that is named."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from rightcall.core.errors import InputError
from rightcall.files.skill_folder import NO_SKILL, SkillFolder, find_skill_folders, read_skill_folder
from rightcall.lint.source.tools import SourceTool, ToolSet


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
