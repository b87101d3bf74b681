"""The parameters of `evaluate` and `score_cases`, each declared once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import Annotated, Any

from rightcall.agents.agent import Agent, with_endpoint
from rightcall.agents.limits import RunLimits
from rightcall.core.codec import convert
from rightcall.core.errors import ConfigError
from rightcall.core.options import Option, StoreOption
from rightcall.core.seam import load
from rightcall.decide.config import Gate, read_gate
from rightcall.metrics.base import AnyMetric
from rightcall.metrics.matching.verdict import Rules, read_rules
from rightcall.metrics.resolve import as_metrics, metrics_to_observe
from rightcall.records.case import AnyTestCase, ConversationalTestCase, TestCase
from rightcall.records.golden import AnyGolden, ConversationalGolden, Golden, with_id
from rightcall.run.conversations import as_user
from rightcall.run.plan import Plan, Selection

Metrics = Annotated[
    Sequence[AnyMetric],
    Option("Metrics that must pass in addition to the golden: names, metrics or plain functions"),
]


Quiet = Annotated[
    bool | None, Option("Print nothing", default="print the result, except in notebooks and under pytest")
]


@dataclass(frozen=True, kw_only=True)
class ScoringOptions:
    """How cases are scored, decided and stored."""

    measure: Annotated[Sequence[AnyMetric], Option("Metrics to measure without affecting the result")] = ()
    rules: Annotated[Rules | None, Option("How the parts of a case count, and when it passes")] = None
    concurrency: Annotated[int, Option("Maximum concurrent cases", ge=1)] = 32
    name: Annotated[str, Option("Name of the run")] = "evaluate"
    group: Annotated[str, Option("Group of runs to compare over time")] = ""
    gate: Annotated[
        Gate | Mapping[str, Any] | float | None,
        Option(
            "What decides whether the run passes: a Gate, the mapping of a suite, or the pass rate to reach",
            default="every case must pass",
        ),
    ] = None
    settings: Annotated[
        Mapping[str, Any], Option("Settings to keep with the run, such as a prompt's version")
    ] = field(default_factory=dict)
    store: StoreOption = None
    quiet: Quiet = None

    def decision(self) -> Gate | None:
        """The gate, in whichever form it was passed."""
        if self.gate is None or isinstance(self.gate, Gate):
            return self.gate
        return read_gate({"min": float(self.gate)} if isinstance(self.gate, int | float) else dict(self.gate))

    def plain_settings(self) -> dict[str, Any]:
        """The settings as a store can keep them: values that are not plain are kept as text."""
        plain = str | int | float | bool | None
        return {name: v if isinstance(v, plain) else str(v) for name, v in self.settings.items()}


@dataclass(frozen=True)
class ScoreCasesOptions(ScoringOptions):
    """Test cases to score."""

    cases: Annotated[Sequence[AnyTestCase], Option("What was expected, and what an agent did")]
    metrics: Metrics = ()

    def require_cases(self) -> list[AnyTestCase]:
        """The cases; a `ConfigError` names the first that is not a test case."""
        cases = list(getattr(self.cases, "test_cases", self.cases))  # a dataset has its own
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


@dataclass(frozen=True)
class EvaluateOptions(ScoringOptions):
    """An agent to run on a dataset."""

    agent: Annotated[
        Agent | str | Callable[[Golden], Any],
        Option("An `Agent`, a model's name, or a callable that takes a text and returns what it did"),
    ]
    dataset: Annotated[str | Path | Iterable[AnyGolden], Option("A file of goldens, or goldens")]
    _: KW_ONLY
    metrics: Metrics = ()
    trials: Annotated[int, Option("Trials per golden", ge=1)] = 1
    seed: Annotated[int, Option("Seed of the order of the cases and of everything random")] = 0
    only: Annotated[Sequence[str], Option("Only these ids (wildcards * and ?), tags or categories")] = ()
    run_limits: Annotated[
        RunLimits | Mapping[str, Any] | None,
        Option("Limits of the whole run: `cost_usd`, `tokens`, `seconds`"),
    ] = None
    user: Annotated[
        Any,
        Option(
            "Who plays the users of conversations that are not fully scripted: a model, the mapping of a suite, or a "
            "`UserSetup`"
        ),
    ] = None
    attacks: Annotated[
        Any,
        Option(
            "Attack the agent: `auto`, a file of a plan of attacks, or its contents", default="no attacks"
        ),
    ] = None
    workers: Annotated[int | None, Option("Worker processes that share the run, on Ray")] = None
    on: Annotated[str | None, Option('Where workers run: "ray", "ray:auto" or "ray:HOST:PORT"')] = None
    progress: Annotated[
        bool | None,
        Option("Whether to show a progress bar", default="in notebooks, and when stderr is a terminal"),
    ] = None

    def plan(self) -> Plan:
        """The plan of the run; a `ConfigError` names what is missing."""
        metrics = as_metrics(self.metrics)
        plan = Plan(
            name=self.name,
            agent=with_endpoint(self.agent if isinstance(self.agent, Agent) else Agent(self.agent)),
            dataset=self._goldens(),
            metrics=metrics,
            observe=metrics_to_observe(self.measure, metrics),
            rules=read_rules(self.rules),
            trials=self.trials,
            seed=self.seed,
            concurrency=self.concurrency,
            run_limits=convert(self.run_limits or {}, RunLimits, "run_limits"),
            group=self.group,
            gate=self.decision(),
            selection=Selection(tuple(self.only)),
            settings=self.plain_settings(),
            user=as_user(self.user),
        )
        return plan if self.attacks is None else load("services", "attacked_plan")(plan, self.attacks)

    def _goldens(self) -> Path | list[AnyGolden]:
        if isinstance(self.dataset, str | Path):
            return Path(self.dataset)
        goldens = list(self.dataset)
        for place, golden in enumerate(goldens):
            if isinstance(golden, TestCase | ConversationalTestCase):
                raise TypeError("test cases need no agent; use score_cases(test_cases, metrics)")
            if not isinstance(golden, Golden | ConversationalGolden):
                raise ConfigError(f"golden {place}: expected a Golden, got {type(golden).__name__}")
        if not goldens:
            raise ConfigError(
                "evaluate(agent, dataset) requires goldens: a file such as 'goldens.jsonl', or a list of them"
            )
        return [with_id(golden) for golden in goldens]
