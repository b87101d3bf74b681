"""LangChain's messages, its tools answered by our desk, and LangGraph's interrupts by the suite's approver.

`BaseTool.run` and `arun` ask the desk first, inside a trial that has one. `HumanInTheLoopMiddleware` asks about all
calls of a turn at once or about each one; the older `HumanInterrupt` does so in its own words. A graph may also call
`interrupt(value)` with anything: then the approver's line says what to resume with, `{approve: VALUE}` or
`{reject: VALUE}`, by default true and false.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

from msgspec.structs import replace

from rightcall.agents.observed.adapter import Watch, watch_of
from rightcall.agents.observed.values import framework_usage, plain, text_of
from rightcall.core.errors import ConfigError
from rightcall.core.event_loop import run_apart
from rightcall.records.approval import Approval
from rightcall.records.call import ToolCall, ToolResult
from rightcall.records.dialects import read_messages, read_tool
from rightcall.records.message import Message
from rightcall.records.tool import Tool
from rightcall.records.trajectory import Usage

NAME = "langchain"


def desk_arun(original: Any) -> Any:
    async def arun(self: Any, tool_input: Any, *args: Any, **options: Any) -> Any:
        watch = watch_of(NAME)
        if watch is None or watch.desk is None or _inside(watch, options):
            return await original(self, tool_input, *args, **options)

        async def real() -> Any:
            return await original(self, tool_input, *args, **options)

        return await _at_the_desk(self, tool_input, options, watch, real=real)

    return arun


def desk_run(original: Any) -> Any:
    def run(self: Any, tool_input: Any, *args: Any, **options: Any) -> Any:
        watch = watch_of(NAME)
        if watch is None or watch.desk is None or _inside(watch, options):
            return original(self, tool_input, *args, **options)

        async def real() -> Any:
            return original(self, tool_input, *args, **options)

        return run_apart(_at_the_desk(self, tool_input, options, watch, real=real))

    return run


def _inside(watch: Watch, options: dict[str, Any]) -> bool:
    """Whether the desk runs this very call for real: then it is the framework's turn."""
    return options.get("tool_call_id") in watch.memory.get("at_desk", ())


async def _at_the_desk(tool: Any, tool_input: Any, options: dict[str, Any], watch: Watch, real: Any) -> Any:
    from langchain_core.messages import ToolMessage

    assert watch.desk is not None
    call_id = str(options.get("tool_call_id") or "")
    parameters = definition(tool).parameters
    inputs = tool_input if isinstance(tool_input, dict) else {next(iter(parameters), "input"): tool_input}
    arguments = {name: plain(value) for name, value in inputs.items() if name in parameters}
    key = object()
    busy = watch.memory.setdefault("at_desk", set())
    busy.add(call_id)
    try:
        watch.recorder.tool_started(key, tool.name, arguments, call_id)
        tool_run = _ToolRun(real, call_id)
        answer = await watch.desk.run(tool.name, arguments, call_id, tool_run.output)
        if tool_run.interrupt is not None:  # the graph stops here until somebody answers
            note_interrupt(watch, watch.recorder.call_of_key(key))
            raise tool_run.interrupt
        watch.recorder.tool_ended(key, answer.output, error=answer.failed)
    finally:
        busy.discard(call_id)
    if tool_run.returned is not None and answer.output == tool_run.told:
        return tool_run.returned  # as the tool returned it: a `Command` also changes the state
    if not call_id:
        return answer.output
    status = "error" if answer.failed else "success"
    return ToolMessage(text_of(answer.output), tool_call_id=call_id, name=tool.name, status=status)


class _ToolRun:
    """A run of the real tool; the desk would take its interrupt for a failure, and knows texts only."""

    def __init__(self, real: Any, call_id: str) -> None:
        self._real = real
        self._call_id = call_id
        self.interrupt: BaseException | None = None
        self.returned: Any = None
        self.told: Any = None

    async def output(self) -> Any:
        """What the model is told; a message that reports a failure is raised again."""
        try:
            self.returned = await self._real()
        except Exception as error:
            self.interrupt = error if is_interrupt(error) else None
            raise
        message = message_for_call(self.returned, self._call_id)
        if not hasattr(message, "content"):
            self.told = message
        elif getattr(message, "status", "") == "error":
            raise RuntimeError(text_of(message.content))
        else:
            self.told = plain(message.content)
        return self.told


INTERRUPTS = frozenset(("GraphBubbleUp", "GraphInterrupt"))


