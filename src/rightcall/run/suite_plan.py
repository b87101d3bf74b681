"""From a suite to a plan: its tools, agent, metrics and gate resolved, every problem found."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from rightcall.agents.agent import Agent, is_address, with_endpoint
from rightcall.agents.observed.catalog import detect
from rightcall.agents.observed.observed_agent import ObservedAgent, observe
from rightcall.agents.setup_problems import agent_problems
from rightcall.core.errors import ConfigError, RightCallError
from rightcall.core.seam import load
from rightcall.decide.config import read_gate
from rightcall.files.project_files import ProjectFiles, enter_folder
from rightcall.files.python_object import load_object, search_modules_in
from rightcall.metrics.base import Metric
from rightcall.metrics.matching.verdict import DEFAULT_WEIGHTS, ScoringRules
from rightcall.metrics.resolve import as_metrics, metrics_to_observe
from rightcall.model.approval_policy import read_approvals
from rightcall.model.golden import Golden
from rightcall.models.catalog import ModelCatalog
from rightcall.recording.listener import placeholder_keys
from rightcall.run.agent_exchange import exchange_of, require_spans
from rightcall.run.agent_sources import suite_sources
from rightcall.run.conversations import user_setup
from rightcall.run.inputs import ask_hash
from rightcall.run.plan import Plan, Selection
from rightcall.run.suite import AgentConfig, Suite, beside, suite_models
from rightcall.run.suite_actions import (
    actions,
    is_code,
    is_code_metric,
    metric_names,
    mock_functions,
    record_settings,
    suite_recordings,
)
from rightcall.run.suite_tools import agent_skills, suite_tools
from rightcall.run.trust import may_search
from rightcall.run.watched_inputs import folder_of_imports, import_watch
from rightcall.tools.definitions.source import definitions_of
from rightcall.tools.faults.plan import FaultPlan, load_plan, read_plan
from rightcall.tools.guard.policy import GuardPolicy, guard_policy, read_policy

CLIENTS = ("openai", "anthropic")
"""Adapters whose objects are clients of a model: those are models, not agents to observe."""


def plan_suite(  # noqa: PLR0913  a suite, and what a command line may say instead
    suite: Suite,
    folder: Path,
    *,
    model: str | None = None,
    base_url: str | None = None,
    trials: int | None = None,
    concurrency: int | None = None,
    selection: Selection | None = None,
    faults: str | None = None,
    attacks: str | None = None,
    start_nothing: bool = False,
) -> Plan:
    """The plan of a suite with the overrides of the command line; one `ConfigError` lists every problem.

    With `start_nothing` no server is started and no module of the suite imported; such a plan can be estimated but not
    run, and lacks tools and metrics defined in code.
    """
    problems: list[str] = []
    if start_nothing:
        suite = _without_code(suite, folder)
    elif may_search(suite, folder, model):
        search_modules_in(folder)
    begun = Path.cwd()
    with enter_folder(), _imports_watched(suite, folder, model, start_nothing=start_nothing):
        models = _try(problems, lambda: suite_models(suite, folder)) or ModelCatalog()
        agent = _agent(suite, folder, problems, model=model, faults=faults, start_nothing=start_nothing)
        agent = replace(agent, models=models.endpoints)
        placed = _try(problems, lambda: with_endpoint(_at(agent, suite, model, base_url), models))
        agent = placed or replace(agent, model=_placeholder_agent)
        chosen = _folder_of_modules(folder, begun)
    dataset = begun / folder / suite.dataset if chosen else folder / suite.dataset
    metrics, observed_only = _try(problems, lambda: suite_metrics(suite, models)) or ([], [])
    rules = _try(problems, lambda: ScoringRules(suite.weights or DEFAULT_WEIGHTS, suite.pass_rule))
    problems += _contradictory_limits(suite)
    plan = Plan(
        name=suite.name,
        agent=agent,
        dataset=dataset,
        metrics=metrics,
        observe=observed_only,
        metric_seconds=suite.metric_seconds,
        rules=rules or ScoringRules(),
        trials=trials or suite.trials,
        seed=suite.seed,
        concurrency=concurrency or suite.concurrency,
        run_limits=suite.run_limits,
        group=suite.group,
        kind=suite.kind,
        gate=_try(problems, lambda: read_gate(suite.gate, judges=suite.judges)) if suite.gate else None,
        judges=suite.judges,
        quarantine=frozenset(suite.quarantine),
        selection=selection or Selection(),
        sources=None if start_nothing else suite_sources(suite, folder, agent, model).in_folder(chosen),
        user=None if suite.user is None else _try(problems, lambda: user_setup(suite.user, folder, models)),
        models=models,
        lock_problems=() if start_nothing else _try(problems, lambda: _lock_problems(folder, agent)) or (),
    )
    if problems:
        checkable = agent if agent.model is not _placeholder_agent else replace(agent, approvals=None)
        raise ConfigError(*dict.fromkeys(problems + agent_problems(checkable)))
    return _with_recorded_inputs(_with_attacks(plan, suite.attacks if attacks is None else attacks, folder))


def _with_attacks(plan: Plan, source: Any, folder: Path) -> Plan:
    """The plan with the attempts that an attack plan asks for."""
    attacked = source is not None and source != "none"
    return load("services", "attacked_plan")(plan, source, folder) if attacked else plan


def _with_recorded_inputs(plan: Plan) -> Plan:
    """The plan, whose recordings know what each golden asks."""
    if plan.agent.recordings is not None:
        inputs = plan.inputs()
        plan.agent.recordings.inputs_of = lambda golden: ask_hash(golden, inputs)
    return plan


def _lock_problems(folder: Path, agent: Agent) -> tuple[str, ...]:
    """Tools that are not as `tools.lock` next to the suite has them."""
    if not (folder / "tools.lock").is_file():
        return ()
    from rightcall.run.tool_lock import lock_differences, lock_problems  # loads the linter

    tools = [tool for entry in agent.tools for tool in definitions_of(entry)]
    return tuple(lock_problems(folder, lock_differences(folder, tools)))


def _imports_watched(
    suite: Suite, folder: Path, model: str | None, *, start_nothing: bool
) -> AbstractContextManager[object]:
    """Sees what modules of the suite open while they are imported; without any, nothing is watched."""
    if start_nothing or not any(action.kind == "import" for action in actions(suite, folder, model)):
        return nullcontext()
    return import_watch(ProjectFiles.of(folder)).watch


def _folder_of_modules(folder: Path, begun: Path) -> Path | None:
    """The working folder that modules of the project chose when they were imported, now or before."""
    project, folder_now = ProjectFiles.of(begun / folder), Path.cwd()
    if folder_now == begun:
        return folder_of_imports(project)
    import_watch(project).folder = folder_now
    return folder_now


def _agent(
    suite: Suite,
    folder: Path,
    problems: list[str],
    *,
    model: str | None,
    faults: str | None,
    start_nothing: bool,
) -> Agent:
    """The agent of a suite, with its tools and the faults to inject into them."""
    config = suite.agent
    replays = record_settings(suite).mode == "replay"
    recordings = None if start_nothing else _try(problems, lambda: suite_recordings(suite, folder))
    with placeholder_keys() if replays else nullcontext():  # modules may make their clients when imported
        listed = _try(problems, lambda: suite_tools(suite, folder, recordings))
        tools, mcp, server = listed or ([], None, "")
        tested = _load_subject(model, config, folder, problems, start_nothing=start_nothing)
    loops = config.mode == "loop" or isinstance(tested, ObservedAgent)
    return Agent(
        model=tested,
        tools=tools,
        system=config.system,
        mode=config.mode,
        settings=config.settings,
        base_url=config.base_url[0] if isinstance(config.base_url, tuple) else config.base_url,
        base_urls=config.base_url if isinstance(config.base_url, tuple) else (),
        key_env=config.key_env,
        headers=config.headers,
        limits=suite.limits,
        mocks=suite.mocks,
        execute=config.execute or ("real" if mcp is not None and mcp.replays else "mock"),
        strict=config.strict,
        defences=config.defences,
        faults=_try(problems, lambda: _fault_plan(faults or suite.faults, folder, loops)),
        mcp=mcp,
        mcp_server=server,
        record=str(folder / config.record) if config.record else None,
        tool_sets=suite.tool_sets,
        rate=config.rate,
        recordings=recordings,
        exchange=exchange_of(config, tested, folder),
        approvals=_try(problems, lambda: read_approvals(suite.approvals)) if suite.approvals else None,
        skills=_try(problems, lambda: agent_skills(config, folder)) or (),
        label="" if isinstance(tested, str) else model or config.model,
        guard=None if suite.guard is None else _try(problems, lambda: suite_guard(suite, folder)),
    )


def suite_guard(suite: Suite, folder: Path) -> GuardPolicy | None:
    """The guard policy of a suite; None for none."""
    if isinstance(suite.guard, dict):
        return read_policy(suite.guard, "guard")
    return guard_policy(suite.guard, folder)


def _at(agent: Agent, suite: Suite, model: str | None, base_url: str | None) -> Agent:
    """The agent at the server that was typed; a typed model of another provider is not at the suite's server."""
    own = suite.agent.model
    if (
        model is not None
        and model != own
        and (":" not in model or model.partition(":")[0] != own.partition(":")[0])
    ):
        agent = replace(agent, base_url=None, base_urls=(), key_env=None, headers={})
    if not base_url:
        return agent
    if agent.base_url != base_url:  # key and headers belong to the server they were written with
        agent = replace(agent, key_env=None, headers={})
    return replace(agent, base_url=base_url, base_urls=())


