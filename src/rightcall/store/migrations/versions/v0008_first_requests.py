"""The digest of the first request of each trial of an agent that is code."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from rightcall.store.sql.record_bytes import Words

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.add_column("results", sa.Column("first_request", Words))
