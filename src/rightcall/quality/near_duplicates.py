"""Near-duplicate texts, found without comparing all pairs.

Sets of character trigrams are compared by Jaccard's index. Candidates come from one-permutation MinHash with
banding (Li, Owen & Zhang, NIPS 2012): texts that share a whole band of their signature are compared in full.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections.abc import Iterator

BINS, BANDS = 32, 16
ROWS = BINS // BANDS
ALIKE = 0.8


class NearTexts:
    """Remembers texts and finds the earlier one that a text nearly duplicates."""

    def __init__(self, alike: float = ALIKE) -> None:
        self._alike = alike
        self._bands: dict[tuple[int, ...], list[int]] = {}
        self._texts: list[tuple[str, frozenset[int]]] = []

    def earlier(self, name: str, text: str) -> tuple[str, float] | None:
        """The name of the most similar earlier text and the similarity; None when none is close."""
        grams = trigrams(text)
        candidates: set[int] = set()
        keys = list(_bands(grams))
        for key in keys:
            candidates.update(self._bands.get(key, ()))
        best = max(((jaccard(grams, self._texts[i][1]), -i) for i in candidates), default=(0.0, 0))
        place = len(self._texts)
        self._texts.append((name, grams))
        for key in keys:
            self._bands.setdefault(key, []).append(place)
        return (self._texts[-best[1]][0], best[0]) if best[0] >= self._alike else None


def normalized(text: str) -> str:
    """Normalize case, Unicode, punctuation and whitespace."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(re.findall(r"\w+", plain))


def trigrams(text: str) -> frozenset[int]:
    """Hashes of the character trigrams of the normalized text."""
    padded = f"  {normalized(text)} "
    return frozenset(zlib.crc32(padded[i : i + 3].encode()) for i in range(len(padded) - 2))


def jaccard(one: frozenset[int], other: frozenset[int]) -> float:
    """|A ∩ B| / |A ∪ B|."""
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared) if one or other else 1.0


def _bands(grams: frozenset[int]) -> Iterator[tuple[int, ...]]:
    """The bands of the signature that have no empty bin."""
    signature = [0] * BINS
    for gram in grams:
        mixed = (gram * 0x9E3779B1) & 0xFFFFFFFF  # neighbouring checksums must not share bins
        place, value = mixed % BINS, mixed // BINS + 1
        if signature[place] == 0 or value < signature[place]:
            signature[place] = value
    for band in range(BANDS):
        rows = signature[band * ROWS : (band + 1) * ROWS]
        if any(rows):
            yield (band, *rows)
