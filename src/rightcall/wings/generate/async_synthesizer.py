"""Async generation methods; `Synthesizer` offers them under DeepEval's names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rightcall.core.codec import encode
from rightcall.core.digest import hex_digest
from rightcall.core.errors import ConfigError
from rightcall.model.golden import AnyGolden, ConversationalGolden, Golden
from rightcall.model.tool import Tool
from rightcall.wings.generate.config import ContextConstructionConfig, StylingConfig
from rightcall.wings.generate.contexts import Context, contexts_of, good_contexts
from rightcall.wings.generate.documents import SourceDocument, load_document
from rightcall.wings.generate.plans import WEIGHTS, WITHOUT_CALLS, PlanKind, Schedule
from rightcall.wings.generate.production import FREE_ROUNDS, ROUNDS, Production
from rightcall.wings.generate.setup import SynthesisSetup
from rightcall.wings.generate.ways.conversations import ConversationJobs
from rightcall.wings.generate.ways.goldens import golden_jobs, golden_scenarios
from rightcall.wings.generate.ways.text import context_jobs, scratch_jobs
from rightcall.wings.generate.ways.tools import ToolJobs


@dataclass(frozen=True)
class AsyncSynthesizer(SynthesisSetup):
    """Generates goldens. Each method returns what was kept and what was dropped, with the reasons."""

    async def afrom_tools(
        self, tools: Sequence[Tool] = (), num_goldens: int = 20, *, kinds: Mapping[PlanKind, int] = WEIGHTS
    ) -> Production:
        """Goldens planned from tools, with what was dropped and why. `kinds` weighs kinds of plans."""
        maker = self._with_tools(tools)
        weight = sum(kinds.get(kind, 0) for kind in WITHOUT_CALLS)
        idle = -(-num_goldens * weight // max(1, sum(kinds.values())))  # rounded up
        schedule = Schedule(maker.tools, maker.seed, kinds, most_idle=idle)
        async with maker._kit() as kit:
            rounds = ROUNDS if kit.asker is not None else FREE_ROUNDS
            jobs = ToolJobs(schedule, kit)
            return await maker._produce("tools", num_goldens, jobs, kit, rounds=rounds, goldens=num_goldens)

    async def aconversations_from_tools(
        self, tools: Sequence[Tool] = (), num_goldens: int = 10, *, turns: int = 3
    ) -> Production:
        """Conversations planned from tools."""
        maker = self._with_tools(tools)
        if turns < 1:
            raise ConfigError(f"turns must be at least 1, got {turns}")
        async with maker._kit() as kit:
            jobs = ConversationJobs(maker.tools, kit, turns)
            return await maker._produce(
                "conversations from tools", num_goldens, jobs, kit, goldens=num_goldens, turns=turns
            )

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
        contexts = contexts_of(documents, config, seed=self.seed)
        return await self._from_contexts(
            "docs",
            contexts,
            max_goldens_per_context,
            threshold=config.context_quality_threshold,
            include_expected=include_expected,
            conversations=conversations,
        )

    async def afrom_contexts(
        self,
        contexts: Sequence[Context],
        include_expected: bool = True,
        max_goldens_per_context: int = 2,
        *,
        conversations: bool = False,
    ) -> Production:
        return await self._from_contexts(
            "contexts",
            contexts,
            max_goldens_per_context,
            include_expected=include_expected,
            conversations=conversations,
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
            return await self._produce("scratch", num_goldens, jobs, kit, goldens=num_goldens)

    async def afrom_goldens(
        self, goldens: Sequence[Golden], max_goldens_per_golden: int = 2, include_expected: bool = True
    ) -> Production:
        source, per = _source_of(goldens), max_goldens_per_golden
        needs_model = not all(golden.expected_calls for golden in goldens)
        async with self._kit(needs_model=needs_model) as kit:
            jobs = golden_jobs(goldens, kit, per, include_expected=include_expected)
            count = len(goldens) * per
            return await self._produce("goldens", count, jobs, kit, rounds=1, source=source, per=per)

    async def aconversations_from_goldens(
        self,
        goldens: Sequence[ConversationalGolden],
        max_goldens_per_golden: int = 2,
        include_expected: bool = True,
    ) -> Production:
        """Scenarios from scenarios."""
        source, count = _source_of(goldens), len(goldens) * max_goldens_per_golden
        async with self._kit(needs_model=True) as kit:
            jobs = golden_scenarios(goldens, kit, max_goldens_per_golden, include_expected=include_expected)
            return await self._produce(
                "conversations from goldens", count, jobs, kit, rounds=1, source=source
            )

    async def _from_contexts(
        self,
        way: str,
        contexts: Sequence[Context],
        per_context: int,
        *,
        threshold: float = 0.0,
        **expected: bool,
    ) -> Production:
        """Goldens from the contexts that a critic rates at least `threshold`; `expected` is for `context_jobs`."""
        async with self._kit(needs_model=True) as kit:
            kept = await good_contexts(contexts, kit, threshold)
            source = hex_digest(encode([context.texts for context in kept]))
            jobs = context_jobs(kept, kit, per_context, way=way, **expected)
            count = len(kept) * per_context
            return await self._produce(way, count, jobs, kit, rounds=1, source=source, per=per_context)


def _source_of(goldens: Sequence[AnyGolden]) -> str:
    """A digest of the goldens that others are made from; an error when there are none."""
    if not goldens:
        raise ConfigError("no goldens to generate from")
    return hex_digest(encode(list(goldens)))
