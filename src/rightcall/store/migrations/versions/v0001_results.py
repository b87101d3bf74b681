"""Runs with their results, goldens and documents."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from rightcall.store.sql.record_bytes import Words

revision = "0001"
down_revision = None

Number = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    _runs()
    _goldens()
    _results()
    _details()


def _runs() -> None:
    op.create_table(
        "about",
        sa.Column("name", Words, primary_key=True),
        sa.Column("value", Words, nullable=False),
    )
    op.create_table(
        "runs",
        sa.Column("key", Number, primary_key=True),
        sa.Column("id", Words, nullable=False, unique=True),
        sa.Column("name", Words, nullable=False),
        sa.Column("group_name", Words, nullable=False),
        sa.Column("agent", Words, nullable=False),
        sa.Column("trials", sa.BigInteger, nullable=False),
        sa.Column("seed", Words, nullable=False),
        sa.Column("started_at", Words, nullable=False),
        sa.Column("finished_at", Words),
        sa.Column("updated_at", Words, nullable=False),
        sa.Column("verdict", Words, nullable=False),
        sa.Column("planned", sa.BigInteger, nullable=False),
        sa.Column("results", sa.BigInteger, nullable=False),
        sa.Column("passed", sa.BigInteger, nullable=False),
        sa.Column("errors", sa.BigInteger, nullable=False),
        sa.Column("input_tokens", sa.BigInteger, nullable=False),
        sa.Column("output_tokens", sa.BigInteger, nullable=False),
        sa.Column("cost_usd", sa.Double),
        sa.Column("fingerprints", sa.LargeBinary, nullable=False),
        sa.Column("versions", sa.LargeBinary, nullable=False),
        sa.Column("settings", sa.LargeBinary, nullable=False),
        sa.Column("summary", sa.LargeBinary),
    )
    op.create_index("runs_by_time", "runs", ["started_at", "key"])
    op.create_index("runs_by_name", "runs", ["name", "started_at", "key"])
    op.create_index("runs_by_group", "runs", ["group_name", "started_at", "key"])


def _goldens() -> None:
    op.create_table(
        "documents",
        sa.Column("kind", Words, primary_key=True),
        sa.Column("fingerprint", Words, primary_key=True),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "goldens",
        sa.Column("fingerprint", Words, primary_key=True),
        sa.Column("input", Words, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "cases",
        sa.Column("run_key", sa.BigInteger, primary_key=True),
        sa.Column("golden_id", Words, primary_key=True),
        sa.Column("fingerprint", Words, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_index("cases_by_golden", "cases", ["fingerprint"])


def _results() -> None:
    op.create_table(
        "metrics",
        sa.Column("key", Number, primary_key=True),
        sa.Column("name", Words, nullable=False, unique=True),
    )
    op.create_table(
        "results",
        sa.Column("id", Number, primary_key=True),
        sa.Column("run_key", sa.BigInteger, nullable=False),
        sa.Column("golden_id", Words, nullable=False),
        sa.Column("trial", sa.BigInteger, nullable=False),
        sa.Column("outcome", sa.SmallInteger, nullable=False),
        sa.Column("passed", sa.Boolean, nullable=False),
        sa.Column("score", sa.Double),
        sa.Column("category", Words, nullable=False),
        sa.Column("error", Words, nullable=False),
        sa.Column("latency_ms", sa.Double),
        sa.Column("input_tokens", sa.BigInteger, nullable=False),
        sa.Column("output_tokens", sa.BigInteger, nullable=False),
        sa.Column("cost_usd", sa.Double),
        sa.UniqueConstraint("run_key", "golden_id", "trial", name="results_once"),
    )
    op.create_index("results_by_outcome", "results", ["run_key", "outcome", "golden_id", "trial"])


def _details() -> None:
    op.create_table(
        "scores",
        sa.Column("result_id", sa.BigInteger, primary_key=True),
        sa.Column("position", sa.Integer, primary_key=True),
        sa.Column("metric_key", sa.BigInteger, nullable=False),
        sa.Column("value", sa.Double),
        sa.Column("passed", sa.Boolean, nullable=False),
        sa.Column("reason", Words, nullable=False),
        sa.Column("error", Words, nullable=False),
        sa.Column("codes", sa.LargeBinary),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "codes",
        sa.Column("result_id", sa.BigInteger, primary_key=True),
        sa.Column("position", sa.Integer, primary_key=True),
        sa.Column("run_key", sa.BigInteger, nullable=False),
        sa.Column("code", Words, nullable=False),
        sa.Column("tool", Words, nullable=False),
        sa.Column("parameter", Words, nullable=False),
        sa.Column("evidence", sa.LargeBinary, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_index("codes_by_run", "codes", ["run_key", "code"])
    op.create_table(
        "trajectories",
        sa.Column("result_id", Number, primary_key=True, autoincrement=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )
    if op.get_bind().dialect.name == "postgresql":  # already compressed
        op.execute("ALTER TABLE trajectories ALTER COLUMN content SET STORAGE EXTERNAL")
