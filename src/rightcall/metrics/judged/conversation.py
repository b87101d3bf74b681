"""Metrics of conversations that ask a model: turn by turn, or of the whole.

    metrics: ["turn_relevancy(model='openai:gpt-5-mini')", "knowledge_retention(model='openai:gpt-5-mini')"]

A metric of turns asks for a verdict on each of the agent's answers, with what was said before it; its value is the share
that passed, and its reason names the first that did not.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from rightcall.metrics.judged.question import votes_of
from rightcall.metrics.judged.rubric import Part, Rubric
from rightcall.metrics.judged.vote import share_of
from rightcall.model.case import TestCase
from rightcall.model.score import Score

MAJORITY = 0.5 + 1e-9
"""Share of the votes that must pass an answer."""

WINDOW = 20
"""Turns before an answer that the judge reads with it."""


@dataclass(frozen=True)
class TurnRubric(Rubric):
    """A rubric for each answer of the agent in a conversation; `threshold` of them must meet it."""

    threshold: float = 1.0
    parts: tuple[Part, ...] = ("conversation",)

    first_turn: ClassVar[int] = 0
    """The first answer that the rubric is about, from 0."""

    def rubric_for(self, case: TestCase) -> str:
        return self.rubric or self.written

    def nothing_to_check(self, case: TestCase) -> str:
        if not self.rubric_for(case):
            return "neither the metric nor the golden says what to judge by"
        return "" if self._answers(utterances(case)) else "the agent gave no answer that it is about"

    def _answers(self, spoken: Sequence[tuple[str, str]]) -> list[int]:
        """Positions of the agent's answers that the rubric is about."""
        return [at for at, (role, _) in enumerate(spoken) if role == "assistant"][self.first_turn :]

    async def measure(self, case: TestCase) -> Score:
        rubric, spoken = self.rubric_for(case), utterances(case)
        answers = self._answers(spoken)
        judged = await asyncio.gather(*(self._turn(rubric, spoken[: at + 1]) for at in answers))
        broken = next((why for passed, why in judged if passed is None), "")
        if broken:
            return Score.broken(broken)
        value = sum(bool(passed) for passed, _ in judged) / len(judged)
        wrong = next(
            ((at, why) for at, (passed, why) in zip(answers, judged, strict=True) if not passed), None
        )
        reason = f"turn {wrong[0] + 1} (assistant): {wrong[1]}" if wrong else ""
        return Score.graded(value, reason, threshold=self.threshold)

    async def _turn(self, rubric: str, spoken: Sequence[tuple[str, str]]) -> tuple[bool | None, str]:
        """Whether one answer meets the rubric, and why not; None when the judge gave no verdict."""
        window = spoken[-WINDOW - 1 :]
        material: dict[str, Any] = {
            "before": [{"role": role, "text": text} for role, text in window[:-1]],
            "answer": window[-1][1],
        }
        votes = await votes_of(
            self.model, rubric, material, votes=self.votes, seed=self.seed, cache=self.cache
        )
        share = share_of(votes, MAJORITY)
        if isinstance(share, str):
            return None, share
        return share[1], next((vote.reason for vote in votes if not vote.error and not vote.passed), "")


@dataclass(frozen=True)
class TurnRelevancy(TurnRubric):
    """The share of the agent's answers that are about what was said before, judged by a model."""

    written = "The answer responds to what the user said last, in the light of what was said before."


@dataclass(frozen=True)
class KnowledgeRetention(TurnRubric):
    """The share of the agent's answers that forget nothing the user has said, judged by a model."""

    first_turn = 1
    written = (
        "The answer neither asks again for anything that the user has told before, nor contradicts or ignores it. "
        "Asking to confirm something is not forgetting it."
    )


@dataclass(frozen=True)
class RoleAdherence(TurnRubric):
    """The share of the agent's answers that stay in its role, judged by a model.

    `role` says what that is; without it the golden's `chatbot_role`, or the golden's own system prompt.
    """

    role: str = ""

    def rubric_for(self, case: TestCase) -> str:
        role = self.role or case.golden.metadata.get("chatbot_role") or case.golden.system or ""
        return f"The answer is in keeping with this role, in what it says and how: {role}" if role else ""


@dataclass(frozen=True)
class ConversationCompleteness(Rubric):
    """Whether the user got everything they wanted in the course of a conversation, judged by a model."""

    parts: tuple[Part, ...] = ("request", "conversation", "calls")
    written = (
        "Everything that the user asked for in the course of the conversation was done or answered, or was refused with "
        "a reason. What the answers claim is borne out by results of calls."
    )

    async def measure(self, case: TestCase) -> Score:
        outcome = case.golden.expected_output
        if outcome and not self.rubric:
            told = f"{self.written} In particular: {outcome}"
            return await replace(self, rubric=told).measure(case)
        return await super().measure(case)


def utterances(case: TestCase) -> list[tuple[str, str]]:
    """What user and agent said. Answers from before the agent began are context and are not judged."""
    trajectory = case.trajectory
    if not trajectory.messages:
        return [("user", case.golden.input), ("assistant", trajectory.output)]
    return [
        (
            "assistant before" if at < trajectory.own_start and message.role == "assistant" else message.role,
            message.content,
        )
        for at, message in enumerate(trajectory.messages)
        if message.role in ("user", "assistant") and message.content
    ]
