"""`a2a:URL`: an agent that speaks the Agent2Agent protocol, 1.0 or 0.3, over JSON-RPC.

Its card says where and how it is asked. The context of the first reply is the session of the turns that follow; a task
that waits for input is continued by the next turn. An agent that reports no calls is unknown, never one without calls.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any
from urllib.parse import urlsplit

import msgspec

from rightcall.agents.remote.a2a_wire import (
    CARDS,
    Card,
    Json,
    message_params,
    read_card,
    read_update,
    state_of,
)
from rightcall.agents.remote.addressed_session import AddressedSession, Asking, traceparent
from rightcall.agents.remote.agent_reply import (
    AgentFailedError,
    UnreadableReplyError,
    decode_reply,
    server_sent,
    start_of,
)
from rightcall.agents.remote.exchange import Exchange
from rightcall.agents.remote.http_agent import ServiceAgent
from rightcall.core.codec import DecodeErrors, convert, encode
from rightcall.core.errors import ConfigError, ProviderError
from rightcall.core.redaction.clean_text import scrub
from rightcall.model.call import ToolCall, ToolResult
from rightcall.model.dialects import trajectory_from_messages, wire
from rightcall.model.dialects.parts import SpelledCall, SpelledResult, read_part
from rightcall.model.dialects.spoken_message import result_of
from rightcall.model.golden import Golden
from rightcall.model.message import Message
from rightcall.model.record import Record
from rightcall.model.trajectory import StopReason, Trajectory, Usage
from rightcall.models.http import Network

POLL = (0.1, 2.0)
"""Seconds between two questions about a running task: at first, and at most."""

SILENT = (
    "the agent reported no calls, so what it did is unknown; let it report them, observe its spans with"
    " `observe: otel`, or judge its answers alone with `response: {output: $.output}`"
)


class A2AAgent(ServiceAgent):
    """One agent behind its card. Only what the user says is sent to it: instructions and tools are its own."""

    def __init__(self, url: str, exchange: Exchange, asking: Asking, network: Network) -> None:
        place = urlsplit(url if "://" in url else f"https://{url}")
        super().__init__(f"{place.scheme}://{place.netloc}", exchange, asking, network)
        self._folder = place.path.rstrip("/")
        self.name = self.place = f"a2a:{self._client.base_url}{self._folder}"
        self._card: Card | None = None
        self._finding = asyncio.Lock()

    def session(self, golden: Golden, trial: int = 0) -> AddressedSession:
        return A2ASession(self, self._asking, golden, trial, self._clean)

    async def check(self) -> list[str]:
        if problems := await super().check():
            return problems
        try:
            await self.card()
        except (ConfigError, ProviderError) as error:
            return [str(error)]
        return []

    async def card(self) -> Card:
        """The agent's card, fetched once."""
        async with self._finding:
            if self._card is None:
                self._card = await self._find_card()
        return self._card

    async def _find_card(self) -> Card:
        folders = dict.fromkeys((self._folder, ""))
        places = [self._folder] if self._folder.endswith(".json") else [f + c for f in folders for c in CARDS]
        for path in places:
            status, _, content = await self._client.get(path)
            if status == 200:
                try:
                    return read_card(msgspec.json.decode(content), self._client.base_url)
                except DecodeErrors:
                    raise ConfigError(f"a2a: the agent card at {path} of {self.name} is not JSON") from None
        raise ConfigError(f"a2a: no agent card found at {self.name}; looked for {', '.join(places)}")

    async def updates(self, method: str, params: Json, parent: str) -> list[tuple[str, Json]]:
        """What the agent answers to one request: one update, or those of a stream."""
        card = await self.card()
        request = {"jsonrpc": "2.0", "id": 1, "method": card.method(method), "params": params}
        _, content, stream = await self.post(card.path, request, {**card.headers, "traceparent": parent})
        replies = [_result(piece) for piece in (server_sent(content) if stream else [content])]
        updates = [update for result in replies if (update := read_update(result)) is not None]
        if not updates:
            raise UnreadableReplyError(f"the reply has neither a task nor a message: {start_of(content)}")
        return updates

    def turn(self, record: TurnRecord, user_text: str) -> tuple[Trajectory, bool]:
        """The behaviour of one turn, and whether anything says what the agent called."""
        trajectory, reported = record.trajectory()
        if self.exchange.response:
            read = self._reply_reader.read(record.document(), user_text)
            trajectory = msgspec.structs.replace(
                read, stop_reason=trajectory.stop_reason, error=trajectory.error
            )
        served = self._card.served if self._card is not None else ""
        shows_calls = bool(reported or self.exchange.response) or self._asking.telemetry is not None
        return msgspec.structs.replace(trajectory, served_model=self._clean(served)), shows_calls


