"""Haystack: the steps of its `Agent` component, wherever the agent runs: alone, in a pipeline or inside a tool.

An agent asks the model and runs the tools in functions of two modules; those are wrapped, so that agents keep their own
hooks, tracers and generators as they are.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from time import perf_counter
from typing import Any

from rightcall.agents.observed.adapter import (
    Adapter,
    AgentTalk,
    LimitReachedError,
    Talk,
    Watch,
    all_replaced,
    watch_of,
)
from rightcall.agents.observed.values import plain, text_of
from rightcall.core.errors import ConfigError
from rightcall.core.event_loop import run_blocking
from rightcall.records.call import ToolCall, ToolResult
from rightcall.records.message import Message
from rightcall.records.tool import Tool
from rightcall.records.trajectory import Usage

NAME = "haystack"

_INSIDE: ContextVar[tuple[int, str]] = ContextVar("rightcall_haystack", default=(0, ""))
"""How deep the agent is that runs here, and the id of the call whose tool runs it."""
_STARTED: ContextVar[float] = ContextVar("rightcall_haystack_started", default=0.0)


class Haystack(Adapter):
    """Watches `haystack.components.agents.Agent`."""

    def install(self) -> Callable[[], None]:
        from haystack.components.agents import agent, tool_calling

        return all_replaced(
            (agent.Agent, "_run_step", _watch_step),
            (agent.Agent, "_run_step_async", _watch_step),
            (agent, "_record_llm_usage", _watch_replies),
            (tool_calling, "_make_context_bound_invoke", _watch_tool),
            (tool_calling, "_make_bounded_invoke_async", _watch_async_tool),
        )

    def talk(self, agent: Any, watch: Watch) -> Talk:
        return _PipelineTalk(agent, watch) if hasattr(agent, "add_component") else _AgentTalk(agent, watch)

    def tools(self, agent: Any) -> list[Tool]:
        from haystack.tools import flatten_tools_or_toolsets

        parts = [part for _, part in agent.walk()] if hasattr(agent, "walk") else [agent]
        tools: dict[str, Tool] = {}
        for part in parts:
            offered = [part] if hasattr(part, "tool_spec") else getattr(part, "tools", None) or []
            for tool in flatten_tools_or_toolsets(offered):
                tools.setdefault(tool.name, _definition(tool))
        return list(tools.values())


ADAPTER = Haystack()


class _AgentTalk(AgentTalk):
    """Turns with one agent, which remembers nothing: each turn is given the messages of those before."""

    _history: Sequence[Any] = ()

    async def say(self, text: str) -> Any:
        from haystack.dataclasses import ChatMessage

        watch = self._watch
        inputs = watch.given(text)
        more = dict(inputs) if isinstance(inputs, dict) else {}
        messages = more.pop("messages", [] if isinstance(inputs, dict) else inputs)
        if not isinstance(messages, list):
            messages = [ChatMessage.from_user(messages) if isinstance(messages, str) else messages]
        result = await self._agent.run_async(messages=[*self._history, *messages], **more)
        # The agent puts its own system prompt before the messages in every run.
        self._history = [m for m in result["messages"] if m.role.value != "system"]
        if result.get("exit_reason") == "max_agent_steps":
            raise LimitReachedError(f"the agent reached its limit of {self._agent.max_agent_steps} steps")
        return watch.output(result) if watch.output else _answer(result.get("last_message"))


class _PipelineTalk(AgentTalk):
    """Turns with a pipeline, which remembers what its own components do."""

    async def say(self, text: str) -> Any:
        watch = self._watch
        pipeline = self._agent
        inputs = watch.given(text)
        if not isinstance(inputs, dict):
            raise ConfigError(
                "a Haystack pipeline takes a dict of its components' inputs: rc.observe(pipeline,"
                ' input=lambda golden: {"agent": {"messages": [ChatMessage.from_user(golden.input)]}})'
            )
        run = getattr(pipeline, "run_async", None)
        result = await run(inputs) if run is not None else await asyncio.to_thread(pipeline.run, inputs)
        if watch.output:
            return watch.output(result)
        outputs = [part for part in result.values() if isinstance(part, dict)]
        last = next((part["last_message"] for part in reversed(outputs) if "last_message" in part), None)
        return _answer(last) if last is not None else text_of(result)


def _answer(message: Any) -> str:
    """The text of the last message, or the result of the tool that ended the run."""
    if message is None:
        return ""
    text = message.text
    return text_of([r.result for r in message.tool_call_results] if text is None else text)


def _watch_step(original: Any) -> Any:
    """A step, or the coroutine of one."""

    from haystack.tools import flatten_tools_or_toolsets

    def step(self: Any, exe_context: Any, agent_span: Any) -> Any:
        watch = watch_of(NAME)
        if watch is not None:
            with watch.guarded("reading a request"):
                tools = [_definition(tool) for tool in flatten_tools_or_toolsets(exe_context.tools)]
                messages = exe_context.state.data["messages"]
                said = (
                    [Message(m.role.value, m.text or "") for m in messages]
                    if watch.recorder.turn_begins
                    else []
                )
                watch.recorder.asked([*said, *_results(messages)], tools)
            _STARTED.set(perf_counter())
        return original(self, exe_context=exe_context, agent_span=agent_span)

    return step


def _watch_replies(original: Any) -> Any:
    def record(*args: Any, state: Any, llm_messages: Any, **more: Any) -> Any:
        watch = watch_of(NAME)
        if watch is not None:
            with watch.guarded("reading a reply"):
                _note(watch, llm_messages)
        return original(*args, state=state, llm_messages=llm_messages, **more)

    return record


def _note(watch: Watch, messages: Any) -> None:
    depth, parent = _INSIDE.get()
    taken = round((perf_counter() - _STARTED.get()) * 1000, 3)
    for message in messages:
        calls = [ToolCall(c.tool_name, plain(c.arguments), c.id or "") for c in message.tool_calls]
        watch.recorder.answered(
            message.text or "", calls, usage=_usage(message.meta.get("usage")), ms=taken,
            finish=str(message.meta.get("finish_reason") or ""), depth=depth, parent=parent,
        )  # fmt: skip


def _watch_tool(original: Any) -> Any:
    """The maker of a call that a thread runs, in a copy of the context taken here."""

    def make(*args: Any, tool_call: Any, **more: Any) -> Any:
        watch = watch_of(NAME)
        outside = _INSIDE.get()
        if watch is None:
            return original(*args, tool_call=tool_call, **more)
        _INSIDE.set((outside[0] + 1, tool_call.id or ""))
        inner = original(*args, tool_call=tool_call, **more)
        _INSIDE.set(outside)

        async def real() -> Any:
            return inner()

        return lambda: (
            run_blocking(_run(watch, tool_call, real))
            if watch.desk
            else _run_and_note(watch, tool_call, inner)
        )

    return make


def _watch_async_tool(original: Any) -> Any:
    def make(*args: Any, tool_call: Any, **more: Any) -> Any:
        watch = watch_of(NAME)
        inner = original(*args, tool_call=tool_call, **more)

        async def run() -> Any:
            if watch is None:
                return await inner()
            _INSIDE.set((_INSIDE.get()[0] + 1, tool_call.id or ""))  # for this task alone
            return await _run(watch, tool_call, inner)

        return run

    return make


def _run_and_note(watch: Watch, tool_call: Any, run: Callable[[], Any]) -> Any:
    key = _note_start(watch, tool_call)
    result = run()
    _note_end(watch, key, result)
    return result


async def _run(watch: Watch, tool_call: Any, inner: Callable[[], Any]) -> Any:
    """Run one tool, by the desk if there is one; a failure is returned, as by the framework."""
    key = _note_start(watch, tool_call)
    result = await (inner() if watch.desk is None else _at_desk(watch, tool_call, inner))
    _note_end(watch, key, result)
    return result


def _note_start(watch: Watch, tool_call: Any) -> object:
    key = object()
    with watch.guarded("reading a tool's start"):
        watch.recorder.tool_started(key, tool_call.tool_name, plain(tool_call.arguments), tool_call.id or "")
    return key


def _note_end(watch: Watch, key: object, result: Any) -> None:
    with watch.guarded("reading a tool's result"):
        failed = result if isinstance(result, Exception) else None
        watch.recorder.tool_ended(key, str(failed) if failed else plain(result), error=failed)


async def _at_desk(watch: Watch, tool_call: Any, inner: Callable[[], Any]) -> Any:
    from haystack.tools.errors import ToolInvocationError

    async def real() -> Any:
        result = await inner()
        if isinstance(result, Exception):
            raise result
        return result

    assert watch.desk is not None
    try:
        answer = await watch.desk.run(
            tool_call.tool_name, plain(tool_call.arguments), tool_call.id or "", real
        )
    except ToolInvocationError as error:
        return error
    if answer.failed:
        return ToolInvocationError(text_of(answer.output), tool_name=tool_call.tool_name)
    return answer.output


def _definition(tool: Any) -> Tool:
    return Tool(tool.name, tool.description or "", plain(tool.parameters))


def _results(messages: Any) -> list[Message]:
    """The results since the last answer: of tools that never ran, since they do not exist or were rejected."""
    results: list[ToolResult] = []
    for message in reversed(messages):
        if message.role.value != "tool":
            break
        results += [
            ToolResult(r.origin.id or "", plain(r.result), bool(r.error)) for r in message.tool_call_results
        ]
    return [Message("tool", results=tuple(results))] if results else []


def _usage(counts: Any) -> Usage | None:
    """Tokens as OpenAI's or Anthropic's generators report them; only the latter leave cached ones out of the input."""
    if not isinstance(counts, dict) or not counts:
        return None
    asked = counts.get("prompt_tokens", counts.get("input_tokens")) or 0
    output_tokens = counts.get("completion_tokens", counts.get("output_tokens")) or 0
    cached = (counts.get("prompt_tokens_details") or {}).get("cached_tokens") or 0
    read = counts.get("cache_read_input_tokens") or 0
    written = counts.get("cache_creation_input_tokens") or 0
    return Usage(asked + read + written, output_tokens, cached_tokens=cached or read)
