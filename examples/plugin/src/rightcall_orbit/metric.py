"""A metric that passes short answers."""

from __future__ import annotations

from dataclasses import dataclass

import rightcall as rc


@dataclass(frozen=True)
class Brevity(rc.Metric):
    """Whether the answer has at most `limit` words."""

    limit: int = 50

    def measure(self, case: rc.TestCase) -> rc.Score:
        words = len(case.trajectory.output.split())
        return rc.Score.passed_if(words <= self.limit, f"{words} words, limit {self.limit}")
