"""Libraries that are imported while somebody listens: noticed as soon as they are loaded.

Importing them beforehand would cost every run of a function a fifth of a second, whether it makes requests or not.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Collection, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any


class LateImports(MetaPathFinder):
    """Calls `loaded(name)` after one of these modules was imported."""

    def __init__(self, names: Collection[str], loaded: Callable[[str], None]) -> None:
        self._names, self._loaded = frozenset(names), loaded
        self._inside = threading.local()

    def watch(self) -> None:
        if self not in sys.meta_path:
            sys.meta_path.insert(0, self)

    def stop(self) -> None:
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module's own spec, with a loader that reports; None for every other module."""
        if fullname not in self._names or getattr(self._inside, "looks", False):
            return None
        self._inside.looks = True
        try:
            spec = find_spec(fullname)
        finally:
            self._inside.looks = False
        if spec is not None and spec.loader is not None and hasattr(spec.loader, "exec_module"):
            spec.loader = _ReportingLoader(spec.loader, lambda: self._loaded(fullname))
        return spec


class _ReportingLoader(Loader):
    """A loader that reports when its module is complete."""

    def __init__(self, loader: Any, loaded: Callable[[], None]) -> None:
        self._loader, self._report = loader, loaded

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        module: ModuleType | None = self._loader.create_module(spec)
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        self._report()
