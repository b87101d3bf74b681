"""A conversation with one more turn that repeats the last effect."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from rightcall.model.message import Message
from rightcall.model.trajectory import Trajectory
from rightcall.run.rehearsal.edits import with_calls
from rightcall.wings.audit.mutant import Change
from rightcall.wings.audit.scene import Scene


def mutate(scene: Scene, good: Trajectory) -> Iterator[Change]:
    if good.dialogue is None or not good.messages:
        return
    at = next((at for at in reversed(range(len(good.calls))) if scene.effectful(good.calls[at].name)), None)
    if at is None:
        return
    step = sum(message.role == "assistant" for message in good.messages)
    again = msgspec.structs.replace(good.calls[at], step=step)
    longer = msgspec.structs.replace(
        good, messages=(*good.messages, Message("user", "Thank you."), Message("assistant", good.output))
    )
    sure = scene.toolset.repeats_effect(again.name)
    yield Change(with_calls(longer, [*good.calls, again]), sure, "double_effect", at, before=1, after=2)
