"""LangGraph and LangChain: a callback handler that a configure hook adds to every run inside a trial.

Works for a compiled graph, for any runnable, and for a function that uses LangChain inside, sync, async or streaming.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from time import perf_counter
from typing import Any

from rightcall.agents.observed.adapter import Adapter, AgentTalk, Watch, all_replaced, watch_of
from rightcall.agents.observed.framework_names import GraphAnswer, GraphPlace, graph_place, handoff_place
from rightcall.agents.observed.values import text_of
from rightcall.core.errors import ConfigError
from rightcall.limbs.adapters.langchain_desk import (
    NAME,
    answers_to,
    calls_in,
    definition,
    desk_arun,
    desk_run,
    finish_of,
    interrupts_in,
    is_interrupt,
    message_for_call,
    note_interrupt,
    output_tool,
    read_message,
    resume_command,
    text_in,
    tools_in,
    tools_on_offer,
    usage_of,
)
from rightcall.records.tool import Tool


class _GraphTalk(AgentTalk):
    """Turns with a graph: in its own thread with a checkpointer, otherwise messages are carried from turn to turn."""

    _messages: Sequence[Any] = ()

    async def say(self, text: str) -> Any:
        watch = self._watch
        agent = self._agent
        options = dict(watch.values)
        config = options.pop("config", None) or {}
        own = {**(config.get("configurable") or {}), "thread_id": watch.session_id}
        options["config"] = {**config, "configurable": own}
        if watch.input is not None:
            graph_input = self._with_earlier(watch.given(text))
        elif "messages" in (getattr(agent, "channels", None) or {}):
            graph_input = {"messages": [*self._messages, {"role": "user", "content": text}]}
        elif _takes_text(agent):
            graph_input = text
        else:
            raise ConfigError(
                f"{type(agent).__name__} takes no messages; state how to call it:"
                " observe(agent, input=lambda golden: {…}, output=lambda state: …)"
            )
        state = await agent.ainvoke(graph_input, **options)
        while requests := interrupts_in(state):
            answers = answers_to(requests, watch)
            if not answers or not getattr(agent, "checkpointer", None):
                break
            state = await agent.ainvoke(resume_command(answers), **options)
        if isinstance(state, dict) and not getattr(agent, "checkpointer", None):
            self._messages = list(state.get("messages") or [])
        return watch.output(state) if watch.output else _final_text(state)

    def _with_earlier(self, graph_input: Any) -> Any:
        """A state with messages continues from the earlier ones; any other is what `input` returned."""
        if not isinstance(graph_input, dict) or not self._messages or "messages" not in graph_input:
            return graph_input
        return {**graph_input, "messages": [*self._messages, *graph_input["messages"]]}


class LangChain(Adapter):
    """Watches everything that goes through LangChain's callbacks."""

    conversation = _GraphTalk

    def install(self) -> Callable[[], None]:
        from langchain_core.tools import BaseTool

        _register()
        return all_replaced((BaseTool, "run", desk_run), (BaseTool, "arun", desk_arun))

    def unheard(self, agent: Any) -> str:
        bound = [getattr(node, "bound", node) for node in (getattr(agent, "nodes", None) or {}).values()]
        functions = [getattr(node, "func", None) or getattr(node, "afunc", None) for node in bound]
        if all(getattr(function, "__module__", "") != "langgraph_codeact" for function in functions):
            return ""
        return (
            "a CodeAct graph calls its tools inside your eval_fn, where they cannot be heard; use create_agent, or give"
            " a function that returns its calls"
        )

    def tools(self, agent: Any) -> list[Tool]:
        return [definition(tool) for tool in tools_in(agent).values()]

    def parameters(self, agent: Any) -> dict[str, Any]:
        config = {"config": dict[str, Any] | None}
        if not hasattr(agent, "context_schema"):  # no graph
            return config
        return {"context": agent.context_schema or Any, **config}


ADAPTER = LangChain()


def _takes_text(agent: Any) -> bool:
    """A chat model, alone or with its tools bound: what the user says is all it takes."""
    from langchain_core.language_models import BaseChatModel

    while hasattr(agent, "bound"):
        agent = agent.bound
    first = getattr(agent, "first", agent)
    return isinstance(first, BaseChatModel)


def _final_text(state: Any) -> str | None:
    """The text of the last message of a state, or of a message; None leaves it to the model's last answer."""
    message = state
    if isinstance(state, dict):
        if state.get("structured_response") is not None:
            return text_of(state["structured_response"])
        messages = state.get("messages")
        if not messages:
            return text_of(state["output"]) if "output" in state else text_of(state)
        message = messages[-1]
    if not hasattr(message, "content"):
        return text_of(message)
    return text_in(message) if getattr(message, "type", "") in ("ai", "AIMessageChunk") else None


class _TrialHandler:
    """Looks like a context variable to LangChain, and gives the handler of the trial that asks."""

    name = "rightcall"

    def get(self, *default: Any) -> Any:
        watch = watch_of(NAME)
        if watch is None:
            return None
        handler = watch.memory.get("handler")
        if handler is None:
            handler = watch.memory.setdefault("handler", _handler_class()(watch))
        return handler


