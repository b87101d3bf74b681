"""`http:URL`: an agent that is a service. It receives JSON and replies with JSON or server-sent events."""

from __future__ import annotations

from typing import Any

import msgspec

from rightcall.agents.remote.agent_reply import AgentFailedError
from rightcall.agents.remote.exchange import Exchange
from rightcall.agents.remote.http_presets import preset_of
from rightcall.agents.remote.remote_agent import (
    AddressedAgent,
    AddressedSession,
    Asking,
    new_session_id,
    reader_for,
    traceparent,
)
from rightcall.core.codec import encode
from rightcall.core.errors import ProviderError
from rightcall.core.redaction.clean_text import scrubber
from rightcall.model.golden import Golden
from rightcall.model.trajectory import Trajectory
from rightcall.models import failures
from rightcall.models.http import MEGABYTE, HttpClient, Network

LARGEST = 16 * MEGABYTE

NOT_SENT = frozenset(("unreachable",))
"""Failures before the request left: the service cannot have acted on it."""

VERSION, MOST_VERSION = "x-agent-version", 100
"""The header in which a service may say which version answers, and the longest that is kept."""
UNUSABLE = ("too_large", "malformed")


class HttpAgent(AddressedAgent):
    """One service. Only the user's input, earlier turns, instructions and tools are sent to it.

    A service may act on every request it reads, so unlike a model it is asked again only if nothing was sent or if it
    declined. Every request has its own connection: one that the service closed while idle would look like one it read.
    """

    def __init__(self, url: str, exchange: Exchange, asking: Asking, network: Network) -> None:
        self._preset, exchange = preset_of(exchange)
        self.exchange, self._asking = exchange, asking
        self._client = HttpClient(url, exchange.header_values, single_use(network))
        self.name = f"http:{self._client.base_url}"
        self._reader = reader_for(exchange)
        self._clean = scrubber(*secret_words(exchange))

    def session(self, golden: Golden, trial: int = 0) -> AddressedSession:
        session_id = new_session_id(golden, trial)
        return AddressedSession(
            golden, trial, session_id, self._asking, self._exchange_turn, clean=self._clean
        )

    def begin(self, run_id: str) -> None:
        self._asking.run_id = run_id or self._asking.run_id

    async def check(self) -> list[str]:
        problem = await self._client.unreachable()
        return [problem] if problem else []

    async def aclose(self) -> None:
        await self._client.aclose()

    async def _exchange_turn(self, ask: dict[str, Any], user_text: str) -> Trajectory:
        body = encode(self.exchange.body(ask))
        headers = {
            "accept": "application/json, text/event-stream",
            "idempotency-key": ask["idempotency_key"],
            "traceparent": ask.get("traceparent") or traceparent(ask["session"]),
        }
        path, more = self._preset.place(ask)
        try:
            status, received, content = await self._client.exchange(path, body, {**headers, **more})
        except ProviderError as error:
            if error.kind in UNUSABLE:
                raise AgentFailedError(error.problem) from None
            raise error if error.kind in NOT_SENT else without_retry(error) from None
        if not 200 <= status < 300:
            raise refusal_error(self._client.base_url, status, received, content)
        stream = "text/event-stream" in str(received.get("content-type", "")).lower()
        reply = self._reader.read(content, user_text, stream=stream)
        version = reply.served_model or str(received.get(VERSION, ""))[:MOST_VERSION]
        return msgspec.structs.replace(reply, served_model=self._clean(version)) if version else reply


def single_use(network: Network) -> Network:
    """The same limits, with a connection for every request and replies of at most `LARGEST`."""
    return Network(
        network.connections,
        network.total,
        network.connect,
        network.read,
        LARGEST,
        network.trusted,
        keep_alive=False,
    )


def secret_words(exchange: Exchange) -> list[str]:
    """What is secret in the headers of requests: a service may echo it in its errors."""
    return [word for value in exchange.header_values().values() for word in value.split() if len(word) >= 8]


def refusal_error(url: str, status: int, headers: Any, content: bytes) -> ProviderError:
    """An error response. Only 429, and 503 with `Retry-After`, say that the service did not act on the request."""
    error = failures.refusal_error(url, status, headers, content)
    declined = status == 429 or (status == 503 and headers.get("retry-after"))
    return error if declined else without_retry(error)


def without_retry(error: ProviderError) -> ProviderError:
    """The same failure, not to be retried: the service may have acted."""
    if not error.retryable:
        return error
    problem = f"{error.problem}; not asked again: the agent may have acted"
    return ProviderError(problem, kind=error.kind, status=error.status)
