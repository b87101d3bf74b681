"""No call and no answer, where a call is expected."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from rightcall.model.trajectory import Trajectory
from rightcall.run.rehearsal.edits import with_calls
from rightcall.wings.audit.mutant import Change
from rightcall.wings.audit.scene import Scene


def mutate(scene: Scene, good: Trajectory) -> Iterator[Change]:
    if good.calls and any(call.required and call.min for call in scene.expectations()):
        idle = msgspec.structs.replace(with_calls(good, ()), output="")
        yield Change(idle, True, "missed", before=len(good.calls), after=0)
