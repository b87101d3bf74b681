"""One golden from one prompt, whose input a model writes, rated and labelled with calls.

From scratch, the prompt has a description only; from contexts and documents, a text that the golden is about; from
goldens, similar ones. A golden with expected calls becomes a plan with the same tools and other values.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from rightcall.limbs.generate.config import FiltrationConfig
from rightcall.limbs.generate.documents import Context
from rightcall.limbs.generate.plans import PlanKind, PlannedSlot, expectation_of_value
from rightcall.limbs.generate.production import Job, Made
from rightcall.limbs.generate.scribe import Scribe, Unreadable
from rightcall.limbs.generate.setup import Kit
from rightcall.limbs.generate.tool_jobs import ToolJob, job_stream
from rightcall.limbs.generate.verify import total_usage
from rightcall.records.expected_call import ExpectedCall
from rightcall.records.golden import Golden
from rightcall.records.record import Record
from rightcall.records.score import Score
from rightcall.records.trajectory import Trajectory
from rightcall.tools.definitions.validate import is_valid


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

    async def _write(self, scribe: Scribe, scores: dict[str, Score]) -> Golden | None:
        """One attempt, with its scores; None when solvers do not agree on the calls."""
        text = await scribe.text("input", self.prompt, **self.values)
        context = self.context
        about = context.text if context else ""
        text, quality = await refine(text, self.kit, scribe, context=about)
        scores["quality"] = Score(quality, True)
        draft = Golden(
            text,
            id=self.id,
            context=context.texts if context else None,
            cluster=self.cluster,
            tags=("generated", self.way),
        )
        golden, scores["recovered"] = await label_calls(draft, self.kit, scribe)
        if golden is None:
            return None
        answered = await self._with_answer(golden, scribe, about)
        sources = list(context.sources) if context else []
        provenance = self.kit.provenance(
            self.way,
            scribe,
            attempt=scribe.attempt,
            synthetic_input_quality=round(quality, 3),
            context_source_files=sources,
            parents=list(self.parents),
        )
        source_file = sources[0] if sources else None
        return msgspec.structs.replace(answered, source_file=source_file, metadata={"generated": provenance})

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


class InputQuality(Record, frozen=True, forbid_unknown_fields=False):
    """A critic's ratings of an input."""

    clarity: float
    answerability: float
    feedback: str = ""

    @property
    def mean(self) -> float:
        """The mean of both ratings, scaled to 0..1."""
        return sum(min(1.0, max(0.0, mark)) for mark in (self.clarity, self.answerability)) / 2


class BelowThreshold(Exception):  # noqa: N818  the outcome of one attempt, not an error
    """A critic rated the input too low, even after rewrites."""


async def refine(text: str, kit: Kit, scribe: Scribe, *, context: str = "") -> tuple[str, float]:
    """The input rated, and rewritten and rated again until it is good enough, with its rating.

    `BelowThreshold` when no rewrite reaches the threshold.
    """
    about = f"The text it is about:\n<text>\n{context}\n</text>\n" if context else ""
    filtration = kit.setup.filtration_config or FiltrationConfig()
    threshold = filtration.synthetic_input_quality_threshold
    for number in range(filtration.max_quality_retries + 1):
        values = {"input": text, "context": about}
        marks = await scribe.record(f"quality-{number}", "quality", InputQuality, values, judging=True)
        if marks.mean >= threshold:
            return text, marks.mean
        if number < filtration.max_quality_retries:
            feedback = marks.feedback or "unclear"
            text = await scribe.text(
                f"rewrite-{number}", "rewrite", input=text, feedback=feedback, context=about
            )
    raise BelowThreshold(
        f"quality {marks.mean:.2f} is below {threshold:g}: {marks.feedback or 'no feedback'}"
    )


async def label_calls(golden: Golden, kit: Kit, scribe: Scribe) -> tuple[Golden | None, Score]:
    """The golden with the calls that independent solvers agree on; None when they do not agree.

    Without tools there is nothing to call, and the golden is unchanged.
    """
    if kit.solver is None:
        return golden, Score.passed_if(True)
    checks = kit.setup.verification
    done = list[Trajectory]()
    for number in range(checks.samples):
        trajectory = await kit.solver.sample(golden, number)
        done.append(trajectory)
        candidate = with_calls(golden, trajectory, kit)
        if candidate is None:
            continue
        agreeing = sum(kit.solver.judged(candidate, other).passed for other in done)
        if agreeing >= checks.agree:
            scribe.note(total_usage(done))
            return candidate, Score(agreeing / len(done), True)
    scribe.note(total_usage(done))
    return None, Score(0.0, False, f"fewer than {checks.agree} of {len(done)} solvers agreed on the calls")


def with_calls(golden: Golden, trajectory: Trajectory, kit: Kit) -> Golden | None:
    """The golden with a solver's calls as expected calls; None when a call cannot be right."""
    calls = []
    for call in trajectory.calls:
        tool = kit.tools.get(call.name)
        if tool is None or call.arguments is None or not is_valid(tool, call.arguments):
            return None
        arguments = {name: expectation_of_value(tool, name, value) for name, value in call.arguments.items()}
        calls.append(ExpectedCall(call.name, arguments))
    return msgspec.structs.replace(golden, expected_calls=tuple(calls), no_calls=not calls)
