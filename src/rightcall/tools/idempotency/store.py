"""The store of idempotency keys: one table, the same SQL on SQLite and PostgreSQL, every step one atomic statement.

    absent → started(owner, lease, attempt) → done | failed | retryable | unknown

`started` is committed before the tool runs, and the end is written only by the owner that started it. A
row whose owner is gone becomes unknown, and nothing is ever run again on a guess. `owners` knows whether an
owner on this machine is gone. One on another machine renews its lease while it works; it is given up only
when the lease has expired *and* nothing was heard from it for half a lease of this process's own monotonic
time: a clock jump on either machine expires nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

from rightcall.core.errors import InfrastructureError
from rightcall.tools.idempotency.owners import is_alive

EndState = Literal["done", "failed", "retryable", "unknown"]
STATES = ("started", "done", "failed", "retryable", "unknown")
PRUNE_EVERY = 10_000
BEATS = 6
"""How often a lease is renewed within its length."""


class StoreDownError(InfrastructureError):
    """The store is unavailable; nothing may run without it."""


class CorruptRecordError(InfrastructureError):
    """A row of the store is corrupt; running its call again would be a guess."""


class ClaimRequest(NamedTuple):
    """Who wants to run what, and for how long the claim and the memory of it should last.

    `owner` must be different for every attempt: a row with the same owner is this same claim.
    """

    key: str
    fingerprint: str
    owner: str
    now: float
    lease_s: float = 30.0
    ttl_s: float = 24 * 3600.0


class Claim(NamedTuple):
    """The answer to a claim request for a key.

    run: it is yours, attempt number `attempt` · replay: it ended in `state`, with `result` · reused: the key
    belongs to other arguments · in_progress: another owner is running it · unknown: its effect may have happened.
    `expired` is set when an older use of the key had expired.
    """

    verdict: Literal["run", "replay", "reused", "in_progress", "unknown"]
    attempt: int = 1
    state: str = ""
    result: bytes = b""
    expired: bool = False


CREATE = """
CREATE TABLE IF NOT EXISTS rightcall_idempotency (
  key TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, state TEXT NOT NULL, owner TEXT NOT NULL,
  lease_until DOUBLE PRECISION NOT NULL, attempt INTEGER NOT NULL, expires_at DOUBLE PRECISION NOT NULL,
  result {blob}) {options}
