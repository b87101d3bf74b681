"""Contexts: pieces of documents to ask questions about."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence

from rightcall.core.errors import ConfigError
from rightcall.limbs.generate.config import ContextConstructionConfig
from rightcall.limbs.generate.documents import SourceDocument
from rightcall.limbs.generate.kit import Kit
from rightcall.limbs.generate.scribe import Unreadable
from rightcall.records.record import Record


class Context(Record, frozen=True):
    """Neighbouring chunks and their source files. `quality` is a critic's rating, if any."""

    texts: tuple[str, ...]
    sources: tuple[str, ...] = ()
    quality: float | None = None

    @property
    def text(self) -> str:
        """The whole text."""
        return "\n\n".join(self.texts)


class ContextQuality(Record, frozen=True, forbid_unknown_fields=False):
    """A critic's ratings of a context."""

    clarity: float
    depth: float
    structure: float
    relevance: float

    @property
    def mean(self) -> float:
        """The mean rating, scaled to 0..1."""
        marks = (self.clarity, self.depth, self.structure, self.relevance)
        return sum(min(1.0, max(0.0, mark)) for mark in marks) / len(marks)


def contexts_of(
    documents: Sequence[SourceDocument], config: ContextConstructionConfig, *, seed: int = 0
) -> list[Context]:
    """Contexts from documents: neighbouring chunks, drawn at random from each document, in its order."""
    contexts: list[Context] = []
    for number, document in enumerate(documents):
        chunks = list(split_chunks(document.text, config.chunk_size, config.chunk_overlap))
        length = config.max_context_length
        runs = [tuple(chunks[start : start + length]) for start in range(0, len(chunks), length)]
        rng = random.Random(f"{seed}/contexts/{number}")  # noqa: S311
        chosen = rng.sample(range(len(runs)), min(config.max_contexts_per_document, len(runs)))
        contexts += [Context(runs[place], (document.path,)) for place in sorted(chosen)]
    return contexts


async def good_contexts(contexts: Sequence[Context], kit: Kit, threshold: float) -> list[Context]:
    """The contexts that a critic rates high enough; an error when there are none."""
    if threshold <= 0:
        return list(contexts)
    kept = list[Context]()
    best = 0.0
    for number, context in enumerate(contexts):
        scribe = kit.scribe(f"context-{number:04}")
        try:
            marks = await scribe.record(
                "quality", "context_quality", ContextQuality, {"context": context.text}, judging=True
            )
        except Unreadable:
            continue
        best = max(best, marks.mean)
        if marks.mean >= threshold:
            kept.append(Context(context.texts, context.sources, round(marks.mean, 3)))
    if not kept:
        raise ConfigError(
            f"none of the {len(contexts)} contexts reached the quality {threshold:g}; the best had {best:.2f}:"
            " lower context_quality_threshold, or use better documents"
        )
    return kept


_BREAKS = (
    re.compile(r"\n\s*\n|\n(?=#{1,6} )"),
    re.compile(r"\n|(?<=[.!?…])[\"”’)]*\s+|(?<=[。！？；])[」』”’）]*"),
    re.compile(r"\s+|(?<=[，、；：,;:])"),
)
"""Boundaries, best first: after a paragraph, after a sentence, after a word or clause."""

LEAST_SHARE = 0.25
"""A boundary that would leave less of a chunk than this is skipped for a worse kind of boundary."""


def split_chunks(text: str, size: int = 1024, overlap: int = 0) -> Iterator[str]:
    """Chunks of at most `size` characters that cover the text; each repeats up to `overlap` characters of the last."""
    start = 0
    while start < len(text):
        end = len(text) if len(text) - start <= size else _cut(text, start, start + size)
        if text[start:end].strip():
            yield text[start:end]
        start = end if end >= len(text) else max(end - overlap, start + 1)


def _cut(text: str, start: int, limit: int) -> int:
    """The best boundary before the limit; the limit itself where there is none."""
    least = start + int((limit - start) * LEAST_SHARE)
    for breaks in _BREAKS:
        if ends := [match.end() for match in breaks.finditer(text, least, limit) if match.end() > start]:
            return ends[-1]
    return limit
