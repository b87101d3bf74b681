"""The pages: one file each, with the `routes` it answers. A new page is a new file."""

from __future__ import annotations

from starlette.routing import BaseRoute


def all_routes() -> list[BaseRoute]:
    """Every route of every page, and the styles and scripts."""
    from importlib import import_module
    from pkgutil import iter_modules

    from rightcall.show.dashboard import assets

    modules = [import_module(f"{__name__}.{page.name}") for page in iter_modules(__path__)]
    return [route for module in (*modules, assets) for route in module.routes]
