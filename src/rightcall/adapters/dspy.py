"""DSPy: callbacks of the context. Its answers are text that an adapter parses, so calls are the tools that ran."""

from __future__ import annotations

from typing import Any

from rightcall.adapters.adapter import Adapter, Talk, Watch
from rightcall.adapters.values import plain, text_of
from rightcall.errors import ConfigError
from rightcall.model.call import ToolCall
from rightcall.model.tool import Tool
from rightcall.model.trajectory import Usage

NAME = "dspy"
FINISH = "finish"
"""The pseudo-tool by which ReAct ends."""


class DSPy(Adapter):
    """Runs a module, such as ReAct, with our callback."""

    def talk(self, agent: Any, watch: Watch) -> Talk:
        return _ModuleTalk(agent, watch)

    def tools(self, agent: Any) -> list[Tool]:
        found = []
        for tool in (getattr(agent, "tools", None) or {}).values():
            if tool.name != FINISH:
                schema = {
                    "type": "object",
                    "properties": plain(tool.args or {}),
                    "required": list(tool.args or {}),
                }
                found.append(Tool(tool.name, tool.desc or "", schema))
        return found


ADAPTER = DSPy()


class _ModuleTalk(Talk):
    """Turns with a module: earlier ones are given as history, where its signature takes one."""

    def __init__(self, agent: Any, watch: Watch) -> None:
        self._agent, self._watch = agent, watch
        self._turns: list[dict[str, Any]] = []

    async def say(self, text: str) -> Any:
        import dspy

        watch = self._watch
        given = watch.given(text) if watch.input else {self._field(): text}
        if (history := self._history()) and history not in given:
            given = {**given, history: dspy.History(messages=list(self._turns))}
        callback = _callback(watch)
        ours = [*(dspy.settings.callbacks or []), callback]
        with dspy.context(callbacks=ours, track_usage=True):
            prediction = await self._agent.acall(**given)
        used = prediction.get_lm_usage() or {}
        counted = [plain(one) for one in used.values()]
        usage = Usage(
            sum(one.get("prompt_tokens") or 0 for one in counted),
            sum(one.get("completion_tokens") or 0 for one in counted),
        )
        made = {name: plain(getattr(prediction, name, None)) for name in self._signature("output_fields")}
        self._turns.append({name: value for name, value in given.items() if name != history} | made)
        answer = watch.output(prediction) if watch.output else self._answer(prediction)
        with watch.guarded("ending"):
            watch.recorder.answered(text_of(answer), usage=usage)
        return answer

    def _field(self) -> str:
        apart = ("trajectory", self._history())
        fields = [name for name in self._signature("input_fields") if name not in apart]
        if len(fields) != 1:
            raise ConfigError(
                f"{type(self._agent).__name__} takes {', '.join(fields) or 'no known fields'}; say how to call it:"
                " observe(agent, input=lambda golden: {…}, output=lambda prediction: …)"
            )
        return fields[0]

    def _history(self) -> str:
        """The field for earlier turns; empty when the signature has none."""
        import dspy

        fields = self._signature("input_fields").items()
        return next((name for name, field in fields if field.annotation is dspy.History), "")

    def _answer(self, prediction: Any) -> Any:
        fields = [name for name in self._signature("output_fields") if hasattr(prediction, name)]
        return getattr(prediction, fields[-1]) if fields else plain(prediction.toDict())

    def _signature(self, which: str) -> dict[str, Any]:
        return getattr(getattr(self._agent, "signature", None), which, None) or {}


def _callback(watch: Watch) -> Any:
    from dspy.utils.callback import BaseCallback

    class TrialCallback(BaseCallback):
        """ReAct runs one tool at a time: a tool that starts while another runs is inside it."""

        def __init__(self) -> None:
            self._running: list[str] = []

        def on_lm_start(self, call_id: str, instance: Any, inputs: Any) -> None:
            with watch.guarded("on_lm_start"):
                watch.recorder.asked()

        def on_tool_start(self, call_id: str, instance: Any, inputs: Any) -> None:
            with watch.guarded("on_tool_start"):
                if instance.name != FINISH:
                    arguments = plain(inputs.get("kwargs") or {})
                    parent = self._running[-1] if self._running else ""
                    made = ToolCall(instance.name, arguments, call_id)
                    watch.recorder.answered("", [made], depth=len(self._running), parent=parent)
                    self._running.append(call_id)
                    watch.recorder.tool_started(call_id, instance.name, arguments, call_id)

        def on_tool_end(self, call_id: str, outputs: Any, exception: Exception | None = None) -> None:
            with watch.guarded("on_tool_end"):
                if call_id in self._running:
                    self._running.remove(call_id)
                watch.recorder.tool_ended(call_id, plain(outputs), error=exception)

    return TrialCallback()
