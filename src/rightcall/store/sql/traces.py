"""Production in the store: spans as received, traces and their check results by day; and the state of monitoring:
documents by kind and name, sessions, the redaction key, and alarms."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace
from sqlalchemy import Connection, Row, delete, func, insert, select, text, tuple_, update

from rightcall.core.errors import InputError
from rightcall.store.base import (
    CheckCount,
    KeptTrace,
    SessionCount,
    StoredAlarm,
    TraceCheck,
    TraceFilter,
    TraceRow,
)
from rightcall.store.sql import tables
from rightcall.store.sql.core import StorePart, portions, select_in, stream_rows
from rightcall.store.sql.record_bytes import (
    column_bytes,
    compress_record,
    decode_record,
    decompress_record,
    encode_record,
    escape_text,
)

SESSIONS = "sessions"
PAGE = 50
EVERYTHING = TraceFilter()
LONGEST_INPUT = 300
NO_ROW = TraceRow("", "", "", "", started_at="", input="", calls=0, latency_ms=None, tokens=0, failed=False)
ROW = [column for column in tables.traces.c if column.name not in ("content", "signature", "key")]


class Traces(StorePart):
    """The part of the store for production traces and their monitor: `store.traces`."""

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
        self.set_states(SESSIONS, {"\t".join((c.agent, c.version, c.name)): encode_record(c) for c in counts})

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

    def add_spans(self, batches: Iterable[tuple[str, bytes]]) -> None:
        """Store spans as received, under the id of their trace, in one transaction."""
        now = self._store.now()
        rows = [{"trace_id": t, "received_at": now, "content": c} for t, c in batches]
        if rows:
            with self._store.write_transaction() as connection:
                connection.execute(insert(tables.received), rows)

    def arrival_times(self) -> list[tuple[str, str, str]]:
        """Traces whose spans are stored, with the arrival times of the first and the latest span."""
        r = tables.received.c
        query = select(r.trace_id, func.min(r.received_at), func.max(r.received_at)).group_by(r.trace_id)
        with self._store.read_transaction() as connection:
            return [(row[0], row[1], row[2]) for row in connection.execute(query)]

    def spans_of(self, trace_ids: Sequence[str]) -> dict[str, list[bytes]]:
        """All stored spans of these traces, in order of arrival."""
        r = tables.received.c
        spans_by_trace: dict[str, list[bytes]] = {}
        query = select(r.trace_id, r.content).order_by(r.key)
        with self._store.read_transaction() as connection:
            for trace_id, content in select_in(connection, query, r.trace_id, trace_ids):
                spans_by_trace.setdefault(trace_id, []).append(column_bytes(content))
        return spans_by_trace

    def arrivals_before(self, moment: str, limit: int = 5_000) -> list[str]:
        """Traces whose spans arrived before a time, among the oldest stored ones."""
        r = tables.received.c
        oldest = select(r.trace_id, r.received_at).order_by(r.key).limit(limit)
        with self._store.read_transaction() as connection:
            # By their number: SQLite would hold what it sorts in memory.
            return list(dict.fromkeys(t for t, at in connection.execute(oldest) if at < moment))

    def drop_spans(self, trace_ids: Sequence[str]) -> None:
        r = tables.received.c
        with self._store.write_transaction() as connection:
            for some in portions(trace_ids):
                connection.execute(delete(tables.received).where(r.trace_id.in_(some)))

    def ids_in_store(self, trace_ids: Sequence[str]) -> set[str]:
        with self._store.read_transaction() as connection:
            return set(_rows_by_id(connection, list(trace_ids)))

    def keep(self, traces: Sequence[KeptTrace]) -> int:
        """Store traces; an existing one is replaced and counted once. Returns how many were new."""
        latest = {kept.row.trace_id: kept for kept in traces}
        with self._store.write_transaction() as connection:
            before = _rows_by_id(connection, list(latest))
            counts: dict[tuple[str, str, str, str], list[float]] = {}
            for trace_id, old in before.items():
                # A review decision and the count survive a new score.
                held_on = {"seen": old.seen} | ({"review": old.review} if old.review else {})
                statement = update(tables.traces).where(tables.traces.c.key == old.key)
                connection.execute(statement.values(_values(latest[trace_id]) | held_on))
                _count(counts, old, decode_record(old.checks, tuple[TraceCheck, ...]), -1)
            fresh = [_values(kept) for trace_id, kept in latest.items() if trace_id not in before]
            _queue_once(connection, fresh)
            if fresh:
                connection.execute(insert(tables.traces), fresh)
            for kept in latest.values():
                _count(counts, kept.row, kept.row.checks, 1)
            _add_counts(connection, counts)
        return len(fresh)

    def page(self, which: TraceFilter = EVERYTHING, *, limit: int = PAGE) -> list[TraceRow]:
        """Traces, the newest first."""
        t = tables.traces.c
        newest = select(*ROW).order_by(t.started_at.desc(), t.key.desc()).limit(limit)
        with self._store.read_transaction() as connection:
            return [_row(row) for row in connection.execute(newest.where(*_conditions(which)))]

    def each(self, which: TraceFilter = EVERYTHING) -> Iterator[TraceRow]:
        """Every such trace, the oldest first, a page at a time."""
        t = tables.traces.c
        query = select(*ROW, t.key).where(*_conditions(which)).order_by(t.started_at, t.key).limit(1000)

        def page(connection: Connection, last: Any) -> Sequence[Any]:
            later = [] if last is None else [tuple_(t.started_at, t.key) > tuple_(last.started_at, last.key)]
            return connection.execute(query.where(*later)).all()

        return map(_row, stream_rows(self._store, page, 1000))

    def get(self, trace_id: str) -> KeptTrace:
        """One trace by its id, or a unique prefix of it."""
        t = tables.traces.c
        with self._store.read_transaction() as connection:
            rows = connection.execute(select(tables.traces).where(t.trace_id == trace_id)).all()
            if not rows and len(trace_id) >= 4:
                near = t.trace_id.startswith(trace_id, autoescape=True)
                rows = connection.execute(select(tables.traces).where(near).limit(2)).all()
        if len(rows) != 1:
            problem = (
                f"no trace matches '{trace_id}'" if not rows else f"several traces start with '{trace_id}'"
            )
            raise InputError("", problem, "see `rightcall traces list`")
        kept = decompress_record(rows[0].content, KeptTrace)
        return replace(kept, row=_row(rows[0]), signature=rows[0].signature)

    def set_review(self, trace_id: str, review: str) -> None:
        """Set the review state of a trace: `queued`, `kept`, `dropped`, or empty."""
        t = tables.traces.c
        with self._store.write_transaction() as connection:
            connection.execute(update(tables.traces).where(t.trace_id == trace_id).values(review=review))

    def counts(self) -> list[tuple[str, str, int, int]]:
        """Agent, version, traces and failed ones, from the counts of the check `any`."""
        c = tables.check_counts.c
        query = select(c.agent, c.version, func.sum(c.seen), func.sum(c.bad)).where(c.name == "any")
        with self._store.read_transaction() as connection:
            rows = connection.execute(query.group_by(c.agent, c.version).order_by(c.agent, c.version)).all()
        return [(row[0], row[1], int(row[2]), round(row[3])) for row in rows]

    def check_counts(self) -> list[CheckCount]:
        """Check results, one row per day."""
        c = tables.check_counts.c
        query = select(tables.check_counts).order_by(c.agent, c.name, c.version, c.day)
        with self._store.read_transaction() as connection:
            return [CheckCount(*row) for row in connection.execute(query)]

    def forget(self, before: str, *, failed: bool | None = None) -> int:
        """Delete traces that started before a time; counts, alarms and traces in review stay."""
        t = tables.traces.c
        where = [t.started_at < before, t.review == ""] + ([t.failed == failed] if failed is not None else [])
        with self._store.write_transaction() as connection:
            return int(connection.execute(delete(tables.traces).where(*where)).rowcount)


def _rows_by_id(connection: Connection, ids: Sequence[str]) -> dict[str, Row[Any]]:
    t = tables.traces.c
    columns = (t.key, t.trace_id, t.agent, t.version, t.started_at, t.review, t.seen, t.checks)
    return {row.trace_id: row for row in select_in(connection, select(*columns), t.trace_id, ids)}


def _values(kept: KeptTrace) -> dict[str, Any]:
    values = {
        "input": kept.row.input[:LONGEST_INPUT],
        "seen": 1,
        "signature": kept.signature,
        "checks": encode_record(kept.row.checks),
        "content": compress_record(replace(kept, row=NO_ROW, signature="")),
    }
    return msgspec.structs.asdict(kept.row) | values


def _queue_once(connection: Connection, fresh: list[dict[str, Any]]) -> None:
    """Behaviour that is already queued or reviewed is counted there instead of queued again."""
    t = tables.traces.c
    queued = [values for values in fresh if values["review"] == "queued" and values["signature"]]
    signatures = sorted({values["signature"] for values in queued})
    reviewed = select(t.signature, t.key).where(t.review != "")
    rows = select_in(connection, reviewed, t.signature, signatures)
    keys_by_signature: dict[str, int] = {row.signature: row.key for row in rows}
    again: Counter[int] = Counter()
    first: dict[str, dict[str, Any]] = {}
    for values in queued:
        signature = values["signature"]
        if signature in keys_by_signature:
            again[keys_by_signature[signature]] += 1
            values["review"] = ""
        elif signature in first:
            first[signature]["seen"] += 1
            values["review"] = ""
        else:
            first[signature] = values
    for key, count in again.items():
        connection.execute(update(tables.traces).where(t.key == key).values(seen=t.seen + count))


def _count(
    counts: dict[tuple[str, str, str, str], list[float]],
    row: TraceRow | Row[Any],
    checks: Sequence[TraceCheck],
    sign: int,
) -> None:
    """Add a trace's check results to the counts of its day, or subtract them."""
    failed = any(check.bad for check in checks)
    spoke = [*(check for check in checks if check.bad is not None), TraceCheck("any", float(failed))]
    for check in spoke:
        total = counts.setdefault((row.agent, row.version, check.name, row.started_at[:10]), [0.0, 0.0])
        total[0] += sign
        total[1] += sign * (check.bad or 0.0)


