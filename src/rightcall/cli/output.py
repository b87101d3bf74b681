"""What commands share for showing things."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from rightcall.report import Guarded, inert_json, tell, without_old_commands

if TYPE_CHECKING:
    from rightcall.report import Screen

__all__ = [
    "FiniteRange",
    "as_json_option",
    "console",
    "import_from_here",
    "print_commands",
    "print_json",
    "print_json_line",
    "print_json_text",
    "print_next",
    "print_painted",
    "tell",
]

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


def console() -> Screen:
    """The terminal; rich is loaded only when something is shown."""
    from rightcall.report import Screen

    return Screen()


def print_next(*commands: str) -> None:
    """What to type next, as it would be typed."""
    out = console()
    out.say("[dim]next:[/dim]")
    for command in commands:
        out.print(f"  {command}", soft_wrap=True)


def print_json(value: Any) -> None:
    """One JSON document."""
    import msgspec

    print_json_text(msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n")


def print_json_line(value: Any) -> None:
    """One JSON object on a line of its own."""
    import msgspec

    print_json_text(msgspec.json.encode(value) + b"\n")


def print_json_text(text: bytes) -> None:
    """JSON that is written already."""
    sys.stdout.flush()
    sys.stdout.buffer.write(inert_json(text))
    sys.stdout.buffer.flush()


def print_painted(text: str) -> None:
    """Text with colours of ours, whose words were made inert before they were painted; no colours in a log."""
    click.echo(text, nl=False, file=Guarded())  # type: ignore[arg-type]


def print_commands(lines: Iterable[str], *, err: bool = False) -> None:
    """Workflow commands of ours, which the runner is meant to read; what they quote is escaped by whoever made them."""
    stream = sys.stderr if err else sys.stdout
    stream.writelines(f"{without_old_commands(line)}\n" for line in lines)
