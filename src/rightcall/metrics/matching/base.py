"""The interface of matchers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import msgspec

from rightcall.model.call import ToolCall

MISSING = msgspec.UNSET
"""An argument that was not passed."""


class Matcher(Protocol):
    """Scores one argument.

    `score` takes the value, or MISSING, and the index of its call, and returns a number in [0, 1].
    `describe` completes the sentence "should be …".
    """

    def score(self, value: Any, at: int) -> float: ...

    def describe(self) -> str: ...


class Sources:
    """From which calls `ref` reads: the partners of expected calls that have an id.

    `of` maps ids to positions of actual calls. An id that is not in it is still open: any call of the tool may
    become its partner. `named` are the ids that some `ref` mentions.
    """

    __slots__ = ("named", "of")

    def __init__(self) -> None:
        self.named: set[str] = set()
        self.of: dict[str, frozenset[int]] = {}


class Scope(msgspec.Struct, frozen=True):
    """The context for compiling a matcher.

    `calls` are the calls of the trajectory (for `ref`); `tool_of` names the tool of an expected call by its
    id; `embed` and `judge` are only there when the user supplied them. `benefit_of_doubt` says whether arguments that
    are not known count as right; `negated` that a matcher stands under a `not`.
    """

    calls: Sequence[ToolCall] = ()
    tool_of: dict[str, Any] = {}
    by_schema: bool = False
    embed: Callable[[str], Sequence[float]] | None = None
    judge: Callable[[str, Any], float] | None = None
    benefit_of_doubt: bool = True
    sources: Sources = msgspec.field(default_factory=Sources)
    negated: bool = False


def shown(value: Any, limit: int = 120) -> str:
    """A value as short JSON, for a sentence."""
    if value is MISSING:
        return "nothing"
    try:
        text = msgspec.json.encode(value).decode()
    except (TypeError, ValueError, RecursionError):
        text = repr(value)
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
