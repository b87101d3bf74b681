"""LangChain's tools answered by our desk, and LangGraph's interrupts by the suite's approver.

`BaseTool.run` and `arun` ask the desk first, inside a trial that has one. `HumanInTheLoopMiddleware` asks about all
calls of a turn at once or about each one; the older `HumanInterrupt` does so in its own words. A graph may also call
`interrupt(value)` with anything: then the approver's line says what to resume with, `{approve: VALUE}` or
`{reject: VALUE}`, by default true and false.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rightcall.agents.observed.adapter import Watch
from rightcall.agents.observed.hooks import watch_of
from rightcall.agents.observed.values import plain, text_of
from rightcall.core.errors import ConfigError
from rightcall.core.event_loop import run_apart
from rightcall.limbs.adapters.langchain_messages import definition, message_for_call
from rightcall.records.approval import Approval
from rightcall.records.call import ToolCall

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
