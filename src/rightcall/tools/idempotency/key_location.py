"""The location of idempotency keys: next to the results, so that a killed run can be resumed.

Results in a SQLite file have their keys in a file next to it (`rightcall.db`, `rightcall.keys.db`): a commit of
one never waits for the other. Results in PostgreSQL have them in a table of the same database.
"""

from __future__ import annotations

from pathlib import Path

from rightcall.tools.idempotency.guard import Idempotency
from rightcall.tools.idempotency.store import IdempotencyStore, postgres_store, sqlite_store

RUN_KEYS_S = 365 * 24 * 3600.0
"""How long the keys of a run are remembered. They contain its id, so nothing else can collide with them."""


def keys_path(results: Path) -> Path:
    """The file with the keys that belong to a file of results."""
    return results.with_name(f"{results.stem}.keys{results.suffix or '.db'}")


def key_store(file: Path | None, url: str = "") -> IdempotencyStore:
    """The keys that belong to results in a file or at a PostgreSQL URL. Nothing is opened before it is needed."""
    if file is not None:
        return sqlite_store(keys_path(file), later=True)
    return postgres_store(url.replace("postgresql+psycopg://", "postgresql://", 1), later=True)


def run_keys(file: Path | None, url: str = "") -> Idempotency:
    """The keys of a run, remembered for as long as anyone may resume it."""
    return Idempotency(key_store(file, url), ttl_s=RUN_KEYS_S)
