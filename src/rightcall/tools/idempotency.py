"""Doing a thing once, however often it is asked for.

A key names an operation: `{run}/{task}/{trial}:{tool}:{client key}`. The runtime adds the first part, never
the model, so two tasks cannot meet and a trial cannot see another's result.
"""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import count
from typing import Any, Literal
from urllib.parse import quote

import msgspec

from rightcall.model.codec import encode
from rightcall.model.record import Record
from rightcall.tools.behaviour import Behaviour
from rightcall.tools.context import CallContext
from rightcall.tools.errors import Abort, ErrorReply, outcome_unknown
from rightcall.tools.execute import probe
from rightcall.tools.group_commit import GroupCommit
from rightcall.tools.idempotency_store import (
    Claim,
    CorruptRecordError,
    EndState,
    IdempotencyStore,
    StoreDownError,
    Wish,
)
from rightcall.tools.invocation import Finished
from rightcall.tools.runtime.active_call import ActiveCall, Next
from rightcall.tools.threads import in_thread

POLL_S = 0.02
MOST_KEY_CHARACTERS = 255


class StoredReply(Record, frozen=True):
    """How an operation ended, as the store keeps it."""

    outcome: Literal["ok", "failed"]
    output: Any = None
    error: ErrorReply | None = None


def full_key(context: CallContext, tool: str, client_key: str) -> str:
    """The key of an operation. Its parts are escaped, so no part can pretend to be another."""
    return f"{_prefix(context.run, context.task, context.trial, tool)}{_escaped(client_key)}"


def key_problem(key: Any) -> str:
    """What is wrong with a key of the caller, or "" when nothing is."""
    if not isinstance(key, str) or not key:
        return "must be a text that names this operation"
    if len(key) > MOST_KEY_CHARACTERS:
        return f"must have at most {MOST_KEY_CHARACTERS} characters, got {len(key)}"
    return "" if key.isprintable() else "must not hold control characters"


