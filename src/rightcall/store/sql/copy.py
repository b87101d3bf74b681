"""Copies one store into another: rows are unchanged except for their numeric keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any

from sqlalchemy import Connection, Row, Table, insert, select, update

from rightcall.core.errors import ConfigError, InputError
from rightcall.records import Usage
from rightcall.store.base import Copied, Key
from rightcall.store.sql import results, tables
from rightcall.store.sql.core import Core, insert_missing, refers_to_contents, stream_rows
from rightcall.store.sql.golden_sets import name_set, own_set, use_shared_set
from rightcall.store.sql.record_bytes import decode_record, escape_text, unescape_text
from rightcall.store.sql.rows import ResultRows, check_row, renumber_scores
from rightcall.store.sql.run_writer import insert_results

AT_ONCE = 500


WATCHED = {
    tables.traces: ("trace_id",),
    tables.received: (),
    tables.alarms: ("raised_at",),
    tables.session_hours: ("agent", "version", "session"),
}
"""Tables of production with numeric keys, and what else identifies their rows."""


def copy_store(source: Core, target: Core, *, progress: Callable[[str], None] | None = None) -> Copied:
    """Copy what the target does not have; existing data is unchanged.

    Each run and each dataset is one transaction, so an interrupted copy can be started again. A run that is
    in both gains the results that it lacks. `progress` is called with the id of each run.
    """
    if _place(source) == _place(target):
        raise ConfigError(f"the stores are the same: {source.name}")
    _check_datasets(source, target)
    with source.read_transaction() as connection:
        runs = connection.execute(
            select(tables.runs).order_by(tables.runs.c.started_at, tables.runs.c.key)
        ).all()
        for row in runs:
            check_row(tables.runs, row)
        names = {row.key: row.name for row in connection.execute(select(tables.metrics))}
        versions = connection.execute(select(tables.datasets).order_by(tables.datasets.c.key)).all()
    numbers = target.metric_keys(names.values())
    metric_keys = {key: numbers[name] for key, name in names.items()}
    new_runs = new_results = 0
    for row in runs:
        if progress is not None:
            progress(row.id)
        with target.write_transaction() as connection:
            is_new, added = _copy_run(source, connection, row, metric_keys)
        new_runs = new_runs + is_new
        new_results = new_results + added
    _copy_watch(source, target)
    new_versions = sum(_copy_dataset(source, target, row) for row in versions)
    return Copied(new_runs, new_results, new_versions)


def _copy_run(
    source: Core, target: Connection, row: Row[Any], metric_keys: Mapping[int, int]
) -> tuple[bool, int]:
    refers_to_contents(target)
    runs = tables.runs.c
    there = target.execute(select(tables.runs).where(runs.id == row.id)).first()
    if there is not None and there.finished_at is not None:
        key = there.key
        added = 0
    else:
        key = there.key if there is not None else _begin(target, row)
        added = 0
        for batch in _result_rows(source, row.key, metric_keys):
            added += len(insert_results(target, key, row.id, batch, now=row.updated_at, epoch=None))
        if row.finished_at is not None:
            ended = {name: getattr(row, name) for name in ("finished_at", "updated_at", "verdict", "summary")}
            target.execute(update(tables.runs).where(runs.key == key).values(ended))
    _copy_goldens(source, target, row, key)
    tags = _raw(source, select(tables.run_tags).where(tables.run_tags.c.run_key == row.key))
    insert_missing(target, tables.run_tags, sorted((key, *tag[1:]) for tag in tags))
    d = tables.documents.c
    for kind, fingerprint in decode_record(row.fingerprints, dict[str, str]).items():
        query = select(tables.documents).where(d.kind == kind, d.fingerprint == fingerprint)
        insert_missing(target, tables.documents, _raw(source, query))
    if there is None:
        counters = ("results", "passed", "errors", "unchecked", "input_tokens", "output_tokens", "cost_usd")
        values = {name: getattr(row, name) for name in counters} if row.finished_at is not None else {}
        target.execute(update(tables.runs).where(runs.key == key).values(updated_at=row.updated_at, **values))
    return there is None, added


def _begin(target: Connection, row: Row[Any]) -> int:
    counted = ("results", "passed", "errors", "unchecked", "input_tokens", "output_tokens")
    values = _without_key(row) | dict.fromkeys(counted, 0)
    values |= dict.fromkeys(("golden_set", "finished_at", "summary", "cost_usd"))
    return int(target.execute(insert(tables.runs).values(values).returning(tables.runs.c.key)).scalar_one())


def _result_rows(source: Core, run_key: int, metric_keys: Mapping[int, int]) -> Iterator[list[ResultRows]]:
    """The run's results in batches, with their details, as rows ready to insert."""
    last: Key | None = None
    while True:
        with source.read_transaction() as connection:
            rows = results.select_results(connection, run_key, results.EVERYTHING, AT_ONCE, after=last)
            ids = [row.id for row in rows]
            failed = _details(connection, tables.failed_metrics, ids)
            codes = _details(connection, tables.codes, ids)
            contents = _details(connection, tables.trajectories, ids)
        if not rows:
            return
        yield [
            ResultRows(
                escape_text(row.golden_id),
                row.trial,
                row.outcome,
                (*_as_stored(row[5:-2]), renumber_scores(row.scores, metric_keys), *_as_stored(row[-1:])),
                failed=[metric_keys[metric.metric_key] for metric in failed.get(row.id, ())],
                codes=[(c.position, *_as_stored(c[3:])) for c in codes.get(row.id, ())],
                trajectory=next((t.content for t in contents.get(row.id, ())), None),
                usage=Usage(row.input_tokens, row.output_tokens, row.cost_usd),
            )
            for row in rows
        ]
        last = rows[-1].golden_id, rows[-1].trial


