"""Two goldens that illustrate a group: the most and the least typical one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from rightcall.lint import request_words

LOOKED_AT = 200


def typical_goldens(
    ids: Sequence[str], inputs: Callable[[Sequence[str]], Mapping[str, str]] | None
) -> tuple[str, ...]:
    """At most two ids; without the inputs the first and the last."""
    if len(ids) <= 2:
        return tuple(ids)
    said = inputs(ids[:LOOKED_AT]) if inputs else {}
    if not said:
        return ids[0], ids[-1]
    words = {golden: frozenset(request_words(text)) for golden, text in said.items()}
    common = Counter(word for one in words.values() for word in one)

    def likeness(golden: str) -> float:
        one = words[golden]
        return sum(common[word] for word in one) / len(one) if one else 0.0

    ordered = sorted(words, key=lambda golden: (-likeness(golden), golden))
    return ordered[0], ordered[-1]
