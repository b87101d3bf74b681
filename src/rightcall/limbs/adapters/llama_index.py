"""LlamaIndex: the events that workflows write to their streams (`Context.write_event_to_stream`), inside a trial.

Noting them where they are written sees a function's own workflows too, and agents that are run inside a tool.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from typing import Any

from rightcall.agents.observed.adapter import (
    Adapter,
    AgentTalk,
    LimitReachedError,
    Watch,
    all_replaced,
    class_that_defines,
    watch_of,
)
from rightcall.agents.observed.values import arguments_of, plain, text_of
from rightcall.limbs.adapters.team_tools import team_tools
from rightcall.records.call import ToolCall
from rightcall.records.dialects.reported_usage import anthropic_usage, chat_usage
from rightcall.records.message import Message
from rightcall.records.tool import Tool
from rightcall.records.trajectory import Usage

NAME = "llama_index"
_INSIDE: ContextVar[tuple[int, str]] = ContextVar("rightcall_llama_index", default=(0, ""))
"""How deep a workflow is that runs here, and the id of the call whose tool runs it."""

REPAIRED = {"arguments_repaired_possible": True}
"""A partial-JSON parser may have changed the arguments before anything could see them."""


class _WorkflowTalk(AgentTalk):
    """Turns with one workflow, in one context that remembers them."""

    _context: Any = None
    _memory: Any = None

    async def say(self, text: str) -> Any:
        from llama_index.core.workflow import Context

        watch = self._watch
        if self._context is None:
            self._context = Context(self._agent)
        message = watch.given(text)
        more = {} if self._memory is None else {"memory": self._memory}
        handler = self._agent.run(user_msg=message, ctx=self._context, **more)
        try:
            result = await handler
            # Since workflows 2 a context that is used again has forgotten its memory.
            self._memory = await handler.ctx.store.get("memory", default=None)
        except BaseException as error:
            with suppress(Exception):
                await handler.cancel_run()
            if "max iterations" in str(error).lower():
                raise LimitReachedError(str(error)) from error
            raise
        if watch.output:
            return watch.output(result)
        structured = getattr(result, "structured_response", None)
        return text_of(structured if structured is not None else result.response.content)


class LlamaIndex(Adapter):
    """Watches the events of a FunctionAgent, a ReActAgent or an AgentWorkflow."""

    conversation = _WorkflowTalk

    def install(self) -> Callable[[], None]:
        from llama_index.core.agent.workflow import AgentWorkflow, CodeActAgent
        from llama_index.core.workflow import Context

        return all_replaced(
            (Context, "write_event_to_stream", _watch_write),
            (CodeActAgent, "take_step", _refuse_code),
            (class_that_defines(CodeActAgent, "run"), "run", _watch_run),
            (AgentWorkflow, "run", _watch_run),
        )

    def unheard(self, agent: Any) -> str:
        members = (getattr(agent, "agents", None) or {"": agent}).values()
        return CODE if any(type(member).__name__ == "CodeActAgent" for member in members) else ""

    def tools(self, agent: Any) -> list[Tool]:
        members = (getattr(agent, "agents", None) or {"": agent}).values()
        handoff = getattr(agent, "_get_handoff_tool", lambda member: None)
        described = [
            tool.metadata
            for member in members
            for tool in [*(getattr(member, "tools", None) or [member]), handoff(member)]
            if hasattr(tool, "metadata")
        ]
        return team_tools(
            Tool(about.name or "", about.description or "", plain(about.get_parameters_dict()))
            for about in described
        )


ADAPTER = LlamaIndex()
CODE = (
    "a CodeActAgent calls its tools inside your code_execute_fn, where they cannot be heard; use a FunctionAgent, or"
    " give a function that returns its calls"
)


def _refuse_code(original: Any) -> Any:
    async def take_step(self: Any, *args: Any, **options: Any) -> Any:
        watch = watch_of(NAME)
        if watch is not None:
            watch.refuse(CODE)
        return await original(self, *args, **options)

    return take_step


def _watch_run(original: Any) -> Any:
    """What an agent asks after its last answer, to give it a structure, is a part of its run."""

    def run(self: Any, *args: Any, **options: Any) -> Any:
        watch = watch_of(NAME)
        if watch is None:
            return original(self, *args, **options)
        with watch.recorder.run():  # its tasks copy the context here
            return original(self, *args, **options)

    return run


def _watch_write(original: Any) -> Any:
    def write_event_to_stream(self: Any, ev: Any) -> Any:
        watch = watch_of(NAME)
        if watch is not None:
            with watch.guarded("reading events"):
                _note(watch, ev)
        return original(self, ev)

    return write_event_to_stream


def _note(watch: Watch, event: Any) -> None:
    """One event. A tool runs in a task, between the events of its call and of its result."""
    kind = type(event).__name__
    (depth, parent) = _INSIDE.get()
    if kind == "AgentInput":
        watch.recorder.asked([_message(message) for message in event.input])
    elif kind == "AgentOutput":
        raw = plain(event.raw) if event.raw is not None else {}
        written = _raw_arguments(raw)
        calls = [_call(selected, written) for selected in event.tool_calls]
        watch.recorder.answered(
            text_of(event.response.content), calls, usage=_usage(raw), agent=event.current_agent_name,
            depth=depth, parent=parent,
        )  # fmt: skip
    elif kind == "ToolCall":
        _INSIDE.set((depth + 1, event.tool_id))
        watch.recorder.tool_started(event.tool_id, event.tool_name, event.tool_kwargs, event.tool_id)
    elif kind == "ToolCallResult":
        _INSIDE.set((depth - 1, "") if depth else (0, ""))
        failed = bool(event.tool_output.is_error)
        watch.recorder.tool_ended(event.tool_id, plain(event.tool_output.content), error=failed)


def _message(message: Any) -> Message:
    role = str(getattr(message.role, "value", message.role))
    if role in ("user", "assistant"):
        return Message("user" if role == "user" else "assistant", message.content or "")
    return Message("system")


def _call(selected: Any, written: dict[str, Any]) -> ToolCall:
    """A call with the arguments the provider sent, where its own answer still has them."""
    target = (selected.tool_kwargs or {}).get("to_agent") or True
    notes = {"handoff": plain(target)} if selected.tool_name == "handoff" else {}
    if selected.tool_id in written:
        arguments, raw = arguments_of(written[selected.tool_id])
        return ToolCall(selected.tool_name, arguments, selected.tool_id, raw=raw, notes=notes)
    tool_arguments = plain(selected.tool_kwargs)
    return ToolCall(selected.tool_name, tool_arguments, selected.tool_id, notes={**notes, **REPAIRED})


def _raw_arguments(raw: Any) -> dict[str, Any]:
    """Arguments by call id in a raw chat completion."""
    arguments = {}
    choices = raw.get("choices") if isinstance(raw, dict) else None
    for choice in choices if isinstance(choices, list) else ():
        message = (choice.get("message") or choice.get("delta") or {}) if isinstance(choice, dict) else {}
        for call in message.get("tool_calls") or ():
            function = call.get("function") or {}
            if call.get("id") and isinstance(function.get("arguments"), str):
                arguments[call["id"]] = function["arguments"]
    return arguments


def _usage(raw: Any) -> Usage:
    counts = raw.get("usage") if isinstance(raw, dict) else None
    usage = chat_usage(counts)
    return usage if usage.input_tokens is not None else anthropic_usage(counts)
