"""Verifies a golden: its calls match their schemas, run on mocks, appear in the request, follow from it, and are new.

Checks run from cheap to expensive and stop at the first failure. A golden that fails is dropped with the reason.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from rightcall.core.codec import encode
from rightcall.datasets.near_duplicates import NearTexts, normalize
from rightcall.metrics.matching.reasons import reason
from rightcall.model.call import ToolCall
from rightcall.model.expected_call import ExpectedCall
from rightcall.model.golden import AnyGolden, Golden, request_of
from rightcall.model.score import Score
from rightcall.model.tool import Tool
from rightcall.model.trajectory import Trajectory, Usage
from rightcall.tools.definitions.offer import tools_for
from rightcall.tools.definitions.validate import problems
from rightcall.tools.runtime.toolbox import Toolbox
from rightcall.wings.generate.config import VerificationConfig
from rightcall.wings.generate.plannable_tools import has_usable_schema
from rightcall.wings.generate.solver import Solver, total_usage
from rightcall.wings.generate.statement import missing_values, surplus_numbers, tool_mention, unlike_a_request
from rightcall.wings.generate.values import sample_arguments


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
        self._tools, self._solver, self._seed = tools, solver, seed
        self._config = config or VerificationConfig()
        usable = [tool for tool in tools.values() if has_usable_schema(tool)]
        self._toolbox = Toolbox(usable, mocks=mocks, seed=seed)

    async def verify(self, golden: Golden) -> tuple[dict[str, Score], Usage]:
        """The checks that were made, by name, and what they cost; the golden is right when all of them pass."""
        scores: dict[str, Score] = {}
        scores["schema"] = self._schema(golden)
        if scores["schema"].passed:
            scores["executes"] = await self._executes(golden)
        if all(score.passed for score in scores.values()):
            scores["stated"] = self._statement_score(golden)
        used = Usage()
        if self._solver is not None and all(score.passed for score in scores.values()):
            scores["recovered"], used = await self._recovery_score(golden, self._solver)
        return scores, used

    def _schema(self, golden: Golden) -> Score:
        if not golden.expected_calls and not golden.no_calls:
            return Score.passed_if(False, "the golden expects no call and does not forbid calls")
        offered = tools_for(golden, self._tools)
        for call in golden.expected_calls:
            if not isinstance(call.tool, str) or call.tool not in offered:
                return Score.passed_if(False, f"unknown tool '{call.tool}'")
            arguments = values_of(call)
            if arguments is None:
                return Score.passed_if(False, f"{call.tool}: an expected argument is not a single value")
            wrong = [p for p in problems(offered[call.tool], self._concrete(call, arguments)) if p]
            if wrong:
                return Score.passed_if(
                    False, f"{call.tool}: {wrong[0].path or 'arguments'}: {wrong[0].message}"
                )
        return Score.passed_if(True)

    async def _executes(self, golden: Golden) -> Score:
        offered = filter(has_usable_schema, tools_for(golden, self._tools).values())
        context = self._toolbox.context(task=golden.id, offered=offered)
        for number, call in enumerate(golden.expected_calls):
            arguments = self._concrete(call, values_of(call) or {})
            tool_call = ToolCall(str(call.tool), arguments, id=f"call_{number}", step=number)
            invocation = await self._toolbox.invoke(tool_call, context)
            if invocation.error is not None:
                return Score.passed_if(False, f"{call.tool} failed on its mock: {invocation.error.detail}")
        return Score.passed_if(True)

    def _statement_score(self, golden: Golden) -> Score:
        if name := tool_mention(golden.input, self._tools):
            return Score.passed_if(False, f"the request names the tool {name}")
        if problem := unlike_a_request(golden.input):
            return Score.passed_if(False, f"the request does not read like a user's: {problem}")
        if not self._config.literal or golden.no_calls:
            return Score.passed_if(True)
        values = [values_of(call) or {} for call in golden.expected_calls]
        if missing := missing_values(golden.input, values):
            return Score.passed_if(False, f"the request does not contain {missing[0]}")
        if surplus := surplus_numbers(golden.input, values):
            return Score.passed_if(False, f"the request contains {surplus[0]}, which no call uses")
        return Score.passed_if(True)

    async def _recovery_score(self, golden: Golden, solver: Solver) -> tuple[Score, Usage]:
        agreed, failures = 0, list[str]()
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
        tool = self._tools.get(str(call.tool))
        open_ones = [name for name, spec in (call.args or {}).items() if _is_ref(spec)]
        if tool is None or not open_ones:
            return arguments
        names = frozenset((*arguments, *open_ones))
        sampled = sample_arguments(tool, names, random.Random(self._seed), fixed=arguments)  # noqa: S311
        return sampled or arguments


def values_of(call: ExpectedCall) -> dict[str, Any] | None:
    """The values an expected call states; None when one of them could be many values."""
    values: dict[str, Any] = {}
    for name, spec in (call.args or {}).items():
        if _is_ref(spec):
            continue
        if isinstance(spec, dict):
            stated = next((spec[key] for key in ("exact", "text") if key in spec), _UNKNOWN)
            if set(spec) == {"one_of"} and spec["one_of"]:
                stated = spec["one_of"][0]  # the forms of one value
            if stated is _UNKNOWN:
                return None
            values[name] = stated
        else:
            values[name] = spec
    return values


_UNKNOWN = object()


def _is_ref(spec: Any) -> bool:
    return isinstance(spec, dict) and set(spec) == {"ref"}


ALIKE = 0.85


class Duplicates:
    """Remembers goldens. Two requests that differ in a value are two tests, however similar."""

    def __init__(self) -> None:
        self._same: dict[str, str] = {}
        self._near: dict[bytes, NearTexts] = {}
        self._first: dict[bytes, str] = {}

    def earlier(self, golden: AnyGolden) -> str:
        """The id of an earlier golden that this one repeats, or an empty string; the golden is remembered."""
        turns = () if isinstance(golden, Golden) else golden.turns
        text = "\n".join([request_of(golden), *(turn.content for turn in turns)])
        if (same := self._same.setdefault(normalize(text) or text, golden.id)) != golden.id:
            return same
        calls = encode([golden.expected_calls, *turns])
        if "template" in golden.tags and golden.expected_calls and calls in self._near:
            return self._first[calls]  # another frame around the same calls tests nothing new
        self._first.setdefault(calls, golden.id)
        match = self._near.setdefault(calls, NearTexts(ALIKE)).earlier(golden.id, text)
        return match[0] if match else ""
