"""Laminar's `evaluate(data, executor, evaluators)`: a script changes `lmnr` to `rightcall.laminar` in its imports.

    from rightcall.laminar import evaluate

    evaluate(
        data=[{"data": {"country": "France"}, "target": {"capital": "Paris"}}],
        executor=lambda data: ask(data["country"]),
        evaluators={"correct": lambda output, target: int(output == target["capital"])},
        group_name="capitals",
    )

Nothing is sent anywhere: the results are a run in the store, as those of `rightcall.evaluate`, and decide.
`docs/laminar.md` says what is stricter than in Laminar.
"""

from __future__ import annotations

import asyncio
import inspect
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from rightcall.agents.agent import Agent
from rightcall.agents.agent_function import AgentFunction
from rightcall.agents.callable_agent import as_trajectory, call_function, detached
from rightcall.agents.observed.observed_agent import ObservedAgent
from rightcall.api.evaluation import aevaluate as run_agent
from rightcall.api.run_result import RunResult
from rightcall.core.codec import name_of, source_hash
from rightcall.core.errors import ConfigError, InputError
from rightcall.core.event_loop import run_blocking
from rightcall.datasets.targets import golden_of_datapoint, items_with_place
from rightcall.files.checked_read import require_file
from rightcall.metrics.base import AnyMetric, Metric, score_of_value, score_when_ready
from rightcall.metrics.matching.verdict import pass_threshold
from rightcall.records.call import ToolCall
from rightcall.records.case import TestCase
from rightcall.records.golden import Golden, with_id
from rightcall.records.score import Score
from rightcall.records.trajectory import Trajectory

__all__ = ["aevaluate", "evaluate"]

OF_THE_SERVICE = frozenset(
    (
        "project_api_key", "base_url", "base_http_url", "http_port", "grpc_port", "instruments",
        "disabled_instruments", "max_export_batch_size", "trace_export_timeout_seconds", "metadata",
    )
)  # fmt: skip
"""Arguments that say where and how Laminar stores results."""


async def aevaluate(
    data: str | Path | Iterable[Any] | None = None,
    executor: Callable[[Any], Any] | None = None,
    evaluators: Mapping[str, Callable[..., Any]] | None = None,
    *,
    name: str | None = None,
    group_name: str | None = None,
    concurrency_limit: int = 5,
    metrics: Sequence[AnyMetric] = (),
    **others: Any,
) -> RunResult:
    """`evaluate` for a running event loop."""
    if data is None or executor is None:
        missing = "data" if data is None else "executor"
        raise TypeError(f"evaluate(data=…, executor=…) requires both; {missing} is missing")
    if evaluators is not None and not isinstance(evaluators, Mapping):
        raise TypeError("evaluators must map a name to a function: evaluators={'exact': exact}")
    options = {
        "name": name or "evaluate",
        "group": group_name or "",
        "concurrency": concurrency_limit,
        **{word: value for word, value in others.items() if word not in OF_THE_SERVICE},
    }
    every = [*metrics, *(Evaluator(label, function) for label, function in (evaluators or {}).items())]
    return await run_agent(agent_of(executor), goldens_of(data), metrics=every, **options)


def evaluate(
    data: str | Path | Iterable[Any] | None = None,
    executor: Callable[[Any], Any] | None = None,
    evaluators: Mapping[str, Callable[..., Any]] | None = None,
    **options: Any,
) -> RunResult | Coroutine[Any, Any, RunResult]:
    """Run the executor on the data of each item and score what it returns against the target with every evaluator.

    Inside a running event loop it returns a coroutine to await, as Laminar does. `options` are Laminar's `name`,
    `group_name` and `concurrency_limit`, and those of `rightcall.evaluate`; those about Laminar's service have no
    effect.
    """
    work = aevaluate(data, executor, evaluators, **options)
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return run_blocking(work)
    return work


NOTHING = object()
_returned: ContextVar[Any] = ContextVar("returned", default=NOTHING)
"""What the executor returned for the current case. A case is run and scored in one task."""


def goldens_of(data: str | Path | Iterable[Any]) -> list[Golden]:
    """Goldens from a file of items or items in memory; goldens are kept unchanged."""
    if isinstance(data, str | Path):
        placed = list(items_with_place(require_file(data)))
    else:
        placed = [(f"data[{place}]", item) for place, item in enumerate(data)]
    if not placed:
        raise ConfigError("evaluate(data=…) requires items such as {'data': …, 'target': …}, got none")
    goldens = [
        with_id(item if isinstance(item, Golden) else golden_of_datapoint(item, at)) for at, item in placed
    ]
    return _distinct(goldens)


