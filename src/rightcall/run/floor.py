"""The floor under a pass rate: what trivial agents pass, counted golden by golden, for an audit or a gate that asks."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property, partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from rightcall.core.redaction.clean_text import scrubber
from rightcall.core.text import one_line
from rightcall.metrics.matching.base import mentions_ref
from rightcall.metrics.matching.fast_path import fails_by_names
from rightcall.metrics.measurement import is_quick
from rightcall.providers.keyword import NO_TOOL_FITS, ToolIndex, extract, results_as_answer
from rightcall.records.call import ToolCall, ToolResult
from rightcall.records.dialects.wire import output_text
from rightcall.records.floor import AGENTS, Floor, FloorCount, TrivialName, TrivialRate
from rightcall.records.golden import AnyGolden, Golden, category_of, request_of
from rightcall.records.message import Message
from rightcall.records.tool import Tool
from rightcall.records.trajectory import Dialogue, Trajectory
from rightcall.run.rehearsal.trial import Judgement, Trial, trial_of_plan
from rightcall.schema.sample_values import required_values

if TYPE_CHECKING:
    from rightcall.decide.rule_source import Facts
    from rightcall.run.plan import Plan
    from rightcall.run.rehearsal.stage import Stage
    from rightcall.run.trials import TrialsDone
    from rightcall.tools.runtime.toolbox import Toolbox

MOST_REASONS = 5
PAUSE = 20
"""Goldens after which an interruption is heard."""


async def floor_evidence(done: TrialsDone) -> Facts:
    """The floor of a run whose gate requires points above it. If something prevents it, the floor says what."""
    plan = done.prepared.plan

    try:
        scorer = trivial_scorer(plan, done.prepared.tools)
        floor = await compute_floor(plan.in_dataset_order(), scorer, pause=partial(asyncio.sleep, 0))
    except Exception as error:  # tools that cannot be read
        floor = Floor(skipped=one_line(scrubber()(str(error)), 200))
    return {"floor": floor}


class FloorCounts:
    """Counts what trivial agents made of goldens; of a golden nothing else is kept."""

    def __init__(self) -> None:
        self._goldens_by_marks: Counter[tuple[str, str]] = Counter()
        self._why: Counter[str] = Counter()

    def add(self, marks: TrivialMarks) -> None:
        self._goldens_by_marks[marks.category, marks.letters] += 1
        if "-" in marks.letters:
            why = one_line(scrubber()(marks.why_not_judged), 200)
            self._why[why if why in self._why or len(self._why) < MOST_REASONS else "other reasons"] += 1

    def floor(self) -> Floor:
        """The rates so far."""
        rates = {agent: self._rate(place) for place, agent in enumerate(AGENTS)}
        shares = {agent: rate.share for agent, rate in rates.items() if rate.share is not None}
        best = max(shares, key=lambda agent: shares[agent], default=None)
        return Floor(
            nothing=shares.get("nothing"),
            best=None if best is None else shares[best],
            best_name=best or "",
            agents={str(agent): rate for agent, rate in rates.items()} if best else {},
            goldens=self._goldens_by_marks.total(),
            left_out=sum(n for (_, letters), n in self._goldens_by_marks.items() if "-" in letters),
            why_left_out=dict(sorted(self._why.items())),
            skipped="" if best else self._nothing_judged(),
        )

    def _rate(self, place: int) -> TrivialRate:
        """What the agent at this place of the marks passes."""
        judged = Counter[str]()
        passed = Counter[str]()
        for (category, letters), goldens in self._goldens_by_marks.items():
            judged[category] += goldens * (letters[place] != "-")
            passed[category] += goldens * (letters[place] == "1")
        categories = {name: FloorCount(passed[name], judged[name]) for name in sorted(judged) if judged[name]}
        return TrivialRate(passed.total(), judged.total(), categories)

    def _nothing_judged(self) -> str:
        if not self._goldens_by_marks:
            return "no golden states a check"
        return f"no golden could be judged ({next(iter(self._why))})"


async def compute_floor(
    goldens: Iterable[AnyGolden],
    scorer: TrivialScorer,
    *,
    pause: Callable[[], Awaitable[None]] | None = None,
) -> Floor:
    """The floor of these goldens. An error becomes a reason. `pause` is awaited now and then."""
    counts = FloorCounts()
    try:
        with scorer.guard():
            for number, golden in enumerate(goldens, 1):
                if golden.safety is not None:  # an attack on a task that counts already
                    continue
                if (marks := await scorer.marks(golden)) is not None:
                    counts.add(marks)
                if pause is not None and number % PAUSE == 0:
                    await pause()
        return counts.floor()
    except Exception as error:
        return Floor(skipped=one_line(scrubber()(f"{type(error).__name__}: {error}"), 200))


CALLERS = frozenset[TrivialName](("first", "everything", "keyword"))
"""The agents that call tools; the others differ in words alone."""
ANSWERS: dict[TrivialName, str] = {"constant": "I have done that.", "refuse": "I cannot help with that."}


class Response(NamedTuple):
    """What an agent does in one turn. Without an `answer` it repeats the results of its calls."""

    calls: tuple[ToolCall, ...] = ()
    answer: str | None = ""


class Offer:
    """The tools that goldens offer, and what agents make of them, computed once."""

    def __init__(self, tools: Mapping[str, Tool]) -> None:
        self.tools = tools

    @cached_property
    def calls(self) -> tuple[ToolCall, ...]:
        """A call of each tool with the least arguments that its schema asks for."""
        return tuple(ToolCall(name, least_arguments(tool)) for name, tool in self.tools.items())

    @cached_property
    def _index(self) -> ToolIndex:
        return ToolIndex(tuple(self.tools.values()))

    def respond(self, agent: TrivialName, request: str) -> Response:
        """What an agent does with a request."""
        match agent:
            case "first":
                return Response(self.calls[:1])
            case "everything":
                return Response(self.calls)
            case "keyword":
                tool = self._index.choose(request)
                if tool is None:
                    return Response(answer=NO_TOOL_FITS)
                return Response((ToolCall(tool.name, extract(tool, request)),), None)
            case "echo":
                return Response(answer=request)
            case _:
                return Response(answer=ANSWERS.get(agent, ""))


def least_arguments(tool: Tool) -> dict[str, Any]:
    """The least arguments of a call; none for a schema that no value can be made from."""
    try:
        return required_values(tool.input_schema, random.Random(0))  # noqa: S311  the same call every time
    except Exception:  # schemas are foreign: `minItems: "x"`, a limit beyond every number
        return {}


def requests_of(golden: AnyGolden) -> list[str]:
    """What the user says, turn by turn; a simulated user states the scenario."""
    return [turn.content for turn in golden.script] or [request_of(golden)]


async def act(golden: AnyGolden, responses: Sequence[Response], stage: Stage | None) -> Trajectory:
    """What comes of an agent's responses to the turns of a golden; on a `stage` its calls have results."""
    given = golden.given
    messages = [Message(turn.role, turn.content) for turn in given]
    step = sum(turn.role == "assistant" for turn in given)
    calls: list[ToolCall] = []
    answer = ""
    for request, response in zip(requests_of(golden), responses, strict=True):
        messages.append(Message("user", request))
        results: list[ToolCall] = []
        if response.calls:
            results = _with_ids(response.calls, step)
            if stage is not None:
                results = await stage.play(results)
            calls += results
            messages.append(Message("assistant", "", calls=tuple(results)))
            step += 1
            if stage is None and isinstance(golden, Golden):
                continue  # its choice is the last that is heard of it
            messages.append(Message("tool", results=tuple(map(_result, results))))
        answer = response.answer if response.answer is not None else results_as_answer(map(_output, results))
        messages.append(Message("assistant", answer))
        step += 1
    trajectory = Trajectory(
        messages=tuple(messages),
        calls=tuple(calls),
        output=answer,
        latency_ms=0.0,
        dialogue=None if isinstance(golden, Golden) else Dialogue("script_end", given=len(given)),
        approvals_seen=bool(golden.confirm),
    )
    return trajectory if stage is None else stage.with_evidence(trajectory)


