"""How many steps checking a value against a schema takes, estimated before the validator starts.

References let a schema of a kilobyte ask for a billion steps (`anyOf` of two references to the next of thirty, or a
recursive one against a deep value), and the validator cannot be interrupted. Most schemas are small when every
reference is followed, and are not examined again; the others are walked together with each value, up to a limit.
"""

from __future__ import annotations

from typing import Any

from rightcall.core.depth import values_in
from rightcall.schema.subschemas import DEFINITIONS, HOLDERS, References, applications, subschemas

SMALL = 2_000
"""Parts of a schema, with references followed, above which values are examined too."""

MOST_STEPS = 50_000
"""Steps allowed for one value of a large schema, plus `STEPS_A_PART` for each part of the value: about 0.1 s."""
STEPS_A_PART = 50

MOST_ERROR_STEPS = 5_000
"""Steps up to which the validator is asked what is wrong: explaining takes thirty times as long as deciding."""


def is_large(schema: Any) -> bool:
    """Whether the schema, with references followed, has more than `SMALL` parts; then values must be checked."""
    left, references = SMALL, References(schema)
    waiting: list[Any] = [schema]
    while waiting:
        part = waiting.pop()
        if not isinstance(part, dict):
            continue
        left -= 1
        if left < 0:
            return True
        waiting.extend(references.targets(part))
        waiting.extend(inner for key, _, inner in subschemas(part, HOLDERS) if key not in DEFINITIONS)
    return False


def steps(schema: Any, value: Any) -> int:
    """About how many steps the validator takes; counting stops beyond what is allowed for the value."""
    allowed = _steps_allowed(value)
    taken, references = 0, References(schema)
    # Each schema with those that led to it for the same value: the validator does not follow cycles either.
    waiting: list[tuple[Any, Any, frozenset[int]]] = [(schema, value, frozenset())]
    while waiting and taken <= allowed:
        part, here, before = waiting.pop()
        if not isinstance(part, dict) or id(part) in before:
            continue
        taken += 1
        round_here = before | {id(part)}
        waiting.extend((target, here, round_here) for target in references.targets(part))
        waiting.extend(
            (inner, item, round_here if item is here else frozenset())
            for inner, item in applications(part, here)
        )
    return taken


def too_many(taken: int, value: Any) -> bool:
    """Whether that is more than is allowed for the value."""
    return taken > _steps_allowed(value)


def _steps_allowed(value: Any) -> int:
    return MOST_STEPS + STEPS_A_PART * sum(1 for _ in values_in(value))
