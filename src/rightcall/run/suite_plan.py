"""From a suite to a plan: its tools, agent, metrics and gate resolved, every problem found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec

from rightcall.agents.agent import Agent, with_endpoint
from rightcall.agents.kinds import agent_problems
from rightcall.core.errors import ConfigError
from rightcall.files.project_files import ProjectFiles, enter_folder
from rightcall.files.python_object import search_modules_in
from rightcall.metrics.base import Metric
from rightcall.metrics.matching.verdict import DEFAULT_RULES, read_rules
from rightcall.metrics.resolve import as_metrics, metrics_to_observe
from rightcall.providers.catalog import ModelCatalog
from rightcall.providers.hosts import split_address
from rightcall.run.agent_sources import suite_sources
from rightcall.run.conversations import user_setup
from rightcall.run.inputs import ask_hash
from rightcall.run.plan import Plan, Selection
from rightcall.run.suite import Suite, limbs_of, suite_gate, suite_models
from rightcall.run.suite_actions import (
    has_live_tools,
    imports_code,
    is_code_metric,
    metric_names,
    mock_functions,
)
from rightcall.run.suite_agent import at_typed_server, placeholder_agent, suite_agent, suite_mode, try_part
from rightcall.run.trust import is_trusted
from rightcall.run.watched_inputs import folder_of_imports, import_watch
from rightcall.tools.definitions.source import definitions_of


def plan_suite(
    suite: Suite,
    folder: Path,
    *,
    model: str | None = None,
    trials: int | None = None,
    concurrency: int | None = None,
    selection: Selection | None = None,
    overrides: Mapping[str, Any] = MappingProxyType({}),
    start_nothing: bool = False,
) -> Plan:
    """The plan of a suite with what the command line replaces; one `ConfigError` lists every problem.

    `overrides` are for limbs, by their keys.

    With `start_nothing` no server is started and no module of the suite imported; such a plan can be estimated but not
    run, and lacks tools and metrics defined in code.
    """
    problems: list[str] = []
    model, url = split_address(model) if model else (None, None)
    if start_nothing:
        suite = _without_code(suite, folder)
    elif is_trusted(folder):
        search_modules_in(folder)
    begun = Path.cwd()
    with enter_folder(), _imports_watched(suite, folder, model, start_nothing=start_nothing):
        models = try_part(problems, lambda: suite_models(suite, folder)) or ModelCatalog()
        limbs = try_part(problems, lambda: limbs_of(suite, overrides)) or []
        agent = suite_agent(suite, folder, problems, limbs=limbs, model=model, start_nothing=start_nothing)
        agent = replace(agent, models=models.endpoints)
        placed = try_part(problems, lambda: with_endpoint(at_typed_server(agent, suite, model, url), models))
        agent = placed or replace(agent, model=placeholder_agent)
        chosen = _folder_of_modules(folder, begun)
    dataset = begun / folder / suite.dataset if chosen else folder / suite.dataset
    metrics, observed_only = try_part(problems, lambda: suite_metrics(suite, models)) or ([], [])
    rules = try_part(problems, lambda: read_rules(suite.rules))
    problems += _contradictory_limits(suite)
    plan = Plan(
        name=suite.name,
        agent=agent,
        dataset=dataset,
        metrics=metrics,
        observe=observed_only,
        rules=rules or DEFAULT_RULES,
        trials=trials or suite.trials,
        seed=suite.seed,
        concurrency=concurrency or suite.concurrency,
        run_limits=suite.run_limits,
        gate=try_part(problems, lambda: suite_gate(suite)),
        judges=suite.judge,
        quarantine=suite.quarantined_ids,
        selection=selection or Selection(),
        sources=None if start_nothing else suite_sources(suite, folder, agent, model).in_folder(chosen),
        user=None
        if suite.user is None
        else try_part(problems, lambda: user_setup(suite.user, folder, models)),
        models=models,
        lock_problems=()
        if start_nothing
        else try_part(problems, lambda: _lock_problems(folder, agent)) or (),
    )
    if problems:
        checkable = (
            agent if agent.model is not placeholder_agent else replace(agent, approvals=None, with_={})
        )
        raise ConfigError(*dict.fromkeys(problems + agent_problems(checkable)))
    for limb, block in limbs:
        plan = limb.plan(plan, block, folder)
    return _with_recorded_inputs(plan)


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

    tools = list(chain.from_iterable(definitions_of(entry) for entry in agent.tools))
    return tuple(lock_problems(folder, lock_differences(folder, tools)))


def _imports_watched(
    suite: Suite, folder: Path, model: str | None, *, start_nothing: bool
) -> AbstractContextManager[object]:
    """Sees what modules of the suite open while they are imported; without any, nothing is watched."""
    if start_nothing or not imports_code(suite, folder, model):
        return nullcontext()
    return import_watch(ProjectFiles.of(folder)).watch


def _folder_of_modules(folder: Path, begun: Path) -> Path | None:
    """The working folder that modules of the project chose when they were imported, now or before."""
    project = ProjectFiles.of(begun / folder)
    folder_now = Path.cwd()
    if folder_now == begun:
        return folder_of_imports(project)
    import_watch(project).folder = folder_now
    return folder_now


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
    code = has_live_tools(suite, folder)
    mocks = (
        {} if code else {name: mock for name, mock in suite.mocks.items() if not any(mock_functions(mock))}
    )
    tools = None if code else suite.tools
    agent = msgspec.structs.replace(suite.agent, mode=suite_mode(suite) if suite.mocks else suite.agent.mode)
    return msgspec.structs.replace(suite, agent=agent, metrics=metrics, tools=tools, mocks=mocks)


def _contradictory_limits(suite: Suite) -> Iterator[str]:
    for name, form in (("tokens", ","), ("cost_usd", "g"), ("seconds", "g")):
        case = getattr(suite.limits, name)
        whole = getattr(suite.run_limits, name)
        if case and whole and case > whole:
            yield f"limits.{name} ({case:{form}}) is more than run_limits.{name} ({whole:{form}})"
