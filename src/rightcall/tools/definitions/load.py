"""Reads and writes tool definitions in any provider's format."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

import msgspec

from rightcall.core.codec import encode
from rightcall.core.errors import InputError, suggestion
from rightcall.files.atomic import atomic_write
from rightcall.files.checked_read import require_file
from rightcall.files.documents import DOCUMENT_SUFFIXES, read_items, refuse_other_format, value_of
from rightcall.files.yaml_text import yaml_dumper
from rightcall.model.dialects import SPELLINGS, read_tool
from rightcall.model.tool import Tool

Dialect = Literal["native", "anthropic", "openai_chat", "openai_responses", "mcp"]


def load_tools(path: str | Path) -> list[Tool]:
    """The tools of a JSON or YAML file: a list, an object with `tools` as MCP servers answer, or one tool.

    Each definition may use another provider's format. Duplicate names are an error.
    """
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


def save_tools(tools: Iterable[Tool], path: str | Path, *, dialect: Dialect = "native") -> None:
    """Write a list of definitions in one spelling, which may not express everything a tool has.

    MCP's is written as a server lists it: under `tools`. On an error nothing is changed.
    """
    _check_suffix(Path(path))
    spelling = SPELLINGS.get(dialect)
    if spelling is None:
        raise InputError("", f"unknown dialect '{dialect}'", _one_of(dialect, SPELLINGS))
    written = [spelling.write_tool(tool) for tool in tools]
    document: Any = {"tools": written} if dialect == "mcp" else written
    with atomic_write(path) as file:
        try:
            file.write(_text_of(document, Path(path)))
        except UnicodeEncodeError:
            problem = "a text contains a lone surrogate, which cannot be written to a file"
            raise InputError(str(path), problem, "remove it") from None


def _text_of(document: Any, path: Path) -> bytes:
    data = encode(document)
    if path.suffix.lower() == ".json":
        return msgspec.json.format(data, indent=2) + b"\n"
    return yaml_dumper()(msgspec.json.decode(data)).encode()


def _check_suffix(path: Path) -> None:
    if path.suffix.lower() not in DOCUMENT_SUFFIXES:
        suffix_text = f"the suffix '{path.suffix}'" if path.suffix else "no suffix"
        hint = _one_of(path.suffix, DOCUMENT_SUFFIXES)
        raise InputError(str(path), f"cannot infer the format from {suffix_text}", hint)


def _one_of(word: str, choices: Iterable[str]) -> str:
    choices = list(choices)
    return suggestion(word, choices) or f"use one of {', '.join(choices)}"
