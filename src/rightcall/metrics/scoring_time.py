"""The time limit of scoring: a case that is slow to score must not delay the others."""

from __future__ import annotations

from collections.abc import Callable

from rightcall.model.run import CaseResult
from rightcall.model.trajectory import Trajectory

MANY_CALLS = 500
"""Number of calls from which scoring takes tenths of a second and runs in a thread."""

LEAST = 1.0
"""Seconds that scoring always gets, even if the case used all its time."""


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
        why = f"scoring {len(trajectory.calls):,} calls took longer than the remaining {seconds:g} seconds"
        return judge(Trajectory(stop_reason="infra_error", error=why))
