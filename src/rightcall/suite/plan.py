"""A run made ready: everything resolved and checked, every problem found, nothing spent yet."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from rightcall.datasets import load_goldens, numbered_goldens
from rightcall.errors import ConfigError, RightCallError
from rightcall.executor import (
    Agent,
    RunLimits,
    Session,
    Users,
    UserSetup,
    agent_problems,
    model_problems,
    settings_of,
)
from rightcall.gate import Gate, read_gate, warnings
from rightcall.metrics import METRIC_SECONDS, Metric, Rules, Scorer, as_metrics, observed
from rightcall.metrics.matching import DEFAULT_WEIGHTS
from rightcall.model import codec
from rightcall.model.described import described, fingerprinted, stable_repr
from rightcall.model.dialects import read_tool
from rightcall.model.golden import AnyGolden, Golden
from rightcall.providers import Settings
from rightcall.quality import check_goldens
from rightcall.suite.conversations import conversation_problem, conversations_of, simulator_fingerprint
from rightcall.suite.selection import Selection
from rightcall.suite.suite import Suite, UserConfig
from rightcall.suite.suite_actions import actions, is_code, is_code_metric, metric_names
from rightcall.tools import load_tools
from rightcall.tools.definitions import from_module, is_attribute, listed_tools, with_tool_set
from rightcall.tools.faults import FaultPlan, load_plan, read_plan
from rightcall.tools.mcp import McpAddress, read_address
from rightcall.tools.worlds import make_world

BLOCK = 10_000
"""Goldens are drawn in a seeded order, shuffled within blocks of this size: memory stays flat."""

SHOWN_PROBLEMS = 20


@dataclass(frozen=True)
class Plan:
    """What to run. `goldens()` gives them in the order drawn from the seed."""

    name: str
    agent: Agent
    dataset: Path | Sequence[AnyGolden]
    metrics: Sequence[Metric] = ()
    observe: Sequence[Metric] = ()
    metric_seconds: float = METRIC_SECONDS
    rules: Rules = field(default_factory=Rules)
    trials: int = 1
    seed: int = 0
    concurrency: int = 32
    run_limits: RunLimits = field(default_factory=RunLimits)
    group: str = ""
    gate: Gate | None = None
    quarantine: frozenset[str] = frozenset()
    selection: Selection = field(default_factory=Selection)
    settings: Mapping[str, Any] = field(default_factory=dict)
    user: UserSetup | Users | None = None

    @property
    def own_agent(self) -> bool:
        """Whether the agent is a user's function."""
        model = self.agent.model
        return callable(model) and not isinstance(model, str) and not hasattr(model, "complete")

    @property
    def scorer(self) -> Scorer:
        """What every case is scored by."""
        return Scorer(self.metrics, self.observe, self.rules, self.metric_seconds)

    def goldens(self) -> Iterator[AnyGolden]:
        stream = self.selection.chosen(self._all_goldens())
        for number, block in enumerate(iter(lambda: list(islice(stream, BLOCK)), [])):
            random.Random(f"{self.seed}/{number}").shuffle(block)  # noqa: S311
            yield from block

    def jobs(self, done: set[tuple[str, int]] = frozenset()) -> Iterator[tuple[AnyGolden, int]]:  # type: ignore[assignment]
        """Every trial of every golden that is not done yet."""
        for golden in self.goldens():
            for trial in range(self.trials):
                if (golden.id, trial) not in done:
                    yield golden, trial

    def fingerprints(self) -> dict[str, str]:
        """Short names of all that must stay the same for two halves of a run to be one run."""
        agent = self.agent
        return {
            "dataset": self._dataset_fingerprint(),
            "tools": _fingerprint(self._tool_definitions()),
            "agent": _fingerprint(
                [agent.name, agent.system, agent.mode, agent.execute, agent.base_url]
                + (["strict"] if agent.strict else [])
            ),
            "settings": _fingerprint(msgspec.to_builtins(agent.settings)),
            "limits": _fingerprint(msgspec.to_builtins(agent.limits)),
            "mocks": _fingerprint(agent.mocks),
            "metrics": scorer_fingerprint(self.scorer),
            "selection": _fingerprint(repr(self.selection)),
        } | self._extra_fingerprints()

    def _extra_fingerprints(self) -> dict[str, str]:
        """Of what most runs have not."""
        agent = self.agent
        sets = {name: list(members) for name, members in agent.tool_sets.items()}
        return (
            ({"faults": agent.faults.hash} if agent.faults else {})
            | ({"tool_sets": _fingerprint(sets)} if sets else {})
            | ({"simulator": simulator_fingerprint(self.user)} if self.user else {})
        )

    def documents(self) -> dict[str, bytes]:
        """What the store keeps by its fingerprint, so that a change of tools can be seen later."""
        return {"tools": _content(self._tool_definitions())}

    def _tool_definitions(self) -> list[Any]:
        return [msgspec.to_builtins(tool) for tool in Session(self.agent).toolbox.tools]

    def _all_goldens(self) -> Iterator[AnyGolden]:
        stream = load_goldens(self.dataset) if isinstance(self.dataset, Path) else iter(self.dataset)
        for golden in stream:
            for one in conversations_of(golden, self.user):
                yield with_tool_set(one, self.agent.tool_sets)

    def _dataset_fingerprint(self) -> str:
        if not isinstance(self.dataset, Path):
            return _fingerprint([msgspec.to_builtins(g, enc_hook=fingerprinted) for g in self.dataset])
        with self.dataset.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()


