"""Near-duplicate texts in a dataset, without comparing all pairs."""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections.abc import Iterator

BINS = 32
BANDS = 16
ROWS = BINS // BANDS
ALIKE = 0.8


class NearTexts:
    """Remembers texts and finds the earlier one that a text nearly duplicates.

    `most_in_band` limits how many texts one band remembers, and so how many a text is compared with.
    """

    def __init__(self, alike: float = ALIKE, most_in_band: int | None = None) -> None:
        self._alike = alike
        self._most = most_in_band
        self._bands: dict[tuple[int, ...], list[int]] = {}
        self._texts: list[tuple[str, frozenset[int]]] = []

    def earlier(self, name: str, text: str, *, keep_similar: bool = True) -> tuple[str, float] | None:
        """The name of the most similar earlier text and the similarity; None when none is close.

        The text is then remembered, without `keep_similar` only if none is close.
        """
        grams = trigrams(text)
        candidates: set[int] = set()
        keys = list(_bands(grams))
        for key in keys:
            candidates.update(self._bands.get(key, ()))
        best = max(((jaccard(grams, self._texts[i][1]), -i) for i in candidates), default=(0.0, 0))
        similar = (self._texts[-best[1]][0], best[0]) if best[0] >= self._alike else None
        if similar is None or keep_similar:
            self._remember(name, grams, keys)
        return similar

    def _remember(self, name: str, grams: frozenset[int], keys: list[tuple[int, ...]]) -> None:
        place = len(self._texts)
        self._texts.append((name, grams))
        for key in keys:
            band = self._bands.setdefault(key, [])
            if self._most is None or len(band) < self._most:
                band.append(place)


def normalize(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(re.findall(r"\w+", plain))


def trigrams(text: str) -> frozenset[int]:
    padded = f"  {normalize(text)} "
    return frozenset(zlib.crc32(padded[i : i + 3].encode()) for i in range(len(padded) - 2))


def jaccard(first: frozenset[int], second: frozenset[int]) -> float:
    """|A ∩ B| / |A ∪ B|."""
    shared = len(first & second)
    return shared / (len(first) + len(second) - shared) if first or second else 1.0


def _bands(grams: frozenset[int]) -> Iterator[tuple[int, ...]]:
    """The bands of the signature that have no empty bin."""
    signature = [0] * BINS
    for gram in grams:
        mixed = (gram * 0x9E3779B1) & 0xFFFFFFFF  # neighbouring checksums must not share bins
        place = mixed % BINS
        value = mixed // BINS + 1
        if signature[place] == 0 or value < signature[place]:
            signature[place] = value
    for band in range(BANDS):
        rows = signature[band * ROWS : (band + 1) * ROWS]
        if any(rows):
            yield (band, *rows)
