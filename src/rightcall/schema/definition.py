"""A tool definition as written: unchecked, in canonical form; its name and further fields as a target takes them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rightcall.model.dialects.mcp import HINTS
from rightcall.model.tool import Tool
from rightcall.schema.rewrite import Losses

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


_READ = frozenset(("name", "title", "description", "type", "function", "toolSpec", "strict", "server",
                   "annotations", "x-rightcall", "input_schema", "inputSchema", "parameters", "response", "returns",
                   "parametersJsonSchema", "parameters_json_schema", "output_schema", "outputSchema"))  # fmt: skip


def further_fields(tool: Definition, target: str, request_format: str, losses: Losses) -> dict[str, Any]:
    """The further fields in the target's format; those it does not have are recorded as losses.

    Fields that only one provider knows (`_meta`, `cache_control`) stay with that provider.
    """
    fields: dict[str, Any] = {}
    if target == "mcp":
        fields = {"title": tool.title, "outputSchema": tool.output_schema, "annotations": _hints(tool)}
    elif target == "gemini":
        fields = {"response": tool.output_schema}
    fields = {name: value for name, value in fields.items() if value not in (None, "", {})}
    mine = {"title": tool.title, "annotations": tool.annotations, "outputSchema": tool.output_schema}
    for name, value in mine.items():
        if (
            value not in (None, "", {})
            and name not in fields
            and not (target == "gemini" and name == "outputSchema")
        ):
            losses.add((), name, f"removed: {request_format} has no field for it")
    for name, value in _others(tool).items():
        if tool.spelling == target.removesuffix("-strict") and tool.spelling in ("mcp", "anthropic"):
            fields[name] = value
        else:
            losses.add((), name, f"removed: {request_format} has no field for it")
    if tool.strict and target in ("openai", "anthropic", "bedrock", "gemini", "mcp"):
        hint = f"; --to {request_format}-strict keeps it" if target in ("openai", "anthropic") else ""
        losses.add((), "strict", f"removed{hint}")
    return fields


def _hints(tool: Definition) -> Any:
    """The annotations in MCP format; RightCall's own are translated."""
    if not isinstance(tool.annotations, dict):
        return None
    theirs = {ours: hint for hint, ours in HINTS.items()}
    return {theirs.get(name, name): value for name, value in tool.annotations.items() if value is not None}


def _others(tool: Definition) -> dict[str, Any]:
    if not isinstance(tool.raw, dict) or tool.spelling == "openapi":
        return {}
    holders = [tool.raw, *(tool.raw.get(key) for key in ("function", "toolSpec"))]
    fields = {
        name: value
        for holder in holders
        if isinstance(holder, dict)
        for name, value in holder.items()
        if name not in _READ and value is not None
    }
    meta = fields.get("_meta")
    if isinstance(meta, dict) and "rightcall" in meta:
        rest = {name: value for name, value in meta.items() if name != "rightcall"}
        fields = {**fields, "_meta": rest} if rest else {n: v for n, v in fields.items() if n != "_meta"}
    return fields


def distinct_names(names: Sequence[str], pattern: str, length: int, kept: str) -> list[str]:
    """Names that match the pattern are kept, the others rewritten without collisions.

    `kept` are the characters besides letters and digits that a rewritten name may have.
    """
    allowed = re.compile(pattern.removesuffix("$"))
    fitting = [allowed.fullmatch(name) is not None for name in names]
    taken = {name for name, fits in zip(names, fitting, strict=True) if fits}
    new_names = []
    for name, fits in zip(names, fitting, strict=True):
        new = name if fits else _free(_rewrite_name(name, allowed, length, kept), taken, length)
        taken.add(new)
        new_names.append(new)
    return new_names


def _rewrite_name(name: str, allowed: re.Pattern[str], length: int, kept: str) -> str:
    new = re.sub(rf"[^A-Za-z0-9{re.escape(kept)}]+", "_", name)[:length] or "_"
    return new if allowed.fullmatch(new) else f"_{new}"[:length]


def _free(name: str, taken: set[str], length: int) -> str:
    number, new = 1, name
    while new in taken:
        number += 1
        ending = f"_{number}"
        new = name[: length - len(ending)] + ending
    return new