class A2ASession(AddressedSession):
    """A conversation in one context of the agent. It is unknown until a turn of it says what was called."""

    def __init__(
        self, agent: A2AAgent, asking: Asking, golden: Golden, trial: int, clean: Callable[[str], str]
    ) -> None:
        super().__init__(golden, trial, asking, self._say, clean=clean)
        self._agent = agent
        self._context = self._task = ""
        self._seen_ids: set[str] = set()
        self._known = False

    def trajectory(self, stop_reason: StopReason = "done", error: str = "") -> Trajectory:
        done = super().trajectory(stop_reason, error)
        if self._known or done.stop_reason != "done":
            return done
        return msgspec.structs.replace(done, stop_reason="infra_error", error=SILENT)

    async def _say(self, ask: dict[str, Any], user_text: str) -> Trajectory:
        agent = self._agent
        card = await agent.card()
        parent = ask.get("traceparent") or traceparent(ask["session"])
        params = message_params(card, user_text, ask["idempotency_key"], self._context, self._task)
        record = TurnRecord(self._seen_ids)
        method = "SendStreamingMessage" if card.streams else "SendMessage"
        for update in await agent.updates(method, params, parent):
            record.add(*update)
        wait = POLL[0]
        while record.state in RUNNING and record.task_id:
            await asyncio.sleep(wait)
            wait = min(wait * 2, POLL[1])
            for update in await agent.updates("GetTask", {"id": record.task_id}, parent):
                record.add(*update)
        self._context = record.context_id or self._context
        self._task = record.task_id if record.state in PAUSED else ""
        trajectory, shows_calls = agent.turn(record, user_text)
        self._known = self._known or shows_calls
        self._seen_ids |= record.message_ids
        return trajectory


def _result(content: bytes) -> Any:
    reply = decode_reply(content)
    if not isinstance(reply, dict):
        raise AgentFailedError(f"the reply is not an object: {start_of(content)}")
    error = reply.get("error")
    if error is not None:
        message = error.get("message") if isinstance(error, dict) else error
        raise AgentFailedError(f"the agent answered with an error: {str(message)[:300]}")
    return reply.get("result")


WHERE = "the reply"
ENDINGS: dict[str, StopReason] = {
    "": "done",
    "completed": "done",
    "input-required": "waiting_for_approval",
    "rejected": "refused",
    "failed": "agent_error",
    "canceled": "agent_error",
    "auth-required": "infra_error",
}
"""By the state of the task; a plain message has none."""

RUNNING = frozenset(("submitted", "working"))
"""States of a task that is not over: it is asked for until it is."""

PAUSED = frozenset(("input-required", "auth-required"))
"""States in which the next message continues the task."""


class _Reported(Record, frozen=True, forbid_unknown_fields=False):
    """What an agent may say about itself in metadata."""

    calls: tuple[ToolCall, ...] | None = None
    usage: Usage | None = None


