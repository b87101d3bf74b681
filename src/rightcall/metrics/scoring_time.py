"""Scoring within the time of its case: a case that takes hours to judge must not keep the others waiting."""

from __future__ import annotations

from collections.abc import Callable

from rightcall.model.run import CaseResult
from rightcall.model.trajectory import Trajectory

MANY_CALLS = 500
"""From here on judging takes tenths of a second, and is done in a thread so that other cases go on."""

LEAST = 1.0
"""Seconds that scoring always has: a case that used its time well must still be judged."""


def time_to_score(seconds: float | None, trajectory: Trajectory) -> float | None:
    """What a case that may take `seconds` has left when its trajectory is known; None without a limit."""
    if seconds is None:
        return None
    return max(LEAST, seconds - (trajectory.latency_ms or 0.0) / 1000)


async def scored_in_time(
    judge: Callable[[Trajectory], CaseResult], trajectory: Trajectory, seconds: float | None
) -> CaseResult:
    """What `judge` makes of the trajectory, or an error when that takes too long. Its work is bounded, so it ends."""
    if len(trajectory.calls) < MANY_CALLS:
        return judge(trajectory)
    import asyncio  # files are scored without it

    try:
        return await asyncio.wait_for(asyncio.to_thread(judge, trajectory), seconds)
    except TimeoutError:
        why = f"judging {len(trajectory.calls):,} calls took more than the {seconds:g} seconds that were left"
        return judge(Trajectory(stop_reason="infra_error", error=why))