"""
INSERT = """
INSERT INTO rightcall_idempotency (key, fingerprint, state, owner, lease_until, attempt, expires_at)
VALUES (?, ?, 'started', ?, ?, 1, ?) ON CONFLICT (key) DO NOTHING
"""
SELECT = """
SELECT fingerprint, state, owner, lease_until, attempt, expires_at, result
FROM rightcall_idempotency WHERE key = ?
"""
TAKE = """
UPDATE rightcall_idempotency
SET fingerprint = ?, state = 'started', owner = ?, lease_until = ?, attempt = ?, expires_at = ?, result = NULL
WHERE key = ? AND state = ? AND owner = ? AND attempt = ? AND lease_until = ?
"""
LOSE = """
UPDATE rightcall_idempotency SET state = 'unknown'
WHERE key = ? AND state = 'started' AND owner = ? AND attempt = ? AND lease_until = ?
"""
FINISH = """
UPDATE rightcall_idempotency SET state = ?, result = ?
WHERE key = ? AND state = 'started' AND owner = ? AND attempt = ?
"""
RENEW = """
UPDATE rightcall_idempotency SET lease_until = ?
WHERE key = ? AND state = 'started' AND owner = ? AND attempt = ?
"""
FORGET = "UPDATE rightcall_idempotency SET expires_at = 0 WHERE key = ? AND state <> 'started'"
PRUNE = "DELETE FROM rightcall_idempotency WHERE expires_at <= ? AND (state <> 'started' OR lease_until <= ?)"


class IdempotencyStore:
    """Keys in a database. Safe for threads and processes; methods block, for about 20 µs on SQLite.

    Open one with `sqlite_store` or `postgres_store`. Any other DB-API connection in autocommit mode that
    supports `ON CONFLICT` works too; `connect` creates one on first use.
    """

    private = False
    """Whether no other process can see it."""
    clean: Callable[[bytes], bytes] | None = None
    """Removes secrets from a result before it is stored."""

    def __init__(
        self,
        connection: Any = None,
        *,
        connect: Callable[[], Any] | None = None,
        errors: tuple[type[Exception], ...],
        placeholder: str = "?",
        blob: str = "BLOB",
        options: str = "",
        remote: bool = False,
        create: bool = True,
    ) -> None:
        self._open = connect or (lambda: connection)
        self._errors = errors
        self.remote = remote
        self._silent: dict[str, tuple[tuple[Any, ...], float]] = {}
        self._connection: Any = None
        self._lock = threading.RLock()
        self._begun = 0
        self._sql: Callable[[str], str] = (
            (lambda text: text) if placeholder == "?" else (lambda text: text.replace("?", placeholder))
        )
        self._create = CREATE.format(blob=blob, options=options) if create else ""
        if connect is None:
            self._connect()

    def open(self, name: str) -> None:
        """Connect now; otherwise the first step does. Raises `StoreDownError`, without a password."""
        try:
            self._connect()
        except self._errors as error:
            why = f" {name}: {error}" if name else f": {type(error).__name__}"
            raise StoreDownError(f"cannot open the idempotency store{why}") from None

    def begin(self, wish: ClaimRequest) -> Claim:
        """Claim a key, or say what prevents it. Runs nothing; `started` is committed."""
        self._begun += 1
        if self._begun % PRUNE_EVERY == 0:
            self.prune(wish.now)
        lease_until = wish.now + wish.lease_s
        expires_at = wish.now + wish.ttl_s
        for _ in range(20):
            if self._change(INSERT, (wish.key, wish.fingerprint, wish.owner, lease_until, expires_at)):
                return Claim("run")
            row = self._row(wish.key)
            if row is not None and (row[1], row[2]) == ("started", wish.owner):
                return Claim("run", row[4])  # claimed before the connection broke
            claim = self._judge(wish, row) if row is not None else None
            if claim is not None:  # None: the row changed between two statements
                return claim
        raise StoreDownError("the idempotency store is contended: the key changed owner twenty times")

    def claim_unknown(self, wish: ClaimRequest) -> int | None:
        """Take over a key whose effect is unknown: the attempt's number, or None when another did."""
        row = self._row(wish.key)
        if row is None or row[1] != "unknown":
            return None
        _, state, owner, lease_until, attempt, expires_at, _ = row
        seen = (wish.key, state, owner, attempt, lease_until)
        return attempt + 1 if self._take(wish, attempt + 1, expires_at, seen) else None

    def finish(self, key: str, owner: str, attempt: int, state: EndState, result: bytes) -> bool:
        """Write how an attempt ended. False when the key is no longer this owner's: nothing is written."""
        if self.clean is not None and result:
            result = self.clean(result)
        if self._change(FINISH, (state, result, key, owner, attempt)) == 1:
            return True
        row = self._row(key) if self.remote else None  # written before the connection broke?
        return row is not None and (row[1], row[2], row[4]) == (state, owner, attempt)

    def renew(self, key: str, owner: str, attempt: int, until: float) -> bool:
        """Renew the lease: the owner is still working."""
        return self._change(RENEW, (until, key, owner, attempt)) == 1

    def together(self, steps: Sequence[Callable[[], Any]]) -> list[Any]:
        """Take several steps in one transaction: each one's result, or the exception it raised.

        Nothing counts before all of it is committed. When the commit fails every step has failed.
        """
        with self._lock:
            try:
                self._connect().execute("BEGIN IMMEDIATE" if not self.remote else "BEGIN")
                results = [_attempt(step) for step in steps]
                self._connection.execute("COMMIT")
            except self._errors as error:
                if self._connection is not None:
                    with contextlib.suppress(*self._errors):
                        self._connection.execute("ROLLBACK")
                failure = StoreDownError(f"the idempotency store cannot be written: {error}")
                return [failure] * len(steps)
            except BaseException:
                with contextlib.suppress(*self._errors):
                    self._connection.execute("ROLLBACK")
                raise
        return results

    def state(self, key: str) -> str:
        """The state of a key, `absent` when there is none."""
        row = self._row(key)
        return "absent" if row is None else str(row[1])

    def forget(self, key: str) -> bool:
        """Expire a key now, unless it is being run; returns whether there was one."""
        return self._change(FORGET, (key,)) == 1

    def prune(self, now: float) -> int:
        """Delete expired keys; returns how many."""
        return self._change(PRUNE, (now, now))

    def close(self) -> None:
        """Close the connection; the store cannot be used any more."""
        if self._connection is not None:
            self._connection.close()

    def __del__(self) -> None:
        with contextlib.suppress(Exception):
            self.close()

    def _connect(self) -> Any:
        if self._connection is None:
            self._connection = self._open()
            if self._create:
                self._connection.execute(self._create)
        return self._connection

    def _judge(self, wish: ClaimRequest, row: tuple[Any, ...]) -> Claim | None:
        """What an existing row means; None when it changed while being judged."""
        fingerprint, state, owner, lease_until, attempt, expires_at, result = row
        unreadable = state in ("done", "failed") and (not result or isinstance(result, str))
        if state not in STATES or unreadable:
            raise CorruptRecordError(f"the idempotency record of {wish.key!r} is damaged (state {state!r})")
        seen = (wish.key, state, owner, attempt, lease_until)
        alive = state == "started" and self._alive(wish, seen)
        if expires_at <= wish.now and not alive:
            return Claim("run", expired=True) if self._take(wish, 1, wish.now + wish.ttl_s, seen) else None
        if fingerprint != wish.fingerprint or alive:
            return Claim("in_progress" if fingerprint == wish.fingerprint else "reused")
        if state == "retryable":
            return Claim("run", attempt + 1) if self._take(wish, attempt + 1, expires_at, seen) else None
        if state == "started" and not self._change(LOSE, (wish.key, owner, attempt, lease_until)):
            return None
        if state in ("started", "unknown"):
            return Claim("unknown", attempt)
        return Claim("replay", attempt, state, bytes(result))

    def _alive(self, wish: ClaimRequest, seen: tuple[Any, ...]) -> bool:
        """Whether the owner of a started row may still act on it."""
        _, _, owner, _, lease_until = seen
        alive = is_alive(owner)
        if alive is not None:
            return alive
        if lease_until > wish.now:
            self._silent.pop(wish.key, None)
            return True
        now = time.monotonic()
        before, since = self._silent.get(wish.key, (None, now))
        if before != seen:
            self._silent[wish.key] = (seen, now)
            return True
        if now - since < wish.lease_s / 2:
            return True
        self._silent.pop(wish.key, None)
        return False

    def _take(self, wish: ClaimRequest, attempt: int, expires_at: float, seen: tuple[Any, ...]) -> bool:
        new = (wish.fingerprint, wish.owner, wish.now + wish.lease_s, attempt, expires_at)
        return self._change(TAKE, (*new, *seen)) == 1

    def _row(self, key: str) -> tuple[Any, ...] | None:
        row: tuple[Any, ...] | None = self._execute(SELECT, (key,), "read").fetchone()
        return row

    def _change(self, sql: str, values: tuple[Any, ...]) -> int:
        return int(self._execute(sql, values, "written").rowcount)

    def _execute(self, sql: str, values: tuple[Any, ...], verb: str) -> Any:
        """Take one step; once more over a new connection when the server has ended the old one.

        Such a step may be taken twice, and each is written so that the second time changes nothing.
        """
        with self._lock:
            for last in (False, True):
                try:
                    return self._connect().execute(self._sql(sql), values)
                except self._errors as error:
                    if not last and getattr(self._connection, "closed", False):
                        self._connection = None
                        continue
                    raise StoreDownError(f"the idempotency store cannot be {verb}: {error}") from None
        raise AssertionError("unreachable")


