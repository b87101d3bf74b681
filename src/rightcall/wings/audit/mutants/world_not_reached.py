"""The calls are made, but the world is as it was: their effects never happened."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from rightcall.model.trajectory import Trajectory
from rightcall.wings.audit.mutant import Change
from rightcall.wings.audit.scene import Scene

BEYOND_CALLS = True


def mutate(scene: Scene, good: Trajectory) -> Iterator[Change]:
    if good.state is None or good.state_before is None or good.state == good.state_before:
        return
    ledger = tuple(entry for entry in good.ledger if entry.phase != "effect")
    changed = msgspec.structs.replace(good, state=good.state_before, ledger=ledger)
    yield Change(changed, True, "wrong_effect", before="changed", after="unchanged")
