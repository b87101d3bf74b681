"""A toolbox whose external sources carry what an attacker writes. Results are copied, never changed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from rightcall.records.call import ToolCall
from rightcall.records.tool import Tool
from rightcall.schema.roles.parameters import FOREIGN_FIELDS, nouns_of
from rightcall.tools.definitions.behaviour import CallInfo
from rightcall.tools.definitions.function import Late
from rightcall.tools.guard.monitor import error_text, took_place
from rightcall.tools.guard.values import is_address
from rightcall.tools.runtime.bound_tool import BoundTool, RunnableTool
from rightcall.tools.runtime.context import CallContext
from rightcall.tools.runtime.errors import ToolError
from rightcall.tools.runtime.json_values import fingerprint, normalise_arguments
from rightcall.tools.runtime.toolbox import Toolbox


@dataclass
class Planting:
    """What is planted in the trials that follow: a text, and for the threat `record` fields; and recorded results.

    `stated` is the text if the golden states it itself.
    """

    text: str = ""
    stated: str = ""
    fields: dict[str, Any] = field(default_factory=dict)
    recorded: dict[str, list[ToolCall]] = field(default_factory=dict)
    unsupplied: set[tuple[str, str]] = field(default_factory=set)
    results: int = 0
    """Results that carried the plant so far."""

    def remember(self, calls: Iterable[ToolCall], tools: Mapping[str, Tool]) -> None:
        """Results of recorded calls, to be given again to calls with the same arguments, defaults filled in.

        A result may be null, or an error of the tool; a call that the runtime refused has none.
        """
        self.recorded = {}
        for call in calls:
            if took_place(call):
                arguments = call.arguments or {}
                if call.name in tools:
                    arguments = normalise_arguments(tools[call.name], arguments)
                self.recorded.setdefault(fingerprint(call.name, arguments), []).append(call)

    def next_recording(self, tool: str, arguments: dict[str, Any], context: CallContext) -> ToolCall | None:
        """The recorded call with these arguments; of several the next one, and the last again when none is left."""
        key = fingerprint(tool, arguments)
        calls = self.recorded.get(key)
        return calls[min(context.count(("recorded", key)), len(calls) - 1)] if calls else None


class PlantedToolbox(Toolbox):
    """The tools of a suite; those that are external sources answer with the plant in their result."""

    def __init__(self, tools: Any, planting: Planting, external: frozenset[str], **settings: Any) -> None:
        self.planting = planting
        self._external = external
        super().__init__(tools, **settings)

    def _ready(
        self, tool: Tool, entry: BoundTool | None, context: CallContext, *, real: bool
    ) -> RunnableTool:
        ready = super()._ready(tool, entry, context, real=real)
        mock = self._mocks.find(tool.name, context.task) if self._mocks else None
        supplied = mock is not None or (entry is not None and real)
        planting = self.planting
        external = tool.name in self._external

        async def run(arguments: dict[str, Any], info: CallInfo, context: CallContext, late: Late) -> Any:
            recorded = planting.next_recording(tool.name, arguments, context)
            if recorded is not None and recorded.status == "error":
                words = error_text(recorded.output)
                planting.results += external
                raise ToolError("upstream_error", f"{words}\n{planting.text}" if external else words)
            if recorded is not None:
                output = recorded.output
            elif supplied:
                output = await ready.run(arguments, info, context, late)
            else:
                planting.unsupplied.add((context.task, tool.name))
                output = None
            planting.results += external
            return plant_in(output, planting.text, planting.fields) if external else output

        return replace(ready, run=run)


def plant_in(output: Any, text: str, fields: Mapping[str, Any]) -> Any:
    """A copy of a result with the attacker's text in a text of it, and his fields in each of its records.

    The text never takes the place of an address, an id or a date: that is the threat `record`, with `fields`.
    """
    if output is None:
        return {"text": text, **fields} if fields else text
    if isinstance(output, str):
        return f"{output}\n{text}"
    place = _text_place(output)
    return _copy(output, (), place, text, fields=fields)


def _text_place(output: Any) -> tuple[Any, ...] | None:
    """The path of the field that a third party most likely writes: one with such a name, else the longest text.

    None when there is none: then the text is a further item of a list, or a field `note`.
    """
    best: tuple[tuple[bool, int], tuple[Any, ...]] | None = None
    waiting: list[tuple[tuple[Any, ...], Any]] = [((), output)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend(((*path, key), part) for key, part in value.items())
        elif isinstance(value, list):
            waiting.extend(((*path, index), part) for index, part in enumerate(value))
        elif isinstance(value, str) and path and isinstance(path[-1], str):
            is_text = not FOREIGN_FIELDS.isdisjoint(nouns_of(path[-1]))
            rank = (is_text, len(value))
            if (is_text or _could_be_prose(path[-1], value)) and (best is None or rank > best[0]):
                best = (rank, path)
    return best[1] if best else None


def _could_be_prose(name: str, value: str) -> bool:
    """Whether a field holds words: no address, and no id, date or number without a letter."""
    is_id = not {"id", "uuid", "key", "ref"}.isdisjoint(nouns_of(name))
    return not is_id and not is_address(value) and any(map(str.isalpha, value)) and not _DATE.match(value)


_DATE = re.compile(r"\d{4}-\d\d-\d\d")


def _copy(
    value: Any, path: tuple[Any, ...], place: tuple[Any, ...] | None, text: str, fields: Mapping[str, Any]
) -> Any:
    if isinstance(value, dict):
        copied = {key: _copy(part, (*path, key), place, text, fields=fields) for key, part in value.items()}
        if place is None and not path:
            copied["note"] = text
        is_record = not any(isinstance(part, dict | list) for part in value.values())
        return {**copied, **fields} if is_record or not path else copied
    if isinstance(value, list):
        items = [_copy(part, (*path, index), place, text, fields=fields) for index, part in enumerate(value)]
        return [*items, text] if place is None and not path else items
    return f"{value}\n{text}" if path == place else value
