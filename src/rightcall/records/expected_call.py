"""One call that should happen, and the patterns by which tools and agents are named."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from rightcall.records.call import CallStatus, ToolCall, as_tool_call
from rightcall.records.record import Amount, Count, Record, Sequenced, Several
from rightcall.records.tool import ToolKind

ToolPattern = str | tuple[str, ...] | dict[str, str | tuple[str, ...]]
"""A tool name, a list of acceptable names, or `{"regex": …}` matching the whole name. `{"handoff": NAME}` is a call
that hands the conversation to that agent, `{"delegate": NAME}` one whose work it does, whatever the call's name."""

AgentPattern = str | tuple[str, ...] | dict[str, Any]
"""An agent's name, the end of the path to it (`triage/lookup`), a list of either, or a matcher for the name."""

NOT_GIVEN = ("",)
"""The tool of an expected call that names none; recognized by identity, since `[""]` is a (useless) list of names."""


class AgentBudget(Record, frozen=True):
    """What one agent may use in a case, for its calls and answers alone: agents that it uses as tools do not count."""

    max_calls: Count | None = None
    max_tokens: Count | None = None
    max_latency_ms: Amount | None = None


class ExpectedCall(Record, frozen=True, metaclass=Sequenced):
    """One call that should happen.

    `args` contains a matcher for each parameter: a bare value means exactly that value, an object with one
    known matcher key is that matcher. Without `args` any arguments are accepted; `{}` means no arguments.
    `after` names the ids of expected calls that must come in a strictly earlier step. The call must occur
    between `min` and `max` times (`max` defaults to `min`); `required: false` makes all of them optional.
    `weight` is the call's weight in parameter accuracy. `by` is the agent that must make the call; where the agent is
    not known, it is not judged. `handoff` and `delegate` are written instead of `tool` and name the agent that a call
    gives work to; a record has them as its `tool`. `kind` says that the tool must be a skill, an agent or a plain
    tool; no metric reads it. `notes` keeps extra data from other tools' files
    about the call (its type, a description, why it is made, its output); no metric reads them.
    """

    tool: ToolPattern = NOT_GIVEN
    args: dict[str, Any] | None = None
    extra_args: Literal["forbid", "ignore"] = "forbid"
    forbidden_args: Several[str] = ()
    after: Several[str] = ()
    required: bool = True
    id: str = ""
    min: Count = 1
    max: Count | None = None
    weight: Amount = 1.0
    notes: dict[str, Any] = {}
    kind: ToolKind | None = None
    by: AgentPattern | None = None
    handoff: str | tuple[str, ...] | None = None
    delegate: str | tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if self.handoff is None and self.delegate is None and self.tool is not NOT_GIVEN:
            return
        targets = {"handoff": self.handoff, "delegate": self.delegate}
        stated = {word: target for word, target in targets.items() if target is not None}
        if not stated:
            raise ValueError("Object missing required field `tool`")
        if len(stated) > 1 or self.tool is not NOT_GIVEN or not all(stated.values()):
            raise ValueError("an expected call needs one of tool, handoff and delegate, with a name")
        msgspec.structs.force_setattr(self, "tool", stated)
        msgspec.structs.force_setattr(self, "handoff", None)
        msgspec.structs.force_setattr(self, "delegate", None)

    @property
    def plain_arguments(self) -> dict[str, Any] | None:
        """The exact arguments; None if any are accepted or one has another matcher."""
        specs = {} if self.args is None else self.args
        plain = all(
            not callable(spec) and (not isinstance(spec, dict) or spec.keys() == {"exact"})
            for spec in specs.values()
        )
        if self.args is None or not plain:
            return None
        return {name: spec["exact"] if isinstance(spec, dict) else spec for name, spec in specs.items()}

    def as_tool_call(self) -> ToolCall:
        """The call as if it had been made; arguments with matchers, which no call has, are left out."""
        notes = {key: value for key, value in self.notes.items() if key != "output"}
        name = str(_first(self.tool))
        agent = _first(self.by) if isinstance(self.by, str | tuple) else None
        if isinstance(self.tool, dict) and (word := next(iter(self.tool))) != "regex":
            notes[word] = name = str(_first(self.tool[word]))
            name = f"transfer_to_{name}" if word == "handoff" else name
        output = self.notes.get("output")
        status: CallStatus = "not_run" if output is None else "ok"
        call = ToolCall(name, self.plain_arguments or {}, status=status, output=output, notes=notes)
        path = tuple(agent.split("/")) if agent else ()
        return replace(call, agent=path[-1], path=path) if path else call


def _first(pattern: Any) -> Any:
    """The first name of a pattern."""
    if isinstance(pattern, str):
        return pattern
    return next(iter(pattern.values() if isinstance(pattern, dict) else pattern))


def as_expected_call(tool: Any) -> ExpectedCall:
    """One of `expected_tools`: a tool's name, a `ToolCall`, or a mapping as in a file."""
    if isinstance(tool, ExpectedCall):
        return tool
    if isinstance(tool, str):
        return ExpectedCall(tool)
    call = as_tool_call(tool)
    args = {name: literal(value) for name, value in call.arguments.items()} if call.arguments else None
    notes = call.notes if call.output is None else {**call.notes, "output": call.output}
    return ExpectedCall(call.name, args, notes=notes)


def literal(value: Any) -> Any:
    """Wrap an object that would be read as a matcher because of its key, so that it is taken literally."""
    return {"exact": value} if isinstance(value, dict) else value


def is_target(pattern: Any) -> bool:
    """Whether a pattern names the agent that a call gives work to, not a tool."""
    return isinstance(pattern, dict) and not pattern.keys().isdisjoint(("handoff", "delegate"))


class Expectations(Record, frozen=True, metaclass=Sequenced):
    """What the answer must and must not do, in plain words, for a judge; `model` and `eval_mode` choose the judge."""

    must: Several[str] = ()
    must_not: Several[str] = ()
    model: str | None = None
    eval_mode: str | None = None
