"""OpenAI Agents SDK: run hooks, which our default runner adds to every run inside a trial.

Adding them in the runner instead of at one call of `Runner.run` sees a function's own runs too, and agents used as
tools, which the SDK runs without the hooks of the outer run. Our desk answers function tools in copies of the agents.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from functools import cache
from itertools import chain
from time import perf_counter
from typing import Any, get_args

import msgspec

from rightcall.agents.observed.adapter import Adapter, AgentTalk, ToolAnswer, ToolDesk, Watch, watch_of
from rightcall.agents.observed.values import arguments_of, framework_usage, plain, text_of
from rightcall.core.codec import encode
from rightcall.records.approval import Approval
from rightcall.records.dialects import openai_responses, read_tool
from rightcall.records.dialects.streams import text_of as streamed_text
from rightcall.records.message import Message, calls_of
from rightcall.records.tool import Tool

NAME = "openai_agents"
DEFAULT_FAILURE = "An error occurred while running the tool. Please try again."
"""The prefix of the SDK's text for an exception, unless the tool has a custom error function."""

_DEPTH: ContextVar[int] = ContextVar("rightcall_openai_agents_depth", default=-1)


class _AgentTalk(AgentTalk):
    """Turns with one agent: the items of the last turn and the agent that answered are carried over."""

    _items: Sequence[Any] = ()

    async def say(self, text: str) -> Any:
        from agents import Runner

        watch = self._watch
        agent_input = watch.given(text)
        if self._items and isinstance(agent_input, str):
            agent_input = [{"role": "user", "content": agent_input}]
        if self._items:
            agent_input = [*self._items, *agent_input]
        result = await Runner.run(self._agent, agent_input, **watch.values)
        while result.interruptions:
            state = result.to_state()
            if not _answer_requests(watch, state, result.interruptions):
                break
            result = await Runner.run(self._agent, state)
        self._items = result.to_input_list()
        self._agent = result.last_agent
        return watch.output(result) if watch.output else text_of(result.final_output)


class OpenAIAgents(Adapter):
    """Watches `agents.Runner`."""

    conversation = _AgentTalk

    def notice(self) -> str:
        off = os.environ.get("OPENAI_AGENTS_DISABLE_TRACING", "").lower() in ("1", "true")
        if off or not os.environ.get("OPENAI_API_KEY"):
            return ""
        return (
            "the OpenAI Agents SDK sends traces of every run to OpenAI while OPENAI_API_KEY is set;"
            " OPENAI_AGENTS_DISABLE_TRACING=1 turns that off"
        )

    def install(self) -> Callable[[], None]:
        from agents.run import get_default_agent_runner, set_default_agent_runner

        before = get_default_agent_runner()
        ours = _runner(before)
        set_default_agent_runner(ours)

        def restore() -> None:
            if get_default_agent_runner() is ours:
                set_default_agent_runner(before)

        return restore

    def tools(self, agent: Any) -> list[Tool]:
        tools: dict[str, Tool] = {}
        for name, description, schema in _tools_of_agent(agent):
            definition = {"name": name, "description": description, "parameters": schema}
            tools.setdefault(name, read_tool(definition, f"tool '{name}'"))
        return list(tools.values())

    def parameters(self, agent: Any) -> dict[str, Any]:
        """`Agent[Context](…)` declares it; of a team, the first agent that does."""
        team = (agent, *getattr(agent, "handoffs", ()))
        declared = list(chain.from_iterable(get_args(getattr(one, "__orig_class__", None)) for one in team))
        return {"context": declared[0] if declared else Any}


ADAPTER = OpenAIAgents()


def _answer_requests(watch: Watch, state: Any, requests: Sequence[Any]) -> bool:
    """Answer what the run waits for, as the suite's approver does; false when nobody answers any of it."""
    answered = False
    for item in requests:
        approval = watch.decide(str(item.name), item.arguments, str(item.call_id or ""))
        if approval.decision == "rejected":
            state.reject(item, rejection_message=approval.message)
        elif approval.granted:
            if approval.arguments is not None:  # the SDK has no edits: the copy of the tool runs with these
                watch.memory["edited", str(item.call_id or "")] = encode(approval.arguments).decode()
            state.approve(item)
        answered = answered or not approval.open
    return answered


def _note_requests(result: Any) -> Any:
    """Note what a run waits for; a function that observes its own runs may answer later."""
    watch = watch_of(NAME)
    if watch is None:
        return result
    with watch.guarded("interruptions"):
        requests = getattr(result, "interruptions", None) or ()
        if _DEPTH.get() == 0 and watch.approvals is None:
            watch.recorder.reject_waiting_calls({str(item.call_id or "") for item in requests})
        for item in requests:
            watch.recorder.decided(
                Approval("waiting"), str(item.name), item.arguments, str(item.call_id or "")
            )
    return result


