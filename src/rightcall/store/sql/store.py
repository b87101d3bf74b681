"""The `Store` class, which combines all parts."""

from __future__ import annotations

from rightcall.store.base import ResultFilter, StoredCase
from rightcall.store.sql.annotations import AnnotationTables, notes_of_case, tags_of_cases
from rightcall.store.sql.comparison import Comparing
from rightcall.store.sql.export import Exporting
from rightcall.store.sql.failures import Failures
from rightcall.store.sql.golden_list import GoldenList
from rightcall.store.sql.library import Library
from rightcall.store.sql.overview import Overview
from rightcall.store.sql.removal import Removing
from rightcall.store.sql.runs import Runs, find
from rightcall.store.sql.session_hours import OpenHours
from rightcall.store.sql.watch_states import WatchStates
from rightcall.store.sql.watch_tables import Watched


class Store(
    Runs,
    Exporting,
    AnnotationTables,
    Library,
    Removing,
    Comparing,
    Overview,
    GoldenList,
    Failures,
    Watched,
    WatchStates,
    OpenHours,
):
    """Runs and related data, in SQLite or PostgreSQL. Created by `open_store`.

    Where a method takes a run, pass an id, a unique prefix of one, or `last`.
    """

    def case(self, run: str, golden_id: str) -> StoredCase:
        """One golden of a run: what was expected, every trial with its trajectory, tags and notes."""
        run = self.run(run).id  # once: `last` may change
        results = tuple(self.results(run, ResultFilter(golden_id=golden_id), trajectories=True))
        golden = self.golden(run, golden_id)
        if golden is None and not results:
            self.result(run, golden_id)  # raises the right error
        with self.reading() as connection:
            key = find(connection, run).key
            tags = tags_of_cases(connection, key, [golden_id])[golden_id]
            notes = notes_of_case(connection, key, golden_id)
        return StoredCase(golden_id, golden, results, tags, notes)
