"""Retries of the runtime: where a second effect is impossible, and no sooner than the service asked for."""

from __future__ import annotations

from dataclasses import dataclass

from rightcall.tools.runtime.invocation import ActiveCall, Finished, Next


@dataclass(frozen=True)
class Retries:
    """When the runtime retries by itself: reads, failures that had no effect, and keyed operations.

    Waits grow from `base_s` to `cap_s` by doubling, each drawn at random from zero to that bound (full
    jitter), and are never shorter than what the service asked for. `most` limits the retries.
    """

    most: int = 0
    base_s: float = 0.5
    cap_s: float = 30.0

    def wait_s(self, attempt: int, asked_s: float | None, draw: float) -> float:
        """Seconds before attempt `attempt + 1`; `draw` is a random number from 0 to 1."""
        bound = min(self.cap_s, self.base_s * 2.0 ** (attempt - 1))
        return max(asked_s or 0.0, draw * bound)


@dataclass(frozen=True)
class RuntimeRetries:
    """Retries as often as the rules allow; each retry is a line in the ledger."""

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
    """Whether the runtime may retry: the failure is transient, and a second effect is impossible."""
    if finished.error is None or finished.running:
        return False
    if finished.outcome == "unknown":  # the probe will find out
        return bool(call.key) and call.ready.probe is not None and finished.error.error != "in_progress"
    passing = finished.error.retry in ("same_key", "after")
    return finished.outcome == "failed" and passing and finished.free
