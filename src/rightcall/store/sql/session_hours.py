"""Sessions of the current hour of each agent, until they are counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import bindparam, delete, insert, select, update

from rightcall.store.sql import tables
from rightcall.store.sql.core import StorePart, portions
from rightcall.store.sql.record_bytes import decode_record, encode_record, whole
from rightcall.store.watch import SessionHour

Values = dict[str, list[float]]


class OpenSessions(StorePart):
    """Sessions that may still get more traces."""

    __slots__ = ()

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
                open_sessions: dict[str, tuple[int, Values]] = {}
                for some in portions(list(sessions)):
                    query = select(s.session, s.key, s.content).where(
                        s.agent == agent, s.version == version, s.session.in_(some)
                    )
                    open_sessions |= {
                        r[0]: (r[1], decode_record(r[2], Values)) for r in connection.execute(query)
                    }
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
        """Agents whose current hour has sessions."""
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
