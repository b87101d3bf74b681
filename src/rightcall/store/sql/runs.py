"""The list of runs, and lookup of a run by what a user types."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, Connection, Row, Select, func, or_, select, tuple_, update
from sqlalchemy.dialects import sqlite

from rightcall.core.errors import InputError, RunTakenOver, StoreError, suggestion
from rightcall.core.text import first_names
from rightcall.model import Run, Summary, Usage
from rightcall.store.base import RunFilter, StoredRun
from rightcall.store.sql import tables
from rightcall.store.sql.core import Core, refers_to_contents
from rightcall.store.sql.record_bytes import held, packed, squeezed, unpacked, unsqueezed
from rightcall.store.sql.row_types import check_run
from rightcall.store.sql.rows import insert_missing
from rightcall.store.sql.run_writer import RunWriter, require_epoch

runs = tables.runs.c

FIRST_EPOCH = 1
"""The epoch of the process that started a run; each process that takes it over gets the next one."""

TRIED_IN = ("/improve", "/perturb")
"""Suffixes of groups whose runs are experiments: `last` and a branch never refer to one of them."""
LOOKED_BACK = 2_000
"""Number of runs searched for a branch: its name is stored inside a run, not in a column."""


class Runs(Core):
    """The part of the store for runs."""

    def begin_run(
        self, run: Run, *, planned: int = 0, documents: Mapping[str, bytes] | None = None
    ) -> RunWriter:
        """Store a new run and return the writer of its results.

        `planned` is the number of results it will have. `documents` contains what `run.fingerprints` refers
        to (suite, tools, …): each is stored once under its fingerprint.
        """
        documents = documents or {}
        if unnamed := sorted(documents.keys() - run.fingerprints.keys()):
            raise InputError(f"run {run.id}", f"has no fingerprint for its {', '.join(unnamed)}")
        rows = [
            (held(kind), held(run.fingerprints[kind]), squeezed(data)) for kind, data in documents.items()
        ]
        with self.writing() as connection:
            refers_to_contents(connection)
            key = insert_run(connection, run, planned=planned, now=self.now())
            insert_missing(connection, tables.documents, sorted(rows))
        return RunWriter(self, key, run.id, FIRST_EPOCH)

    def resume_run(self, run: str, *, epoch: int | None = None) -> RunWriter:
        """Take over an unfinished run; ask `changes` first whether it is still the same run.

        The previous writer cannot store another result: of two processes that resume a run, the later one
        continues and the earlier one gets a `RunTakenOver` error. With an `epoch`, the run is taken over only from
        writers of that one, and the error comes at once if another process has it by now.
        """
        with self.writing() as connection:
            row = _unfinished(find(connection, run))
            statement = (
                update(tables.runs)
                .where(runs.key == row.key, runs.finished_at.is_(None))
                .values(epoch=runs.epoch + 1)
                .returning(runs.epoch)
            )
            new = connection.execute(statement).scalar_one_or_none()
            if new is None:  # finished or deleted after it was found
                raise InputError(
                    f"run {row.id}", "was finished or deleted meanwhile", "start a new run instead"
                )
            if epoch is not None and new != epoch + 1:
                raise RunTakenOver(row.id)
        return RunWriter(self, row.key, row.id, new)

    def join_run(self, run: str, *, epoch: int | None = None) -> RunWriter:
        """Another writer of an unfinished run, for a process that shares the work with the existing writers.

        Takes nothing over: `epoch` is that of the writer to join, by default the run's present one.
        """
        with self.reading() as connection:
            row = _unfinished(find(connection, run))
        return RunWriter(self, row.key, row.id, row.epoch if epoch is None else epoch)

    def finish_run(
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
        at = finished_at or self.now()
        values = {
            "finished_at": at,
            "updated_at": at,
            "verdict": verdict,
            "summary": None if summary is None else packed(summary),
        }
        with self.writing() as connection:
            found = find(connection, run)
            if not early:
                _require_complete(connection, found)
            connection.execute(update(tables.runs).where(runs.key == found.key).values(**values))
            if epoch is not None:  # read while the row is ours; an error undoes all of it
                require_epoch(connection, found.id, epoch)

    def run(self, run: str = "last", *, before: Run | None = None) -> StoredRun:
        """One run by id, a prefix of it, `last`, `last~1` for the previous one, a tag or a git branch.

        A tag and a branch refer to their newest run. With `before`, they refer to the newest that started
        earlier, and `last~1` is the run just before it.
        """
        with self.reading() as connection:
            return with_tags(connection, [find(connection, run, before)])[0]

    def runs(
        self, which: RunFilter | None = None, *, limit: int = 50, after: str | None = None
    ) -> list[StoredRun]:
        """A page of runs, newest first; `after` is the id of the last run on the previous page."""
        with self.reading() as connection:
            return with_tags(connection, listed(connection, which or RunFilter(), limit, after))

    def set_document(self, run: str, kind: str, content: bytes) -> None:
        """Write, or replace, the document of this kind that a run's fingerprints refer to."""
        d, data = tables.documents.c, squeezed(content)
        with self.writing() as connection:
            refers_to_contents(connection)
            row = find(connection, run)
            fingerprint = held(unpacked(row.fingerprints, dict[str, str])[kind])
            insert_missing(connection, tables.documents, [(held(kind), fingerprint, data)])
            which = (d.kind == held(kind), d.fingerprint == fingerprint)
            connection.execute(update(tables.documents).where(*which).values(content=data))

    def document(self, kind: str, fingerprint: str) -> bytes | None:
        """A document referenced by fingerprint, such as a suite or tool definitions; None when it was not stored."""
        d = tables.documents.c
        query = select(d.content).where(d.kind == kind, d.fingerprint == fingerprint)
        with self.reading() as connection:
            content = connection.execute(query).scalar()
        return None if content is None else unsqueezed(content)


