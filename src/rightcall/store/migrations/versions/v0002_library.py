"""Tags, notes and versions of datasets."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from rightcall.store.sql.record_bytes import Words

revision = "0002"
down_revision = "0001"

Number = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    _annotations()
    _datasets()


def _annotations() -> None:
    op.create_table(
        "run_tags",
        sa.Column("run_key", sa.BigInteger, primary_key=True),
        sa.Column("tag", Words, primary_key=True),
        sqlite_with_rowid=False,
    )
    op.create_index("run_tags_by_tag", "run_tags", ["tag", "run_key"])
    op.create_table(
        "case_tags",
        sa.Column("run_key", sa.BigInteger, primary_key=True),
        sa.Column("golden_id", Words, primary_key=True),
        sa.Column("tag", Words, primary_key=True),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "notes",
        sa.Column("key", Number, primary_key=True),
        sa.Column("run_key", sa.BigInteger, nullable=False),
        sa.Column("golden_id", Words, nullable=False),
        sa.Column("text", Words, nullable=False),
        sa.Column("author", Words, nullable=False),
        sa.Column("created_at", Words, nullable=False),
    )
    op.create_index("notes_by_case", "notes", ["run_key", "golden_id"])


def _datasets() -> None:
    op.create_table(
        "datasets",
        sa.Column("key", Number, primary_key=True),
        sa.Column("alias", Words, nullable=False),
        sa.Column("version", sa.BigInteger, nullable=False),
        sa.Column("finalized", sa.Boolean, nullable=False),
        sa.Column("author", Words, nullable=False),
        sa.Column("created_at", Words, nullable=False),
        sa.Column("goldens", sa.BigInteger, nullable=False),
        sa.Column("fingerprint", Words, nullable=False),
        sa.UniqueConstraint("alias", "version", name="datasets_once"),
    )
    op.create_table(
        "dataset_items",
        sa.Column("dataset_key", sa.BigInteger, primary_key=True),
        sa.Column("position", sa.Integer, primary_key=True),
        sa.Column("golden_id", Words, nullable=False),
        sa.Column("fingerprint", Words, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_index("dataset_items_by_golden", "dataset_items", ["fingerprint"])