def is_interrupt(error: BaseException) -> bool:
    """Whether an exception stops a graph until somebody answers, rather than being a failure."""
    return any(kind.__name__ in INTERRUPTS for kind in type(error).__mro__)


def interrupts_in(state: Any) -> Sequence[Any]:
    """What a graph waits for; empty when it is done."""
    interrupts = state.get("__interrupt__") if isinstance(state, dict) else None
    return tuple(interrupts or ())


def note_interrupt(watch: Watch, call: ToolCall | None) -> None:
    """A tool interrupted the graph: its call waits."""
    if call is not None:
        watch.recorder.decided(Approval("waiting"), call.name, call.arguments, call.id)
        watch.memory["interrupted"] = call


def answers_to(interrupts: Sequence[Any], watch: Watch) -> dict[str, Any]:
    """The answers by interrupt; those that nobody answers are left out and stay noted as waiting."""
    answers = {}
    for interrupt in interrupts:
        answered, value = _answer(plain(interrupt.value), watch)
        if answered:
            answers[str(interrupt.id)] = value
    return answers


def resume_command(answers: dict[str, Any]) -> Any:
    from langgraph.types import Command

    return Command(resume=answers)


def _answer(value: Any, watch: Watch) -> tuple[bool, Any]:
    if isinstance(value, dict) and isinstance(value.get("action_requests"), list):
        allowed = {
            c.get("action_name"): c.get("allowed_decisions") for c in value.get("review_configs") or ()
        }
        answers = _decisions(value["action_requests"], watch, allowed)
        return bool(answers), {"decisions": answers}
    if isinstance(value, dict) and value.get("type") == "tool_approval":
        answers = _decisions([value], watch, {})
        return bool(answers), answers[0] if answers else None
    older = value if isinstance(value, list) else [value]
    if older and all(isinstance(item, dict) and "action_request" in item for item in older):
        return _older_answer(older, watch)
    return _own_answer(watch)


def _decisions(requests: Sequence[Any], watch: Watch, allowed: dict[Any, Any]) -> list[dict[str, Any]]:
    """A decision for each request; empty when one of them is not decided, because they are answered together."""
    asked = [(str(r.get("name") or ""), r.get("args"), str(r.get("tool_call_id") or "")) for r in requests]
    rules = [watch.rule(name) for name, _, _ in asked]
    if any(rule is None or rule.action == "escalate" for rule in rules):
        for (name, arguments, call_id), rule in zip(asked, rules, strict=True):
            escalated = rule is not None and rule.action == "escalate"
            approval = Approval("escalated" if escalated else "waiting")
            watch.recorder.decided(approval, name, arguments, call_id)
        return []
    decisions: list[dict[str, Any]] = []
    for name, arguments, call_id in asked:
        approval = watch.decide(name, arguments, call_id)
        kind = {"approved": "approve", "edited": "edit", "rejected": "reject"}[approval.decision]
        if kind not in (allowed.get(name) or [kind]):
            raise ConfigError(f"approvals.{name}: the agent's middleware does not allow {kind}")
        decision: dict[str, Any] = {"type": kind}
        if kind == "edit":
            decision["edited_action"] = {"name": name, "args": approval.arguments}
        elif kind == "reject":
            decision["message"] = approval.message
        decisions.append(decision)
    return decisions


def _older_answer(requests: Sequence[Any], watch: Watch) -> tuple[bool, Any]:
    actions = [
        {"name": r["action_request"].get("action"), "args": r["action_request"].get("args")} for r in requests
    ]
    answers: list[dict[str, Any]] = []
    for action, decision in zip(actions, _decisions(actions, watch, {}), strict=False):
        kind = decision["type"]
        if kind == "edit":
            edited = {"action": action["name"], "args": decision["edited_action"]["args"]}
            answers.append({"type": "edit", "args": edited})
        elif kind == "reject":
            answers.append({"type": "response", "args": decision["message"]})
        else:
            answers.append({"type": "accept", "args": None})
    return bool(answers), answers


def _own_answer(watch: Watch) -> tuple[bool, Any]:
    """The answer to `interrupt(value)` with a value of the agent's own: it belongs to the tool that raised it."""
    call = watch.memory.pop("interrupted", None)
    name = call.name if call is not None else ""
    rule = watch.rule(name)
    if rule is not None and rule.action == "edit":
        raise ConfigError(
            f"approvals.{name}: an interrupt with its own value cannot be edited; write {{approve: VALUE}} with what to"
            " resume it with"
        )
    if call is not None:
        watch.decide(name, call.arguments, call.id)
    if rule is None or rule.action == "escalate":
        return False, None
    return True, rule.action == "approve" if rule.value is None else rule.value


