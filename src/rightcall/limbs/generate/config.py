"""Settings for generation, under DeepEval's names where they exist, and the options of `rightcall generate goldens`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from rightcall.core.errors import ConfigError
from rightcall.core.options import JsonOption, Option
from rightcall.providers.base import Provider
from rightcall.providers.endpoint import ModelEndpoint

Model = str | ModelEndpoint | Provider


@dataclass(frozen=True)
class FiltrationConfig:
    """The rating an input needs from a critic to be kept: the mean of clarity and answerability.

    An input below the threshold is rewritten at most `max_quality_retries` times, rated again each time, and
    dropped when it is still below. The critic is the synthesizer's model unless another is set.
    """

    synthetic_input_quality_threshold: float = 0.5
    max_quality_retries: int = 3
    critic_model: Model | None = None

    def __post_init__(self) -> None:
        _share("synthetic_input_quality_threshold", self.synthetic_input_quality_threshold)
        _count("max_quality_retries", self.max_quality_retries, least=0)


@dataclass(frozen=True)
class StylingConfig:
    """How inputs and expected outputs read."""

    scenario: str | None = None
    task: str | None = None
    input_format: str | None = None
    expected_output_format: str | None = None


@dataclass(frozen=True)
class ContextConstructionConfig:
    """How documents become contexts: chunks of `chunk_size` characters, up to `max_context_length` neighbours each."""

    chunk_size: int = 1024
    chunk_overlap: int = 0
    max_contexts_per_document: int = 3
    max_context_length: int = 3

    def __post_init__(self) -> None:
        _count("chunk_size", self.chunk_size, least=16)
        _count("chunk_overlap", self.chunk_overlap, least=0)
        if self.chunk_overlap >= self.chunk_size:
            raise ConfigError(
                f"chunk_overlap ({self.chunk_overlap}) must be less than chunk_size ({self.chunk_size})"
            )
        for name in ("max_contexts_per_document", "max_context_length"):
            _count(name, getattr(self, name), least=1)


@dataclass(frozen=True)
class VerificationConfig:
    """Verification of expected calls: `agree` of `samples` solvers must recover them from the request alone.

    With `literal`, the request must also contain every value, and no other number. `attempts` is the number
    of attempts per plan.
    """

    samples: int = 3
    agree: int = 2
    literal: bool = True
    temperature: float = 0.7
    attempts: int = 3

    def __post_init__(self) -> None:
        _count("samples", self.samples, least=1)
        _count("attempts", self.attempts, least=1)
        if not 1 <= self.agree <= self.samples:
            raise ConfigError(f"agree must be between 1 and samples ({self.samples}), got {self.agree}")


def _share(name: str, value: float) -> None:
    if not 0 <= value <= 1:
        raise ConfigError(f"{name} must be between 0 and 1, got {value}")


def _count(name: str, value: int, *, least: int) -> None:
    if value < least:
        raise ConfigError(f"{name} must be at least {least}, got {value}")


@dataclass(frozen=True, kw_only=True)
class GenerateOptions:
    """What goldens are made of, who writes and verifies them, and how the work is done."""

    sources: Annotated[
        Sequence[str],
        Option(
            "Documents (txt, md, pdf, docx), a folder of them, a file of goldens, or `scratch` (repeatable)",
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
