"""Microsoft Agent Framework: chat and function middleware, added to every run inside a trial (`Agent.run`).

Adding it there sees a function's own runs too, and agents used as tools.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from time import perf_counter
from typing import Any

from rightcall.agents.observed.adapter import Adapter, AgentTalk, Watch, all_replaced, watch_of
from rightcall.agents.observed.values import arguments_of, framework_usage, plain, text_of
from rightcall.records.approval import Approval
from rightcall.records.call import ToolCall, ToolResult
from rightcall.records.message import Message
from rightcall.records.tool import Tool

NAME = "agent_framework"
ASKS_AGAIN = "_FunctionArgumentsChangedAfterApproval"
"""What the framework raises for edited arguments: it then asks about those."""

_INSIDE: ContextVar[tuple[int, str]] = ContextVar("rightcall_agent_framework", default=(-1, ""))
"""How deep the run is, and the id of the call whose tool runs here."""


class _AgentTalk(AgentTalk):
    """Turns with one agent in its own session."""

    _session: Any = None

    async def say(self, text: str) -> Any:
        watch = self._watch
        if self._session is None:
            self._session = self._agent.create_session()
        message = watch.given(text)
        result = await self._agent.run(message, session=self._session)
        while answers := _answers(watch, result):
            result = await self._agent.run(answers, session=self._session)
        return watch.output(result) if watch.output else text_of(result.text)


class AgentFramework(Adapter):
    """Watches `agent_framework.Agent`."""

    conversation = _AgentTalk

    def install(self) -> Callable[[], None]:
        from agent_framework import Agent

        return all_replaced((Agent, "run", _watch_run))

    def tools(self, agent: Any) -> list[Tool]:
        options = getattr(agent, "default_options", None) or {}
        tools = options.get("tools") if isinstance(options, dict) else None
        return [
            Tool(tool.name, tool.description or "", plain(tool.parameters()))
            for tool in tools or getattr(agent, "tools", None) or [agent]
            if hasattr(tool, "parameters")
        ]


ADAPTER = AgentFramework()


def _answers(watch: Watch, result: Any) -> Any:
    """The approver's answers to what the agent asks; None when it asks nothing, or nobody answers any of it."""
    from agent_framework import Message as FrameworkMessage

    answers = []
    for request in getattr(result, "user_input_requests", None) or ():
        call = getattr(request, "function_call", None)
        if call is None:
            continue
        approval = watch.decide(str(call.name), call.arguments, str(call.call_id or ""))
        if approval.open:
            continue
        if approval.arguments is not None:  # the framework runs what was proposed: our middleware replaces it
            watch.memory["edited", str(call.call_id or "")] = approval.arguments
        answers.append(request.to_function_approval_response(approved=approval.granted))
    return FrameworkMessage("user", answers) if answers else None


def _watch_run(original: Any) -> Any:
    def run(self: Any, *args: Any, **options: Any) -> Any:
        watch = watch_of(NAME)
        if watch is not None:
            with watch.guarded("adding middleware"):
                depth, parent = _INSIDE.get()
                notes = _RunNotes(watch, str(getattr(self, "name", "") or ""), depth + 1, parent)
                options["middleware"] = [*(options.get("middleware") or ()), _chat(notes), _function(notes)]
        return original(self, *args, **options)

    return run


class _RunNotes:
    def __init__(self, watch: Watch, agent: str, depth: int, parent: str) -> None:
        self.watch = watch
        self.depth = depth
        self._agent = agent
        self._parent = parent
        self._tool_choice: list[Any] = []

    def asked(self, context: Any) -> None:
        """Without being told to, the framework forbids calls only when its limit is reached."""
        choice = (context.options or {}).get("tool_choice")
        self._tool_choice.append(choice)
        if choice == "none" != self._tool_choice[0] and not self.depth:
            self.watch.recorder.note_limit("the agent's limit of function invocations")
        self.watch.recorder.asked(_messages(context.messages))

    def answered(self, response: Any, started: float) -> None:
        taken = round((perf_counter() - started) * 1000, 3)
        text, calls = _answer(response)
        used = response.usage_details or {}
        cached = used.get("cache_read_input_token_count")
        usage = framework_usage(used.get("input_token_count"), used.get("output_token_count"), cached)
        self.watch.recorder.answered(
            text, calls, usage=usage, finish=str(response.finish_reason or ""), ms=taken, agent=self._agent,
            depth=self.depth, parent=self._parent,
        )  # fmt: skip