def _attempt(step: Callable[[], Any]) -> Any:
    try:
        return step()
    except InfrastructureError as error:
        return error


class GroupCommit:
    """Gathers the steps that calls want to take in one round of the event loop and commits them together.

    In SQLite the commit is what costs. Each waiter continues only after it, so a step reported as done is committed.
    """

    def __init__(self, store: IdempotencyStore) -> None:
        self._store = store
        self._waiting: list[tuple[asyncio.Future[Any], Callable[[], Any]]] = []

    async def take(self, step: Callable[[], Any]) -> Any:
        """Take one step, with whatever others are waiting; its result, or the exception it raised."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        self._waiting.append((future, step))
        if len(self._waiting) == 1:
            loop.call_soon(self._commit)
        try:
            return await future
        except asyncio.CancelledError:
            self._waiting = [waiting for waiting in self._waiting if waiting[0] is not future]
            raise

    def _commit(self) -> None:
        waiting = self._waiting
        self._waiting = []
        if not waiting:
            return
        try:
            results = self._store.together([step for _, step in waiting])
        except Exception as error:  # every waiter must be released
            results = [error] * len(waiting)
        for (future, _), result in zip(waiting, results, strict=True):
            if future.cancelled():
                continue
            if isinstance(result, Exception):
                future.set_exception(result)
            else:
                future.set_result(result)