def insert_run(connection: Connection, run: Run, *, planned: int, now: str) -> int:
    """Insert a row for a new run; returns its key."""
    values = {
        "id": run.id,
        "name": run.name,
        "group_name": run.group,
        "agent": run.agent,
        "trials": run.trials,
        "seed": str(run.seed),
        "started_at": run.started_at,
        "updated_at": now,
        "verdict": "",
        "planned": planned,
        "epoch": FIRST_EPOCH,
        "fingerprints": packed(run.fingerprints),
        "versions": packed(run.versions),
        "settings": packed(run.settings),
        **dict.fromkeys(("results", "passed", "errors", "unchecked", "input_tokens", "output_tokens"), 0),
    }
    # Check and insert in one statement: otherwise another process could take the id in between.
    new: Any = sqlite.insert
    if connection.dialect.name == "postgresql":
        from sqlalchemy.dialects import postgresql  # costs 10 % of a small run

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


def _unfinished(row: Row[Any]) -> Row[Any]:
    if row.finished_at is not None:
        raise InputError(f"run {row.id}", f"was finished at {row.finished_at}", "start a new run instead")
    return row


def find(connection: Connection, wanted: str, before: Run | None = None) -> Row[Any]:
    """The row of the run with this id, prefix, tag or branch, or the latest for `last`."""
    if counted_back := re.fullmatch(r"last(?:~(\d{1,9}))?", wanted):
        return _counted_back(connection, wanted, int(counted_back[1] or 0), before)
    exact = connection.execute(select(tables.runs).where(runs.id == wanted)).first()
    if exact is not None:
        return exact
    tagged = connection.execute(
        _newest_first(_earlier(before).where(*_conditions(RunFilter(tag=wanted)))).limit(1)
    )
    if wanted and (newest := tagged.first()) is not None:
        return newest
    alike = list(connection.execute(_newest_first(select(tables.runs).where(_begins(wanted))).limit(6)))
    if len(alike) == 1 and wanted:
        return alike[0]
    if alike and wanted:
        shown = first_names([row.id for row in alike], 5)
        raise InputError(f"run {wanted}", f"several runs match: {shown}", "use more of the id")
    if wanted and (newest := _on_branch(connection, wanted, before)) is not None:
        return newest
    recent = list(connection.execute(_newest_first(select(runs.id)).limit(200)).scalars())
    hint = suggestion(wanted, recent) or "see `rightcall runs list`"
    raise InputError("", f"no run matches '{wanted}'", hint)


def _counted_back(connection: Connection, wanted: str, steps: int, before: Run | None) -> Row[Any]:
    """The latest run, or the nth before it; `before` itself counts as the latest."""
    skipped = steps if before is None else max(0, steps - 1)
    query = _earlier(before).where(*_own_sake())
    if connection.execute(query.limit(1)).first() is None:  # only experimental runs
        query = _earlier(before)
    found = connection.execute(_newest_first(query).limit(1).offset(skipped)).first()
    if found is not None:
        return found
    if connection.execute(select(runs.key).limit(1)).first() is None:
        raise InputError("", "no runs in the store yet", "start one with `rightcall run SUITE`")
    raise InputError(f"run {wanted}", "the store has fewer runs", "see `rightcall runs list`")


