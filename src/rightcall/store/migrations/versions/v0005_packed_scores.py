"""The scores of a result in one column; rows only for the metrics that did not pass."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

import msgspec
import sqlalchemy as sa
from alembic import op

from rightcall.store.sql.record_bytes import Words

revision = "0005"
down_revision = "0004"

AT_ONCE = 2_000

old = sa.table(
    "scores",
    *(sa.column(name) for name in ("result_id", "position", "metric_key", "value", "passed", "codes")),
    sa.column("reason", Words),
    sa.column("error", Words),
)


def upgrade() -> None:
    op.add_column("results", sa.Column("scores", sa.LargeBinary))
    failed = op.create_table(
        "failed_metrics",
        sa.Column("result_id", sa.BigInteger, primary_key=True),
        sa.Column("metric_key", sa.BigInteger, primary_key=True),
        sqlite_with_rowid=False,
    )
    _move(op.get_bind(), failed)
    op.drop_table("scores")


def _move(connection: sa.Connection, failed: sa.Table) -> None:
    s, last = old.c, 0
    columns = (s.result_id, s.metric_key, s.value, s.passed, s.reason, s.error, s.codes)
    query = sa.select(*columns).order_by(s.result_id, s.position)
    next_one = sa.select(sa.func.min(s.result_id))
    pack = sa.text("UPDATE results SET scores = :scores WHERE id = :number")
    while (first := connection.execute(next_one.where(s.result_id > last)).scalar()) is not None:
        last = first + AT_ONCE - 1
        rows = connection.execute(query.where(s.result_id.between(first, last))).all()
        packed = [
            {"number": number, "scores": _pack_scores(list(scores))}
            for number, scores in groupby(rows, key=itemgetter(0))
        ]
        connection.execute(pack, packed)
        not_passed = [{"result_id": row[0], "metric_key": row[1]} for row in rows if not row[3]]
        if not_passed:
            connection.execute(failed.insert(), not_passed)


def _pack_scores(scores: Sequence[Sequence[Any]]) -> bytes:
    """As the store wrote them when this migration was made."""
    places: dict[str, int] = {}
    entries: list[Any] = []
    for _, key, value, passed, reason, error, codes in scores:
        if (value, bool(passed), reason, error, codes) == (1.0, True, "", "", None):
            entries.append(key)
            continue
        reason_or_place: str | int = reason
        if reason and places.setdefault(reason, len(entries)) < len(entries):
            reason_or_place = places[reason]
        entry = [key, float("nan") if value is None else value, bool(passed), reason_or_place]
        if error or codes:
            entry += [error, None if codes is None else bytes(codes)]
        entries.append(entry)
    return msgspec.msgpack.encode(entries)
