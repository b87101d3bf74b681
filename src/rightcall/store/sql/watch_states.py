"""The state of monitoring in the store: documents by kind and name, sessions, the redaction key, and alarms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select, text, update

from rightcall.core.errors import InputError
from rightcall.store.sql import tables
from rightcall.store.sql.core import Core
from rightcall.store.sql.record_bytes import held, packed, stored_bytes, unpacked
from rightcall.store.watch import SessionCount, StoredAlarm

SESSIONS, IMPORTED, IMPORTING = "sessions", "imported_sessions", "importing"


class WatchStates(Core):
    """The part of the store for detectors, session counts and alarms."""

    def state(self, kind: str, name: str) -> bytes | None:
        """A monitoring document, or None."""
        s = tables.watch_states.c
        with self.reading() as connection:
            query = select(s.content).where(s.kind == kind, s.name == name)
            found = connection.execute(query).scalar()
        return None if found is None else stored_bytes(found)

    def states(self, kind: str) -> dict[str, bytes]:
        """All documents of a kind by name."""
        s = tables.watch_states.c
        with self.reading() as connection:
            rows = connection.execute(select(s.name, s.content).where(s.kind == kind).order_by(s.name))
            return {row.name: stored_bytes(row.content) for row in rows}

    def set_states(self, kind: str, documents: dict[str, bytes]) -> None:
        """Write documents, in one transaction."""
        if not documents:
            return
        with self.writing() as connection:
            put_states(connection, kind, documents)

    def drop_states(self, kind: str, names: Sequence[str]) -> None:
        """Delete documents."""
        s = tables.watch_states.c
        with self.writing() as connection:
            connection.execute(delete(tables.watch_states).where(s.kind == kind, s.name.in_(names)))

    def set_session_counts(self, counts: Sequence[SessionCount]) -> None:
        """Write how many sessions were seen, in one transaction."""
        documents = {"\t".join((c.agent, c.version, c.name)): packed(c) for c in counts}
        self.set_states(SESSIONS, documents)

    def end_import(self, names: Sequence[str], counts: Sequence[SessionCount]) -> None:
        """Add the sessions of imported traces, which are counted separately from those of a monitor, and forget what
        these imports had noted, in one transaction.
        """
        s = tables.watch_states.c
        with self.writing() as connection:
            rows = connection.execute(select(s.name, s.content).where(s.kind == IMPORTED))
            known = {row.name: unpacked(bytes(row.content), SessionCount) for row in rows}
            documents = {}
            for count in counts:
                name = "\t".join((count.agent, count.version, count.name))
                documents[name] = packed(_more_sessions(count, known.get(name)))
            put_states(connection, IMPORTED, documents)
            connection.execute(delete(tables.watch_states).where(s.kind == IMPORTING, s.name.in_(names)))

    def session_counts(self) -> list[SessionCount]:
        """Sessions by agent, version and check."""
        found: dict[str, SessionCount] = {}
        for kind in (SESSIONS, IMPORTED):
            for name, content in self.states(kind).items():
                found[name] = _more_sessions(unpacked(content, SessionCount), found.get(name))
        return list(found.values())

    def redaction_key(self) -> bytes:
        """The key for redaction placeholders; created when first needed, never shown."""
        import secrets

        found = self.state("key", "redaction")
        if found is None:
            self.set_states("key", {"redaction": secrets.token_bytes(32)})
            found = self.state("key", "redaction")
        assert found is not None
        return found

    def add_alarm(self, agent: str, name: str, version: str, content: dict[str, Any]) -> StoredAlarm:
        """Store a latched alarm."""
        values = {"agent": agent, "name": name, "version": version}
        at = self.now()
        with self.writing() as connection:
            statement = insert(tables.alarms).values(
                **values, raised_at=at, acknowledged_at=None, content=packed(content)
            )
            key = connection.execute(statement.returning(tables.alarms.c.key)).scalar_one()
        return StoredAlarm(int(key), agent, name, version, at, None, content)

    def alarms(self, *, latched: bool = False, limit: int = 100) -> list[StoredAlarm]:
        """Alarms, the newest first; with `latched`, only unacknowledged ones."""
        a = tables.alarms.c
        query = select(tables.alarms).order_by(a.raised_at.desc(), a.key.desc()).limit(limit)
        if latched:
            query = query.where(a.acknowledged_at.is_(None))
        with self.reading() as connection:
            rows = connection.execute(query).all()
        return [_alarm(row) for row in rows]

    def acknowledge(self, key: int) -> StoredAlarm:
        """Unlatch an alarm."""
        a = tables.alarms.c
        with self.writing() as connection:
            found = connection.execute(
                update(tables.alarms).where(a.key == key).values(acknowledged_at=self.now()).returning(a.key)
            ).first()
        if found is None:
            raise InputError("", f"no alarm {key}", "see `rightcall monitor status`")
        return next(alarm for alarm in self.alarms(limit=10**6) if alarm.key == key)


def put_states(connection: Connection, kind: str, documents: dict[str, bytes]) -> None:
    """Write documents in a transaction that is open."""
    statement = text(
        "INSERT INTO watch_states (kind, name, content) VALUES (:kind, :name, :content) "
        "ON CONFLICT (kind, name) DO UPDATE SET content = excluded.content"
    )
    for name, content in documents.items():
        connection.execute(statement, {"kind": kind, "name": held(name), "content": content})


def _more_sessions(count: SessionCount, other: SessionCount | None) -> SessionCount:
    if other is None:
        return count
    total, bad = count.sessions + other.sessions, count.bad + other.bad
    return SessionCount(count.agent, count.version, count.name, total, bad)


def _alarm(row: Row[Any]) -> StoredAlarm:
    content = unpacked(row.content, dict[str, Any])
    return StoredAlarm(row.key, row.agent, row.name, row.version, row.raised_at, row.acknowledged_at, content)
