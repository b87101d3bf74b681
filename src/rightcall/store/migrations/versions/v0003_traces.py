"""Traces of production: spans as received, traces, check results, detectors, alarms."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from rightcall.store.sql.record_bytes import Words

revision = "0003"
down_revision = "0002"

Number = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    _traces()
    _watch()


def _traces() -> None:
    op.create_table(
        "received",
        sa.Column("key", Number, primary_key=True),
        sa.Column("trace_id", Words, nullable=False),
        sa.Column("received_at", Words, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )
    op.create_index("received_by_trace", "received", ["trace_id", "key"])
    op.create_table(
        "traces",
        sa.Column("key", Number, primary_key=True),
        sa.Column("trace_id", Words, nullable=False, unique=True),
        sa.Column("agent", Words, nullable=False),
        sa.Column("version", Words, nullable=False),
        sa.Column("session", Words, nullable=False),
        sa.Column("started_at", Words, nullable=False),
        sa.Column("input", Words, nullable=False),
        sa.Column("calls", sa.BigInteger, nullable=False),
        sa.Column("latency_ms", sa.Double),
        sa.Column("tokens", sa.BigInteger, nullable=False),
        sa.Column("failed", sa.Boolean, nullable=False),
        sa.Column("review", Words, nullable=False),
        sa.Column("seen", sa.BigInteger, nullable=False),
        sa.Column("signature", Words, nullable=False),
        sa.Column("checks", sa.LargeBinary, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )
    op.create_index("traces_by_time", "traces", ["started_at", "key"])
    op.create_index("traces_by_agent", "traces", ["agent", "started_at", "key"])
    op.create_index("traces_by_outcome", "traces", ["failed", "started_at", "key"])
    op.create_index("traces_by_review", "traces", ["review", "failed", "started_at", "key"])
    op.create_index("traces_by_signature", "traces", ["signature"])
    if op.get_bind().dialect.name == "postgresql":  # already compressed
        op.execute("ALTER TABLE traces ALTER COLUMN content SET STORAGE EXTERNAL")
        op.execute("ALTER TABLE received ALTER COLUMN content SET STORAGE EXTERNAL")


def _watch() -> None:
    op.create_table(
        "check_counts",
        sa.Column("agent", Words, primary_key=True),
        sa.Column("version", Words, primary_key=True),
        sa.Column("name", Words, primary_key=True),
        sa.Column("day", Words, primary_key=True),
        sa.Column("seen", sa.BigInteger, nullable=False),
        sa.Column("bad", sa.Double, nullable=False),
        sa.Column("weight", sa.Double, nullable=False),
        sa.Column("weighted_bad", sa.Double, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "watch_states",
        sa.Column("kind", Words, primary_key=True),
        sa.Column("name", Words, primary_key=True),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "alarms",
        sa.Column("key", Number, primary_key=True),
        sa.Column("agent", Words, nullable=False),
        sa.Column("name", Words, nullable=False),
        sa.Column("version", Words, nullable=False),
        sa.Column("raised_at", Words, nullable=False),
        sa.Column("acknowledged_at", Words),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )
    op.create_index("alarms_by_time", "alarms", ["raised_at", "key"])
