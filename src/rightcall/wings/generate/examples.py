"""Values that a model writes for what a tool's schema leaves open: once a tool, and only those that fit the schema."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from rightcall.core.codec import encode
from rightcall.model.record import Record
from rightcall.model.tool import Tool
from rightcall.model.trajectory import Usage
from rightcall.tools.definitions.validate import fits
from rightcall.wings.generate.kit import Kit
from rightcall.wings.generate.scribe import Unreadable
from rightcall.wings.generate.values import has_usable_schema, open_parameters

COUNT = 8


class PlannedTools(Record, frozen=True):
    """Tools whose parameters have values to draw from; why the others have none; what the examples cost."""

    tools: dict[str, Tool]
    refusals: dict[str, str]
    usage: Usage = Usage()


async def planned_tools(tools: Sequence[Tool], kit: Kit) -> PlannedTools:
    """The tools with `examples` for every open parameter."""
    usable = [tool for tool in tools if has_usable_schema(tool)]
    refusals = {tool.name: "its schema is invalid" for tool in tools if tool not in usable}
    exemplified, usage = list[Tool](), Usage()
    for tool, used in await asyncio.gather(*(_exemplified(tool, kit) for tool in usable)):
        exemplified.append(tool)
        usage = usage.plus(used)
    for tool in exemplified:
        required = tool.input_schema.get("required") or ()
        if lacking := [name for name in open_parameters(tool) if name in required]:
            refusals[tool.name] = f"the model wrote no example that fits {lacking[0]}"
    planned = {tool.name: tool for tool in exemplified if tool.name not in refusals}
    return PlannedTools(planned, refusals, usage)


async def _exemplified(tool: Tool, kit: Kit) -> tuple[Tool, Usage]:
    names = open_parameters(tool)
    if not names:
        return tool, Usage()
    scribe = kit.scribe(f"examples-{tool.name}")
    definition = encode({"description": tool.description, "parameters": tool.input_schema}).decode()
    values = {"definition": definition, "names": ", ".join(names), "count": COUNT}
    try:
        examples = await scribe.record("examples", "examples", dict[str, list[Any]], values)
    except Unreadable:
        return tool, scribe.usage
    return with_examples(tool, {name: examples.get(name, []) for name in names}), scribe.usage


def with_examples(tool: Tool, examples: Mapping[str, list[Any]]) -> Tool:
    """The tool with those examples that fit."""
    schema, properties = tool.input_schema, dict(tool.parameters)
    for name, values in examples.items():
        inner = properties[name] if isinstance(properties[name], dict) else {}
        rooted = {"$defs": schema.get("$defs", {}), "definitions": schema.get("definitions", {}), **inner}
        if fitting := [value for value in values if fits(rooted, value, name)]:
            properties[name] = {**inner, "examples": fitting}
    return msgspec.structs.replace(tool, input_schema={**schema, "properties": properties})
