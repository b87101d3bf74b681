"""Strands Agents: every request to a model and every run of a tool goes through one method of its middleware.

Wrapping that method sees agents of a function, agents used as tools and the nodes of a swarm or a graph, and the
arguments as the model wrote them: Strands replaces broken JSON by {}.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextvars import ContextVar
from itertools import chain
from time import perf_counter
from typing import Any

from rightcall.agents.observed.adapter import (
    Adapter,
    ExclusiveTalk,
    LimitReachedError,
    Watch,
    all_replaced,
    watch_of,
)
from rightcall.agents.observed.values import arguments_of, plain, text_of
from rightcall.core.errors import ConfigError
from rightcall.limbs.adapters.team_tools import team_tools
from rightcall.records.approval import Approval
from rightcall.records.call import ToolCall, ToolResult
from rightcall.records.message import Message
from rightcall.records.tool import Tool
from rightcall.records.trajectory import Usage

NAME = "strands"
HANDOFF = "handoff_to_agent"
"""The tool by which an agent of a swarm hands over."""

_INSIDE: ContextVar[tuple[int, str]] = ContextVar("rightcall_strands", default=(0, ""))
"""How deep the agent is that runs here, and the id of the call whose tool runs it."""


class _AgentTalk(ExclusiveTalk):
    """Turns with one agent, which holds the conversation: it is taken at the start and put back at the end."""

    _before: Any = None

    async def take(self) -> None:
        if hasattr(self._agent, "take_snapshot"):
            self._before = self._agent.take_snapshot(preset="session")

    async def say(self, text: str) -> Any:
        watch = self._watch
        try:
            result = await self._agent.invoke_async(watch.given(text))
            while answers := _answers(watch, getattr(result, "interrupts", None) or ()):
                result = await self._agent.invoke_async(answers)
        except Exception as error:
            if type(error).__name__ != "MaxTokensReachedException":
                raise
            return None  # the answer that was cut off is the last one recorded
        if str(getattr(result, "stop_reason", "")).startswith("limit_"):
            raise LimitReachedError(f"the agent stopped: {result.stop_reason}")
        return watch.output(result) if watch.output else _final(result)

    async def give_back(self) -> None:
        if self._before is not None:
            self._agent.load_snapshot(self._before)


class Strands(Adapter):
    """Watches `strands.Agent`, and the `Swarm` and `Graph` made of them."""

    conversation = _AgentTalk

    def install(self) -> Callable[[], None]:
        from strands.hooks import HookRegistry
        from strands.middleware._registry import MiddlewareRegistry

        return all_replaced(
            (MiddlewareRegistry, "invoke", _watch_invoke),
            (HookRegistry, "invoke_callbacks_async", _watch_callbacks),
        )

    def tools(self, agent: Any) -> list[Tool]:
        nodes = getattr(agent, "nodes", None)
        agents = [node.executor for node in nodes.values()] if isinstance(nodes, dict) else [agent]
        specs: list[Any] = []
        for part in agents:
            registry = getattr(part, "tool_registry", None)
            specs += registry.get_all_tool_specs() if registry else [getattr(part, "tool_spec", None)]
        return team_tools(_definition(spec) for spec in specs if spec)


ADAPTER = Strands()


def _final(result: Any) -> Any:
    """The answer of an agent: its structured output or its text. That of a team is its last agent's."""
    structured = getattr(result, "structured_output", None)
    if structured is not None:
        return text_of(structured)
    message = getattr(result, "message", None)
    if isinstance(message, dict):
        return _text(message)
    history = getattr(result, "node_history", None) or getattr(result, "execution_order", None) or ()
    results = getattr(result, "results", None) or {}
    last = results.get(history[-1].node_id) if history else None
    return _final(last.result) if last is not None and not isinstance(last.result, Exception) else None


def _watch_callbacks(original: Any) -> Any:
    """A hook that runs before a tool may interrupt the agent, to ask whether the tool may run."""

    async def invoke_callbacks_async(self: Any, event: Any) -> Any:
        event, interrupts = await original(self, event)
        watch = watch_of(NAME)
        if watch is not None and hasattr(event, "tool_use"):
            _note_interrupts(watch, event.tool_use, interrupts)
        return event, interrupts

    return invoke_callbacks_async


