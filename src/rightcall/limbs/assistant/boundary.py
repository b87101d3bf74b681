"""The boundary of an assistant: what it may name of the project, and the answers it gets.

An assistant is not the user: it reads hostile text all day. So it names no path outside the folder, chooses no store,
and neither the place of a suite nor a model's name in a call earns trust. Answers are plain data, bounded in size, with
control characters made visible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import wraps
from inspect import iscoroutinefunction
from pathlib import Path
from typing import Any

from rightcall.core.codec import encode, to_plain
from rightcall.core.errors import ConfigError, InfrastructureError, InputError, RightCallError
from rightcall.show.text import display_text
from rightcall.store.address import open_store, store_address
from rightcall.store.sql.store import Store
from rightcall.tools.runtime.errors import ToolError


class RefusedPathError(InputError):
    """A path leads out of the project."""


class RefusedSuiteError(ConfigError):
    """A suite would run, and the user has not allowed it."""


@dataclass(frozen=True)
class Project:
    """One folder, its store, and whether suites may run. The process works in the folder."""

    root: Path
    store_url: str | None = None
    trust: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "root", self.root.resolve())
        if (file := store_address(self.store_url).file) is not None:
            self.inside(str(file), "the store")

    def inside(self, text: str, what: str = "path") -> Path:
        """A path relative to the folder, symbolic links resolved; raises when it leads out of it."""
        if "\0" in text or not text.strip():
            raise RefusedPathError(repr(text)[:200], f"is not a valid {what}")
        try:
            whole = (self.root / text).resolve()
        except (OSError, RuntimeError, ValueError) as error:
            raise RefusedPathError(text[:200], f"cannot be resolved: {error}") from None
        if not whole.is_relative_to(self.root):
            raise RefusedPathError(
                text[:200], f"{what} is outside the project folder", "name a path inside the project"
            )
        return whole.relative_to(self.root)

    def file(self, text: str) -> Path:
        """An existing file of the project."""
        path = self.inside(text)
        if not (self.root / path).is_file():
            raise InputError(text[:200], "no such file in the project", "paths are relative to its folder")
        return path

    def run_name(self, text: str) -> str:
        """A run as a user names it; where a file is meant, it is one of the project."""
        self.inside(text, "run")
        return text

    def require_trust(self, path: Path) -> None:
        """Raise unless the user started the server with `--trust`: the assistant may have written the suite."""
        if not self.trust:
            raise RefusedSuiteError(
                f"{path}: a suite can start programs, so only the user can allow it: review it, then start the server "
                f"with `rightcall mcp serve --trust`, or type `rightcall run {path}`"
            )

    def store(self, *, must_exist: bool = True) -> Store:
        return open_store(self.store_url, must_exist=must_exist)


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
