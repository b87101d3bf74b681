"""Versions of datasets: finalized ones that never change, and one draft that the next push replaces."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, cast

from sqlalchemy import Connection, Row, Select, delete, insert, select, update

from rightcall.core.digest import RunningDigest
from rightcall.core.errors import InputError, suggestion
from rightcall.records import AnyGolden, Golden
from rightcall.records.golden import with_id
from rightcall.store.base import DatasetDiff, DatasetVersion
from rightcall.store.sql import tables
from rightcall.store.sql.core import StorePart, alone_with_contents, insert_rows, stream_rows
from rightcall.store.sql.golden_sets import GOLDENS_AT_ONCE, golden_row, keep_goldens
from rightcall.store.sql.record_bytes import escape_text
from rightcall.store.sql.results import to_golden

LONGEST_ALIAS = 200

datasets = tables.datasets.c
items = tables.dataset_items.c


class Datasets(StorePart):
    """The part of the store for datasets: `store.datasets`."""

    __slots__ = ()

    def push(
        self, alias: str, goldens: Iterable[AnyGolden], *, finalized: bool = True, author: str = ""
    ) -> DatasetVersion:
        """Store a dataset as the next version of its alias, replacing the draft if there is one.

        A draft stays open for the next push. Pushing the contents of the newest version again creates no new one.
        """
        _require_alias(alias)
        with self._store.write_transaction() as connection:
            alone_with_contents(connection)
            return self._push(connection, alias, goldens, finalized, author=author)

    def add_to_draft(self, alias: str, golden: AnyGolden, *, author: str = "") -> DatasetVersion:
        """Add a golden to the draft of an alias, replacing one with its id; the draft starts as the newest version.

        Read and written in one transaction: with concurrent additions, no golden is lost.
        """
        _require_alias(alias)
        with self._store.write_transaction() as connection:
            alone_with_contents(connection)
            newest = connection.execute(_newest(alias)).first()
            before = () if newest is None else _goldens_of(connection, newest.key)
            goldens = {golden_in_draft.id: golden_in_draft for golden_in_draft in (*before, _with_id(golden))}
            return self._push(connection, alias, goldens.values(), False, author=author)

    def _push(
        self, connection: Connection, alias: str, goldens: Iterable[AnyGolden], finalized: bool, author: str
    ) -> DatasetVersion:
        drafts = select(datasets.key).where(datasets.alias == alias, datasets.finalized.is_(False))
        _delete_versions(connection, list(connection.execute(drafts).scalars()))
        newest = connection.execute(_newest(alias)).first()
        version = 1 if newest is None else newest.version + 1
        values = {"alias": alias, "version": version, "finalized": finalized, "author": author}
        values |= {"created_at": self._store.now(), "goldens": 0, "fingerprint": ""}
        key = connection.execute(insert(tables.datasets).values(values).returning(datasets.key)).scalar_one()
        count, fingerprint = _insert_items(connection, key, alias, goldens)
        if newest is not None and newest.fingerprint == fingerprint:
            _delete_versions(connection, [key])
            return to_version(newest)
        connection.execute(
            update(tables.datasets).where(datasets.key == key).values(goldens=count, fingerprint=fingerprint)
        )
        return to_version(connection.execute(_newest(alias)).one())

    def pull(self, alias: str, version: int | None = None, *, finalized: bool = True) -> Iterator[AnyGolden]:
        """The goldens of a version in their order, streamed; by default the newest finalized one."""
        with self._store.read_transaction() as connection:
            query = _contents(_find(connection, alias, version, finalized).key).limit(GOLDENS_AT_ONCE)

        def page(connection: Connection, last: Any) -> Sequence[Any]:
            position = -1 if last is None else last.position
            return connection.execute(query.where(items.position > position)).all()

        yield from (to_golden(row.content) for row in stream_rows(self._store, page, GOLDENS_AT_ONCE))

    def get(self, alias: str, version: int | None = None, *, finalized: bool = True) -> DatasetVersion:
        """The record of one version; with `finalized=False` the draft counts too."""
        with self._store.read_transaction() as connection:
            return to_version(_find(connection, alias, version, finalized))

    def versions(self, alias: str = "") -> list[DatasetVersion]:
        """Every version, by alias and number."""
        query = select(tables.datasets).order_by(datasets.alias, datasets.version)
        with self._store.read_transaction() as connection:
            rows = connection.execute(query.where(datasets.alias == alias) if alias else query)
            return [to_version(row) for row in rows]

    def finalize_accepted(
        self,
        alias: str,
        keep: Callable[[AnyGolden], bool],
        drop: Callable[[AnyGolden], bool],
        *,
        author: str = "",
    ) -> DatasetVersion:
        """Turn the draft's goldens for which `keep` is true into an immutable version.

        Goldens for which `drop` is true are removed; the rest stay in a draft. Atomic.
        """
        with self._store.write_transaction() as connection:
            alone_with_contents(connection)
            newest = connection.execute(_newest(alias)).first()
            if newest is None or newest.finalized:
                raise InputError(f"dataset {alias}", "has no draft to finalize")
            goldens = _goldens_of(connection, newest.key)
            kept = [golden for golden in goldens if keep(golden)]
            if not kept:
                problem = f"none of its {len(goldens):,} goldens are accepted"
                raise InputError(f"dataset {alias}", problem, "review them first")
            final = self._push(connection, alias, kept, True, author=author)
            left = [golden for golden in goldens if not keep(golden) and not drop(golden)]
            if left:
                self._push(connection, alias, [*kept, *left], False, author=author)
            return final

    def diff(self, alias: str, old: int, new: int) -> DatasetDiff:
        """What changed between two versions; a golden is the same when its id is."""
        with self._store.read_transaction() as connection:
            keys = [_find(connection, alias, version, False).key for version in (old, new)]
            names = (_contents(key).with_only_columns(items.golden_id, items.fingerprint) for key in keys)
            before, after = ({row[0]: row[1] for row in connection.execute(query)} for query in names)
        return DatasetDiff(
            added=tuple(sorted(after.keys() - before.keys())),
            removed=tuple(sorted(before.keys() - after.keys())),
            changed=tuple(sorted(i for i in before.keys() & after.keys() if before[i] != after[i])),
        )

    def delete(self, alias: str, version: int | None = None) -> int:
        """Delete one version, or all of them; returns how many."""
        with self._store.write_transaction() as connection:
            alone_with_contents(connection)
            if version is not None:
                return _delete_versions(connection, [_find(connection, alias, version, False).key])
            _find(connection, alias, None, False)
            query = select(datasets.key).where(datasets.alias == alias)
            return _delete_versions(connection, list(connection.execute(query).scalars()))


def to_version(row: Row[Any]) -> DatasetVersion:
    return DatasetVersion(*(getattr(row, name) for name in DatasetVersion.__struct_fields__))


def _require_alias(alias: str) -> None:
    if not alias.strip() or len(alias) > LONGEST_ALIAS:
        problem = f"the alias must have between 1 and {LONGEST_ALIAS} characters"
        raise InputError(f"dataset '{alias[:30]}'", problem)


def _contents(key: int) -> Select[Any]:
    """The goldens of a version as stored, in their order."""
    columns = items.golden_id, items.fingerprint, items.position, tables.goldens.c.content
    goldens = select(*columns).join(tables.goldens, tables.goldens.c.fingerprint == items.fingerprint)
    return goldens.where(items.dataset_key == key).order_by(items.position)


def _goldens_of(connection: Connection, key: int) -> list[AnyGolden]:
    return [to_golden(row.content) for row in connection.execute(_contents(key))]


def _newest(alias: str) -> Any:
    return select(tables.datasets).where(datasets.alias == alias).order_by(datasets.version.desc()).limit(1)


def _find(connection: Connection, alias: str, version: int | None, finalized: bool) -> Row[Any]:
    query = _newest(alias)
    if version is not None:
        query = query.where(datasets.version == version)
    elif finalized:
        query = query.where(datasets.finalized.is_(True))
    row: Row[Any] | None = connection.execute(query).first()
    if row is not None:
        return row
    newest = connection.execute(_newest(alias)).first()
    if newest is None:
        aliases = list(connection.execute(select(datasets.alias).distinct()).scalars())
        raise InputError(f"dataset {alias}", "not found in the store", suggestion(alias, aliases))
    if version is not None:
        raise InputError(f"dataset {alias}", f"has no version {version}; the newest is {newest.version}")
    raise InputError(f"dataset {alias}", "has only a draft", "pull the draft, or finalize it first")


def _insert_items(
    connection: Connection, key: int, alias: str, goldens: Iterable[AnyGolden]
) -> tuple[int, str]:
    digest = RunningDigest()
    seen = set[str]()
    stream = iter(goldens)
    while batch := [_with_id(golden) for golden in islice(stream, GOLDENS_AT_ONCE)]:
        rows = [golden_row(golden) for golden in batch]
        keep_goldens(connection, rows)
        members = []
        for golden, row in zip(batch, rows, strict=True):
            if golden.id in seen:
                raise InputError(f"dataset {alias}", f"duplicate golden id '{golden.id}'")
            members.append((key, len(seen), escape_text(golden.id), row[0]))
            seen.add(golden.id)
            digest.update(row[0].encode())
        insert_rows(connection, tables.dataset_items, members)
    return len(seen), digest.hexdigest()[:32]


def _with_id(golden: AnyGolden) -> AnyGolden:
    return with_id(cast(Golden, golden))  # the kind is preserved


def _delete_versions(connection: Connection, keys: list[int]) -> int:
    connection.execute(delete(tables.dataset_items).where(items.dataset_key.in_(keys)))
    return connection.execute(delete(tables.datasets).where(datasets.key.in_(keys))).rowcount
