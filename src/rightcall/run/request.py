"""The arguments of `evaluate`, whose forms all reduce to one of two tasks.

    evaluate(agent, goldens_or_file, trials=3)                                   run an agent
    evaluate(data=…, executor=…, evaluators={"name": fn}, group_name="…")        run a function on data
    evaluate(test_cases, metrics)   evaluate(test_cases=…, metrics=…)            score what was done

`ready` has test cases to score, `plan` an agent to run. Arguments of DeepEval's `evaluate` are accepted where
they mean something here, and otherwise rejected with what to use instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rightcall.agents.agent import Agent
from rightcall.agents.agent_endpoint import with_endpoint
from rightcall.agents.conversation.model_user import UserSetup
from rightcall.agents.conversation.user_side import Users
from rightcall.agents.limits import RunLimits
from rightcall.core.errors import ConfigError, suggestion
from rightcall.decide.config import Gate, read_gate
from rightcall.metrics.base import AnyMetric, Metric
from rightcall.metrics.matching.verdict import ScoringRules
from rightcall.metrics.resolve import as_metrics, observed
from rightcall.metrics.score_case import Scorer
from rightcall.model.case import AnyTestCase, ConversationalTestCase, TestCase
from rightcall.model.golden import ConversationalGolden, Golden, with_id
from rightcall.run.plan import Plan, Selection

IGNORED = frozenset(("display_config", "cache_config"))
"""Arguments of DeepEval's that affect output and storage, not measurement."""

INSTEAD = {
    "classifiers": "use a metric, or expected_labels of the golden with a rubric",
    "metric_collection": "use metrics=[…]",
    "mcp_servers": "pass the tools to the agent: Agent(…, tools=…)",
    "official": "remove it",
    "error_config": "remove it: a metric that fails makes its case an error, and the other cases are scored",
    "throttle_value": "remove it: requests slow down when the provider asks",
}
OPTIONS = (
    "test_cases", "data", "executor", "evaluators", "trials", "metrics", "observe", "rules", "concurrency", "seed",
    "name", "group", "group_name", "gate", "only", "user", "run_limits", "store", "hyperparameters", "identifier",
    "async_config",
)  # fmt: skip


@dataclass(frozen=True)
class EvaluateOptions:
    """How cases are scored and stored, whatever form they came in."""

    metrics: Sequence[AnyMetric] = ()
    observe: Sequence[AnyMetric] = ()
    rules: ScoringRules | None = None
    trials: int = 1
    concurrency: int = 32
    seed: int = 0
    name: str = "evaluate"
    group: str = ""
    gate: Gate | None = None
    only: Sequence[str] = ()
    run_limits: RunLimits | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    user: UserSetup | Users | None = None


@dataclass(frozen=True)
class EvaluateRequest:
    """Either test cases to score or a plan to run."""

    options: EvaluateOptions
    scorer: Scorer
    ready: Sequence[AnyTestCase] = ()
    plan: Plan | None = None


def read_request(
    agent: Any,
    dataset: Any,
    *,
    test_cases: Sequence[AnyTestCase] | None,
    data: Any,
    executor: Any,
    evaluators: Mapping[str, Callable[..., Any]] | None,
    options: EvaluateOptions,
) -> EvaluateRequest:
    """The request that the arguments describe; `ConfigError` for missing ones, `TypeError` for ones that conflict."""
    if test_cases is None and isinstance(agent, list | tuple):
        test_cases, agent = agent, None
    if test_cases is not None:
        test_cases = list(getattr(test_cases, "test_cases", test_cases))  # a dataset has its own
        _alone("test_cases", agent=agent, data=data, executor=executor, evaluators=evaluators)
        named = options.metrics or dataset
        return EvaluateRequest(options, _scorer(as_metrics(named), options), ready=_checked(test_cases))
    if data is not None or executor is not None:
        _alone("data and executor", agent=agent, dataset=dataset or None)
        return _of_data(data, executor, evaluators, options)
    if evaluators is not None:
        raise TypeError("evaluators= requires data= and executor=; with an agent, use metrics=[…]")
    if agent is None:
        raise TypeError(
            "nothing to evaluate; use evaluate(agent, goldens), evaluate(test_cases=…, metrics=…), or "
            "evaluate(data=…, executor=…, evaluators={…})"
        )
    chosen = as_metrics(options.metrics)
    made = agent if isinstance(agent, Agent) else Agent(agent)
    return _planned(made, _goldens(dataset), chosen, options)


