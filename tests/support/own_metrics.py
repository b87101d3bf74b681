"""Metrics of a user's own, as plain functions that do what a golden's metadata says."""

from __future__ import annotations

import asyncio

from rightcall.records import Failure, Score, TestCase


async def moody(case: TestCase) -> object:
    """Passes, fails, breaks, hangs or talks nonsense, as the golden wishes."""
    match case.golden.metadata.get("mood", "good"):
        case "good":
            return True
        case "bad":
            return False
        case "half":
            return 0.5
        case "harmful":
            return Score(0.0, False, "paid twice", (Failure("double_effect", tool="pay"),))
        case "raises":
            raise KeyError("tone")
        case "leaves":
            raise SystemExit(0)
        case "hangs":
            await asyncio.sleep(3600)
        case "nonsense":
            return {"score": 1}
        case "too_much":
            return 7.0
        case "nan":
            return float("nan")
        case "unknown_code":
            return Score(0.0, False, "", (Failure("made_up"),))  # type: ignore[arg-type]
    return None


MOODS = {
    "good": "passed",
    "bad": "failed",
    "half": "failed",
    "harmful": "failed",
    "raises": "error",
    "leaves": "error",
    "hangs": "error",
    "nonsense": "error",
    "too_much": "error",
    "nan": "error",
    "unknown_code": "error",
    "silent": "error",
}
"""The result of a case that is otherwise right."""


def two_thirds(case: TestCase) -> float:
    """A grade of 0.667 for every case."""
    return 2 / 3


class TwoThirds:
    """A metric as written for DeepEval: it keeps its last score, and passes by its own threshold."""

    def __init__(self, threshold: float = 0.5) -> None:
        self.threshold = threshold

    def measure(self, test_case: TestCase) -> float:
        self.score = 2 / 3
        self.success = self.score >= self.threshold
        return self.score

    async def a_measure(self, test_case: TestCase) -> float:
        return self.measure(test_case)

    def is_successful(self) -> bool:
        return self.success

    @property
    def __name__(self) -> str:
        return "Two Thirds"
