"""Sessions of the current hour, one row each."""

from __future__ import annotations

from alembic import op

from rightcall.store.sql.columns import blobs, row_numbers, texts

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    op.create_table(
        "session_hours", *row_numbers("key"), *texts("agent", "version", "session"), *blobs("content")
    )
    op.create_index("session_hours_by_session", "session_hours", ["agent", "version", "session"], unique=True)
    op.create_index("session_hours_by_agent", "session_hours", ["agent", "key"])
