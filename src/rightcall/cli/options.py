"""The options and arguments that several commands share, each with one name, one type and one wording.

A command takes them as decorators (`@store_option`); what only one command has stays in its own file. Options that
another command or a Python function declares are taken from there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from rightcall.cli.command_options import Command, FiniteRange, takes_option
from rightcall.cli.completion import completer
from rightcall.core.options import (
    BaseUrlOption,
    ConcurrencyOption,
    JsonOption,
    StoreOption,
    TrialsOption,
)
from rightcall.core.seam import name_clashes, plugins

FILE = click.Path(path_type=Path)
RATE = FiniteRange(0, 1, min_open=True)

run_argument = click.argument("run", default="last", shell_complete=completer("run"))
"""A stored run: an id or a unique prefix of one, `last`, `last~1`, a tag or a git branch."""
file_argument = click.argument("file", type=FILE)
source_argument = click.argument("source")
"""Tools: a file of definitions, `module:attribute` or `mcp:COMMAND`."""

store_option = takes_option(StoreOption, "store", "store_url")
json_option = takes_option(JsonOption, "as_json")
json_lines_option = click.option("--json", "as_json", is_flag=True, help="Output JSON, one object per line")
concurrency_option = takes_option(ConcurrencyOption, "concurrency")
trials_option = takes_option(TrialsOption, "trials")
base_url_option = takes_option(BaseUrlOption, "base_url")
skip_bad_option = click.option(
    "--skip-bad", is_flag=True, help="Skip rows that cannot be read, and list them"
)
real_option = click.option("--real", is_flag=True, help="Run the tools instead of mocking them")
yes_option = click.option("--yes", is_flag=True, help="Do not ask for confirmation")


def output_option(text: str, *, required: bool = False) -> Callable[[Command], Command]:
    """`-o FILE`; the help says what happens without it."""
    return click.option("-o", "--output", type=FILE, required=required, help=text)


OUTPUT_BY_SUFFIX = "Output file; the suffix sets the format"


class PluginChoice(click.Choice[str]):
    """One of the built-in names, or one that an installed package adds; packages are searched last."""

    def __init__(self, kind: str, built_in: Sequence[str]) -> None:
        super().__init__(built_in)
        self._kind, self._built_in = kind, built_in

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value not in self._built_in and value not in plugins(self._kind):
            names = [*self._built_in, *plugins(self._kind, self._built_in)]
            notes = "".join(f"; {note}" for note in name_clashes(self._kind, self._built_in))
            self.fail(f"'{value}' is not one of {', '.join(names)}{notes}", param, ctx)
        return str(value)
