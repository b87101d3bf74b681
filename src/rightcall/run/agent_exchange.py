"""Requests to an agent behind an address or a command, and where its spans are received."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rightcall.agents.agent import is_address
from rightcall.agents.observed.observed_agent import OTEL
from rightcall.agents.remote.exchange import Exchange
from rightcall.core.errors import ConfigError
from rightcall.run.suite import AgentConfig

STANDARD, ANY_PORT = "127.0.0.1:4318", "127.0.0.1:0"
"""Services are configured with this address before the run, programs get theirs when they are started."""


def exchange_of(config: AgentConfig, model: Any, folder: Path) -> Exchange:
    """The exchange with the agent that a suite describes."""
    watched = _by_spans(config) and is_address(model)
    listen = config.otlp or (ANY_PORT if str(model).startswith("exec:") else STANDARD)
    return Exchange(
        config.request,
        config.response,
        config.headers,
        config.reuse,
        str(folder),
        listen if watched else "",
        config.settle,
        config.calls,
        config.preset or "",
    )


def require_spans(config: AgentConfig, model: str) -> None:
    """Refuse any way to observe an agent behind an address or a command other than the spans it sends."""
    if not _by_spans(config):
        raise ConfigError(
            f"agent.observe of '{model}' must be otel: code that runs elsewhere cannot be watched"
        )
    port = config.otlp.rpartition(":")[2] if config.otlp else "0"
    if not (port.isdecimal() and int(port) < 65536):
        raise ConfigError(f"agent.otlp must be HOST:PORT, got '{config.otlp}'")


def _by_spans(config: AgentConfig) -> bool:
    return config.observe == OTEL
