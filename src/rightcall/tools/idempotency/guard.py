"""Runs operations once, however often they are requested.

A key names an operation: `{run}/{task}/{trial}:{tool}:{client key}`. The runtime adds the first part, never
the model, so two tasks cannot collide and a trial cannot see another's result.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, Literal
from urllib.parse import quote

import msgspec

from rightcall.core.codec import encode
from rightcall.core.errors import ToolServerDown
from rightcall.core.event_loop.worker_threads import in_thread, run_in_thread
from rightcall.records.record import Record
from rightcall.tools.idempotency.owners import Heartbeat, Owner
from rightcall.tools.idempotency.store import (
    BEATS,
    Claim,
    ClaimRequest,
    CorruptRecordError,
    EndState,
    GroupCommit,
    IdempotencyStore,
    StoreDownError,
)
from rightcall.tools.runtime.call_outcome import Finished, ToolWork
from rightcall.tools.runtime.context import LEARNED, CallContext, Clock
from rightcall.tools.runtime.errors import Abort, Effect, ErrorReply, outcome_unknown
from rightcall.tools.runtime.execute import probe, took_action
from rightcall.tools.runtime.invocation import ActiveCall, Next

POLL_S = 0.02
MOST_KEY_CHARACTERS = 255


class StoredReply(Record, frozen=True):
    """How an operation ended, as the store keeps it."""

    outcome: Literal["ok", "failed"]
    output: Any = None
    error: ErrorReply | None = None


def full_key(context: CallContext, tool: str, client_key: str) -> str:
    """The key of an operation. Its parts are escaped, so no part can pretend to be another."""
    return f"{_prefix(context.run, context.task, context.trial, tool)}{_escape_part(client_key)}"


def key_problem(key: Any) -> str:
    """What is wrong with a key from the caller, or "" when it is valid."""
    if not isinstance(key, str) or not key:
        return "must be a text that names this operation"
    if len(key) > MOST_KEY_CHARACTERS:
        return f"must have at most {MOST_KEY_CHARACTERS} characters, got {len(key)}"
    return "" if key.isprintable() else "must not contain control characters"


@dataclass
class Idempotency:
    """Runs operations once, over a store.

    `lease_s` is how long another machine assumes that a silent owner is still working; the lease is renewed while it
    is. `ttl_s` is how long a key is remembered. `in_flight_wait_s` is how long a second caller waits for the
    first. `live` keeps the keys of tools that run for real, when they are to be kept elsewhere than those of
    mocks and worlds, which end with their trial; there, writes without a key are remembered by their turn.
    `clock` is that of the keys, when it is another than the trial's, which may be simulated.
    """

    store: IdempotencyStore
    lease_s: float = 60.0
    ttl_s: float = 24 * 3600.0
    in_flight_wait_s: float = 2.0
    live: Idempotency | None = None
    clock: Clock | None = None
    _running: int = 0

    def __post_init__(self) -> None:
        self._group = GroupCommit(self.store)
        self._heartbeat = None if self.store.private else Heartbeat(self.lease_s / BEATS)

    async def once(self, call: ActiveCall, next: Next) -> Finished:
        """Run the operation unless it has been run; return the earlier or the new result.

        Raises `Abort` when the store cannot be relied on: before the effect nothing is run, after it the
        key stays claimed and will be found unknown.
        """
        if self.live is not None and call.ready.live and (call.key or call.entry.writes):
            return await self.live.once(call if call.key else _with_turn_key(call), next)
        if not call.key:
            return await next(call)
        self._running += 1
        polls = max(1, round(self.in_flight_wait_s / POLL_S))
        try:
            while True:
                call.owner = Owner()
                claim = await self._store(self.store.begin, self._wish(call))
                if claim.verdict == "run":
                    if claim.expired:
                        call.log("key_expired_reuse", attempt=1)
                    return await self._run(call, claim.attempt, next)
                if claim.verdict == "unknown":
                    settled = await self._find_out(call, claim.attempt, next)
                    if settled is not None:
                        return settled
                elif claim.verdict == "in_progress" and polls > 0:
                    polls -= 1
                    await asyncio.sleep(POLL_S)
                else:
                    return self._answer(call, claim)
        finally:
            self._running -= 1
            call.owner = None

    async def record(self, call: ActiveCall, next: Next) -> Finished:
        """Record how a claimed attempt ended, whether or not it is still awaited."""
        if not call.key:
            return await next(call)
        if self.live is not None and call.ready.live:
            return await self.live.record(call, next)
        assert call.owner is not None
        try:
            finished: Finished = await next(call)
        except BaseException as error:
            self._let_go(call, _state_after(error, call))
            raise
        state = _end_state(finished, call)
        if state == "unknown" and call.work is not None and call.work.interrupted:
            self._let_go(call, state)
            return msgspec.structs.replace(finished, attempts=call.attempt)
        ending = (call.key, call.owner.id, call.attempt, state, _encode_reply(finished, state))
        effect: Effect = "done" if state == "done" else "unknown" if state == "unknown" else "none"
        kept = await self._store(self.store.finish, *ending, effect=effect)
        call.owner.settled = True
        if kept:
            return msgspec.structs.replace(finished, attempts=call.attempt)
        call.log("late_effect" if state == "done" else "unknown", attempt=call.attempt)
        return Finished.with_error("unknown", self._unknown(call, "the operation lost its claim meanwhile"))

    def forget(self, call: ActiveCall) -> bool:
        """Expire a call's key now; returns whether there was one."""
        if self.live is not None and call.ready.live:
            return self.live.forget(call)
        return self.store.forget(call.key)

    async def _run(self, call: ActiveCall, attempt: int, next: Next) -> Finished:
        """Run a claimed operation; `record` records its end."""
        assert call.owner is not None
        call.attempt = attempt
        call.owner.abandon = _abandonment(self.store, call.key, call.owner.id, attempt)
        if self._heartbeat is not None:
            # made of parts: a reference to the call would keep its owner alive
            claim = (call.key, call.owner.id, attempt)
            clock = self._clock(call)
            call.owner.renew = lambda: self.store.renew(*claim, clock.now() + self.lease_s)
            self._heartbeat.start()
        return await next(call)

    def _let_go(self, call: ActiveCall, state: EndState) -> None:
        """End a claim without an answer, at once or when the last thread of its tool has ended."""
        owner = call.owner
        work = call.work
        assert owner is not None
        if state == "unknown" and work is not None and work.interrupted:
            owner.abandon = _abandonment(self.store, call.key, owner.id, call.attempt, work=work)
            return
        owner.settled = True
        with contextlib.suppress(StoreDownError):  # the claim of a lost owner is found to be unknown
            self.store.finish(call.key, owner.id, call.attempt, state, b"")

    async def _find_out(self, call: ActiveCall, doubtful: int, next: Next) -> Finished | None:
        """Resolve an unknown outcome with the tool's probe; without one it stays unknown. None means to check again."""
        reply = self._unknown(call, "an earlier attempt ended without an answer")
        if call.ready.probe is None:
            return Finished.with_error("unknown", reply)
        assert call.owner is not None
        attempt = await self._store(self.store.claim_unknown, self._wish(call))
        if attempt is None:
            return None
        finish = (call.key, call.owner.id, attempt)
        try:
            outcome = await probe(call)
        except BaseException as error:
            with contextlib.suppress(StoreDownError):
                self.store.finish(*finish, "unknown", b"")
            if not isinstance(error, Exception):
                raise
            return Finished.with_error("unknown", reply)
        if outcome is None:
            return await self._run(call, attempt, next)
        await self._store(self.store.finish, *finish, "done", _encode_reply(Finished("ok", outcome), "done"))
        self._log_found(call, doubtful)
        call.log("replayed", attempt=attempt)
        return Finished("ok", outcome, replayed=True, attempts=attempt)

    def _answer(self, call: ActiveCall, claim: Claim) -> Finished:
        if claim.verdict == "replay":
            stored = _read(call.key, claim.result)
            if claim.state == "done" and call.entry.writes and took_action(stored.output):
                self._log_found(call, claim.attempt)
            call.log("replayed", attempt=claim.attempt)
            return Finished(stored.outcome, stored.output, stored.error, True, attempts=claim.attempt)
        parameter = call.entry.behaviour.key_parameter
        if claim.verdict == "reused":
            reply = ErrorReply(
                "idempotency_key_reused",
                f"this {parameter} already belongs to a call of {call.tool_name} with other arguments",
                f"use a new {parameter} for the new operation, or the first arguments to repeat the old one",
                retry="fix_args",
                path=parameter,
            )
            return Finished.with_error("rejected", reply)
        reply = ErrorReply(
            "in_progress",
            f"the same operation of {call.tool_name} is still running; its outcome is not known yet",
            f"wait a little, then call {call.tool_name} with the same arguments to get its result; "
            "it will not be done twice",
            effect="unknown",
            retry="same_key",
            retry_after_s=self.in_flight_wait_s,
        )
        return Finished.with_error("unknown", reply)

    def _wish(self, call: ActiveCall) -> ClaimRequest:
        assert call.owner is not None
        now = self._clock(call).now()
        return ClaimRequest(
            call.key, call.fingerprint, call.owner.id, now, lease_s=self.lease_s, ttl_s=self.ttl_s
        )

    def _clock(self, call: ActiveCall) -> Clock:
        return self.clock or call.context.clock

    async def _store(self, method: Callable[..., Any], *args: Any, effect: Effect = "none") -> Any:
        """Query the store; a remote one from a thread, so that the event loop is not blocked.

        `effect` is what is known about the call's effect at that moment, in case the agent has to be stopped.
        """
        try:
            if self.store.remote:
                return await in_thread(lambda: method(*args))
            if self._running > 1:
                return await self._group.take(partial(method, *args))
            return method(*args)
        except (StoreDownError, CorruptRecordError) as error:
            raise Abort(str(error), effect=effect) from None

    def _unknown(self, call: ActiveCall, what: str) -> ErrorReply:
        check = call.entry.behaviour.check_with
        return outcome_unknown(
            call.tool_name, what, f"call {check} to see whether it happened" if check else ""
        )

    def _log_found(self, call: ActiveCall, attempt: int) -> None:
        """Note an effect of this trial that another process caused, before or after it could be stored."""
        if not call.context.ledger.knows(call.key):
            call.log("late_effect", attempt=attempt, detail=LEARNED)


