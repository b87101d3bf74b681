"""`a2a:URL`: an agent that speaks the Agent2Agent protocol, 1.0 or 0.3, over JSON-RPC.

Its card says where and how it is asked. The context of the first reply is the session of the turns that follow; a task
that waits for input is continued by the next turn. An agent that reports no calls is unknown, never one without calls.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import msgspec

from rightcall.agents.remote.a2a_reply import PAUSED, RUNNING, TurnRecord
from rightcall.agents.remote.a2a_wire import CARDS, Card, Json, message_params, read_card, read_update
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
from rightcall.core.codec import DecodeErrors
from rightcall.core.errors import ConfigError, ProviderError
from rightcall.model.golden import Golden
from rightcall.model.trajectory import StopReason, Trajectory
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
