"""Answers for an assistant: plain data, bounded in size, with control characters made visible."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from inspect import iscoroutinefunction
from typing import Any

from rightcall.core.codec import encode, to_plain
from rightcall.core.errors import ConfigError, InfrastructureError, InputError, RightCallError
from rightcall.limbs.assistant.project import RefusedPathError, RefusedSuiteError
from rightcall.show.text import display_text
from rightcall.tools.runtime.errors import ToolError

MOST_BYTES = 40_000
"""Size of an answer: what does not fit is cut, with a note."""

SIZES = ((4_000, 60), (1_000, 30), (300, 12), (80, 5))
"""Longest text and most items, from generous to tight."""

DEEPEST = 12


def reply(value: Any) -> dict[str, Any]:
    """An answer as plain data of at most `MOST_BYTES`."""
    plain = to_plain(value)
    for longest, most in SIZES:
        cut = _cut(plain, longest, most, DEEPEST)
        if len(encode(cut)) <= MOST_BYTES:
            break
    return cut if isinstance(cut, dict) else {"items": cut}


def first(items: Iterable[Any], most: int) -> dict[str, Any]:
    """The first items of a list, and how many more there are."""
    whole = list(items)
    return {"items": whole[:most], "more": max(0, len(whole) - most)}


def with_explained_errors(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function with errors that an assistant can act on."""
    if iscoroutinefunction(function):

        @wraps(function)
        async def acall(*args: Any, **kwargs: Any) -> Any:
            try:
                return reply(await function(*args, **kwargs))
            except RightCallError as error:
                raise tool_error(error) from error

        return acall

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return reply(function(*args, **kwargs))
        except RightCallError as error:
            raise tool_error(error) from error

    return call


def tool_error(error: RightCallError) -> ToolError:
    """An error in the error contract. Bad input changed nothing; of a failing service that is not known."""
    detail = display_text(str(error), 2_000)
    hint = "fix what it names and call again"
    if isinstance(error, RefusedPathError | RefusedSuiteError):
        hint = "ask the user; do not look for another way"
        return ToolError("permission_denied", detail, hint, effect="none")
    if isinstance(error, InputError):
        where = f"{error.where}: " if error.where else ""
        own_hint = display_text(error.hint, 500) or hint
        return ToolError("bad_input", display_text(where + error.problem, 2_000), own_hint, effect="none")
    if isinstance(error, ConfigError):
        return ToolError("bad_input", detail, hint, effect="none")
    if isinstance(error, InfrastructureError):
        return ToolError("upstream_error", detail, "tell the user; list_runs shows what was stored")
    return ToolError("bad_input", detail, hint)


def _cut(value: Any, longest: int, most: int, deep: int) -> Any:
    if isinstance(value, str):
        return display_text(value, longest)
    if isinstance(value, dict | list | tuple) and not deep:
        return "…"
    if isinstance(value, dict):
        kept = list(value.items())[:most]
        more = {"…": f"{len(value) - most} more"} if len(value) > most else {}
        return {display_text(str(k), 200): _cut(v, longest, most, deep - 1) for k, v in kept} | more
    if isinstance(value, list | tuple):
        cut = [_cut(element, longest, most, deep - 1) for element in value[:most]]
        return [*cut, f"… {len(value) - most} more"] if len(value) > most else cut
    return value
