"""Contexts: related pieces of documents to ask questions about."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from rightcall.core.errors import ConfigError
from rightcall.datasets.near_duplicates import normalize
from rightcall.model.record import Record
from rightcall.wings.generate.chunks import split_chunks
from rightcall.wings.generate.config import ContextConstructionConfig
from rightcall.wings.generate.documents import SourceDocument
from rightcall.wings.generate.kit import Kit
from rightcall.wings.generate.scribe import Unreadable


class Context(Record, frozen=True):
    """Related chunks and their source files. `quality` is a critic's rating, if any."""

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
    """Contexts from documents: a random chunk with the most similar chunks, each chunk drawn at most once."""
    groups = [list(documents)] if config.allow_cross_file_contexts else [[document] for document in documents]
    contexts: list[Context] = []
    for number, group in enumerate(groups):
        pieces = [
            (chunk.text, document.path)
            for document in group
            for chunk in split_chunks(document.text, config.chunk_size, config.chunk_overlap)
        ]
        rng = random.Random(f"{seed}/contexts/{number}")  # noqa: S311
        contexts += _group(pieces, config, rng, config.max_contexts_per_document * len(group))
    return contexts


async def good_contexts(contexts: Sequence[Context], kit: Kit, threshold: float) -> list[Context]:
    """The contexts that a critic rates high enough; an error when there are none."""
    if threshold <= 0:
        return list(contexts)
    kept, best = list[Context](), 0.0
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


def _group(
    pieces: Sequence[tuple[str, str]], config: ContextConstructionConfig, rng: random.Random, most: int
) -> list[Context]:
    texts = [text for text, _ in pieces]
    similarity = _similarity(texts, config)
    order = list(range(len(pieces)))
    rng.shuffle(order)
    used: set[int] = set()
    contexts: list[Context] = []
    for first in order:
        if len(contexts) >= most:
            break
        if first in used:
            continue
        others = (other for other in order if other != first and other not in used)
        near = sorted(((similarity(first, other), other) for other in others), reverse=True)
        near = [neighbour for neighbour in near if neighbour[0] >= config.context_similarity_threshold]
        neighbour_count = rng.randint(config.min_context_length, config.max_context_length) - 1
        chosen = [first, *(other for _, other in near[:neighbour_count])]
        if len(chosen) < config.min_context_length:
            continue
        used.update(chosen)
        sources = tuple(dict.fromkeys(pieces[place][1] for place in chosen))
        contexts.append(Context(tuple(texts[place] for place in sorted(chosen)), sources))
    return contexts


def _similarity(texts: Sequence[str], config: ContextConstructionConfig) -> Callable[[int, int], float]:
    """How similar two texts are, by their places: by `embed`, otherwise by trigrams."""
    if config.embed is not None:
        embedded = list(config.embed(texts))
        return lambda first, other: cosine(embedded[first], embedded[other])
    vectors = _trigram_vectors(texts)

    def similarity(first: int, other: int) -> float:
        short, long = sorted((vectors[first], vectors[other]), key=len)
        return math.fsum(weight * long[gram] for gram, weight in short.items() if gram in long)

    return similarity


def cosine(first: Sequence[float], other: Sequence[float]) -> float:
    """The cosine of the angle between two vectors; 0 when one of them is zero."""
    size = math.sqrt(math.fsum(a * a for a in first)) * math.sqrt(math.fsum(b * b for b in other))
    return math.fsum(a * b for a, b in zip(first, other, strict=True)) / size if size else 0.0


def _trigram_vectors(texts: Sequence[str]) -> list[dict[str, float]]:
    """Tf-idf of character trigrams, of length 1: works for any script, without a model."""
    counts = [Counter(_trigrams(text)) for text in texts]
    frequency = Counter(gram for count in counts for gram in count)
    rarity = {gram: math.log((1 + len(texts)) / (0.5 + number)) for gram, number in frequency.items()}
    return [_unit({gram: number * rarity[gram] for gram, number in count.items()}) for count in counts]


def _trigrams(text: str) -> list[str]:
    plain = f" {normalize(text)} "
    return [plain[i : i + 3] for i in range(len(plain) - 2)]


def _unit(vector: Mapping[str, float]) -> dict[str, float]:
    size = math.sqrt(math.fsum(weight * weight for weight in vector.values()))
    return {gram: weight / size for gram, weight in vector.items()} if size else dict(vector)
