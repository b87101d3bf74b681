"""`observe(function, via="otel")`: any instrumented code, observed through its spans.

A trial is one trace: its spans are collected by our processor on the process's tracer provider, and become a
trajectory as imported traces do. Nothing is exported, and the user's provider and exporters stay as they are.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import Any, Literal

import msgspec

from rightcall.agents.observed.observed_agent import OTEL, ObservedAgent
from rightcall.agents.observed.recorder import CallsScored
from rightcall.agents.observed.session import FunctionTalk, ObservedSession
from rightcall.core.errors import ConfigError
from rightcall.limbs.traces.assembly import assemble
from rightcall.limbs.traces.span import Span, SpanEvent
from rightcall.records.call import ToolCall
from rightcall.records.golden import Golden, names_agents
from rightcall.records.message import Message
from rightcall.records.tool import Tool
from rightcall.records.trajectory import AgentAnswer, StopReason, Trajectory, Usage, answers_after

SCOPE = "rightcall"
TRIAL = "rightcall.trial"


def observe_spans(
    agent: Any,
    *,
    calls: CallsScored = "auto",
    tools: Literal["real", "mock"] = "real",
    handoffs: Literal["keep", "drop"] = "keep",
    input: Callable[[Golden], Any] | None = None,
    output: Callable[[Any], Any] | None = None,
) -> ObservedAgent:
    """A function, observed through its OpenTelemetry spans: `observe` with `via="otel"`."""
    if not callable(agent):
        raise ConfigError(
            f"via 'otel' observes a function that takes a text, got a {type(agent).__qualname__}"
        )
    if tools == "mock":
        raise ConfigError("via 'otel' only reads spans: it cannot mock tools")
    name = str(getattr(agent, "__name__", type(agent).__name__))
    return TracedAgent(
        agent, None, (OTEL,), calls, handoffs=handoffs, tools_run=tools, input=input, output=output, name=name
    )


@dataclass(frozen=True)
class TracedAgent(ObservedAgent):
    """A function whose spans are read."""

    def session(
        self, golden: Golden, trial: int = 0, desk: Any = None, approvals: Any = None
    ) -> TracedSession:
        return TracedSession(self, golden, trial)

    def tools(self) -> list[Tool]:
        return []

    @property
    def can_mock(self) -> bool:
        return False

    @property
    def naming(self) -> str:
        return "name your agents, so that their spans have gen_ai.agent.name or agent.name"

    def check(self) -> list[str]:
        try:
            import opentelemetry.sdk.trace  # noqa: F401
        except ModuleNotFoundError:
            return ["via 'otel' needs the OpenTelemetry SDK; install it with: pip install opentelemetry-sdk"]
        return []

    def notices(self) -> list[str]:
        notice = "no OpenTelemetry tracer provider was set, so RightCall set one for this process"
        return [notice] if _COLLECTORS.provider_is_ours else []


class TracedSession(ObservedSession):
    """Several turns with the function, each a trace."""

    def __init__(self, agent: TracedAgent, golden: Golden, trial: int) -> None:
        super().__init__({}, FunctionTalk(agent.target, golden, agent.output, agent.values))
        self._agent = agent
        self._golden = golden
        self._trial = trial
        self._collector = _COLLECTORS.current()
        self._turns: list[int] = []
        self._answers: list[str] = []

    async def turn(self, text: str) -> None:
        await self.open()
        from opentelemetry import trace
        from opentelemetry.context import Context

        tracer = trace.get_tracer(SCOPE)
        about: dict[str, str | int] = {"rightcall.golden.id": self._golden.id, "rightcall.trial": self._trial}
        with tracer.start_as_current_span(TRIAL, Context(), attributes=about) as span:
            self._turns.append(span.get_span_context().trace_id)
            self._collector.watch(self._turns[-1])
            output = await self._talk.say(text)
        self._answers.append(output if isinstance(output, str) else "")
        if not self._collector.saw_work(self._turns[-1]):
            raise ConfigError(
                f"{self._agent.name} produced no model or tool span: is it instrumented, with the process's own"
                " tracer provider, and are its traces sampled?"
            )

    def trajectory(self, stop_reason: StopReason = "done", error: str = "") -> Trajectory:
        turns = [self._turn_trajectory(trace_id) for trace_id in self._turns]
        if not turns:
            return Trajectory(stop_reason=stop_reason, error=error)
        whole = _join_turns(turns)
        last = self._answers[-1] if len(self._answers) == len(turns) else ""
        if stop_reason == "done":  # how it ended, according to the spans
            stop_reason = whole.stop_reason
            error = whole.error
        return msgspec.structs.replace(
            whole, output=last or whole.output, stop_reason=stop_reason, error=error
        )

    async def aclose(self) -> None:
        await super().aclose()
        for trace_id in self._turns:
            self._collector.forget(trace_id)

    def _turn_trajectory(self, trace_id: int) -> Trajectory:
        spans = self._collector.spans(trace_id)
        counted: CallsScored = "all" if names_agents(self._golden) else self._agent.calls
        return assemble(spans, calls=counted).trajectory if spans else Trajectory()


def _join_turns(turns: list[Trajectory]) -> Trajectory:
    """Turns of one conversation, steps counted on. When a later turn repeats the earlier messages, it has them all."""
    if len(turns) == 1:
        return turns[0]
    calls: list[ToolCall] = []
    messages: list[Message] = []
    answers: list[AgentAnswer] = []
    for turn in turns:
        before = sum(message.role == "assistant" for message in messages)
        calls += [msgspec.structs.replace(call, step=(call.step or 0) + before) for call in turn.calls]
        answers += answers_after(before, turn.answers)
        repeated = list(turn.messages[: len(messages)]) == messages
        messages = list(turn.messages) if repeated else [*messages, *turn.messages]
    usage = reduce(Usage.plus, (turn.usage for turn in turns))
    taken = [turn.latency_ms for turn in turns if turn.latency_ms is not None]
    return msgspec.structs.replace(
        turns[-1],
        calls=tuple(calls),
        messages=tuple(messages),
        usage=usage,
        latency_ms=sum(taken) or None,
        answers=tuple(answers),
    )


class SpanCollector:
    """Collects the spans of observed traces as they end. Fed by the processor of a provider."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._watched: dict[int, list[Span]] = {}

    def watch(self, trace_id: int) -> None:
        with self._lock:
            self._watched.setdefault(trace_id, [])

    def forget(self, trace_id: int) -> None:
        with self._lock:
            self._watched.pop(trace_id, None)

    def spans(self, trace_id: int) -> list[Span]:
        with self._lock:
            return list(self._watched.get(trace_id, ()))

    def saw_work(self, trace_id: int) -> bool:
        """Whether there is any span besides our own."""
        return any(span.name != TRIAL for span in self.spans(trace_id))

    def ended(self, span: Any) -> None:
        context = span.context
        if context is not None and context.trace_id in self._watched:
            read = _read(span)
            with self._lock:
                if (held := self._watched.get(context.trace_id)) is not None:
                    held.append(read)


