"""Automatic retries, where they can do no harm."""

from __future__ import annotations

from dataclasses import dataclass

from rightcall.tools.runtime.active_call import ActiveCall, Next
from rightcall.tools.runtime.invocation import Finished
from rightcall.tools.runtime.policy import Retries


@dataclass(frozen=True)
class RuntimeRetries:
    """Asks again as often as the rules allow; each time is a line in the ledger."""

    retries: Retries

    async def __call__(self, call: ActiveCall, next: Next) -> Finished:
        attempt = 1
        while True:
            finished: Finished = await next(call)
            if attempt > self.retries.most or not may_repeat(call, finished):
                return finished
            asked = finished.error.retry_after_s if finished.error else None
            draw = call.context.random("retry", call.call.id, call.fingerprint, attempt).random()
            await call.context.clock.sleep(self.retries.wait_s(attempt, asked, draw))
            attempt += 1
            call.context.ledger.add("runtime_retry", call.tool_name, attempt=attempt, **call.note())


def may_repeat(call: ActiveCall, finished: Finished) -> bool:
    """Whether the runtime may ask again: the failure passes, and no second effect can come of it."""
    if finished.error is None or finished.running:
        return False
    if finished.outcome == "unknown":  # the probe will tell
        return bool(call.key) and call.ready.probe is not None and finished.error.error != "in_progress"
    passing = finished.error.retry in ("same_key", "after")
    return finished.outcome == "failed" and passing and finished.free
