"""CrewAI: the event bus. Its handlers run in separate threads, so events are sorted before they are read.

The bus does not say which crew an event is of: one crew runs at a time.
"""

from __future__ import annotations

import asyncio
import threading
from functools import partial
from typing import Any

from rightcall.adapters.adapter import Adapter, Exclusive, Talk, Watch
from rightcall.adapters.values import arguments_of, plain, text_of
from rightcall.model.call import ToolCall
from rightcall.model.tool import Tool
from rightcall.model.trajectory import Usage
from rightcall.worker_threads import in_thread

NAME = "crewai"
_EXCLUSIVE = Exclusive()
_ONE_AT_A_TIME = threading.Lock()
"""Also between event loops."""


class CrewAI(Adapter):
    """Runs a crew or an agent and listens to the bus meanwhile."""

    def talk(self, agent: Any, watch: Watch) -> Talk:
        return _CrewTalk(agent, watch)

    def tools(self, agent: Any) -> list[Tool]:
        agents = getattr(agent, "agents", None) or [agent]
        found: dict[str, Tool] = {}
        for one in agents:
            for tool in getattr(one, "tools", None) or ():
                schema = plain(tool.args_schema.model_json_schema())
                found.setdefault(tool.name, Tool(tool.name, tool.description or "", schema))
        return list(found.values())


ADAPTER = CrewAI()


class _CrewTalk(Talk):
    """Turns with a crew, which remembers nothing between them, or with an agent, which receives the earlier ones."""

    def __init__(self, agent: Any, watch: Watch) -> None:
        self._agent, self._watch = agent, watch
        self._messages: list[dict[str, str]] = []
        self._events: list[Any] = []
        self._lock = threading.Lock()
        self._held = False
        self._work: asyncio.Future[Any] | None = None

    async def open(self) -> None:
        if not self._held:
            await _EXCLUSIVE.of(ADAPTER).acquire()
            self._held = True

    async def say(self, text: str) -> Any:
        self._work = asyncio.ensure_future(in_thread(partial(self._run, text)))
        try:
            return await asyncio.shield(self._work)
        except asyncio.CancelledError:  # time is over: record what has happened so far
            self._report()
            raise

    async def aclose(self) -> None:
        if (
            self._work is not None and not self._work.done()
        ):  # a crew cannot be stopped, and its events would be ours
            await asyncio.wait([self._work])
            self._work.exception()
        if self._held:
            self._held = False
            _EXCLUSIVE.of(ADAPTER).release()

    def _run(self, text: str) -> Any:
        from crewai.events import crewai_event_bus

        watch = self._watch
        with _ONE_AT_A_TIME, crewai_event_bus.scoped_handlers():
            with self._lock:
                self._events = _listen(crewai_event_bus)
            try:
                result = self._kickoff(text)
            finally:
                crewai_event_bus.flush()
                self._report()
        answer = text_of(getattr(result, "raw", result))
        self._messages.append({"role": "assistant", "content": answer})
        return watch.output(result) if watch.output else answer

    def _report(self) -> None:
        """Pass the events of this turn to the recorder, once."""
        with self._lock:
            events, self._events = self._events, []
        with self._watch.guarded("reading events"):
            offered = {tool.name for tool in ADAPTER.tools(self._agent)}
            _tell(self._watch, sorted(events, key=lambda event: event.emission_sequence or 0), offered)

    def _kickoff(self, text: str) -> Any:
        given = self._watch.given(text)
        if hasattr(self._agent, "tasks"):
            return self._agent.kickoff(inputs=given if isinstance(given, dict) else {"input": given})
        if not isinstance(given, str):
            return self._agent.kickoff(given)
        self._messages.append({"role": "user", "content": given})
        return self._agent.kickoff(list(self._messages))


def _listen(bus: Any) -> list[Any]:
    from crewai.events.types.llm_events import LLMCallCompletedEvent
    from crewai.events.types.tool_usage_events import (
        ToolUsageErrorEvent,
        ToolUsageFinishedEvent,
        ToolUsageStartedEvent,
    )

    events: list[Any] = []

    def keep(source: Any, event: Any) -> None:  # a third parameter would be given the runtime's state
        events.append(event)

    for kind in (LLMCallCompletedEvent, ToolUsageStartedEvent, ToolUsageFinishedEvent, ToolUsageErrorEvent):
        bus.on(kind)(keep)
    return events


def _tell(watch: Watch, events: list[Any], offered: set[str]) -> None:
    running: dict[str, Any] = {}
    for event in events:
        if event.type == "llm_call_completed":
            _answered(watch, event, inside=bool(running))
        elif event.type == "tool_usage_started":
            running[event.event_id] = event
            watch.recorder.tool_started(event.event_id, event.tool_name, event.tool_args)
        else:
            key = getattr(event, "started_event_id", None)
            if key not in running:
                key = _same(running, event)
            running.pop(key, None)
            raised = event.type == "tool_usage_error"
            # A tool that does not exist "finishes" with the words that say so.
            failed = raised or bool(event.failure) or bool(offered and event.tool_name not in offered)
            taken = None if raised else (event.finished_at - event.started_at).total_seconds() * 1000
            output = event.error if raised else event.output
            watch.recorder.tool_ended(key, plain(output), error=failed, ms=taken)


def _same(running: dict[str, Any], event: Any) -> str:
    """The start that an end without its id belongs to."""
    for key, started in running.items():
        if (started.tool_name, started.tool_args) == (event.tool_name, event.tool_args):
            return key
    return ""


def _answered(watch: Watch, event: Any, *, inside: bool) -> None:
    """One answer; `inside` says that it came while a tool ran: that of a coworker who was asked."""
    response, calls = event.response, []
    if isinstance(response, list):
        for raw in response:
            given = plain(raw)
            function = given.get("function", given) if isinstance(given, dict) else {}
            arguments, text = arguments_of(function.get("arguments", function.get("input", {})))
            name, call_id = str(function.get("name", "")), str(given.get("id", ""))
            calls.append(ToolCall(name, arguments, call_id, raw=text))
    used = event.usage or {}
    usage = Usage(
        used.get("prompt_tokens") or used.get("input_tokens") or 0,
        used.get("completion_tokens") or used.get("output_tokens") or 0,
    )
    watch.recorder.asked()
    watch.recorder.answered(
        "" if calls else text_of(response), calls, usage=usage, finish=str(event.finish_reason or ""),
        agent=str(getattr(event, "agent_role", "") or ""), depth=int(inside),
    )  # fmt: skip
