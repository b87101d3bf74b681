"""The settings of generation, the models that are opened with them once per run, and the work for `production`."""

from __future__ import annotations

import asyncio
import datetime
import random
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.metadata import version
from typing import Any, Self

import msgspec

from rightcall.agents.limits import RunLimits
from rightcall.agents.model_retries import Asker, Patience
from rightcall.core.codec import encode
from rightcall.core.digest import hex_digest
from rightcall.core.errors import ConfigError
from rightcall.core.text import utc_text
from rightcall.limbs.generate.config import (
    FiltrationConfig,
    Model,
    StylingConfig,
    VerificationConfig,
)
from rightcall.limbs.generate.production import (
    NOTHING,
    ROUNDS,
    Production,
    SynthesisProgress,
    Work,
    produce,
)
from rightcall.limbs.generate.scribe import PROMPTS, Scribe, Unreadable, step_prompt
from rightcall.limbs.generate.values import has_usable_schema, open_parameters
from rightcall.limbs.generate.verify import Solver, Verifier
from rightcall.providers.base import Provider
from rightcall.providers.catalog import line_to_add, project_models
from rightcall.providers.endpoint import ModelEndpoint
from rightcall.providers.hosts import server_of
from rightcall.providers.resolver import endpoint_of, resolve
from rightcall.records.record import Record
from rightcall.records.run import Run
from rightcall.records.tool import Tool
from rightcall.records.trajectory import Usage
from rightcall.run.run_record import new_run_id
from rightcall.store.sql.store import Store
from rightcall.tools.definitions.validate import fits

LEAVE_OPEN = 'this requires a model: Synthesizer(model="provider:model")'
"""Said where no default_generator is set."""


NAMES = {"en": "English", "vi": "Vietnamese", "zh": "Chinese (simplified)"}
STYLES = (
    "in one short sentence", "politely", "casually", "tersely, as on a phone", "in a friendly tone", "in a hurry",
    "as a first-time user", "matter-of-factly",
)  # fmt: skip


@dataclass(frozen=True)
class SynthesisSettings:
    """How goldens are generated; `Synthesizer` explains the settings."""

    model: Model | None = None
    async_mode: bool = True
    max_concurrent: int = 16
    filtration_config: FiltrationConfig | None = None
    styling_config: StylingConfig | None = None
    cost_tracking: bool = False
    tools: Sequence[Tool] = ()
    solver: Model | None = None
    verification: VerificationConfig = field(default_factory=VerificationConfig)
    mocks: Mapping[str, Any] = field(default_factory=dict)
    language: str = "en"
    seed: int = 0
    limits: RunLimits = field(default_factory=RunLimits)
    store: Store | None = None
    resume: str | None = None
    watch: Callable[[SynthesisProgress], None] = lambda progress: None
    patience: Patience | None = None

    @property
    def styling(self) -> StylingConfig:
        """The style of requests; the default where none is set."""
        return self.styling_config or StylingConfig()


@dataclass(frozen=True)
class Kit:
    """A setup with its models open. `planned` has the tools with values to draw from."""

    setup: SynthesisSettings
    tools: Mapping[str, Tool]
    verifier: Verifier
    asker: Asker
    model: str
    solver: Solver | None = None
    critic: Asker | None = None
    planned: Mapping[str, Tool] = field(default_factory=dict)
    solver_model: str = ""
    servers: tuple[str, ...] = ()

    @property
    def language_name(self) -> str:
        """The language as written in a prompt."""
        return NAMES.get(self.setup.language, self.setup.language)

    def style(self, job: str) -> str:
        """The style of a request: from the styling, or chosen at random per job."""
        return self.setup.styling.input_format or self.chance(job, "style").choice(STYLES)

    def chance(self, job: str, what: str) -> random.Random:
        """A random generator for one purpose of one job."""
        return random.Random(f"{self.setup.seed}/{job}/{what}")  # noqa: S311

    def scribe(self, job: str) -> Scribe:
        """A scribe for one job."""
        return Scribe(self.asker, job, self.setup.seed, self.language_name, critic=self.critic)

    def provenance(self, way: str, scribe: Scribe, **more: Any) -> dict[str, Any]:
        """The origin of a golden, for its metadata."""
        facts = {
            "by": _maker(),
            "way": way,
            "model": self.model,
            "seed": self.setup.seed,
            "language": self.setup.language,
        }
        if self.solver is not None:
            facts["solver"] = self.solver_model
        facts["prompts"] = dict(sorted(scribe.prompts.items()))
        return facts | {name: value for name, value in more.items() if value not in (None, "", (), [], {})}


