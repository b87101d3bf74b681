"""Goldens that name a model: each model is opened once, when the first of its goldens is performed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol

from rightcall.model.golden import Golden
from rightcall.model.trajectory import Trajectory


class Performs(Protocol):
    async def perform(self, golden: Golden, trial: int) -> Trajectory: ...


class PerModel:
    """Gives a golden to the agent's model, or to the one the golden names."""

    def __init__(self, default: Performs, opened: Callable[[str], Awaitable[Performs]]) -> None:
        self._default, self._opened = default, opened
        self._ready: dict[str, Performs] = {}
        self._opening = asyncio.Lock()

    async def perform(self, golden: Golden, trial: int) -> Trajectory:
        if golden.model is None:
            return await self._default.perform(golden, trial)
        if golden.model not in self._ready:
            async with self._opening:
                if golden.model not in self._ready:
                    self._ready[golden.model] = await self._opened(golden.model)
        return await self._ready[golden.model].perform(golden, trial)


def full_name(model: str, of_agent: object) -> str:
    """`provider:model` of a golden's model; a bare name is a model of the agent's provider."""
    if ":" in model or not isinstance(of_agent, str):
        return model
    return f"{of_agent.partition(':')[0]}:{model}"
