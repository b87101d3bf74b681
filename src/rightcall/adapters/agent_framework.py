"""Microsoft Agent Framework: chat and function middleware, added to the run."""

from __future__ import annotations

from time import perf_counter
from typing import Any

from rightcall.adapters.adapter import Adapter, Talk, Watch
from rightcall.adapters.values import arguments_of, plain, text_of
from rightcall.model.approval import Approval
from rightcall.model.call import ToolCall, ToolResult
from rightcall.model.message import Message
from rightcall.model.tool import Tool
from rightcall.model.trajectory import Usage

NAME = "agent_framework"
ASKS_AGAIN = "_FunctionArgumentsChangedAfterApproval"
"""What the framework raises for edited arguments: it then asks about those."""


class AgentFramework(Adapter):
    """Runs an agent with our middleware."""

    def talk(self, agent: Any, watch: Watch) -> Talk:
        return _AgentTalk(agent, watch)

    def tools(self, agent: Any) -> list[Tool]:
        options = getattr(agent, "default_options", None) or {}
        given = options.get("tools") if isinstance(options, dict) else None
        return [
            Tool(tool.name, tool.description or "", plain(tool.parameters()))
            for tool in given or getattr(agent, "tools", None) or ()
            if hasattr(tool, "parameters")
        ]


ADAPTER = AgentFramework()


class _AgentTalk(Talk):
    """Turns with one agent in its own session."""

    def __init__(self, agent: Any, watch: Watch) -> None:
        self._agent, self._watch = agent, watch
        self._session: Any = None

    async def say(self, text: str) -> Any:
        watch = self._watch
        if self._session is None:
            self._session = self._agent.create_session()
        given = watch.given(text)
        result = await self._run(given)
        while answers := _answers(watch, result):
            result = await self._run(answers)
        return watch.output(result) if watch.output else text_of(result.text)

    async def _run(self, given: Any) -> Any:
        middleware = [_chat(self._watch), _function(self._watch)]
        return await self._agent.run(given, session=self._session, middleware=middleware)


def _answers(watch: Watch, result: Any) -> Any:
    """The approver's answers to what the agent asks; None when it asks nothing, or nobody answers any of it."""
    from agent_framework import Message as FrameworkMessage

    found = []
    for request in getattr(result, "user_input_requests", None) or ():
        call = getattr(request, "function_call", None)
        if call is None:
            continue
        approval = watch.decide(str(call.name), call.arguments, str(call.call_id or ""))
        if approval.open:
            continue
        answer = request.to_function_approval_response(approved=approval.granted)
        if (
            approval.arguments is not None
        ):  # the framework runs what the agent proposed: our middleware replaces it
            watch.memory["edited", str(call.call_id or "")] = approval.arguments
        found.append(answer)
    return FrameworkMessage("user", found) if found else None


def _chat(watch: Watch) -> Any:
    from agent_framework import ChatMiddleware

    class TrialChat(ChatMiddleware):
        async def process(self, context: Any, call_next: Any) -> None:
            with watch.guarded("chat middleware"):
                watch.recorder.asked(_messages(context.messages))
            started = perf_counter()
            await call_next()
            with watch.guarded("chat middleware"):
                _answered(watch, context.result, round((perf_counter() - started) * 1000, 3))

    return TrialChat()


def _function(watch: Watch) -> Any:
    from agent_framework import FunctionMiddleware

    class TrialFunctions(FunctionMiddleware):
        async def process(self, context: Any, call_next: Any) -> None:
            key, call_id = object(), _call_id(context)
            edited = watch.memory.pop(("edited", call_id), None)
            context.arguments = context.arguments if edited is None else edited
            name, arguments = context.function.name, plain(context.arguments)
            with watch.guarded("function middleware"):
                watch.recorder.tool_started(key, name, arguments, call_id)
            try:
                if watch.desk is None:
                    await call_next()
                    output, failed = context.result, False
                else:

                    async def real() -> Any:
                        await call_next()
                        return _result(context.result)

                    answer = await watch.desk.run(name, arguments, call_id, real)
                    context.result = text_of(answer.output)
                    output, failed = answer.output, answer.failed
            except Exception as error:
                with watch.guarded("function middleware"):
                    if edited is not None and type(error).__name__ == ASKS_AGAIN:
                        watch.recorder.decided(Approval("edited", arguments=edited), name, edited, call_id)
                    else:
                        watch.recorder.tool_ended(key, error=error)
                raise
            with watch.guarded("function middleware"):
                watch.recorder.tool_ended(key, _result(output), error=failed)

    return TrialFunctions()


def _call_id(context: Any) -> str:
    for place in (getattr(context, "metadata", None), getattr(context, "kwargs", None)):
        if isinstance(place, dict) and isinstance(place.get("call_id"), str):
            found: str = place["call_id"]
            return found
    return ""


def _result(result: Any) -> Any:
    """What a tool gave, out of the contents made of it."""
    if isinstance(result, list) and result and all(hasattr(item, "type") for item in result):
        texts = [item.text for item in result if getattr(item, "text", None) is not None]
        return texts[0] if len(texts) == 1 else texts
    return plain(result)


def _answered(watch: Watch, response: Any, taken: float) -> None:
    messages = getattr(response, "messages", None)
    if messages is None:
        return  # a stream: its messages come with the next request
    calls, texts = [], []
    for message in messages:
        for content in message.contents:
            if content.type == "function_call":
                arguments, raw = arguments_of(content.arguments if content.arguments is not None else {})
                calls.append(ToolCall(content.name, arguments, content.call_id or "", raw=raw))
            elif content.type == "text":
                texts.append(content.text or "")
    used = response.usage_details or {}
    usage = Usage(used.get("input_token_count") or 0, used.get("output_token_count") or 0)
    watch.recorder.answered(
        "".join(texts), calls, usage=usage, finish=str(response.finish_reason or ""), ms=taken
    )


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
        elif role == "assistant":
            read.append(Message("assistant", "…"))
    return read
