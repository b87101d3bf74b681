"""Looks up runs, by what a user types, by filters, and as records with their tags; and deletes them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from datetime import timedelta
from itertools import chain
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, Connection, Row, Select, delete, or_, select, tuple_

from rightcall.core.errors import InputError, suggestion
from rightcall.core.text import first_names
from rightcall.records import Run, Summary, Usage
from rightcall.store.base import RunFilter, StoredRun
from rightcall.store.sql import tables
from rightcall.store.sql.core import StorePart, alone_with_contents, time_text
from rightcall.store.sql.golden_sets import drop_goldens
from rightcall.store.sql.record_bytes import decode_record, escape_text
from rightcall.store.sql.rows import check_row

runs = tables.runs.c

TRIED_IN = ("/improve", "/perturb")
"""Suffixes of groups whose runs are experiments: `last` and a branch never refer to one of them."""
AS_STORED = ("id", "name", "started_at", "agent", "trials")
"""Fields of a run that are columns of the same name."""
COUNTED = ("results", "passed", "errors", "planned", "updated_at", "verdict", "unchecked")
"""The same of a stored run: what is known when it has ended."""
LOOKED_BACK = 2_000
"""Number of runs searched for a branch: its name is stored inside a run, not in a column."""


def find(connection: Connection, run_name: str, before: Run | None = None) -> Row[Any]:
    """The row of the run with this id, prefix, tag or branch, or the latest for `last`."""
    if counted_back := re.fullmatch(r"last(?:~(\d{1,9}))?", run_name):
        return _nth_latest(connection, run_name, int(counted_back[1] or 0), before)
    exact = connection.execute(select(tables.runs).where(runs.id == run_name)).first()
    if exact is not None:
        return exact
    tagged = connection.execute(
        _newest_first(_earlier(before).where(*_conditions(RunFilter(tag=run_name)))).limit(1)
    )
    if run_name and (newest := tagged.first()) is not None:
        return newest
    # By range rather than LIKE: it uses the index, and a percent sign in an id is literal.
    begins = (runs.id >= run_name) & (runs.id < run_name + "\U0010ffff")
    alike = list(connection.execute(_newest_first(select(tables.runs).where(begins)).limit(6)))
    if len(alike) == 1 and run_name:
        return alike[0]
    if alike and run_name:
        shown = first_names([row.id for row in alike], 5)
        raise InputError(f"run {run_name}", f"several runs match: {shown}", "use more of the id")
    if run_name and (newest := _on_branch(connection, run_name, before)) is not None:
        return newest
    recent = list(connection.execute(_newest_first(select(runs.id)).limit(200)).scalars())
    hint = suggestion(run_name, recent) or "see `rightcall runs list`"
    raise InputError("", f"no run matches '{run_name}'", hint)


def _nth_latest(connection: Connection, run_name: str, steps: int, before: Run | None) -> Row[Any]:
    """The latest run, or the nth before it; `before` itself counts as the latest."""
    skipped = steps if before is None else max(0, steps - 1)
    query = _earlier(before).where(*_own_sake())
    if connection.execute(query.limit(1)).first() is None:  # only experimental runs
        query = _earlier(before)
    row = connection.execute(_newest_first(query).limit(1).offset(skipped)).first()
    if row is not None:
        return row
    if connection.execute(select(runs.key).limit(1)).first() is None:
        raise InputError("", "no runs in the store yet", "start one with `rightcall run SUITE`")
    raise InputError(f"run {run_name}", "the store has fewer runs", "see `rightcall runs list`")


def _on_branch(connection: Connection, branch: str, before: Run | None) -> Row[Any] | None:
    """The newest finished run made on a git branch, among the latest runs."""
    finished = _earlier(before).where(runs.finished_at.is_not(None), *_own_sake())
    query = _newest_first(finished).limit(LOOKED_BACK)
    for row in connection.execute(query):
        if decode_record(row.versions, dict[str, str]).get("git_branch") == branch:
            return row
    return None


def _own_sake() -> list[ColumnElement[bool]]:
    """Regular runs: not those that try a change of definitions or a perturbation."""
    return [~runs.group_name.endswith(suffix, autoescape=True) for suffix in TRIED_IN]


def _earlier(before: Run | None) -> Select[Any]:
    query = select(tables.runs)
    if before is None:
        return query
    return query.where(runs.started_at <= before.started_at, runs.id != before.id)


def list_rows(connection: Connection, which: RunFilter, limit: int, after: str | None) -> Sequence[Row[Any]]:
    """Rows of matching runs, newest first; `after` is the id of the last one on the previous page."""
    query = select(tables.runs).where(*_conditions(which))
    if after is not None:
        at = find(connection, after)
        query = query.where(tuple_(runs.started_at, runs.key) < tuple_(escape_text(at.started_at), at.key))
    return connection.execute(_newest_first(query).limit(limit)).all()


def with_tags(connection: Connection, rows: Sequence[Row[Any]]) -> list[StoredRun]:
    t = tables.run_tags.c
    tags: dict[int, tuple[str, ...]] = defaultdict(tuple)
    query = select(t.run_key, t.tag).where(t.run_key.in_([row.key for row in rows])).order_by(t.tag)
    for run_key, tag in connection.execute(query):
        tags[run_key] += (tag,)
    return [to_run(row, tags[row.key]) for row in rows]


def to_run(row: Row[Any], tags: tuple[str, ...] = ()) -> StoredRun:
    check_row(tables.runs, row)
    run = Run(
        **{name: getattr(row, name) for name in AS_STORED},
        seed=msgspec.convert(row.seed, int, strict=False),
        group=row.group_name,
        finished_at=row.finished_at,
        fingerprints=decode_record(row.fingerprints, dict[str, str]),
        versions=decode_record(row.versions, dict[str, str]),
        settings=decode_record(row.settings, dict[str, Any]),
        summary=None if row.summary is None else decode_record(row.summary, Summary),
    )
    usage = Usage(row.input_tokens, row.output_tokens, row.cost_usd)
    return StoredRun(run, usage=usage, tags=tags, **{name: getattr(row, name) for name in COUNTED})


def _conditions(which: RunFilter) -> list[ColumnElement[bool]]:
    exact = {runs.name: which.name, runs.group_name: which.group, runs.agent: which.agent}
    criteria: list[ColumnElement[bool]] = [column == value for column, value in exact.items() if value]
    if which.tag:
        tags = tables.run_tags.c
        criteria.append(runs.key.in_(select(tags.run_key).where(tags.tag == which.tag)))
    if which.text:
        columns = (runs.id, runs.name, runs.agent, runs.group_name)
        criteria.append(or_(*(column.icontains(which.text, autoescape=True) for column in columns)))
    if which.state != "any":
        ended = runs.finished_at.is_not(None)
        criteria.append(ended if which.state == "finished" else ~ended)
    if which.since:
        criteria.append(runs.started_at >= which.since)
    if which.until:
        criteria.append(runs.started_at < which.until)
    return criteria


def _newest_first(query: Select[Any]) -> Select[Any]:
    return query.order_by(runs.started_at.desc(), runs.key.desc())


STILL_WRITTEN = timedelta(hours=24)
"""An unfinished run written to this recently may still be running, or be resumed."""

_OF_A_RESULT = (tables.failed_metrics, tables.codes, tables.trajectories)
_OF_A_RUN = (tables.results, tables.run_tags)


class Removal(StorePart):
    __slots__ = ()

    def delete(self, *runs: str) -> list[StoredRun]:
        """Delete runs, one transaction each, and what only they needed; returns their records."""
        gone = []
        for run in runs:
            with self._store.write_transaction() as connection:
                alone_with_contents(connection)
                row = find(connection, run)
                _delete(connection, row.key)
            gone.append(to_run(row))
        with self._store.write_transaction() as connection:
            alone_with_contents(connection)
            _drop_unused_documents(connection)
        self._give_space_back()
        return gone

    def old_runs(self, older: timedelta) -> list[StoredRun]:
        """Runs that started longer ago, oldest first; not those with a tag, or that are being written."""
        now = self._store.clock()
        r = tables.runs.c
        too_old = time_text(now - older)
        at_work = time_text(now - STILL_WRITTEN)
        with self._store.read_transaction() as connection:
            tagged = set(connection.execute(select(tables.run_tags.c.run_key).distinct()).scalars())
            rows = connection.execute(
                select(tables.runs).where(r.started_at < too_old).order_by(r.started_at, r.key)
            )
            return [
                to_run(row)
                for row in rows
                if row.key not in tagged and (row.finished_at is not None or row.updated_at < at_work)
            ]

    def _give_space_back(self) -> None:
        """SQLite keeps the pages of deleted rows until it is told to release them."""
        if self._store.file is None:
            return
        connection = self._store.engine.raw_connection()
        try:
            # Each step of this pragma frees one page, and `execute` takes one step: a script takes them all.
            driver: Any = connection.driver_connection
            driver.executescript("PRAGMA incremental_vacuum")
        finally:
            connection.close()


def _delete(connection: Connection, run_key: int) -> None:
    # The run's row first: a process that is writing the run is waited for, or finds its run gone and rolls
    # back its batch, so that no result is left without a run.
    gone = delete(tables.runs).where(tables.runs.c.key == run_key).returning(tables.runs.c.golden_set)
    golden_set = connection.execute(gone).scalar()
    numbers = select(tables.results.c.id).where(tables.results.c.run_key == run_key)
    for table in _OF_A_RESULT:
        connection.execute(delete(table).where(table.c.result_id.in_(numbers)))
    drop_goldens(connection, golden_set)
    for table in _OF_A_RUN:
        connection.execute(delete(table).where(table.c.run_key == run_key))


def _drop_unused_documents(connection: Connection) -> None:
    used = set(
        chain.from_iterable(
            decode_record(fingerprints, dict[str, str]).items()
            for fingerprints in connection.execute(select(tables.runs.c.fingerprints)).scalars()
        )
    )
    d = tables.documents.c
    for kind, fingerprint in connection.execute(select(d.kind, d.fingerprint)).all():
        if (kind, fingerprint) not in used:
            connection.execute(delete(tables.documents).where(d.kind == kind, d.fingerprint == fingerprint))
