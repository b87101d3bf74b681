"""LangGraph and LangChain: a callback handler that a configure hook adds to every run inside a trial.

Works for a compiled graph, for any runnable, and for a function that uses LangChain inside, sync, async or streaming.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

from rightcall.adapters.adapter import Adapter, Talk, Watch
from rightcall.adapters.blocking import blocking
from rightcall.adapters.hooks import replaced, watch_of
from rightcall.adapters.values import arguments_of, plain, text_of
from rightcall.errors import ConfigError
from rightcall.model.call import ToolCall, ToolResult
from rightcall.model.dialects import read_tool
from rightcall.model.message import Message
from rightcall.model.tool import Tool
from rightcall.model.trajectory import Usage

NAME = "langchain"


class LangChain(Adapter):
    """Watches everything that goes through LangChain's callbacks."""

    def problem(self) -> str:
        from langchain_core.tracers import context

        if hasattr(context, "register_configure_hook"):
            return ""
        return "this langchain-core has no register_configure_hook; 1.7.2 was tested: pip install -U langchain-core"

    def install(self) -> Callable[[], None]:
        from langchain_core.tools import BaseTool

        _register()
        undo = [replaced(BaseTool, "run", _desk_run), replaced(BaseTool, "arun", _desk_arun)]

        def restore() -> None:
            for one in undo:
                one()

        return restore

    def talk(self, agent: Any, watch: Watch) -> Talk:
        return _GraphTalk(agent, watch)

    def tools(self, agent: Any) -> list[Tool]:
        return [_definition(tool) for tool in _tools_of(agent).values()]


ADAPTER = LangChain()


class _GraphTalk(Talk):
    """Turns with a graph: its own thread when it has a checkpointer, else the messages go on from turn to turn."""

    def __init__(self, agent: Any, watch: Watch) -> None:
        self._agent, self._watch = agent, watch
        self._messages: list[Any] = []

    async def say(self, text: str) -> Any:
        watch, agent = self._watch, self._agent
        config = {"configurable": {"thread_id": watch.session_id}}
        if watch.input is not None and not self._messages:
            given = watch.input(watch.golden)
        elif _takes_messages(agent):
            given = {"messages": [*self._messages, {"role": "user", "content": text}]}
        elif _takes_text(agent):
            given = text
        else:
            raise ConfigError(
                f"{type(agent).__name__} takes no messages; say how to ask it:"
                " observe(agent, input=lambda golden: {…}, output=lambda state: …)"
            )
        state = await agent.ainvoke(given, config=config)
        if isinstance(state, dict) and not getattr(agent, "checkpointer", None):
            self._messages = list(state.get("messages") or [])
        return watch.output(state) if watch.output else _final_text(state)


def _takes_messages(agent: Any) -> bool:
    return "messages" in (getattr(agent, "channels", None) or {})


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
        messages = state.get("messages")
        if not messages:
            return text_of(state["output"]) if "output" in state else text_of(state)
        message = messages[-1]
    if not hasattr(message, "content"):
        return text_of(message)
    return _text(message) if getattr(message, "type", "") in ("ai", "AIMessageChunk") else None


_registered: list[bool] = []


class _TrialHandler:
    """Looks like a context variable to LangChain, and gives the handler of the trial that asks."""

    name = "rightcall"

    def get(self, *default: Any) -> Any:
        watch = watch_of(NAME)
        if watch is None:
            return None
        handler = watch.memory.get("handler")
        if handler is None:
            handler = watch.memory.setdefault("handler", _handler(watch))
        return handler


def _register() -> None:
    """Tell LangChain once where handlers come from; outside a trial there is none, so it need not be undone."""
    if _registered:
        return
    from langchain_core.tracers.context import register_configure_hook

    register_configure_hook(_TrialHandler(), inheritable=True)
    _registered.append(True)


