"""Duplicates in a dataset: near-duplicate texts without comparing all pairs, and where each id was first used."""

from __future__ import annotations

import re
import unicodedata
import zlib
from array import array
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


LOOKED_UP = 1_000
"""Maximum number of duplicates reported with the first location; each lookup scans all ids."""


class SeenIds:
    """Remembers ids by hash and line number."""

    def __init__(self) -> None:
        self._seen: set[int] = set()
        self._hashes, self._lines = array("q"), array("q")
        self._prefix: str | None = None
        self._others: dict[int, str] = {}  # locations that are not a line of the same file
        self._repeats = 0

    def first(self, name: str, where: str) -> str | None:
        """The location that used this id before; None when it is new (it is then remembered)."""
        key = hash(name)
        if key not in self._seen:
            self._seen.add(key)
            self._remember(key, where)
            return None
        self._repeats += 1
        if self._repeats > LOOKED_UP:
            return "an earlier place"
        return self._place(key)

    def _remember(self, key: int, where: str) -> None:
        prefix, _, line = where.rpartition(":")
        if self._prefix is None:
            self._prefix = prefix
        if line.isascii() and line.isdigit() and prefix == self._prefix:
            self._hashes.append(key)
            self._lines.append(int(line))
        else:
            self._others[key] = where

    def _place(self, key: int) -> str:
        if key in self._others:
            return self._others[key]
        return f"{self._prefix}:{self._lines[self._hashes.index(key)]}"
