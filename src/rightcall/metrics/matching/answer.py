"""What the final answer should contain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rightcall.metrics.matching.base import Scope
from rightcall.metrics.matching.compile import compile_matcher
from rightcall.metrics.matching.matchers.text import Contains


def missing_content(wanted: Sequence[Any], output: str, scope: Scope) -> list[Any]:
    """The required keywords and matchers that the answer does not satisfy.

    A plain string is a keyword, found anywhere in the answer, case-insensitively.
    """
    return [item for item in wanted if not _found(item, output, scope)]


def _found(item: Any, output: str, scope: Scope) -> bool:
    matcher = Contains(item, any_case=True) if isinstance(item, str) else compile_matcher(item, scope)
    return matcher.score(output, len(scope.calls)) == 1.0
