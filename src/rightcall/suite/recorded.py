"""Recorded behaviour, scored: goldens + trajectories → results, one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from rightcall.datasets import pair
from rightcall.metrics import Metric, Rules, measure_all, result_of
from rightcall.metrics.conversation import as_one_golden
from rightcall.metrics.matching.judge import DEFAULT_RULES
from rightcall.model.case import TestCase
from rightcall.model.golden import Golden
from rightcall.model.run import CaseResult
from rightcall.model.tool import Tool
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
) -> Iterator[CaseResult]:
    """The result of each recorded trial, as it is read: memory does not grow with the number of cases.

    Metrics beside the dimensions are measured too, whether they are `def` or `async def`. Conversations are scored
    turn by turn and as a whole.
    """
    toolset = {tool.name: tool for tool in tools}
    pairs = pair(goldens, trajectories, partial=partial)
    if not metrics:
        for golden, trial, trajectory in pairs:
            offered = offered_tools(golden, toolset)
            if isinstance(golden, Golden):
                yield result_of(golden, trial, trajectory, offered, rules=rules)
            else:
                yield conversation_result(golden, trial, trajectory, offered, rules=rules)
        return
    import asyncio  # only metrics that were asked for may be async

    with asyncio.Runner() as loop:
        for golden, trial, trajectory in pairs:
            offered = offered_tools(golden, toolset)
            if isinstance(golden, Golden):
                result = result_of(golden, trial, trajectory, offered, rules=rules)
                case = TestCase(golden, trajectory, dict(offered))
            else:
                result = conversation_result(golden, trial, trajectory, offered, rules=rules)
                case = TestCase(as_one_golden(golden), trajectory, dict(offered))
            more = loop.run(measure_all(metrics, case))
            yield msgspec.structs.replace(result, metrics={**result.metrics, **more})
