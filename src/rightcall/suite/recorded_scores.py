"""Scores recorded trajectories: goldens + trajectories → results, one at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from rightcall.datasets import pair
from rightcall.errors import ConfigError, InputError
from rightcall.metrics import Scorer
from rightcall.model.golden import AnyGolden
from rightcall.model.run import CaseResult
from rightcall.model.tool import Tool
from rightcall.model.trajectory import Trajectory

BY_GOLDENS = Scorer()
"""The goldens alone decide."""


def score_recorded(
    goldens: Path,
    trajectories: Path,
    *,
    tools: Iterable[Tool] = (),
    scorer: Scorer = BY_GOLDENS,
    partial: bool = False,
    left_out: Callable[[int], None] | None = None,
) -> Iterator[CaseResult]:
    """The result of each recorded trial, streamed: memory does not grow with the number of cases.

    Metrics may be `def` or `async def`. With `partial`, `left_out` receives the number of goldens without a trajectory.
    """
    pairs = pair(goldens, trajectories, partial=partial, left_out=left_out)
    yield from score_pairs(pairs, goldens, tools=tools, scorer=scorer)


def score_pairs(
    pairs: Iterable[tuple[AnyGolden, int, Trajectory]],
    goldens: Path,
    *,
    tools: Iterable[Tool] = (),
    scorer: Scorer = BY_GOLDENS,
) -> Iterator[CaseResult]:
    """The result of each pair; errors name the file of the goldens."""
    toolset = {tool.name: tool for tool in tools}
    try:
        if not scorer.metrics and not scorer.observe:
            stated = scorer.stated
            for golden, trial, trajectory in pairs:
                yield stated(golden, trial, trajectory, toolset)
            return
        import asyncio  # only metrics may be async

        with asyncio.Runner() as loop:
            problems = loop.run(scorer.problems())
            if problems:
                raise ConfigError(*problems)
            for golden, trial, trajectory in pairs:
                yield loop.run(scorer.result(golden, trial, trajectory, toolset))
    except InputError as error:  # scoring knows the golden, not its location
        if error.where.startswith("golden '"):
            raise InputError(f"{goldens}: {error.where}", error.problem, error.hint) from None
        raise
