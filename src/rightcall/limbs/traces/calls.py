"""Calls from answers and tool spans: the call is what the model wrote, the result is what the tool did."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import msgspec

from rightcall.agents.observed.framework_names import INFERRED
from rightcall.core.errors import InputError
from rightcall.limbs.traces.content import ABSENT, arguments_of
from rightcall.limbs.traces.messages import Called
from rightcall.limbs.traces.problems import Problems
from rightcall.limbs.traces.span import Observation, SpanPlace
from rightcall.records.call import CallStatus, ToolCall, ToolResult
from rightcall.records.dialects import read_tool
from rightcall.records.tool import Tool

NO_NAME = "?"
"""The name of a call whose span has none."""


def tool_name(definition: dict[str, Any]) -> str:
    """The name in a definition of any spelling; empty when there is none."""
    function = definition.get("function")
    name = function.get("name") if isinstance(function, dict) else definition.get("name")
    return name if isinstance(name, str) else ""


def tools_from(definitions: list[dict[str, Any]]) -> tuple[Tool, ...]:
    """Tools by name from definitions in any format; invalid ones are skipped."""
    tools: dict[str, Tool] = {}
    for raw in definitions:
        name = tool_name(raw)
        if not name or name in tools:  # every request repeats them
            continue
        cleaned = {key: value for key, value in raw.items() if value is not None}
        try:
            tool = read_tool(cleaned, "a tool definition")
        except InputError:
            continue
        if tool.name:
            tools.setdefault(tool.name, tool)
    return tuple(tools.values())


@dataclass
class CallSlot:
    """A call of one step, to be completed by the span of its tool and by the result the model was shown.

    `model` gave the answer of its step; None where no answers were recorded.
    `offered` is False when the request lists its tools and this is not one of them. `handoff` is the agent that the
    call hands over to, `delegate` the one that does its work, `parent` the id of the call that its agent works for.
    """

    step: int
    model: Observation | None
    called: Called
    tool: Observation | None = None
    told: ToolResult | None = None
    offered: bool = True
    handoff: str = ""
    delegate: str = ""
    parent: str = ""
    arguments: dict[str, Any] | None = field(init=False)
    raw: str | None = field(init=False)

    def __post_init__(self) -> None:
        self.arguments, self.raw = arguments_of(self.called.arguments)

    @property
    def place(self) -> SpanPlace:
        """Where it was made: that of its tool, or of the answer that asked for it where the tool's names no agent."""
        ran = self.tool.place if self.tool is not None else SpanPlace()
        return ran if ran.path or self.model is None else self.model.place


def slots_of(models: Sequence[Observation]) -> list[CallSlot]:
    """One slot for each call in an answer; each model span is a step."""
    slots = []
    for step, model in enumerate(models):
        offered = {tool_name(raw) for raw in model.tools}
        for called in model.answer.calls if model.answer is not None else ():
            is_offered = not offered or called.name in offered
            slots.append(CallSlot(step, model, called, offered=is_offered))
    return slots


def join(
    slots: list[CallSlot], tools: Sequence[Observation], models: Sequence[Observation]
) -> list[CallSlot]:
    """Every slot with its tool span, and one more slot for each span that no answer requested.

    A span belongs to the latest earlier step that requested it: by id (ids may repeat over steps), otherwise
    by name and arguments, otherwise by name.
    """
    left = list(tools)
    for fits in (_same_id, _same_arguments, _same_name, _hands_over):
        left = [tool for tool in left if not _place_tool(slots, tool, fits)]
    if not models:
        return slots + _concurrent_slots(left)
    starts = [model.span.start for model in models]  # in the order of time
    steps = [max(0, bisect_right(starts, tool.span.start) - 1) for tool in left]
    extra = [_slot_of(tool, step, models[step]) for tool, step in zip(left, steps, strict=True)]
    return sorted(slots + extra, key=lambda slot: slot.step)  # stable: answers first, then by time


def _place_tool(
    slots: list[CallSlot], tool: Observation, fits: Callable[[CallSlot, Observation], bool]
) -> bool:
    free = [slot for slot in slots if slot.tool is None and fits(slot, tool)]
    before = [slot for slot in free if slot.model and slot.model.span.start <= tool.span.start]
    if not before and not (free and fits is _same_id):
        return False
    latest = max(slot.step for slot in before) if before else min(slot.step for slot in free)
    next(slot for slot in (before or free) if slot.step == latest).tool = tool
    return True


def _same_id(slot: CallSlot, tool: Observation) -> bool:
    return bool(tool.call_id) and slot.called.id == tool.call_id


