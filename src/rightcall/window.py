"""A room's shop window: the names others may use, each loaded when it is first used.

A room's `__init__.py` lists its names twice: imported under `TYPE_CHECKING`, for people, editors and mypy, and by home
for `window`, which finds them at run time. `tests/contracts/test_windows.py` keeps both lists equal. Importing a
room then costs nothing, and whoever needs one struct of it does not pay for the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def window(
    room: str, homes: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """`__getattr__`, `__dir__` and `__all__` of a room, from its modules to the names they hold.

    `homes` maps a module, relative to the room, to its names with spaces between: `{"limits": "Limits RunLimits"}`.
    """
    home_of = {name: f"{room}.{module}" for module, names in homes.items() for name in names.split()}

    def get(name: str) -> Any:
        if name not in home_of:
            raise AttributeError(f"module '{room}' has no attribute '{name}'")
        value = getattr(import_module(home_of[name]), name)
        vars(import_module(room))[name] = value  # found without this function from now on
        return value

    return get, lambda: sorted(home_of), sorted(home_of)
