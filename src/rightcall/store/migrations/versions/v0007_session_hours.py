"""Sessions of the current hour, one row each."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from rightcall.store.sql.record_bytes import Words

revision = "0007"
down_revision = "0006"

Number = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    op.create_table(
        "session_hours",
        sa.Column("key", Number, primary_key=True),
        sa.Column("agent", Words, nullable=False),
        sa.Column("version", Words, nullable=False),
        sa.Column("session", Words, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )
    op.create_index("session_hours_by_session", "session_hours", ["agent", "version", "session"], unique=True)
    op.create_index("session_hours_by_agent", "session_hours", ["agent", "key"])
