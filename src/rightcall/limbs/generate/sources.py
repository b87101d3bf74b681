"""From what was typed to a synthesizer and the work it should do."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from itertools import chain
from pathlib import Path
from typing import Any

import click

from rightcall.agents.limits import RunLimits
from rightcall.core.errors import ConfigError, InputError
from rightcall.datasets.formats import FORMATS
from rightcall.datasets.goldens import load_goldens
from rightcall.limbs.generate.config import (
    ContextConstructionConfig,
    FiltrationConfig,
    GenerateOptions,
    StylingConfig,
)
from rightcall.limbs.generate.documents import READERS
from rightcall.limbs.generate.production import Production
from rightcall.limbs.generate.synthesizer import Synthesizer
from rightcall.limbs.generate.tool_jobs import PER_SKILL
from rightcall.providers.catalog import line_to_add, project_models
from rightcall.records.golden import Golden
from rightcall.schema.skill_definition import load_skills
from rightcall.tools.definitions.source import tools_of

Start = Callable[[Synthesizer], Coroutine[Any, Any, Production]]
DEFAULT_COUNT = 20
DEFAULT_OF_EACH = 2
DOCUMENTS = tuple(READERS)


def synthesizer_of(options: GenerateOptions) -> Synthesizer:
    """The synthesizer that the options describe."""
    model = options.model or project_models().default("generator")
    if model is None:
        raise ConfigError(f"generating needs --model provider:model; {line_to_add('generator')}")
    return Synthesizer(
        model,
        filtration_config=FiltrationConfig(options.quality),
        styling_config=StylingConfig(options.scenario, input_format=options.style),
        tools=tuple(tools_of(options.tools)) if options.tools else (),
        language=options.language,
        seed=options.seed,
        limits=RunLimits(cost_usd=options.max_cost),
    )


def work_of(maker: Synthesizer, options: GenerateOptions) -> tuple[int, Start]:
    """How many goldens to generate, and the function that starts the work."""
    if options.skills is not None:
        if maker.tools or options.sources or options.turns:
            raise click.UsageError("--skills cannot be combined with --tools, --from or --turns")
        loaded = load_skills([options.skills])
        return len(loaded) * PER_SKILL, lambda synthesizer: synthesizer.afrom_skills(loaded)
    sources = tuple(options.sources)
    turns = options.turns
    count = options.count or DEFAULT_COUNT
    per = options.count or DEFAULT_OF_EACH
    if not sources or sources == ("tools",):
        if not maker.tools:
            raise click.UsageError("pass --tools, or --from with documents, goldens or scratch")
        if turns:
            return count, lambda synthesizer: synthesizer.aconversations_from_tools((), count, turns=turns)
        return count, lambda synthesizer: synthesizer.afrom_tools((), count)
    if turns:
        raise click.UsageError("--turns generates conversations from --tools alone, without --from")
    if sources == ("scratch",):
        return count, lambda synthesizer: synthesizer.afrom_scratch(count)
    paths = list(chain.from_iterable(_paths(Path(source)) for source in sources))
    kinds = {path.suffix.lower() in DOCUMENTS for path in paths}
    if kinds == {True}:
        config = ContextConstructionConfig()
        golden_count = len(paths) * config.max_contexts_per_document * per
        return golden_count, lambda synthesizer: synthesizer.afrom_docs(paths, True, per, config)
    if kinds == {False} and all(path.suffix.lower() in FORMATS for path in paths):
        return _from_goldens(paths, per)
    raise ConfigError(
        f"--from takes documents ({', '.join(DOCUMENTS)}) or files of goldens ({', '.join(FORMATS)}), not both"
    )


def _from_goldens(paths: list[Path], per: int) -> tuple[int, Start]:
    loaded_goldens = list(chain.from_iterable(load_goldens(path) for path in paths))
    goldens = [golden for golden in loaded_goldens if isinstance(golden, Golden)]
    if len(goldens) < len(loaded_goldens):
        raise InputError(str(paths[0]), "contains conversations", "conversations are generated from --tools")
    return len(goldens) * per, lambda synthesizer: synthesizer.afrom_goldens(goldens, per)


def _paths(source: Path) -> list[Path]:
    """The file, or every document in a folder."""
    if not source.is_dir():
        return [source]
    documents = sorted(
        path for path in source.rglob("*") if path.suffix.lower() in DOCUMENTS and path.is_file()
    )
    if not documents:
        raise InputError(
            str(source), "the folder contains no documents", f"documents end in {', '.join(DOCUMENTS)}"
        )
    return documents
