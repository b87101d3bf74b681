"""The schema; a change raises `schema.VERSION`.

The list of runs reads `runs` alone: every batch of results adds to the counters in its run's row, and a
finished run carries its summary. A run's page reads a slice of `results` by one of its two indices; a case's
page reads one key. All scores of a result are in its row (`rows`), because one row per score made up two
thirds of the bytes; `failed_metrics` names those that did not pass, to be searched for. `failed_metrics`, `codes`
and `trajectories` belong to `results.id` and are written and deleted with it in one transaction by one function each,
so they carry no foreign keys: checking them would cost more than writing them.
"""

from __future__ import annotations

from functools import partial
from typing import Any

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

RowNumber = BigInteger().with_variant(Integer, "sqlite")
"""SQLite assigns numbers automatically only to a column declared INTEGER."""


def columns(
    kind: Any, *names: str, key: bool = False, null: bool = False, **options: Any
) -> list[Column[Any]]:
    """Columns that are never NULL unless `null`; with `key`, they are the primary key or parts of it."""
    return [Column(name, kind, primary_key=key, nullable=null, **options) for name in names]


texts = partial(columns, Words)
numbers = partial(columns, BigInteger)
places = partial(columns, Integer)
reals = partial(columns, Double)
flags = partial(columns, Boolean)
blobs = partial(columns, LargeBinary)
row_numbers = partial(columns, RowNumber, key=True)


FAILED = 0
PASSED = 1
ERROR = 2
UNCHECKED = 3
"""`results.outcome`."""

metadata = MetaData()

about = Table("about", metadata, *texts("name", key=True), *texts("value"))

runs = Table(
    "runs",
    metadata,
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
    *numbers("epoch", server_default="1"),
    *numbers("golden_set", null=True),
    *numbers("unchecked", server_default="0"),
    Index("runs_by_time", "started_at", "key"),
    Index("runs_by_name", "name", "started_at", "key"),
    Index("runs_by_group", "group_name", "started_at", "key"),
    Index("runs_by_golden_set", "golden_set"),
)

documents = Table("documents", metadata, *texts("kind", "fingerprint", key=True), *blobs("content"))

goldens = Table("goldens", metadata, *texts("fingerprint", key=True), *texts("input"), *blobs("content"))

golden_sets = Table(
    "golden_sets",
    metadata,
    *row_numbers("key"),
    *texts("fingerprint", null=True),
    Index("golden_sets_by_fingerprint", "fingerprint"),
)
"""The goldens of runs: once for all runs of the same ones. A set gets its fingerprint when it is complete."""

cases = Table(
    "cases",
    metadata,
    *numbers("set_key", key=True),
    *texts("golden_id", key=True),
    *texts("fingerprint"),
    Index("cases_by_golden", "fingerprint"),
    sqlite_with_rowid=False,
)

metrics = Table("metrics", metadata, *row_numbers("key"), *texts("name", unique=True))

results = Table(
    "results",
    metadata,
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
    *blobs("scores", null=True),
    *texts("first_request", null=True),
    *blobs("pairs", null=True),
    UniqueConstraint("run_key", "golden_id", "trial", name="results_once"),
    Index("results_by_outcome", "run_key", "outcome", "golden_id", "trial"),
)

failed_metrics = Table(
    "failed_metrics", metadata, *numbers("result_id", "metric_key", key=True), sqlite_with_rowid=False
)

codes = Table(
    "codes",
    metadata,
    *numbers("result_id", key=True),
    *places("position", key=True),
    *numbers("run_key"),
    *texts("code", "tool", "parameter"),
    *blobs("evidence"),
    Index("codes_by_run", "run_key", "code"),
    sqlite_with_rowid=False,
)

trajectories = Table(
    "trajectories", metadata, *row_numbers("result_id", autoincrement=False), *blobs("content")
)

run_tags = Table(
    "run_tags",
    metadata,
    *numbers("run_key", key=True),
    *texts("tag", key=True),
    Index("run_tags_by_tag", "tag", "run_key"),
    sqlite_with_rowid=False,
)

datasets = Table(
    "datasets",
    metadata,
    *row_numbers("key"),
    *texts("alias"),
    *numbers("version"),
    *flags("finalized"),
    *texts("author", "created_at"),
    *numbers("goldens"),
    *texts("fingerprint"),
    UniqueConstraint("alias", "version", name="datasets_once"),
)

dataset_items = Table(
    "dataset_items",
    metadata,
    *numbers("dataset_key", key=True),
    *places("position", key=True),
    *texts("golden_id", "fingerprint"),
    Index("dataset_items_by_golden", "fingerprint"),
    sqlite_with_rowid=False,
)

received = Table(
    "received",
    metadata,
    *row_numbers("key"),
    *texts("trace_id", "received_at"),
    *blobs("content"),
    Index("received_by_trace", "trace_id", "key"),
)
"""Spans as received, until their trace is closed: written before they are acknowledged."""

traces = Table(
    "traces",
    metadata,
    *row_numbers("key"),
    *texts("trace_id", unique=True),
    *texts("agent", "version", "session", "started_at", "input"),
    *numbers("calls"),
    *reals("latency_ms", null=True),
    *numbers("tokens"),
    *flags("failed"),
    *texts("review"),
    *numbers("seen"),
    *texts("signature"),
    *blobs("checks", "content"),
    Index("traces_by_time", "started_at", "key"),
    Index("traces_by_agent", "agent", "started_at", "key"),
    Index("traces_by_outcome", "failed", "started_at", "key"),
    Index("traces_by_review", "review", "failed", "started_at", "key"),
    Index("traces_by_signature", "signature"),
)

check_counts = Table(
    "check_counts",
    metadata,
    *texts("agent", "version", "name", "day", key=True),
    *numbers("seen"),
    *reals("bad"),
    sqlite_with_rowid=False,
)
"""Check results, one row per day: pages read these instead of a million traces."""

watch_states = Table(
    "watch_states", metadata, *texts("kind", "name", key=True), *blobs("content"), sqlite_with_rowid=False
)
"""Detectors and baselines, each a document under its name."""

alarms = Table(
    "alarms",
    metadata,
    *row_numbers("key"),
    *texts("agent", "name", "version", "raised_at"),
    *texts("acknowledged_at", null=True),
    *blobs("content"),
    Index("alarms_by_time", "raised_at", "key"),
)


def without_answer() -> ColumnElement[bool]:
    """The SQL condition for results that ended in an error, checked or not."""
    unchecked = (results.c.outcome == UNCHECKED) & (results.c.error != "")
    return (results.c.outcome == ERROR) | unchecked
