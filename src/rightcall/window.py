"""The public names of a room, each loaded on first use.

A room's `__init__.py` lists its names twice: imported under `TYPE_CHECKING`, for people, editors and mypy, and by home
for `window`, which finds them at run time. `tests/contracts/test_windows.py` keeps both lists equal. Importing a
room then costs nothing, and using one struct of it does not import the rest. Finding the homes in the first list
would mean reading and parsing source code in every process.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any


def window(
    room: str, homes: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """`__getattr__`, `__dir__` and `__all__` of a room, from a map of its modules to their names.

    `homes` maps a module, relative to the room, to its names, separated by spaces: `{"limits": "Limits RunLimits"}`.
    """
    home_of = {name: f"{room}.{module}" for module, names in homes.items() for name in names.split()}

    def get(name: str) -> Any:
        if name not in home_of:
            raise AttributeError(f"module '{room}' has no attribute '{name}'")
        value = getattr(import_module(home_of[name]), name)
        vars(import_module(room))[name] = value  # later lookups bypass this function
        return value

    return get, lambda: sorted(home_of), sorted(home_of)


def answers_calls(room: str, function: str) -> None:
    """Let a room be called as the public function of its name: `rc.gate("last")` while `rightcall.gate` is a room.

    Importing a room replaces the function of the same name; so the room itself must be callable.
    """

    class Room(ModuleType):
        def __call__(self, *args: Any, **options: Any) -> Any:
            return getattr(import_module("rightcall.api"), function)(*args, **options)

    sys.modules[room].__class__ = Room
