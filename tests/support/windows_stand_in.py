"""The package where the standard library has only what Windows has: `python -m tests.support.windows_stand_in`.

Modules of RightCall that import `os`, `signal` and others get them without the names that Windows lacks; everyone else
gets them as they are. Prints what it did; a missing name is a traceback, and so is text in the encoding of the machine
(`-X warn_default_encoding`).
"""

from __future__ import annotations

import builtins
import importlib
import pkgutil
import sys
import tempfile
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.support.windows_names import posix_modules, posix_names

FOREIGN = posix_modules()
REDUCED = posix_names("os", "signal", "socket", "time", "select", "errno", "mmap")


class ReducedModule:
    """A module without some of its names."""

    def __init__(self, module: ModuleType, absent: frozenset[str], **changed: object) -> None:
        vars(self).update(_module=module, _absent=absent, **changed)

    def __getattr__(self, name: str) -> Any:
        if name in vars(self)["_absent"]:
            raise AttributeError(f"module '{self._module.__name__}' has no '{name}' on Windows")
        return getattr(vars(self)["_module"], name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self._module, name, value)


def install() -> None:
    """From here on, modules of RightCall see the standard library of Windows."""
    warnings.filterwarnings("error", category=EncodingWarning, module="rightcall")
    original = builtins.__import__
    reduced = {name: ReducedModule(importlib.import_module(name), absent) for name, absent in REDUCED.items()}
    reduced["sys"] = ReducedModule(sys, frozenset(), platform="win32")

    def import_module(name: str, importer: Any = None, *rest: Any, **options: Any) -> Any:
        if importer is None or not str(importer.get("__name__", "")).startswith("rightcall"):
            return original(name, importer, *rest, **options)
        if name in FOREIGN:
            raise ModuleNotFoundError(f"No module named '{name}'", name=name)
        return reduced.get(name) or original(name, importer, *rest, **options)

    builtins.__import__ = import_module


def import_all() -> int:
    """Import every module of the package; returns how many."""
    import rightcall

    modules = [module.name for module in pkgutil.walk_packages(rightcall.__path__, "rightcall.")]
    for name in modules:
        importlib.import_module(name)
    return len(modules)


def try_commands(folder: Path) -> None:
    """Commands that write files, ask an agent, store results and show them."""
    from rightcall.cli.main import cli
    from rightcall.core import operating_system

    operating_system.PROC = folder / "proc"
    store = str(folder / "store.db")
    suite = folder / "suite"
    for words in (
        ("init", str(suite)),
        ("lint", str(suite / "tools.json")),
        ("run", str(suite / "suite.yaml"), "--store", store),
        ("gate", "last", "--min", "0.1", "--store", store),
        ("runs", "report", "last", "--store", store, "-o", str(folder / "report.md")),
        ("runs", "list", "--store", store, "--json"),
    ):
        code = cli.main(words, prog_name="rightcall", standalone_mode=False)
        assert code in (None, 0, 1), (words, code)
    assert (folder / "report.md").stat().st_size > 0


if __name__ == "__main__":
    install()
    print(f"{import_all()} modules imported")
    with tempfile.TemporaryDirectory() as folder:
        try_commands(Path(folder))
    print("commands ran")
