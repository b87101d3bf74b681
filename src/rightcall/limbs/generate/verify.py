"""Verifies a golden: its calls match their schemas, run on mocks, appear in the request, follow from it, and are new.

Checks run from cheap to expensive and stop at the first failure. A golden that fails is dropped with the reason.
Whether calls follow from a request is asked of solvers: independent readers, who know only the request and the tools.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from copy import copy
from functools import reduce
from typing import Any

import msgspec

from rightcall.agents.agent_loop import AgentLoop, Prompts, SingleTurn
from rightcall.agents.limits import Limits
from rightcall.agents.model_retries import Asker
from rightcall.core.codec import encode
from rightcall.core.errors import ProviderError
from rightcall.datasets.near_duplicates import NearTexts, normalize
from rightcall.limbs.generate.config import VerificationConfig
from rightcall.limbs.generate.statement import missing_values, surplus_numbers, tool_mention, unlike_a_request
from rightcall.limbs.generate.values import has_usable_schema, sample_arguments
from rightcall.metrics.case_result import result_of
from rightcall.metrics.matching.reasons import reason
from rightcall.providers.base import Settings
from rightcall.records.call import ToolCall
from rightcall.records.expected_call import ExpectedCall
from rightcall.records.golden import AnyGolden, Golden, request_of
from rightcall.records.run import CaseResult
from rightcall.records.score import Score
from rightcall.records.tool import Tool
from rightcall.records.trajectory import Trajectory, Usage
from rightcall.tools.definitions.offer import tools_for
from rightcall.tools.definitions.validate import problems
from rightcall.tools.runtime.toolbox import Toolbox

SYSTEM = (
    "Use the tools to do what the user asks. Call no tool that is not needed. "
    "When something is missing, ask for it."
)
LIMITS = Limits(steps=6)


class Solver:
    """Performs goldens with a model. Each sample has its own seed; the expected calls are never shown to it."""

    def __init__(
        self, asker: Asker, tools: Mapping[str, Tool], *, seed: int = 0, temperature: float = 0.7
    ) -> None:
        prompts = Prompts(SYSTEM, tools, Settings(temperature=temperature, max_tokens=400), seed)
        self._tools = tools
        self._once = SingleTurn(asker, prompts, LIMITS, Toolbox(prompts.tools.values()))
        self._loop = AgentLoop(asker, prompts, LIMITS, Toolbox(tools.values(), seed=seed), run_id="")

    async def sample(self, golden: Golden, number: int) -> Trajectory:
        """The calls of one solver. A failing provider is a `ProviderError`: it says nothing about the golden."""
        asked = Golden(
            golden.input, id=golden.id, tools=golden.tools, system=golden.system, context=golden.context
        )
        # A call that uses a value from the result of another needs that one to have run.
        performer = self._loop if any(call.after for call in golden.expected_calls) else self._once
        trajectory = await performer.perform(asked, number)
        if trajectory.stop_reason == "infra_error":
            raise ProviderError(trajectory.error, kind="server", retryable=True)
        return trajectory

    def judged(self, golden: Golden, trajectory: Trajectory) -> CaseResult:
        """The sample's score, strictly: no extra call, none missing, every argument correct."""
        category = "negative" if golden.no_calls else "golden"
        strict = msgspec.structs.replace(golden, expected_output=None, output_contains=(), category=category)
        return result_of(strict, 0, trajectory, tools_for(golden, self._tools))


def total_usage(trajectories: Iterable[Trajectory]) -> Usage:
    """The total usage of the samples."""
    return reduce(Usage.plus, (trajectory.usage for trajectory in trajectories), Usage())


