"""What commands share for showing things."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import Console

as_json_option = click.option(
    "--json", "as_json", is_flag=True, help="For machines: JSON on stdout, nothing else."
)


class FiniteRange(click.FloatRange):
    """A number within bounds. `nan` is within none: a gate that is given it must not pass."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if number is not None and not math.isfinite(number):
            self.fail(f"{value} is not a number", param, ctx)
        return number


def import_from_here(names: Iterable[str]) -> None:
    """Let `module:Class` name a module in the current folder.

    Only when such a name was typed, and after all that is installed: a folder must not put its own `rich.py` under a
    program that is merely started in it.
    """
    if "" not in sys.path and any(":" in name for name in names):
        sys.path.append("")


def console() -> Console:
    """The terminal; rich is loaded only when something is shown."""
    from rich.console import Console

    return Console(highlight=False)


def print_next(*commands: str) -> None:
    """What to type next, as it would be typed."""
    out = console()
    out.print("[dim]next:[/dim]")
    for command in commands:
        out.print(f"  {command}", markup=False, soft_wrap=True)


def print_json(value: Any) -> None:
    """One JSON document."""
    import msgspec

    text = msgspec.json.format(msgspec.json.encode(value), indent=2)
    sys.stdout.buffer.write(text + b"\n")
