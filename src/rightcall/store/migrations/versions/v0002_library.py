"""Tags, notes and versions of datasets."""

from __future__ import annotations

from alembic import op
from sqlalchemy import UniqueConstraint

from rightcall.store.sql.columns import flags, numbers, places, row_numbers, texts

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "run_tags", *numbers("run_key", key=True), *texts("tag", key=True), sqlite_with_rowid=False
    )
    op.create_index("run_tags_by_tag", "run_tags", ["tag", "run_key"])
    op.create_table(
        "case_tags",
        *numbers("run_key", key=True),
        *texts("golden_id", "tag", key=True),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "notes",
        *row_numbers("key"),
        *numbers("run_key"),
        *texts("golden_id", "text", "author", "created_at"),
    )
    op.create_index("notes_by_case", "notes", ["run_key", "golden_id"])
    op.create_table(
        "datasets",
        *row_numbers("key"),
        *texts("alias"),
        *numbers("version"),
        *flags("finalized"),
        *texts("author", "created_at"),
        *numbers("goldens"),
        *texts("fingerprint"),
        UniqueConstraint("alias", "version", name="datasets_once"),
    )
    op.create_table(
        "dataset_items",
        *numbers("dataset_key", key=True),
        *places("position", key=True),
        *texts("golden_id", "fingerprint"),
        sqlite_with_rowid=False,
    )
    op.create_index("dataset_items_by_golden", "dataset_items", ["fingerprint"])
