"""The standard dimensions of a case, as scores, and the time that scoring may take."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from operator import attrgetter

from rightcall.metrics.base import GRADED, PERFECT
from rightcall.metrics.builtin.dimensions import STANDARD
from rightcall.metrics.matching.fast_path import flawless
from rightcall.metrics.matching.reasons import sentence
from rightcall.metrics.matching.verdict import CaseVerdict, Numbers
from rightcall.model.run import CaseResult
from rightcall.model.score import Score
from rightcall.model.trajectory import Trajectory

SPOTLESS: dict[str, Score] = dict.fromkeys(STANDARD, PERFECT)
NUMBERED = tuple(name for name in STANDARD if name != "overall")
"""Dimensions that are a number of the verdict under the same name."""
NUMBERS_OF = attrgetter(*NUMBERED)


def dimension_scores(verdict: CaseVerdict, threshold: float = 1.0) -> dict[str, Score]:
    """The score of each dimension; one shared dict for flawless cases, which are the most common.

    `threshold` is the golden's, from which grades of its calls pass.
    """
    if verdict is flawless(verdict.numbers.tp):
        return SPOTLESS
    failures = verdict.failures
    if len(failures) == 1 and not verdict.unknown:
        return _for_one_reason(verdict, sentence(failures[0]), threshold)
    sentences = [sentence(failure) for failure in failures]
    return {name: metric.of(verdict, sentences, threshold) for name, metric in STANDARD.items()}


def _for_one_reason(verdict: CaseVerdict, why: str, threshold: float) -> dict[str, Score]:
    """The same when one failure explains every dimension: most are then 1 or 0, and share a score."""
    zeros, between = _imperfect(verdict.numbers)
    scores = SPOTLESS.copy()
    scores.update(dict.fromkeys(zeros, Score(0.0, False, why)))
    for name, value in between:
        scores[name] = Score.graded(value, why, threshold=threshold if name in GRADED else 1.0)
    scores["overall"] = Score(verdict.score, verdict.passed, why)
    return scores


@lru_cache(maxsize=1024)
def _imperfect(numbers: Numbers) -> tuple[list[str], list[tuple[str, float]]]:
    """The dimensions that are 0, and those between 0 and 1 with their values."""
    values = list(zip(NUMBERED, NUMBERS_OF(numbers), strict=True))
    return [name for name, value in values if not value], [pair for pair in values if 0.0 < pair[1] < 1.0]


AGENTS_KNOWN = "agents_known"
"""The share of the agents that a golden asks about, which were known. It decides nothing."""


def agents_score(*verdicts: CaseVerdict) -> dict[str, Score]:
    """How many of the agents that a golden asks about were known; empty when it asks about none."""
    known, unknown = (sum(getattr(v, f"agents_{word}") for v in verdicts) for word in ("known", "unknown"))
    if not known + unknown:
        return {}
    why = f"agent unknown in {unknown} of {known + unknown} calls: name your agents" if unknown else ""
    return {AGENTS_KNOWN: Score(known / (known + unknown), True, why)}


def no_answer(trajectory: Trajectory) -> str:
    """Why the case says nothing about the agent; empty when it does."""
    if trajectory.stop_reason != "infra_error":
        return ""
    return trajectory.error or "no answer"


MANY_CALLS = 500
"""Number of calls from which scoring takes tenths of a second and runs in a thread."""

LEAST = 1.0
"""Seconds that scoring always gets, even if the case used all its time."""


def time_to_score(seconds: float | None, trajectory: Trajectory) -> float | None:
    """What a case that may take `seconds` has left when its trajectory is known; None without a limit."""
    if seconds is None:
        return None
    return max(LEAST, seconds - (trajectory.latency_ms or 0.0) / 1000)


async def score_in_time(
    judge: Callable[[Trajectory], CaseResult], trajectory: Trajectory, seconds: float | None
) -> CaseResult:
    """What `judge` makes of the trajectory, or an error when that takes too long. Its work is bounded, so it ends."""
    if len(trajectory.calls) < MANY_CALLS:
        return judge(trajectory)
    import asyncio  # files are scored without it

    try:
        return await asyncio.wait_for(asyncio.to_thread(judge, trajectory), seconds)
    except TimeoutError:
        why = f"scoring {len(trajectory.calls):,} calls took longer than the remaining {seconds:g} seconds"
        return judge(Trajectory(stop_reason="infra_error", error=why))
