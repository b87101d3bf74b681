"""Work that outlasts its deadline: at most one effect for a key, and the ledger knows of it."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from rightcall.tools.definitions.behaviour import CallInfo
from rightcall.tools.definitions.function import FunctionTool, tool
from rightcall.tools.runtime.call_outcome import Invocation
from rightcall.tools.runtime.context import CallContext, VirtualClock
from rightcall.tools.runtime.errors import Abort, Aborted, ToolError
from rightcall.tools.runtime.toolbox import Toolbox
from tests.support.patience import SECONDS, until
from tests.tools.helpers import a_box, a_call, run


class SlowWorld:
    """A service that acts when it is let, and what it did."""

    def __init__(self) -> None:
        self.effects: list[str] = []
        self.begun = threading.Event()
        self.let = threading.Event()

    def act(self, key: str = "k") -> dict[str, str]:
        self.begun.set()
        assert self.let.wait(SECONDS)
        self.effects.append(key)
        return {"sent": key}

    def probe(self, key: str, arguments: dict[str, Any]) -> Any:
        return {"sent": "k"} if self.effects else None

    def tool(self, kind: str, **settings: Any) -> FunctionTool:
        given = {"idempotency": "key", "timeout_s": 0.05, "probe": self.probe, **settings}

        def blocking() -> dict:
            return self.act()

        async def on_the_loop() -> dict:
            await until(self.let.is_set)
            return self.act()

        async def over_a_thread() -> dict:
            return await asyncio.to_thread(self.act)

        async def own_timeout() -> dict:
            return await asyncio.wait_for(asyncio.to_thread(self.act), 0.02)

        functions: dict[str, Callable[..., Any]] = {
            "sync": blocking,
            "async": on_the_loop,
            "thread": over_a_thread,
            "own timeout": own_timeout,
        }
        return tool(functions[kind], name="send", destructive=True, **given)


KINDS = ["sync", "async", "thread", "own timeout"]


def send() -> Any:
    return a_call("send", idempotency_key="k")


async def settled(box: Toolbox, context: CallContext) -> Invocation:
    """The answer once the work has ended."""
    for _ in range(500):
        made = await box.invoke(send(), context)
        if made.error is None or made.error.error != "in_progress":
            return made
    raise AssertionError("it is still running")


@pytest.mark.parametrize("kind", KINDS)
def test_a_write_out_of_time_is_neither_probed_nor_run_again_while_it_runs_and_is_known_when_it_ends(kind):
    world = SlowWorld()

    async def scenario() -> None:
        clock = VirtualClock()
        box = a_box(world.tool(kind), clock=clock)
        context = box.context(run="r", task="t")
        first = await box.invoke(send(), context)
        assert (first.outcome, first.error.effect) == ("unknown", "unknown")
        clock.move(61)
        second = await box.invoke(send(), context)
        assert second.error.error == "in_progress" and "not known yet" in second.error.detail
        assert world.effects == []
        world.let.set()
        last = await settled(box, context)
        assert last.outcome == "ok" and last.call.output == {"sent": "k"} and last.replayed
        assert world.effects == ["k"] and len(context.ledger.effects()) == 1

    run(scenario())


@pytest.mark.parametrize("kind", ["sync", "thread"])
def test_a_thread_whose_call_was_cancelled_keeps_its_key_until_it_ends(kind):
    world = SlowWorld()

    async def scenario() -> None:
        box = a_box(world.tool(kind, timeout_s=30))
        context = box.context(run="r", task="t")
        task = asyncio.create_task(box.invoke(send(), context))
        await until(world.begun.is_set)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (await box.invoke(send(), context)).error.error == "in_progress"
        world.let.set()
        assert (await settled(box, context)).call.output == {"sent": "k"}
        assert world.effects == ["k"] and len(context.ledger.effects()) == 1

    run(scenario())


def test_the_answer_says_that_it_is_still_running():
    world = SlowWorld()

    async def scenario() -> Invocation:
        box = a_box(world.tool("sync", check_with="list_mails"))
        made = await box.invoke(send(), box.context())
        world.let.set()
        return made

    reply = run(scenario()).error
    assert (
        reply.detail == "send did not answer within 0.05 s and is still running; its effect may have happened"
    )
    assert (
        reply.hint == "call list_mails first to see whether it happened; do not repeat send before you know"
    )


def test_a_tool_that_checks_before_it_acts_holds_its_resource_until_the_work_has_ended():
    world = SlowWorld()

    def a_send(key: str) -> Any:
        return a_call("send", idempotency_key=key, expected_version=1)

    async def scenario() -> None:
        checked = world.tool("thread", current_version=lambda arguments: 1, resource_key=lambda a: "mailbox")
        box = a_box(checked, wait_s=5)
        context = box.context()
        while not world.begun.is_set():  # on a busy machine the deadline may pass before it begins
            await box.invoke(a_send("k"), context)
        other = await box.invoke(a_send("other"), context)
        assert (other.outcome, other.error.effect, other.error.retry) == ("failed", "none", "same_key")
        world.let.set()
        assert (await box.invoke(a_send("k"), context)).replayed
        await box.invoke(a_send("other"), context)
        await until(lambda: len(world.effects) == 2)

    run(scenario())


def test_a_read_is_cancelled_at_its_deadline():
    ended: list[str] = []

    @tool(read_only=True, timeout_s=0.01)
    async def look() -> None:
        try:
            await asyncio.sleep(30)
        finally:
            ended.append("cancelled")

    async def scenario() -> Invocation:
        box = a_box(look)
        return await box.invoke(a_call("look"), box.context())

    assert run(scenario()).error.error == "timeout" and ended == ["cancelled"]


FAILURES = [
    ToolError("rate_limited", "slow down", retry_after_s=0.01),
    ToolError("upstream_error", "gone", retry="same_key"),
    ToolError("not_found", "no archive folder"),
    Abort("the books do not add up"),
    ConnectionResetError(),
    RuntimeError("a mistake"),
]


@pytest.mark.parametrize("mode", ["key", "args"])
@pytest.mark.parametrize("failure", FAILURES, ids=lambda failure: str(failure)[:12] or "reset")
@pytest.mark.parametrize("probed", [False, True])
def test_a_tool_that_breaks_after_it_has_acted_does_not_free_its_key(mode, failure, probed):
    done: list[int] = []

    def look(key: str, arguments: Any) -> Any:
        return {"number": 1} if done else None

    @tool(idempotency=mode, destructive=True, probe=look if probed else None)
    async def pay() -> None:
        done.append(1)
        raise failure

    box = a_box(pay)
    context = box.context()

    async def often() -> None:
        for _ in range(3):
            try:
                await box.invoke(
                    a_call("pay", **({"idempotency_key": "k"} if mode == "key" else {})), context
                )
            except Aborted:
                continue

    run(often())
    assert done == [1]
    assert len(context.ledger.effects()) == probed
    assert probed or "unknown" in [entry.phase for entry in context.ledger.entries]


@pytest.mark.parametrize("failure", [ToolError("rate_limited", "x", effect="none", retry_after_s=0), None])
def test_only_a_promise_that_nothing_was_done_frees_the_key(failure):
    runs: list[int] = []

    @tool(idempotency="key", destructive=True)
    async def pay() -> dict:
        runs.append(1)
        if len(runs) == 1:
            raise failure or Abort("not now", effect="none")
        return {}

    box = a_box(pay)

    async def twice() -> Invocation:
        with contextlib.suppress(Aborted):
            await box.invoke(a_call("pay", idempotency_key="k"), box.context())
        return await box.invoke(a_call("pay", idempotency_key="k"), box.context())

    assert run(twice()).attempts == 2 and len(runs) == 2


def test_a_tool_that_says_it_has_acted_is_known_as_done_whatever_breaks_afterwards():
    @tool(idempotency="key", destructive=True)
    async def pay(info: CallInfo) -> None:
        info.acted()
        raise RuntimeError

    async def scenario() -> tuple[Invocation, CallContext]:
        box = a_box(pay)
        context = box.context()
        await box.invoke(a_call("pay", idempotency_key="k"), context)
        return await box.invoke(a_call("pay", idempotency_key="k"), context), context

    made, context = run(scenario())
    assert (made.outcome, made.error.effect, made.replayed) == ("ok", "done", True)
    assert [entry.phase for entry in context.ledger.entries] == ["effect", "replayed"]


def test_work_that_is_not_awaited_ends_with_the_event_loop():
    world = SlowWorld()

    async def scenario() -> None:
        box = a_box(world.tool("async"))
        assert (await box.invoke(send(), box.context())).outcome == "unknown"

    started = time.monotonic()
    run(scenario())
    assert time.monotonic() - started < SECONDS / 2 and world.effects == []
