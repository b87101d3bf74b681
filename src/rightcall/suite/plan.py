"""The plan of a run: everything resolved and checked, every problem found, nothing spent yet."""

from __future__ import annotations

import hashlib
import os
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

import msgspec

from rightcall.adapters import ObservedAgent, agent_tools, detect
from rightcall.datasets import load_goldens
from rightcall.errors import ConfigError, RightCallError
from rightcall.executor import Agent, RunLimits, Users, UserSetup, agent_problems
from rightcall.files import is_object_name, load_object, search_modules_in
from rightcall.gate import Gate, read_gate
from rightcall.metrics import METRIC_SECONDS, Metric, Scorer, ScoringRules, as_metrics, observed
from rightcall.metrics.matching import DEFAULT_WEIGHTS
from rightcall.model.codec import described, fingerprinted, stable_repr
from rightcall.model.dialects import read_tool
from rightcall.model.golden import AnyGolden, Golden
from rightcall.model.tool import Tool
from rightcall.providers import is_address, placeholder_keys, scrubber
from rightcall.suite.agent_exchange import exchange_of, require_spans
from rightcall.suite.conversations import conversations_of, simulator_fingerprint, user_setup
from rightcall.suite.inputs import Inputs, ask_hash, file_hashes, inputs_of
from rightcall.suite.selection import Selection
from rightcall.suite.suite import AgentConfig, Suite
from rightcall.suite.suite_actions import actions, is_code, is_code_metric, metric_names
from rightcall.suite.suite_files import code_files, record_settings, suite_recordings
from rightcall.tools import load_tools
from rightcall.tools.definitions import from_module, listed_tools, with_tool_set
from rightcall.tools.faults import FaultPlan, load_plan, read_plan
from rightcall.tools.mcp import McpAddress, read_address
from rightcall.tools.worlds import make_world

BLOCK = 10_000
"""Block size of the seeded shuffle, which keeps memory constant."""

CLIENTS = ("openai", "anthropic")
"""Adapters whose objects are clients of a model: those are models to ask, not agents to watch."""


class Done(Protocol):
    """Says by a cell's place whether it has a result."""

    def __getitem__(self, place: int) -> bool: ...


