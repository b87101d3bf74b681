"""The epoch of a run's writer: each process that takes the run over gets the next one."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.add_column("runs", sa.Column("epoch", sa.BigInteger, nullable=False, server_default="1"))
