"""A model's request to run a tool, and its result."""

from __future__ import annotations

import enum
import re
from collections.abc import Collection, Mapping
from typing import Any, Literal

from rightcall.records.approval import Approval
from rightcall.records.deepeval import Words, with_notes
from rightcall.records.record import Reading, Record, Several, Spelled

CallStatus = Literal["not_run", "ok", "error"]

CallKind = Literal["direct", "plumbing", "program", "hosted"]
"""How a call was made, by its type on the wire: directly; to find or load what the agent needs, as a search for tools;
to start a program that calls tools itself; or by the provider, which runs the tool. Plumbing and programs are judged
only where a golden names them."""

RAISED = "raised"
"""The note on what a tool raised, where its framework told the model something else."""


class ToolCallType(enum.Enum):
    """Where a tool comes from."""

    FUNCTION = "FUNCTION"
    MCP = "MCP"


IN_NOTES = ("type", "description", "reasoning")
"""DeepEval's fields of a call that no metric reads."""


class CallFields:
    """DeepEval's fields of a tool call."""

    __slots__ = ()
    _further_words = ("input_parameters", *IN_NOTES)

    @staticmethod
    def _respell(words: Words) -> Words:
        fields = dict(words)
        for word in ("input_parameters", "inputParameters"):
            if word in fields:
                if "arguments" in fields:
                    raise TypeError(f"'{word}' and 'arguments' mean the same; pass only one of them")
                fields["arguments"] = fields.pop(word) or {}
        if fields.get("output") is not None:
            fields.setdefault("status", "ok")
        return with_notes(fields, IN_NOTES)

    input_parameters = Reading[dict[str, Any] | None](lambda call: call.arguments or None)
    """The arguments; None when there are none."""
    type = Reading[ToolCallType](
        lambda call: ToolCallType.MCP if call.notes.get("type") == "MCP" else ToolCallType.FUNCTION
    )
    """A function, unless the call says otherwise."""
    description = Reading[str | None](lambda call: call.notes.get("description"))
    """What the tool does."""
    reasoning = Reading[str | None](lambda call: call.notes.get("reasoning"))
    """Why it was called."""


class ToolCall(Record, CallFields, frozen=True, metaclass=Spelled):
    """A tool call with its result, if it was run.

    `arguments` is None when the model's text was not a JSON object; `raw` then contains that text. If both
    are missing, the arguments are unknown, as in a trace without content or a list of names. Such a call is
    scored by its name only. `step` is the index of the assistant message: calls in one message are
    concurrent. None means that the order is known only from the call's position, one call per step. `notes`
    keeps extra data from other tools' files. `approval` is what was decided about a call that needed approval.

    `agent` is the agent that made the call; None means that it is not known, not that it is the root. `path` lists
    agents from the root to it, "" for one without a name: an agent that another one uses as a tool is below it, one
    that was handed the conversation takes its place. `records.agent_names` reads both. `caller` is the id of the
    program, or of the call to another agent, inside which the call was made.
    """

    name: str
    arguments: dict[str, Any] | None = {}
    id: str = ""
    step: int | None = None
    status: CallStatus = "not_run"
    output: Any = None
    latency_ms: float | None = None
    raw: str | None = None
    notes: dict[str, Any] = {}
    approval: Approval | None = None
    agent: str | None = None
    path: Several[str] = ()
    kind: CallKind = "direct"
    caller: str = ""

    @property
    def arguments_unknown(self) -> bool:
        """Whether the arguments were not recorded."""
        return self.arguments is None and self.raw is None


def as_tool_call(call: Any) -> ToolCall:
    """One of `tools_called`. A call given by name only has unknown arguments."""
    if isinstance(call, ToolCall):
        return call
    if isinstance(call, str):
        return ToolCall(call, None)
    if isinstance(call, Mapping):
        return ToolCall(**call)
    raise TypeError(f"a tool call must be a ToolCall, a mapping or a tool name, got {type(call).__name__}")


class ToolResult(Record, frozen=True):
    """The result of one call as the model saw it."""

    call_id: str
    output: Any = None
    is_error: bool = False
    name: str = ""


TRANSFERS = ("transfer_to_", "handoff_to_", "hand_off_to_")
TARGET_ARGUMENTS = ("agent_name", "to_agent", "agent", "target")
"""Arguments that name the agent that takes over, in tools that hand over to any."""
TASK_ARGUMENT = "subagent_type"
"""The argument by which deepagents and the Claude Agent SDK choose a sub-agent."""
NOBODY: frozenset[str] = frozenset()


def path_of(call: ToolCall) -> tuple[str, ...]:
    """Agents from the root to the one that made the call, "" for those without a name; empty when nothing is known."""
    if call.path:
        return tuple(call.path)
    if call.agent:
        return (call.agent,)
    notes = call.notes  # files of older versions
    agent = notes.get("agent")
    depth = notes.get("depth")
    agent = agent if isinstance(agent, str) else ""
    depth = depth if isinstance(depth, int) and 0 <= depth <= 1000 else 0
    return (*[""] * depth, agent) if agent or depth else ()


def agent_of(call: ToolCall) -> str:
    """The agent that made the call; empty when it is not known."""
    if call.agent:
        return call.agent
    path = path_of(call)
    return path[-1] if path else ""


def depth_of(call: ToolCall) -> int:
    """Inside how many agents used as tools the call was made."""
    return max(0, len(path_of(call)) - 1)


def handoff_of(call: ToolCall, team: Collection[str] = NOBODY) -> str:
    """The agent that a call hands the conversation to; empty if it is no hand-off.

    What was observed counts. A tool's name alone (`transfer_to_savings`) means a hand-off only to an agent of `team`.
    """
    noted = call.notes.get("handoff")
    if isinstance(noted, str) and noted:
        return noted
    name = call.name.lower()
    prefix = next((prefix for prefix in TRANSFERS if name.startswith(prefix)), "")
    if not prefix and not noted:
        return ""
    target = _text_argument(call, TARGET_ARGUMENTS) or (call.name[len(prefix) :] if prefix else "")
    member = _member(target, team)
    return member or (target if noted else "")


def delegate_of(call: ToolCall, team: Collection[str] = NOBODY) -> str:
    """The agent that does the work of a call and reports back; empty if the call is no delegation."""
    noted = call.notes.get("delegate")
    if isinstance(noted, str) and noted:
        return noted
    target = _text_argument(call, (TASK_ARGUMENT,))
    if target:
        return _member(target, team) or target
    return "" if handoff_of(call, team) else _member(call.name, team)


def same_name(name: str, other: str) -> bool:
    """Whether two spellings mean one agent: tool names keep no spaces and, in some frameworks, no capitals."""
    return name == other or _fold(name) == _fold(other)


def _member(name: str, team: Collection[str]) -> str:
    if name in team:
        return name
    return next((member for member in sorted(team) if name and same_name(name, member)), "")


def _fold(name: str) -> str:
    return re.sub(r"\W", "_", name).lower()


def _text_argument(call: ToolCall, names: tuple[str, ...]) -> str:
    arguments: Any = call.arguments or {}
    return next((value for name in names if isinstance(value := arguments.get(name), str) and value), "")
