"""`http:URL`: an agent that is a service. It receives JSON and replies with JSON or server-sent events."""

from __future__ import annotations

from typing import Any

from rightcall.errors import ProviderError
from rightcall.model.codec import encode
from rightcall.model.golden import Golden
from rightcall.model.trajectory import Trajectory
from rightcall.providers import failures
from rightcall.providers.agent_reply import AgentFailedError, start_of
from rightcall.providers.exchange import Exchange
from rightcall.providers.http import MEGABYTE, HttpClient, Network
from rightcall.providers.remote_agent import (
    AddressedAgent,
    AddressedSession,
    Asking,
    new_session_id,
    reader_for,
    traceparent,
)
from rightcall.providers.secrets import scrubber

LARGEST = 16 * MEGABYTE
ASK_AGAIN = frozenset((429, 502, 503, 504))
"""Statuses of gateways and overloaded servers; any other 5xx is a failure of the agent."""

UNUSABLE = ("too_large", "malformed")


class HttpAgent(AddressedAgent):
    """One service. Only the user's input, earlier turns, instructions and tools are sent to it."""

    def __init__(self, url: str, exchange: Exchange, asking: Asking, network: Network) -> None:
        self.exchange, self._asking = exchange, asking
        limits = Network(
            network.connections, network.total, network.connect, network.read, LARGEST, network.trusted
        )
        self._client = HttpClient(url, exchange.header_values, limits)
        self.name = f"http:{self._client.base_url}"
        self._reader = reader_for(exchange)
        sent = [
            word for value in exchange.header_values().values() for word in value.split() if len(word) >= 8
        ]
        self._clean = scrubber(*sent)  # a service may echo secrets in its errors

    def session(self, golden: Golden, trial: int = 0) -> AddressedSession:
        session_id = new_session_id(golden, trial)
        return AddressedSession(golden, trial, session_id, self._asking, self._exchanged, clean=self._clean)

    async def check(self) -> list[str]:
        problem = await self._client.unreachable()
        return [problem] if problem else []

    async def aclose(self) -> None:
        await self._client.aclose()

    async def _exchanged(self, ask: dict[str, Any], said: str) -> Trajectory:
        body = encode(self.exchange.body(ask))
        headers = {
            "accept": "application/json, text/event-stream",
            "traceparent": ask.get("traceparent") or traceparent(ask["session"]),
        }
        try:
            status, received, content = await self._client.exchange("", body, headers)
        except ProviderError as error:
            if error.kind in UNUSABLE:
                raise AgentFailedError(error.problem) from None
            raise
        if not 200 <= status < 300:
            raise _refused(self._client.base_url, status, received, content)
        stream = "text/event-stream" in str(received.get("content-type", "")).lower()
        return self._reader.read(content, said, stream=stream)


def _refused(url: str, status: int, headers: Any, content: bytes) -> Exception:
    """An error response: the infrastructure failed, or the agent did."""
    if status >= 500 and status not in ASK_AGAIN:
        return AgentFailedError(f"{url} answered {status}: {start_of(content)}")
    error = failures.refused(url, status, headers, content)
    if error.retryable and status not in ASK_AGAIN:
        return ProviderError(error.problem, kind=error.kind, status=status)
    return error
