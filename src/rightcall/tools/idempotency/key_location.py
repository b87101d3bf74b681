"""The location of idempotency keys: next to the results, so that a killed run can be resumed.

Results in a SQLite file have their keys in a file next to it (`rightcall.db`, `rightcall.keys.db`): a commit of
one never waits for the other. Results in PostgreSQL have them in a table of the same database.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from rightcall.model.codec import encode
from rightcall.tools.idempotency.guard import Idempotency, StoredReply
from rightcall.tools.idempotency.store import IdempotencyStore, postgres_store, sqlite_store
from rightcall.tools.runtime.context import SystemClock

RUN_KEYS_S = 365 * 24 * 3600.0
"""How long the keys of a run are remembered. They hold its id, so nothing else can meet them."""


def keys_path(results: Path) -> Path:
    """The file with the keys that belong to a file of results."""
    return results.with_name(f"{results.stem}.keys{results.suffix or '.db'}")


def key_store(
    file: Path | None, url: str = "", scrub: Callable[[str], str] | None = None
) -> IdempotencyStore:
    """The keys that belong to results in a file or at a PostgreSQL URL. Nothing is opened before it is needed.

    With `scrub`, stored answers of tools are free of secrets, as stored results are.
    """
    if file is not None:
        store = sqlite_store(keys_path(file), later=True)
    else:
        store = postgres_store(url.replace("postgresql+psycopg://", "postgresql://", 1), later=True)
    store.clean = partial(_cleaned, scrub) if scrub else None
    return store


def run_keys(file: Path | None, url: str = "", scrub: Callable[[str], str] | None = None) -> Idempotency:
    """The keys of a run, remembered for as long as anyone may resume it."""
    return Idempotency(key_store(file, url, scrub), ttl_s=RUN_KEYS_S, clock=SystemClock())


def _cleaned(scrub: Callable[[str], str], result: bytes) -> bytes:
    """A stored reply without secrets; what the reply is made of stays as it is."""
    text = result.decode()
    if scrub(text) == text:
        return result
    reply = msgspec.json.decode(result, type=StoredReply)
    error = reply.error
    if error is not None:
        error = msgspec.structs.replace(error, detail=scrub(error.detail), hint=scrub(error.hint))
    return encode(StoredReply(reply.outcome, _without(scrub, reply.output), error))


def _without(scrub: Callable[[str], str], value: Any) -> Any:
    if isinstance(value, str):
        return scrub(value)
    if isinstance(value, dict):
        return {scrub(key): _without(scrub, inner) for key, inner in value.items()}
    return [_without(scrub, inner) for inner in value] if isinstance(value, list) else value
