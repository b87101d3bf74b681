"""A baseline by the name that commands take."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rightcall.store.address import open_store

if TYPE_CHECKING:
    from rightcall.run.baseline_file import BaselinePool


def load_pool(which: str, suite: str | None, store_url: str | Path | None) -> BaselinePool:
    """A file, branch:NAME, or a run; `suite` is needed for those in a store [default: that of the last run]."""
    from rightcall.run.baseline_file import load_baseline
    from rightcall.run.baseline_pool import find_baseline

    if Path(which).is_file():
        return load_baseline(Path(which))
    with open_store(store_url, must_exist=True) as store:
        return find_baseline(store, which, suite or store.runs.get("last").run.name)
