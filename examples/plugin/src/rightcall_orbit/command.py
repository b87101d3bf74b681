"""`rightcall orbit`: what this package adds."""

from __future__ import annotations

import click

from rightcall.core.seam import KINDS, plugins


@click.command()
def orbit() -> None:
    """List what this package adds to RightCall."""
    for kind, word in KINDS.items():
        for plugin in plugins(kind).values():
            if plugin.package.startswith("rightcall-orbit "):
                click.echo(f"{word:<14} {plugin.name}")
