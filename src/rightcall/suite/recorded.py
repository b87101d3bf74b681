"""Recorded behaviour, scored: goldens + trajectories → results, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from rightcall.datasets import pair
from rightcall.errors import InputError
from rightcall.metrics import Metric, Rules, measure_all, result_of
from rightcall.metrics.conversation import as_one_golden
from rightcall.metrics.matching.judge import DEFAULT_RULES
from rightcall.model.case import TestCase
from rightcall.model.golden import AnyGolden, Golden
from rightcall.model.run import CaseResult
from rightcall.model.tool import Tool
from rightcall.model.trajectory import Trajectory
from rightcall.suite.conversations import conversation_result
from rightcall.tools import offered_tools


def score_recorded(
    goldens: Path,
    trajectories: Path,
    *,
    tools: Iterable[Tool] = (),
    rules: Rules = DEFAULT_RULES,
    metrics: Sequence[Metric] = (),
    partial: bool = False,
    left_out: Callable[[int], None] | None = None,
) -> Iterator[CaseResult]:
    """The result of each recorded trial, as it is read: memory does not grow with the number of cases.

    Metrics beside the dimensions are measured too, whether they are `def` or `async def`. Conversations are scored
    turn by turn and as a whole. With `partial`, `left_out` is told how many goldens have no trajectory.
    """
    toolset = {tool.name: tool for tool in tools}
    pairs = pair(goldens, trajectories, partial=partial, left_out=left_out)
    if not metrics:
        for golden, trial, trajectory in pairs:
            yield _scored(goldens, golden, trial, trajectory, offered_tools(golden, toolset), rules)
        return
    import asyncio  # only metrics that were asked for may be async

    with asyncio.Runner() as loop:
        for golden, trial, trajectory in pairs:
            offered = offered_tools(golden, toolset)
            result = _scored(goldens, golden, trial, trajectory, offered, rules)
            as_one = golden if isinstance(golden, Golden) else as_one_golden(golden)
            more = loop.run(measure_all(metrics, TestCase(as_one, trajectory, dict(offered))))
            yield msgspec.structs.replace(result, metrics={**result.metrics, **more})


def _scored(
    file: Path,
    golden: AnyGolden,
    trial: int,
    trajectory: Trajectory,
    offered: Mapping[str, Tool],
    rules: Rules,
) -> CaseResult:
    try:
        if isinstance(golden, Golden):
            return result_of(golden, trial, trajectory, offered, rules=rules)
        return conversation_result(golden, trial, trajectory, offered, rules=rules)
    except InputError as error:  # judging knows the golden, not where it was read
        raise InputError(f"{file}: {error.where}", error.problem, error.hint) from None
