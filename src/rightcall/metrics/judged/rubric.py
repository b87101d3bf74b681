"""Metrics that ask a model: a custom rubric, and ready-made ones for answers, calls and conversations.

    rightcall.metrics.judged.rubric:Rubric(model='openai:gpt-5-mini', rubric='The answer names the price.')
    metrics: ["turn_relevancy(model='openai:gpt-5-mini')", "knowledge_retention(model='openai:gpt-5-mini')"]

A metric of turns asks for a verdict on each of the agent's answers, with what was said before it; its value is the share
that passed, and its reason names the first that did not.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, ClassVar, get_args

from msgspec.structs import replace

from rightcall.core.errors import ConfigError
from rightcall.metrics.base import Metric
from rightcall.metrics.judged.form import VERSION, JudgeForm, JudgeIdentity, Part, utterances
from rightcall.metrics.judged.vote import (
    DEFAULT,
    MAJORITY,
    Decide,
    Vote,
    identity_of,
    no_verdict_score,
    share_of,
    summarize_votes,
    votes_of,
)
from rightcall.providers.base import Provider
from rightcall.providers.catalog import ModelCatalog, project_models
from rightcall.providers.endpoint import ModelEndpoint
from rightcall.providers.hosts import split_address
from rightcall.providers.resolver import check, endpoint_of
from rightcall.records.case import TestCase
from rightcall.records.message import turn_title
from rightcall.records.score import Score


def judge_endpoint(
    model: str | ModelEndpoint | Provider, base_url: str, who: str, catalog: ModelCatalog | None = None
) -> str | ModelEndpoint | Provider:
    """Who judges: the model that is named, else the default judge; `provider:model` alone stays as it is."""
    if not model:
        model = (catalog or project_models()).require_default("judge", who)
    complete = isinstance(model, str) and ":" in model and split_address(model)[1] is None and not base_url
    if complete or not isinstance(model, str | ModelEndpoint):
        return model
    return endpoint_of(model, base_url=base_url, catalog=catalog)


@dataclass(frozen=True)
class Rubric(Metric):
    """Whether a model judges that a written rubric is met.

    For what exact expectations cannot express. Without a `rubric`, the golden's `expectations` and `expected_output`
    are the rubric; a golden without either is an error. `votes` verdicts are drawn; the value is the
    share that passed, which must reach `threshold`; a tie is no verdict. With `decide: criteria` the criteria of each
    answer decide, and its verdict must agree with them. Verdicts are kept in `cache` by content, version, model and server.
    `model` may be a name of the project's `models`; without one it is their `default_judge`. Label some cases
    before you trust a judge: `rightcall.judged_rate` says what people would say.
    """

    model: str | ModelEndpoint | Provider = ""
    rubric: str = ""
    votes: int = 3
    threshold: float = MAJORITY
    parts: tuple[Part, ...] = ("request", "context", "answer")
    label: str = ""
    seed: int = 0
    cache: str = DEFAULT
    base_url: str = field(default="", repr=False, kw_only=True)
    decide: Decide = field(default="verdict", kw_only=True)

    written: ClassVar[str] = ""
    asks_model: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "model", judge_endpoint(self.model, self.base_url, self.name))
        if self.votes < 1 or not 0 < self.threshold <= 1:
            raise ConfigError(f"{self.name}: votes must be at least 1, and threshold above 0 and at most 1")
        if self.decide not in get_args(Decide):
            raise ConfigError(f"{self.name}: decide is 'verdict' or 'criteria', got {self.decide!r}")

    @property
    def name(self) -> str:
        """The label, so that several rubrics can be used together."""
        return self.label or super().name

    async def check(self) -> list[str]:
        """Problems such as a missing key, an unreachable host or an unknown model."""
        return await check(self.model)

    @property
    def form(self) -> JudgeForm:
        """What the judge is asked."""
        return JudgeForm(self.parts, self.rubric or self.written, "expectations")

    @property
    def identity(self) -> JudgeIdentity:
        """Who judges: verdicts of another judge are not comparable."""
        model, server, settings = (*identity_of(self.model), "", "")[:3]
        return JudgeIdentity(
            model,
            server,
            settings,
            VERSION,
            votes=self.votes,
            threshold=self.threshold,
            seed=self.seed,
            decide=self.decide,
        )

    def nothing_to_check(self, case: TestCase) -> str:
        if self.form.rule(case):
            return ""
        return "no rubric is set, and the golden has neither expectations nor an expected_output"

    async def measure(self, case: TestCase) -> Score:
        form = self.form
        (material,) = form.materials(case)
        votes = await self.ask(form.rule(case), material, self.threshold)
        share = share_of(votes, self.threshold, self.votes)
        judging = summarize_votes(votes)
        if isinstance(share, Vote):
            return no_verdict_score(share, judging)
        value, passed = share
        side = [vote.reason for vote in votes if not vote.error and vote.passed is passed]
        count = f"{len(side)} of {len(votes)} votes {'for' if passed else 'against'}"
        return Score(value, passed, f"{count}: {side[0]}" if side[0] else count, judged=judging)

    async def ask(self, rubric: str, material: dict[str, Any], threshold: float) -> list[Vote]:
        """The votes on one question."""
        return await votes_of(
            self.model,
            rubric,
            material,
            votes=self.votes,
            threshold=threshold,
            decide=self.decide,
            seed=self.seed,
            cache=self.cache,
        )


@dataclass(frozen=True)
class TaskCompletion(Rubric):
    """Whether the agent did what the user asked for, judged by a model from request, calls and answer.

    For tasks whose result cannot be checked by state or calls.
    """

    parts: tuple[Part, ...] = ("request", "context", "calls", "answer")
    written = (
        "The user's request was fully carried out. What the answer claims is borne out by results of calls; "
        "a request that should be refused, or needs more from the user, is carried out by saying so."
    )


@dataclass(frozen=True)
class AnswerRelevancy(Rubric):
    """Whether the answer is about the request, judged by a model.

    An answer may be correct and still not answer this question.
    """

    parts: tuple[Part, ...] = ("request", "answer")
    written = (
        "Every statement of the answer helps with the request, and the answer responds to all of the request."
    )


@dataclass(frozen=True)
class ArgumentCorrectness(Rubric):
    """Whether each call's arguments follow from the request, judged by a model.

    For calls without an exact expectation. A case without calls passes without a request.
    """

    parts: tuple[Part, ...] = ("request", "context", "tools", "calls")
    written = (
        "Every argument of every call follows from the request, the context or the result of an earlier call. "
        "Nothing is invented, nothing that the request gives is left out or changed, units and formats fit the tool."
    )

    async def measure(self, case: TestCase) -> Score:
        return await super().measure(case) if case.trajectory.calls else Score(1.0, True)


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
        form = self.form
        rubric = self.form.rule(case)
        answers = self.form.answers(utterances(case))
        judged = await asyncio.gather(*(self.ask(rubric, shown, MAJORITY) for shown in form.materials(case)))
        judging = summarize_votes(list(chain.from_iterable(judged)))
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
            said = [role for role, _ in utterances(case)[: answers[first]]]
            reason = f"{turn_title(said.count('user'))}: {why}"
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
