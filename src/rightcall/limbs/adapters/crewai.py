"""CrewAI: the event bus. Its handlers run in separate threads, so events are sorted before they are read.

The bus does not say which crew an event is of: one crew runs at a time.
"""

from __future__ import annotations

import asyncio
import re
import threading
from functools import partial
from itertools import product
from typing import Any

from rightcall.agents.observed.adapter import Adapter, ExclusiveTalk, Watch, declared_inputs
from rightcall.agents.observed.values import arguments_of, framework_usage, plain, text_of
from rightcall.core.event_loop.worker_threads import in_thread
from rightcall.limbs.adapters.team_tools import team_tools
from rightcall.records.call import ToolCall, ToolResult
from rightcall.records.message import Message
from rightcall.records.tool import Tool

NAME = "crewai"
DELEGATION = frozenset(
    ("Delegate work to coworker", "Ask question to coworker", "delegate_work_to_coworker", "ask_question_to_coworker")
)  # fmt: skip
"""Tools that a crew gives to agents that may delegate."""

PLACEHOLDER = re.compile(r"\{([A-Za-z_][\w-]*)\}")

_ONE_AT_A_TIME = threading.Lock()
"""Also between event loops."""


class _CrewTalk(ExclusiveTalk):
    """Turns with a crew, which remembers nothing between them, or with an agent, which receives the earlier ones."""

    def __init__(self, agent: Any, watch: Watch) -> None:
        super().__init__(_runnable(agent), watch)
        self._messages: list[dict[str, str]] = []
        self._events: list[Any] = []
        self._lock = threading.Lock()
        self._work: asyncio.Future[Any] | None = None

    def exclusive_object(self) -> Any:
        return ADAPTER

    async def say(self, text: str) -> Any:
        self._work = asyncio.ensure_future(in_thread(partial(self._run, text)))
        try:
            return await asyncio.shield(self._work)
        except asyncio.CancelledError:  # time is over: record what has happened so far
            self._report()
            raise

    async def give_back(self) -> None:
        # A crew cannot be stopped, and its events would be ours.
        if self._work is not None and not self._work.done():
            await asyncio.wait([self._work])
            self._work.exception()

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
            events = self._events
            self._events = []
        with self._watch.guarded("reading events"):
            notes = _EventNotes(self._watch, {tool.name for tool in ADAPTER.tools(self._agent)})
            for event in sorted(events, key=lambda event: event.emission_sequence or 0):
                notes.add(event)

    async def open(self) -> None:
        if hasattr(self._agent, "tasks") and self._watch.input is None:
            self._watch.inputs(_placeholders(self._agent), "")
        await super().open()

    def _kickoff(self, text: str) -> Any:
        if hasattr(self._agent, "tasks"):
            return self._agent.kickoff(inputs=self._watch.inputs(_placeholders(self._agent), text))
        inputs = self._watch.given(text)
        if not isinstance(inputs, str):
            return self._agent.kickoff(inputs)
        self._messages.append({"role": "user", "content": inputs})
        return self._agent.kickoff(list(self._messages))


class CrewAI(Adapter):
    """Runs a crew or an agent and listens to the bus meanwhile."""

    conversation = _CrewTalk

    def tools(self, agent: Any) -> list[Tool]:
        from crewai.utilities.string_utils import sanitize_tool_name

        agent = _runnable(agent)
        return team_tools(
            Tool(
                sanitize_tool_name(tool.name),
                tool.description or "",
                plain(tool.args_schema.model_json_schema()),
            )
            for member in getattr(agent, "agents", None) or [agent]
            for tool in getattr(member, "tools", None) or [member]
            if hasattr(tool, "args_schema")
        )

    def parameters(self, agent: Any) -> dict[str, Any]:
        """A crew whose tasks have several placeholders needs all but one: that is the text."""
        return declared_inputs(_placeholders(_runnable(agent)))


ADAPTER = CrewAI()


def _runnable(agent: Any) -> Any:
    """The crew of an object of a class with `@CrewBase`; anything else itself."""
    crew = getattr(agent, "crew", None)
    return crew() if callable(crew) else agent


def _placeholders(crew: Any) -> list[str]:
    """The inputs that the texts of a crew name, as they were before an earlier run filled them in."""
    fields = ("description", "expected_output", "role", "goal", "backstory")
    parts = [*getattr(crew, "tasks", ()), *getattr(crew, "agents", ())] if hasattr(crew, "tasks") else []
    texts = [
        getattr(part, f"_original_{name}", None) or getattr(part, name, None)
        for part, name in product(parts, fields)
    ]
    return list(dict.fromkeys(PLACEHOLDER.findall("\n".join(filter(None, texts)))))


