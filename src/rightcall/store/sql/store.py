"""The `Store` class, and its part for runs: what they were, their results and tags."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain, islice
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Subquery, case, delete, func, select, update
from sqlalchemy.dialects import sqlite

from rightcall.core.codec import decode
from rightcall.core.errors import InputError, RightCallError, StoreError, suggestion
from rightcall.records import Run, Summary, Tool
from rightcall.store.base import (
    Change,
    ComparedCase,
    ResultFilter,
    RunFilter,
    RunsOverview,
    StoredCase,
    StoredRun,
    SuiteOverview,
)
from rightcall.store.sql import tables
from rightcall.store.sql.core import Core, insert_missing, refers_to_contents
from rightcall.store.sql.datasets import Datasets
from rightcall.store.sql.failures import RunFailures
from rightcall.store.sql.golden_list import GoldenList
from rightcall.store.sql.record_bytes import (
    compress_bytes,
    decode_record,
    decompress_bytes,
    encode_record,
    escape_text,
)
from rightcall.store.sql.run_lookup import AS_STORED, Removal, find, list_rows, with_tags
from rightcall.store.sql.run_writer import RunWriter, require_epoch
from rightcall.store.sql.traces import Traces

results = tables.results.c


MOST_NAMES = 2_000
"""Goldens among which a misspelled one is looked for."""


class StoredComparison:
    """Two runs golden by golden; read when asked."""

    def __init__(self, store: Core, before: str, after: str) -> None:
        self._store = store
        self._before = before
        self._after = after

    def counts(self) -> dict[Change, int]:
        """How many goldens each change happened to; changes that did not happen are omitted."""
        with self._store.read_transaction() as connection:
            compared = _comparison_rows(connection, self._before, self._after)
            query = select(compared.c.change, func.count().label("goldens")).group_by(compared.c.change)
            return {row.change: row.goldens for row in connection.execute(query)}

    def page(
        self, change: Change | None = None, *, limit: int = 100, beyond: str | None = None
    ) -> list[ComparedCase]:
        """The next goldens by id that a change happened to; `beyond` is the last one on the previous page."""
        with self._store.read_transaction() as connection:
            compared = _comparison_rows(connection, self._before, self._after)
            query = select(compared).order_by(compared.c.golden_id).limit(limit)
            if change is not None:
                query = query.where(compared.c.change == change)
            if beyond is not None:
                query = query.where(compared.c.golden_id > beyond)
            return [ComparedCase(*row) for row in connection.execute(query)]


def _comparison_rows(connection: Connection, before: str, after: str) -> Subquery:
    """A row for each golden of either run. Compared with itself, every golden of a run is unchanged."""
    first = find(connection, before).key
    second = find(connection, after).key
    sides = [_side(first, "before"), _side(second, "after")]
    keys = (first, second)
    counted = (
        select(results.golden_id, *chain.from_iterable(sides))
        .where(results.run_key.in_(keys))
        .group_by(results.golden_id)
        .subquery("counted")
    )
    c = counted.c
    return select(
        c.golden_id,
        _change(c).label("change"),
        c.before_passed,
        c.before_judged,
        c.after_passed,
        c.after_judged,
    ).subquery("compared")


def _side(run_key: int, name: str) -> list[ColumnElement[Any]]:
    here = results.run_key == run_key
    return [
        func.sum(case((here & (results.outcome == tables.PASSED), 1), else_=0)).label(f"{name}_passed"),
        func.sum(case((here & results.outcome.in_((tables.PASSED, tables.FAILED)), 1), else_=0)).label(
            f"{name}_judged"
        ),
        func.sum(case((here, 1), else_=0)).label(f"{name}_found"),
    ]


def _change(c: Any) -> ColumnElement[str]:
    passed_before = 2 * c.before_passed >= c.before_judged
    passed_after = 2 * c.after_passed >= c.after_judged
    return case(
        (c.before_found == 0, "added"),
        (c.after_found == 0, "removed"),
        ((c.before_judged == 0) | (c.after_judged == 0), "unjudged"),
        (passed_before & passed_after, "passing"),
        (passed_after, "fixed"),
        (passed_before, "broken"),
        else_="failing",
    )


runs = tables.runs.c

FIRST_EPOCH = 1
"""The epoch of the process that started a run; each process that takes it over gets the next one."""


LONGEST_TAG = 100


class Runs(GoldenList, Removal):
    """The part of the store for runs: `store.runs`."""

    __slots__ = ()

    def begin(self, run: Run, *, planned: int = 0, documents: Mapping[str, bytes] | None = None) -> RunWriter:
        """Store a new run and return the writer of its results.

        `planned` is the number of results it will have. `documents` contains what `run.fingerprints` refers
        to (suite, tools, …): each is stored once under its fingerprint.
        """
        documents = documents or {}
        if unnamed := sorted(documents.keys() - run.fingerprints.keys()):
            raise InputError(f"run {run.id}", f"has no fingerprint for its {', '.join(unnamed)}")
        rows = [
            (escape_text(kind), escape_text(run.fingerprints[kind]), compress_bytes(data))
            for kind, data in documents.items()
        ]
        with self._store.write_transaction() as connection:
            refers_to_contents(connection)
            key = insert_run(connection, run, planned=planned, now=self._store.now())
            insert_missing(connection, tables.documents, sorted(rows))
        return RunWriter(self._store, key, run.id, FIRST_EPOCH)

    def resume(self, run: str) -> RunWriter:
        """Take over an unfinished run; ask `changes` first whether it is still the same run.

        The previous writer cannot store another result: of two processes that resume a run, the later one
        continues and the earlier one gets a `RunTakenOver` error.
        """
        with self._store.write_transaction() as connection:
            row = _require_unfinished(find(connection, run))
            statement = (
                update(tables.runs)
                .where(runs.key == row.key, runs.finished_at.is_(None))
                .values(epoch=runs.epoch + 1)
                .returning(runs.epoch)
            )
            new = connection.execute(statement).scalar_one_or_none()
            if new is None:  # after it was found
                problem = "was finished or deleted meanwhile"
                raise InputError(f"run {row.id}", problem, "start a new run instead")
        return RunWriter(self._store, row.key, row.id, new)

    def join(self, run: str, *, epoch: int | None = None) -> RunWriter:
        """Another writer of an unfinished run, for a process that shares the work with the existing writers.

        Takes nothing over: `epoch` is that of the writer to join, by default the run's present one.
        """
        with self._store.read_transaction() as connection:
            row = _require_unfinished(find(connection, run))
        return RunWriter(self._store, row.key, row.id, row.epoch if epoch is None else epoch)

    def finish(
        self,
        run: str,
        summary: Summary | None,
        verdict: str = "",
        *,
        early: bool = False,
        finished_at: str | None = None,
        epoch: int | None = None,
    ) -> None:
        """Finish a run; after that it accepts no more results.

        With the `epoch` of its writer, a process whose run was taken over gets a `RunTakenOver` error instead.

        Raises a `StoreError` when fewer results are stored than were planned, unless the run ended `early` on
        purpose: a verdict on partial results would be a verdict on a different run.
        """
        at = finished_at or self._store.now()
        values = {
            "finished_at": at,
            "updated_at": at,
            "verdict": verdict,
            "summary": None if summary is None else encode_record(summary),
        }
        with self._store.write_transaction() as connection:
            row = find(connection, run)
            if not early:
                _require_complete(connection, row)
            connection.execute(update(tables.runs).where(runs.key == row.key).values(**values))
            if epoch is not None:  # read while the row is ours; an error undoes all of it
                require_epoch(connection, row.id, epoch)

    def get(self, run: str = "last", *, before: Run | None = None) -> StoredRun:
        """One run by id, a prefix of it, `last`, `last~1` for the previous one, a tag or a git branch.

        A tag and a branch refer to their newest run. With `before`, they refer to the newest that started
        earlier, and `last~1` is the run just before it.
        """
        with self._store.read_transaction() as connection:
            return with_tags(connection, [find(connection, run, before)])[0]

    def page(
        self, which: RunFilter | None = None, *, limit: int = 50, after: str | None = None
    ) -> list[StoredRun]:
        """A page of runs, newest first; `after` is the id of the last run on the previous page."""
        with self._store.read_transaction() as connection:
            return with_tags(connection, list_rows(connection, which or RunFilter(), limit, after))

    def set_document(self, run: str, kind: str, content: bytes) -> None:
        """Write, or replace, the document of this kind that a run's fingerprints refer to."""
        d = tables.documents.c
        data = compress_bytes(content)
        with self._store.write_transaction() as connection:
            refers_to_contents(connection)
            row = find(connection, run)
            fingerprint = decode_record(row.fingerprints, dict[str, str])[kind]
            missing = (escape_text(kind), escape_text(fingerprint), data)
            insert_missing(connection, tables.documents, [missing])
            which = (d.kind == kind, d.fingerprint == fingerprint)
            connection.execute(update(tables.documents).where(*which).values(content=data))

    def document(self, kind: str, fingerprint: str) -> bytes | None:
        """A document referenced by fingerprint, such as a suite or tool definitions; None when it was not stored."""
        d = tables.documents.c
        query = select(d.content).where(d.kind == kind, d.fingerprint == fingerprint)
        with self._store.read_transaction() as connection:
            content = connection.execute(query).scalar()
        return None if content is None else decompress_bytes(content)

    def case(self, run: str, golden_id: str) -> StoredCase:
        """One golden of a run: what was expected, and every trial with its trajectory."""
        with self._store.read_transaction() as connection:
            row = find(connection, run)
        golden = next(self.goldens(row.id, [golden_id]), None)
        results = tuple(self.results(row.id, ResultFilter(golden_id=golden_id), trajectories=True))
        if golden is None and not results:
            ids = [golden.id for golden in islice(self.goldens(row.id), MOST_NAMES)]
            hint = suggestion(golden_id, ids) or f"rightcall runs show {row.id} names those that did not pass"
            raise InputError(f"run {row.id}", f"has no result for golden '{golden_id}'", hint)
        return StoredCase(golden_id, golden, results)

    def tag(self, run: str, *tags: str, remove: bool = False) -> None:
        """Add tags to a run; existing ones stay. With `remove`, remove them."""
        for tag in tags if not remove else ():
            if not tag.strip() or len(tag) > LONGEST_TAG:
                raise InputError(f"tag '{tag[:30]}'", f"must have between 1 and {LONGEST_TAG} characters")
        with self._store.write_transaction() as connection:
            key = find(connection, run).key
            own = tables.run_tags.c
            if remove:
                connection.execute(delete(tables.run_tags).where(own.run_key == key, own.tag.in_(tags)))
            else:
                rows = [(key, escape_text(tag)) for tag in sorted(set(tags))]
                insert_missing(connection, tables.run_tags, rows)

    def compare(self, before: str, after: str) -> StoredComparison:
        """Two runs golden by golden."""
        return StoredComparison(self._store, before, after)

    def failures(self, run: str) -> RunFailures:
        """What failed in a run, as analysis reads it."""
        return RunFailures(self._store, run)

    def overview(self, limit: int = 100) -> RunsOverview:
        """The suites of all runs, the one that ran last first, and their agents, groups and tags by name."""
        last = func.max(runs.started_at).label("last")
        suites = select(runs.name, func.count().label("count"), last).group_by(runs.name)
        with self._store.read_transaction() as connection:

            def names(column: ColumnElement[str]) -> list[str]:
                query = select(column).where(column != "").distinct().order_by(column).limit(limit)
                return list(connection.execute(query).scalars())

            rows = connection.execute(suites.order_by(last.desc(), runs.name).limit(limit))
            return RunsOverview(
                [SuiteOverview(*row) for row in rows],
                names(runs.agent),
                names(runs.group_name),
                names(tables.run_tags.c.tag),
            )


