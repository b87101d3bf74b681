"""Requests of agent platforms, by name: `preset: langgraph` and `preset: agentcore` under an agent `http:URL`.

A preset says where under the address a turn is posted, and what holds the session; `request` and `response` of the
suite take precedence over its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import msgspec

from rightcall.agents.remote.exchange import Exchange, fill_template
from rightcall.core.errors import ConfigError
from rightcall.model.record import Record


class Preset(Record, frozen=True):
    """`path` and `headers` may use the fields of requests and `{{session_uuid}}`, the same for all turns of a trial."""

    path: str
    request: Any
    headers: dict[str, str] = {}

    def place(self, ask: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
        """The path and the headers of one request."""
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
