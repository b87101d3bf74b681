"""Pydantic AI: a capability, added to every run inside a trial where the run begins (`Agent.iter`).

Adding it there sees a function's own runs too, and agents that are run inside a tool.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from itertools import chain
from time import perf_counter
from typing import Any

from msgspec.structs import replace

from rightcall.agents.observed.adapter import Adapter, AgentTalk, Watch, all_replaced, watch_of
from rightcall.agents.observed.framework_names import INFERRED, ROOT
from rightcall.agents.observed.values import arguments_of, framework_usage, plain, text_of
from rightcall.agents.observed.voices import TOP, Voice, speak
from rightcall.records.approval import Approval
from rightcall.records.call import ToolCall, ToolResult
from rightcall.records.message import Message, Role
from rightcall.records.tool import Tool

NAME = "pydantic_ai"
FAILED = frozenset(("retried", "failed", "denied", "error"))
"""Outcomes of a returned tool part that are not successes."""

ROLES: dict[str, Role] = {"user-prompt": "user", "text": "assistant"}
"""Whose words a part has."""

_INSIDE: ContextVar[tuple[int, str]] = ContextVar("rightcall_pydantic_ai", default=(-1, ""))
"""How deep the run is, and the id of the call whose tool runs here."""


class _AgentTalk(AgentTalk):
    """Turns with one agent: the messages of the last turn are carried over."""

    _history: Sequence[Any] = ()

    async def say(self, text: str) -> Any:
        watch = self._watch
        prompt = watch.given(text)
        options = {"message_history": self._history} if self._history else {}
        result = await self._agent.run(prompt, **options, **watch.values)
        while answers := _answers(watch, result.output):
            history = result.all_messages()
            result = await self._agent.run(
                message_history=history, deferred_tool_results=answers, **watch.values
            )
        self._history = result.all_messages()
        return watch.output(result) if watch.output else text_of(result.output)


class PydanticAI(Adapter):
    """Watches `pydantic_ai.Agent`."""

    conversation = _AgentTalk

    def install(self) -> Callable[[], None]:
        from pydantic_ai import Agent

        return all_replaced((Agent, "iter", _watch_iter))

    def tools(self, agent: Any) -> list[Tool]:
        if hasattr(agent, "tool_def"):
            return [_definition(agent.tool_def)]
        definitions: dict[str, Tool] = {}
        for toolset in getattr(agent, "toolsets", None) or [agent]:
            for name, tool in (getattr(toolset, "tools", None) or {}).items():
                definitions.setdefault(name, _definition(tool.tool_def))
        return list(definitions.values())

    def parameters(self, agent: Any) -> dict[str, Any]:
        declared = getattr(agent, "deps_type", object)
        return {"deps": Any if declared is type(None) else declared}


ADAPTER = PydanticAI()


def _requests(output: Any) -> Sequence[Any]:
    """The calls that wait for approval, which a run gives in place of an answer."""
    return output.approvals if type(output).__name__ == "DeferredToolRequests" else ()


def _answers(watch: Watch, output: Any) -> Any:
    """The approver's answers to what a run waits for; None when it waits for nothing, or nobody answers all of it."""
    from pydantic_ai import DeferredToolResults, ToolApproved, ToolDenied

    answers: dict[str, Any] = {}
    for call in _requests(output):
        approval = watch.decide(call.tool_name, call.args, call.tool_call_id)
        if approval.open:
            return None
        answers[call.tool_call_id] = (
            ToolApproved(override_args=approval.arguments)
            if approval.granted
            else ToolDenied(approval.message)
        )
    return DeferredToolResults(approvals=answers) if answers else None


def _watch_iter(original: Any) -> Any:
    def iter(self: Any, *args: Any, **options: Any) -> Any:
        watch = watch_of(NAME)
        if watch is not None:
            with watch.guarded("adding the capability"):
                depth, parent = _INSIDE.get()
                ours = _capability(watch, str(getattr(self, "name", "") or ""), depth + 1, parent)
                options["capabilities"] = [*(options.get("capabilities") or ()), ours]
                speak(
                    Voice(watch.recorder, TOP, waits=False, while_waiting=True)
                )  # streams ask outside the hook
        return original(self, *args, **options)

    return iter