def insert_run(connection: Connection, run: Run, *, planned: int, now: str) -> int:
    """Insert a row for a new run; returns its key."""
    values: dict[str, Any] = {name: getattr(run, name) for name in AS_STORED}
    values |= {name: encode_record(getattr(run, name)) for name in ("fingerprints", "versions", "settings")}
    values |= dict.fromkeys(("results", "passed", "errors", "unchecked", "input_tokens", "output_tokens"), 0)
    values |= {"group_name": run.group, "seed": str(run.seed), "verdict": "", "updated_at": now}
    values |= {"planned": planned, "epoch": FIRST_EPOCH}
    # Check and insert in one statement: otherwise another process could take the id in between.
    new: Any = sqlite.insert
    if connection.dialect.name == "postgresql":
        from sqlalchemy.dialects import postgresql  # costs 10% of a small run

        new = postgresql.insert
    statement = (
        new(tables.runs).values(values).on_conflict_do_nothing(index_elements=["id"]).returning(runs.key)
    )
    key = connection.execute(statement).scalar_one_or_none()
    if key is None:
        ended = connection.execute(select(runs.finished_at).where(runs.id == run.id)).scalar_one()
        hint = "use another id for the new run" if ended else f"resume it: --resume {run.id}"
        raise InputError(f"run {run.id}", "already exists in the store", hint)
    return int(key)


