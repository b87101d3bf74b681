"""The pages: one file each, with the `routes` it answers. A new page is a new file.

Pages of installed packages enter through the seam: a module with `routes`, and maybe a folder of `TEMPLATES` and its
`NAVIGATION`, a title and a path.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

from starlette.routing import BaseRoute

from rightcall.core.seam import find, plugins


def all_routes() -> list[BaseRoute]:
    """Every route of every page."""
    from importlib import import_module
    from pkgutil import iter_modules

    modules = [import_module(f"{__name__}.{page.name}") for page in iter_modules(__path__)]
    return list(chain.from_iterable(module.routes for module in (*plugin_pages(), *modules)))


def plugin_pages() -> list[Any]:
    """The pages of installed packages."""
    pages = [find("pages", name) for name in plugins("pages")]
    return [page for page in pages if page is not None]