def plan_suite(
    suite: Suite,
    folder: Path,
    *,
    model: str | None = None,
    trials: int | None = None,
    concurrency: int | None = None,
    selection: Selection | None = None,
    faults: str | None = None,
    start_nothing: bool = False,
) -> Plan:
    """The plan of a suite, with what the command line overrides; one `ConfigError` tells every problem.

    With `start_nothing` no server is started and no module of the suite imported; such a plan can be estimated but not
    run, and lacks the tools and metrics that only code knows.
    """
    problems: list[str] = []
    config = suite.agent
    if start_nothing:
        suite = _without_code(suite, folder)
    tools, mcp = _tried(problems, lambda: _suite_tools(suite, folder)) or ([], None)
    broken = _tried(problems, lambda: _fault_plan(faults or suite.faults, folder, config.mode))
    metrics, watched = _tried(problems, lambda: _suite_metrics(suite)) or ([], [])
    rules = _tried(problems, lambda: Rules(suite.weights or DEFAULT_WEIGHTS, suite.pass_rule)) or Rules()
    problems += _contradictory_limits(suite)
    agent = Agent(
        model=_not_imported(model or config.model)
        if start_nothing
        else _model(model or config.model, problems),
        tools=tools,
        system=config.system,
        mode=config.mode,
        settings=config.settings,
        base_url=config.base_url,
        limits=suite.limits,
        mocks=suite.mocks,
        execute=config.execute,
        strict=config.strict,
        faults=broken,
        mcp=mcp,
        record=str(folder / config.record) if config.record else None,
        tool_sets=suite.tool_sets,
    )
    plan = Plan(
        name=suite.name,
        agent=agent,
        dataset=folder / suite.dataset,
        metrics=metrics,
        observe=watched,
        metric_seconds=suite.metric_seconds,
        rules=rules,
        trials=trials or suite.trials,
        seed=suite.seed,
        concurrency=concurrency or suite.concurrency,
        run_limits=suite.run_limits,
        group=suite.group,
        gate=_tried(problems, lambda: read_gate(suite.gate)) if suite.gate else None,
        quarantine=frozenset(suite.quarantine),
        selection=selection or Selection(),
        user=_tried(problems, lambda: user_setup(suite.user, folder)),
    )
    if problems:
        raise ConfigError(*dict.fromkeys(problems + agent_problems(agent)))
    return plan