def _details(connection: Connection, table: Table, ids: Sequence[int]) -> dict[int, list[Row[Any]]]:
    rows_by_result: dict[int, list[Row[Any]]] = {}
    query = select(table).where(table.c.result_id.in_(ids)).order_by(*table.primary_key.columns)
    for row in connection.execute(query):
        rows_by_result.setdefault(row.result_id, []).append(row)
    return rows_by_result


def _copy_shared(source: Core, target: Connection, table: Table, old_key: int, new_key: int) -> None:
    """Cases or items of a dataset, after the goldens they refer to."""
    owner, *order = table.primary_key.columns
    last: Any = None
    while True:
        query = select(table).where(owner == old_key).order_by(*order).limit(AT_ONCE)
        if last is not None:
            query = query.where(order[0] > last)
        with source.read_transaction() as connection:
            rows = connection.execute(query).all()
            fingerprints = {row.fingerprint for row in rows}
            goldens = select(tables.goldens).where(tables.goldens.c.fingerprint.in_(fingerprints))
            contents = sorted(_as_stored(row) for row in connection.execute(goldens))
        if not rows:
            return
        insert_missing(target, tables.goldens, contents)
        insert_missing(target, table, [(new_key, *_as_stored(row[1:])) for row in rows])
        last = getattr(rows[-1], order[0].name)


def _copy_goldens(source: Core, target: Connection, row: Row[Any], key: int) -> None:
    """The goldens of a run; a complete set that the target has already is shared."""
    if row.golden_set is None:
        return
    sets = tables.golden_sets.c
    with source.read_transaction() as connection:
        name = connection.execute(select(sets.fingerprint).where(sets.key == row.golden_set)).scalar()
    if name is not None and use_shared_set(target, key, name):
        return
    new = own_set(target, key)
    _copy_shared(source, target, tables.cases, row.golden_set, new_key=new)
    if name is not None:
        name_set(target, new, name)


def _copy_watch(source: Core, target: Core) -> None:
    """Production: rows that the target lacks. Numeric keys are reassigned; alarms are distinguished by time.

    The target keeps its own redaction key, so placeholders made before and after differ.
    """
    for table, own in WATCHED.items():
        stored_rows = stream_rows(source, partial(_rows_after, table), AT_ONCE)
        while rows := list(islice(stored_rows, AT_ONCE)):
            with target.write_transaction() as connection:
                present_rows = _rows_in_target(connection, table, own, rows)
                fresh = [
                    _without_key(row)
                    for row in rows
                    if not own or tuple(row._mapping[name] for name in own) not in present_rows
                ]
                if fresh:
                    connection.execute(insert(table), fresh)
    with target.write_transaction() as connection:
        for table in (tables.check_counts, tables.watch_states):
            insert_missing(connection, table, _raw(source, select(table)))


def _rows_after(table: Table, source: Connection, last: Row[Any] | None) -> Sequence[Row[Any]]:
    query = select(table).order_by(table.c.key).limit(AT_ONCE)
    return source.execute(query if last is None else query.where(table.c.key > last.key)).all()


def _without_key(row: Row[Any]) -> dict[str, Any]:
    return {name: value for name, value in row._mapping.items() if name != "key"}


def _rows_in_target(
    target: Connection, table: Table, own: tuple[str, ...], rows: Sequence[Row[Any]]
) -> set[tuple[Any, ...]]:
    """Which rows of a page the target has, by the columns that identify them."""
    if not own:
        return set()
    query = select(*(table.c[name] for name in own))
    if own == ("trace_id",):  # the others are few
        query = query.where(table.c.trace_id.in_([row.trace_id for row in rows]))
    return {tuple(row) for row in target.execute(query)}


def _copy_dataset(source: Core, target: Core, row: Row[Any]) -> bool:
    d = tables.datasets.c
    with target.write_transaction() as connection:
        refers_to_contents(connection)
        there = select(d.key).where(d.alias == row.alias, d.version == row.version)
        if connection.execute(there).first() is not None:
            return False
        statement = insert(tables.datasets).values(_without_key(row)).returning(d.key)
        key = int(connection.execute(statement).scalar_one())
        _copy_shared(source, connection, tables.dataset_items, row.key, new_key=key)
    return True


def _check_datasets(source: Core, target: Core) -> None:
    """Before anything is copied: a version must not have two contents."""
    d = tables.datasets.c
    query = select(d.alias, d.version, d.fingerprint)
    here, there = ({row[:2]: row[2] for row in _raw(store, query)} for store in (source, target))
    for alias, version in sorted(here.keys() & there.keys()):
        if here[alias, version] != there[alias, version]:
            raise InputError(
                f"dataset {unescape_text(alias)}",
                f"version {version} differs between {source.name} and {target.name}",
                "delete one of them, or push it again under another alias",
            )


def _place(store: Core) -> str:
    return str(store.engine.url if store.file is None else store.file.resolve())


def _raw(source: Core, query: Any) -> list[tuple[Any, ...]]:
    with source.read_transaction() as connection:
        return [_as_stored(row) for row in connection.execute(query)]


def _as_stored(values: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(escape_text(value) if isinstance(value, str) else value for value in values)
