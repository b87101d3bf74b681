"""AutoGen: the stream of messages of an agent or a team. The object holds the conversation: one trial at a time."""

from __future__ import annotations

from typing import Any

from rightcall.adapters.adapter import Adapter, Exclusive, LimitReachedError, Talk, Watch
from rightcall.adapters.values import arguments_of, plain, text_of
from rightcall.model.call import ToolCall
from rightcall.model.tool import Tool
from rightcall.model.trajectory import Usage

NAME = "autogen"
_EXCLUSIVE = Exclusive()


class AutoGen(Adapter):
    """Runs an AssistantAgent or a team and reads what it streams."""

    def talk(self, agent: Any, watch: Watch) -> Talk:
        return _StreamTalk(agent, watch)

    def tools(self, agent: Any) -> list[Tool]:
        found = []
        for one in getattr(agent, "_participants", None) or [agent]:
            for tool in getattr(one, "_tools", None) or ():
                schema = plain(tool.schema)
                parameters = schema.get("parameters") or Tool("").input_schema
                found.append(Tool(schema["name"], schema.get("description", ""), parameters))
        return found


ADAPTER = AutoGen()


class _StreamTalk(Talk):
    """Turns with one object, reset before the first."""

    def __init__(self, agent: Any, watch: Watch) -> None:
        self._agent, self._watch = agent, watch
        self._held = False

    async def open(self) -> None:
        if not self._held:
            await _EXCLUSIVE.of(self._agent).acquire()
            self._held = True
            await self._reset()

    async def say(self, text: str) -> Any:
        watch = self._watch
        given = watch.given(text)
        final, result = "", None
        async for item in self._agent.run_stream(task=given):
            if hasattr(item, "messages"):
                result = item
                continue
            with watch.guarded("reading messages"):
                final = _tell(watch, item) or final
        stopped = str(getattr(result, "stop_reason", "") or "")
        if stopped.lower().startswith(("maximum number", "max")):
            raise LimitReachedError(stopped)
        return watch.output(result) if watch.output else final

    async def aclose(self) -> None:
        if self._held:
            self._held = False
            _EXCLUSIVE.of(self._agent).release()

    async def _reset(self) -> None:
        if hasattr(self._agent, "on_reset"):
            from autogen_core import CancellationToken

            await self._agent.on_reset(CancellationToken())
        else:
            await self._agent.reset()


def _tell(watch: Watch, item: Any) -> str:
    """One message; returns its text when it is an answer."""
    kind, used = getattr(item, "type", ""), getattr(item, "models_usage", None)
    usage = Usage(used.prompt_tokens, used.completion_tokens) if used else Usage()
    source = str(getattr(item, "source", ""))
    if kind == "ToolCallRequestEvent":
        calls = []
        for made in item.content:
            arguments, raw = arguments_of(made.arguments)
            notes = {"handoff": True} if made.name.startswith("transfer_to_") else {}
            calls.append(ToolCall(made.name, arguments, made.id, raw=raw, notes=notes))
        watch.recorder.asked()
        watch.recorder.answered("", calls, usage=usage, agent=source)
        for call in calls:
            watch.recorder.tool_started(call.id, call.name, call.arguments, call.id)
    elif kind == "ToolCallExecutionEvent":
        for result in item.content:
            watch.recorder.tool_ended(result.call_id, plain(result.content), error=bool(result.is_error))
    elif kind == "ToolCallSummaryMessage":
        return text_of(item.content)
    elif source != "user" and hasattr(item, "to_model_text") and kind.endswith("Message"):
        text = text_of(item.content)
        watch.recorder.asked()
        watch.recorder.answered(text, usage=usage, agent=source)
        return text
    return ""