def _on_branch(connection: Connection, branch: str, before: Run | None) -> Row[Any] | None:
    """The newest finished run made on a git branch, among the latest runs."""
    finished = _earlier(before).where(runs.finished_at.is_not(None), *_own_sake())
    query = _newest_first(finished).limit(LOOKED_BACK)
    for row in connection.execute(query):
        if unpacked(row.versions, dict[str, str]).get("git_branch") == branch:
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


def listed(connection: Connection, which: RunFilter, limit: int, after: str | None) -> Sequence[Row[Any]]:
    """Rows of matching runs, newest first; `after` is the id of the last one on the previous page."""
    query = select(tables.runs).where(*_conditions(which))
    if after is not None:
        at = find(connection, after)
        query = query.where(tuple_(runs.started_at, runs.key) < tuple_(held(at.started_at), at.key))
    return connection.execute(_newest_first(query).limit(limit)).all()


def with_tags(connection: Connection, rows: Sequence[Row[Any]]) -> list[StoredRun]:
    """The records of rows, each with its tags."""
    t = tables.run_tags.c
    tags: dict[int, tuple[str, ...]] = defaultdict(tuple)
    query = select(t.run_key, t.tag).where(t.run_key.in_([row.key for row in rows])).order_by(t.tag)
    for run_key, tag in connection.execute(query):
        tags[run_key] += (tag,)
    return [to_run(row, tags[row.key]) for row in rows]


def to_run(row: Row[Any], tags: tuple[str, ...] = ()) -> StoredRun:
    """The record of a row."""
    check_run(row)
    usage = Usage(row.input_tokens, row.output_tokens, row.cost_usd)
    run = Run(
        id=row.id,
        name=row.name,
        started_at=row.started_at,
        agent=row.agent,
        trials=row.trials,
        seed=msgspec.convert(row.seed, int, strict=False),
        group=row.group_name,
        finished_at=row.finished_at,
        fingerprints=unpacked(row.fingerprints, dict[str, str]),
        versions=unpacked(row.versions, dict[str, str]),
        settings=unpacked(row.settings, dict[str, Any]),
        summary=None if row.summary is None else unpacked(row.summary, Summary),
    )
    return StoredRun(
        run,
        row.results,
        row.passed,
        row.errors,
        row.planned,
        usage,
        row.updated_at,
        row.verdict,
        tags,
        row.unchecked,
    )


def _require_complete(connection: Connection, run: Row[Any]) -> None:
    """Count the stored results: the counter in the run's row may be stale."""
    results = tables.results.c
    stored = connection.execute(
        select(func.count()).select_from(tables.results).where(results.run_key == run.key)
    ).scalar_one()
    if stored < run.planned:
        raise StoreError(
            f"run {run.id}: {stored:,} of {run.planned:,} results are stored, so it cannot be finished",
            retryable=False,
        )


def _conditions(which: RunFilter) -> list[ColumnElement[bool]]:
    exact = {runs.name: which.name, runs.group_name: which.group, runs.agent: which.agent}
    found: list[ColumnElement[bool]] = [column == value for column, value in exact.items() if value]
    if which.tag:
        found.append(
            runs.key.in_(select(tables.run_tags.c.run_key).where(tables.run_tags.c.tag == which.tag))
        )
    if which.text:
        columns = (runs.id, runs.name, runs.agent, runs.group_name)
        found.append(or_(*(column.icontains(which.text, autoescape=True) for column in columns)))
    if which.state != "any":
        found.append(
            runs.finished_at.is_(None) if which.state == "unfinished" else runs.finished_at.is_not(None)
        )
    if which.since:
        found.append(runs.started_at >= which.since)
    if which.until:
        found.append(runs.started_at < which.until)
    return found


def _begins(prefix: str) -> ColumnElement[bool]:
    """By range rather than LIKE: it uses the index, and a percent sign in an id is literal."""
    return (runs.id >= prefix) & (runs.id < prefix + "\U0010ffff")


def _newest_first(query: Select[Any]) -> Select[Any]:
    return query.order_by(runs.started_at.desc(), runs.key.desc())