def _with_turn_key(call: ActiveCall) -> ActiveCall:
    """A write that has no key, with one for its turn: the nth of its kind in this trial.

    Within a trial every call is another operation, so it is run. When a killed trial is run again, its nth call
    is the one that was already run. No caller can send such a key: "#" is escaped in theirs.
    """
    context = call.context
    name = call.tool_name
    turn = context.count(("unkeyed", name, call.fingerprint))
    numbered = call.copy()
    numbered.key = f"{_prefix(context.run, context.task, context.trial, name)}#{turn}:{call.fingerprint}"
    return numbered


def _abandonment(
    store: IdempotencyStore, key: str, owner: str, attempt: int, work: ToolWork | None = None
) -> Callable[[], None]:
    """The record for a claim whose holder disappeared without reporting an outcome."""

    def write() -> None:
        state: EndState = "unknown"
        result = b""
        if work is not None and work.late is not None and work.late.outcome == "ok":
            state = "done"
            result = _encode_reply(work.late, "done")
        with contextlib.suppress(StoreDownError):
            store.finish(key, owner, attempt, state, result)

    return lambda: run_in_thread(write)


def _state_after(error: BaseException, call: ActiveCall) -> EndState:
    """Cancelled or broken in the middle: the effect may have happened, unless that is ruled out."""
    if not call.entry.writes or (call.work is not None and not call.work.begun):
        return "retryable"
    without_effect = isinstance(error, Abort | ToolServerDown) and error.effect == "none"
    return "retryable" if without_effect else "unknown"


