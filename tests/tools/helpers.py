"""Small parts that many tests of tools share."""

from __future__ import annotations

import asyncio
import itertools
import subprocess
import sys
from collections.abc import Coroutine
from typing import Any, TypeVar

from rightcall.records import ToolCall
from rightcall.tools.definitions.function import FunctionTool, tool
from rightcall.tools.idempotency.guard import Idempotency
from rightcall.tools.idempotency.key_location import sqlite_store
from rightcall.tools.idempotency.store import IdempotencyStore
from rightcall.tools.runtime.call_outcome import Invocation
from rightcall.tools.runtime.context import CallContext, VirtualClock
from rightcall.tools.runtime.toolbox import Toolbox

T = TypeVar("T")
_ids = itertools.count(1)


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(coroutine)


def a_call(tool_name: str, **arguments: Any) -> ToolCall:
    return ToolCall(tool_name, arguments, f"call_{next(_ids)}")


def a_dead_owner() -> str:
    """The owner of a claim whose process, on this machine, has ended."""
    script = "from rightcall.tools.idempotency.owners import Owner; print(Owner().id)"
    return subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout.strip()


class Effects:
    """A list of what was really done, and the tool that does it."""

    def __init__(self, **behaviour: Any) -> None:
        self.done: list[int] = []

        @tool(destructive=True, **behaviour)
        async def pay(amount: int, note: str = "", info: str = "") -> dict[str, Any]:
            """Pay an amount."""
            self.done.append(amount)
            return {"paid": amount, "number": len(self.done)}

        self.pay: FunctionTool = pay


def a_box(*tools: Any, store: IdempotencyStore | None = None, **settings: Any) -> Toolbox:
    """A toolbox that runs its tools for real, on a clock that stands still."""
    settings.setdefault("clock", VirtualClock())
    kept = Idempotency(store or sqlite_store(), in_flight_wait_s=settings.pop("wait_s", 0.05))
    return Toolbox(tools, execute="real", idempotency=kept, **settings)


def invoke(box: Toolbox, call: ToolCall, context: CallContext | None = None) -> Invocation:
    return run(box.invoke(call, context or box.context(run="r", task="t")))


def invoke_all(box: Toolbox, *calls: ToolCall, context: CallContext | None = None) -> list[Invocation]:
    """One after the other, in one trial."""
    shared = context or box.context(run="r", task="t")

    async def each() -> list[Invocation]:
        return [await box.invoke(call, shared) for call in calls]

    return run(each())