def scorer_fingerprint(scorer: Scorer) -> str:
    """The metrics and rules that results were made by."""
    observed_too = [[stable_repr(metric) for metric in scorer.observe]] if scorer.observe else []
    named = [stable_repr(metric) for metric in scorer.metrics]
    return _fingerprint([named, *observed_too, dict(scorer.rules.weighting), scorer.rules.pass_rule])


async def preflight(plan: Plan) -> int:
    """Check all that can be checked without spending anything; gives the number of goldens.

    Raises one `ConfigError` with every problem: the model, the mocks, the goldens against the tools.
    """
    problems = agent_problems(plan.agent)
    session = None if problems else Session(plan.agent, concurrency=plan.concurrency, user=plan.user)
    if session is not None:
        async with session:
            problems += await session.check()
    problems += await plan.scorer.problems()
    tools = session.tools if session is not None else {}
    count = 0
    models: set[str] = set()

    def placed() -> Iterable[tuple[str, AnyGolden]]:
        nonlocal count
        if isinstance(plan.dataset, Path):
            source = ((f"{plan.dataset}:{line}", golden) for line, golden in numbered_goldens(plan.dataset))
        else:
            source = (_validated(golden) for golden in plan.dataset)
        for where, written in source:
            for golden in conversations_of(written, plan.user):
                if not plan.selection.chooses(golden):
                    continue
                count += 1
                if isinstance(golden, Golden):
                    settings_of(golden, Settings())
                    models.update(filter(None, [golden.model]))
                elif problem := conversation_problem(golden, plan.agent, plan.user):
                    problems.append(f"{where}: {problem}")
                yield where, with_tool_set(golden, plan.agent.tool_sets, where)

    try:
        errors = (f for f in check_goldens(placed(), tools) if f.severity == "error")
        said = (f"{f.where}: {f.message}" + (f"; {f.hint}" if f.hint else "") for f in errors)
        found = list(dict.fromkeys(said))  # a golden that is played in several manners is wrong once
    except RightCallError as error:
        found = [str(error)]
    if session is not None and session.provider is not None:
        problems += await model_problems(plan.agent, models)
    problems += found[:SHOWN_PROBLEMS]
    if len(found) > SHOWN_PROBLEMS:
        problems.append(
            f"… and {len(found) - SHOWN_PROBLEMS:,} more; `rightcall dataset check` lists them all"
        )
    if not problems and count == 0:
        problems.append(f"{plan.dataset}: no golden is left to run; does --only name what is there?")
    if problems:
        raise ConfigError(*problems)
    return min(count, plan.selection.limit or count)


def _validated(golden: AnyGolden) -> tuple[str, AnyGolden]:
    """A golden made in Python with its place, held to what a file is held to: a constructor checks no types."""
    where = f"golden '{golden.id}'"
    return where, codec.convert(msgspec.to_builtins(golden, enc_hook=described), type(golden), where)


def user_setup(config: UserConfig | None, folder: Path) -> UserSetup | None:
    """Who plays users, as a suite says it."""
    if config is None:
        return None
    return UserSetup(
        model=config.model,
        personas=config.personas,
        max_turns=config.max_turns,
        stopping_criteria=config.stopping_criteria,
        language=config.language,
        settings=config.settings,
        base_url=config.base_url,
        record=str(folder / config.record) if config.record else None,
    )


def gate_warnings(plan: Plan) -> list[str]:
    """What a gate can never show with these goldens, above all a PASS that is impossible."""
    if plan.gate is None:
        return []
    goldens = [golden for golden in plan.goldens() if golden.id not in plan.quarantine]
    return warnings(
        plan.gate,
        [golden.category for golden in goldens],
        [golden.tags for golden in goldens],
        trials=plan.trials,
        clusters=[golden.cluster for golden in goldens],
    )


def _suite_metrics(suite: Suite) -> tuple[list[Metric], list[Metric]]:
    """The metrics that decide, and those under `observe`, which only measure."""
    named: list[str] = []
    watched: list[str] = []
    for given in suite.metrics:
        if isinstance(given, str):
            named.append(given)
        elif given.keys() == {"observe"}:
            watched += [given["observe"]] if isinstance(given["observe"], str) else given["observe"]
        else:
            raise ConfigError(
                f"metrics: an object here must be {{observe: NAME}}, got {', '.join(given) or '{}'}"
            )
    metrics = as_metrics(named)
    return metrics, observed(watched, metrics)