def deepeval_options(others: Mapping[str, Any]) -> dict[str, Any]:
    """The equivalents of DeepEval's arguments; a `TypeError` for those without one."""
    found: dict[str, Any] = {}
    for word, value in others.items():
        if word == "hyperparameters":
            found["settings"] = {name: _plain(one) for name, one in (value or {}).items()}
        elif word == "identifier":
            found |= {"name": value} if value else {}
        elif word == "async_config":
            found |= {"concurrency": value.max_concurrent} if hasattr(value, "max_concurrent") else {}
        elif word not in IGNORED:
            hint = INSTEAD.get(word) or suggestion(word, OPTIONS) or f"known: {', '.join(OPTIONS)}"
            raise TypeError(f"evaluate() got an unexpected argument '{word}'; {hint}")
    return found


def gate_of(gate: Gate | Mapping[str, Any] | float | None) -> Gate | None:
    """A gate, the mapping of a suite, or the required pass rate."""
    if gate is None or isinstance(gate, Gate):
        return gate
    if isinstance(gate, int | float):
        gate = {"min": float(gate)}
    return read_gate(dict(gate))


def _of_data(data: Any, executor: Any, evaluators: Any, options: EvaluateOptions) -> EvaluateRequest:
    from rightcall.run.datapoints import agent_of, goldens_of, metrics_of

    if data is None or executor is None:
        missing = "data" if data is None else "executor"
        raise TypeError(f"evaluate(data=…, executor=…) requires both; {missing} is missing")
    if evaluators is not None and not isinstance(evaluators, Mapping):
        raise TypeError("evaluators must map a name to a function: evaluators={'exact': exact}")
    chosen = as_metrics([*options.metrics, *metrics_of(evaluators or {})])
    return _planned(agent_of(executor), goldens_of(data), chosen, options)


def _planned(
    agent: Agent, goldens: Path | list[Golden], chosen: list[Metric], options: EvaluateOptions
) -> EvaluateRequest:
    plan = Plan(
        name=options.name,
        agent=with_endpoint(agent),
        dataset=goldens,
        metrics=chosen,
        observe=observed(options.observe, chosen),
        rules=options.rules or ScoringRules(),
        trials=options.trials,
        seed=options.seed,
        concurrency=options.concurrency,
        run_limits=options.run_limits or RunLimits(),
        group=options.group,
        gate=options.gate,
        selection=Selection(tuple(options.only)),
        settings=options.settings,
        user=options.user,
    )
    return EvaluateRequest(options, plan.scorer, plan=plan)


def _scorer(chosen: list[Metric], options: EvaluateOptions) -> Scorer:
    return Scorer(chosen, observed(options.observe, chosen), options.rules or ScoringRules())


def _goldens(dataset: str | Path | Iterable[Any]) -> Path | list[Golden]:
    if isinstance(dataset, str | Path):
        return Path(dataset)
    goldens = list(dataset)
    for place, golden in enumerate(goldens):
        if isinstance(golden, TestCase | ConversationalTestCase):
            raise TypeError("test cases need no agent; use evaluate(test_cases=…, metrics=…)")
        if not isinstance(golden, Golden | ConversationalGolden):
            raise ConfigError(f"golden {place}: expected a Golden, got {type(golden).__name__}")
    if not goldens:
        raise ConfigError(
            "evaluate(agent, dataset) requires goldens: a file such as 'goldens.jsonl', or a list of them"
        )
    return [with_id(golden) for golden in goldens]


def _checked(cases: Sequence[AnyTestCase]) -> Sequence[AnyTestCase]:
    if not cases:
        raise ConfigError("evaluate(test_cases, metrics) requires test cases, got none")
    for place, case in enumerate(cases):
        if isinstance(case, Golden | ConversationalGolden):
            raise ConfigError(
                f"test case {place} is a golden, which has nothing to score yet; use evaluate(agent, goldens)"
            )
        if not isinstance(case, TestCase | ConversationalTestCase):
            raise ConfigError(f"test case {place}: expected a TestCase, got {type(case).__name__}")
    return cases


def _alone(what: str, **others: Any) -> None:
    for name, value in others.items():
        if value is not None:
            raise TypeError(f"evaluate() got both {what} and {name}; pass only one")


def _plain(value: Any) -> Any:
    return value if isinstance(value, str | int | float | bool | None) else str(value)