def _handler(watch: Watch) -> Any:
    from langchain_core.callbacks import BaseCallbackHandler

    class TrialHandler(BaseCallbackHandler):
        """Notes of one trial. Inline, or LangChain would start a thread for a handler that is not async."""

        run_inline = True
        raise_error = False

        def __init__(self) -> None:
            self._parents: dict[Any, Any] = {}
            self._tools: dict[Any, str] = {}  # the call id of each tool that runs
            self._asked: dict[Any, tuple[float, str]] = {}

        def on_chain_start(
            self, serialized: Any, inputs: Any, *, run_id: Any, parent_run_id: Any = None, **_: Any
        ) -> None:
            self._parents[run_id] = parent_run_id

        def on_chat_model_start(
            self, serialized: Any, messages: Any, *, run_id: Any, parent_run_id: Any = None,
            metadata: Any = None, **more: Any,
        ) -> None:  # fmt: skip
            with watch.guarded("on_chat_model_start"):
                self._parents[run_id] = parent_run_id
                self._asked[run_id] = (perf_counter(), _agent_of(metadata))
                read = [_message(one) for one in (messages[0] if messages else [])]
                offered = (more.get("invocation_params") or {}).get("tools") or ()
                watch.recorder.asked(read, _definitions(offered))

        def on_llm_end(self, response: Any, *, run_id: Any, **_: Any) -> None:
            with watch.guarded("on_llm_end"):
                started, agent = self._asked.pop(run_id, (None, ""))
                generation = response.generations[0][0]
                message = getattr(generation, "message", None)
                taken = None if started is None else round((perf_counter() - started) * 1000, 3)
                depth, parent = self._place(run_id)
                if message is None:
                    watch.recorder.answered(text_of(generation.text), ms=taken, depth=depth, parent=parent)
                    return
                watch.recorder.answered(
                    _text(message), _calls(message), usage=_usage(message), finish=_finish(message),
                    ms=taken, agent=agent, depth=depth, parent=parent,
                )  # fmt: skip

        def on_tool_start(
            self, serialized: Any, input_str: str, *, run_id: Any, parent_run_id: Any = None,
            inputs: Any = None, **more: Any,
        ) -> None:  # fmt: skip
            with watch.guarded("on_tool_start"):
                self._parents[run_id] = parent_run_id
                call_id = str(more.get("tool_call_id") or "")
                self._tools[run_id] = call_id
                name = str((serialized or {}).get("name") or more.get("name") or "")
                watch.recorder.tool_started(run_id, name, inputs, call_id)

        def on_tool_end(self, output: Any, *, run_id: Any, **_: Any) -> None:
            with watch.guarded("on_tool_end"):
                failed = getattr(output, "status", "") == "error"
                told = output.content if hasattr(output, "content") else output
                watch.recorder.tool_ended(run_id, told, error=failed)

        def on_tool_error(self, error: BaseException, *, run_id: Any, **_: Any) -> None:
            with watch.guarded("on_tool_error"):
                watch.recorder.tool_ended(run_id, error=error)

        def _place(self, run_id: Any) -> tuple[int, str]:
            """Inside how many tools a run is, and the id of the call of the innermost."""
            depth, parent, at = 0, "", self._parents.get(run_id)
            while at is not None:
                if at in self._tools:
                    parent, depth = parent or self._tools[at], depth + 1
                at = self._parents.get(at)
            return depth, parent

    return TrialHandler()


def _agent_of(metadata: Any) -> str:
    """The name of the agent that asks: graphs made by `create_agent(name=…)` say it."""
    given = metadata or {}
    return str(given.get("lc_agent_name") or "")


def _message(message: Any) -> Message:
    """A LangChain message in our words, as far as results and turns matter."""
    kind = getattr(message, "type", "")
    if kind == "tool":
        failed = getattr(message, "status", "") == "error"
        result = ToolResult(
            str(message.tool_call_id or ""), plain(message.content), failed, str(message.name or "")
        )
        return Message("tool", results=(result,))
    if kind in ("ai", "AIMessageChunk"):
        return Message("assistant", _text(message))
    return Message("system" if kind == "system" else "user", _text(message))


def _text(message: Any) -> str:
    content = message.content
    if isinstance(content, str):
        return content
    parts = [
        part if isinstance(part, str) else part.get("text", "")
        for part in content
        if isinstance(part, str) or (isinstance(part, dict) and part.get("type") == "text")
    ]
    return "".join(str(part) for part in parts)


