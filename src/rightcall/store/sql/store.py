"""The `Store` class and its parts."""

from __future__ import annotations

from rightcall.core.codec import decode
from rightcall.core.errors import RightCallError
from rightcall.records import Tool
from rightcall.store.base import StoredRun
from rightcall.store.sql.core import Core
from rightcall.store.sql.datasets import Datasets
from rightcall.store.sql.runs import Runs
from rightcall.store.sql.traces import Traces


class Store(Core):
    """Runs, datasets and traces, in SQLite or PostgreSQL. Created by `open_store`.

    Where a method takes a run, pass an id, a unique prefix of one, or `last`.
    """

    @property
    def runs(self) -> Runs:
        """Runs with their results and tags."""
        return Runs(self)

    @property
    def datasets(self) -> Datasets:
        """Versions of datasets."""
        return Datasets(self)

    @property
    def traces(self) -> Traces:
        """Traces of production, and what a monitor counts of them."""
        return Traces(self)

    def tools_of(self, run: StoredRun) -> dict[str, Tool]:
        """The tool definitions a run was made with, by name; empty when they were not stored."""
        fingerprint = run.run.fingerprints.get("tools", "")
        content = self.runs.document("tools", fingerprint) if fingerprint else None
        try:
            tools = decode(content, list[Tool], f"tools of run {run.id}") if content else []
        except RightCallError:
            tools = []  # written by something else; the rest of a run is still worth showing
        return {tool.name: tool for tool in tools}
