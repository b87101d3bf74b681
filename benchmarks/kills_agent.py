"""`rightcall` with agents and scripted models that take some milliseconds to answer; for `kills`."""

from __future__ import annotations

import asyncio
import os
from functools import cache
from typing import Any

from benchmarks.planted import planted
from benchmarks.planted_suites.domains import HELD_OUT
from benchmarks.planted_suites.provider import ReadingModel
from benchmarks.planted_suites.suites import PlantedSuite

SECONDS = 0.004


@cache
def planted_suite() -> PlantedSuite:
    """A suite whose tools have a defect that `improve` can repair."""
    return planted(HELD_OUT[0], ["unit"], "improve", 20)[0]


class SlowReader(ReadingModel):
    """Reads definitions, and takes its time."""

    def __init__(self) -> None:
        super().__init__(planted_suite())

    async def complete(self, request: Any) -> Any:
        await asyncio.sleep(SECONDS)
        return await super().complete(request)


def __getattr__(name: str) -> Any:
    if name == "reader":
        return SlowReader()
    raise AttributeError(name)


def main() -> None:
    from rightcall.cli.main import main as rightcall
    from rightcall.providers.scripted import ScriptedProvider

    complete = ScriptedProvider.complete

    async def slow(self: ScriptedProvider, request: Any) -> Any:
        await asyncio.sleep(SECONDS)
        return await complete(self, request)

    ScriptedProvider.complete = slow  # type: ignore[method-assign]
    os.environ.pop("GITHUB_ACTIONS", None)
    rightcall()


if __name__ == "__main__":
    main()