class TurnRecord:
    """The updates of one turn, in the order they came. `before` are ids of messages and artifacts of earlier turns."""

    def __init__(self, before: set[str]) -> None:
        self._before = before
        self._messages: dict[str, Json] = {}
        self._artifacts: dict[str, Json] = {}
        self._metadata: list[Any] = []
        self._last: Json | None = None
        self.state = self.task_id = self.context_id = ""

    def add(self, kind: str, body: Json) -> None:
        self.context_id = str(body.get("contextId") or self.context_id)
        self._metadata.append(body.get("metadata"))
        if kind == "message":
            self._say(body)
            self._last = body
        elif kind == "artifactUpdate":
            self._extend(body)
        else:
            self.task_id = str(body.get("id" if kind == "task" else "taskId") or self.task_id)
            status = body.get("status")
            self.state = state_of(status) or self.state
            last = status.get("message") if isinstance(status, dict) else None
            self._last = last if isinstance(last, dict) else None
            for message in _dicts(body.get("history")):
                self._say(message)
            for artifact in _dicts(body.get("artifacts")):
                self._artifacts[str(artifact.get("artifactId"))] = artifact
            self._say(self._last)

    def _say(self, message: Json | None) -> None:
        if message is not None and str(message.get("role")).lower().removeprefix("role_") != "user":
            key = str(message.get("messageId") or len(self._messages))
            if key not in self._before:
                self._messages.setdefault(key, message)

    def _extend(self, body: Json) -> None:
        artifact = body.get("artifact")
        if not isinstance(artifact, dict):
            return
        key = str(artifact.get("artifactId"))
        earlier = self._artifacts.get(key)
        if body.get("append") and earlier is not None:
            artifact = {**earlier, "parts": [*_dicts(earlier.get("parts")), *_dicts(artifact.get("parts"))]}
        self._artifacts[key] = artifact

    @property
    def message_ids(self) -> set[str]:
        return {*self._messages, *self._artifacts}

    @property
    def artifacts(self) -> list[Json]:
        return [artifact for key, artifact in self._artifacts.items() if key not in self._before]

    @property
    def output(self) -> str:
        """The text of the artifacts; of the last message when there is none, or when it is a question."""
        results = "" if self.state in PAUSED else "".join(_text(artifact) for artifact in self.artifacts)
        return results or self._last_text

    def document(self) -> bytes:
        """The turn as JSON, for a suite that says by paths where things are."""
        parts = [part for holder in self._holders() for part in _dicts(holder.get("parts"))]
        data = [part["data"] for part in parts if "data" in part]
        return encode(
            {
                "output": self.output, "state": self.state, "messages": list(self._messages.values()),
                "artifacts": self.artifacts, "data": data, "metadata": [m for m in self._metadata if m],
            }
        )  # fmt: skip

    def trajectory(self) -> tuple[Trajectory, bool]:
        """What was done, and whether the agent said anything about its calls."""
        spoken = trajectory_from_messages(tuple(self._transcript()))
        about = [*(holder.get("metadata") for holder in self._holders()), *self._metadata]
        reports = [convert(metadata, _Reported, WHERE) for metadata in about if isinstance(metadata, dict)]
        stated = [report.calls for report in reports if report.calls is not None]
        calls = stated[-1] if stated else spoken.calls
        usage = next((report.usage for report in reversed(reports) if report.usage), spoken.usage)
        stop, error = self._stop_and_error()
        messages = () if stated else spoken.messages
        trajectory = Trajectory(messages, calls, self.output, usage, None, stop, error)
        return trajectory, bool(stated or spoken.calls)

    def _stop_and_error(self) -> tuple[StopReason, str]:
        stop = ENDINGS.get(self.state, "infra_error")
        if stop in ("done", "refused"):
            return stop, ""
        if stop == "waiting_for_approval":
            return stop, scrub(self._last_text)
        more = f": {self._last_text}" if self._last_text else ""
        return stop, scrub(f"the task is {self.state}{more}")[:500]

    @property
    def _last_text(self) -> str:
        return _text(self._last) if self._last else ""

    def _holders(self) -> list[Json]:
        return [*self._messages.values(), *self.artifacts]

    def _transcript(self) -> Iterator[Message]:
        """Messages with the calls and results of each message or artifact; last the answer."""
        for holder in self._holders():
            calls: list[ToolCall] = []
            results: list[ToolResult] = []
            for part in _dicts(holder.get("parts")):
                for call, result in _tool_use(part):
                    calls += [wire.call_of(call, WHERE, "a call")] if call else []
                    results += [result_of(result, WHERE, "a result")] if result else []
            if calls:
                yield Message("assistant", calls=tuple(calls))
            if results:
                yield Message("tool", results=tuple(results))
        yield Message("assistant", self.output)


def _tool_use(part: Json) -> Iterable[tuple[SpelledCall | None, SpelledResult | None]]:
    """The calls and results in a data part. ADK writes them bare, and says in the metadata what they are."""
    data, metadata = part.get("data"), part.get("metadata")
    if not isinstance(data, dict):
        return
    kind = metadata.get("adk_type") if isinstance(metadata, dict) else None
    if kind == "function_call":
        yield SpelledCall(data.get("name"), data.get("args") or {}, data.get("id") or ""), None
    elif kind == "function_response":
        yield None, SpelledResult(data.get("id") or "", data.get("response"), False, data.get("name") or "")
    else:
        read = read_part(data)
        if read.call is not None or read.result is not None:
            yield read.call, read.result or (read.call.result if read.call else None)


def _text(holder: Json) -> str:
    return "".join(part["text"] for part in _dicts(holder.get("parts")) if isinstance(part.get("text"), str))


def _dicts(values: Any) -> Sequence[Json]:
    return [value for value in values if isinstance(value, dict)] if isinstance(values, list) else []
