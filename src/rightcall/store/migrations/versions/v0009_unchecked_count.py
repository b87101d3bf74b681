"""How many results of a run are unchecked: their goldens state no check."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.add_column("runs", sa.Column("unchecked", sa.BigInteger, nullable=False, server_default="0"))
