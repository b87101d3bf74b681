"""A run as a CSV file: one line per trial."""

from __future__ import annotations

import csv
import io
from typing import IO

from rightcall.store.sql.store import Store


def write_csv(store: Store, run: str, out: IO[bytes]) -> None:
    text = io.TextIOWrapper(out, "utf-8", newline="")
    rows = csv.writer(text)
    rows.writerow(("golden_id", "trial", "passed"))
    for result in store.runs.results(run, trajectories=False):
        rows.writerow((result.golden_id, result.trial, result.passed))
    text.flush()
    text.detach()
