"""One golden from one prompt, whose input a model writes, rated, evolved and labelled with calls.

From scratch, the prompt has a description only; from contexts and documents, a text that the golden is about.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from rightcall.limbs.generate.contexts import Context
from rightcall.limbs.generate.kit import Kit
from rightcall.limbs.generate.production import Job, Made
from rightcall.limbs.generate.scribe import Scribe, Unreadable
from rightcall.limbs.generate.steps import BelowThreshold, Refinement, label_calls, refine
from rightcall.records.golden import Golden
from rightcall.records.score import Score


@dataclass(frozen=True)
class TextJob:
    """A golden whose input a model writes from a prompt, which `values` fill."""

    id: str
    kit: Kit
    way: str
    prompt: str
    values: Mapping[str, Any]
    context: Context | None = None
    include_expected: bool = True
    parents: tuple[str, ...] = ()
    cluster: str | None = None

    async def make(self) -> Made:
        """A golden, or why every attempt failed."""
        scribe = self.kit.scribe(self.id)
        reasons = list[str]()
        scores = dict[str, Score]()
        for attempt in range(self.kit.setup.verification.attempts):
            scribe.attempt = attempt
            try:
                golden = await self._write(scribe, scores)
            except (Unreadable, BelowThreshold) as problem:
                reasons.append(str(problem))
                continue
            if golden is not None:
                return Made(golden, scores, scribe=scribe)
            reasons.append(scores["recovered"].reason)
        return Made(None, scores, "; ".join(dict.fromkeys(reasons)), scribe)

    def _metadata(self, refinement: Refinement, scribe: Scribe) -> dict[str, Any]:
        provenance = self.kit.provenance(
            self.way,
            scribe,
            attempt=scribe.attempt,
            evolutions=list(refinement.evolutions),
            synthetic_input_quality=None if refinement.quality is None else round(refinement.quality, 3),
            context_quality=self.context.quality if self.context else None,
            context_source_files=list(self.context.sources) if self.context else None,
            parents=list(self.parents),
        )
        return {"generated": provenance}

    async def _write(self, scribe: Scribe, scores: dict[str, Score]) -> Golden | None:
        """One attempt, with its scores; None when solvers do not agree on the calls."""
        text = await scribe.text("input", self.prompt, **self.values)
        context = self.context
        about = context.text if context else ""
        refinement = await refine(text, self.kit, scribe, context=about)
        scores["quality"] = Score(refinement.quality or 0.0, True)
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
        answered = await self._with_answer(golden, scribe, about)
        return msgspec.structs.replace(
            answered,
            source_file=context.sources[0] if context and context.sources else None,
            metadata=self._metadata(refinement, scribe),
        )

    async def _with_answer(self, golden: Golden, scribe: Scribe, about: str) -> Golden:
        if not self.include_expected:
            return golden
        form = self.kit.setup.styling.expected_output_format
        answer = await scribe.answer(
            "expected-output",
            "expected_output",
            input=golden.input,
            context=f"By this text alone:\n<text>\n{about}\n</text>" if about else "",
            format=f"Form of the answer: {form}" if form else "",
        )
        return msgspec.structs.replace(golden, expected_output=answer)


def scratch_jobs(kit: Kit, count: int) -> Callable[[int, int], Sequence[Job]]:
    """An endless stream of jobs."""

    def job(place: int) -> Job:
        name = f"scratch-{place + 1:04}"
        values: dict[str, object] = {"number": place + 1, "count": max(count, place + 1)}
        asked = kit.setup.styling
        values |= {
            "scenario": asked.scenario,
            "task": asked.task or "Helps with it",
            "input_format": asked.input_format or kit.style(name),
        }
        return TextJob(name, kit, "scratch", "input_from_scratch", values=values, include_expected=False)

    return job_stream(job)


def context_jobs(
    contexts: Sequence[Context],
    kit: Kit,
    per_context: int,
    *,
    include_expected: bool,
    way: str,
) -> Callable[[int, int], Sequence[Job]]:
    """Jobs for each context in turn."""

    def job(place: int) -> Job:
        number, which = divmod(place, len(contexts))
        context = contexts[which]
        cluster = f"{way}-{which + 1:04}"
        name = f"{cluster}-{number + 1}"
        values: dict[str, object] = {"context": context.text, "number": number + 1, "count": per_context}
        values["style"] = kit.style(name)
        return TextJob(
            name,
            kit,
            way,
            "input_from_context",
            values=values,
            context=context,
            include_expected=include_expected,
            cluster=cluster,
        )

    return job_stream(job, len(contexts) * per_context)


def job_stream(job: Callable[[int], Job], most: int | None = None) -> Callable[[int, int], Sequence[Job]]:
    """A stream of jobs, read in portions by number; `most` of them, or without end."""

    def jobs(start: int, count: int) -> Sequence[Job]:
        last = start + count if most is None else min(start + count, most)
        return [job(place) for place in range(start, last)]

    return jobs
