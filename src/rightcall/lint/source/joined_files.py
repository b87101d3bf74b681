"""Tools that are offered together but stand in files of their own, as one set."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from rightcall.lint.source.read import SUFFIXES
from rightcall.lint.source.tools import SourceTool, ToolSet


def joined(sets: Sequence[ToolSet], *, together: bool = False) -> list[ToolSet]:
    """The sets with files of a single tool each made one set, or with `together` everything made one set.

    One tool a file is how many projects keep their definitions, and rules about tools side by side must see them so.
    Files that name different servers stay apart. Lines of a JSONL file are sets on purpose. Every tool keeps its file.
    """
    if together:
        return [_one(sets)] if len(sets) > 1 else list(sets)
    alone: dict[str, list[ToolSet]] = {}
    for each in sets:
        if _is_file_of_one_tool(each):
            alone.setdefault(each.tools[0].server, []).append(each)
    first = {id(members[0]): members for members in alone.values() if len(members) > 1}
    later = {id(each) for members in first.values() for each in members[1:]}
    return [_one(first[id(each)]) if id(each) in first else each for each in sets if id(each) not in later]


def _is_file_of_one_tool(tools: ToolSet) -> bool:
    suffix = Path(tools.name).suffix
    return len(tools.tools) == 1 and (suffix in SUFFIXES or suffix == ".py")


def _one(sets: Sequence[ToolSet]) -> ToolSet:
    tools: list[SourceTool] = [tool for each in sets for tool in each.tools]
    provider_run = [name for each in sets for name in each.provider_run]
    return ToolSet(_folder_of(each.name for each in sets), tuple(tools), tuple(provider_run))


def _folder_of(names: Iterable[str]) -> str:
    """The nearest folder above all files, as it was typed when it can be."""
    folders = {str(Path(name).parent) for name in names if name}
    try:
        return os.path.commonpath(folders) or "."
    except ValueError:  # no file at all, or typed from different roots
        return "all sources"
