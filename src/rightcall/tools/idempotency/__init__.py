"""Idempotency: an operation runs once, however often it is requested.

guard         claims a key, runs the work, keeps the result: the stage of the runtime
store         the table of keys, every step one atomic statement
key_location  where it is: memory, SQLite or PostgreSQL; the keys of a run next to its results
owners        who holds a claim and whether it is still alive
claims        claims of many calls: committed in one transaction, renewed by a heartbeat
"""

from typing import TYPE_CHECKING

from rightcall.window import window

if TYPE_CHECKING:
    from rightcall.tools.idempotency.guard import Idempotency as Idempotency
    from rightcall.tools.idempotency.key_location import (
        key_store as key_store,
        postgres_store as postgres_store,
        run_keys as run_keys,
        sqlite_store as sqlite_store,
    )
    from rightcall.tools.idempotency.owners import (
        process_runs as process_runs,
        this_process as this_process,
    )
else:
    __getattr__, __dir__, __all__ = window(
        __name__,
        {
            "guard": "Idempotency",
            "key_location": "key_store postgres_store run_keys sqlite_store",
            "owners": "process_runs this_process",
        },
    )
