"""Which process writes a run: everybody who takes it over has the next epoch."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.add_column("runs", sa.Column("epoch", sa.BigInteger, nullable=False, server_default="1"))