def _require_unfinished(row: Row[Any]) -> Row[Any]:
    if row.finished_at is not None:
        raise InputError(f"run {row.id}", f"was finished at {row.finished_at}", "start a new run instead")
    return row


def _require_complete(connection: Connection, run: Row[Any]) -> None:
    """Count the stored results: the counter in the run's row may be stale."""
    results = tables.results.c
    query = select(func.count()).select_from(tables.results).where(results.run_key == run.key)
    stored = connection.execute(query).scalar_one()
    if stored < run.planned:
        counts = f"{stored:,} of {run.planned:,} results are stored"
        raise StoreError(f"run {run.id}: {counts}, so it cannot be finished", retryable=False)


class Store(Core):
    """Runs, datasets and traces, in SQLite or PostgreSQL. Created by `open_store`.

    Where a method takes a run, pass an id, a unique prefix of one, or `last`.
    """

    @property
    def runs(self) -> Runs:
        """Runs with their results and tags."""
        return Runs(self)

    @property
    def datasets(self) -> Datasets:
        """Versions of datasets."""
        return Datasets(self)

    @property
    def traces(self) -> Traces:
        """Traces of production, and what a monitor counts of them."""
        return Traces(self)

    def tools_of(self, run: StoredRun) -> dict[str, Tool]:
        """The tool definitions a run was made with, by name; empty when they were not stored."""
        fingerprint = run.run.fingerprints.get("tools", "")
        content = self.runs.document("tools", fingerprint) if fingerprint else None
        try:
            tools = decode(content, list[Tool], f"tools of run {run.id}") if content else []
        except RightCallError:
            tools = []  # written by something else; the rest of a run is still worth showing
        return {tool.name: tool for tool in tools}
