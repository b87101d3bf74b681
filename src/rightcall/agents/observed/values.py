"""Values of frameworks as plain JSON, copied at that moment, and why an agent stopped.

Stop reasons are recognized by the class names of what was raised: no framework is imported.
"""

from __future__ import annotations

import dataclasses
import enum
import math
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import msgspec

from rightcall.agents.observed.provider_outage import LOST, chain, names_of, stop_of_exception
from rightcall.core.codec import encode
from rightcall.records.dialects.wire import parse_call
from rightcall.records.trajectory import UNKNOWN_USAGE, StopReason, Usage, token_count

DEEPEST = 50
LONGEST = 1 << 20
"""Characters of one text, and entries of one collection, that are kept."""


def plain(value: Any, depth: int = 0) -> Any:
    """A copy of any value as JSON values; what has no JSON form becomes its text.

    Frameworks pass live lists and objects; a stored reference would show later changes.
    """
    if value is None or isinstance(value, bool | int | float):
        return value if not isinstance(value, float) or math.isfinite(value) else str(value)
    if isinstance(value, str):
        return whole(value)
    if depth >= DEEPEST:
        return "…"
    if isinstance(value, Mapping):
        return {whole(str(key)): plain(item, depth + 1) for key, item in list(value.items())[:LONGEST]}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item, depth + 1) for item in list(value)[:LONGEST]]
    return _object(value, depth)


def whole(text: str) -> str:
    """The text as it can be stored: cut at `LONGEST`, unpaired surrogates replaced."""
    text = text[:LONGEST]
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def text_of(value: Any) -> str:
    """An answer as text: text itself, nothing as "", anything else as JSON."""
    if isinstance(value, str):
        return whole(value)
    if value is None:
        return ""

    copied = plain(value)
    return copied if isinstance(copied, str) else encode(copied).decode()


def arguments_of(arguments: Any) -> tuple[dict[str, Any] | None, str | None]:
    """A call's arguments and its raw text: an object, or text that is not one (then the arguments are None)."""
    if arguments is None:
        return None, None
    call = parse_call("", plain(arguments), "")
    return call.arguments, call.raw


def framework_usage(input_tokens: Any, output_tokens: Any, cached: Any = None) -> Usage:
    """Tokens that a framework reports.

    Unknown when it has none, or zeros, which no answer can have: that is how many say that a model reported nothing.
    """
    if not input_tokens and not output_tokens:
        return UNKNOWN_USAGE
    return Usage(token_count(input_tokens), token_count(output_tokens), cached_tokens=token_count(cached))


def _object(value: Any, depth: int) -> Any:
    with suppress(Exception):  # an object that cannot say what it holds still has a text
        dump = getattr(value, "model_dump", None)
        if callable(dump):
            return plain(dump(mode="json", warnings=False), depth + 1)
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            names = [field.name for field in dataclasses.fields(value)]
            return {name: plain(getattr(value, name, None), depth + 1) for name in names}
        if isinstance(value, msgspec.Struct | enum.Enum) or hasattr(type(value), "__attrs_attrs__"):
            return plain(msgspec.to_builtins(value, str_keys=True, enc_hook=str), depth + 1)
        if isinstance(value, BaseException):
            return whole(f"{type(value).__name__}: {value}")
    with suppress(Exception):
        return whole(str(value))
    return f"<{type(value).__name__}>"


LIMITS = frozenset(
    ("MaxTurnsExceeded", "GraphRecursionError", "UsageLimitExceeded", "AgentMaxStepsError",
     "LlmCallsLimitExceededError", "WorkflowTimeoutError", "MaxIterationsExceeded", "LimitReachedError",
     "ToolLoopMaxRoundsExceeded")
)  # fmt: skip
"""What frameworks raise at a limit the user set."""


def connection_loss(error: Any) -> str:
    """What a tool raised, in a few words, when it lost its connection or waited in vain; "" for anything else."""
    if not isinstance(error, BaseException):
        return ""
    for link in chain(error):
        if names_of(link) & LOST:
            return f"{type(link).__name__}: {link}"[:200]
    return ""


def stop_of_error(error: BaseException) -> tuple[StopReason, str]:
    stop, words = stop_of_exception(error)
    return ("limit" if any(names_of(link) & LIMITS for link in chain(error)) else stop), words
