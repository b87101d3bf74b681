"""Optimistic locking: a change based on an outdated version is rejected; check and act are atomic."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from weakref import WeakValueDictionary

from rightcall.tools.runtime.answer import failure_before_call
from rightcall.tools.runtime.bound_tool import call as call_function
from rightcall.tools.runtime.call_outcome import Finished
from rightcall.tools.runtime.errors import ErrorReply, ToolError
from rightcall.tools.runtime.invocation import ActiveCall, Next


@dataclass
class Versions:
    """Runs a tool that checks before it acts under the lock of its resource; others pass."""

    strict: bool | None
    locks: WeakValueDictionary[str, asyncio.Lock] = field(default_factory=WeakValueDictionary)

    async def __call__(self, call: ActiveCall, next: Next) -> Finished:
        if call.ready.current_version is None:
            return await next(call)
        resource = call.entry.behaviour.resource(call.arguments) or call.tool_name
        async with self._lock(resource, call):
            try:
                moved_on = await _stale(call)
            except ToolError as error:
                moved_on = error.reply
            except Exception as error:
                return failure_before_call(call.call.name, error, strict=bool(self.strict))
            if moved_on is not None:
                return Finished.with_error("failed", moved_on, free=True)
            return await next(call)

    def _lock(self, resource: str, call: ActiveCall) -> asyncio.Lock:
        locks: Any = self.locks if call.ready.live else call.context.locks
        lock: asyncio.Lock | None = locks.get(resource)
        if lock is None:
            lock = locks[resource] = asyncio.Lock()
        return lock


async def _stale(call: ActiveCall) -> ErrorReply | None:
    """The reply when the state has changed since the caller read it."""
    behaviour = call.entry.behaviour
    assert call.ready.current_version is not None
    expected = call.arguments.get(behaviour.version_parameter)
    current = await call_function(partial(call.ready.current_version, call.arguments))
    if expected == current:
        return None
    return ErrorReply(
        "precondition_failed",
        f"{behaviour.version_parameter} is {expected!r}, and the current version is {current!r}",
        f"read the current state, decide again, then call {call.call.name} with "
        f"{behaviour.version_parameter} = {current!r}",
        retry="fix_args",
        path=behaviour.version_parameter,
    )
