"""Shared steps: judging an input, rewriting it, evolving it, agreeing on the calls it needs."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from rightcall.limbs.generate.config import FiltrationConfig, draw
from rightcall.limbs.generate.kit import Kit
from rightcall.limbs.generate.plans import expectation_of_value
from rightcall.limbs.generate.scribe import Scribe, Unreadable
from rightcall.limbs.generate.verify import total_usage
from rightcall.records.expected_call import ExpectedCall
from rightcall.records.golden import Golden
from rightcall.records.record import Record
from rightcall.records.score import Score
from rightcall.records.trajectory import Trajectory
from rightcall.tools.definitions.validate import is_valid


class InputQuality(Record, frozen=True, forbid_unknown_fields=False):
    """A critic's ratings of an input."""

    clarity: float
    answerability: float
    feedback: str = ""

    @property
    def mean(self) -> float:
        """The mean of both ratings, scaled to 0..1."""
        return sum(min(1.0, max(0.0, mark)) for mark in (self.clarity, self.answerability)) / 2


@dataclass(frozen=True)
class Refinement:
    """An input after rating and evolving, with its scores."""

    text: str
    quality: float | None
    evolutions: tuple[str, ...] = ()


class BelowThreshold(Exception):  # noqa: N818  the outcome of one attempt, not an error
    """A critic rated the input too low, even after rewrites."""


async def refine(text: str, kit: Kit, scribe: Scribe, *, context: str = "") -> Refinement:
    """The input rated, rewritten until it is good enough, evolved, and rated again after every change.

    `BelowThreshold` when no rewrite reaches the threshold. An evolution that degrades the input is reverted.
    """
    about = f"The text it is about:\n<text>\n{context}\n</text>\n" if context else ""
    filtration = kit.setup.filtration_config or FiltrationConfig()
    text, quality = await _good_enough(text, filtration, scribe, about)
    tried: list[str] = []
    config = kit.setup.evolution_config
    if config is None:
        return Refinement(text, quality)
    rng = kit.chance(scribe.slot, "evolutions")
    for number, evolution in enumerate(
        draw(config.evolutions, config.num_evolutions, rng, with_context=bool(context))
    ):
        keep = f"{about}It must still be answerable from the text." if context else ""
        try:
            better = await scribe.text(f"evolve-{number}", evolution.prompt, input=text, keep=keep)
            marks = await _marks(better, f"evolve-{number}-quality", scribe, about)
            is_kept = marks.mean >= filtration.synthetic_input_quality_threshold
        except Unreadable:
            is_kept = False
        if is_kept:
            text = better
            quality = marks.mean
        tried.append(evolution.value if is_kept else f"{evolution.value}: not kept")
    return Refinement(text, quality, tuple(tried))


async def _good_enough(
    text: str, filtration: FiltrationConfig, scribe: Scribe, about: str
) -> tuple[str, float]:
    threshold = filtration.synthetic_input_quality_threshold
    for number in range(filtration.max_quality_retries + 1):
        marks = await _marks(text, f"quality-{number}", scribe, about)
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


async def _marks(text: str, step: str, scribe: Scribe, about: str) -> InputQuality:
    return await scribe.record(step, "quality", InputQuality, {"input": text, "context": about}, judging=True)


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
