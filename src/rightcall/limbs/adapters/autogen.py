"""AutoGen: the stream of messages of an agent or a team. The object holds the conversation: one trial at a time."""

from __future__ import annotations

from itertools import chain
from typing import Any

from rightcall.agents.observed.adapter import Adapter, ExclusiveTalk, LimitReachedError, Watch
from rightcall.agents.observed.values import arguments_of, framework_usage, plain, text_of
from rightcall.limbs.adapters.team_tools import team_tools
from rightcall.records.call import ToolCall
from rightcall.records.tool import Tool
from rightcall.records.trajectory import UNKNOWN_USAGE

NAME = "autogen"


class _StreamTalk(ExclusiveTalk):
    """Turns with one object, reset before the first."""

    async def say(self, text: str) -> Any:
        watch = self._watch
        task = watch.given(text)
        notes = _StreamNotes(watch)
        result = None
        async for item in self._agent.run_stream(task=task):
            if hasattr(item, "messages"):
                result = item
                continue
            with watch.guarded("reading messages"):
                notes.add(item)
        stopped = str(getattr(result, "stop_reason", "") or "")
        if stopped.lower().startswith(("maximum number", "max")):
            raise LimitReachedError(stopped)
        most = getattr(self._agent, "_max_tool_iterations", 1)
        if most > 1 and notes.rounds.get(str(getattr(self._agent, "name", "")), 0) >= most:
            raise LimitReachedError(f"the agent's max_tool_iterations of {most}")
        return watch.output(result) if watch.output else notes.final

    async def take(self) -> None:
        if hasattr(self._agent, "on_reset"):
            from autogen_core import CancellationToken

            await self._agent.on_reset(CancellationToken())
        else:
            await self._agent.reset()


class AutoGen(Adapter):
    """Runs an AssistantAgent or a team and reads what it streams."""

    conversation = _StreamTalk

    def unheard(self, agent: Any) -> str:
        executors = [
            getattr(m, "_code_executor", None) for m in getattr(agent, "_participants", None) or [agent]
        ]
        if not any(getattr(executor, "_functions", None) for executor in executors):
            return ""
        return (
            "the functions of its code executor run in another process, where their calls cannot be heard;"
            " give them to an AssistantAgent as tools"
        )

    def tools(self, agent: Any) -> list[Tool]:
        members = getattr(agent, "_participants", None) or [agent]
        offered = list(
            chain.from_iterable(
                [*getattr(m, "_tools", ()), *getattr(m, "_handoff_tools", ())] for m in members
            )
        )
        schemas = [plain(tool.schema) for tool in offered or [agent] if hasattr(tool, "schema")]
        return team_tools(
            Tool(s["name"], s.get("description", ""), s.get("parameters") or Tool("").input_schema)
            for s in schemas
        )


ADAPTER = AutoGen()


class _StreamNotes:
    """What one run streams. Messages of other agents that come while a call runs are made inside it."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._open: dict[str, tuple[str, ToolCall]] = {}  # running calls by id, with the agent that made them
        self._depths: dict[str, int] = {}
        self.rounds: dict[str, int] = {}
        """By agent: how often it called tools."""
        self.final = ""

    def add(self, item: Any) -> None:
        kind = getattr(item, "type", "")
        source = str(getattr(item, "source", ""))
        used = getattr(item, "models_usage", None)
        usage = framework_usage(used.prompt_tokens, used.completion_tokens) if used else UNKNOWN_USAGE
        depth, parent = self._place(source)
        if kind == "ToolCallRequestEvent":
            self.rounds[source] = self.rounds.get(source, 0) + 1
            calls = [_call(function_call) for function_call in item.content]
            self._watch.recorder.asked()
            self._watch.recorder.answered("", calls, usage=usage, agent=source, depth=depth, parent=parent)
            for call in calls:
                self._open[call.id] = (source, call)
                self._watch.recorder.tool_started(call.id, call.name, call.arguments, call.id)
        elif kind == "ToolCallExecutionEvent":
            for result in item.content:
                self._open.pop(result.call_id, None)
                told = plain(result.content)
                self._watch.recorder.tool_ended(result.call_id, told, error=bool(result.is_error))
        elif kind == "ToolCallSummaryMessage":
            self.final = self.final if depth else text_of(item.content)
        elif source != "user" and hasattr(item, "to_model_text") and kind != "HandoffMessage":
            text = text_of(item.content)
            self._watch.recorder.asked()
            self._watch.recorder.answered(text, usage=usage, agent=source, depth=depth, parent=parent)
            self.final = self.final if depth else text

    def _place(self, source: str) -> tuple[int, str]:
        """How deep an agent is, and inside which call: one that has its name (AgentTool), or any other (TeamTool)."""
        others = [(agent, call) for agent, call in self._open.values() if agent != source]
        if not others:
            self._depths[source] = 0
            return 0, ""
        agent, call = next(((a, c) for a, c in others if c.name == source), others[-1])
        self._depths[source] = self._depths.get(agent, 0) + 1
        return self._depths[source], call.id


def _call(function_call: Any) -> ToolCall:
    arguments, raw = arguments_of(function_call.arguments)
    name = function_call.name
    prefix = "transfer_to_"
    notes = {"handoff": name.removeprefix(prefix) or True} if name.startswith(prefix) else {}
    return ToolCall(function_call.name, arguments, function_call.id, raw=raw, notes=notes)
