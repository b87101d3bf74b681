"""From scratch: inputs from a description only."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rightcall.synthesis.kit import Kit
from rightcall.synthesis.production import Job
from rightcall.synthesis.ways.scenario import ScenarioJob, styled
from rightcall.synthesis.ways.text import TextJob


def scratch_jobs(kit: Kit, wanted: int, *, conversations: bool) -> Callable[[int, int], Sequence[Job]]:
    """An endless stream of jobs."""

    def jobs(start: int, count: int) -> Sequence[Job]:
        return [job(place) for place in range(start, start + count)]

    def job(place: int) -> Job:
        name = f"scratch-{place + 1:04}"
        common = {"number": place + 1, "count": max(wanted, place + 1), "language": kit.language_name}
        if conversations:
            values = {**common, "style": styled(kit.conversational_styling)}
            return ScenarioJob(name, kit, "scratch", "conversation_from_scratch", values)
        styling = kit.styling
        values = {
            **common,
            "scenario": styling.scenario,
            "task": styling.task,
            "input_format": styling.input_format,
        }
        return TextJob(name, kit, "scratch", "input_from_scratch", values, include_expected=False)

    return jobs
