"""A baseline file of what a store has, as `run --save-baseline` writes it."""

from __future__ import annotations

from pathlib import Path

from rightcall.run.baseline_file import write_baseline
from rightcall.run.baseline_pool import find_baseline
from rightcall.store.address import open_store


def save_baseline(path: str, name: str = "branch:main", suite: str = "shop") -> None:
    """Write the baseline of this name."""
    with open_store(None) as store:
        write_baseline(find_baseline(store, name, suite), Path(path))