def _capability(watch: Watch, agent: str, depth: int, parent: str) -> Any:
    from pydantic_ai.capabilities import AbstractCapability

    class TrialCapability(AbstractCapability):
        async def wrap_model_request(self, ctx: Any, *, request_context: Any, handler: Any) -> Any:
            with watch.guarded("wrap_model_request"):
                messages = request_context.messages
                watch.recorder.asked(_messages(messages if watch.recorder.turn_begins else messages[-1:]))
            started = perf_counter()
            try:
                response = await handler(request_context)
            except BaseException:
                watch.recorder.unanswered()
                raise
            taken = round((perf_counter() - started) * 1000, 3)
            with watch.guarded("wrap_model_request"):
                offered = getattr(request_context, "model_request_parameters", None)
                finals = {tool.name for tool in getattr(offered, "output_tools", None) or ()}
                text, calls = _answer(response, finals)
                name = str(getattr(ctx.agent, "name", "") or agent)
                if not name and not depth:
                    name = ROOT
                    calls = [replace(call, notes=INFERRED) for call in calls]
                used = response.usage
                cached = getattr(used, "cache_read_tokens", None)
                usage = framework_usage(used.input_tokens, used.output_tokens, cached)
                watch.recorder.answered(
                    text, calls, usage=usage, finish=str(response.finish_reason or ""),
                    ms=taken, agent=name, depth=depth, parent=parent,
                )  # fmt: skip
            return response

        async def after_run(self, ctx: Any, *, result: Any) -> Any:
            with watch.guarded("after_run"):
                for call in _requests(result.output):
                    watch.recorder.decided(Approval("waiting"), call.tool_name, call.args, call.tool_call_id)
            return result

        async def wrap_tool_execute(
            self, ctx: Any, *, call: Any, tool_def: Any, args: Any, handler: Any
        ) -> Any:
            key = object()
            with watch.guarded("wrap_tool_execute"):
                watch.recorder.tool_started(key, call.tool_name, call.args, call.tool_call_id)
            token = _INSIDE.set((depth, call.tool_call_id))
            try:
                answer = await watch.run_tool(call.tool_name, args, call.tool_call_id, lambda: handler(args))
            except Exception as error:
                with watch.guarded("wrap_tool_execute"):
                    watch.recorder.tool_ended(key, _retry_text(error), error=error)
                raise
            finally:
                _INSIDE.reset(token)
            with watch.guarded("wrap_tool_execute"):
                told = getattr(answer.output, "return_value", answer.output)
                watch.recorder.tool_ended(key, told, error=answer.failed)
            return answer.output

    return TrialCapability()


def _definition(tool: Any) -> Tool:
    return Tool(tool.name, tool.description or "", plain(tool.parameters_json_schema))


def _retry_text(error: Exception) -> Any:
    """What the model reads instead of a result, when the tool requested a retry."""
    part = getattr(error, "tool_retry", None) or getattr(error, "tool_failed", None)
    content = getattr(part, "content", None)
    return plain(content) if content is not None else f"{type(error).__name__}: {error}"


def _answer(response: Any, finals: set[str]) -> tuple[str, list[ToolCall]]:
    """Text and calls; a call of an output tool is how a structured answer is given, not a call."""
    texts = []
    calls = []
    for part in response.parts:
        if part.part_kind == "text":
            texts.append(part.content)
        elif part.part_kind == "tool-call" and part.tool_name not in finals:
            raw_arguments = part.args if part.args not in (None, "") else {}
            arguments, raw = arguments_of(raw_arguments)
            calls.append(ToolCall(part.tool_name, arguments, part.tool_call_id, raw=raw))
    return "".join(texts), calls


def _messages(messages: Any) -> list[Message]:
    """What the user said, and results: of tools no hook saw run, since they do not exist or were denied."""
    read = []
    for part in chain.from_iterable(message.parts for message in messages):
        retried = part.part_kind == "retry-prompt" and bool(part.tool_name)
        if retried or part.part_kind == "tool-return":
            failed = retried or getattr(part, "outcome", "success") in FAILED
            result = ToolResult(part.tool_call_id, plain(part.content), failed, part.tool_name)
            read.append(Message("tool", results=(result,)))
        elif part.part_kind in ROLES:
            items = [part.content] if isinstance(part.content, str) else part.content or ()
            read.append(Message(ROLES[part.part_kind], "".join(i for i in items if isinstance(i, str))))
    return read
