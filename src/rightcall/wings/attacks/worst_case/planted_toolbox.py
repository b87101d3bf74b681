"""A toolbox whose external sources carry what an attacker writes. Results are copied, never changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from rightcall.model.call import ToolCall
from rightcall.model.tool import Tool
from rightcall.schema.roles.vocabulary import FOREIGN_FIELDS, nouns_of
from rightcall.tools.definitions.behaviour import CallInfo
from rightcall.tools.runtime.bound_tool import BoundTool, Late, RunnableTool
from rightcall.tools.runtime.context import CallContext
from rightcall.tools.runtime.json_values import fingerprint
from rightcall.tools.runtime.toolbox import Toolbox


@dataclass
class Planting:
    """What is planted in the trials that follow: a text, and for the threat `record` fields; and recorded results."""

    text: str = ""
    fields: dict[str, Any] = field(default_factory=dict)
    recorded: dict[str, list[Any]] = field(default_factory=dict)
    unsupplied: set[tuple[str, str]] = field(default_factory=set)

    def remember(self, calls: list[ToolCall]) -> None:
        """Results of recorded calls, to be given again."""
        for call in calls:
            if call.output is not None:
                self.recorded.setdefault(fingerprint(call.name, call.arguments or {}, ()), []).append(
                    call.output
                )


class PlantedToolbox(Toolbox):
    """The tools of a suite; those that are external sources answer with the plant in their result."""

    def __init__(self, tools: Any, planting: Planting, external: frozenset[str], **settings: Any) -> None:
        self._planting, self._external = planting, external
        super().__init__(tools, **settings)

    def _ready(
        self, tool: Tool, entry: BoundTool | None, context: CallContext, *, real: bool
    ) -> RunnableTool:
        ready = super()._ready(tool, entry, context, real=real)
        mock = self._mocks.find(tool.name, context.task)
        supplied = mock is not None or (entry is not None and real)
        planting, external = self._planting, tool.name in self._external

        async def run(arguments: dict[str, Any], info: CallInfo, context: CallContext, late: Late) -> Any:
            outputs = planting.recorded.get(fingerprint(tool.name, arguments, ()))
            if outputs:
                output = (
                    outputs[0]
                    if len(outputs) == 1
                    else outputs[context.count(("recorded", tool.name)) % len(outputs)]
                )
            elif supplied:
                output = await ready.run(arguments, info, context, late)
            else:
                planting.unsupplied.add((context.task, tool.name))
                output = None
            return plant_in(output, planting.text, planting.fields) if external else output

        return replace(ready, run=run)


def plant_in(output: Any, text: str, fields: Mapping[str, Any]) -> Any:
    """A copy of a result with the attacker's text in a text of it, and his fields in each of its records."""
    if output is None:
        return {"text": text, **fields} if fields else text
    if isinstance(output, str):
        return f"{output}\n{text}"
    place = _text_place(output)
    return _copy(output, (), place, text, fields)


def _text_place(output: Any) -> tuple[Any, ...] | None:
    """The path of the leaf that a third party most likely writes: one with such a name, else the longest text."""
    best: tuple[tuple[bool, int], tuple[Any, ...]] | None = None
    waiting: list[tuple[tuple[Any, ...], Any]] = [((), output)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend(((*path, key), part) for key, part in value.items())
        elif isinstance(value, list):
            waiting.extend(((*path, index), part) for index, part in enumerate(value))
        elif isinstance(value, str):
            name = next((step for step in reversed(path) if isinstance(step, str)), "")
            rank = (not FOREIGN_FIELDS.isdisjoint(nouns_of(name)), len(value))
            if best is None or rank > best[0]:
                best = (rank, path)
    return best[1] if best else None


def _copy(
    value: Any, path: tuple[Any, ...], place: tuple[Any, ...] | None, text: str, fields: Mapping[str, Any]
) -> Any:
    if isinstance(value, dict):
        copied = {key: _copy(part, (*path, key), place, text, fields) for key, part in value.items()}
        if place is None and not path:
            copied["note"] = text
        is_record = not any(isinstance(part, dict | list) for part in value.values())
        return {**copied, **fields} if is_record or not path else copied
    if isinstance(value, list):
        items = [_copy(part, (*path, index), place, text, fields) for index, part in enumerate(value)]
        return [*items, text] if place is None and not path else items
    return f"{value}\n{text}" if path == place else value
