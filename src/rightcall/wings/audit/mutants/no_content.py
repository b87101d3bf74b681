"""The answer replaced by "Done."; surely wrong when the golden says what the answer must contain."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from rightcall.model.golden import Golden
from rightcall.model.trajectory import Trajectory
from rightcall.wings.audit.mutant import Change
from rightcall.wings.audit.scene import Scene


def mutate(scene: Scene, good: Trajectory) -> Iterator[Change]:
    if good.output and good.output != "Done.":
        stated = isinstance(scene.golden, Golden) and scene.golden.expected_output is not None
        sure = bool(scene.golden.output_contains) or (scene.needs_content and stated)
        changed = _answer(good, "Done.")
        yield Change(changed, sure, "answer", before=good.output, after="Done.")


def _answer(good: Trajectory, text: str) -> Trajectory:
    """Every answer of the agent: what a conversation must contain may have been said in any of them."""
    messages = [
        msgspec.structs.replace(message, content=text)
        if message.role == "assistant" and message.content and place >= good.own_start
        else message
        for place, message in enumerate(good.messages)
    ]
    return msgspec.structs.replace(good, output=text, messages=tuple(messages))
