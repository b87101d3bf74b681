"""The suite's code on its way to the machines of a cluster: what travels and what stays."""

from __future__ import annotations

import os
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from rightcall.core.errors import ConfigError

LEFT_OUT = (
    ".env*", ".git", ".rightcall", ".venv", "venv", "__pycache__", "node_modules", ".pytest_cache", ".mypy_cache",
    "*.gguf", "*.db", "*.db-wal", "*.db-shm", "*.sqlite", "*.cassette.jsonl",
)  # fmt: skip
"""Secrets, stores, models and what can be made again. Matched against every part of a path."""

MOST_BYTES = 200 * 2**20
"""Ray refuses 512 MiB; long before that every new node waits for it."""


def shipment(folder: Path, dataset: Path | None = None) -> dict[str, Any]:
    """Ray's runtime environment for a suite: its folder without secrets, stores, models and the dataset.

    Goldens are sent in leases, and no environment variables are sent.
    """
    folder = folder.resolve()
    left_out = [*LEFT_OUT, *([_within(folder, dataset)] if dataset else [])]
    sizes = dict(_sizes(folder, left_out))
    if sum(sizes.values()) > MOST_BYTES:
        largest = sorted(sizes.items(), key=lambda item: -item[1])[:3]
        shown = ", ".join(f"{name} ({size / 2**20:,.0f} MB)" for name, size in largest)
        raise ConfigError(
            f"{folder} is sent to every node and contains {sum(sizes.values()) / 2**20:,.0f} MB, more than "
            f"{MOST_BYTES // 2**20} MB; the largest files are {shown}: move them out, or build them into the image"
        )
    return {"working_dir": str(folder), "excludes": [name for name in left_out if name]}


def _within(folder: Path, dataset: Path) -> str:
    """The dataset as a pattern from the folder's root; empty when it lies elsewhere."""
    path = dataset.resolve()
    return f"/{path.relative_to(folder).as_posix()}" if path.is_relative_to(folder) else ""


def _sizes(folder: Path, left_out: list[str]) -> Iterator[tuple[str, int]]:
    for place, folders, files in os.walk(folder):
        here = Path(place)
        folders[:] = [name for name in folders if not _matches(name, left_out)]
        for name in files:
            path = here / name
            inside = path.relative_to(folder).as_posix()
            if not _matches(name, left_out) and f"/{inside}" not in left_out and path.is_file():
                yield inside, path.stat().st_size


def _matches(name: str, left_out: list[str]) -> bool:
    return any(fnmatch(name, pattern) for pattern in left_out)
