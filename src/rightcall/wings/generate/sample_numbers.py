"""Numbers that a schema and its text allow and that people would say."""

from __future__ import annotations

import random
import re
from typing import Any

from rightcall.core.words import name_tokens, word_set
from rightcall.schema.types import is_number
from rightcall.wings.generate.documented_values import range_in, step_in
from rightcall.wings.generate.schema_parts import text_of

LARGEST_EDGE = 1_000
"""Limits beyond it are those of a number type, not of what people ask for."""

_RANGES = {
    "days": (1, 14), "nights": (1, 14), "hours": (1, 12), "minutes": (5, 90), "seconds": (5, 60), "ms": (1000, 20_000),
    "timeout": (5, 60), "limit": (5, 50), "count": (2, 20), "max": (5, 50), "size": (5, 50), "quantity": (1, 12),
    "guests": (1, 8), "people": (1, 8), "adults": (1, 4), "children": (1, 3), "page": (2, 9), "year": (2024, 2031),
    "month": (1, 12), "amount": (5, 900), "price": (5, 900), "percent": (1, 99), "latitude": (-60, 60),
    "lat": (-60, 60), "longitude": (-150, 150), "lon": (-150, 150), "lng": (-150, 150), "rating": (1, 5),
    "age": (18, 80), "id": (1000, 99_999), "width": (200, 1600), "height": (200, 1200), "port": (8000, 8999),
    "depth": (1, 3), "level": (1, 3), "index": (0, 9), "scale": (1, 4), "offset": (10, 100), "row": (1, 40),
    "line": (1, 40), "column": (1, 20), "version": (1, 12), "number": (2, 400), "priority": (1, 4), "score": (0, 1),
    "threshold": (0, 1), "ratio": (0, 1), "temperature": (0, 1),
    "similarity": (0, 1), "opacity": (0, 1), "zoom": (3, 15), "rank": (1, 10),
}  # fmt: skip
FRACTIONS = word_set("""
    amount price cost latitude lat longitude lon lng temperature ratio score similarity threshold opacity
    probability weight rate strength stability distance radius balance total
    """)
"""What is measured rather than counted."""
_MOMENTS = word_set("timestamp epoch ts since until")
EPOCH = 1_798_000_000


def sample_number(
    name: str, schema: dict[str, Any], rng: random.Random, *, whole: bool, at_edge: bool = False
) -> int | float:
    """A number for a parameter; `at_edge` takes one of its limits where they are of a size that people say."""
    tokens, text = name_tokens(name), text_of(schema)
    if "multipleOf" in schema and is_number(schema["multipleOf"]) and schema["multipleOf"] > 0:
        step: float = schema["multipleOf"]
    else:
        step = step_in(text) or (1 if whole else 0.25)
    low, high = _bound(schema, "minimum", step), _bound(schema, "maximum", step)
    edges = [end for end in (low, high) if end and abs(end) <= LARGEST_EDGE] if at_edge else []
    if edges:
        return _as_number(rng.choice(edges), whole)
    if not _MOMENTS.isdisjoint(tokens) or re.search(r"\bunix\b|\bepoch\b", text, re.IGNORECASE):
        moment = EPOCH + 3600 * rng.randint(0, 5000)
        return moment * 1000 if "milli" in text else moment
    told_low, told_high = range_in(text)
    low, high = (told_low if low is None else low), (told_high if high is None else high)
    usual: tuple[float, float] = next(
        (_RANGES[token] for token in reversed(tokens) if token in _RANGES), (2, 30)
    )
    usual = _RANGES["page"] if "page" in tokens[:-1] and tokens[-1] in ("number", "no", "index") else usual
    if step_in(text) and "multipleOf" not in schema:
        low, usual = max(low or 0, step), (step, 9 * step)
        low = -(-low // step) * step
    start = usual[0] if low is None else max(low, min(usual[0], high if high is not None else usual[0]))
    end = usual[1] if high is None else min(high, max(usual[1], start))
    count = int((max(start, end) - start) / step)
    return _as_number(start + step * rng.randint(0, max(0, min(count, 10_000))), whole and step == int(step))


def _bound(schema: dict[str, Any], word: str, step: float) -> float | None:
    """The smallest or largest value a schema allows, rounded to its step."""
    limit: Any = schema.get(word)
    exclusive: Any = schema.get(f"exclusive{word.capitalize()}")
    upward = word == "minimum"
    ends = [limit] if is_number(limit) else []
    if is_number(exclusive):
        ends.append(exclusive + step if upward else exclusive - step)
    if not ends:
        return None
    end = max(ends) if upward else min(ends)
    grid = -(-end // step) * step if upward else end // step * step
    return float(grid) if "multipleOf" in schema else float(end)


def _as_number(value: float, whole: bool) -> int | float:
    return int(value) if whole or float(value).is_integer() else round(value, 6)
