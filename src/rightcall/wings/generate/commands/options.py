"""The options of `rightcall generate goldens` and `conversations`, each declared once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from rightcall.core.options import JsonOption, Option


@dataclass(frozen=True, kw_only=True)
class GenerateOptions:
    """What goldens are made of, who writes and verifies them, and how the work is done."""

    sources: Annotated[
        Sequence[str],
        Option(
            "Documents (txt, md, html, pdf, docx), a folder of them, a file of goldens, or `scratch` (repeatable)",
            flags=("--from",),
            metavar="SOURCE",
            default="the tools",
        ),
    ] = ()
    tools: Annotated[
        str | None,
        Option("Tools of the agent: a file, module:attribute or mcp:COMMAND", metavar="SOURCE"),
    ] = None
    count: Annotated[
        int | None,
        Option(
            "Number of goldens from tools or from scratch", flags=("--n",), ge=1, le=100_000, default="20"
        ),
    ] = None
    per: Annotated[int, Option("Goldens per context or per golden", ge=1, le=100)] = 2
    language: Annotated[str, Option("Language of the requests")] = "en"
    model: Annotated[
        str | None,
        Option(
            "Model that writes requests: provider:model[@URL] or a name from models",
            values="model",
            default="default_generator of models",
        ),
    ] = None
    solver: Annotated[
        str | None, Option("Model that verifies goldens", values="model", default="the model that writes")
    ] = None
    seed: Annotated[int, Option("Random seed")] = 0
    samples: Annotated[int, Option("Solvers per golden", ge=1, le=99)] = 3
    agree: Annotated[int, Option("Solvers that must recover the expected calls", ge=1, le=99)] = 2
    evolve: Annotated[int, Option("Evolutions per golden", ge=0, le=10)] = 0
    quality: Annotated[
        float, Option("Minimum quality of inputs from documents, goldens or scratch", ge=0, le=1)
    ] = 0.5
    scenario: Annotated[str | None, Option("Who asks and why; for --from scratch")] = None
    task: Annotated[str | None, Option("What the agent does; for --from scratch")] = None
    style: Annotated[str | None, Option("Style of the requests")] = None
    concurrency: Annotated[int, Option("Maximum concurrent jobs", ge=1, le=1_000)] = 16
    max_cost: Annotated[float | None, Option("Stop when this many US dollars are spent", gt=0)] = None
    max_tokens: Annotated[int | None, Option("Stop when this many tokens are used", ge=1)] = None
    resume: Annotated[
        str | None, Option("Resume an unfinished generation: an id or `last`", metavar="ID")
    ] = None
    output: Annotated[
        Path | None,
        Option("Output file", flags=("-o", "--output"), values="file", default="generated.jsonl"),
    ] = None
    force: Annotated[bool, Option("Overwrite an existing file")] = False
    draft: Annotated[
        str | None, Option("Add to the draft of a dataset in the store instead", metavar="ALIAS")
    ] = None
    store: Annotated[str | None, Option("Store of datasets", default=".rightcall/rightcall.db")] = None
    dry_run: Annotated[bool, Option("Show the requests and an estimate of their cost; send nothing")] = False
    as_json: JsonOption = False

    @property
    def written(self) -> Path:
        """The file that goldens are written to, unless they go to a draft."""
        return self.output or Path("generated.jsonl")


@dataclass(frozen=True, kw_only=True)
class GoldenOptions(GenerateOptions):
    """The same for goldens of one turn."""

    skills: Annotated[
        str | None,
        Option("Folder of skills: trigger goldens and adjacent negatives", metavar="DIR"),
    ] = None


@dataclass(frozen=True, kw_only=True)
class ConversationOptions(GenerateOptions):
    """The same for conversations."""

    turns: Annotated[int, Option("User turns of conversations from tools", ge=1, le=20)] = 3
