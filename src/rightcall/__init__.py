"""RightCall: did your agent make the right call?

Importing the package is cheap and has no side effects: each public name is loaded on first use. The names and their
homes are listed once, in `__init__.pyi`.
"""

from __future__ import annotations

import re
import sys
from functools import cache
from importlib import import_module
from pkgutil import get_data
from types import ModuleType
from typing import Any


@cache
def _homes() -> dict[str, str]:
    """Each public name with the module that defines it."""
    stub = (get_data(__name__, "__init__.pyi") or b"").decode()
    statements = re.findall(r"^from (\S+) import (\([^)]*\)|.*)$", stub, re.MULTILINE)
    return {name: module for module, names in statements for name in re.findall(r"\w+ as (\w+)", names)}


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return __dir__()
    home = _homes().get(name)
    if home is None:
        if name.startswith("_"):
            raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
        return _of_plugin(name)
    try:
        value = getattr(import_module(home), name, None) or import_module(f"{home}.{name}")
    except ModuleNotFoundError as error:
        from rightcall.core.seam import missing_limb

        if reason := missing_limb(error):
            raise AttributeError(f"{__name__}.{name}: {reason}") from None
        raise
    globals()[name] = value  # later lookups bypass this function
    return value


def _of_plugin(name: str) -> Any:
    """A name that a plugin adds."""
    from rightcall.core.seam import plugins

    if (plugin := plugins("names").get(name)) is not None:
        return plugin.load()
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted(_homes())


class _Package(ModuleType):
    """Some rooms share their name with a public function: importing `rightcall.lint` must not replace `rc.lint`."""

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, ModuleType) and name in _homes():
            return
        super().__setattr__(name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        """By name, as pickle and Ray send other modules; they know only plain ones."""
        return import_module, (self.__name__,)


sys.modules[__name__].__class__ = _Package