def _without_code(suite: Suite, folder: Path) -> Suite:
    """The suite less its tools and metrics that are code."""
    metrics = tuple(name for name in metric_names(suite) if not is_code_metric(name))
    plain = msgspec.structs.replace(suite, metrics=())
    tools = None if any(one.kind != "write" for one in actions(plain, folder, "keyword:")) else suite.tools
    return msgspec.structs.replace(suite, metrics=metrics, tools=tools)


def _not_imported(name: str) -> Any:
    """A stand-in of the same name for an agent that is code."""
    if not is_code(name):
        return name

    def agent(golden: Golden) -> None:
        raise ConfigError(f"'{name}' was not imported, so it cannot be run")

    agent.__name__ = name
    return agent


def _suite_tools(suite: Suite, folder: Path) -> tuple[list[Any], McpAddress | None]:
    """The tools of a suite, and the MCP server they come from, if they do."""
    tools, worlds = suite.tools, [make_world(name, state) for name, state in suite.worlds.items()]
    if tools is None:
        return list(worlds), None
    if isinstance(tools, dict) or (isinstance(tools, str) and tools.startswith("mcp:")):
        if isinstance(tools, dict) and tools.keys() != {"mcp"}:
            raise ConfigError("tools: an object here must be {mcp: {command: […]}} or {mcp: {url: …}}")
        address = read_address(tools["mcp"] if isinstance(tools, dict) else tools, "tools.mcp")
        return [*listed_tools(address), *worlds], address
    if isinstance(tools, str) and is_attribute(tools) and not (folder / tools).exists():
        return [*from_module(tools), *worlds], None
    if isinstance(tools, str):
        return [*load_tools(folder / tools), *worlds], None
    return [*(read_tool(raw, f"tools[{i}]") for i, raw in enumerate(tools)), *worlds], None


def _fault_plan(given: str | dict[str, Any] | None, folder: Path, mode: str) -> FaultPlan | None:
    if given is None:
        return None
    if mode != "loop":
        raise ConfigError("faults break tools while they run, so they need agent.mode: loop")
    return load_plan(folder / given) if isinstance(given, str) else read_plan(given, "faults")


def _model(name: str, problems: list[str]) -> Any:
    """`provider:model` stays a name; `module:callable` becomes the callable, when no provider has that name."""
    return (_tried(problems, lambda: _imported(name)) or name) if is_code(name) else name


def _imported(name: str) -> Any:
    module, _, attribute = name.partition(":")
    try:
        return getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise ConfigError(f"'{name}' cannot be loaded: {error}") from None


def _contradictory_limits(suite: Suite) -> Iterator[str]:
    one, whole = suite.limits, suite.run_limits
    if one.tokens and whole.tokens and one.tokens > whole.tokens:
        yield f"limits.tokens ({one.tokens:,}) is more than run_limits.tokens ({whole.tokens:,})"
    if one.cost_usd and whole.cost_usd and one.cost_usd > whole.cost_usd:
        yield f"limits.cost_usd ({one.cost_usd:g}) is more than run_limits.cost_usd ({whole.cost_usd:g})"
    if one.seconds and whole.seconds and one.seconds > whole.seconds:
        yield f"limits.seconds ({one.seconds:g}) is more than run_limits.seconds ({whole.seconds:g})"


def _tried(problems: list[str], make: Any) -> Any:
    """What `make` makes; or None, with what is wrong added to the problems."""
    try:
        return make()
    except ConfigError as error:
        problems += error.problems
    except RightCallError as error:
        problems.append(str(error))
    return None


def _fingerprint(value: Any) -> str:
    return hashlib.sha256(_content(value)).hexdigest()


def _content(value: Any) -> bytes:
    return msgspec.json.encode(value, enc_hook=repr, order="deterministic")
