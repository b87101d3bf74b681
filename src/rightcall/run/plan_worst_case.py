"""The worst case of a plan, for a gate that asks for it: replayed once per run, by the wing that knows attacks."""

from __future__ import annotations

from collections.abc import Mapping

from rightcall.core import seam
from rightcall.core.errors import ConfigError
from rightcall.core.redaction.clean_text import scrubber
from rightcall.core.text import one_line
from rightcall.model.tool import Tool
from rightcall.model.worst_case import WorstCaseNumbers
from rightcall.run.plan import Plan

SERVICE = "worst_case_numbers"


def worst_case_problems(plan: Plan) -> list[str]:
    """What to install when the gate asks for a worst case that nothing here can replay."""
    if plan.gate is None or plan.gate.worst_case is None:
        return []
    try:
        seam.load("services", SERVICE)
    except ConfigError as error:
        return [f"gate: worst_case: {problem}" for problem in error.problems]
    return []


async def worst_case_of_plan(plan: Plan, tools: Mapping[str, Tool]) -> WorstCaseNumbers | None:
    """The numbers that the gate asks for; None when it does not. What prevents them is a word in them."""
    asked = plan.gate.worst_case if plan.gate is not None else None
    if asked is None:
        return None
    try:
        replay = seam.load("services", SERVICE)
        numbers: WorstCaseNumbers = await replay(plan, tools, asked.threat, asked.certificate or 0)
    except (
        Exception
    ) as error:  # tools that cannot be read, a world that raises: the run is finished and stays
        why = one_line(scrubber()(str(error) or type(error).__name__), 200)
        return WorstCaseNumbers(threat=asked.threat, inconclusive=f"the replay failed: {why}")
    return numbers