def _same_arguments(slot: CallSlot, tool: Observation) -> bool:
    if slot.called.name != tool.name or _other_id(slot, tool):
        return False
    arguments, _ = arguments_of(tool.arguments)
    return arguments is not None and arguments == slot.arguments


def _same_name(slot: CallSlot, tool: Observation) -> bool:
    return slot.called.name == tool.name and not _other_id(slot, tool)


def _hands_over(slot: CallSlot, tool: Observation) -> bool:
    """A handoff whose call has a different name: the last answer before it has no other call without a span."""
    return bool(tool.handoff)


def _other_id(slot: CallSlot, tool: Observation) -> bool:
    return bool(tool.call_id and slot.called.id and tool.call_id != slot.called.id)


def _concurrent_slots(tools: Sequence[Observation]) -> list[CallSlot]:
    """Without answers, overlapping tools count as concurrent calls."""
    slots: list[CallSlot] = []
    step = -1
    busy_until = 0
    parent = ""
    for tool in tools:
        if step < 0 or tool.span.start >= busy_until or tool.span.parent_id != parent:
            step = step + 1
            parent = tool.span.parent_id
            busy_until = 0
        busy_until = max(busy_until, tool.span.end)
        slots.append(_slot_of(tool, step))
    return slots


def _slot_of(tool: Observation, step: int, model: Observation | None = None) -> CallSlot:
    return CallSlot(step, model, Called(tool.name, ABSENT, tool.call_id), tool)


def tell(slots: list[CallSlot], models: Sequence[Observation]) -> None:
    """Fill each slot from later requests: the result with its id, after its own step."""
    waiting: dict[str, list[CallSlot]] = {}
    asked = iter(slots)
    upcoming = next(asked, None)
    for step, model in enumerate(models):
        while upcoming is not None and upcoming.step < step:
            if upcoming.called.id:
                waiting.setdefault(upcoming.called.id, []).append(upcoming)
            upcoming = next(asked, None)
        for result in chain.from_iterable(message.results for message in model.asked or ()):
            for slot in waiting.pop(result.call_id, ()) if result.call_id else ():
                slot.told = result


def call_of(
    slot: CallSlot, definitions: Mapping[str, Tool], problems: Problems, *, any_tool_spans: bool
) -> ToolCall:
    """The call that a slot became."""
    name = slot.called.name or NO_NAME
    place = slot.place
    if slot.tool is not None and not slot.tool.name:
        problems.add("tool_name")
    arguments = slot.arguments
    raw = slot.raw
    if arguments is None and raw is None and slot.tool is not None:
        arguments, raw = arguments_of(slot.tool.arguments)
        if slot.tool.loose:
            raw = None  # arguments passed on by a framework are not what the model wrote
    if arguments is None and raw is None and _means_none(slot):
        tool = definitions.get(name)
        arguments = None if tool is None or tool.needs_arguments else {}
    status, output = _outcome(slot, any_tool_spans)
    return ToolCall(
        name,
        arguments,
        slot.called.id or (slot.tool.call_id if slot.tool else ""),
        slot.step,
        status=status,
        output=output,
        latency_ms=slot.tool.span.latency_ms if slot.tool else None,
        raw=raw,
        notes=_notes(slot) | (INFERRED if place.inferred else {}),
        agent=place.agent_name or None,
        path=place.path,
    )


def _means_none(slot: CallSlot) -> bool:
    """Whether arguments were recorded as empty, rather than not recorded."""
    arguments = (slot.called.arguments, slot.tool.arguments if slot.tool else ABSENT)
    return any(value is None or value == "" for value in arguments if value is not ABSENT)


def _outcome(slot: CallSlot, any_tool_spans: bool) -> tuple[CallStatus, Any]:
    if slot.tool is not None:
        output = None if slot.tool.result is ABSENT else slot.tool.result
        return ("error" if slot.tool.failed else "ok"), output
    if slot.told is None:
        return "not_run", None
    if slot.told.is_error or not slot.offered:
        # The result for a tool that was not offered only says that it does not exist.
        return "error", slot.told.output
    # Where only models were instrumented, a result shows that it ran.
    return ("not_run", None) if any_tool_spans else ("ok", slot.told.output)


def _notes(slot: CallSlot) -> dict[str, Any]:
    error = slot.tool.error[:2000] if slot.tool is not None and slot.tool.failed else ""
    notes = {"error": error, "parent": slot.parent, "handoff": slot.handoff, "delegate": slot.delegate}
    return {name: note for name, note in notes.items() if note}


def canonical(call: ToolCall) -> str:
    """A call's name and arguments as one text, equal for equal calls."""
    arguments = call.raw if call.arguments is None else call.arguments
    return f"{call.name} {msgspec.json.encode(arguments, order='deterministic').decode()}"
