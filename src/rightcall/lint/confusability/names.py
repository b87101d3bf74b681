"""Similarity of names, counting shared words in any order."""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=200_000)
def name_likeness(first: tuple[str, ...], second: tuple[str, ...]) -> float:
    """0 to 1: the best of comparing the shared words with each name, and the names with each other.

    Names without a shared word are compared as they stand.
    """
    shared = sorted(set(first) & set(second))
    rest_first = sorted(set(first) - set(shared))
    rest_second = sorted(set(second) - set(shared))
    common = " ".join(shared)
    one, two = " ".join((*shared, *rest_first)), " ".join((*shared, *rest_second))
    if one == two:
        return 1.0
    best = ratio(one, two)
    if shared:
        best = max(best, ratio(common, one), ratio(common, two))
    return best


def ratio(first: str, second: str) -> float:
    """Twice the length of the longest common subsequence over the sum of the lengths."""
    total = len(first) + len(second)
    return 2 * common_length(first, second) / total if total else 1.0


def common_length(first: str, second: str) -> int:
    """Length of the longest common subsequence, bit-parallel (Hyyrö 2004)."""
    masks: dict[str, int] = {}
    for index, character in enumerate(first):
        masks[character] = masks.get(character, 0) | 1 << index
    full = (1 << len(first)) - 1
    state = full
    for character in second:
        update = state & masks.get(character, 0)
        state = ((state + update) | (state - update)) & full
    return len(first) - state.bit_count()


def edit_distance(first: str, second: str, most: int) -> int:
    """Letters to change, add or take away; anything above `most` comes back as `most + 1`."""
    if abs(len(first) - len(second)) > most:
        return most + 1
    row = list(range(len(second) + 1))
    for index, left in enumerate(first, start=1):
        previous, row[0] = row[0], index
        for column, right in enumerate(second, start=1):
            previous, row[column] = (
                row[column],
                min(row[column] + 1, row[column - 1] + 1, previous + (left != right)),
            )
        if min(row) > most:
            return most + 1
    return min(row[-1], most + 1)
