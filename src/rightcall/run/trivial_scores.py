"""Scores trivial agents on a golden as a run is scored, without a model, a request or a real tool."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, NamedTuple, get_args

from rightcall.metrics.matching.binding import mentions_ref
from rightcall.metrics.matching.fast_path import fails_by_names
from rightcall.metrics.measurement import is_quick
from rightcall.model.floor import TrivialName
from rightcall.model.golden import AnyGolden, Golden, category_of
from rightcall.run.rehearsal.trial import Judgement, Trial
from rightcall.run.trivial_agents import Offer, Response, act, requests_of

if TYPE_CHECKING:
    from rightcall.tools.runtime.toolbox import Toolbox

AGENTS: tuple[TrivialName, ...] = get_args(TrivialName)

MOST_OFFERS = 200
"""Sets of tools for which the calls of trivial agents are kept."""

LETTERS: dict[Judgement, str] = {"passed": "1", "failed": "0", "not_judged": "-"}


class TrivialMarks(NamedTuple):
    """What the trivial agents made of a golden: a letter for each in their order, 1, 0, or - when it was not judged."""

    category: str
    letters: str
    why_not_judged: str = ""


class TrivialScorer:
    """The trivial agents and the criteria of a suite. With `single_turn` calls have no results but in conversations."""

    def __init__(self, trial: Trial, *, single_turn: bool = False) -> None:
        self._trial, self._toolbox, self._single_turn = trial, trial.toolbox, single_turn
        self._own_metrics = bool(trial.scorer.metrics)
        self._offers: dict[tuple[str, ...] | None, Offer] = {}
        self._broken: tuple[type[BaseException], ...] = (Exception,)

    def guard(self) -> AbstractContextManager[None]:
        """Inside this block code of users (metrics, mocks, worlds) reaches nothing outside of the process."""
        if self._toolbox is None and all(map(is_quick, self._trial.scorer.metrics)):
            return nullcontext()
        from rightcall.recording.first_requests.listener import refuse_requests
        from rightcall.recording.first_requests.trial import FirstRequestReached

        self._broken = (Exception, FirstRequestReached)
        return refuse_requests()

    async def marks(self, golden: AnyGolden) -> TrivialMarks | None:
        """What each agent made of a golden; None when nothing decides it. Agents that do the same are scored once."""
        if not (self._trial.judged or self._trial.scorer.checks(golden)):
            return None
        category = category_of(golden)
        try:
            offer, requests = self._offer(golden), requests_of(golden)
        except Exception as error:  # a definition in the golden that cannot be read
            return TrivialMarks(category, "-" * len(AGENTS), f"{type(error).__name__}: {error}")
        with_words = self._own_metrics or bool(golden.output_contains)
        judged: list[tuple[list[Response], Judgement]] = []
        letters, why_not_judged = "", ""
        for agent in AGENTS:
            responses = [offer.respond(agent, request) for request in requests]
            if not with_words:
                responses = [Response(response.calls) for response in responses]
            judgement = next((judgement for other, judgement in judged if other == responses), None)
            if judgement is None:
                judgement, why = await self._judge_agent(agent, golden, offer, responses)
                judged.append((responses, judgement))
                if judgement == "not_judged":
                    why_not_judged = why_not_judged or why or "not judged"
            letters += LETTERS[judgement]
        return TrivialMarks(category, letters, why_not_judged)

    async def _judge_agent(
        self, agent: TrivialName, golden: AnyGolden, offer: Offer, responses: list[Response]
    ) -> tuple[Judgement, str]:
        names = [call.name for response in responses for call in response.calls]
        # A metric that breaks must be seen, even where the calls alone would fail.
        single = golden if isinstance(golden, Golden) and not self._own_metrics else None
        if single is not None and fails_by_names(single, names, self._trial.scorer.rules):
            return "failed", ""
        try:
            stage = None
            if self._toolbox is not None and self._plays(self._toolbox, golden, names):
                from rightcall.run.rehearsal.stage import Stage  # scoring files plays nothing

                stage = Stage(self._toolbox, golden, offer.tools, agent)
            return await self._trial.judge(golden, await act(golden, responses, stage))
        except self._broken as error:  # code of users: a function, a mock, a world
            return "not_judged", f"{type(error).__name__}: {error}"

    def _plays(self, toolbox: Toolbox, golden: AnyGolden, names: list[str]) -> bool:
        """Whether calls have results, and more than the calls themselves decides."""
        if (self._single_turn and isinstance(golden, Golden)) or not (names or toolbox.has_worlds):
            return False
        return bool(
            toolbox.has_worlds
            or self._own_metrics
            or not isinstance(golden, Golden)
            or golden.output_contains
            or golden.expected_state is not None
            or golden.count_failed != "all"
            or golden.confirm
            or golden.as_ is not None
            or any(
                mentions_ref(call.args) for calls in (golden.expected_calls, *golden.any_of) for call in calls
            )
        )

    def _offer(self, golden: AnyGolden) -> Offer:
        """The offer of a golden; goldens that name the same tools share one."""
        names = golden.tools
        if names is not None and not all(isinstance(name, str) for name in names):
            return Offer(self._trial.tools_of(golden))
        key = None if names is None else tuple(map(str, names))
        if key not in self._offers:
            if len(self._offers) >= MOST_OFFERS:
                self._offers.clear()
            self._offers[key] = Offer(self._trial.tools_of(golden))
        return self._offers[key]
