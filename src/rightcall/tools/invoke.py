"""One call from start to end, with exactly one outcome.

    parse → resolve → validate → normalise → policy and confirmation → idempotency → run under a deadline
          → check the result → record → reply

Nothing is recorded before the arguments are valid, and nothing is run before its key is committed.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol
from weakref import WeakValueDictionary

import msgspec

from rightcall.model.call import ToolCall
from rightcall.tools.context import CallContext
from rightcall.tools.entry import Ready
from rightcall.tools.errors import Abort, Effect, ToolError, outcome_unknown, stopped
from rightcall.tools.execute import check_words, doubt, out_of_time, read_result, stale, told
from rightcall.tools.execute import perform as perform_call
from rightcall.tools.execute import probe as find_out
from rightcall.tools.idempotency import Idempotency, Operation
from rightcall.tools.invocation import Finished, Invocation, finished_call
from rightcall.tools.policy import Retries
from rightcall.tools.prepare import Prepared, Preparer, Refused


class Injection(Protocol):
    """Faults that will strike one call."""

    names: list[str]

    async def run(self, perform: Callable[[], Any], prepared: Prepared, context: CallContext) -> Any: ...


class Injector(Protocol):
    """Decides which faults strike a call."""

    def arm(self, prepared: Prepared, context: CallContext) -> Injection | None: ...


@dataclass
class Invoker:
    """The pipeline with everything it needs. `strict` stops the agent when a tool breaks unexpectedly."""

    preparer: Preparer
    idempotency: Idempotency
    retries: Retries
    strict: bool = False
    faults: Injector | None = None
    locks: WeakValueDictionary[str, asyncio.Lock] = field(default_factory=WeakValueDictionary)

    async def invoke(self, call: ToolCall, context: CallContext) -> Invocation:
        """Run one call. Its outcome is data, `aborted` included; only cancellation is raised."""
        started = time.perf_counter()
        prepared: Prepared | None = None
        try:
            prepared = await self.preparer.prepare(call, context)
            finished = await self._attempts(prepared, context)
        except Refused as refused:
            finished = Finished.with_error("rejected", refused.reply)
        except Abort as abort:
            finished = Finished.aborted(abort.reason, abort.effect)
        except asyncio.CancelledError:
            self._record(call, _cancelled(prepared), prepared, context, started)
            raise
        return self._record(call, finished, prepared, context, started)

    async def _attempts(self, prepared: Prepared, context: CallContext) -> Finished:
        """Run once, and again on the runtime's own account where that can do no harm."""
        attempt = 1
        while True:
            finished = await self._once(prepared, context)
            if attempt > self.retries.most or not _may_repeat(prepared, finished):
                return finished
            asked = finished.error.retry_after_s if finished.error else None
            draw = context.random("retry", prepared.call.id, prepared.fingerprint, attempt).random()
            await context.clock.sleep(self.retries.wait_s(attempt, asked, draw))
            attempt += 1
            context.ledger.add(
                "runtime_retry",
                prepared.entry.tool.name,
                attempt=attempt,
                time=context.clock.now(),
                **prepared.note(),
            )

    async def _once(self, prepared: Prepared, context: CallContext) -> Finished:
        if not prepared.key:
            return await self._execute(prepared, context, 1)
        operation = Operation(
            prepared.entry.tool.name,
            prepared.key,
            prepared.fingerprint,
            prepared.entry.behaviour,
            prepared.call.id,
        )
        probe = partial(find_out, prepared) if prepared.ready.probe is not None else None
        return await self.idempotency.once(
            operation, context, lambda attempt: self._execute(prepared, context, attempt), probe
        )

    async def _execute(self, prepared: Prepared, context: CallContext, attempt: int) -> Finished:
        """Run the tool under its lock and its deadline, and read what came of it."""
        behaviour, ready = prepared.entry.behaviour, prepared.ready
        async with AsyncExitStack() as stack:
            if ready.current_version is not None:
                resource = behaviour.resource(prepared.arguments) or prepared.entry.tool.name
                await stack.enter_async_context(self._lock(resource, ready, context))
                if moved_on := await stale(prepared):
                    return Finished.with_error("failed", moved_on)
            injection = self.faults.arm(prepared, context) if self.faults is not None else None
            perform = partial(perform_call, prepared, context, attempt)
            deadline = asyncio.timeout(behaviour.timeout_s)
            try:
                async with deadline:
                    if injection is None:
                        result = await perform()
                    else:
                        prepared.faults += injection.names
                        result = await injection.run(perform, prepared, context)
            except ToolError as error:
                return told(error.reply)
            except Abort:
                raise
            except TimeoutError:
                return out_of_time(prepared, behaviour.timeout_s)
            except Exception as error:
                return self._broken(prepared, error)
        return read_result(prepared, result)

    def _broken(self, prepared: Prepared, error: Exception) -> Finished:
        """An exception nobody foresaw. The model learns nothing of its text: it may hold anything."""
        name, effect = prepared.entry.tool.name, doubt(prepared)
        if self.strict:
            raise Abort(f"{name} broke: {type(error).__name__}: {error}", effect=effect) from error
        if effect == "unknown":
            reply = outcome_unknown(name, f"{name} broke in the middle", check_words(prepared))
            return Finished.with_error("unknown", msgspec.structs.replace(reply, error="internal_error"))
        if isinstance(error, OSError):
            return Finished.with_error("failed", ToolError("upstream_error", f"{name} is out of reach").reply)
        return Finished.with_error("failed", ToolError("internal_error", f"{name} broke").reply)

    def _lock(self, resource: str, ready: Ready, context: CallContext) -> asyncio.Lock:
        locks: Any = self.locks if ready.live else context.locks
        lock: asyncio.Lock | None = locks.get(resource)
        if lock is None:
            lock = locks[resource] = asyncio.Lock()
        return lock

    def _record(
        self,
        call: ToolCall,
        finished: Finished,
        prepared: Prepared | None,
        context: CallContext,
        started: float,
    ) -> Invocation:
        done = finished_call(call, finished, (time.perf_counter() - started) * 1000)
        invocation = Invocation(
            done,
            finished.outcome,
            finished.error,
            finished.replayed,
            finished.attempts,
            prepared.key if prepared else "",
            tuple(prepared.faults) if prepared else (),
            finished.reason,
        )
        context.invocations.append(invocation)
        return invocation


def _cancelled(prepared: Prepared | None) -> Finished:
    effect: Effect = doubt(prepared) if prepared is not None else "none"
    return Finished.with_error("unknown" if effect == "unknown" else "failed", stopped(effect))


def _may_repeat(prepared: Prepared, finished: Finished) -> bool:
    """Whether the runtime may ask again: the failure passes, and no second effect can come of it."""
    if finished.error is None or finished.outcome not in ("failed", "unknown"):
        return False
    if finished.outcome == "unknown":
        return bool(prepared.key) and prepared.ready.probe is not None
    passing = finished.error.retry in ("same_key", "after")
    harmless = not prepared.entry.writes or finished.error.effect == "none" or bool(prepared.key)
    return passing and harmless
