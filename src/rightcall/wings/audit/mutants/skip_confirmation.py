"""A call that needs consent made without asking."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from rightcall.model.trajectory import Trajectory
from rightcall.run.rehearsal.edits import with_call
from rightcall.wings.audit.mutant import Change
from rightcall.wings.audit.scene import Scene

BEYOND_CALLS = True


def mutate(scene: Scene, good: Trajectory) -> Iterator[Change]:
    if not scene.golden.confirm:
        return
    for at, call in enumerate(good.calls):
        if call.name in scene.golden.confirm and call.approval is not None and call.approval.granted:
            hasty = with_call(good, at, msgspec.structs.replace(call, approval=None, status="ok"))
            seen = msgspec.structs.replace(hasty, approvals_seen=True)
            yield Change(seen, True, "wrong_effect", at, before="asked", after="not asked")
