"""Runs with their results, goldens and documents."""

from __future__ import annotations

from alembic import op
from sqlalchemy import SmallInteger, UniqueConstraint

from rightcall.store.sql.columns import blobs, columns, flags, numbers, places, reals, row_numbers, texts

revision = "0001"
down_revision = None


def upgrade() -> None:
    _runs()
    _goldens()
    _results()
    _details()


def _runs() -> None:
    op.create_table("about", *texts("name", key=True), *texts("value"))
    op.create_table(
        "runs",
        *row_numbers("key"),
        *texts("id", unique=True),
        *texts("name", "group_name", "agent"),
        *numbers("trials"),
        *texts("seed", "started_at"),
        *texts("finished_at", null=True),
        *texts("updated_at", "verdict"),
        *numbers("planned", "results", "passed", "errors", "input_tokens", "output_tokens"),
        *reals("cost_usd", null=True),
        *blobs("fingerprints", "versions", "settings"),
        *blobs("summary", null=True),
    )
    op.create_index("runs_by_time", "runs", ["started_at", "key"])
    op.create_index("runs_by_name", "runs", ["name", "started_at", "key"])
    op.create_index("runs_by_group", "runs", ["group_name", "started_at", "key"])


def _goldens() -> None:
    op.create_table("documents", *texts("kind", "fingerprint", key=True), *blobs("content"))
    op.create_table("goldens", *texts("fingerprint", key=True), *texts("input"), *blobs("content"))
    op.create_table(
        "cases",
        *numbers("run_key", key=True),
        *texts("golden_id", key=True),
        *texts("fingerprint"),
        sqlite_with_rowid=False,
    )
    op.create_index("cases_by_golden", "cases", ["fingerprint"])


def _results() -> None:
    op.create_table("metrics", *row_numbers("key"), *texts("name", unique=True))
    op.create_table(
        "results",
        *row_numbers("id"),
        *numbers("run_key"),
        *texts("golden_id"),
        *numbers("trial"),
        *columns(SmallInteger, "outcome"),
        *flags("passed"),
        *reals("score", null=True),
        *texts("category", "error"),
        *reals("latency_ms", null=True),
        *numbers("input_tokens", "output_tokens"),
        *reals("cost_usd", null=True),
        UniqueConstraint("run_key", "golden_id", "trial", name="results_once"),
    )
    op.create_index("results_by_outcome", "results", ["run_key", "outcome", "golden_id", "trial"])


def _details() -> None:
    op.create_table(
        "scores",
        *numbers("result_id", key=True),
        *places("position", key=True),
        *numbers("metric_key"),
        *reals("value", null=True),
        *flags("passed"),
        *texts("reason", "error"),
        *blobs("codes", null=True),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "codes",
        *numbers("result_id", key=True),
        *places("position", key=True),
        *numbers("run_key"),
        *texts("code", "tool", "parameter"),
        *blobs("evidence"),
        sqlite_with_rowid=False,
    )
    op.create_index("codes_by_run", "codes", ["run_key", "code"])
    op.create_table("trajectories", *row_numbers("result_id", autoincrement=False), *blobs("content"))
    if op.get_bind().dialect.name == "postgresql":  # already compressed
        op.execute("ALTER TABLE trajectories ALTER COLUMN content SET STORAGE EXTERNAL")
