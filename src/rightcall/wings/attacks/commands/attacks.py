"""`rightcall attacks`: what an attacker could reach through the tools."""

from __future__ import annotations

import click

from rightcall.wings.attacks.commands.guard import guard
from rightcall.wings.attacks.commands.list import list_attacks
from rightcall.wings.attacks.commands.make import make
from rightcall.wings.attacks.commands.show import show
from rightcall.wings.attacks.commands.winners import winners
from rightcall.wings.attacks.commands.worst_case import worst_case


@click.group()
def attacks() -> None:
    """Show what an attacker could reach through your tools, and what stops him."""


attacks.add_command(list_attacks)
attacks.add_command(make)
attacks.add_command(show)
attacks.add_command(guard)
attacks.add_command(winners)
attacks.add_command(worst_case)