@cache
def _register() -> None:
    """Register once where LangChain finds handlers; outside a trial there is none, so it need not be undone."""
    from langchain_core.tracers.context import register_configure_hook

    register_configure_hook(_TrialHandler(), inheritable=True)


@cache
def _handler_class() -> Any:
    """The notes as a handler; made here, because its base is of an optional package."""
    from langchain_core.callbacks import BaseCallbackHandler

    class TrialHandler(_TrialNotes, BaseCallbackHandler):
        pass

    return TrialHandler


class _TrialNotes:
    """Notes of one trial. Inline, or LangChain would start a thread for a handler that is not async."""

    run_inline = True
    raise_error = False

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._parents: dict[Any, Any] = {}
        self._tools: dict[Any, str] = {}  # the call id of each tool that runs
        self._asked: dict[Any, tuple[float, GraphPlace | None]] = {}
        self._last: GraphAnswer | None = None  # outside of tools

    def on_chain_start(
        self, serialized: Any, inputs: Any, *, run_id: Any, parent_run_id: Any = None, **_: Any
    ) -> None:
        self._parents[run_id] = parent_run_id

    def on_chain_end(self, outputs: Any, *, run_id: Any, **_: Any) -> None:
        with self._watch.guarded("on_chain_end"):
            name = output_tool(outputs)
            if name:
                self._watch.recorder.drop_answer_calls(name)

    def on_chat_model_start(
        self, serialized: Any, messages: Any, *, run_id: Any, parent_run_id: Any = None,
        metadata: Any = None, **more: Any,
    ) -> None:  # fmt: skip
        with self._watch.guarded("on_chat_model_start"):
            self._parents[run_id] = parent_run_id
            self._asked[run_id] = (perf_counter(), graph_place(metadata))
            read = [read_message(message) for message in (messages[0] if messages else [])]
            offered = (more.get("invocation_params") or {}).get("tools") or ()
            self._watch.recorder.asked(read, tools_on_offer(offered))

    def on_llm_error(self, error: BaseException, *, run_id: Any, **_: Any) -> None:
        self._asked.pop(run_id, None)
        self._watch.recorder.unanswered()

    def on_llm_end(self, response: Any, *, run_id: Any, **_: Any) -> None:
        with self._watch.guarded("on_llm_end"):
            started, place = self._asked.pop(run_id, (None, None))
            generation = response.generations[0][0]
            message = getattr(generation, "message", None)
            taken = None if started is None else round((perf_counter() - started) * 1000, 3)
            depth, parent = self._place(run_id)
            if message is None:
                self._watch.recorder.answered(text_of(generation.text), ms=taken, depth=depth, parent=parent)
                return
            calls = calls_in(message)
            if not depth:
                self._note_handoff(place, calls)
            self._watch.recorder.answered(
                text_in(message), calls, usage=usage_of(message), finish=finish_of(message), ms=taken,
                agent=self._agent(place, parent), depth=depth, parent=parent,
            )  # fmt: skip

    def _agent(self, place: GraphPlace | None, parent: str) -> str:
        if place is None or not parent:
            return place.agent if place is not None else ""
        return place.agent_below(self._watch.recorder.agent_of_call(parent))

    def _note_handoff(self, place: GraphPlace | None, calls: Sequence[Any]) -> None:
        """Mark the call after which another agent of the graph answers."""
        before = self._last
        handoff = handoff_place(before, place)
        if before is not None and place is not None and handoff is not None:
            self._watch.recorder.noted(before.calls[handoff].id, handoff=place.agent)
        self._last = GraphAnswer(place, calls)

    def on_tool_start(
        self, serialized: Any, input_str: str, *, run_id: Any, parent_run_id: Any = None,
        inputs: Any = None, **more: Any,
    ) -> None:  # fmt: skip
        with self._watch.guarded("on_tool_start"):
            self._parents[run_id] = parent_run_id
            call_id = str(more.get("tool_call_id") or "")
            self._tools[run_id] = call_id
            name = str((serialized or {}).get("name") or more.get("name") or "")
            self._watch.recorder.tool_started(run_id, name, inputs, call_id)

    def on_tool_end(self, output: Any, *, run_id: Any, **_: Any) -> None:
        with self._watch.guarded("on_tool_end"):
            message = message_for_call(output, self._tools.get(run_id, ""))
            failed = getattr(message, "status", "") == "error"
            told = message.content if hasattr(message, "content") else message
            self._watch.recorder.tool_ended(run_id, told, error=failed)

    def on_tool_error(self, error: BaseException, *, run_id: Any, **_: Any) -> None:
        with self._watch.guarded("on_tool_error"):
            if is_interrupt(error):
                note_interrupt(self._watch, self._watch.recorder.call_of_key(run_id))
                return
            self._watch.recorder.tool_ended(run_id, error=error)

    def _place(self, run_id: Any) -> tuple[int, str]:
        """Inside how many tools a run is, and the id of the call of the innermost."""
        depth = 0
        parent = ""
        at = self._parents.get(run_id)
        while at is not None:
            if at in self._tools:
                parent = parent or self._tools[at]
                depth = depth + 1
            at = self._parents.get(at)
        return depth, parent