def _note_interrupts(watch: Watch, use: Any, interrupts: Any) -> None:
    with watch.guarded("reading an interrupt"):
        call = (use["name"], plain(use.get("input") or {}), str(use["toolUseId"]))
        for interrupt in interrupts:
            watch.memory["asks", interrupt.id] = call
            watch.recorder.decided(Approval("waiting"), *call)


def _answers(watch: Watch, interrupts: Any) -> list[Any]:
    """What the agent is resumed with: the value that the approver's line states, by default true or false."""
    answers = []
    for interrupt in interrupts:
        call = watch.memory.get(("asks", interrupt.id))
        rule = watch.rule(call[0]) if call else None
        if call is None or rule is None or watch.decide(*call).open:
            return []
        if rule.action == "edit":
            raise ConfigError(
                f"approvals.{call[0]}: an interrupt cannot be edited; write {{approve: VALUE}} with what to resume it"
                " with"
            )
        value = rule.action == "approve" if rule.value is None else rule.value
        answers.append({"interruptResponse": {"interruptId": interrupt.id, "response": value}})
    return answers


def _watch_invoke(original: Any) -> Any:
    async def invoke(self: Any, stage: Any, context: Any, terminal: Any) -> AsyncIterator[Any]:
        watch = watch_of(NAME)
        inner = original(self, stage, context, terminal)
        if watch is not None and stage.name == "invokeModel":
            inner = _model_events(watch, context, inner)
        elif watch is not None and stage.name == "executeTool" and not _is_answer(context.tool):
            inner = _tool_events(watch, context, inner)
        try:
            async for event in inner:
                yield event
        finally:
            await inner.aclose()

    return invoke


async def _model_events(watch: Watch, context: Any, inner: Any) -> AsyncIterator[Any]:
    """The events of one request to a model, noted as one answer."""
    depth, parent = _INSIDE.get()
    reply = _Reply()
    started = perf_counter()
    with watch.guarded("reading a request"):
        said = [Message(m["role"], _text(m)) for m in context.messages] if watch.recorder.turn_begins else []
        watch.recorder.asked(
            [*said, *_results(context.messages)], [_definition(spec) for spec in context.tool_specs]
        )
    try:
        async for event in inner:
            with watch.guarded("reading a reply"):
                reply.add(event)
            yield event
    finally:
        await inner.aclose()
        if reply.stop is None:
            watch.recorder.unanswered()
    with watch.guarded("reading a reply"):
        if reply.stop is not None:
            finish = reply.stop[0]
            message = reply.stop[1]
            watch.recorder.answered(
                _text(message), reply.calls(message, _answer_tools(context.agent)), usage=reply.usage,
                finish=str(finish), ms=round((perf_counter() - started) * 1000, 3),
                agent=str(getattr(context.agent, "name", "") or ""), depth=depth, parent=parent,
            )  # fmt: skip


class _Reply:
    """The pieces of a reply, in the order the model sent them."""

    def __init__(self) -> None:
        self.stop: Any = None
        self.usage: Usage | None = None
        self._written: dict[str, str] = {}
        self._open = ""

    def add(self, event: Any) -> None:
        if "stop" in event:
            self.stop = event["stop"]
        chunk = event.get("event")
        if not isinstance(chunk, dict):
            return
        if "contentBlockStart" in chunk:
            begun = chunk["contentBlockStart"].get("start") or {}
            self._open = str((begun.get("toolUse") or {}).get("toolUseId") or "")
        elif "contentBlockDelta" in chunk:
            piece = (chunk["contentBlockDelta"].get("delta") or {}).get("toolUse") or {}
            if self._open and isinstance(piece.get("input"), str):
                self._written[self._open] = self._written.get(self._open, "") + piece["input"]
        elif "metadata" in chunk:
            self.usage = _usage(chunk["metadata"].get("usage")) or self.usage

    def calls(self, message: Any, answers: set[str]) -> list[ToolCall]:
        """The calls of a message; a call of the tool for a structured answer is how that one is given."""
        calls = []
        for block in message.get("content") or ():
            use = block.get("toolUse")
            if use is None or use["name"] in answers:
                continue
            written = self._written.get(use["toolUseId"])
            arguments, raw = arguments_of(written if written else use.get("input") or {})
            notes = {"handoff": (arguments or {}).get("agent_name") or True} if use["name"] == HANDOFF else {}
            calls.append(ToolCall(use["name"], arguments, use["toolUseId"], raw=raw, notes=notes))
        return calls