def suite_metrics(suite: Suite, models: ModelCatalog) -> tuple[list[Metric], list[Metric]]:
    """The metrics that decide, and those under `measure` (`observe` in older suites), which do not."""
    if not suite.metrics:
        return [], []
    named: list[str] = []
    watched: list[str] = []
    for entry in suite.metrics:
        if isinstance(entry, str):
            named.append(entry)
        elif len(entry) == 1 and entry.keys() <= {"measure", "observe"}:
            (names,) = entry.values()
            watched += [names] if isinstance(names, str) else names
        else:
            raise ConfigError(
                f"metrics: an object here must be {{measure: NAME}}, got {', '.join(entry) or '{}'}"
            )
    metrics = as_metrics(named, models)
    return metrics, metrics_to_observe(watched, metrics, models)


def _without_code(suite: Suite, folder: Path) -> Suite:
    """The suite without the tools, mocks and metrics defined in code."""
    metrics = tuple(name for name in metric_names(suite) if not is_code_metric(name))
    plain = msgspec.structs.replace(suite, metrics=(), mocks={})
    code = any(action.kind not in ("write", "send") for action in actions(plain, folder, "keyword:"))
    mocks = (
        {} if code else {name: mock for name, mock in suite.mocks.items() if not any(mock_functions(mock))}
    )
    tools = None if code else suite.tools
    return msgspec.structs.replace(suite, metrics=metrics, tools=tools, mocks=mocks)


