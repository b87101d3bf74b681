"""Parameter accuracy with half credit: a parameter present with a wrong value counts ½.

The weighting `seed` scores arguments this way. A required parameter counts 1 when its value is right, ½ when it is
present with another one, 0 when it is missing. An `optional` parameter counts only when it is present and wrong, and a
forbidden one only when it is present; both then count 0. Unexpected parameters are ignored.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from rightcall.metrics.matching.alignment import assign_by_groups
from rightcall.metrics.matching.expectation import Slot
from rightcall.metrics.matching.matchers.values import Optional
from rightcall.model.call import ToolCall

HALF = 0.5


def half_credit(slots: Sequence[Slot], calls: Sequence[ToolCall]) -> float:
    """Weighted mean over the required expected calls; one whose tool was not called scores 0.

    Calls are paired with expectations so that the sum is greatest: the pairs of the alignment leave out a call of the
    right tool whose every value is wrong, which is worth a half here.
    """
    required = [slot for slot in slots if slot.required]
    weights = [
        [
            slot.call.weight * argument_credit(slot, call, at) if slot.fits(call.name) else 0.0
            for at, call in enumerate(calls)
        ]
        for slot in required
    ]
    whole = math.fsum(slot.call.weight for slot in required)
    worth = math.fsum(weights[row][column] for row, column in assign_by_groups(weights))
    return worth / whole if whole else 1.0


def argument_credit(slot: Slot, call: ToolCall, at: int) -> float:
    """The credit of one call of the right tool: the mean over the parameters that count, 1 when none does."""
    expected, arguments = slot.call.args, call.arguments
    if expected is None and not slot.call.forbidden_args:
        return 1.0
    if arguments is None:
        return slot.argument_score(call, at)
    credits: list[float] = [0.0 for name in slot.call.forbidden_args if name in arguments]
    for name in expected or ():
        score = slot.parameter_score(name, call, at)
        if isinstance(slot.matchers.get(name), Optional):
            if score < 1.0:
                credits.append(0.0)
        else:
            credits.append(max(score, HALF) if name in arguments else score)
    return math.fsum(credits) / len(credits) if credits else 1.0
