"""The axis of time in charts of runs: its labels, and where the words at a run have room."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from rightcall.show.charts import Spec

WIDTH_OF_WORDS = 0.09
"""Share of a wide plot that the words "tools changed" take."""
SHORTEST = 60_000.0
"""Milliseconds between the first and the last run below which ticks would be fractions of a second."""


def moments_of(times: Sequence[str]) -> list[float]:
    """Milliseconds since 1970 of each time; all 0 if one cannot be read."""
    try:
        return [datetime.fromisoformat(time).timestamp() * 1000 for time in times]
    except ValueError:
        return [0.0 for _ in times]


def time_axis(moments: Sequence[float], ticks: int) -> Spec:
    """An axis of `ticks` ticks; runs of one minute are labelled with the times of the first and the last."""
    if moments and any(moments) and max(moments) - min(moments) < SHORTEST:
        ends = [min(moments), max(moments)]
        return {"grid": False, "values": ends, "format": "%b %-d, %H:%M:%S", "labelFlush": True}
    return {"grid": False, "tickCount": ticks}


def sides_of_words(moments: Sequence[float], changes: Sequence[bool]) -> list[str]:
    """For each run, whether the words are written after its line or before it, near the end of the axis.

    Empty where nothing changed, and where the words would cover those of an earlier run.
    """
    first, span = min(moments, default=0.0), max(moments, default=0.0) - min(moments, default=0.0)
    sides, last = [], -1.0
    for moment, changed in zip(moments, changes, strict=True):
        share = (moment - first) / span if span else 0.0
        written = changed and share - last > WIDTH_OF_WORDS
        sides.append(("before" if share > 1 - WIDTH_OF_WORDS else "after") if written else "")
        last = share if written else last
    return sides
