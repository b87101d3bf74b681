"""Two groups of different cases side by side."""

from __future__ import annotations

import math

from rightcall.stats.intervals import Interval


def difference_of_groups(
    first: float, first_interval: Interval, second: float, second_interval: Interval
) -> Interval:
    """The interval of p₁ − p₂ from the interval of each, which may be made in any way.

    L = D − √((p₁−l₁)² + (u₂−p₂)²), U = D + √((u₁−p₁)² + (p₂−l₂)²). With Wilson's intervals it is method 10 of Newcombe
    (1998); in general, the square-and-add method of Zou and Donner (2008).
    """
    (low_1, high_1), (low_2, high_2) = first_interval, second_interval
    apart = first - second
    low = apart - math.hypot(first - low_1, high_2 - second)
    high = apart + math.hypot(high_1 - first, second - low_2)
    return Interval(low, high)
