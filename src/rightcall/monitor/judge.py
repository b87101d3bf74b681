"""Judged metrics of the settings, as functions of a case."""

from __future__ import annotations

from collections.abc import Callable

from rightcall.event_loop import finished
from rightcall.metrics import as_metrics, measure_one
from rightcall.model.case import TestCase
from rightcall.monitor.settings import JudgeSettings

Judge = Callable[[TestCase], float | None]


def judge_of(settings: JudgeSettings) -> Judge:
    """The metric of the settings: 1 when it fails, 0 when it passes, None when it gives no verdict."""
    (metric,) = as_metrics([settings.metric])

    def judge(case: TestCase) -> float | None:
        score = finished(measure_one(metric, case))
        return None if score.error else float(not score.passed)

    return judge