def _with_ids(calls: Iterable[ToolCall], step: int) -> list[ToolCall]:
    return [msgspec.structs.replace(call, id=f"call_{step}_{at}", step=step) for at, call in enumerate(calls)]


def _result(call: ToolCall) -> ToolResult:
    return ToolResult(call.id, call.output, call.status == "error", call.name)


def _output(call: ToolCall) -> str:
    return output_text(call.output)


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
        self._trial = trial
        self._toolbox = trial.toolbox
        self._single_turn = single_turn
        self._own_metrics = bool(trial.scorer.metrics)
        self._offers: dict[tuple[str, ...] | None, Offer] = {}
        self._broken: tuple[type[BaseException], ...] = (Exception,)

    def guard(self) -> AbstractContextManager[None]:
        """Inside this block code of users (metrics, mocks, worlds) reaches nothing outside of the process."""
        has_code = self._toolbox is not None and self._toolbox.has_code
        if not has_code and all(map(is_quick, self._trial.scorer.metrics)):
            return nullcontext()
        from rightcall.recording.first_requests import FirstRequestReached, refuse_requests

        self._broken = (Exception, FirstRequestReached)
        return refuse_requests()

    async def marks(self, golden: AnyGolden) -> TrivialMarks | None:
        """What each agent made of a golden; None when nothing decides it. Agents that do the same are scored once."""
        if not (self._trial.judged or self._trial.scorer.checks(golden)):
            return None
        category = category_of(golden)
        try:
            offer = self._offer(golden)
            requests = requests_of(golden)
        except Exception as error:  # a definition in the golden that cannot be read
            return TrivialMarks(category, "-" * len(AGENTS), f"{type(error).__name__}: {error}")
        with_words = self._own_metrics or bool(golden.output_contains)
        judged: list[tuple[list[Response], Judgement]] = []
        letters = ""
        why_not_judged = ""
        silence = [Response()] * len(requests)
        for agent in AGENTS:
            if with_words:
                responses = [offer.respond(agent, request) for request in requests]
            elif agent in CALLERS:
                responses = [Response(offer.respond(agent, request).calls) for request in requests]
            else:
                responses = silence
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
        names = [call.name for call in chain.from_iterable(response.calls for response in responses)]
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
                any(mentions_ref(call.args) for call in calls)
                for calls in (golden.expected_calls, *golden.any_of)
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


def trivial_scorer(plan: Plan, tools: Mapping[str, Tool]) -> TrivialScorer:
    """The trivial agents with the tools, mocks and criteria of a plan."""
    return TrivialScorer(trial_of_plan(plan, tools), single_turn=plan.agent.asks_once)