@cache
def _maker() -> str:
    return f"rightcall {version('rightcall')}"


@dataclass(frozen=True)
class SynthesisSetup(SynthesisSettings):
    """Opens the models of its settings, and passes work to `production`."""

    @asynccontextmanager
    async def _kit(self) -> AsyncIterator[Kit]:
        """Everything the methods need; models are opened here and closed at the end."""
        writes = self._writer()
        tools = {tool.name: tool for tool in self.tools}
        async with AsyncExitStack() as stack:
            desk = _Desk(stack, self)
            writer = await desk.asker(writes)
            reader = writer if self.solver is None else await desk.asker(self.solver)
            critic_model = self.filtration_config.critic_model if self.filtration_config else None
            critic = None if critic_model is None else await desk.asker(critic_model)
            checks = self.verification
            solver = Solver(reader, tools, seed=self.seed, temperature=checks.temperature) if tools else None
            yield Kit(
                self,
                tools=tools,
                planned=tools,
                verifier=Verifier(tools, solver, checks, mocks=self.mocks, seed=self.seed),
                solver=solver,
                asker=writer,
                critic=critic,
                model=_name(writes),
                solver_model=_name(self.solver) or _name(writes),
                servers=desk.servers,
            )

    @asynccontextmanager
    async def _planned_kit(
        self, names: Collection[str] | None = None
    ) -> AsyncIterator[tuple[Kit, PlannedTools]]:
        """The same with values for calls of the tools, or of those with these names."""
        async with self._kit() as kit:
            tools = [tool for tool in self.tools if names is None or tool.name in names]
            planned = await planned_tools(tools, kit)
            if names is None and not planned.tools:
                reasons = [f"{name}: {reason}" for name, reason in planned.refusals.items()]
                raise ConfigError("no call of these tools can be planned:", *reasons)
            verifier = kit.verifier.with_values(planned.tools)
            yield replace(kit, planned=planned.tools, verifier=verifier), planned

    def _writer(self) -> Model:
        """The model that writes: the one that is named, else the default generator."""
        model = self.model if self.model is not None else project_models().default("generator")
        if model is None:
            raise ConfigError(f"{LEAVE_OPEN}; {line_to_add('generator')}")
        return model

    async def _produce(
        self,
        way: str,
        count: int,
        jobs: Any,
        kit: Kit,
        *,
        rounds: int = ROUNDS,
        spent: Usage = NOTHING,
        **settings: Any,
    ) -> Production:
        if count < 1:
            raise ConfigError("the number of goldens must be at least 1")
        now = datetime.datetime.now(datetime.UTC)
        run = Run(
            id=new_run_id(now),
            name=f"generate {way}",
            started_at=utc_text(now),
            agent=kit.model,
            seed=self.seed,
            group="generate",
            settings=settings | self._settings(kit),
            fingerprints={
                "tools": hex_digest(encode(list(kit.tools.values()))),
                "prompts": _prompts_hash(),
            },
            versions={"rightcall": version("rightcall")},
        )
        work = Work(
            run,
            count,
            jobs,
            rounds,
            concurrency=self.max_concurrent,
            limits=self.limits,
            asker=kit.asker,
            spent=spent,
        )
        return await produce(work, self.store, resume=self.resume, watch=self.watch)

    def _settings(self, kit: Kit) -> dict[str, Any]:
        """The settings that must be unchanged to resume a run."""
        settings: dict[str, Any] = {"language": self.language, "solver": kit.solver_model}
        if kit.servers:
            settings["servers"] = list(kit.servers)
        for name in ("verification", "filtration_config", "styling_config"):
            settings[name] = repr(getattr(self, name))
        return settings

    def _with_tools(self, tools: Sequence[Tool]) -> Self:
        """The same for these tools, if there are some; an error when there are none."""
        offered = tuple(tools) or self.tools
        if not offered:
            raise ConfigError("there are no tools to generate from")
        return replace(self, tools=offered)


