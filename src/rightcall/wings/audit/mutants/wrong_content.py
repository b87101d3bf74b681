"""A number in the answer changed; surely wrong when it came from a result."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from rightcall.model.trajectory import Trajectory
from rightcall.run.rehearsal.grounds import numbers_in, results_before
from rightcall.wings.audit.mutant import Change
from rightcall.wings.audit.scene import Scene

_DIGITS = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w]|\.\d)")


def mutate(scene: Scene, good: Trajectory) -> Iterator[Change]:
    results = numbers_in(results_before(good.calls, len(good.calls)))
    numbers_asked = numbers_in(scene.words)
    for number in _DIGITS.finditer(good.output[:20_000]):
        value = float(number[0])
        if value not in results:
            continue
        other = str(int(number[0]) + 1) if number[0].isdigit() else f"{value + 1:g}"
        text = good.output[: number.start()] + other + good.output[number.end() :]
        changed = msgspec.structs.replace(good, output=text)
        yield Change(changed, value not in numbers_asked, "answer", before=number[0], after=other)