def _listen(bus: Any) -> list[Any]:
    from crewai.events.types.llm_events import LLMCallCompletedEvent, LLMCallStartedEvent
    from crewai.events.types.tool_usage_events import (
        ToolUsageErrorEvent,
        ToolUsageFinishedEvent,
        ToolUsageStartedEvent,
    )

    events: list[Any] = []

    def keep(source: Any, event: Any) -> None:  # a third parameter would be given the runtime's state
        events.append(event)

    for kind in (
        LLMCallStartedEvent, LLMCallCompletedEvent, ToolUsageStartedEvent, ToolUsageFinishedEvent,
        ToolUsageErrorEvent,
    ):  # fmt: skip
        bus.on(kind)(keep)
    return events


class _EventNotes:
    """The events of one turn, in their order. Answers that come while a tool runs are those of a coworker."""

    def __init__(self, watch: Watch, offered: set[str]) -> None:
        self._recorder = watch.recorder
        self._tools = offered | DELEGATION if offered else set()
        self._running: dict[str, Any] = {}
        self._depths: dict[str, int] = {}  # of agents, by their role

    def add(self, event: Any) -> None:
        if event.type == "llm_call_started":
            self._on_request(event)
        elif event.type == "llm_call_completed":
            self._on_answer(event)
        elif event.type == "tool_usage_started":
            self._running[event.event_id] = event
            self._recorder.tool_started(event.event_id, event.tool_name, event.tool_args)
        else:
            self._on_end(event)

    def _on_request(self, event: Any) -> None:
        self._tools |= {str((tool.get("function") or tool).get("name", "")) for tool in event.tools or ()}
        messages = event.messages if isinstance(event.messages, list) else []
        self._recorder.asked([_message(message) for message in messages if isinstance(message, dict)])
        if messages and messages[-1].get("content") == _last_request() and not self._running:
            self._recorder.note_limit("the agent's max_iter")

    def _on_answer(self, event: Any) -> None:
        role = str(getattr(event, "agent_role", "") or "")
        depth, parent = self._place(role)
        self._depths[role] = depth
        calls = [_call(plain(raw)) for raw in event.response] if isinstance(event.response, list) else []
        used = event.usage or {}
        usage = framework_usage(
            used.get("prompt_tokens") or used.get("input_tokens"),
            used.get("completion_tokens") or used.get("output_tokens"),
            used.get("cached_prompt_tokens"),
        )
        self._recorder.answered(
            "" if calls else text_of(event.response), calls, usage=usage,
            finish=str(event.finish_reason or ""), agent=role, depth=depth, parent=parent,
        )  # fmt: skip

    def _place(self, role: str) -> tuple[int, str]:
        """How deep an agent is, and inside which call: the latest that another agent made and that still runs."""
        for key, started in reversed(self._running.items()):
            asker = str(started.agent_role or "")
            if asker != role:
                return self._depths.get(asker, 0) + 1, self._recorder.call_id_of_key(key)
        return (self._depths.get(role, 1), "") if self._running else (0, "")

    def _on_end(self, event: Any) -> None:
        key = getattr(event, "started_event_id", None)
        if key not in self._running:
            key = _same(self._running, event)
        self._running.pop(key, None)
        raised = event.type == "tool_usage_error"
        # A tool that does not exist "finishes" with the words that say so.
        failed = raised or bool(event.failure) or bool(self._tools and event.tool_name not in self._tools)
        taken = None if raised else (event.finished_at - event.started_at).total_seconds() * 1000
        output = event.error if raised else event.output
        self._recorder.tool_ended(key, plain(output), error=failed, ms=taken)


def _same(running: dict[str, Any], event: Any) -> str:
    """The start that an end without its id belongs to."""
    for key, started in running.items():
        if (started.tool_name, started.tool_args) == (event.tool_name, event.tool_args):
            return key
    return ""


def _last_request() -> str:
    """What an agent is told that has reached its limit: to answer without any more tools."""
    from crewai.utilities.i18n import I18N_DEFAULT

    return str(I18N_DEFAULT.errors("force_final_answer"))


def _message(message: dict[str, Any]) -> Message:
    """A message as far as results matter: one of a tool that no event saw run is a failure."""
    if message.get("role") != "tool":
        role = message.get("role")
        content = message.get("content")
        return Message(
            role if role in ("system", "assistant") else "user", content if isinstance(content, str) else ""
        )
    told = ToolResult(str(message.get("tool_call_id") or ""), plain(message.get("content")), is_error=True)
    return Message("tool", results=(told,))


def _call(raw: Any) -> ToolCall:
    fields = raw if isinstance(raw, dict) else {}
    function = fields.get("function", fields)
    arguments, text = arguments_of(function.get("arguments", function.get("input", {})))
    return ToolCall(str(function.get("name", "")), arguments, str(fields.get("id", "")), raw=text)
