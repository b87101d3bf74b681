"""From contexts, and from documents via contexts: questions that the text answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rightcall.synthesis.contexts import Context
from rightcall.synthesis.kit import Kit
from rightcall.synthesis.production import Job
from rightcall.synthesis.ways.scenario import ScenarioJob, styled
from rightcall.synthesis.ways.text import TextJob


def context_jobs(
    contexts: Sequence[Context],
    kit: Kit,
    per_context: int,
    *,
    include_expected: bool,
    conversations: bool,
    way: str,
) -> Callable[[int, int], Sequence[Job]]:
    """Jobs for each context in turn."""

    def jobs(start: int, count: int) -> Sequence[Job]:
        last = min(start + count, len(contexts) * per_context)
        return [job(place) for place in range(start, last)]

    def job(place: int) -> Job:
        number, context = divmod(place, len(contexts))
        name = f"{way}-{context + 1:04}-{number + 1}"
        common = {"context": contexts[context].text, "number": number + 1, "count": per_context}
        common |= {"language": kit.language_name}
        if conversations:
            values = {**common, "style": styled(kit.conversational_styling)}
            return ScenarioJob(
                name, kit, way, "conversation_from_context", values, contexts[context], include_expected
            )
        values = {**common, "style": kit.style(name)}
        cluster = f"{way}-{context + 1:04}"
        return TextJob(
            name, kit, way, "input_from_context", values, contexts[context], include_expected, cluster=cluster
        )

    return jobs