def _chat(notes: _RunNotes) -> Any:
    from agent_framework import ChatMiddleware

    class TrialChat(ChatMiddleware):
        async def process(self, context: Any, call_next: Any) -> None:
            started = perf_counter()

            def note(response: Any) -> None:
                with notes.watch.guarded("chat middleware"):
                    notes.answered(response, started)

            with notes.watch.guarded("chat middleware"):
                notes.asked(context)
                if context.stream:
                    context.stream_result_hooks.append(note)
            try:
                await call_next()
            except BaseException:
                notes.watch.recorder.unanswered()
                raise
            if not context.stream:
                note(context.result)

    return TrialChat()


def _function(notes: _RunNotes) -> Any:
    from agent_framework import FunctionMiddleware

    watch = notes.watch

    class TrialFunctions(FunctionMiddleware):
        async def process(self, context: Any, call_next: Any) -> None:
            key = object()
            call_id = _call_id(context)
            edited = watch.memory.pop(("edited", call_id), None)
            context.arguments = context.arguments if edited is None else edited
            name = context.function.name
            arguments = plain(context.arguments)
            with watch.guarded("function middleware"):
                watch.recorder.tool_started(key, name, arguments, call_id)

            async def real() -> Any:
                await call_next()
                return _result(context.result)

            token = _INSIDE.set((notes.depth, call_id))
            try:
                answer = await watch.run_tool(name, arguments, call_id, real)
                if watch.desk is not None:
                    context.result = text_of(answer.output)
            except Exception as error:
                with watch.guarded("function middleware"):
                    if edited is not None and type(error).__name__ == ASKS_AGAIN:
                        watch.recorder.decided(Approval("edited", arguments=edited), name, edited, call_id)
                    else:
                        watch.recorder.tool_ended(key, error=error)
                raise
            finally:
                _INSIDE.reset(token)
            with watch.guarded("function middleware"):
                watch.recorder.tool_ended(key, _result(answer.output), error=answer.failed)

    return TrialFunctions()


def _call_id(context: Any) -> str:
    places = (getattr(context, "metadata", None), getattr(context, "kwargs", None))
    ids = (place.get("call_id") for place in places if isinstance(place, dict))
    return next((call_id for call_id in ids if isinstance(call_id, str)), "")


def _result(result: Any) -> Any:
    """What a tool gave, out of the contents made of it."""
    if isinstance(result, list) and result and all(hasattr(item, "type") for item in result):
        texts = [item.text for item in result if getattr(item, "text", None) is not None]
        return texts[0] if len(texts) == 1 else texts
    return plain(result)


def _answer(response: Any) -> tuple[str, list[ToolCall]]:
    calls = []
    texts = []
    for message in response.messages:
        for content in message.contents:
            if content.type == "function_call":
                arguments, raw = arguments_of(content.arguments if content.arguments is not None else {})
                calls.append(ToolCall(content.name, arguments, content.call_id or "", raw=raw))
            elif content.type == "text":
                texts.append(content.text or "")
    return "".join(texts), calls


def _messages(messages: Any) -> list[Message]:
    read = []
    for message in messages:
        results = [
            ToolResult(
                content.call_id or "", plain(content.result), bool(getattr(content, "exception", None))
            )
            for content in message.contents
            if content.type == "function_result"
        ]
        role = str(getattr(message.role, "value", message.role))
        if results:
            read.append(Message("tool", results=tuple(results)))
        elif role in ("assistant", "user"):
            text = "".join(content.text or "" for content in message.contents if content.type == "text")
            read.append(Message("user" if role == "user" else "assistant", text))
    return read