def _calls(message: Any) -> list[ToolCall]:
    """The calls the model wrote, and those whose arguments did not parse, as text."""
    made = [
        ToolCall(str(call.get("name") or ""), plain(call.get("args")), str(call.get("id") or ""))
        for call in getattr(message, "tool_calls", None) or ()
    ]
    for call in getattr(message, "invalid_tool_calls", None) or ():
        arguments, raw = arguments_of(call.get("args") or "")
        notes = {"malformed_call_ended_run": True} if not made else {}
        name, call_id = str(call.get("name") or ""), str(call.get("id") or "")
        made.append(ToolCall(name, arguments, call_id, raw=raw, notes=notes))
    return made


def _usage(message: Any) -> Usage:
    given = getattr(message, "usage_metadata", None) or {}
    cached = (given.get("input_token_details") or {}).get("cache_read") or 0
    return Usage(given.get("input_tokens") or 0, given.get("output_tokens") or 0, cached_tokens=cached)


def _finish(message: Any) -> str:
    given = getattr(message, "response_metadata", None) or {}
    return str(given.get("finish_reason") or given.get("stop_reason") or "")


def _definitions(offered: Any) -> list[Tool]:
    found = []
    for raw in offered:
        copied = plain(raw)
        if isinstance(copied, dict) and ("function" in copied or "input_schema" in copied):
            found.append(read_tool(copied, "tools"))
    return found


def _tools_of(agent: Any) -> dict[str, Any]:
    """The tools in the tool nodes of a graph and of the graphs inside it, or bound to a runnable."""
    if hasattr(agent, "tool_call_schema"):
        return {agent.name: agent}
    found: dict[str, Any] = {}
    for node in (getattr(agent, "nodes", None) or {}).values():
        bound = getattr(node, "bound", node)
        found |= getattr(bound, "tools_by_name", None) or {}
        if hasattr(bound, "nodes"):
            found |= _tools_of(bound)
    return found


def _definition(tool: Any) -> Tool:
    from langchain_core.utils.function_calling import convert_to_openai_tool

    return read_tool(convert_to_openai_tool(tool), f"tool '{tool.name}'")


def _desk_arun(original: Any) -> Any:
    async def arun(self: Any, tool_input: Any, *args: Any, **options: Any) -> Any:
        watch = watch_of(NAME)
        if watch is None or watch.desk is None or _inside(watch, options):
            return await original(self, tool_input, *args, **options)

        async def real() -> Any:
            return _unwrapped(await original(self, tool_input, *args, **options))

        return await _at_the_desk(self, tool_input, options, watch, real)

    return arun


def _desk_run(original: Any) -> Any:
    def run(self: Any, tool_input: Any, *args: Any, **options: Any) -> Any:
        watch = watch_of(NAME)
        if watch is None or watch.desk is None or _inside(watch, options):
            return original(self, tool_input, *args, **options)

        async def real() -> Any:
            return _unwrapped(original(self, tool_input, *args, **options))

        return blocking(_at_the_desk(self, tool_input, options, watch, real))

    return run


def _inside(watch: Watch, options: dict[str, Any]) -> bool:
    """Whether the desk runs this very call for real: then it is the framework's turn."""
    return options.get("tool_call_id") in watch.memory.get("at_desk", ())


async def _at_the_desk(tool: Any, tool_input: Any, options: dict[str, Any], watch: Watch, real: Any) -> Any:
    from langchain_core.messages import ToolMessage

    assert watch.desk is not None
    call_id = str(options.get("tool_call_id") or "")
    known = _definition(tool).parameters
    given = tool_input if isinstance(tool_input, dict) else {next(iter(known), "input"): tool_input}
    arguments = {name: plain(value) for name, value in given.items() if name in known}
    key = object()
    busy = watch.memory.setdefault("at_desk", set())
    busy.add(call_id)
    try:
        watch.recorder.tool_started(key, tool.name, arguments, call_id)
        answer = await watch.desk.run(tool.name, arguments, call_id, real)
        watch.recorder.tool_ended(key, answer.output, error=answer.failed)
    finally:
        busy.discard(call_id)
    if not call_id:
        return answer.output
    status = "error" if answer.failed else "success"
    return ToolMessage(text_of(answer.output), tool_call_id=call_id, name=tool.name, status=status)


def _unwrapped(output: Any) -> Any:
    """What the tool gave, out of the message made for the model; one that tells of a failure is raised again."""
    if not hasattr(output, "content"):
        return output
    if getattr(output, "status", "") == "error":
        raise RuntimeError(text_of(output.content))
    return plain(output.content)
