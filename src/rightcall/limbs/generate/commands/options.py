"""The options of `rightcall generate goldens`, each declared once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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
    skills: Annotated[
        str | None,
        Option("Folder of skills: trigger goldens and adjacent negatives", metavar="DIR"),
    ] = None
    count: Annotated[
        int | None,
        Option(
            "Number of goldens; from documents and goldens, of each context or golden",
            flags=("--n",),
            ge=1,
            le=100_000,
            default="20; 2 of each",
        ),
    ] = None
    turns: Annotated[
        int | None,
        Option("Generate conversations from tools with this many turns of the user", ge=1, le=20),
    ] = None
    language: Annotated[str, Option("Language of the requests")] = "en"
    style: Annotated[str | None, Option("Style of the requests")] = None
    scenario: Annotated[str | None, Option("Who asks, and why; for --from scratch")] = None
    quality: Annotated[
        float, Option("Minimum quality of inputs from documents, goldens or scratch", ge=0, le=1)
    ] = 0.5
    model: Annotated[
        str | None,
        Option(
            "Model that writes requests: provider:model[@URL] or a name from models",
            default="default_generator of models",
        ),
    ] = None
    seed: Annotated[int, Option("Random seed")] = 0
    max_cost: Annotated[float | None, Option("Stop when this many US dollars are spent", gt=0)] = None
    resume: Annotated[
        str | None, Option("Resume an unfinished generation: an id or `last`", metavar="ID")
    ] = None
    output: Annotated[
        str,
        Option(
            "Output file, or the name of a dataset in the store",
            flags=("-o", "--output"),
            metavar="PATH",
            writes="document",
        ),
    ] = "generated.jsonl"
    store: Annotated[str | None, Option("Store of datasets", default=".rightcall/rightcall.db")] = None
    as_json: JsonOption = False
