"""One call from start to end, with exactly one outcome.

    parse → resolve → validate → normalise → policy and confirmation → idempotency → run under a deadline
          → check the result → record → reply

Nothing is recorded before the arguments are valid, and nothing is run before its key is committed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol
from weakref import WeakValueDictionary

import msgspec

from rightcall.model.call import ToolCall
from rightcall.tools.batch import each_item
from rightcall.tools.context import CallContext
from rightcall.tools.entry import Ready
from rightcall.tools.errors import Abort, Effect, ToolError, outcome_unknown, stopped
from rightcall.tools.execute import check_words, doubt, out_of_reach, out_of_time, read_result, stale, told
from rightcall.tools.execute import perform as perform_call
from rightcall.tools.execute import probe as find_out
from rightcall.tools.idempotency import Idempotency, Operation
from rightcall.tools.invocation import Finished, Invocation, finished_call
from rightcall.tools.policy import Retries
from rightcall.tools.prepare import Prepared, Preparer, Refused


class Injection(Protocol):
    """Faults that will strike one call."""

    async def run(self, perform: Callable[[], Any], prepared: Prepared, context: CallContext) -> Any: ...


class Injector(Protocol):
    """Decides which faults strike a call: where it is delivered, and where its tool is run."""

    async def deliver(
        self, deliver: Callable[[], Awaitable[Finished]], prepared: Prepared, context: CallContext
    ) -> Finished: ...

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
        started = context.elapsed()
        prepared: Prepared | None = None
        try:
            prepared = await self.preparer.prepare(call, context)
            if self.faults is None and not self.retries.most:
                finished = await self._once(prepared, context)
            elif self.faults is None:
                finished = await self._attempts(prepared, context)
            else:
                again = partial(self._attempts, prepared, context)
                finished = await self.faults.deliver(again, prepared, context)
        except Refused as refused:
            finished = Finished.with_error("rejected", refused.reply)
        except ToolError as error:  # a preview or a policy of the user's refused
            finished = Finished.with_error("rejected", error.reply)
        except Abort as abort:
            finished = Finished.aborted(abort.reason, abort.effect)
        except asyncio.CancelledError:
            self._record(call, _cancelled(prepared), prepared, context, started)
            raise
        except Exception as error:  # user code around the tool broke; the tool itself is guarded below
            finished = self._broken_around(call.name, error)
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
        if prepared.entry.behaviour.batch and prepared.item is None:
            armed = self.faults.arm(prepared, context) if self.faults is not None else None
            return await each_item(prepared, armed, lambda item: self._once(item, context))
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
        """Run the tool; one that checks before it acts does both under the lock of its resource."""
        ready = prepared.ready
        if ready.current_version is None:
            return await self._run(prepared, context, attempt)
        resource = prepared.entry.behaviour.resource(prepared.arguments) or prepared.entry.tool.name
        async with self._lock(resource, ready, context):
            try:
                moved_on = await stale(prepared)
            except ToolError as error:
                moved_on = error.reply
            except Exception as error:
                return self._broken_around(prepared.call.name, error)
            if moved_on is not None:
                return Finished.with_error("failed", moved_on)
            return await self._run(prepared, context, attempt)

    async def _run(self, prepared: Prepared, context: CallContext, attempt: int) -> Finished:
        """Run the tool under its deadline, and read what came of it."""
        injection = prepared.injection
        if injection is None and prepared.item is None and self.faults is not None:
            injection = self.faults.arm(prepared, context)
        seconds = prepared.entry.behaviour.timeout_s
        try:
            async with asyncio.timeout(seconds):  # also a TimeoutError of the tool's own is out of time
                if injection is None:
                    result = await perform_call(prepared, context, attempt)
                else:
                    perform = partial(perform_call, prepared, context, attempt)
                    result = await injection.run(perform, prepared, context)
        except ToolError as error:
            return told(error.reply)
        except Abort:
            raise
        except TimeoutError:
            return out_of_time(prepared, seconds)
        except OSError:
            return out_of_reach(prepared)
        except Exception as error:
            return self._broken(prepared, error)
        return read_result(prepared, result)

    def _broken_around(self, name: str, error: Exception) -> Finished:
        """An exception before the tool was run: nothing has happened."""
        if self.strict:
            return Finished.aborted(f"{name} could not be prepared: {type(error).__name__}: {error}", "none")
        return Finished.with_error("failed", ToolError("internal_error", f"{name} could not be run").reply)

    def _broken(self, prepared: Prepared, error: Exception) -> Finished:
        """An exception nobody foresaw. The model learns nothing of its text: it may hold anything."""
        name, effect = prepared.entry.tool.name, doubt(prepared)
        if self.strict:
            raise Abort(f"{name} broke: {type(error).__name__}: {error}", effect=effect) from error
        if effect == "unknown":
            reply = outcome_unknown(name, f"{name} broke in the middle", check_words(prepared))
            return Finished.with_error("unknown", msgspec.structs.replace(reply, error="internal_error"))
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
        done = finished_call(call, finished, (context.elapsed() - started) * 1000)
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
