"""Synthesizer: goldens from tools, documents, contexts, other goldens, or a description, under DeepEval's names."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from itertools import chain
from pathlib import Path
from typing import Any

from msgspec import structs

from rightcall.core.codec import encode
from rightcall.core.digest import hex_digest
from rightcall.core.errors import ConfigError
from rightcall.core.event_loop import run_blocking
from rightcall.limbs.generate.config import ContextConstructionConfig
from rightcall.limbs.generate.documents import Context, contexts_of, load_document
from rightcall.limbs.generate.plans import WEIGHTS, WITHOUT_CALLS, PlanKind, Schedule
from rightcall.limbs.generate.production import Job, Production
from rightcall.limbs.generate.setup import SynthesisSetup
from rightcall.limbs.generate.text_jobs import context_jobs, golden_jobs, scratch_jobs
from rightcall.limbs.generate.tool_jobs import PER_SKILL, TURN_KINDS, ConversationJob, ToolJob, skill_jobs
from rightcall.records.golden import Golden
from rightcall.records.tool import Tool


def _blocking(make: Callable[..., Coroutine[Any, Any, Production]]) -> Callable[..., list[Any]]:
    """The blocking form of a method: the goldens alone."""

    @wraps(make)
    def generate(self: Synthesizer, *args: Any, **options: Any) -> list[Any]:
        production = run_blocking(make(self, *args, **options))
        if not production.goldens:
            reasons = Counter(one.reason for one in (*production.dropped, *production.errors))
            why = "; ".join(f"{count:,} × {reason}" for reason, count in reasons.most_common(3))
            why = why or production.stopped or "nothing to ask about was found"
            warnings.warn(f"no golden was generated: {why}", stacklevel=2)
        return list(production.goldens)

    return generate


@dataclass(frozen=True)
class Synthesizer(SynthesisSetup):
    """Generates goldens. Every one is a draft: read it before you trust it.

    A `model` [default: the project's `default_generator`] writes the requests, and once a tool eight values for each
    parameter whose schema states none. It is `provider:model` or a name of the project's `models`. `tools` are those
    of the agent under test: with them, every golden gets `expected_calls` that `verification` has tried to refute.
    `solver` reads requests independently [default: the model]. Every choice depends on `seed` alone. With a `store`,
    finished work is on disk at once, and `resume` names a run to continue. `watch` receives progress, `limits` end it.

    The async methods also return what was dropped, with the reasons; the others only the goldens.
    """

    async def afrom_tools(
        self, tools: Sequence[Tool] = (), num_goldens: int = 20, *, kinds: Mapping[PlanKind, int] = WEIGHTS
    ) -> Production:
        """Goldens planned from tools, with what was dropped and why. `kinds` weighs kinds of plans."""
        maker = self._with_tools(tools)
        weight = sum(kinds.get(kind, 0) for kind in WITHOUT_CALLS)
        idle = -(-num_goldens * weight // max(1, sum(kinds.values())))  # rounded up
        async with maker._planned_kit() as (kit, planned):
            schedule = Schedule(list(planned.tools.values()), maker.seed, kinds, most_idle=idle)

            def jobs(start: int, count: int) -> Sequence[Job]:
                return [ToolJob(slot, kit) for slot in schedule.take(count)]

            work = maker._produce("tools", num_goldens, jobs, kit, spent=planned.usage, goldens=num_goldens)
            return structs.replace(await work, refused=planned.refusals)

    async def afrom_skills(self, skills: Sequence[Tool]) -> Production:
        """Four requests that should load each skill, and four adjacent ones, for those that a model may load."""
        loadable = [skill for skill in skills if skill.skill is None or skill.skill.by_model]
        maker = self._with_tools(loadable)
        maker = replace(maker, verification=replace(maker.verification, literal=False))
        async with maker._kit() as kit:
            jobs = skill_jobs(loadable, kit)
            count = len(loadable) * PER_SKILL
            return await maker._produce("skills", count, jobs, kit, rounds=1, goldens=count)

    async def aconversations_from_tools(
        self, tools: Sequence[Tool] = (), num_goldens: int = 10, *, turns: int = 3
    ) -> Production:
        """Conversations planned from tools."""
        maker = self._with_tools(tools)
        if turns < 1:
            raise ConfigError(f"turns must be at least 1, got {turns}")
        async with maker._planned_kit() as (kit, planned):
            schedule = Schedule(list(planned.tools.values()), maker.seed, TURN_KINDS)

            def jobs(start: int, count: int) -> Sequence[Job]:
                return [
                    ConversationJob(f"talk-{place + 1:04}", tuple(schedule.take(turns)), kit)
                    for place in range(start, start + count)
                ]

            way = "conversations from tools"
            settings = {"goldens": num_goldens, "turns": turns}
            work = maker._produce(way, num_goldens, jobs, kit, spent=planned.usage, **settings)
            return structs.replace(await work, refused=planned.refusals)

    async def afrom_docs(
        self,
        document_paths: Sequence[str | Path],
        include_expected_output: bool = True,
        max_goldens_per_context: int = 2,
        context_construction_config: ContextConstructionConfig | None = None,
    ) -> Production:
        """Goldens from documents. Every document is read before the first model request."""
        config = context_construction_config or ContextConstructionConfig()
        documents = [load_document(path) for path in document_paths]
        contexts = contexts_of(documents, config, seed=self.seed)
        return await self._from_contexts(
            "docs",
            contexts,
            max_goldens_per_context,
            include_expected=include_expected_output,
        )

    async def afrom_contexts(
        self,
        contexts: Sequence[Sequence[str]],
        include_expected_output: bool = True,
        max_goldens_per_context: int = 2,
        source_files: Sequence[str] | None = None,
    ) -> Production:
        """Goldens that the given texts answer."""
        return await self._from_contexts(
            "contexts",
            _with_sources(contexts, source_files),
            max_goldens_per_context,
            include_expected=include_expected_output,
        )

    async def afrom_scratch(self, num_goldens: int) -> Production:
        """Goldens from a description."""
        if not self.styling.scenario:
            raise ConfigError("generating from scratch requires --scenario: a styling_config with a scenario")
        async with self._kit() as kit:
            jobs = scratch_jobs(kit, num_goldens)
            return await self._produce("scratch", num_goldens, jobs, kit, goldens=num_goldens)

    async def afrom_goldens(
        self, goldens: Sequence[Golden], max_goldens_per_golden: int = 2, include_expected_output: bool = True
    ) -> Production:
        source = _source_of(goldens)
        per = max_goldens_per_golden
        called = {str(call.tool) for call in chain.from_iterable(golden.expected_calls for golden in goldens)}
        async with self._planned_kit(called) as (kit, planned):
            jobs = golden_jobs(goldens, kit, per, include_expected=include_expected_output)
            count = len(goldens) * per
            return await self._produce(
                "goldens", count, jobs, kit, rounds=1, spent=planned.usage, source=source, per=per
            )

    async def _from_contexts(
        self,
        way: str,
        contexts: Sequence[Context],
        per_context: int,
        *,
        include_expected: bool,
    ) -> Production:
        async with self._kit() as kit:
            source = hex_digest(encode([context.texts for context in contexts]))
            jobs = context_jobs(contexts, kit, per_context, way=way, include_expected=include_expected)
            count = len(contexts) * per_context
            return await self._produce(way, count, jobs, kit, rounds=1, source=source, per=per_context)

    generate_goldens_from_tools = _blocking(afrom_tools)
    generate_goldens_from_docs = _blocking(afrom_docs)
    generate_goldens_from_contexts = _blocking(afrom_contexts)
    generate_goldens_from_scratch = _blocking(afrom_scratch)
    generate_goldens_from_goldens = _blocking(afrom_goldens)
    generate_conversational_goldens_from_tools = _blocking(aconversations_from_tools)


def _with_sources(contexts: Sequence[Sequence[str]], source_files: Sequence[str] | None) -> list[Context]:
    if not contexts or not all(contexts):
        raise ConfigError("no contexts to generate from, or an empty one")
    sources = source_files or [""] * len(contexts)
    if len(sources) != len(contexts):
        raise ConfigError(f"got {len(contexts)} contexts but {len(sources)} source_files")
    return [
        Context(tuple(texts), (source,) if source else ())
        for texts, source in zip(contexts, sources, strict=True)
    ]


def _source_of(goldens: Sequence[Golden]) -> str:
    """A digest of the goldens that others are made from; an error when there are none."""
    if not goldens:
        raise ConfigError("no goldens to generate from")
    return hex_digest(encode(list(goldens)))
