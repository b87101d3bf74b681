"""Contexts: related pieces of documents to ask questions about."""

from __future__ import annotations

import math
import random
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from rightcall.core.errors import ConfigError
from rightcall.datasets.near_duplicates import normalize
from rightcall.model.record import Record
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


_BREAKS = (
    re.compile(r"\n\s*\n|\n(?=#{1,6} )"),
    re.compile(r"\n|(?<=[.!?…])[\"”’)]*\s+|(?<=[。！？；])[」』”’）]*"),
    re.compile(r"\s+|(?<=[，、；：,;:])"),
)
"""Boundaries, best first: after a paragraph, after a sentence, after a word or clause."""

_JOINERS = frozenset("\u200d\ufe0e\ufe0f\u20e3")
LEAST_SHARE = 0.25
"""A boundary that would leave less of a chunk than this is skipped for a worse kind of boundary."""


class Chunk(Record, frozen=True):
    """A chunk of a text and its position: `text == whole[start:end]`."""

    text: str
    start: int
    end: int


def split_chunks(text: str, size: int = 1024, overlap: int = 0) -> Iterator[Chunk]:
    """Chunks of at most `size` characters that cover the text; each repeats up to `overlap` characters of the last.

    Only a single grapheme cluster (a letter with its accents, a family emoji) may be longer than `size`.
    """
    start = 0
    while start < len(text):
        end = len(text) if len(text) - start <= size else _cut(text, start, start + size)
        if text[start:end].strip():
            yield Chunk(text[start:end], start, end)
        if end >= len(text):
            return
        start = max(_boundary_before(text, end - overlap, start + 1), start + 1) if overlap else end
        start = start if is_boundary(text, start) else _boundary_after(text, start)
        start = min(start, end)


def is_boundary(text: str, at: int) -> bool:
    """Whether a text may be split here without breaking a grapheme cluster.

    The rules of Unicode's extended grapheme clusters (UAX #29) that matter in practice: marks, joiners, variation
    selectors, skin tones, flags, Hangul syllables, and CRLF.
    """
    if at <= 0 or at >= len(text):
        return True
    before, after = text[at - 1], text[at]
    if before == "\r" and after == "\n":
        return False
    if unicodedata.category(after) in ("Mn", "Me", "Mc") or after in _JOINERS or before == "\u200d":
        return False
    if "\U0001f3fb" <= after <= "\U0001f3ff" or "\U000e0020" <= after <= "\U000e007f":
        return False
    if _is_flag(before) and _is_flag(after):
        return _flags_before(text, at) % 2 == 0
    return not _same_syllable(before, after)


def _cut(text: str, start: int, limit: int) -> int:
    least = start + int((limit - start) * LEAST_SHARE)
    for breaks in _BREAKS:
        last = None
        for match in breaks.finditer(text, least, limit):
            if start < match.end() <= limit and is_boundary(text, match.end()):
                last = match.end()
        if last is not None:
            return last
    before = _boundary_before(text, limit, start + 1)
    return before if is_boundary(text, before) else _boundary_after(text, limit)


def _boundary_before(text: str, at: int, least: int) -> int:
    at = max(at, least)
    while at > least and not is_boundary(text, at):
        at -= 1
    return at


def _boundary_after(text: str, at: int) -> int:
    while at < len(text) and not is_boundary(text, at):
        at += 1
    return at


def _is_flag(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _flags_before(text: str, at: int) -> int:
    count = 0
    while at - count - 1 >= 0 and _is_flag(text[at - count - 1]):
        count += 1
    return count


def _same_syllable(before: str, after: str) -> bool:
    """Hangul written as jamo: a leading consonant keeps its vowel, a vowel its final consonant."""
    leading = "\u1100" <= before <= "\u115f"
    vowel = "\u1160" <= before <= "\u11a7" or "\uac00" <= before <= "\ud7a3"
    return (leading and "\u1100" <= after <= "\u11a7") or (vowel and "\u1160" <= after <= "\u11ff")
