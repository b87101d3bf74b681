"""The pages: one file each, with the `routes` it answers. A new page is a new file and its name here."""

from __future__ import annotations

from starlette.routing import BaseRoute

PAGES = ("runs", "run", "case", "annotations", "compare", "over_time", "tools", "drafts", "login")


def all_routes() -> list[BaseRoute]:
    """Every route of every page, and the styles and scripts."""
    from importlib import import_module

    from rightcall.web import assets

    modules = [import_module(f"rightcall.web.pages.{name}") for name in PAGES]
    return [route for module in (*modules, assets) for route in module.routes]
