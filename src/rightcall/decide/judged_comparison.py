"""A comparison in which judges have a say: their difference is observed, and only labelled pairs decide anything."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from rightcall.core.text import percent, pluralize, points
from rightcall.decide.comparison import Comparison


def as_judged(comparison: Comparison, judges: Sequence[str]) -> Comparison:
    """The comparison without a claim: a judge's difference is off by what its errors differ between two agents.

    New damage was found by exact metrics, and stays.
    """
    if comparison.alarms or not comparison.n:
        return msgspec.structs.replace(comparison, judges=tuple(judges))
    names = " and ".join(judges)
    sentence = (
        f"judged, not corrected: by {names} {percent(comparison.rate_a)} → {percent(comparison.rate_b)} over "
        f"{pluralize(comparison.n, 'golden')}, observed difference {points(comparison.difference)}; a judge's errors "
        "differ between agents, so that it shows neither better nor worse: compare exact metrics, or label both runs"
    )
    return msgspec.structs.replace(comparison, change="INCONCLUSIVE", sentence=sentence, judges=tuple(judges))
