"""The store: runs with every result, goldens, tool definitions, tags, notes and versions of datasets.

    base         the records the store returns, and the filters it accepts
    watch        production records: traces, check counts, alarms
    address      where a store is: a file, a URL, or the default; open_store; retries while it is locked or away
    sql/         SQLite and PostgreSQL through SQLAlchemy Core, one file per subject
    migrations/  one file per change of the schema, run when an older store is opened

The store is synchronous. An async caller runs whole batches in a thread:
`await asyncio.to_thread(writer.add, batch)`. Stores and writers may be shared between threads: every call
uses its own connection.

To store something new: add its table to `sql/tables.py`, a migration that creates it, a file in `sql/` that
reads and writes it, and a line in `sql/copy.py`, so that it survives a copy.
"""

from typing import TYPE_CHECKING

from rightcall.window import window

if TYPE_CHECKING:
    from rightcall.store.address import (
        Persistence as Persistence,
        open_store as open_store,
        store_address as store_address,
    )
    from rightcall.store.base import (
        Change as Change,
        ComparedCase as ComparedCase,
        Copied as Copied,
        DatasetDiff as DatasetDiff,
        DatasetVersion as DatasetVersion,
        Key as Key,
        ListedGolden as ListedGolden,
        Note as Note,
        Outcome as Outcome,
        ResultFilter as ResultFilter,
        Retention as Retention,
        RunFilter as RunFilter,
        StoredCase as StoredCase,
        StoredRun as StoredRun,
        SuiteOverview as SuiteOverview,
        changes as changes,
        user_name as user_name,
    )
    from rightcall.store.sql.record_bytes import (
        compressed as compressed,
        packed as packed,
        unpacked as unpacked,
    )
    from rightcall.store.sql.rows import PackedResult as PackedResult
    from rightcall.store.sql.run_writer import RunWriter as RunWriter
    from rightcall.store.sql.store import Store as Store
    from rightcall.store.watch import (
        CheckCount as CheckCount,
        KeptTrace as KeptTrace,
        SessionCount as SessionCount,
        SessionHour as SessionHour,
        StoredAlarm as StoredAlarm,
        TraceCheck as TraceCheck,
        TraceFilter as TraceFilter,
        TraceRow as TraceRow,
    )
else:
    __getattr__, __dir__, __all__ = window(
        __name__,
        {
            "address": "Persistence open_store store_address",
            "base": (
                "Change ComparedCase Copied DatasetDiff DatasetVersion Key ListedGolden Note Outcome "
                "ResultFilter Retention RunFilter StoredCase StoredRun SuiteOverview changes user_name"
            ),
            "sql.record_bytes": "compressed packed unpacked",
            "sql.rows": "PackedResult",
            "sql.run_writer": "RunWriter",
            "sql.store": "Store",
            "watch": "CheckCount KeptTrace SessionCount SessionHour StoredAlarm TraceCheck TraceFilter TraceRow",
        },
    )
