"""The store: runs with every result, goldens, tool definitions, tags and versions of datasets.

    base         the store's address, the records it returns, of runs and production, and the filters it accepts
    labels       what people say about judged cases: files next to the suite
    address      where a store is: a file, a URL, or the default; open_store; retries while it is away
    sql/         SQLite and PostgreSQL through SQLAlchemy Core, one file per subject

The store is synchronous. An async caller runs whole batches in a thread:
`await asyncio.to_thread(writer.add, batch)`. Stores and writers may be shared between threads: every call
uses its own connection.

To store something new: add its table to `sql/tables.py`, raise `schema.VERSION`, a file in `sql/` that
reads and writes it, and lines in `sql/copy.py`, if it should survive a copy.
"""
