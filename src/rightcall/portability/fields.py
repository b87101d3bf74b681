"""Fields other than name, description and input schema, and which of them a target accepts."""

from __future__ import annotations

from typing import Any

from rightcall.model.dialects.mcp import HINTS
from rightcall.portability.definition import Definition
from rightcall.portability.rewrite import Losses

_READ = frozenset(("name", "title", "description", "type", "function", "toolSpec", "strict", "server",
                   "annotations", "x-rightcall", "input_schema", "inputSchema", "parameters", "response", "returns",
                   "parametersJsonSchema", "parameters_json_schema", "output_schema", "outputSchema"))  # fmt: skip


def kept_fields(tool: Definition, target: str, losses: Losses) -> dict[str, Any]:
    """The further fields in the target's format; those it does not have are recorded as losses.

    Fields that only one provider knows (`_meta`, `cache_control`) stay with that provider.
    """
    said: dict[str, Any] = {}
    if target == "mcp":
        said = {"title": tool.title, "outputSchema": tool.output_schema, "annotations": _hints(tool)}
    elif target == "gemini":
        said = {"response": tool.output_schema}
    said = {name: value for name, value in said.items() if value not in (None, "", {})}
    mine = {"title": tool.title, "annotations": tool.annotations, "outputSchema": tool.output_schema}
    for name, value in mine.items():
        if (
            value not in (None, "", {})
            and name not in said
            and not (target == "gemini" and name == "outputSchema")
        ):
            losses.add((), name, f"removed: {target} has no field for it")
    for name, value in _others(tool).items():
        if tool.spelling == target.removesuffix("-strict") and tool.spelling in ("mcp", "anthropic"):
            said[name] = value
        else:
            losses.add((), name, f"removed: {target} has no field for it")
    if tool.strict and target in ("openai", "anthropic", "bedrock", "gemini", "mcp"):
        hint = f"; --to {target}-strict keeps it" if target in ("openai", "anthropic") else ""
        losses.add((), "strict", f"removed{hint}")
    return said


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
    found = {
        name: value
        for holder in holders
        if isinstance(holder, dict)
        for name, value in holder.items()
        if name not in _READ and value is not None
    }
    meta = found.get("_meta")
    if isinstance(meta, dict) and "rightcall" in meta:
        rest = {name: value for name, value in meta.items() if name != "rightcall"}
        found = {**found, "_meta": rest} if rest else {n: v for n, v in found.items() if n != "_meta"}
    return found
