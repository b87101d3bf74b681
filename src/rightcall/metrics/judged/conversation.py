"""Metrics of conversations that ask a model: turn by turn, or of the whole.

    metrics: ["turn_relevancy(model='openai:gpt-5-mini')", "knowledge_retention(model='openai:gpt-5-mini')"]

A metric of turns asks for a verdict on each of the agent's answers, with what was said before it; its value is the share
that passed, and its reason names the first that did not.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import ClassVar

from msgspec.structs import replace

from rightcall.metrics.judged.form import JudgeForm, Part, utterances
from rightcall.metrics.judged.rubric import Rubric
from rightcall.metrics.judged.vote import MAJORITY, Vote, no_verdict_score, share_of, summarize_votes
from rightcall.model.case import TestCase
from rightcall.model.score import Score


@dataclass(frozen=True)
class TurnRubric(Rubric):
    """A rubric for each answer of the agent in a conversation; `threshold` of them must meet it."""

    threshold: float = 1.0
    parts: tuple[Part, ...] = ("conversation",)

    first_turn: ClassVar[int] = 0
    """The first answer that the rubric is about, from 0."""

    @property
    def form(self) -> JudgeForm:
        return JudgeForm(self.parts, self.rubric or self.written, turns=True, first_turn=self.first_turn)

    def nothing_to_check(self, case: TestCase) -> str:
        if not self.form.rule(case):
            return "neither the metric nor the golden says what to judge by"
        return "" if self.form.answers(utterances(case)) else "the agent gave no answer that it is about"

    async def measure(self, case: TestCase) -> Score:
        form, rubric, answers = self.form, self.form.rule(case), self.form.answers(utterances(case))
        judged = await asyncio.gather(*(self.ask(rubric, shown, MAJORITY) for shown in form.materials(case)))
        judging = summarize_votes([vote for votes in judged for vote in votes])
        judging = replace(judging, unanimous=all(summarize_votes(votes).unanimous for votes in judged))
        shares = [share_of(votes, MAJORITY, self.votes) for votes in judged]
        broken = next((share for share in shares if isinstance(share, Vote)), None)
        if broken is not None:
            return no_verdict_score(broken, judging)
        passes = [share[1] for share in shares if not isinstance(share, Vote)]
        reason = ""
        if False in passes:
            first = passes.index(False)
            why = next((vote.reason for vote in judged[first] if not vote.error and not vote.passed), "")
            reason = f"turn {answers[first] + 1} (assistant): {why}"
        value = sum(passes) / len(passes)
        return replace(Score.graded(value, reason, threshold=self.threshold), judged=judging)


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

    @property
    def form(self) -> JudgeForm:
        return JudgeForm(self.parts, self.role, "role", turns=True)


@dataclass(frozen=True)
class ConversationCompleteness(Rubric):
    """Whether the user got everything they wanted in the course of a conversation, judged by a model."""

    parts: tuple[Part, ...] = ("request", "conversation", "calls")
    written = (
        "Everything that the user asked for in the course of the conversation was done or answered, or was refused with "
        "a reason. What the answers claim is borne out by results of calls."
    )

    @property
    def form(self) -> JudgeForm:
        return JudgeForm(self.parts, self.rubric or self.written, "text" if self.rubric else "outcome")