def read_message(message: Any) -> Message:
    """A LangChain message in our words, as far as results and turns matter."""
    kind = getattr(message, "type", "")
    if kind == "tool":
        failed = getattr(message, "status", "") == "error"
        result = ToolResult(
            str(message.tool_call_id or ""), plain(message.content), failed, str(message.name or "")
        )
        return Message("tool", results=(result,))
    if kind in ("ai", "AIMessageChunk"):
        return Message("assistant", text_in(message))
    return Message("system" if kind == "system" else "user", text_in(message))


def message_for_call(output: Any, call_id: str) -> Any:
    """The message by which the model reads a tool's output, which a `Command` carries; otherwise the output itself."""
    updates = [getattr(part, "update", None) for part in (output if isinstance(output, list) else [output])]
    values = chain.from_iterable(update.values() for update in updates if isinstance(update, dict))
    messages = chain.from_iterable(value for value in values if isinstance(value, list))
    return next((m for m in messages if call_id and getattr(m, "tool_call_id", "") == call_id), output)


def text_in(message: Any) -> str:
    content = message.content
    if isinstance(content, str):
        return content
    parts = [
        part if isinstance(part, str) else part.get("text", "")
        for part in content
        if isinstance(part, str) or (isinstance(part, dict) and part.get("type") == "text")
    ]
    return "".join(str(part) for part in parts)


def calls_in(message: Any) -> list[ToolCall]:
    """The calls in every field and block of an answer; `InputError` when one cannot be read.

    Where all of them have arguments that did not parse, LangChain's loops end without an error.
    """
    [read] = read_messages([{**plain(message), "role": "assistant"}], "the answer")[:1]
    broken = [call.get("name") for call in getattr(message, "invalid_tool_calls", None) or ()]
    if not broken or getattr(message, "tool_calls", None):
        return list(read.calls)
    return [
        replace(call, notes={"malformed_call_ended_run": True}) if call.name in broken else call
        for call in read.calls
    ]


def output_tool(state: Any) -> str:
    """The tool by which the model gave an answer with a schema: LangChain offers it and runs nothing for it."""
    if not isinstance(state, dict) or state.get("structured_response") is None:
        return ""
    messages = [m for m in state.get("messages") or () if getattr(m, "type", "") in ("ai", "tool")]
    if len(messages) < 2 or messages[-1].type != "tool":
        return ""
    answer_id = messages[-1].tool_call_id
    calls = list(chain.from_iterable(message.tool_calls for message in messages if message.type == "ai"))
    return next((str(call["name"]) for call in reversed(calls) if call["id"] == answer_id), "")


def usage_of(message: Any) -> Usage:
    counts = getattr(message, "usage_metadata", None) or {}
    cached = (counts.get("input_token_details") or {}).get("cache_read")
    return framework_usage(counts.get("input_tokens"), counts.get("output_tokens"), cached)


def finish_of(message: Any) -> str:
    fields = getattr(message, "response_metadata", None) or {}
    return str(fields.get("finish_reason") or fields.get("stop_reason") or "")


def tools_on_offer(offered: Any) -> list[Tool]:
    copied = [raw for raw in map(plain, offered) if isinstance(raw, dict)]
    return [read_tool(raw, "tools") for raw in copied if "function" in raw or "input_schema" in raw]


def tools_in(agent: Any) -> dict[str, Any]:
    """The tools in the tool nodes of a graph and of the graphs inside it, or bound to a runnable."""
    if hasattr(agent, "tool_call_schema"):
        return {agent.name: agent}
    tools: dict[str, Any] = dict(getattr(agent, "tools_by_name", None) or {})
    for raw in (getattr(agent, "kwargs", None) or {}).get("tools", ()):
        tools |= {tool.name: raw for tool in tools_on_offer([raw])}
    parts = [
        *(getattr(agent, "nodes", None) or {}).values(),
        *getattr(agent, "steps", ()),
        *getattr(agent, "tools", ()),
    ]
    for part in [*parts, getattr(agent, "bound", None)]:
        tools |= tools_in(part) if part is not None else {}
    return tools


def definition(tool: Any) -> Tool:
    from langchain_core.utils.function_calling import convert_to_openai_tool

    return read_tool(convert_to_openai_tool(tool), f"tool '{getattr(tool, 'name', '')}'")
