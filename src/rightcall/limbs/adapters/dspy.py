"""DSPy: callbacks of the context, and the replies that an LM adds to its history (`BaseLM.update_history`).

Its answers are text that an adapter parses: the call is what was parsed, or else the tool that ran.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from itertools import chain
from typing import Any

from rightcall.agents.observed.adapter import (
    Adapter,
    AgentTalk,
    Watch,
    all_replaced,
    declared_inputs,
    watch_of,
)
from rightcall.agents.observed.model_answers import ModelAnswer
from rightcall.agents.observed.values import plain, text_of
from rightcall.records.call import ToolCall
from rightcall.records.dialects.reported_usage import chat_usage
from rightcall.records.message import Message
from rightcall.records.tool import Tool
from rightcall.records.trajectory import Usage

NAME = "dspy"
FINISH = "finish"
"""The pseudo-tool by which ReAct ends."""


class _ModuleTalk(AgentTalk):
    """Turns with a module: earlier ones are given as history, where its signature takes one."""

    def __init__(self, agent: Any, watch: Watch) -> None:
        super().__init__(agent, watch)
        self._turns: list[dict[str, Any]] = []

    async def say(self, text: str) -> Any:
        import dspy

        watch = self._watch
        inputs = watch.inputs(_input_fields(self._agent), text)
        if (history := _history_field(self._agent)) and history not in inputs:
            inputs = {**inputs, history: dspy.History(messages=list(self._turns))}
        notes = watch.memory["notes"] = _ModuleNotes(watch)
        ours = [*(dspy.settings.callbacks or []), _callback(notes)]
        with dspy.context(callbacks=ours):
            run = self._agent.acall if hasattr(self._agent, "aforward") else dspy.asyncify(self._agent)
            prediction = await run(**inputs)
        outputs = {
            name: plain(getattr(prediction, name, None)) for name in _fields(self._agent, "output_fields")
        }
        self._turns.append({name: value for name, value in inputs.items() if name != history} | outputs)
        if _is_unfinished(self._agent, prediction):
            watch.recorder.note_limit("the agent's max_iters")
        return watch.output(prediction) if watch.output else self._answer(prediction)

    def _answer(self, prediction: Any) -> Any:
        fields = [name for name in _fields(self._agent, "output_fields") if hasattr(prediction, name)]
        return getattr(prediction, fields[-1]) if fields else plain(prediction.toDict())


class DSPy(Adapter):
    """Runs a module, such as ReAct, with our callback."""

    conversation = _ModuleTalk

    def install(self) -> Callable[[], None]:
        from dspy import BaseLM
        from dspy.clients.cache import Cache

        return all_replaced((BaseLM, "update_history", _watch_reply), (Cache, "get", _watch_cache))

    def unheard(self, agent: Any) -> str:
        kinds = chain.from_iterable(type(module).__mro__ for module in _modules(agent))
        if all(kind.__name__ != "CodeAct" for kind in kinds):
            return ""
        return "CodeAct copies its tools into a sandbox, where their calls cannot be heard; use dspy.RLM or dspy.ReAct"

    def tools(self, agent: Any) -> list[Tool]:
        definitions = []
        held = chain.from_iterable((getattr(m, "tools", None) or {}).values() for m in _modules(agent) or ())
        for tool in {id(tool): tool for tool in (*held, agent)}.values():
            if hasattr(tool, "args") and tool.name != FINISH:
                schema = {
                    "type": "object",
                    "properties": plain(tool.args or {}),
                    "required": list(tool.args or {}),
                }
                definitions.append(Tool(tool.name, tool.desc or "", schema))
        return definitions

    def parameters(self, agent: Any) -> dict[str, Any]:
        """A module with several inputs needs all but one: that is the text."""
        names = _input_fields(agent)
        return declared_inputs(names) if len(names) > 1 else {}


ADAPTER = DSPy()


def _fields(module: Any, which: str) -> dict[str, Any]:
    """The fields of a module's signature; none of a module that has no signature."""
    return getattr(getattr(module, "signature", None), which, None) or {}


def _history_field(module: Any) -> str:
    """The field for earlier turns; empty when the signature has none."""
    import dspy

    fields = _fields(module, "input_fields").items()
    return next((name for name, field in fields if field.annotation is dspy.History), "")


def _input_fields(module: Any) -> list[str]:
    """The inputs that somebody has to give: fields of the signature, or else parameters of `forward`."""
    fields = [*_fields(module, "input_fields")]
    if not fields:
        method = getattr(type(module), "aforward", None) or type(module).forward
        own = [*signature(method).parameters.values()][1:]
        fields = [
            p.name for p in own if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
        ]
    return [name for name in fields if name not in ("trajectory", _history_field(module))]