def _distinct(goldens: list[Golden]) -> list[Golden]:
    """Append a number to repeated ids: data may contain duplicates."""
    seen: Counter[str] = Counter()
    distinct = []
    for golden in goldens:
        seen[golden.id] += 1
        times = seen[golden.id]
        distinct.append(golden if times == 1 else replace(golden, id=f"{golden.id}-{times}"))
    return distinct


def agent_of(executor: Any) -> Agent:
    """An agent, observed or not, a model's name, or a function from the data of an item to any value."""
    if isinstance(executor, Agent):
        return executor
    if isinstance(executor, str | ObservedAgent) or hasattr(executor, "complete"):
        return Agent(executor)
    if not callable(executor):
        problem = f"executor must be a function, an Agent or a model's name, got {type(executor).__name__}"
        raise ConfigError(problem)
    return Agent(Executor(executor))


@dataclass(frozen=True)
class Executor:
    """A user's executor as an agent: it gets the data, or without any what an agent gets of a golden.

    Its return value is kept for the evaluators.
    """

    function: Callable[[Any], Any]

    @property
    def name(self) -> str:
        return str(getattr(self.function, "__name__", type(self.function).__name__)).strip("<>")

    async def __call__(self, golden: Golden) -> Trajectory:
        _returned.set(NOTHING)  # clear the previous case, in case this one raises
        if "data" in golden.metadata:
            returned = await call_function(self.function, detached(golden.metadata["data"]))
        else:
            function = await AgentFunction.of(self.function).begin(golden)
            returned = await function.call(golden.input, golden)
        _returned.set(returned)
        return trajectory_of(returned)


def trajectory_of(returned: Any) -> Trajectory:
    """Calls and text in an executor's return value; any other value becomes text."""
    if isinstance(returned, Mapping):
        calls = returned.get("toolCalls", returned.get("tool_calls"))
        names = returned.get("toolNames", returned.get("tool_names"))
        if isinstance(calls, list):
            return Trajectory(calls=tuple(map(_call, calls)), output=str(returned.get("output") or ""))
        if isinstance(names, list):
            return Trajectory(calls=tuple(ToolCall(str(name), None) for name in names))
    try:
        return as_trajectory(returned)
    except InputError as error:
        if error.where != "the agent":  # messages or a response with something in them that might be a call
            raise
        return Trajectory(output=json.dumps(returned, ensure_ascii=False, default=str))


@dataclass(frozen=True, repr=False)
class Evaluator(Metric):
    """A function `(output, target)` that returns true or false, a number from 0 to 1, or a `Score`.

    Several scores in a mapping count by the lowest, which the reason names.
    It may take the output alone, or the data third. A number passes when it is 1, for a secondary golden from
    the golden's threshold.
    """

    label: str
    function: Callable[..., Any]

    def __post_init__(self) -> None:
        _arity(self.label, self.function)

    @property
    def name(self) -> str:
        return self.label

    def __repr__(self) -> str:
        return f"Evaluator({self.label}, {name_of(self.function)} {source_hash(self.function)})"

    def measure(self, case: TestCase) -> Score | Awaitable[Score]:
        returned = _returned.get()
        output = case.trajectory if returned is NOTHING else returned
        metadata = case.golden.metadata
        parts = (output, metadata.get("target", case.golden), metadata.get("data", case.golden.input))
        measured = self.function(*parts[: _arity(self.label, self.function)])
        return score_when_ready(measured, partial(_lowest_score, threshold=pass_threshold(case.golden)))


def _lowest_score(measured: Any, threshold: float) -> Score:
    if not isinstance(measured, Mapping) or not measured:
        return score_of_value(measured, threshold)
    scores = {name: score_of_value(value, threshold) for name, value in measured.items()}
    lowest = min(scores, key=lambda name: (scores[name].passed, scores[name].value))
    score = scores[lowest]
    return replace(score, reason=f"{lowest}: {score.reason}" if score.reason else "")


def _arity(name: str, function: Callable[..., Any]) -> int:
    """How many of output, target and data the function takes."""
    if not callable(function):
        problem = f"evaluator '{name}' must be a function (output, target), got {type(function).__name__}"
        raise ConfigError(problem)
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 2
    places = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    needed = [p for p in places if p.default is p.empty]
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return 2
    if not places or len(needed) > 3:
        problem = f"evaluator '{name}' must take (output, target), got ({', '.join(p.name for p in places)})"
        raise ConfigError(problem)
    return min(len(places), max(2, len(needed)))


def _call(raw: Any) -> ToolCall:
    if isinstance(raw, ToolCall):
        return raw
    if isinstance(raw, str):
        return ToolCall(raw, None)
    name = next((raw[key] for key in ("toolName", "tool_name", "name", "tool") if key in raw), "")
    held = (raw.get(key) for key in ("args", "arguments", "input"))
    return ToolCall(str(name), next((value for value in held if isinstance(value, dict)), None))
