"""From goldens: variations. One with expected calls becomes a plan with the same tools and other values."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from rightcall.limbs.generate.contexts import Context
from rightcall.limbs.generate.kit import Kit
from rightcall.limbs.generate.plans import PlanKind, PlannedSlot
from rightcall.limbs.generate.production import Job
from rightcall.limbs.generate.ways.text import TextJob, job_stream
from rightcall.limbs.generate.ways.tools import ToolJob
from rightcall.records.golden import Golden

EXAMPLES = 10
"""Inputs shown as examples."""


def golden_jobs(
    goldens: Sequence[Golden], kit: Kit, per_golden: int, *, include_expected: bool
) -> Callable[[int, int], Sequence[Job]]:
    """Jobs for each golden in turn: by its calls, otherwise by its context, otherwise by similar examples."""

    def job(place: int) -> Job:
        number, which = divmod(place, len(goldens))
        golden = goldens[which]
        names = [call.tool for call in golden.expected_calls]
        offered = tuple(name for name in names if isinstance(name, str) and name in kit.planned)
        if offered and len(offered) == len(names):
            tools = tuple(dict.fromkeys(offered))
            kind: PlanKind = "one" if len(offered) == 1 else "parallel" if len(tools) == 1 else "several"
            return ToolJob(PlannedSlot(place, kind, tools, number), kit, parents=(golden.id,))
        name = f"golden-{which + 1:04}-{number + 1}"
        values: dict[str, object] = {"number": number + 1, "count": per_golden}
        prompt = "input_from_golden"
        context = None
        if golden.context:
            prompt = "input_from_context"
            context = Context(tuple(golden.context), (golden.source_file,) if golden.source_file else ())
            values |= {"context": context.text, "style": kit.style(name)}
        else:
            values |= {"examples": _examples(golden, goldens, kit)}
        parents = (golden.id,)
        return TextJob(
            name,
            kit,
            "goldens",
            prompt,
            values=values,
            context=context,
            include_expected=include_expected,
            parents=parents,
            cluster=golden.id,
        )

    return job_stream(job, len(goldens) * per_golden)


def _examples(golden: Golden, goldens: Sequence[Golden], kit: Kit) -> str:
    """The golden itself first, then random others."""
    others = [other.input for other in goldens if other is not golden]
    drawn = random.Random(f"{kit.setup.seed}/{golden.id}").sample(others, min(EXAMPLES - 1, len(others)))  # noqa: S311
    return "\n".join(f"- {text}" for text in [golden.input, *drawn])