@dataclass
class Idempotency:
    """Runs operations once, over a store.

    `lease_s` is how long a silent owner is believed to be alive; one whose tool may take longer renews it
    while it works. `ttl_s` is how
    long a key is remembered. `in_flight_wait_s` is how long a second caller waits for the first.
    """

    store: IdempotencyStore
    lease_s: float = 60.0
    ttl_s: float = 24 * 3600.0
    in_flight_wait_s: float = 2.0
    owner: str = field(default_factory=lambda: uuid.uuid4().hex)
    _numbers: Iterator[int] = field(default_factory=count, repr=False)
    _running: int = 0

    def __post_init__(self) -> None:
        self._group = GroupCommit(self.store)

    async def once(self, call: ActiveCall, next: Next) -> Finished:
        """Run the operation unless it has been run; say what came of it then or now.

        Raises `Abort` when the store cannot be relied on: before the effect nothing is run, after it the
        key stays claimed and will be found unknown.
        """
        if not call.key:
            passed: Finished = await next(call)
            return passed
        self._running += 1
        polls = max(1, round(self.in_flight_wait_s / POLL_S))
        try:
            while True:
                owner = self._new_owner()
                wish = self._wish(call, owner)
                claim = await self._store(self.store.begin, wish)
                if claim.verdict == "run":
                    if claim.expired:
                        self._log("key_expired_reuse", call, 1)
                    return await self._run(call, owner, claim.attempt, next)
                if claim.verdict == "unknown":
                    settled = await self._find_out(call, owner, next)
                    if settled is not None:
                        return settled
                elif claim.verdict == "in_progress" and polls > 0:
                    polls -= 1
                    await asyncio.sleep(POLL_S)
                else:
                    return self._answer(call, claim)
        finally:
            self._running -= 1

    async def _run(self, call: ActiveCall, owner: str, attempt: int, next: Next) -> Finished:
        """Run a claimed operation and write down its end."""
        call.attempt, call.owner = attempt, owner
        may_outlast = call.entry.behaviour.timeout_s > self.lease_s / 2
        heartbeat = _Heartbeat(self, call.key, owner, attempt, call.context) if may_outlast else None
        try:
            finished: Finished = await next(call)
        except BaseException as error:
            # Cancelled or broken in the middle: the effect may have happened, unless the tool says not.
            harmless = isinstance(error, Abort) and error.effect == "none"
            self._give_up(call, owner, attempt, "retryable" if harmless else "unknown")
            if not harmless:
                self._log("unknown", call, attempt)
            raise
        finally:
            if heartbeat is not None:
                heartbeat.stop()
        state = _end_state(finished, call.entry.behaviour)
        kept = await self._store(self.store.finish, call.key, owner, attempt, state, _stored(finished, state))
        if kept:
            return msgspec.structs.replace(finished, attempts=attempt)
        self._log("late_effect", call, attempt)
        return Finished.with_error("unknown", self._unknown(call, "the operation lost its claim meanwhile"))

    async def _find_out(self, call: ActiveCall, owner: str, next: Next) -> Finished | None:
        """Settle an unknown outcome by the tool's probe; without one it stays unknown. None: look again."""
        if call.ready.probe is None:
            reply = self._unknown(call, "an earlier attempt ended without an answer")
            return Finished.with_error("unknown", reply)
        attempt = await self._store(self.store.claim_unknown, self._wish(call, owner))
        if attempt is None:
            return None
        try:
            found = await probe(call)
        except BaseException as error:
            self._give_up(call, owner, attempt, "unknown")
            if not isinstance(error, Exception):
                raise
            reply = self._unknown(call, "an earlier attempt ended without an answer")
            return Finished.with_error("unknown", reply)
        if found is None:
            return await self._run(call, owner, attempt, next)
        finished = Finished("ok", found)
        await self._store(self.store.finish, call.key, owner, attempt, "done", _stored(finished, "done"))
        self._log("replayed", call, attempt)
        return Finished("ok", found, replayed=True, attempts=attempt)

    def _answer(self, call: ActiveCall, claim: Claim) -> Finished:
        if claim.verdict == "replay":
            stored = _read(call.key, claim.result)
            self._log("replayed", call, claim.attempt)
            return Finished(stored.outcome, stored.output, stored.error, True, claim.attempt)
        parameter = call.entry.behaviour.key_parameter
        if claim.verdict == "reused":
            reply = ErrorReply(
                "idempotency_key_reused",
                f"this {parameter} already belongs to a call of {call.tool_name} with other arguments",
                f"use a new {parameter} for the new operation, or the first arguments to repeat the old one",
                retry="fix_args",
                path=parameter,
            )
        else:
            reply = ErrorReply(
                "in_progress",
                f"the same operation of {call.tool_name} is still running",
                f"wait a little and call {call.tool_name} with the same arguments to get its result",
                retry="same_key",
                retry_after_s=self.in_flight_wait_s,
            )
        return Finished.with_error("rejected", reply)

    def _new_owner(self) -> str:
        return f"{self.owner}:{next(self._numbers)}"

    def _wish(self, call: ActiveCall, owner: str) -> Wish:
        now = call.context.clock.now()
        return Wish(call.key, call.fingerprint, owner, now, self.lease_s, self.ttl_s)

    async def _store(self, method: Callable[..., Any], *args: Any) -> Any:
        """Ask the store; a remote one from a thread, so that the event loop goes on."""
        try:
            if self.store.remote:
                return await in_thread(lambda: method(*args))
            if self._running > 1:
                return await self._group.take(partial(method, *args))
            return method(*args)
        except (StoreDownError, CorruptRecordError) as error:
            raise Abort(str(error)) from None

    def _give_up(self, call: ActiveCall, owner: str, attempt: int, state: EndState) -> None:
        """Release a claim on the way out, without waiting: a lease that stays runs out by itself."""
        with contextlib.suppress(StoreDownError):
            self.store.finish(call.key, owner, attempt, state, b"")

    def _unknown(self, call: ActiveCall, what: str) -> ErrorReply:
        check = call.entry.behaviour.check_with
        return outcome_unknown(
            call.tool_name, what, f"call {check} to see whether it happened" if check else ""
        )

    def _log(
        self,
        phase: Literal["late_effect", "unknown", "replayed", "key_expired_reuse"],
        call: ActiveCall,
        attempt: int,
    ) -> None:
        call.context.ledger.add(phase, call.tool_name, attempt=attempt, **call.note())


class _Heartbeat:
    """Renews a lease while its owner is at work, from the event loop, without a task of its own."""

    def __init__(
        self, idempotency: Idempotency, key: str, owner: str, attempt: int, context: CallContext
    ) -> None:
        self._idempotency, self._context = idempotency, context
        self._claim = (key, owner, attempt)
        self._every = idempotency.lease_s / 3
        self._timer = asyncio.get_running_loop().call_later(self._every, self._beat)

    def stop(self) -> None:
        self._timer.cancel()

    def _beat(self) -> None:
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(self._every, self._beat)
        until = self._context.clock.now() + self._idempotency.lease_s
        if self._idempotency.store.remote:
            loop.create_task(in_thread(lambda: self._renew(until)))  # noqa: RUF006  ends by itself
        else:
            self._renew(until)

    def _renew(self, until: float) -> None:
        try:
            self._idempotency.store.renew(*self._claim, until)
        except StoreDownError:
            return  # the next beat tries again; finishing will tell


def _end_state(finished: Finished, behaviour: Behaviour) -> EndState:
    if finished.outcome == "ok":
        return "done"
    if finished.outcome in ("failed", "rejected"):
        # A key made of the arguments is not the model's to change: where nothing was done, asking again
        # must be able to succeed.
        again = finished.error is not None and finished.error.retry in ("same_key", "after")
        return "retryable" if again or behaviour.idempotency == "args" else "failed"
    return "unknown"


def _stored(finished: Finished, state: EndState) -> bytes:
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
    return f"{_escaped(run)}/{_escaped(task)}/{trial}:{_escaped(tool)}:"


def _escaped(part: str) -> str:
    if part.isascii() and part.replace("_", "").replace("-", "").isalnum():
        return part
    return quote(part, safe="", errors="surrogatepass")