async def _tool_events(watch: Watch, context: Any, inner: Any) -> AsyncIterator[Any]:
    """The events of one tool, noted from its start to its result."""
    key = object()
    use = context.tool_use
    outside = _INSIDE.get()
    name = use["name"]
    arguments = plain(use.get("input") or {})
    call_id = str(use["toolUseId"])
    with watch.guarded("reading a tool's start"):
        watch.recorder.tool_started(key, name, arguments, call_id)
    _INSIDE.set((outside[0] + 1, call_id))
    event = None
    try:
        if watch.desk is None or context.tool is None:
            async for event in inner:
                _note_interrupts(watch, use, getattr(event, "interrupts", ()))
                yield event  # after an interrupt nobody asks for more
        else:
            event = await _at_desk(watch, name, arguments, call_id, inner=inner)
            _note_interrupts(watch, use, getattr(event, "interrupts", ()))
            yield event
    finally:
        _INSIDE.set(outside)  # a token could not be reset where a generator is closed by another task
        await inner.aclose()
    with watch.guarded("reading a tool's result"):
        result = event.tool_result if event is not None and hasattr(event, "tool_result") else None
        if result is not None:
            failed = getattr(event, "exception", None) or result.get("status") == "error"
            watch.recorder.tool_ended(key, _content(result), error=failed)


async def _at_desk(watch: Watch, name: str, arguments: Any, call_id: str, inner: Any) -> Any:
    """The result that the desk gives, as an event; what the real tool gave is passed on as it is."""
    from strands.middleware import ToolResultEvent

    done: list[Any] = []

    async def real() -> Any:
        async for event in inner:
            done.append(event)
        if (error := getattr(done[-1], "exception", None)) is not None:
            raise error
        return _content(done[-1].tool_result)

    assert watch.desk is not None
    try:
        answer = await watch.desk.run(name, arguments, call_id, real)
        output = answer.output
        failed = answer.failed
    except Exception as error:
        if done:
            return done[-1]
        output = f"Error: {error}"
        failed = True
    content = [{"json": plain(output)} if isinstance(output, dict | list) else {"text": text_of(output)}]
    return ToolResultEvent(
        {"toolUseId": call_id, "status": "error" if failed else "success", "content": content}
    )


def _is_answer(tool: Any) -> bool:
    return type(tool).__name__ == "StructuredOutputTool"


def _answer_tools(agent: Any) -> set[str]:
    """The names of tools that are only a form for the answer."""
    registry = getattr(agent, "tool_registry", None)
    places = [getattr(registry, name, None) or {} for name in ("registry", "dynamic_tools")]
    return {name for name, tool in chain.from_iterable(place.items() for place in places) if _is_answer(tool)}


def _definition(spec: Any) -> Tool:
    schema = spec.get("inputSchema") or {}
    return Tool(spec["name"], spec.get("description") or "", plain(schema.get("json", schema)))


def _results(messages: Any) -> list[Message]:
    """The results in the newest message: of tools that never ran, since a hook cancelled them."""
    uses = [
        block["toolResult"] for block in (messages or [{}])[-1].get("content") or () if "toolResult" in block
    ]
    results = [ToolResult(use["toolUseId"], _content(use), use.get("status") == "error") for use in uses]
    return [Message("tool", results=tuple(results))] if results else []


def _content(result: Any) -> Any:
    """What a tool gave, out of the blocks made of it."""
    values = [
        block["text"] if "text" in block else block["json"] if "json" in block else plain(block)
        for block in result.get("content") or ()
    ]
    return values[0] if len(values) == 1 else values


def _text(message: Any) -> str:
    return "".join(block["text"] for block in message.get("content") or () if "text" in block)


def _usage(counts: Any) -> Usage | None:
    """Tokens of a reply. Cached ones are part of the input, or on top of it: the total says which."""
    if not isinstance(counts, dict) or not counts.get("totalTokens"):
        return None
    asked = counts.get("inputTokens") or 0
    output_tokens = counts.get("outputTokens") or 0
    read = counts.get("cacheReadInputTokens") or 0
    written = counts.get("cacheWriteInputTokens") or 0
    if asked + output_tokens != counts["totalTokens"]:
        asked += read + written
    return Usage(asked, output_tokens, cached_tokens=read)
