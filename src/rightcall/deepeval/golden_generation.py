"""Goldens that a dataset generates into itself, under DeepEval's names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from rightcall.core.seam import load
from rightcall.datasets.dataset import DatasetFiles
from rightcall.model.golden import AnyGolden

if TYPE_CHECKING:
    from rightcall.model.tool import Tool


class GoldenGeneration(DatasetFiles):
    """Adds generated goldens: conversations to a dataset of conversations, else goldens of one turn.

    They are drafts; `synthesizer` says which model writes them [default: the project's `default_generator`].
    """

    def generate_goldens_from_docs(
        self,
        document_paths: Sequence[str | Path],
        include_expected_output: bool = True,
        max_goldens_per_context: int = 2,
        context_construction_config: Any = None,
        synthesizer: Any = None,
    ) -> None:
        """Add goldens that documents answer: text, Markdown, HTML, PDF or Word files."""
        options = (include_expected_output, max_goldens_per_context, context_construction_config)
        self._generate("docs", synthesizer, document_paths, *options)

    def generate_goldens_from_contexts(
        self,
        contexts: Sequence[Sequence[str]],
        include_expected_output: bool = True,
        max_goldens_per_context: int = 2,
        synthesizer: Any = None,
    ) -> None:
        """Add goldens that the given texts answer."""
        self._generate("contexts", synthesizer, contexts, include_expected_output, max_goldens_per_context)

    def generate_goldens_from_scratch(self, num_goldens: int, synthesizer: Any = None) -> None:
        """Add goldens made from the synthesizer's styling alone."""
        self._generate("scratch", synthesizer, num_goldens)

    def generate_goldens_from_goldens(
        self,
        goldens: Sequence[AnyGolden] | None = None,
        max_goldens_per_golden: int = 2,
        include_expected_output: bool = True,
        synthesizer: Any = None,
    ) -> None:
        """Add goldens like the given ones [default: like those of the dataset]."""
        parents = list(self.goldens if goldens is None else goldens)
        self._generate("goldens", synthesizer, parents, max_goldens_per_golden, include_expected_output)

    def generate_goldens_from_tools(
        self, tools: Sequence[Tool], num_goldens: int = 20, synthesizer: Any = None
    ) -> None:
        """Add goldens planned from tools, with the calls they should lead to; needs no model."""
        self._generate("tools", synthesizer, tools, num_goldens)

    def _generate(self, way: str, synthesizer: Any, *arguments: Any) -> None:
        kind = "conversational_goldens" if self.multi_turn else "goldens"
        make = getattr(synthesizer or load("services", "synthesizer")(), f"generate_{kind}_from_{way}")
        for golden in _with_free_ids(make(*arguments), {golden.id for golden in self.goldens}):
            self.add_golden(golden)


def _with_free_ids(goldens: Iterable[AnyGolden], taken: set[str]) -> Iterable[AnyGolden]:
    """Ids are counted up within one generation, so a second one would repeat them."""
    for golden in goldens:
        name, number = golden.id, 1
        while name in taken:
            number += 1
            name = f"{golden.id}-{number}"
        taken.add(name)
        yield golden if name == golden.id else replace(golden, id=name)
