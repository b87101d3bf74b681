"""How tool definitions changed between runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from rightcall.model import Tool
from rightcall.model.record import Record
from rightcall.store import StoredRun


class ToolChange(Record, frozen=True):
    """Names of the tools that were added, removed or changed; all empty when the definitions were not stored."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()


def tool_change(before: Mapping[str, Tool], after: Mapping[str, Tool]) -> ToolChange:
    """Compare two sets of definitions by name."""
    return ToolChange(
        added=tuple(sorted(after.keys() - before.keys())),
        removed=tuple(sorted(before.keys() - after.keys())),
        changed=tuple(sorted(name for name in before.keys() & after.keys() if before[name] != after[name])),
    )


def changed_at(oldest_first: Sequence[StoredRun]) -> dict[str, StoredRun]:
    """Ids of the runs whose tools differ from the previous run's, each with that run."""
    found = {}
    for before, after in pairwise(oldest_first):
        old, new = before.run.fingerprints.get("tools"), after.run.fingerprints.get("tools")
        if old and new and old != new:
            found[after.id] = before
    return found