def _not_imported(name: str, folder: Path) -> Any:
    """A placeholder with the same name for an agent defined in code."""
    if not is_code(name, folder):
        return name

    def agent(golden: Golden) -> None:
        raise ConfigError(f"'{name}' was not imported, so it cannot be run")

    agent.__name__ = name
    return agent


def _fault_plan(source: str | dict[str, Any] | None, folder: Path, loops: bool) -> FaultPlan | None:
    if source is None:
        return None
    if not loops:
        raise ConfigError("faults affect tools while they run, so they require agent.mode: loop")
    return load_plan(folder / source) if isinstance(source, str) else read_plan(source, "faults")


def _load_subject(
    model: str | None, config: AgentConfig, folder: Path, problems: list[str], *, start_nothing: bool
) -> Any:
    """What the suite tests: a model's name, a function, or an agent that is observed while it runs."""
    if start_nothing:
        return _not_imported(model or config.model, folder)
    typed_here = model is not None and Path(model.partition(":")[2]).is_file()
    name = model if model and typed_here else beside(model or config.model, folder)
    named: Any = name
    if is_code(name, folder):  # a name of a provider's model stays one
        named = _try(problems, lambda: load_object(name)) or _placeholder_agent
    return _try(problems, lambda: _observe_if_requested(named, config, typed_model=model)) or named


def _observe_if_requested(model: Any, config: AgentConfig, typed_model: str | None) -> Any:
    """The observed agent, when the suite requests it or its framework is known; otherwise the agent itself.

    `typed_model` is a model named on the command line instead of the suite's, which need not be observed.
    """
    if model is _placeholder_agent or isinstance(model, str | ObservedAgent):
        if config.observe is not None and isinstance(model, str) and typed_model is None:
            if is_address(model):
                require_spans(config, model)
                return model
            raise ConfigError(f"agent.observe requires module:agent, http: or exec:, got '{model}'")
        return model
    framework = detect(model)
    if config.observe is None and (framework is None or framework.name in CLIENTS):
        return model
    via = config.observe or "auto"
    return observe(
        model, via=via, calls=config.calls, handoffs=config.handoffs, tools=config.execute or "real"
    )


def _placeholder_agent(golden: Golden) -> None:
    """A placeholder for an agent that could not be loaded, so that no further problems are reported for it."""


def _contradictory_limits(suite: Suite) -> Iterator[str]:
    for name, form in (("tokens", ","), ("cost_usd", "g"), ("seconds", "g")):
        case, whole = getattr(suite.limits, name), getattr(suite.run_limits, name)
        if case and whole and case > whole:
            yield f"limits.{name} ({case:{form}}) is more than run_limits.{name} ({whole:{form}})"


def _try(problems: list[str], make: Any) -> Any:
    """The result of `make`; or None, with the error added to the problems."""
    try:
        return make()
    except ConfigError as error:
        problems += error.problems
    except RightCallError as error:
        problems.append(str(error))
    return None
