"""Traces of production: spans as received, traces, check results, detectors, alarms."""

from __future__ import annotations

from alembic import op

from rightcall.store.sql.columns import blobs, flags, numbers, reals, row_numbers, texts

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table("received", *row_numbers("key"), *texts("trace_id", "received_at"), *blobs("content"))
    op.create_index("received_by_trace", "received", ["trace_id", "key"])
    op.create_table(
        "traces",
        *row_numbers("key"),
        *texts("trace_id", unique=True),
        *texts("agent", "version", "session", "started_at", "input"),
        *numbers("calls"),
        *reals("latency_ms", null=True),
        *numbers("tokens"),
        *flags("failed"),
        *texts("review"),
        *numbers("seen"),
        *texts("signature"),
        *blobs("checks", "content"),
    )
    op.create_index("traces_by_time", "traces", ["started_at", "key"])
    op.create_index("traces_by_agent", "traces", ["agent", "started_at", "key"])
    op.create_index("traces_by_outcome", "traces", ["failed", "started_at", "key"])
    op.create_index("traces_by_review", "traces", ["review", "failed", "started_at", "key"])
    op.create_index("traces_by_signature", "traces", ["signature"])
    if op.get_bind().dialect.name == "postgresql":  # already compressed
        op.execute("ALTER TABLE traces ALTER COLUMN content SET STORAGE EXTERNAL")
        op.execute("ALTER TABLE received ALTER COLUMN content SET STORAGE EXTERNAL")
    op.create_table(
        "check_counts",
        *texts("agent", "version", "name", "day", key=True),
        *numbers("seen"),
        *reals("bad", "weight", "weighted_bad"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "watch_states", *texts("kind", "name", key=True), *blobs("content"), sqlite_with_rowid=False
    )
    op.create_table(
        "alarms",
        *row_numbers("key"),
        *texts("agent", "name", "version", "raised_at"),
        *texts("acknowledged_at", null=True),
        *blobs("content"),
    )
    op.create_index("alarms_by_time", "alarms", ["raised_at", "key"])
