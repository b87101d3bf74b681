"""Idempotency: an operation runs once, however often it is requested.

guard         claims a key, runs the work, keeps the result: the stage of the runtime
store         keys in SQLite or PostgreSQL, every step one atomic statement
key_location  the keys of a run, kept with its results
owners        who holds a claim and whether it is still alive
claims        claims of many calls: committed in one transaction, renewed by a heartbeat
"""

from typing import TYPE_CHECKING

from rightcall.window import window

if TYPE_CHECKING:
    from rightcall.tools.idempotency.guard import Idempotency as Idempotency
    from rightcall.tools.idempotency.key_location import key_store as key_store, run_keys as run_keys
    from rightcall.tools.idempotency.owners import (
        process_runs as process_runs,
        this_process as this_process,
    )
    from rightcall.tools.idempotency.store import sqlite_store as sqlite_store
else:
    __getattr__, __dir__, __all__ = window(
        __name__,
        {
            "guard": "Idempotency",
            "key_location": "key_store run_keys",
            "owners": "process_runs this_process",
            "store": "sqlite_store",
        },
    )
