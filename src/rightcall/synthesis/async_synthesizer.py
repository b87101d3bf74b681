"""Generation, asynchronously: setup, models and work; `Synthesizer` wraps it under DeepEval's names."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rightcall.errors import ConfigError
from rightcall.executor import Asker, Patience, RunLimits
from rightcall.model.codec import encode
from rightcall.model.golden import ConversationalGolden, Golden
from rightcall.model.tool import Tool
from rightcall.providers import Provider, resolve
from rightcall.store import Store
from rightcall.synthesis.config import (
    ContextConstructionConfig,
    ConversationalStylingConfig,
    EvolutionConfig,
    FiltrationConfig,
    Model,
    StylingConfig,
    VerificationConfig,
)
from rightcall.synthesis.contexts import Context, contexts_of, judged_contexts
from rightcall.synthesis.documents import SourceDocument, load_document
from rightcall.synthesis.kit import Kit
from rightcall.synthesis.plans import WEIGHTS, PlanKind, Schedule
from rightcall.synthesis.pools import LANGUAGES
from rightcall.synthesis.production import FREE_ROUNDS, ROUNDS, Production, SynthesisProgress, Work, produce
from rightcall.synthesis.prompts import step_prompt
from rightcall.synthesis.solver import Solver
from rightcall.synthesis.verify import Verifier
from rightcall.synthesis.ways.contexts import context_jobs
from rightcall.synthesis.ways.conversations import ConversationJobs
from rightcall.synthesis.ways.goldens import golden_jobs, golden_scenarios
from rightcall.synthesis.ways.scratch import scratch_jobs
from rightcall.synthesis.ways.tools import ToolJobs

LEAVE_OPEN = 'this requires a model: Synthesizer(model="provider:model")'


@dataclass(frozen=True)
class AsyncSynthesizer:
    """Generates goldens. Each method returns the kept and the dropped ones, with reasons.

    Without a `model`, goldens from tools are written by templates. `tools` are the tools of the agent under
    test: with them, every golden gets `expected_calls` that `verification` has tried to refute. `solver`
    reads requests independently [default: the model]. Every choice depends only on `seed`. With a `store`,
    finished work is on disk at once, and `resume` names a run to continue. `watch` receives progress,
    `limits` end it.
    """

    model: Model | None = None
    async_mode: bool = True
    max_concurrent: int = 16
    filtration_config: FiltrationConfig | None = None
    evolution_config: EvolutionConfig | None = None
    styling_config: StylingConfig | None = None
    conversational_styling_config: ConversationalStylingConfig | None = None
    cost_tracking: bool = False
    tools: Sequence[Tool] = ()
    solver: Model | None = None
    verification: VerificationConfig = field(default_factory=VerificationConfig)
    mocks: Mapping[str, Any] = field(default_factory=dict)
    language: str = "en"
    seed: int = 0
    base_url: str | None = None
    limits: RunLimits = field(default_factory=RunLimits)
    store: Store | None = None
    resume: str | None = None
    watch: Callable[[SynthesisProgress], None] = lambda progress: None
    patience: Patience | None = None

    async def afrom_tools(
        self, tools: Sequence[Tool] = (), num_goldens: int = 20, *, kinds: Mapping[PlanKind, int] = WEIGHTS
    ) -> Production:
        """Goldens planned from tools, with what was dropped and why. `kinds` weighs kinds of plans."""
        maker = replace(self, tools=tuple(tools) or self.tools)
        maker._require_tools()
        schedule = Schedule(maker.tools, maker.seed, kinds)
        async with maker._kit() as kit:
            rounds = ROUNDS if kit.asker is not None else FREE_ROUNDS
            jobs = ToolJobs(schedule, kit)
            work = maker._work("tools", num_goldens, jobs, kit, rounds=rounds, goldens=num_goldens)
            return await maker._produce(work)

    async def aconversations_from_tools(
        self, tools: Sequence[Tool] = (), num_goldens: int = 10, *, turns: int = 3
    ) -> Production:
        """Conversations planned from tools."""
        maker = replace(self, tools=tuple(tools) or self.tools)
        maker._require_tools()
        if turns < 1:
            raise ConfigError(f"turns must be at least 1, got {turns}")
        async with maker._kit() as kit:
            jobs = ConversationJobs(maker.tools, kit, turns)
            work = maker._work(
                "conversations from tools", num_goldens, jobs, kit, goldens=num_goldens, turns=turns
            )
            return await maker._produce(work)

    async def afrom_docs(
        self,
        document_paths: Sequence[str | Path],
        include_expected: bool = True,
        max_goldens_per_context: int = 2,
        config: ContextConstructionConfig | None = None,
        *,
        conversations: bool = False,
    ) -> Production:
        """Goldens from documents. Every document is read before the first model request."""
        config = config or ContextConstructionConfig()
        documents: list[SourceDocument] = [load_document(path) for path in document_paths]
        found = contexts_of(documents, config, seed=self.seed)
        async with self._kit(needs_model=True) as kit:
            kept = await judged_contexts(found, kit, config.context_quality_threshold)
            return await self._from_contexts(
                kit, kept, include_expected, max_goldens_per_context, conversations=conversations, way="docs"
            )

    async def afrom_contexts(
        self,
        contexts: Sequence[Context],
        include_expected: bool = True,
        max_goldens_per_context: int = 2,
        *,
        conversations: bool = False,
    ) -> Production:
        """Goldens from contexts."""
        async with self._kit(needs_model=True) as kit:
            return await self._from_contexts(
                kit,
                contexts,
                include_expected,
                max_goldens_per_context,
                conversations=conversations,
                way="contexts",
            )

    async def afrom_scratch(self, num_goldens: int, *, conversations: bool = False) -> Production:
        """Goldens from a description."""
        styling = self.styling_config or StylingConfig()
        if not conversations and not (styling.scenario and styling.task and styling.input_format):
            raise ConfigError(
                "generating from scratch requires a styling_config with scenario, task and input_format"
            )
        if conversations and self.conversational_styling_config is None:
            raise ConfigError("generating from scratch requires a conversational_styling_config")
        async with self._kit(needs_model=True) as kit:
            jobs = scratch_jobs(kit, num_goldens, conversations=conversations)
            return await self._produce(self._work("scratch", num_goldens, jobs, kit, goldens=num_goldens))

    async def afrom_goldens(
        self, goldens: Sequence[Golden], max_goldens_per_golden: int = 2, include_expected: bool = True
    ) -> Production:
        """Goldens from goldens."""
        _require_some(goldens)
        wanted = len(goldens) * max_goldens_per_golden
        needs_model = not all(golden.expected_calls for golden in goldens)
        async with self._kit(needs_model=needs_model) as kit:
            jobs = golden_jobs(goldens, kit, max_goldens_per_golden, include_expected=include_expected)
            source = hashlib.sha256(encode(list(goldens))).hexdigest()
            work = self._work(
                "goldens", wanted, jobs, kit, rounds=1, source=source, per=max_goldens_per_golden
            )
            return await self._produce(work)

    async def aconversations_from_goldens(
        self,
        goldens: Sequence[ConversationalGolden],
        max_goldens_per_golden: int = 2,
        include_expected: bool = True,
    ) -> Production:
        """Scenarios from scenarios."""
        _require_some(goldens)
        wanted = len(goldens) * max_goldens_per_golden
        async with self._kit(needs_model=True) as kit:
            jobs = golden_scenarios(goldens, kit, max_goldens_per_golden, include_expected=include_expected)
            source = hashlib.sha256(encode(list(goldens))).hexdigest()
            work = self._work("conversations from goldens", wanted, jobs, kit, rounds=1, source=source)
            return await self._produce(work)

    async def _from_contexts(
        self,
        kit: Kit,
        contexts: Sequence[Context],
        include_expected: bool,
        per_context: int,
        *,
        conversations: bool,
        way: str,
    ) -> Production:
        wanted = len(contexts) * per_context
        jobs = context_jobs(
            contexts,
            kit,
            per_context,
            include_expected=include_expected,
            conversations=conversations,
            way=way,
        )
        source = hashlib.sha256(encode([context.texts for context in contexts])).hexdigest()
        work = self._work(way, wanted, jobs, kit, rounds=1, source=source, per=per_context)
        return await self._produce(work)

    # The setup

    @asynccontextmanager
    async def _kit(self, *, needs_model: bool = False) -> AsyncIterator[Kit]:
        """Everything the methods need; models are opened here and closed at the end."""
        if self.model is None and needs_model:
            raise ConfigError(LEAVE_OPEN)
        if self.model is None and self.language not in LANGUAGES:
            raise ConfigError(
                f"without a model the language must be one of {', '.join(LANGUAGES)}, got '{self.language}'"
            )
        tools = {tool.name: tool for tool in self.tools}
        async with AsyncExitStack() as stack:
            desk = _Desk(stack, self)
            writer = await desk.asker(self.model)
            reader = await desk.asker(self.solver) if self.solver is not None else writer
            filtration = self.filtration_config
            critic = (
                await desk.asker(filtration.critic_model) if filtration and filtration.critic_model else None
            )
            checks = self.verification
            solver = (
                Solver(reader, tools, seed=self.seed, temperature=checks.temperature)
                if reader is not None and tools
                else None
            )
            yield Kit(
                tools=tools,
                verifier=Verifier(tools, solver, checks, mocks=self.mocks, seed=self.seed),
                solver=solver,
                asker=writer,
                critic=critic,
                model=_name(self.model) or "template",
                solver_model=_name(self.solver) or _name(self.model),
                seed=self.seed,
                language=self.language,
                verification=checks,
                filtration=filtration,
                evolution=self.evolution_config,
                styling=self.styling_config or StylingConfig(),
                conversational_styling=self.conversational_styling_config or ConversationalStylingConfig(),
            )

    def _work(
        self, way: str, wanted: int, jobs: Any, kit: Kit, *, rounds: int = ROUNDS, **settings: Any
    ) -> Work:
        if wanted < 1:
            raise ConfigError("the number of goldens must be at least 1")
        return Work(
            way,
            wanted,
            jobs,
            kit.model,
            self.seed,
            rounds,
            self.max_concurrent,
            self.limits,
            settings | self._settings(kit),
            {
                "tools": hashlib.sha256(encode(list(kit.tools.values()))).hexdigest(),
                "prompts": _prompts_hash(),
            },
            kit.asker,
        )

    def _settings(self, kit: Kit) -> dict[str, Any]:
        """What must be unchanged for a run to be resumed."""
        said: dict[str, Any] = {"language": self.language, "solver": kit.solver_model}
        for name in ("verification", "filtration_config", "evolution_config", "styling_config"):
            said[name] = repr(getattr(self, name))
        return said

    async def _produce(self, work: Work) -> Production:
        return await produce(work, self.store, resume=self.resume, watch=self.watch)

    def _require_tools(self) -> None:
        if not self.tools:
            raise ConfigError("no tools to generate from")


class _Desk:
    """Open models, each once: two roles of one model share its concurrency limit."""

    def __init__(self, stack: AsyncExitStack, maker: AsyncSynthesizer) -> None:
        self._stack, self._maker = stack, maker
        self._open: dict[object, Asker] = {}

    async def asker(self, model: Model | None) -> Asker | None:
        if model is None:
            return None
        key = model if isinstance(model, str) else id(model)
        if key not in self._open:
            base_url = self._maker.base_url if model == self._maker.model else None
            provider: Provider = resolve(model, base_url=base_url)
            if isinstance(model, str):
                provider = await self._stack.enter_async_context(provider)
            problems = await provider.check() if hasattr(provider, "check") else []
            if problems:
                raise ConfigError(*problems)
            most = min(self._maker.max_concurrent, getattr(provider, "at_once", self._maker.max_concurrent))
            self._open[key] = Asker(provider, most, patience=self._maker.patience, seed=self._maker.seed)
        return self._open[key]


def _name(model: Model | None) -> str:
    return (
        model
        if isinstance(model, str)
        else ""
        if model is None
        else str(getattr(model, "name", "")) or "provider"
    )


def _prompts_hash() -> str:
    from importlib.resources import files

    names = sorted(
        entry.name for entry in files("rightcall.synthesis.prompts").iterdir() if entry.name.endswith(".md")
    )
    return hashlib.sha256("".join(step_prompt(name[:-3]).hash for name in names).encode()).hexdigest()


def _require_some(goldens: Iterable[object]) -> None:
    if not list(goldens):
        raise ConfigError("no goldens to generate from")
