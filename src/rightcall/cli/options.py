"""The options and arguments that several commands share, each with one name, one type and one wording.

An argument is a decorator (`@run_argument`), an option the type of a parameter (`yes: YesOption = False`, read by
`signature_options`). Those that Python functions have too are in `core/options.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import click

from rightcall.cli.completion import completer
from rightcall.core.options import Option
from rightcall.core.seam import name_clashes, plugins

FILE = click.Path(path_type=Path)

run_argument = click.argument("run", default="last", shell_complete=completer("run"))
"""A stored run: an id or a unique prefix of one, `last`, `last~1`, a tag or a git branch."""
file_argument = click.argument("file", type=FILE)
source_argument = click.argument("source")
"""Tools: a file of definitions, `module:attribute` or `mcp:COMMAND`."""

JsonLinesOption = Annotated[bool, Option("Output JSON, one object per line", flags=("--json",))]
SkipBadOption = Annotated[bool, Option("Skip rows that cannot be read, and list them")]
RealOption = Annotated[bool, Option("Run the tools instead of mocking them")]
YesOption = Annotated[bool, Option("Do not ask for confirmation")]
OUTPUT = "-o", "--output"
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