class _Desk:
    """Open models, each once: two roles of one model share its concurrency limit."""

    def __init__(self, stack: AsyncExitStack, maker: SynthesisSetup) -> None:
        self._stack = stack
        self._maker = maker
        self._open: dict[object, Asker] = {}
        self._servers: dict[str, None] = {}

    @property
    def servers(self) -> tuple[str, ...]:
        """Servers other than the providers' own, in the order they were opened."""
        return tuple(filter(None, self._servers))

    async def asker(self, model: Model) -> Asker:
        key = model if isinstance(model, str) else id(model)
        if key not in self._open:
            provider: Provider = resolve(model)
            self._servers[server_of(provider)] = None
            if isinstance(model, str | ModelEndpoint):
                provider = await self._stack.enter_async_context(provider)
            problems = await provider.check() if hasattr(provider, "check") else []
            if problems:
                raise ConfigError(*problems)
            most = min(self._maker.max_concurrent, getattr(provider, "at_once", self._maker.max_concurrent))
            self._open[key] = Asker(provider, most, patience=self._maker.patience, seed=self._maker.seed)
        return self._open[key]


def _name(model: Model | None) -> str:
    if isinstance(model, str | ModelEndpoint):
        return endpoint_of(model).model
    return "" if model is None else str(getattr(model, "name", "")) or "provider"


def _prompts_hash() -> str:
    names = sorted(entry.name for entry in PROMPTS.iterdir() if entry.name.endswith(".md"))
    return hex_digest("".join(step_prompt(name[:-3]).hash for name in names))


COUNT = 8


class PlannedTools(Record, frozen=True):
    """Tools whose parameters have values to draw from; why the others have none; what the examples cost."""

    tools: dict[str, Tool]
    refusals: dict[str, str]
    usage: Usage = Usage()


async def planned_tools(tools: Sequence[Tool], kit: Kit) -> PlannedTools:
    """The tools with `examples` for every open parameter."""
    usable = [tool for tool in tools if has_usable_schema(tool)]
    refusals = {tool.name: "its schema is invalid" for tool in tools if tool not in usable}
    exemplified = list[Tool]()
    usage = Usage()
    for tool, used in await asyncio.gather(*(_exemplified(tool, kit) for tool in usable)):
        exemplified.append(tool)
        usage = usage.plus(used)
    for tool in exemplified:
        required = tool.input_schema.get("required") or ()
        if lacking := [name for name in open_parameters(tool) if name in required]:
            refusals[tool.name] = f"the model wrote no example that fits {lacking[0]}"
    planned = {tool.name: tool for tool in exemplified if tool.name not in refusals}
    return PlannedTools(planned, refusals, usage)


async def _exemplified(tool: Tool, kit: Kit) -> tuple[Tool, Usage]:
    names = open_parameters(tool)
    if not names:
        return tool, Usage()
    scribe = kit.scribe(f"examples-{tool.name}")
    definition = encode({"description": tool.description, "parameters": tool.input_schema}).decode()
    values = {"definition": definition, "names": ", ".join(names), "count": COUNT}
    try:
        examples = await scribe.record("examples", "examples", dict[str, list[Any]], values)
    except Unreadable:
        return tool, scribe.usage
    return with_examples(tool, {name: examples.get(name, []) for name in names}), scribe.usage


def with_examples(tool: Tool, examples: Mapping[str, list[Any]]) -> Tool:
    """The tool with those examples that fit."""
    schema = tool.input_schema
    properties = dict(tool.parameters)
    for name, values in examples.items():
        inner = properties[name] if isinstance(properties[name], dict) else {}
        rooted = {"$defs": schema.get("$defs", {}), "definitions": schema.get("definitions", {}), **inner}
        if fitting := [value for value in values if fits(rooted, value, name)]:
            properties[name] = {**inner, "examples": fitting}
    return msgspec.structs.replace(tool, input_schema={**schema, "properties": properties})
