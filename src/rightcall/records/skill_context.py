"""Skills that were in an agent's context before its first answer: that it loads none then says nothing about it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from rightcall.records.trajectory import Trajectory

LEAST = 200
"""Consecutive characters of a body, white space folded, that show that it was injected."""
BLOCK = LEAST // 2
"""Any run of `LEAST` characters contains one whole block of this size that begins at a multiple of it."""

_NAMED = re.compile(r"(?:\A|\n)\s*(?:<command-name>)?[/$]([A-Za-z0-9][\w:-]*)(?=[\s<.,]|\Z)")


def first_texts(trajectory: Trajectory, system: str | None = None) -> list[str]:
    """What the agent was told before its first answer: system texts and messages of the user."""
    texts = [system] if system else []
    for message in trajectory.messages:
        if message.role == "assistant":
            break
        if message.role in ("system", "user"):
            texts.append(message.content)
    return texts


def skills_named_by_user(texts: list[str]) -> Iterator[str]:
    """The names that users write to load a skill themselves: `/pdf`, `$pdf`."""
    for text in texts:
        if "/" in text or "$" in text:
            for match in _NAMED.finditer(text):
                yield match[1].rpartition(":")[2]


def contains_body(texts: list[str], body: str) -> bool:
    """Whether a text contains at least `LEAST` consecutive characters of a body."""
    if len(body) < LEAST or not any(len(text) >= LEAST for text in texts):
        return False
    folded = fold(body)
    return any(_overlaps(fold(text), folded) for text in texts if len(text) >= LEAST)


@lru_cache(maxsize=256)
def fold(text: str) -> str:
    """The text with each run of white space as one space."""
    return " ".join(text.split())


@lru_cache(maxsize=256)
def _overlaps(text: str, body: str) -> bool:
    last = len(body) - LEAST
    return any(
        body[block : block + BLOCK] in text
        and any(body[at : at + LEAST] in text for at in range(max(0, block - BLOCK), min(block, last) + 1))
        for block in range(0, len(body) - BLOCK + 1, BLOCK)
    )