class Verifier:
    """Verifies goldens against tools. Without a solver, what a request implies is judged only by its words."""

    def __init__(
        self,
        tools: Mapping[str, Tool],
        solver: Solver | None = None,
        config: VerificationConfig | None = None,
        *,
        mocks: Mapping[str, Any] | None = None,
        seed: int = 0,
    ) -> None:
        self._tools = tools
        self._solver = solver
        self._seed = seed
        self._planned = tools
        self._config = config or VerificationConfig()
        usable = [tool for tool in tools.values() if has_usable_schema(tool)]
        self._toolbox = Toolbox(usable, mocks=mocks, seed=seed)

    def with_values(self, planned: Mapping[str, Tool]) -> Verifier:
        """The same, with values to draw from for what another call's result gives."""
        other = copy(self)
        other._planned = planned
        return other

    async def verify(self, golden: Golden) -> tuple[dict[str, Score], Usage]:
        """The checks that were made, by name, and what they cost; the golden is right when all of them pass."""
        scores = {"schema": _score(self._schema_problem(golden))}
        used = Usage()
        if scores["schema"].passed:
            scores["executes"] = _score(await self._execution_problem(golden))
        if all(score.passed for score in scores.values()):
            scores["stated"] = _score(self._statement_problem(golden))
        if self._solver is not None and all(score.passed for score in scores.values()):
            scores["recovered"], used = await self._recovery_score(golden, self._solver)
        return scores, used

    def _schema_problem(self, golden: Golden) -> str:
        if not golden.expected_calls and not golden.no_calls:
            return "the golden expects no call and does not forbid calls"
        offered = tools_for(golden, self._tools)
        for call in golden.expected_calls:
            if not isinstance(call.tool, str) or call.tool not in offered:
                return f"unknown tool '{call.tool}'"
            arguments = values_of(call)
            if arguments is None:
                return f"{call.tool}: an expected argument is not a single value"
            if wrong := problems(offered[call.tool], self._concrete(call, arguments)):
                return f"{call.tool}: {wrong[0].path or 'arguments'}: {wrong[0].message}"
        return ""

    async def _execution_problem(self, golden: Golden) -> str:
        offered = filter(has_usable_schema, tools_for(golden, self._tools).values())
        context = self._toolbox.context(task=golden.id, offered=offered)
        for number, call in enumerate(golden.expected_calls):
            arguments = self._concrete(call, values_of(call) or {})
            tool_call = ToolCall(str(call.tool), arguments, id=f"call_{number}", step=number)
            invocation = await self._toolbox.invoke(tool_call, context)
            if invocation.error is not None:
                return f"{call.tool} failed on its mock: {invocation.error.detail}"
        return ""

    def _statement_problem(self, golden: Golden) -> str:
        if name := tool_mention(golden.input, self._tools):
            return f"the request names the tool {name}"
        if problem := unlike_a_request(golden.input):
            return f"the request does not read like a user's: {problem}"
        if not self._config.literal or golden.no_calls:
            return ""
        values = [values_of(call) or {} for call in golden.expected_calls]
        if missing := missing_values(golden.input, values):
            return f"the request does not contain {missing[0]}"
        if surplus := surplus_numbers(golden.input, values):
            return f"the request contains {surplus[0]}, which no call uses"
        return ""

    async def _recovery_score(self, golden: Golden, solver: Solver) -> tuple[Score, Usage]:
        agreed = 0
        failures = list[str]()
        done: list[Trajectory] = []
        for number in range(self._config.samples):
            trajectory = await solver.sample(golden, number)
            done.append(trajectory)
            result = solver.judged(golden, trajectory)
            agreed += result.passed
            if not result.passed:
                failures.append(result.error or reason(result.codes) or "other calls")
            left = self._config.samples - number - 1
            if agreed >= self._config.agree or agreed + left < self._config.agree:
                break
        passed = agreed >= self._config.agree
        why = f"recovered by {agreed} of {len(done)} solvers; {failures[0]}" if failures else ""
        return Score(agreed / len(done), passed, "" if passed else why), total_usage(done)

    def _concrete(self, call: ExpectedCall, arguments: dict[str, Any]) -> dict[str, Any]:
        """The arguments with a placeholder for each value from another call's result."""
        tool = self._planned.get(str(call.tool))
        open_ones = [name for name, spec in (call.args or {}).items() if _is_ref(spec)]
        if tool is None or not open_ones:
            return arguments
        names = frozenset((*arguments, *open_ones))
        sampled = sample_arguments(tool, names, random.Random(self._seed), fixed=arguments)  # noqa: S311
        return sampled or arguments


def _score(problem: str) -> Score:
    return Score.passed_if(not problem, problem)


def values_of(call: ExpectedCall) -> dict[str, Any] | None:
    """The values an expected call states; None when one of them could be many values."""
    values: dict[str, Any] = {}
    for name, spec in (call.args or {}).items():
        match spec:
            case {"ref": _} if _is_ref(spec):
                continue
            case {"exact": value} | {"text": value}:
                values[name] = value
            case {"one_of": [value, *_]} if len(spec) == 1:  # the forms of one value
                values[name] = value
            case dict():
                return None
            case _:
                values[name] = spec
    return values


def _is_ref(spec: Any) -> bool:
    return isinstance(spec, dict) and set(spec) == {"ref"}


ALIKE = 0.85


class Duplicates:
    """Remembers goldens. Two requests that differ in a value are two tests, however similar."""

    def __init__(self) -> None:
        self._same: dict[str, str] = {}
        self._near: dict[bytes, NearTexts] = {}

    def earlier(self, golden: AnyGolden) -> str:
        """The id of an earlier golden that this one repeats, or an empty string; the golden is remembered."""
        turns = golden.turns
        text = "\n".join([request_of(golden), *(turn.content for turn in turns)])
        if (same := self._same.setdefault(normalize(text) or text, golden.id)) != golden.id:
            return same
        calls = encode([golden.expected_calls, *turns])
        match = self._near.setdefault(calls, NearTexts(ALIKE)).earlier(golden.id, text)
        return match[0] if match else ""
