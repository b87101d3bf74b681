"""A user-defined agent: any callable from a golden to what it did."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Callable
from typing import Any

import msgspec

from rightcall.errors import InfrastructureError, InputError
from rightcall.executor.agent_output import as_trajectory
from rightcall.executor.lag import LagMeter
from rightcall.executor.limits import Limits
from rightcall.model.golden import AnyGolden
from rightcall.model.nesting_limit import bounded_trajectory
from rightcall.model.trajectory import Trajectory


class UserAgent:
    """Runs `function(golden)`, in a thread when it is not async.

    `as_trajectory` says what it may return. An exception is a failure of the agent, not of the run; an unreadable
    return value is a broken setup, unless an earlier one could be read.
    """

    def __init__(self, function: Callable[[Any], Any], limits: Limits, lag: LagMeter | None = None) -> None:
        self._function, self._limits, self._lag = function, limits, lag or LagMeter()
        self._understood = False

    async def perform(self, golden: AnyGolden, trial: int) -> Trajectory:
        started, before = time.perf_counter(), self._lag.so_far()
        try:
            async with asyncio.timeout(self._limits.seconds) as deadline:
                made = await self._called(golden)
        except TimeoutError as error:
            if not deadline.expired():  # the agent's own, from whatever it waited for
                return Trajectory(stop_reason="agent_error", error=f"TimeoutError: {error}"[:500])
            return Trajectory(stop_reason="limit", error=f"more than {self._limits.seconds:g} seconds")
        except InfrastructureError as error:
            return Trajectory(stop_reason="infra_error", error=str(error))
        except Exception as error:
            return Trajectory(stop_reason="agent_error", error=f"{type(error).__name__}: {error}"[:500])
        try:
            trajectory = bounded_trajectory(as_trajectory(made))
        except InputError as error:
            if not self._understood:
                raise
            return Trajectory(stop_reason="agent_error", error=str(error)[:500])
        self._understood = True
        if trajectory.latency_ms is None:
            taken = round((time.perf_counter() - started) * 1000, 3)
            lag = min(taken, round((self._lag.so_far() - before) * 1000, 3))
            trajectory = msgspec.structs.replace(trajectory, latency_ms=taken, lag_ms=lag)
        return trajectory

    async def _called(self, golden: AnyGolden) -> Any:
        if inspect.iscoroutinefunction(self._function) or inspect.iscoroutinefunction(
            getattr(self._function, "__call__", None)  # noqa: B004  an object with `async def __call__`
        ):
            return await self._function(golden)
        made = await asyncio.to_thread(self._function, golden)
        return await made if inspect.isawaitable(made) else made
