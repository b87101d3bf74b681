"""The goldens of a run as a set, which runs of the same goldens share."""

from __future__ import annotations

from alembic import op

from rightcall.store.sql.columns import numbers, row_numbers, texts

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.create_table("golden_sets", *row_numbers("key"), *texts("fingerprint", null=True))
    op.create_index("golden_sets_by_fingerprint", "golden_sets", ["fingerprint"])
    op.add_column("runs", *numbers("golden_set", null=True))
    op.create_index("runs_by_golden_set", "runs", ["golden_set"])
    # Every existing run keeps its own goldens, in a set with the run's number.
    op.execute("INSERT INTO golden_sets (key) SELECT DISTINCT run_key FROM cases")
    op.execute("UPDATE runs SET golden_set = key WHERE key IN (SELECT run_key FROM cases)")
    op.execute("ALTER TABLE cases RENAME COLUMN run_key TO set_key")
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            "SELECT setval(pg_get_serial_sequence('golden_sets', 'key'), "
            "(SELECT coalesce(max(key), 0) + 1 FROM golden_sets), false)"
        )
