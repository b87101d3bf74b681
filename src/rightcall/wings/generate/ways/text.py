"""One golden from one prompt, written, rated, evolved and labelled with calls: an input, or a conversation's situation.

From scratch, the prompt has a description only; from contexts and documents, a text that the golden is about.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from rightcall.model.golden import AnyGolden, ConversationalGolden, Golden
from rightcall.model.record import Record
from rightcall.model.score import Score
from rightcall.wings.generate.config import ConversationalStylingConfig
from rightcall.wings.generate.contexts import Context
from rightcall.wings.generate.kit import Kit
from rightcall.wings.generate.production import Job, Made
from rightcall.wings.generate.scribe import Scribe, Unreadable
from rightcall.wings.generate.steps import BelowThreshold, Refinement, label_calls, refine

IN_ONE_TURN = (
    "A user is in the situation below and has told you all that is written there. Do what the user wants."
)


class Situation(Record, frozen=True, forbid_unknown_fields=False):
    """What the model generates."""

    scenario: str
    user_description: str = ""
    expected_outcome: str = ""


@dataclass(frozen=True)
class PromptedJob:
    """A golden that a model writes from a prompt, which `values` fill."""

    id: str
    kit: Kit
    way: str
    prompt: str
    values: Mapping[str, Any]
    context: Context | None = None
    include_expected: bool = True
    parents: tuple[str, ...] = ()

    async def make(self) -> Made:
        """A golden, or why every attempt failed."""
        scribe, reasons, scores = self.kit.scribe(self.id), list[str](), dict[str, Score]()
        for attempt in range(self.kit.setup.verification.attempts):
            scribe.attempt = attempt
            try:
                golden = await self.write(scribe, scores)
            except (Unreadable, BelowThreshold) as problem:
                reasons.append(str(problem))
                continue
            if golden is not None:
                return Made(golden, scores, scribe=scribe)
            reasons.append(scores["recovered"].reason)
        return Made(None, scores, "; ".join(dict.fromkeys(reasons)), scribe)

    async def write(self, scribe: Scribe, scores: dict[str, Score]) -> AnyGolden | None:
        """One attempt, with its scores; None when solvers do not agree on the calls."""
        raise NotImplementedError

    async def refine(self, text: str, scribe: Scribe, scores: dict[str, Score]) -> Refinement:
        refinement = await refine(text, self.kit, scribe, context=self.context.text if self.context else "")
        scores["quality"] = Score(refinement.quality or 0.0, True)
        return refinement

    def metadata(
        self, refinement: Refinement, scribe: Scribe, context_quality: float | None = None
    ) -> dict[str, Any]:
        provenance = self.kit.provenance(
            self.way,
            scribe,
            attempt=scribe.attempt,
            evolutions=list(refinement.evolutions),
            synthetic_input_quality=None if refinement.quality is None else round(refinement.quality, 3),
            context_quality=context_quality,
            context_source_files=list(self.context.sources) if self.context else None,
            parents=list(self.parents),
        )
        return {"generated": provenance}


@dataclass(frozen=True)
class ScenarioJob(PromptedJob):
    """A conversational golden whose situation a model generates.

    With tools, the calls of the whole conversation are those that solvers agree on when they are given the situation at
    once; what depends on the result of another call is not among them.
    """

    async def write(self, scribe: Scribe, scores: dict[str, Score]) -> ConversationalGolden | None:
        situation = await scribe.record("situation", self.prompt, Situation, self.values)
        if not situation.scenario.strip():
            raise Unreadable("situation: the model left the scenario empty")
        refinement = await self.refine(situation.scenario, scribe, scores)
        asked = self._in_one_turn(refinement.text, situation)
        read, scores["recovered"] = await label_calls(asked, self.kit, scribe)
        if read is None:
            return None
        return ConversationalGolden(
            refinement.text,
            id=self.id,
            user_description=situation.user_description or None,
            expected_outcome=(situation.expected_outcome or None) if self.include_expected else None,
            context=self.context.texts if self.context else None,
            expected_calls=read.expected_calls,
            no_calls=read.no_calls,
            category="negative" if read.no_calls else "golden",
            tags=("generated", self.way),
            metadata=self.metadata(refinement, scribe),
        )

    def _in_one_turn(self, scenario: str, situation: Situation) -> Golden:
        """The situation as solvers see it: everything the user knows, at once."""
        lines = [IN_ONE_TURN, f"The situation: {scenario}"]
        if situation.user_description:
            lines.append(f"The user: {situation.user_description}")
        return Golden("\n".join(lines), id=self.id, context=self.context.texts if self.context else None)


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
        form = self.kit.setup.styling.expected_output_format
        answer = await scribe.answer(
            "expected-output",
            "expected_output",
            input=golden.input,
            context=f"By this text alone:\n<text>\n{about}\n</text>" if about else "",
            format=f"Form of the answer: {form}" if form else "",
        )
        return msgspec.structs.replace(golden, expected_output=answer)


def scratch_jobs(kit: Kit, count: int, *, conversations: bool) -> Callable[[int, int], Sequence[Job]]:
    """An endless stream of jobs."""

    def job(place: int) -> Job:
        name = f"scratch-{place + 1:04}"
        values: dict[str, object] = {"number": place + 1, "count": max(count, place + 1)}
        if conversations:
            values["style"] = style_lines(kit.setup.conversational_styling)
            return ScenarioJob(name, kit, "scratch", "conversation_from_scratch", values)
        asked = kit.setup.styling
        values |= {
            "scenario": asked.scenario,
            "task": asked.task or "Helps with it",
            "input_format": asked.input_format or kit.style(name),
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
        number, which = divmod(place, len(contexts))
        context, cluster = contexts[which], f"{way}-{which + 1:04}"
        name = f"{cluster}-{number + 1}"
        values: dict[str, object] = {"context": context.text, "number": number + 1, "count": per_context}
        if conversations:
            values["style"] = style_lines(kit.setup.conversational_styling)
            return ScenarioJob(name, kit, way, "conversation_from_context", values, context, include_expected)
        values["style"] = kit.style(name)
        return TextJob(
            name, kit, way, "input_from_context", values, context, include_expected, cluster=cluster
        )

    return job_stream(job, len(contexts) * per_context)


def job_stream(job: Callable[[int], Job], most: int | None = None) -> Callable[[int, int], Sequence[Job]]:
    """A stream of jobs, read in portions by number; `most` of them, or without end."""

    def jobs(start: int, count: int) -> Sequence[Job]:
        last = start + count if most is None else min(start + count, most)
        return [job(place) for place in range(start, last)]

    return jobs


def style_lines(styling: ConversationalStylingConfig) -> str:
    """The conversational styling as lines of a prompt."""
    styles = {
        "Situation": styling.scenario_context,
        "What the assistant does": styling.conversational_task,
        "Who takes part": styling.participant_roles,
        "Form of the scenario": styling.scenario_format,
        "Form of the expected outcome": styling.expected_outcome_format,
    }
    return "\n".join(f"{name}: {text}" for name, text in styles.items() if text)
