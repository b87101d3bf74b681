"""Store: everything that is kept, behind one name."""

from __future__ import annotations

from rightcall.store.sql.results import Results
from rightcall.store.sql.runs import Runs


class Store(Runs, Results):
    """Runs and what belongs to them, in SQLite or PostgreSQL. Made by `open_store`.

    Where a method takes a run, an id, the unique beginning of one, or `last` will do.
    """
