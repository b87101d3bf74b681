"""Synthesizer: goldens from tools, documents, contexts, other goldens, or a description, under DeepEval's names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from rightcall.core.errors import ConfigError
from rightcall.core.event_loop import run_blocking
from rightcall.model.golden import ConversationalGolden, Golden
from rightcall.model.tool import Tool
from rightcall.wings.generate.async_synthesizer import AsyncSynthesizer
from rightcall.wings.generate.config import ContextConstructionConfig
from rightcall.wings.generate.contexts import Context
from rightcall.wings.generate.production import Production


@dataclass(frozen=True)
class Synthesizer(AsyncSynthesizer):
    """Generates goldens. Every one is a draft: read it before you trust it.

    Without a `model`, goldens from tools are written by templates, and everything else by the project's
    `default_generator`. A model is `provider:model` or a name of the project's `models`. `tools` are those of the agent
    under test: with them, every golden gets `expected_calls` that `verification` has tried to refute. `solver` reads
    requests independently [default: the model]. Every choice depends on `seed` alone. With a `store`, finished work is
    on disk at once, and `resume` names a run to continue. `watch` receives progress, `limits` end it.
    """

    # Goldens of one turn

    def generate_goldens_from_tools(
        self, tools: Sequence[Tool] = (), num_goldens: int = 20, **options: Any
    ) -> list[Golden]:
        """Goldens with the calls they should lead to, planned from the schemas; see `afrom_tools`."""
        return _goldens(run_blocking(self.afrom_tools(tools, num_goldens, **options)))

    def generate_goldens_from_docs(
        self,
        document_paths: Sequence[str | Path],
        include_expected_output: bool = True,
        max_goldens_per_context: int = 2,
        context_construction_config: ContextConstructionConfig | None = None,
    ) -> list[Golden]:
        """Goldens that documents answer: text, Markdown, HTML, PDF or Word files."""
        work = self.afrom_docs(
            document_paths, include_expected_output, max_goldens_per_context, context_construction_config
        )
        return _goldens(run_blocking(work))

    def generate_goldens_from_contexts(
        self,
        contexts: Sequence[Sequence[str]],
        include_expected_output: bool = True,
        max_goldens_per_context: int = 2,
        source_files: Sequence[str] | None = None,
    ) -> list[Golden]:
        """Goldens that the given texts answer."""
        sourced_contexts = _with_sources(contexts, source_files)
        work = self.afrom_contexts(sourced_contexts, include_expected_output, max_goldens_per_context)
        return _goldens(run_blocking(work))

    def generate_goldens_from_scratch(self, num_goldens: int) -> list[Golden]:
        """Goldens from the styling only: `StylingConfig(scenario=…, task=…, input_format=…)`."""
        return _goldens(run_blocking(self.afrom_scratch(num_goldens)))

    def generate_goldens_from_goldens(
        self, goldens: Sequence[Golden], max_goldens_per_golden: int = 2, include_expected_output: bool = True
    ) -> list[Golden]:
        """More goldens like these; those with expected calls keep their tools and get other values."""
        work = self.afrom_goldens(goldens, max_goldens_per_golden, include_expected_output)
        return _goldens(run_blocking(work))

    # Conversational goldens

    def generate_conversational_goldens_from_tools(
        self, tools: Sequence[Tool] = (), num_goldens: int = 10, turns: int = 3
    ) -> list[ConversationalGolden]:
        """Conversations of scripted user turns, each with the calls it should lead to."""
        work = self.aconversations_from_tools(tools, num_goldens, turns=turns)
        return _conversations(run_blocking(work))

    def generate_conversational_goldens_from_docs(
        self,
        document_paths: Sequence[str | Path],
        include_expected_outcome: bool = True,
        max_goldens_per_context: int = 2,
        context_construction_config: ContextConstructionConfig | None = None,
    ) -> list[ConversationalGolden]:
        """Scenarios in which documents are what a user needs."""
        work = self.afrom_docs(
            document_paths,
            include_expected_outcome,
            max_goldens_per_context,
            context_construction_config,
            conversations=True,
        )
        return _conversations(run_blocking(work))

    def generate_conversational_goldens_from_contexts(
        self,
        contexts: Sequence[Sequence[str]],
        include_expected_outcome: bool = True,
        max_goldens_per_context: int = 2,
        source_files: Sequence[str] | None = None,
    ) -> list[ConversationalGolden]:
        """Scenarios in which the given texts are what a user needs."""
        sourced_contexts = _with_sources(contexts, source_files)
        work = self.afrom_contexts(
            sourced_contexts, include_expected_outcome, max_goldens_per_context, conversations=True
        )
        return _conversations(run_blocking(work))

    def generate_conversational_goldens_from_scratch(self, num_goldens: int) -> list[ConversationalGolden]:
        """Scenarios from the conversational styling only."""
        work = self.afrom_scratch(num_goldens, conversations=True)
        return _conversations(run_blocking(work))

    def generate_conversational_goldens_from_goldens(
        self,
        goldens: Sequence[ConversationalGolden],
        max_goldens_per_golden: int = 2,
        include_expected_outcome: bool = True,
    ) -> list[ConversationalGolden]:
        """More scenarios like these."""
        work = self.aconversations_from_goldens(goldens, max_goldens_per_golden, include_expected_outcome)
        return _conversations(run_blocking(work))


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


def _goldens(production: Production) -> list[Golden]:
    return cast("list[Golden]", list(production.goldens))


def _conversations(production: Production) -> list[ConversationalGolden]:
    return cast("list[ConversationalGolden]", list(production.goldens))
