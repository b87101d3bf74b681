"""The values of a golden that can be read off its request: another wording must hold them too."""

from __future__ import annotations

from typing import Any

from rightcall.analysis.argument_kind import UNJUDGED, is_held, plain_value
from rightcall.analysis.golden_facts import expected_calls
from rightcall.model.golden import Golden


def held_values(golden: Golden) -> list[Any]:
    """Expected values that the request says, in the order of the calls."""
    values = [plain_value(value) for _, args in expected_calls(golden) for value in args.values()]
    return [
        value
        for value in values
        if value is not UNJUDGED and isinstance(value, str | int | float) and is_held(value, golden.input)
    ]


def still_holds(golden: Golden, text: str) -> bool:
    """Whether another wording of a request is not empty and says every value that the request says."""
    return bool(text.strip()) and all(is_held(value, text) for value in held_values(golden))
