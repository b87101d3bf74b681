"""`rc.guard`: a guard for tools, from their roles or from a policy."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import Any

from rightcall.agents.agent import as_tools
from rightcall.core.errors import ConfigError
from rightcall.core.event_loop import run_blocking
from rightcall.tools.definitions.source import confirmed_tools, definitions_of, open_source
from rightcall.tools.guard.monitor import Guard
from rightcall.tools.guard.policy import GuardPolicy, guard_policy


def guard(tools: str | Path | Iterable[Any], base: str | Path | GuardPolicy = "auto") -> Guard:
    """A guard for tools: `guard(tools).check(call, ledger)` says whether an attacker could have caused the call.

    `tools` are functions, definitions, worlds, or the name of a source of tools. `base` is `auto`, `strict`, a policy
    or its file. The ledger is what happened before: a trajectory, messages, or calls with their results. The
    verdict has `verdict` (allow, confirm or deny), the rules `by` which, the `argument` and its `label`.
    """
    policy = guard_policy(base)
    if policy is None:
        raise ConfigError("a guard needs rules; base is auto, strict, a policy or its file")
    entries = run_blocking(tool_entries(tools))
    definitions = list(chain.from_iterable(definitions_of(entry) for entry in entries))
    where = str(base) if isinstance(base, str | Path) else "guard"
    return Guard(policy, definitions, confirmed=confirmed_tools(entries), where=where)


async def tool_entries(tools: str | Path | Iterable[Any]) -> list[Any]:
    """Tools, or those of the source that is named: a file, `module:attribute`, a server."""
    if not isinstance(tools, str | Path):
        return as_tools(list(tools))
    async with open_source(str(tools)) as entries:
        return list(entries)
