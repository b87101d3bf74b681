"""Reads tool definitions in any provider's format."""

from __future__ import annotations

from pathlib import Path

from rightcall.core.errors import InputError, suggestion
from rightcall.files.checked_read import require_file
from rightcall.files.documents import DOCUMENT_SUFFIXES, read_items, refuse_other_format, value_of
from rightcall.model.dialects import read_tool
from rightcall.model.tool import Tool
from rightcall.schema.skill_definition import load_skills

SKILLS = "skills:"
"""The prefix of a folder of skills, wherever a source of tools is named."""


def load_tools(path: str | Path) -> list[Tool]:
    """The tools of a JSON or YAML file: a list, an object with `tools` as MCP servers answer, or one tool.

    Each definition may use another provider's format. Duplicate names are an error. `skills:DIR` are the skills in a
    folder.
    """
    if str(path).startswith(SKILLS):
        return load_skills([str(path).removeprefix(SKILLS)])
    path = require_file(path)
    _check_suffix(path)
    items = read_items(path, "tools")
    if "format" in items.header:
        refuse_other_format(items.header["format"], "tools", 1, str(path))
    lines: dict[str, int] = {}
    tools: list[Tool] = []
    for line, item in items.entries:
        where = f"{path}:{line}"
        tool = read_tool(value_of(item, object, where), where)
        if tool.name in lines:
            problem = f"duplicate tool '{tool.name}', first defined in line {lines[tool.name]}"
            raise InputError(where, problem, "models distinguish tools by name only")
        lines[tool.name] = line
        tools.append(tool)
    return tools


def _check_suffix(path: Path) -> None:
    if path.suffix.lower() not in DOCUMENT_SUFFIXES:
        suffix_text = f"the suffix '{path.suffix}'" if path.suffix else "no suffix"
        hint = suggestion(path.suffix, DOCUMENT_SUFFIXES) or f"use one of {', '.join(DOCUMENT_SUFFIXES)}"
        raise InputError(str(path), f"cannot infer the format from {suffix_text}", hint)
