"""Recorded behaviour, scored: goldens + trajectories → results, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from rightcall.datasets import pair
from rightcall.errors import ConfigError, InputError
from rightcall.metrics import Scorer
from rightcall.model.run import CaseResult
from rightcall.model.tool import Tool

BY_GOLDENS = Scorer()
"""Nothing beside the goldens decides."""


def score_recorded(
    goldens: Path,
    trajectories: Path,
    *,
    tools: Iterable[Tool] = (),
    scorer: Scorer = BY_GOLDENS,
    partial: bool = False,
    left_out: Callable[[int], None] | None = None,
) -> Iterator[CaseResult]:
    """The result of each recorded trial, as it is read: memory does not grow with the number of cases.

    Metrics may be `def` or `async def`. With `partial`, `left_out` is told how many goldens have no trajectory.
    """
    toolset = {tool.name: tool for tool in tools}
    pairs = pair(goldens, trajectories, partial=partial, left_out=left_out)
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
    except InputError as error:  # judging knows the golden, not where it was read
        if error.where.startswith("golden '"):
            raise InputError(f"{goldens}: {error.where}", error.problem, error.hint) from None
        raise