@dataclass(frozen=True)
class Plan:
    """What to run. `goldens()` yields them in the seeded order.

    `in_memory` are the goldens of the dataset, if it was already read. `suite_file` is the suite's path, relative to
    the working folder, and `run_options` are the options of `rightcall run` that replace settings of the suite.
    """

    name: str
    agent: Agent
    dataset: Path | Sequence[AnyGolden]
    metrics: Sequence[Metric] = ()
    observe: Sequence[Metric] = ()
    metric_seconds: float = METRIC_SECONDS
    rules: ScoringRules = field(default_factory=ScoringRules)
    trials: int = 1
    seed: int = 0
    concurrency: int = 32
    run_limits: RunLimits = field(default_factory=RunLimits)
    group: str = ""
    gate: Gate | None = None
    quarantine: frozenset[str] = frozenset()
    selection: Selection = field(default_factory=Selection)
    settings: Mapping[str, Any] = field(default_factory=dict)
    in_memory: Sequence[AnyGolden] | None = None
    include_unreviewed: bool = False
    code: Mapping[str, str] = field(default_factory=dict)
    user: UserSetup | Users | None = None
    suite_file: str = ""
    run_options: str = ""

    @property
    def from_json(self) -> bool:
        """Whether goldens come from a JSON file, and hold no values but those of JSON."""
        return isinstance(self.dataset, Path) and self.dataset.suffix in {".jsonl", ".json"}

    @property
    def own_agent(self) -> bool:
        """Whether the agent is a user-defined function."""
        model = self.agent.model
        return callable(model) and not isinstance(model, str) and not hasattr(model, "complete")

    @property
    def scorer(self) -> Scorer:
        """What scores every case."""
        return Scorer(self.metrics, self.observe, self.rules, self.metric_seconds)

    def goldens(self) -> Iterator[AnyGolden]:
        stream = self.unshuffled()
        for number, block in enumerate(iter(lambda: list(islice(stream, BLOCK)), [])):
            random.Random(f"{self.seed}/{number}").shuffle(block)  # noqa: S311
            block.reverse()
            while block:  # a golden that is under way is in memory, and one that is done is not
                yield block.pop()

    def unshuffled(self) -> Iterator[AnyGolden]:
        """The same goldens in the order of the dataset: for those who need no order, and no block in memory."""
        return self.selection.chosen(self._all_goldens())

    def jobs(self, done: Done | None = None) -> Iterator[tuple[AnyGolden, int]]:
        """Every trial of every golden; those that are `done` by their place among all of them are left out."""
        place = 0
        for golden in self.goldens():
            for trial in range(self.trials):
                if done is None or not done[place]:
                    yield golden, trial
                place += 1

    def fingerprints(self, tools: Sequence[Tool]) -> dict[str, str]:
        """Fingerprints of everything that must stay the same for a run to be resumed."""
        agent = self.agent
        return {
            "dataset": self._dataset_fingerprint(),
            "tools": _fingerprint(msgspec.to_builtins(list(tools))),
            "agent": _fingerprint(
                [agent.name, agent.system, agent.mode, agent.execute, agent.base_url, *_way(agent)]
                + (["strict"] if agent.strict else [])
            ),
            "settings": _fingerprint(msgspec.to_builtins(agent.settings)),
            "limits": _fingerprint(msgspec.to_builtins(agent.limits)),
            "mocks": _fingerprint(agent.mocks),
            "metrics": scorer_fingerprint(self.scorer),
            "selection": _fingerprint(repr(self.selection)),
            "setup": _fingerprint(self.setup()),
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

    def inputs(self) -> Inputs:
        """Everything that reaches the model, by hash."""
        return inputs_of(self)

    def setup(self) -> dict[str, Any]:
        """The agent in readable form, secrets removed; `compare` shows how two runs differ."""
        agent = self.agent
        settings = msgspec.to_builtins(agent.settings, enc_hook=described)
        made = {
            "model": agent.name,
            "system": agent.system,
            "mode": agent.mode,
            "settings": settings if isinstance(settings, dict) else {},
            "limits": msgspec.to_builtins(agent.limits),
            "execute": agent.execute,
            "base_url": agent.base_url or "",
            "strict": agent.strict,
        }
        return msgspec.json.decode(scrubber()(content_of(made).decode()), type=dict[str, Any])

    def _all_goldens(self) -> Iterator[AnyGolden]:
        for golden in self._stream():
            for one in conversations_of(golden, self.user):
                yield with_tool_set(one, self.agent.tool_sets)

    def _stream(self) -> Iterable[AnyGolden]:
        if not isinstance(self.dataset, Path):
            return self.dataset
        return load_goldens(self.dataset) if self.in_memory is None else self.in_memory

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
    """The plan of a suite with the overrides of the command line; one `ConfigError` lists every problem.

    With `start_nothing` no server is started and no module of the suite imported; such a plan can be estimated but not
    run, and lacks tools and metrics defined in code.
    """
    problems: list[str] = []
    config = suite.agent
    search_modules_in(folder)
    if start_nothing:
        suite = _without_code(suite, folder)
    with placeholder_keys(
        record_settings(suite).mode == "replay"
    ):  # modules may make their clients when imported
        tools, mcp = _tried(problems, lambda: _suite_tools(suite, folder)) or ([], None)
        tested = _tested(model, config, folder, problems, start_nothing=start_nothing)
    loops = config.mode == "loop" or isinstance(tested, ObservedAgent)
    broken = _tried(problems, lambda: _fault_plan(faults or suite.faults, folder, loops))
    metrics, watched = _tried(problems, lambda: _suite_metrics(suite)) or ([], [])
    rules = (
        _tried(problems, lambda: ScoringRules(suite.weights or DEFAULT_WEIGHTS, suite.pass_rule))
        or ScoringRules()
    )
    problems += _contradictory_limits(suite)
    agent = Agent(
        model=tested,
        tools=tools,
        system=config.system,
        mode=config.mode,
        settings=config.settings,
        base_url=config.base_url[0] if isinstance(config.base_url, tuple) else config.base_url,
        base_urls=config.base_url if isinstance(config.base_url, tuple) else (),
        limits=suite.limits,
        mocks=suite.mocks,
        execute=config.execute or "mock",
        strict=config.strict,
        faults=broken,
        mcp=mcp,
        record=str(folder / config.record) if config.record else None,
        tool_sets=suite.tool_sets,
        rate=config.rate,
        recordings=None if start_nothing else _tried(problems, lambda: suite_recordings(suite, folder)),
        exchange=exchange_of(config, tested, folder),
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
        code=file_hashes(code_files(suite, folder, model)),
        user=_tried(problems, lambda: user_setup(suite.user, folder)),
    )
    if problems:
        raise ConfigError(*dict.fromkeys(problems + agent_problems(agent)))
    if agent.recordings is not None:
        inputs = plan.inputs()
        agent.recordings.inputs_of = lambda golden: ask_hash(golden, inputs)
    return plan


def scorer_fingerprint(scorer: Scorer) -> str:
    """The metrics and rules that produced the results."""
    observed_too = [[stable_repr(metric) for metric in scorer.observe]] if scorer.observe else []
    named = [stable_repr(metric) for metric in scorer.metrics]
    return _fingerprint([named, *observed_too, dict(scorer.rules.weighting), scorer.rules.pass_rule])


def _suite_metrics(suite: Suite) -> tuple[list[Metric], list[Metric]]:
    """The metrics that decide, and those under `observe`, which do not."""
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
    """The suite without the tools and metrics defined in code."""
    metrics = tuple(name for name in metric_names(suite) if not is_code_metric(name))
    plain = msgspec.structs.replace(suite, metrics=())
    tools = None if any(one.kind != "write" for one in actions(plain, folder, "keyword:")) else suite.tools
    return msgspec.structs.replace(suite, metrics=metrics, tools=tools)


def _not_imported(name: str, folder: Path) -> Any:
    """A placeholder with the same name for an agent defined in code."""
    if not is_code(name, folder):
        return name

    def agent(golden: Golden) -> None:
        raise ConfigError(f"'{name}' was not imported, so it cannot be run")

    agent.__name__ = name
    return agent


def _way(agent: Agent) -> list[Any]:
    """How an agent that is not a model is run and understood; nothing of its secrets."""
    if isinstance(agent.model, ObservedAgent):
        watched = agent.model
        return [watched.via, watched.calls, watched.handoffs, watched.tools_run]
    shapes = [agent.exchange.request, agent.exchange.response, agent.exchange.reuse]
    if agent.exchange.spans:
        from rightcall.executor import OTEL

        shapes += [OTEL, agent.exchange.calls]
    return shapes if any(shapes) else []


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
    if isinstance(tools, str) and is_object_name(tools) and not (folder / tools).exists():
        return [*from_module(tools, agent_tools), *worlds], None
    if isinstance(tools, str):
        return [*load_tools(folder / tools), *worlds], None
    return [*(read_tool(raw, f"tools[{i}]") for i, raw in enumerate(tools)), *worlds], None


def _fault_plan(given: str | dict[str, Any] | None, folder: Path, loops: bool) -> FaultPlan | None:
    if given is None:
        return None
    if not loops:
        raise ConfigError("faults affect tools while they run, so they require agent.mode: loop")
    return load_plan(folder / given) if isinstance(given, str) else read_plan(given, "faults")


def _tested(
    model: str | None, config: AgentConfig, folder: Path, problems: list[str], *, start_nothing: bool
) -> Any:
    """What the suite tests: a model's name, a function, or an agent that is watched while it runs."""
    if start_nothing:
        return _not_imported(model or config.model, folder)
    typed_here = model is not None and Path(model.partition(":")[2]).is_file()
    named = _model(model if model and typed_here else beside(model or config.model, folder), folder, problems)
    return _tried(problems, lambda: _observed(named, config, given=model)) or named


def _observed(model: Any, config: AgentConfig, given: str | None) -> Any:
    """The agent watched while it runs, when the suite asks for it or its framework is known; else itself.

    `given` is a model named on the command line instead of the suite's, which need not be one to watch.
    """
    if model is _unloaded or isinstance(model, str | ObservedAgent):
        if config.observe is not None and isinstance(model, str) and given is None:
            if is_address(model):
                require_spans(config, model)
                return model
            raise ConfigError(f"agent.observe goes with module:agent, http: or exec:, not with '{model}'")
        return model
    known = detect(model)
    if config.observe is None and (known is None or known.name in CLIENTS):
        return model
    from rightcall.executor import observe

    via = config.observe or "auto"
    return observe(
        model, via=via, calls=config.calls, handoffs=config.handoffs, tools=config.execute or "real"
    )


def beside(name: str, folder: Path) -> str:
    """A model that is a file of the suite's folder, as seen from here; any other name as it is."""
    prefix, _, file = name.partition(":")
    if prefix not in ("scripted", "recorded", "local") or not file or not (folder / file).is_file():
        return name
    return f"{prefix}:{os.path.relpath(folder / file)}"


def _model(name: str, folder: Path, problems: list[str]) -> Any:
    """`provider:model` stays a name; `module:callable` becomes the callable, when no provider has that name."""
    if not is_code(name, folder):
        return name
    return _tried(problems, lambda: load_object(name)) or _unloaded


def _unloaded(golden: Golden) -> None:
    """Stands for an agent that could not be loaded, so that nothing more is found wrong with it."""


def _contradictory_limits(suite: Suite) -> Iterator[str]:
    one, whole = suite.limits, suite.run_limits
    if one.tokens and whole.tokens and one.tokens > whole.tokens:
        yield f"limits.tokens ({one.tokens:,}) is more than run_limits.tokens ({whole.tokens:,})"
    if one.cost_usd and whole.cost_usd and one.cost_usd > whole.cost_usd:
        yield f"limits.cost_usd ({one.cost_usd:g}) is more than run_limits.cost_usd ({whole.cost_usd:g})"
    if one.seconds and whole.seconds and one.seconds > whole.seconds:
        yield f"limits.seconds ({one.seconds:g}) is more than run_limits.seconds ({whole.seconds:g})"


def _tried(problems: list[str], make: Any) -> Any:
    """The result of `make`; or None, with the error added to the problems."""
    try:
        return make()
    except ConfigError as error:
        problems += error.problems
    except RightCallError as error:
        problems.append(str(error))
    return None


def _fingerprint(value: Any) -> str:
    return hashlib.sha256(content_of(value)).hexdigest()


def content_of(value: Any) -> bytes:
    """The bytes a fingerprint is made of."""
    return msgspec.json.encode(value, enc_hook=repr, order="deterministic")