def _runner(before: Any) -> Any:
    """The runner that was the default, with our hooks added to every run inside a trial."""
    from agents.run import AgentRunner

    class WatchedRunner(AgentRunner):
        async def run(self, starting_agent: Any, input: Any, **options: Any) -> Any:
            with _agent_to_run(starting_agent, options) as agent:
                return _note_requests(await before.run(agent, input, **options))

        def run_sync(self, starting_agent: Any, input: Any, **options: Any) -> Any:
            with _agent_to_run(starting_agent, options) as agent:
                return before.run_sync(agent, input, **options)

        def run_streamed(self, starting_agent: Any, input: Any, **options: Any) -> Any:
            with _agent_to_run(starting_agent, options) as agent:  # its task copies the context here
                return before.run_streamed(agent, input, **options)

    return WatchedRunner()


@contextmanager
def _agent_to_run(agent: Any, options: dict[str, Any]) -> Iterator[Any]:
    """The agent to run, its tools replaced where asked; inside a trial our hooks are added to the options."""
    watch = watch_of(NAME)
    if watch is None:
        yield agent
        return
    depth = _DEPTH.get() + 1
    parent = getattr(options.get("context"), "tool_call_id", "") if depth else ""
    options["hooks"] = _hooks_class()(watch, options.get("hooks"), depth, str(parent or ""))
    if watch.desk is not None or watch.edits:
        with watch.guarded("replacing tools"):
            agent = with_desk(agent, watch.desk, watch)
    token = _DEPTH.set(depth)
    try:
        with watch.recorder.run():
            yield agent
    finally:
        _DEPTH.reset(token)


@cache
def _hooks_class() -> Any:
    """The notes as hooks of a run; made here, because their base is of an optional package."""
    from agents import RunHooks

    class TrialHooks(_TrialNotes, RunHooks):
        def __init__(self, watch: Watch, users: Any, depth: int, parent: str) -> None:
            _TrialNotes.__init__(self, watch, users or RunHooks(), depth, parent)

    return TrialHooks


class _TrialNotes:
    """Calls the user's own hooks first, in their order, then takes notes."""

    def __init__(self, watch: Watch, users: Any, depth: int, parent: str) -> None:
        self._watch = watch
        self._users = users
        self._depth = depth
        self._parent = parent
        self._asked = 0.0

    async def on_agent_start(self, context: Any, agent: Any) -> None:
        await self._users.on_agent_start(context, agent)

    async def on_agent_end(self, context: Any, agent: Any, output: Any) -> None:
        await self._users.on_agent_end(context, agent, output)

    async def on_llm_start(self, context: Any, agent: Any, system_prompt: Any, input_items: Any) -> None:
        await self._users.on_llm_start(context, agent, system_prompt, input_items)
        self._asked = perf_counter()
        with self._watch.guarded("on_llm_start"):
            read: Sequence[Message] = ()
            if self._watch.recorder.turn_begins:
                read = openai_responses.read_messages([plain(item) for item in input_items], "input")
            self._watch.recorder.asked(read, results=False)

    async def on_llm_end(self, context: Any, agent: Any, response: Any) -> None:
        taken = (perf_counter() - self._asked) * 1000
        await self._users.on_llm_end(context, agent, response)
        with self._watch.guarded("on_llm_end"):
            _note_answer(self._watch, agent, response, taken, depth=self._depth, parent=self._parent)

    async def on_tool_start(self, context: Any, agent: Any, tool: Any) -> None:
        await self._users.on_tool_start(context, agent, tool)
        with self._watch.guarded("on_tool_start"):
            call_id = getattr(context, "tool_call_id", "")
            arguments = getattr(context, "tool_arguments", None)
            key = self._depth, self._parent, call_id
            self._watch.recorder.tool_started(key, tool.name, arguments, call_id)

    async def on_tool_end(self, context: Any, agent: Any, tool: Any, result: Any) -> None:
        with self._watch.guarded("on_tool_end"):
            call_id = getattr(context, "tool_call_id", "")
            answer = self._watch.memory.pop(("desk", call_id), None)
            if answer is None:
                answer = ToolAnswer(result, _has_failed(result))
            key = self._depth, self._parent, call_id
            self._watch.recorder.tool_ended(key, answer.output, error=answer.failed)
        await self._users.on_tool_end(context, agent, tool, result)

    async def on_handoff(self, context: Any, from_agent: Any, to_agent: Any) -> None:
        from agents import handoff

        await self._users.on_handoff(context, from_agent, to_agent)
        with self._watch.guarded("on_handoff"):
            pending = self._watch.memory.get(("handoffs", self._depth, self._parent), {})
            call_id = pending.pop(next(iter(pending)), "") if pending else ""
            told = handoff(to_agent).get_transfer_message(to_agent)
            self._watch.recorder.noted(
                call_id, output=told, handoff=str(getattr(to_agent, "name", "")) or True
            )