def _add_counts(connection: Connection, counts: dict[tuple[str, str, str, str], list[float]]) -> None:
    statement = text(
        "INSERT INTO check_counts (agent, version, name, day, seen, bad) "
        "VALUES (:agent, :version, :name, :day, :seen, :bad) "
        "ON CONFLICT (agent, version, name, day) DO UPDATE SET seen = check_counts.seen + excluded.seen, "
        "bad = check_counts.bad + excluded.bad"
    )
    rows = [  # in a fixed order, so that two writers do not deadlock
        dict(
            zip(("agent", "version", "name", "day"), map(escape_text, place), strict=True),
            seen=int(n),
            bad=bad,
        )
        for place, (n, bad) in sorted(counts.items())
    ]
    if rows:
        connection.execute(statement, rows)


def _conditions(which: TraceFilter) -> list[Any]:
    t = tables.traces.c
    exact = {t.agent: which.agent or None, t.failed: which.failed, t.review: which.review}
    criteria: list[Any] = [column == value for column, value in exact.items() if value is not None]
    if which.since:
        criteria.append(t.started_at >= which.since)
    if which.until:
        criteria.append(t.started_at < which.until)
    return criteria


def _row(row: Any) -> TraceRow:
    fields = {name: getattr(row, name) for name in TraceRow.__struct_fields__}
    return TraceRow(**fields | {"checks": decode_record(row.checks, tuple[TraceCheck, ...])})
