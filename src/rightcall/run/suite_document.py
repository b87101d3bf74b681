"""The document of a suite as it is written: variables of the environment, and the function that runs its tools."""

from __future__ import annotations

import os
from typing import Any

from rightcall.core.errors import InputError
from rightcall.providers.endpoint import VARIABLE
from rightcall.tools.runtime.mocks import EVERY


def with_dispatcher(value: dict[str, Any]) -> dict[str, Any]:
    """A suite whose `agent.execute` names a function: it is the mock of every tool that has none."""
    agent = value.get("agent")
    mocks = value.get("mocks") or {}
    if not isinstance(agent, dict):
        return value
    execute = agent.get("execute")
    if not isinstance(execute, str) or ":" not in execute or not isinstance(mocks, dict):
        return value
    others = {key: item for key, item in agent.items() if key != "execute"}
    return {**value, "agent": others, "mocks": {EVERY: execute, **mocks}}


def with_variables(value: Any, where: str) -> Any:
    """The value with `${NAME}` of every string replaced from the environment; headers are when they are sent."""
    if isinstance(value, str):
        for name in VARIABLE.findall(value):
            if name not in os.environ:
                raise InputError(where, f"the environment variable {name} is not set", f"export {name}=…")
        return VARIABLE.sub(lambda match: os.environ[match[1]], value)
    if isinstance(value, list):
        return [with_variables(item, f"{where}[{place}]") for place, item in enumerate(value)]
    if isinstance(value, dict):
        return {
            key: item if key == "headers" else with_variables(item, f"{where}: {key}")
            for key, item in value.items()
        }
    return value
