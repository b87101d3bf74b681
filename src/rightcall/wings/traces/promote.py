"""From a trace to a golden: a person keeps, edits, inverts or drops it; only then may it decide anything."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from rightcall.core.errors import InputError
from rightcall.datasets.goldens import load_goldens, save_goldens
from rightcall.model.golden import AnyGolden, Golden
from rightcall.wings.traces.trace import REVIEWED, UNREVIEWED

Decision = Literal["keep", "negative", "drop", "skip"]


def is_unreviewed(golden: AnyGolden) -> bool:
    """Whether this golden's expectations are unreviewed."""
    return golden.metadata.get("review") == UNREVIEWED


def accept_golden(golden: Golden, *, by: str = "") -> Golden:
    """The golden as one that a person has accepted."""
    mark: dict[str, Any] = {"review": REVIEWED} | ({"reviewed_by": by} if by else {})
    return msgspec.structs.replace(golden, metadata=golden.metadata | mark)


def as_negative(golden: Golden, forbidden: Sequence[str]) -> Golden:
    """The same input, with these calls forbidden and no other expectations: the observed call must not recur."""
    return msgspec.structs.replace(
        golden,
        category="negative",
        expected_calls=(),
        forbidden_calls=tuple(dict.fromkeys(forbidden)),
        no_calls=not forbidden,
        extra_calls="allow" if forbidden else "forbid",
    )


def add_goldens(path: Path, goldens: Sequence[Golden]) -> int:
    """Add goldens to a file; existing ids are replaced. Returns the new number of goldens."""
    old_goldens: list[AnyGolden] = list(load_goldens(path)) if path.exists() else []
    fresh = {golden.id: golden for golden in goldens}
    kept: list[AnyGolden] = [
        fresh.pop(golden.id, golden) if golden.id in fresh else golden for golden in old_goldens
    ]
    kept += fresh.values()
    if any(not isinstance(golden, Golden) for golden in kept):
        raise InputError(str(path), "contains conversations", "add single-turn goldens to a separate file")
    save_goldens(kept, path)
    return len(kept)
