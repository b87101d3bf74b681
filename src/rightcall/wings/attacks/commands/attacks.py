"""`rightcall attacks`: what an attacker could reach through the tools."""

from __future__ import annotations

import click

from rightcall.wings.attacks.commands.show import show


@click.group()
def attacks() -> None:
    """Show what an attacker could reach through your tools, and what stops him."""


attacks.add_command(show)