def _end_state(finished: Finished, call: ActiveCall) -> EndState:
    if finished.outcome == "ok":
        return "done"
    if finished.outcome not in ("failed", "rejected"):
        return "unknown"
    if not finished.free:  # it is not certain that nothing was done
        return "unknown" if call.ready.probe is not None else "failed"
    # A key made of the arguments is not the model's to change: where nothing was done, asking again
    # must be able to succeed.
    again = finished.error is not None and finished.error.retry in ("same_key", "after")
    return "retryable" if again or call.entry.behaviour.idempotency == "args" else "failed"


def _encode_reply(finished: Finished, state: EndState) -> bytes:
    if state in ("unknown", "retryable"):
        return b""
    outcome: Literal["ok", "failed"] = "ok" if state == "done" else "failed"
    return encode(StoredReply(outcome, finished.output, finished.error))


def _read(key: str, data: bytes) -> StoredReply:
    try:
        return msgspec.json.decode(data, type=StoredReply)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise Abort(f"the idempotency record of {key!r} is damaged") from None


@lru_cache(maxsize=4096)
def _prefix(run: str, task: str, trial: int, tool: str) -> str:
    return f"{_escape_part(run)}/{_escape_part(task)}/{trial}:{_escape_part(tool)}:"


def _escape_part(part: str) -> str:
    if part.isascii() and part.replace("_", "").replace("-", "").isalnum():
        return part
    return quote(part, safe="", errors="surrogatepass")
