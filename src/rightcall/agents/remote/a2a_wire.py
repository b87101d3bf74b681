"""A2A's two spellings of JSON-RPC, 1.0 and 0.3: the agent's card, requests, and replies as one kind of update."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin, urlsplit

from rightcall.core.errors import ConfigError
from rightcall.core.text import one_line

CARDS = ("/.well-known/agent-card.json", "/.well-known/agent.json")
"""Where agents publish their card; the second is what versions before 0.3 used."""
LOOPBACK = frozenset(("localhost", "127.0.0.1", "::1", "0.0.0.0"))  # noqa: S104  names in cards, nothing is bound

Json = dict[str, Any]


@dataclass(frozen=True)
class Card:
    """What a client needs of an agent's card: where and how it is asked."""

    path: str
    modern: bool
    """Whether it speaks 1.0; otherwise 0.3."""
    streams: bool
    served: str
    """The agent's name and version."""

    @property
    def headers(self) -> dict[str, str]:
        return {"a2a-version": "1.0"} if self.modern else {}

    def method(self, name: str) -> str:
        return name if self.modern else METHODS[name]


METHODS = {"SendMessage": "message/send", "SendStreamingMessage": "message/stream", "GetTask": "tasks/get"}
"""Names in 0.3."""


def read_card(raw: Any, address: str) -> Card:
    """The card that was found at an address; a `ConfigError` if it names no interface that can be used."""
    if not isinstance(raw, dict):
        raise ConfigError(f"a2a: the agent card of {address} is not an object")
    interfaces = list(_interfaces(raw))
    offered = [(url, version) for url, binding, version in interfaces if binding == "JSONRPC"]
    if not offered:
        bindings = ", ".join(sorted({one_line(binding, 40) for _, binding, _ in interfaces})) or "none"
        raise ConfigError(f"a2a: the agent card of {address} has no JSONRPC interface (it has: {bindings})")
    url, version = next((pair for pair in offered if pair[1].startswith("1.")), offered[0])
    capabilities = raw.get("capabilities")
    streams = isinstance(capabilities, dict) and capabilities.get("streaming") is True
    served = " ".join(one_line(str(raw.get(name) or ""), 60) for name in ("name", "version")).strip()
    return Card(_path(url, address), version.startswith("1."), streams, served)


def _interfaces(card: Json) -> Iterator[tuple[str, str, str]]:
    """URL, binding and version of each interface, the preferred one first."""
    for entry in card.get("supportedInterfaces") or ():
        if isinstance(entry, dict):
            yield (
                str(entry.get("url") or ""),
                str(entry.get("protocolBinding") or ""),
                str(entry.get("protocolVersion") or "1.0"),
            )
    version = str(card.get("protocolVersion") or "0.3")
    if isinstance(card.get("url"), str):
        yield card["url"], str(card.get("preferredTransport") or "JSONRPC"), version
    for entry in card.get("additionalInterfaces") or ():
        if isinstance(entry, dict):
            yield str(entry.get("url") or ""), str(entry.get("transport") or ""), version


def _path(url: str, address: str) -> str:
    """The path of the interface. Headers, which may hold a secret, go to the server of the address and no other."""
    whole = urlsplit(urljoin(address + "/", url))
    asked = urlsplit(address)
    same_host = whole.hostname == asked.hostname or {whole.hostname, asked.hostname} <= LOOPBACK
    if not same_host or _port(whole) != _port(asked):
        named = one_line(f"{whole.scheme}://{whole.netloc.rpartition('@')[2]}", 100)
        raise ConfigError(f"a2a: the agent card of {address} names another server, {named}; use a2a:{named}")
    return whole.path or "/"


def _port(url: Any) -> int:
    return int(url.port or (443 if url.scheme == "https" else 80))


def message_params(card: Card, text: str, message_id: str, context_id: str, task_id: str) -> Json:
    part: Json = {"text": text} if card.modern else {"kind": "text", "text": text}
    message: Json = {"messageId": message_id, "role": "ROLE_USER" if card.modern else "user", "parts": [part]}
    if not card.modern:
        message["kind"] = "message"
    if context_id:
        message["contextId"] = context_id
    if task_id:
        message["taskId"] = task_id
    configuration = {"returnImmediately": False} if card.modern else {"blocking": True}
    return {"message": message, "configuration": configuration}


KINDS = {
    "task": "task", "message": "message", "status-update": "statusUpdate", "artifact-update": "artifactUpdate",
}  # fmt: skip
"""Kinds of 0.3, as fields of 1.0."""


def read_update(result: Any) -> tuple[str, Json] | None:
    """The kind of one result or streamed event, in the words of 1.0, and what it holds; None for anything else."""
    if not isinstance(result, dict):
        return None
    for kind in KINDS.values():
        if isinstance(body := result.get(kind), dict):
            return kind, body
    kind = KINDS.get(str(result.get("kind")), "")
    if not kind:
        kind = "task" if isinstance(result.get("status"), dict) and "id" in result else ""
    return (kind, result) if kind else None


def state_of(status: Any) -> str:
    """A task's state in the words of 0.3: `input-required`, `completed` …; empty when it has none."""
    state = status.get("state") if isinstance(status, dict) else None
    return str(state or "").removeprefix("TASK_STATE_").lower().replace("_", "-")
