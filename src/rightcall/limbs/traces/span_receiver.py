"""Spans of agents behind an address or a command: an OTLP receiver for the time of a run."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable

from rightcall.agents.observed.recorder import CallsScored
from rightcall.core.errors import ConfigError
from rightcall.core.local_door import LocalDoor
from rightcall.limbs.traces.assembly import assemble
from rightcall.limbs.traces.otlp import Item
from rightcall.limbs.traces.otlp_receiver import OtlpReceiver
from rightcall.limbs.traces.span_spool import Part, whole_spans
from rightcall.records.trajectory import Trajectory

FIRST_SPAN = 7.0
"""Seconds to wait for the first span of a turn: SDKs send theirs every five seconds."""
MOST_SPANS = 2_000
STOP_SECONDS = 60.0
TRIED = 3
"""Turns without any span after which a run that never saw one stops."""


class WatchedTurn:
    """What has arrived of one turn."""

    def __init__(self) -> None:
        self.part = Part([], [])
        self.last = 0.0
        self.left_out = 0

    def take(self, item: Item) -> None:
        self.last = time.monotonic()
        if self.part.count >= MOST_SPANS:
            self.left_out += 1
        else:
            self.part.add(item)


class SpanReceiver:
    """Receives OTLP over HTTP and adds the calls in the spans of a turn to the agent's reply.

    `listen` is an address for agents that are already running; port 0 picks a free one, for programs, which get it
    when started. `settle` is how long no span must arrive before a turn is complete.
    """

    def __init__(
        self, listen: str = "127.0.0.1:4318", settle: float = 2.0, calls: CallsScored = "auto"
    ) -> None:
        self._listen = listen
        self._settle = settle
        self._calls = calls
        self._turns: dict[str, WatchedTurn] = {}
        # No token: a span counts only with the trace id of a turn in progress, which cannot be guessed.
        self._otlp = OtlpReceiver(LocalDoor(), self._take)
        self._port = 0
        self.seen = self.unseen = 0

    @property
    def endpoint(self) -> str:
        """The address for OTEL_EXPORTER_OTLP_ENDPOINT."""
        return f"http://{self._listen.rpartition(':')[0] or '127.0.0.1'}:{self._port}"

    async def start(self) -> None:
        host, _, port = self._listen.rpartition(":")
        try:
            self._port = await self._otlp.start(host or "127.0.0.1", int(port), stop_seconds=STOP_SECONDS)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            hint = "set another address with agent.otlp, and in the agent"
            raise ConfigError(f"cannot receive spans on {self._listen}: {reason}; {hint}") from None

    async def aclose(self) -> None:
        await self._otlp.stop()

    def watch(self, traceparent: str) -> None:
        """Collect the spans of a turn that begins now."""
        self._turns[_trace_id(traceparent)] = WatchedTurn()

    def forget(self, traceparents: Iterable[str]) -> None:
        for traceparent in traceparents:
            self._turns.pop(_trace_id(traceparent), None)

    async def wait_for_spans(self, traceparent: str, *, ended: bool) -> None:
        """Wait until no more spans arrive; `ended` means that the sending program has ended."""
        held = self._turns[_trace_id(traceparent)]
        began = time.monotonic()
        quiet = 0.0 if ended else self._settle
        while not ended or held.part.spans:
            since, patience = (held.last, quiet) if held.last else (began, max(FIRST_SPAN, quiet))
            if time.monotonic() - since >= patience:
                break
            await asyncio.sleep(0.05)
        self._count(self._work(traceparent) is not None)

    def merge_spans(self, traceparent: str, reply: Trajectory) -> Trajectory:
        """The reply with calls, messages and tokens of the spans, when they show a model or a tool at work."""
        seen = self._work(traceparent)
        if seen is None:
            return reply
        ended = seen if reply.stop_reason == "done" else reply
        return Trajectory(
            seen.messages,
            seen.calls or reply.calls,
            reply.output or seen.output,
            reply.usage if reply.usage.tokens else seen.usage,
            stop_reason=ended.stop_reason,
            error=ended.error,
        )

    def _work(self, traceparent: str) -> Trajectory | None:
        """What the spans of a turn show; None when they show neither a model nor a tool."""
        held = self._turns.get(_trace_id(traceparent))
        if held is None or not held.part.spans:
            return None
        seen = assemble(whole_spans([held.part]), calls=self._calls).trajectory
        return seen if seen.calls or seen.messages or seen.usage.input_tokens else None

    def unknown(self, traceparent: str, reply: Trajectory) -> str:
        """Why the calls of a turn are not known; empty when they are. An unobserved call must not count as no call."""
        held = self._turns.get(_trace_id(traceparent))
        if held is not None and held.left_out:
            return f"more than {MOST_SPANS:,} spans and events arrived for one reply, so not all of its calls are known"
        if not reply.calls and self._work(traceparent) is None:
            return (
                "no model or tool span arrived for a reply, so its calls are not known:"
                " is the agent instrumented?"
            )
        return ""

    def _count(self, any_span: bool) -> None:
        self.seen += any_span
        self.unseen += not any_span
        if not self.seen and self.unseen >= TRIED:
            raise ConfigError(
                f"no model or tool span arrived for the first {TRIED} replies: is the agent instrumented, does it"
                f" continue the `traceparent` of its request, and is its OTEL_EXPORTER_OTLP_ENDPOINT {self.endpoint}"
                " (OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf)?"
            )

    async def _take(self, items: list[Item]) -> int:
        for item in items:
            turn = self._turns.get(item.trace_id)
            if turn is not None:
                turn.take(item)
        return 0


def _trace_id(traceparent: str) -> str:
    return traceparent.split("-")[1]
