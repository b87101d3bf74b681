"""A user's own agent: any callable from a golden to what it did."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from rightcall.errors import InfrastructureError, InputError
from rightcall.executor.limits import Limits
from rightcall.model.call import ToolCall
from rightcall.model.dialects import read_messages, trajectory_from_messages
from rightcall.model.golden import Golden
from rightcall.model.message import Message
from rightcall.model.trajectory import Trajectory


class UserAgent:
    """Runs `function(golden)`, in a thread when it is not async.

    It may return a `Trajectory`, a list of `ToolCall`s, a list of messages in any provider's spelling, or the
    final answer as text. What it raises is a failure of the agent, not of the run.
    """

    def __init__(self, function: Callable[[Golden], Any], limits: Limits) -> None:
        self._function, self._limits = function, limits

    async def perform(self, golden: Golden, trial: int) -> Trajectory:
        started = time.perf_counter()
        try:
            async with asyncio.timeout(self._limits.seconds) as deadline:
                made = await self._called(golden)
            trajectory = as_trajectory(made)
        except TimeoutError as error:
            if not deadline.expired():  # the agent's own, from whatever it waited for
                return Trajectory(stop_reason="agent_error", error=f"TimeoutError: {error}"[:500])
            return Trajectory(stop_reason="limit", error=f"more than {self._limits.seconds:g} seconds")
        except InfrastructureError as error:
            return Trajectory(stop_reason="infra_error", error=str(error))
        except Exception as error:
            return Trajectory(stop_reason="agent_error", error=f"{type(error).__name__}: {error}"[:500])
        if trajectory.latency_ms is None:
            taken = round((time.perf_counter() - started) * 1000, 3)
            trajectory = msgspec.structs.replace(trajectory, latency_ms=taken)
        return trajectory

    async def _called(self, golden: Golden) -> Any:
        if inspect.iscoroutinefunction(self._function) or inspect.iscoroutinefunction(
            getattr(self._function, "__call__", None)  # noqa: B004  an object with `async def __call__`
        ):
            return await self._function(golden)
        made = await asyncio.to_thread(self._function, golden)
        return await made if inspect.isawaitable(made) else made


def as_trajectory(made: Any) -> Trajectory:
    """What a user's agent returned, as a trajectory; `InputError` says what may be returned."""
    if isinstance(made, Trajectory):
        return made
    if isinstance(made, str):
        return Trajectory(output=made)
    if isinstance(made, Sequence) and all(isinstance(item, ToolCall) for item in made):
        return Trajectory(calls=tuple(made))
    if isinstance(made, Sequence) and all(isinstance(item, Message) for item in made):
        return trajectory_from_messages(tuple(made))
    if isinstance(made, Sequence) and all(isinstance(item, dict) for item in made):
        return trajectory_from_messages(read_messages(list(made), "the agent's messages"))
    raise InputError(
        "the agent",
        f"returned {type(made).__name__}",
        "return a Trajectory, a list of ToolCalls, a list of messages, or the answer as text",
    )
