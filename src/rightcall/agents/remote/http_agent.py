"""`http:URL`: an agent that is a service. It receives JSON and replies with JSON or server-sent events.

Requests of agent platforms have names: `preset: langgraph` and `preset: agentcore`. A preset says where under the
address a turn is posted, and what holds the session; `request` and `response` of the suite take precedence.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import msgspec
from msgspec.structs import replace

from rightcall.agents.remote.addressed_session import AddressedAgent, AddressedSession, Asking, traceparent
from rightcall.agents.remote.agent_reply import AgentFailedError
from rightcall.agents.remote.exchange import Exchange, fill_template
from rightcall.core.codec import encode
from rightcall.core.errors import ConfigError, ProviderError
from rightcall.core.redaction.clean_text import scrubber
from rightcall.providers import failures
from rightcall.providers.failures import MEGABYTE
from rightcall.providers.http import HttpClient, Network
from rightcall.records.golden import Golden
from rightcall.records.record import Record
from rightcall.records.trajectory import Trajectory

LARGEST = 16 * MEGABYTE

NOT_SENT = frozenset(("unreachable",))
"""Failures before the request left: the service cannot have acted on it."""

VERSION = "x-agent-version"
MOST_VERSION = 100
"""The header in which a service may say which version answers, and the longest that is kept."""
UNUSABLE = ("too_large", "malformed")


class HttpAgent(AddressedAgent):
    """One service. Only the user's input, earlier turns, instructions and tools are sent to it.

    A service may act on every request it reads, so unlike a model it is asked again only if nothing was sent or if it
    declined. Every request has its own connection: one that the service closed while idle would look like one it read.
    """

    def __init__(self, url: str, exchange: Exchange, asking: Asking, network: Network) -> None:
        self._preset, exchange = preset_of(exchange)
        super().__init__(exchange, asking)
        single_use = replace(network, largest_reply=LARGEST, keep_alive=False)
        self._client = HttpClient(url, exchange.header_values, single_use)
        self._place = self._client.base_url
        self.name = f"http:{self._place}"
        # A service may echo in its errors what is secret in the headers of requests.
        secrets = list(chain.from_iterable(value.split() for value in exchange.header_values().values()))
        self._clean = scrubber(*(word for word in secrets if len(word) >= 8))

    async def check(self) -> list[str]:
        problem = await self._client.unreachable()
        return [problem] if problem else []

    async def aclose(self) -> None:
        await self._client.aclose()

    async def _post(
        self, path: str, body: Any, headers: Mapping[str, str]
    ) -> tuple[Mapping[str, str], bytes, bool]:
        """Headers and content of the reply, and whether that is a stream of events."""
        sent = {"accept": "application/json, text/event-stream", **headers}
        try:
            status, received, content = await self._client.exchange(path, encode(body), sent)
        except ProviderError as error:
            if error.kind in UNUSABLE:
                raise AgentFailedError(error.problem) from None
            raise error if error.kind in NOT_SENT else without_retry(error) from None
        if not 200 <= status < 300:
            raise refusal_error(self._place, status, received, content)
        return received, content, "text/event-stream" in str(received.get("content-type", "")).lower()

    def session(self, golden: Golden, trial: int = 0) -> AddressedSession:
        return AddressedSession(golden, trial, self._asking, self._exchange_turn, clean=self._clean)

    async def _exchange_turn(self, ask: dict[str, Any], user_text: str) -> Trajectory:
        headers = {
            "idempotency-key": ask["idempotency_key"],
            "traceparent": ask.get("traceparent") or traceparent(ask["session"]),
        }
        path, more = self._preset.place(ask)
        received, content, stream = await self._post(path, self.exchange.body(ask), {**headers, **more})
        reply = self.read(content, user_text, stream=stream)
        version = reply.served_model or str(received.get(VERSION, ""))[:MOST_VERSION]
        return msgspec.structs.replace(reply, served_model=self._clean(version)) if version else reply


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


class Preset(Record, frozen=True):
    """`path` and `headers` may use the fields of requests and `{{session_uuid}}`, the same for all turns of a trial."""

    path: str
    request: Any
    headers: dict[str, str] = {}

    def place(self, ask: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
        fields = {**ask, "session_uuid": str(uuid5(NAMESPACE_URL, ask["session"]))}
        return fill_template(self.path, fields), fill_template(self.headers, fields)


PRESETS = {
    "langgraph": Preset(
        "/threads/{{session_uuid}}/runs/wait",
        {
            "assistant_id": "agent",
            "input": {"messages": [{"role": "user", "content": "{{input}}"}]},
            "if_not_exists": "create",
        },
    ),
    "agentcore": Preset(
        "/invocations",
        {"prompt": "{{input}}"},
        {"x-amzn-bedrock-agentcore-runtime-session-id": "{{session_uuid}}"},
    ),
}
"""LangGraph Platform keeps a thread for each session; AgentCore gives each session a runtime."""

NO_PRESET = Preset("", None)


def preset_of(exchange: Exchange) -> tuple[Preset, Exchange]:
    """The preset of an exchange, and the exchange with its request where the suite has none."""
    if exchange.preset and exchange.preset not in PRESETS:
        raise ConfigError(f"unknown agent.preset '{exchange.preset}'; there are {', '.join(PRESETS)}")
    preset = PRESETS.get(exchange.preset, NO_PRESET)
    if exchange.request is not None or preset.request is None:
        return preset, exchange
    return preset, msgspec.structs.replace(exchange, request=preset.request)
