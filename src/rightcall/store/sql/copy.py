"""Copies runs and datasets of one store into another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

import msgspec
from sqlalchemy import Row, insert, select

from rightcall.core.errors import ConfigError, InputError
from rightcall.records import CaseResult
from rightcall.store.base import Copied, StoredRun
from rightcall.store.sql import tables
from rightcall.store.sql.core import Core, insert_missing, refers_to_contents
from rightcall.store.sql.record_bytes import escape_text, unescape_text
from rightcall.store.sql.run_lookup import to_run
from rightcall.store.sql.store import Store

AT_ONCE = 500


def copy_store(source: Store, target: Store, *, progress: Callable[[str], None] | None = None) -> Copied:
    """Copy what the target does not have; existing data is unchanged.

    An interrupted copy can be started again: a run that is in both gains the results that it lacks. `progress` is
    called with the id of each run.
    """
    if _place(source) == _place(target):
        raise ConfigError(f"the stores are the same: {source.name}")
    _check_datasets(source, target)
    runs = select(tables.runs).order_by(tables.runs.c.started_at, tables.runs.c.key)
    versions = select(tables.datasets).order_by(tables.datasets.c.key)
    with source.read_transaction() as connection:
        stored_runs = [to_run(row) for row in connection.execute(runs)]
        dataset_rows = connection.execute(versions).all()
    here = _run_ids(target)
    added = 0
    for run in stored_runs:
        if progress is not None:
            progress(run.id)
        added += _copy_run(source, target, run, is_new=run.id not in here)
    new_runs = sum(run.id not in here for run in stored_runs)
    new_versions = sum(_copy_dataset(source, target, row) for row in dataset_rows)
    return Copied(new_runs, added, new_versions)


def _copy_run(source: Store, target: Store, run: StoredRun, *, is_new: bool) -> int:
    """Copy what the target lacks of a run; how many results it was."""
    if not is_new and target.runs.get(run.id).finished:
        return 0
    if is_new:
        prints = run.run.fingerprints.items()
        documents = {kind: content for kind, name in prints if (content := source.runs.document(kind, name))}
        begun = msgspec.structs.replace(run.run, finished_at=None, summary=None)
        writer = target.runs.begin(begun, planned=run.planned, documents=documents)
    else:
        writer = target.runs.join(run.id)
    writer.add_goldens(source.runs.goldens(run.id), _name_of_goldens(source, run.id))
    added = sum(len(writer.add(batch)) for batch in _batches(source, run.id))
    target.runs.tag(run.id, *source.runs.get(run.id).tags)
    if run.finished:
        target.runs.finish(run.id, run.run.summary, run.verdict, early=True, finished_at=run.run.finished_at)
    return added


def _batches(source: Store, run: str) -> Iterator[list[CaseResult]]:
    results = source.runs.results(run, trajectories=True)
    while batch := list(islice(results, AT_ONCE)):
        yield batch


def _name_of_goldens(source: Core, run: str) -> str:
    """The name under which a complete set of goldens is shared by runs; empty when it has none."""
    sets = tables.golden_sets.c
    runs = tables.runs.c
    query = select(sets.fingerprint).join(tables.runs, runs.golden_set == sets.key).where(runs.id == run)
    with source.read_transaction() as connection:
        return connection.execute(query).scalar() or ""


def _run_ids(store: Core) -> set[str]:
    with store.read_transaction() as connection:
        return set(connection.execute(select(tables.runs.c.id)).scalars())


def _copy_dataset(source: Core, target: Core, row: Row[Any]) -> bool:
    """Copy a version with its number, its date and the goldens that it has."""
    d = tables.datasets.c
    items = tables.dataset_items.c
    members = select(tables.dataset_items).where(items.dataset_key == row.key)
    names = select(items.fingerprint).where(items.dataset_key == row.key)
    goldens = _raw(source, select(tables.goldens).where(tables.goldens.c.fingerprint.in_(names)))
    with target.write_transaction() as connection:
        refers_to_contents(connection)
        there = select(d.key).where(d.alias == row.alias, d.version == row.version)
        if connection.execute(there).first() is not None:
            return False
        values = {name: value for name, value in row._mapping.items() if name != "key"}
        key = connection.execute(insert(tables.datasets).values(values).returning(d.key)).scalar_one()
        insert_missing(connection, tables.goldens, sorted(goldens))
        insert_missing(connection, tables.dataset_items, [(key, *item[1:]) for item in _raw(source, members)])
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
    """Rows as they are written directly through the driver."""
    with source.read_transaction() as connection:
        return [_as_stored(row) for row in connection.execute(query)]


def _as_stored(values: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(escape_text(value) if isinstance(value, str) else value for value in values)
