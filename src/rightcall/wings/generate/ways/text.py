"""One input from one prompt: written, rated, evolved, labelled with calls, answered.

From scratch, the prompt has a description only; from contexts and documents, a text that the questions are about.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import msgspec

from rightcall.model.golden import Golden
from rightcall.model.score import Score
from rightcall.wings.generate.contexts import Context
from rightcall.wings.generate.kit import Kit
from rightcall.wings.generate.production import Job
from rightcall.wings.generate.scribe import Scribe
from rightcall.wings.generate.steps import label_calls
from rightcall.wings.generate.ways.scenario import PromptedJob, ScenarioJob, style_lines


@dataclass(frozen=True)
class TextJob(PromptedJob):
    """A golden whose input a model generates."""

    cluster: str | None = None

    async def write(self, scribe: Scribe, scores: dict[str, Score]) -> Golden | None:
        text = await scribe.text("input", self.prompt, **self.values)
        refinement, context = await self.refine(text, scribe, scores), self.context
        draft = Golden(
            refinement.text,
            id=self.id,
            context=context.texts if context else None,
            cluster=self.cluster,
            tags=("generated", self.way),
        )
        golden, scores["recovered"] = await label_calls(draft, self.kit, scribe)
        if golden is None:
            return None
        answered = await self._with_answer(golden, scribe, context.text if context else "")
        return msgspec.structs.replace(
            answered,
            source_file=context.sources[0] if context and context.sources else None,
            metadata=self.metadata(refinement, scribe, context.quality if context else None),
        )

    async def _with_answer(self, golden: Golden, scribe: Scribe, about: str) -> Golden:
        if not self.include_expected:
            return golden
        form = self.kit.styling.expected_output_format
        answer = await scribe.answer(
            "expected-output",
            "expected_output",
            input=golden.input,
            context=f"By this text alone:\n<text>\n{about}\n</text>" if about else "",
            format=f"Form of the answer: {form}" if form else "",
            language=self.kit.language_name,
        )
        return msgspec.structs.replace(golden, expected_output=answer)


def scratch_jobs(kit: Kit, count: int, *, conversations: bool) -> Callable[[int, int], Sequence[Job]]:
    """An endless stream of jobs."""

    def job(place: int) -> Job:
        name = f"scratch-{place + 1:04}"
        common = {"number": place + 1, "count": max(count, place + 1), "language": kit.language_name}
        if conversations:
            values = {**common, "style": style_lines(kit.conversational_styling)}
            return ScenarioJob(name, kit, "scratch", "conversation_from_scratch", values)
        styling = kit.styling
        values = {
            **common,
            "scenario": styling.scenario,
            "task": styling.task,
            "input_format": styling.input_format,
        }
        return TextJob(name, kit, "scratch", "input_from_scratch", values, include_expected=False)

    return job_stream(job)


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

    def job(place: int) -> Job:
        number, context = divmod(place, len(contexts))
        name = f"{way}-{context + 1:04}-{number + 1}"
        common = {"context": contexts[context].text, "number": number + 1, "count": per_context}
        common |= {"language": kit.language_name}
        if conversations:
            values = {**common, "style": style_lines(kit.conversational_styling)}
            return ScenarioJob(
                name, kit, way, "conversation_from_context", values, contexts[context], include_expected
            )
        values = {**common, "style": kit.style(name)}
        cluster = f"{way}-{context + 1:04}"
        return TextJob(
            name, kit, way, "input_from_context", values, contexts[context], include_expected, cluster=cluster
        )

    return job_stream(job, len(contexts) * per_context)


def job_stream(job: Callable[[int], Job], most: int | None = None) -> Callable[[int, int], Sequence[Job]]:
    """A stream of jobs, read in portions by number; `most` of them, or without end."""

    def jobs(start: int, count: int) -> Sequence[Job]:
        last = start + count if most is None else min(start + count, most)
        return [job(place) for place in range(start, last)]

    return jobs
