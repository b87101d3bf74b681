"""Worlds by name. Each world is a file in this folder and is found automatically."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from rightcall.errors import ConfigError, suggestion
from rightcall.tools.worlds.base import World

MACHINERY = frozenset(("base", "catalog", "state"))


@cache
def worlds() -> dict[str, type[World]]:
    """Every world by its name."""
    import rightcall.tools.worlds as shelf

    for module in iter_modules(shelf.__path__):
        if module.name not in MACHINERY:
            import_module(f"{shelf.__name__}.{module.name}")
    found = [kind for kind in World.__subclasses__() if kind.__module__.startswith(shelf.__name__)]
    return {kind.name: kind for kind in sorted(found, key=lambda kind: kind.name)}


def make_world(name: str, state: dict[str, Any] | None = None) -> World:
    """A world by its name, as a suite gives it."""
    known = worlds()
    if name not in known:
        hint = suggestion(name, known) or f"known: {', '.join(known)}"
        raise ConfigError(f"no such world '{name}'; {hint}")
    return known[name](state)
