"""Remote agents by their names: `http:URL` and `exec:COMMAND`."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rightcall.agents.remote.exchange import Exchange
from rightcall.core.errors import ConfigError
from rightcall.model.golden import Golden
from rightcall.model.tool import Tool
from rightcall.models.http import Network

if TYPE_CHECKING:
    from rightcall.agents.remote.addressed_session import AddressedAgent, Telemetry


def agent_at(
    model: str,
    exchange: Exchange,
    *,
    system: str = "",
    offered: Callable[[Golden], Sequence[Tool]] = lambda golden: (),
    network: Network | None = None,
    telemetry: Telemetry | None = None,
) -> AddressedAgent:
    """The agent of `http:URL` or `exec:COMMAND`; a `ConfigError` lists all problems."""
    prefix, _, rest = model.partition(":")
    if problems := exchange.problems():
        raise ConfigError(*problems)
    if exchange.preset and prefix == "exec":
        raise ConfigError(f"agent.preset '{exchange.preset}' is for http: agents, not for {prefix}:")
    from rightcall.agents.remote.addressed_session import Asking  # imported here: start-up

    asking = Asking(system, offered, telemetry)
    if prefix != "exec":
        from rightcall.agents.remote.http_agent import HttpAgent

        return HttpAgent(model if rest.startswith("//") else rest, exchange, asking, network or Network())
    from rightcall.agents.remote.exec_agent import ExecAgent

    return ExecAgent(command_of(rest), exchange, asking)


def command_of(text: str) -> list[str]:
    """A command as a list: JSON, or words split like a shell does. No shell is used."""
    try:
        words = json.loads(text) if text.lstrip().startswith("[") else shlex.split(text)
    except ValueError as error:
        raise ConfigError(f"exec: '{text}' is not a command: {error}") from None
    if not words or not isinstance(words, list) or not all(isinstance(word, str) and word for word in words):
        raise ConfigError(f'exec: needs a command such as exec:["node", "agent.js"], got \'{text}\'')
    return words