def _modules(agent: Any) -> list[Any]:
    """A module and those inside it; a tool alone has none."""
    return (
        [agent, *(module for _, module in agent.named_sub_modules())]
        if hasattr(agent, "named_sub_modules")
        else []
    )


def _is_unfinished(agent: Any, prediction: Any) -> bool:
    """Whether ReAct used all its iterations without calling `finish`."""
    steps = getattr(prediction, "trajectory", None)
    most = getattr(agent, "max_iters", None)
    if not isinstance(steps, dict) or not isinstance(most, int):
        return False
    return bool(steps.get(f"tool_name_{most - 1}", FINISH) != FINISH)


def _watch_reply(original: Any) -> Any:
    def update_history(self: Any, entry: Any) -> Any:
        watch = watch_of(NAME)
        notes = watch.memory.get("notes") if watch is not None else None
        if watch is not None and notes is not None:
            with watch.guarded("reading a reply"):
                notes.replied(entry)
        return original(self, entry)

    return update_history


def _watch_cache(original: Any) -> Any:
    def get(self: Any, *args: Any, **options: Any) -> Any:
        record = original(self, *args, **options)
        watch = watch_of(NAME)
        if watch is not None:
            watch.memory["cached"] = record is not None
        return record

    return get


class _ModuleNotes:
    """Notes of one turn. ReAct runs one tool at a time: what happens while another runs is inside it."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self._recorder = watch.recorder
        self._running: list[tuple[str, str]] = []  # ids of the callbacks and of the calls
        self._answer: ModelAnswer | None = None

    def replied(self, entry: dict[str, Any]) -> None:
        """An LM has replied; what its text means is known when it has been parsed."""
        response = entry.get("response")
        cached = self.watch.memory.pop("cached", False) and not entry.get(
            "usage"
        )  # embeddings are cached too
        usage = Usage() if cached else chat_usage(plain(entry.get("usage")))
        choices = getattr(response, "choices", None) or (response,)
        finish = str(getattr(choices[0], "finish_reason", None) or "")
        parent = self._running[-1][1] if self._running else ""
        sent = [m for m in entry.get("messages") or () if isinstance(m.get("content"), str)]
        self._recorder.asked([Message(m["role"], m["content"]) for m in sent])
        self._answer = self._recorder.answered(
            usage=usage, finish=finish, depth=len(self._running), parent=parent
        )
        self._answer.cached = cached

    def note_fields(self, call_id: str, fields: dict[str, Any]) -> None:
        if self._answer is None:
            return
        name = fields.get("next_tool_name")
        if name is None:
            self._recorder.extend_answer(self._answer, text_of(next(reversed(fields.values()), "")))
            return
        calls = []
        if name != FINISH:
            calls.append(ToolCall(str(name), plain(fields.get("next_tool_args") or {}), call_id))
        self._recorder.extend_answer(self._answer, text_of(fields.get("next_thought")), calls)

    def tool_started(self, call_id: str, name: str, arguments: dict[str, Any]) -> None:
        """A tool runs: of the call that was parsed, or of one that only the module knows."""
        if not self._recorder.tool_started(call_id, name, arguments):
            if self._answer is None:
                self._answer = self._recorder.answered(depth=len(self._running))
            self._recorder.run_by_code(self._answer, ToolCall(name, arguments, call_id))
            self._recorder.tool_started(call_id, name, arguments, call_id)
        self._running.append((call_id, self._recorder.call_id_of_key(call_id)))

    def tool_ended(self, call_id: str, outputs: Any, exception: Exception | None) -> None:
        self._running = [pair for pair in self._running if pair[0] != call_id]
        self._recorder.tool_ended(call_id, plain(outputs), error=exception)


def _callback(notes: _ModuleNotes) -> Any:
    from dspy.utils.callback import BaseCallback

    class TrialCallback(BaseCallback):
        def on_adapter_parse_end(
            self, call_id: str, outputs: Any, exception: Exception | None = None
        ) -> None:
            with notes.watch.guarded("on_adapter_parse_end"):
                if isinstance(outputs, dict):
                    notes.note_fields(call_id, outputs)

        def on_tool_start(self, call_id: str, instance: Any, inputs: Any) -> None:
            with notes.watch.guarded("on_tool_start"):
                if instance.name != FINISH:
                    notes.tool_started(call_id, instance.name, plain(inputs.get("kwargs") or {}))

        def on_tool_end(self, call_id: str, outputs: Any, exception: Exception | None = None) -> None:
            with notes.watch.guarded("on_tool_end"):
                notes.tool_ended(call_id, outputs, exception)

    return TrialCallback()
