"""The tools of a stored run, whose hints say which mistakes are dangerous."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rightcall.core.codec import decode
from rightcall.core.errors import RightCallError
from rightcall.model.tool import Tool

if TYPE_CHECKING:
    from rightcall.store.base import StoredRun
    from rightcall.store.sql.store import Store


def tools_of(store: Store, run: StoredRun) -> dict[str, Tool]:
    """The tool definitions a run was made with, by name; empty when they were not stored."""
    fingerprint = run.run.fingerprints.get("tools", "")
    content = store.runs.document("tools", fingerprint) if fingerprint else None
    try:
        tools = decode(content, list[Tool], f"tools of run {run.id}") if content else []
    except RightCallError:
        tools = []  # written by something else; the rest of a run is still worth showing
    return {tool.name: tool for tool in tools}
