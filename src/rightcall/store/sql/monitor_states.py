"""The state of monitoring in the store: documents by kind and name, sessions, the redaction key, and alarms."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import bindparam, delete, insert, select, text, update

from rightcall.core.errors import InputError
from rightcall.store.sql import tables
from rightcall.store.sql.core import StorePart, select_in
from rightcall.store.sql.record_bytes import column_bytes, decode_record, encode_record, escape_text, whole
from rightcall.store.watch import SessionCount, SessionHour, StoredAlarm

Values = dict[str, list[float]]

SESSIONS = "sessions"


class MonitorStates(StorePart):
    """Documents of detectors, session counts, the sessions of the current hour, and alarms."""

    __slots__ = ()

    def states(self, kind: str, *names: str) -> dict[str, bytes]:
        """Monitoring documents of a kind by name: all of them, or those of these names."""
        s = tables.watch_states.c
        query = select(s.name, s.content).where(s.kind == kind).order_by(s.name)
        with self._store.read_transaction() as connection:
            rows = connection.execute(query.where(s.name.in_(names)) if names else query)
            return {row.name: column_bytes(row.content) for row in rows}

    def set_states(self, kind: str, documents: Mapping[str, bytes | None]) -> None:
        """Write documents, in one transaction; None deletes one."""
        if not documents:
            return
        statement = text(
            "INSERT INTO watch_states (kind, name, content) VALUES (:kind, :name, :content) "
            "ON CONFLICT (kind, name) DO UPDATE SET content = excluded.content"
        )
        gone = [name for name, content in documents.items() if content is None]
        s = tables.watch_states.c
        with self._store.write_transaction() as connection:
            for name, content in documents.items():
                if content is not None:
                    values = {"kind": kind, "name": escape_text(name), "content": content}
                    connection.execute(statement, values)
            if gone:
                connection.execute(delete(tables.watch_states).where(s.kind == kind, s.name.in_(gone)))

    def count_sessions(self, counts: Sequence[SessionCount]) -> None:
        """Write how many sessions a monitor has seen, in one transaction."""
        named = {"\t".join((count.agent, count.version, count.name)): count for count in counts}
        self.set_states(SESSIONS, {name: encode_record(count) for name, count in named.items()})

    def session_counts(self) -> list[SessionCount]:
        """Sessions by agent, version and check."""
        return [decode_record(content, SessionCount) for content in self.states(SESSIONS).values()]

    def redaction_key(self) -> bytes:
        """The key for redaction placeholders; created when first needed, never shown."""
        while not (keys := self.states("key", "redaction")):
            self.set_states("key", {"redaction": secrets.token_bytes(32)})
        return keys["redaction"]

    def add_alarm(self, agent: str, name: str, version: str, content: dict[str, Any]) -> StoredAlarm:
        values = {"agent": agent, "name": name, "version": version}
        at = self._store.now()
        with self._store.write_transaction() as connection:
            statement = insert(tables.alarms).values(
                **values, raised_at=at, acknowledged_at=None, content=encode_record(content)
            )
            key = connection.execute(statement.returning(tables.alarms.c.key)).scalar_one()
        return StoredAlarm(
            int(key), agent, name, version, raised_at=at, acknowledged_at=None, content=content
        )

    def alarms(self, *, latched: bool = False, limit: int = 100) -> list[StoredAlarm]:
        """Alarms, the newest first; with `latched`, only unacknowledged ones."""
        a = tables.alarms.c
        query = select(tables.alarms).order_by(a.raised_at.desc(), a.key.desc()).limit(limit)
        if latched:
            query = query.where(a.acknowledged_at.is_(None))
        with self._store.read_transaction() as connection:
            rows = connection.execute(query).all()
        contents = [decode_record(row.content, dict[str, Any]) for row in rows]
        return [StoredAlarm(**row._asdict() | {"content": c}) for row, c in zip(rows, contents, strict=True)]

    def acknowledge(self, key: int) -> StoredAlarm:
        """Unlatch an alarm."""
        a = tables.alarms.c
        with self._store.write_transaction() as connection:
            row = connection.execute(
                update(tables.alarms)
                .where(a.key == key)
                .values(acknowledged_at=self._store.now())
                .returning(a.key)
            ).first()
        if row is None:
            raise InputError("", f"no alarm {key}", "see `rightcall monitor status`")
        return next(alarm for alarm in self.alarms(limit=10**6) if alarm.key == key)

    def add_to_sessions(self, hours: Sequence[SessionHour]) -> None:
        """Add the check results of more traces to these sessions, in one transaction."""
        s = tables.session_hours.c
        groups: dict[tuple[str, str], dict[str, Values]] = {}
        for hour in hours:
            group = groups.setdefault((whole(hour.agent), whole(hour.version)), {})
            group[whole(hour.session)] = hour.values
        if not groups:
            return
        with self._store.write_transaction() as connection:
            for (agent, version), sessions in groups.items():
                query = select(s.session, s.key, s.content).where(s.agent == agent, s.version == version)
                rows = select_in(connection, query, s.session, list(sessions))
                open_sessions = {row[0]: (row[1], decode_record(row[2], Values)) for row in rows}
                more = [
                    {
                        "row": open_sessions[name][0],
                        "held": encode_record(_sum_values(open_sessions[name][1], values)),
                    }
                    for name, values in sessions.items()
                    if name in open_sessions
                ]
                new = [
                    {"agent": agent, "version": version, "session": name, "content": encode_record(values)}
                    for name, values in sessions.items()
                    if name not in open_sessions
                ]
                if more:
                    where = update(tables.session_hours).where(s.key == bindparam("row"))
                    connection.execute(where.values(content=bindparam("held")), more)
                if new:
                    connection.execute(insert(tables.session_hours), new)

    def take_sessions(self, agent: str, limit: int = 1000) -> list[SessionHour]:
        """Remove and return the oldest sessions of an agent."""
        s = tables.session_hours.c
        first = select(s.key).where(s.agent == agent).order_by(s.key).limit(limit)
        with self._store.write_transaction() as connection:
            deletion = delete(tables.session_hours).where(s.key.in_(first.scalar_subquery()))
            rows = connection.execute(
                deletion.returning(s.key, s.agent, s.version, s.session, s.content)
            ).all()
        return [SessionHour(*row[1:4], decode_record(row[4], Values)) for row in sorted(rows)]

    def agents_with_sessions(self) -> list[str]:
        s = tables.session_hours.c
        with self._store.read_transaction() as connection:
            return list(connection.execute(select(s.agent).distinct().order_by(s.agent)).scalars())


def _sum_values(held: Mapping[str, list[float]], more: Mapping[str, list[float]]) -> Values:
    """The sums and counts combined; the time is that of the first trace."""
    sums = dict(held)
    for name, (bad, count, time) in more.items():
        before = sums.get(name, [0.0, 0.0, time])
        sums[name] = [before[0] + bad, before[1] + count, before[2]]
    return sums