def _read(span: Any) -> Span:
    """A span of the SDK as every reader of an export makes one."""
    code = span.status.status_code.name
    return Span(
        f"{span.context.trace_id:032x}",
        f"{span.context.span_id:016x}",
        f"{span.parent.span_id:016x}" if span.parent is not None else "",
        span.name,
        start=span.start_time or 0,
        end=span.end_time or 0,
        status="error" if code == "ERROR" else "ok" if code == "OK" else "",
        message=span.status.description or "",
        attributes=_plain(span.attributes),
        resource=_plain(span.resource.attributes),
        scope=span.instrumentation_scope.name if span.instrumentation_scope is not None else "",
        events=[SpanEvent(event.name, _plain(event.attributes)) for event in span.events],
    )


def _plain(attributes: Any) -> dict[str, Any]:
    return {
        str(key): list(value) if isinstance(value, tuple) else value
        for key, value in (attributes or {}).items()
    }


class _Collectors:
    """One collector for each provider that was the process's own when a trial began."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: list[tuple[Any, SpanCollector]] = []
        self.provider_is_ours = False

    def current(self) -> SpanCollector:
        from opentelemetry import trace
        from opentelemetry.sdk.trace import SpanProcessor, TracerProvider

        with self._lock:
            provider: Any = trace.get_tracer_provider()
            if not hasattr(provider, "add_span_processor"):
                trace.set_tracer_provider(TracerProvider())
                provider = trace.get_tracer_provider()
                self.provider_is_ours = True
            for owner, held in self._known:
                if owner is provider:
                    return held
            collector = SpanCollector()

            class Processor(SpanProcessor):
                def on_end(self, span: Any) -> None:
                    collector.ended(span)

            provider.add_span_processor(Processor())
            self._known.append((provider, collector))
            return collector


_COLLECTORS = _Collectors()