def _note_answer(watch: Watch, agent: Any, response: Any, taken: float, depth: int, parent: str) -> None:
    items = [item for raw in response.output if isinstance(item := plain(raw), dict)]
    messages = openai_responses.read_messages(items, "response")
    names = _handoff_names(agent)
    marked = [
        msgspec.structs.replace(call, notes={"handoff": True}) if call.name in names else call
        for call in calls_of(messages)
    ]
    watch.memory["handoffs", depth, parent] = {
        number: call.id for number, call in enumerate(marked) if "handoff" in call.notes
    }
    used = response.usage
    cached = getattr(getattr(used, "input_tokens_details", None), "cached_tokens", None)
    usage = framework_usage(used.input_tokens, used.output_tokens, cached)
    watch.recorder.answered(
        streamed_text(messages), marked, usage=usage, ms=round(taken, 3), agent=str(agent.name or ""),
        depth=depth, parent=parent,
    )  # fmt: skip


def _handoff_names(agent: Any) -> set[str]:
    from agents import Handoff

    return {
        item.tool_name if isinstance(item, Handoff) else Handoff.default_tool_name(item)
        for item in getattr(agent, "handoffs", None) or ()
    }


def _has_failed(result: Any) -> bool:
    """Whether a tool failed: its span says so, or with tracing off, the SDK's standard words do."""
    from agents.tracing import get_current_span

    span = get_current_span()
    if span is not None and span.error:
        return True
    return isinstance(result, str) and result.startswith(DEFAULT_FAILURE)


def _tools_of_agent(agent: Any) -> Iterator[tuple[str, str, Any]]:
    """What an agent and those it may hand over to offer their models: function tools, and a tool for each hand-off."""
    from agents import FunctionTool, Handoff, handoff

    agents = [agent]
    for member in agents:  # which grows by those that each may hand over to
        for tool in [agent] if isinstance(agent, FunctionTool) else getattr(member, "tools", None) or ():
            if isinstance(tool, FunctionTool):
                yield tool.name, tool.description, tool.params_json_schema
        for other in getattr(member, "handoffs", None) or ():
            transfer = other if isinstance(other, Handoff) else handoff(other)
            yield transfer.tool_name, transfer.tool_description, transfer.input_json_schema
            target = transfer._agent_ref and transfer._agent_ref()
            if target is not None and all(target is not agent for agent in agents):
                agents.append(target)


def with_desk(agent: Any, desk: ToolDesk | None, watch: Watch, copies: dict[int, Any] | None = None) -> Any:
    """A copy of the agent whose function tools are answered by the desk, or run with what an approver edited; handoffs
    lead to such copies too.

    An agent used as a tool is not replaced itself: its own tools are, when its run begins.
    """
    from agents import FunctionTool, Handoff

    copies = {} if copies is None else copies
    if id(agent) in copies:
        return copies[id(agent)]
    if isinstance(agent, Handoff):  # its agent is made a copy of when it takes over
        invoke = agent.on_invoke_handoff

        async def hand_over(context: Any, text: str) -> Any:
            return with_desk(await invoke(context, text), desk, watch, copies)

        return replace(agent, on_invoke_handoff=hand_over)
    if not hasattr(agent, "clone"):
        return agent
    copy = copies[id(agent)] = agent.clone()
    copy.tools = [
        _desk_tool(tool, desk, watch) if isinstance(tool, FunctionTool) and not is_agent else tool
        for tool in agent.tools
        for is_agent in [getattr(tool, "_is_agent_tool", False) or getattr(tool, "_agent_instance", None)]
    ]
    copy.handoffs = [with_desk(item, desk, watch, copies) for item in agent.handoffs]
    return copy


def _desk_tool(tool: Any, desk: ToolDesk | None, watch: Watch) -> Any:
    invoke = tool.on_invoke_tool

    async def at_the_desk(context: Any, text: str) -> Any:
        call_id = str(getattr(context, "tool_call_id", ""))
        text = watch.memory.pop(("edited", call_id), text)
        arguments, _ = arguments_of(text)
        if desk is None or arguments is None:  # not JSON: the SDK has its own words for that
            return await invoke(context, text)
        answer = await desk.run(tool.name, arguments, call_id, lambda: invoke(context, text))
        watch.memory["desk", call_id] = answer
        return answer.output if isinstance(answer.output, str) else text_of(answer.output)

    return replace(tool, on_invoke_tool=at_the_desk)
