"""The SQL store: SQLite and PostgreSQL with one schema.

tables       the schema as it is now
text         text that every engine can hold
record_bytes records to bytes and back, whatever they hold
packed_scores the scores of a result in one column
rows         a result as rows of its tables, and back
bulk         many rows at once
guard        locks around what several runs share
engine       connections, transactions, the engines' errors in a user's words
schema       which version a store has; making it, migrating it, refusing it
core         what all parts of a store share
golden_sets  the goldens of runs, shared by runs of the same ones
run_writer   RunWriter: batches of results
runs         the list of runs, one run, suites and tool definitions by fingerprint
results      results, goldens and trajectories
annotations  tags and notes
library      versions of datasets
export       JSON Lines
removal      delete and prune
copy         from one store into another
store        Store: all of it behind one name
"""

from typing import TYPE_CHECKING

from rightcall.window import window

if TYPE_CHECKING:
    from rightcall.store.sql.copy import copy_store as copy_store
    from rightcall.store.sql.schema import HEAD as HEAD
else:
    __getattr__, __dir__, __all__ = window(
        __name__,
        {
            "copy": "copy_store",
            "schema": "HEAD",
        },
    )
