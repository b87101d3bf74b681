"""The current schema; `migrations/` contains its history.

The list of runs reads `runs` alone: every batch of results adds to the counters in its run's row, and a
finished run carries its summary. A run's page reads a slice of `results` by one of its two indices; a case's
page reads one key. All scores of a result are in its row (`packed_scores`), because one row per score made up two
thirds of the bytes; `failed_metrics` names those that did not pass, to be searched for. `failed_metrics`, `codes`
and `trajectories` belong to `results.id` and are written and deleted with it in one transaction by one function each,
so they carry no foreign keys: checking them would cost more than writing them.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Double,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    Table,
    UniqueConstraint,
)

from rightcall.store.sql.record_bytes import Words

FAILED, PASSED, ERROR, UNCHECKED = 0, 1, 2, 3
"""`results.outcome`."""

RowNumber = BigInteger().with_variant(Integer, "sqlite")
"""SQLite assigns numbers automatically only to a column declared INTEGER."""

metadata = MetaData()

about = Table(
    "about",
    metadata,
    Column("name", Words, primary_key=True),
    Column("value", Words, nullable=False),
)

runs = Table(
    "runs",
    metadata,
    Column("key", RowNumber, primary_key=True),
    Column("id", Words, nullable=False, unique=True),
    Column("name", Words, nullable=False),
    Column("group_name", Words, nullable=False),
    Column("agent", Words, nullable=False),
    Column("trials", BigInteger, nullable=False),
    Column("seed", Words, nullable=False),
    Column("started_at", Words, nullable=False),
    Column("finished_at", Words),
    Column("updated_at", Words, nullable=False),
    Column("verdict", Words, nullable=False),
    Column("planned", BigInteger, nullable=False),
    Column("results", BigInteger, nullable=False),
    Column("passed", BigInteger, nullable=False),
    Column("errors", BigInteger, nullable=False),
    Column("input_tokens", BigInteger, nullable=False),
    Column("output_tokens", BigInteger, nullable=False),
    Column("cost_usd", Double),
    Column("fingerprints", LargeBinary, nullable=False),
    Column("versions", LargeBinary, nullable=False),
    Column("settings", LargeBinary, nullable=False),
    Column("summary", LargeBinary),
    Column("epoch", BigInteger, nullable=False, server_default="1"),
    Column("golden_set", BigInteger),
    Column("unchecked", BigInteger, nullable=False, server_default="0"),
    Index("runs_by_time", "started_at", "key"),
    Index("runs_by_name", "name", "started_at", "key"),
    Index("runs_by_group", "group_name", "started_at", "key"),
    Index("runs_by_golden_set", "golden_set"),
)

documents = Table(
    "documents",
    metadata,
    Column("kind", Words, primary_key=True),
    Column("fingerprint", Words, primary_key=True),
    Column("content", LargeBinary, nullable=False),
)

goldens = Table(
    "goldens",
    metadata,
    Column("fingerprint", Words, primary_key=True),
    Column("input", Words, nullable=False),
    Column("content", LargeBinary, nullable=False),
)

golden_sets = Table(
    "golden_sets",
    metadata,
    Column("key", RowNumber, primary_key=True),
    Column("fingerprint", Words),
    Index("golden_sets_by_fingerprint", "fingerprint"),
)
"""The goldens of runs: once for all runs of the same ones. A set gets its fingerprint when it is complete."""

cases = Table(
    "cases",
    metadata,
    Column("set_key", BigInteger, primary_key=True),
    Column("golden_id", Words, primary_key=True),
    Column("fingerprint", Words, nullable=False),
    Index("cases_by_golden", "fingerprint"),
    sqlite_with_rowid=False,
)

metrics = Table(
    "metrics",
    metadata,
    Column("key", RowNumber, primary_key=True),
    Column("name", Words, nullable=False, unique=True),
)

results = Table(
    "results",
    metadata,
    Column("id", RowNumber, primary_key=True),
    Column("run_key", BigInteger, nullable=False),
    Column("golden_id", Words, nullable=False),
    Column("trial", BigInteger, nullable=False),
    Column("outcome", SmallInteger, nullable=False),
    Column("passed", Boolean, nullable=False),
    Column("score", Double),
    Column("category", Words, nullable=False),
    Column("error", Words, nullable=False),
    Column("latency_ms", Double),
    Column("input_tokens", BigInteger, nullable=False),
    Column("output_tokens", BigInteger, nullable=False),
    Column("cost_usd", Double),
    Column("scores", LargeBinary),
    Column("first_request", Words),
    UniqueConstraint("run_key", "golden_id", "trial", name="results_once"),
    Index("results_by_outcome", "run_key", "outcome", "golden_id", "trial"),
)

failed_metrics = Table(
    "failed_metrics",
    metadata,
    Column("result_id", BigInteger, primary_key=True),
    Column("metric_key", BigInteger, primary_key=True),
    sqlite_with_rowid=False,
)

codes = Table(
    "codes",
    metadata,
    Column("result_id", BigInteger, primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("run_key", BigInteger, nullable=False),
    Column("code", Words, nullable=False),
    Column("tool", Words, nullable=False),
    Column("parameter", Words, nullable=False),
    Column("evidence", LargeBinary, nullable=False),
    Index("codes_by_run", "run_key", "code"),
    sqlite_with_rowid=False,
)

trajectories = Table(
    "trajectories",
    metadata,
    Column("result_id", RowNumber, primary_key=True, autoincrement=False),
    Column("content", LargeBinary, nullable=False),
)

run_tags = Table(
    "run_tags",
    metadata,
    Column("run_key", BigInteger, primary_key=True),
    Column("tag", Words, primary_key=True),
    Index("run_tags_by_tag", "tag", "run_key"),
    sqlite_with_rowid=False,
)

case_tags = Table(
    "case_tags",
    metadata,
    Column("run_key", BigInteger, primary_key=True),
    Column("golden_id", Words, primary_key=True),
    Column("tag", Words, primary_key=True),
    sqlite_with_rowid=False,
)

notes = Table(
    "notes",
    metadata,
    Column("key", RowNumber, primary_key=True),
    Column("run_key", BigInteger, nullable=False),
    Column("golden_id", Words, nullable=False),
    Column("text", Words, nullable=False),
    Column("author", Words, nullable=False),
    Column("created_at", Words, nullable=False),
    Index("notes_by_case", "run_key", "golden_id"),
)

datasets = Table(
    "datasets",
    metadata,
    Column("key", RowNumber, primary_key=True),
    Column("alias", Words, nullable=False),
    Column("version", BigInteger, nullable=False),
    Column("finalized", Boolean, nullable=False),
    Column("author", Words, nullable=False),
    Column("created_at", Words, nullable=False),
    Column("goldens", BigInteger, nullable=False),
    Column("fingerprint", Words, nullable=False),
    UniqueConstraint("alias", "version", name="datasets_once"),
)

dataset_items = Table(
    "dataset_items",
    metadata,
    Column("dataset_key", BigInteger, primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("golden_id", Words, nullable=False),
    Column("fingerprint", Words, nullable=False),
    Index("dataset_items_by_golden", "fingerprint"),
    sqlite_with_rowid=False,
)

received = Table(
    "received",
    metadata,
    Column("key", RowNumber, primary_key=True),
    Column("trace_id", Words, nullable=False),
    Column("received_at", Words, nullable=False),
    Column("content", LargeBinary, nullable=False),
    Index("received_by_trace", "trace_id", "key"),
)
"""Spans as received, until their trace is closed: written before they are acknowledged."""

traces = Table(
    "traces",
    metadata,
    Column("key", RowNumber, primary_key=True),
    Column("trace_id", Words, nullable=False, unique=True),
    Column("agent", Words, nullable=False),
    Column("version", Words, nullable=False),
    Column("session", Words, nullable=False),
    Column("started_at", Words, nullable=False),
    Column("input", Words, nullable=False),
    Column("calls", BigInteger, nullable=False),
    Column("latency_ms", Double),
    Column("tokens", BigInteger, nullable=False),
    Column("failed", Boolean, nullable=False),
    Column("review", Words, nullable=False),
    Column("seen", BigInteger, nullable=False),
    Column("signature", Words, nullable=False),
    Column("checks", LargeBinary, nullable=False),
    Column("content", LargeBinary, nullable=False),
    Index("traces_by_time", "started_at", "key"),
    Index("traces_by_agent", "agent", "started_at", "key"),
    Index("traces_by_outcome", "failed", "started_at", "key"),
    Index("traces_by_review", "review", "failed", "started_at", "key"),
    Index("traces_by_signature", "signature"),
)

check_counts = Table(
    "check_counts",
    metadata,
    Column("agent", Words, primary_key=True),
    Column("version", Words, primary_key=True),
    Column("name", Words, primary_key=True),
    Column("day", Words, primary_key=True),
    Column("seen", BigInteger, nullable=False),
    Column("bad", Double, nullable=False),
    Column("weight", Double, nullable=False),
    Column("weighted_bad", Double, nullable=False),
    sqlite_with_rowid=False,
)
"""Check results, one row per day: pages read these instead of a million traces."""

watch_states = Table(
    "watch_states",
    metadata,
    Column("kind", Words, primary_key=True),
    Column("name", Words, primary_key=True),
    Column("content", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)
"""Detectors and baselines, each a document under its name."""

session_hours = Table(
    "session_hours",
    metadata,
    Column("key", RowNumber, primary_key=True),
    Column("agent", Words, nullable=False),
    Column("version", Words, nullable=False),
    Column("session", Words, nullable=False),
    Column("content", LargeBinary, nullable=False),
    Index("session_hours_by_session", "agent", "version", "session", unique=True),
    Index("session_hours_by_agent", "agent", "key"),
)
"""Sessions of an agent's current hour, with what checks found in them: each becomes one value when the hour ends."""

alarms = Table(
    "alarms",
    metadata,
    Column("key", RowNumber, primary_key=True),
    Column("agent", Words, nullable=False),
    Column("name", Words, nullable=False),
    Column("version", Words, nullable=False),
    Column("raised_at", Words, nullable=False),
    Column("acknowledged_at", Words),
    Column("content", LargeBinary, nullable=False),
    Index("alarms_by_time", "raised_at", "key"),
)


def without_answer() -> ColumnElement[bool]:
    """The SQL condition for results that ended in an error, checked or not."""
    unchecked = (results.c.outcome == UNCHECKED) & (results.c.error != "")
    return (results.c.outcome == ERROR) | unchecked
