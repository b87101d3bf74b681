"""The options and arguments that several commands share, each with one name, one type and one wording.

A command takes them as decorators (`@store_option`); what only one command has stays in its own file.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from rightcall.cli.completion import completer
from rightcall.core.seam import name_clashes, plugins

Command = TypeVar("Command", bound=Callable[..., Any] | click.Command)


class FiniteRange(click.FloatRange):
    """A number within bounds. `nan` is within none, so that a gate given `nan` cannot pass."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if number is not None and not math.isfinite(number):
            self.fail(f"{value} is not a number", param, ctx)
        return number


FILE = click.Path(path_type=Path)
RATE = FiniteRange(0, 1, min_open=True)
PASS_RULES = ("strict", "score")

run_argument = click.argument("run", default="last", shell_complete=completer("run"))
"""A stored run: an id or a unique prefix of one, `last`, `last~1`, a tag or a git branch."""
file_argument = click.argument("file", type=FILE)
source_argument = click.argument("source")
"""Tools: a file of definitions, `module:attribute` or `mcp:COMMAND`."""

store_option = click.option(
    "--store",
    "store_url",
    metavar="URL",
    help="Result store: a file or PostgreSQL URL [default: .rightcall/rightcall.db]",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Output JSON")
json_lines_option = click.option("--json", "as_json", is_flag=True, help="Output JSON, one object per line")
concurrency_option = click.option(
    "--concurrency", type=click.IntRange(1, 10_000), help="Maximum concurrent cases"
)
metric_option = click.option(
    "--metric", "metrics", multiple=True, help="Extra metric (repeatable)", shell_complete=completer("metric")
)
measure_option = click.option(
    "--measure",
    "--observe",
    "measure",
    multiple=True,
    help="Metric to measure without affecting the verdict (repeatable)",
)
pass_rule_option = click.option(
    "--pass-rule",
    type=click.Choice(PASS_RULES),
    default="strict",
    show_default=True,
    help="How a case passes: every check, or a high enough score",
)
skip_bad_option = click.option(
    "--skip-bad", is_flag=True, help="Skip rows that cannot be read, and list them"
)
tools_option = click.option("--tools", type=FILE, help="Tool definitions, for defaults and schema checks")
real_option = click.option("--real", is_flag=True, help="Run the tools instead of mocking them")
trust_option = click.option(
    "--trust",
    is_flag=True,
    help="Allow a suite from outside this project to start programs and import modules",
)
base_url_option = click.option(
    "--base-url",
    metavar="URL",
    help="Server of the model [default: of models, of the SDK's variable, or the provider's]",
)
yes_option = click.option("--yes", is_flag=True, help="Do not ask for confirmation")


def trials_option(*, default: int | None = None) -> Callable[[Command], Command]:
    """How often each golden is tried; without a default here, the suite's own applies."""
    return click.option(
        "--trials",
        type=click.IntRange(1, 100_000),
        default=default,
        show_default=default is not None,
        help="Trials per golden",
    )


def alpha_option(*, default: float | None = None) -> Callable[[Command], Command]:
    """The error rate of a decision; without a default here, the gate's own applies."""
    return click.option(
        "--alpha",
        type=FiniteRange(0, 0.5, min_open=True),
        default=default,
        show_default=default is not None,
        help="Maximum probability of a wrong verdict",
    )


def cluster_option(*, default: str | None = None) -> Callable[[Command], Command]:
    """What counts as one observation."""
    return click.option(
        "--cluster",
        type=click.Choice(["declared", "auto"]),
        default=default,
        show_default=default is not None,
        help="Clusters that goldens declare, or also goldens whose requests are one template"
        + ("" if default else " [default: declared]"),
    )


def margin_option(*, default: float | None = None) -> Callable[[Command], Command]:
    """By how much a candidate may be worse than its baseline."""
    return click.option(
        "--margin",
        type=FiniteRange(0, 1, max_open=True),
        default=default,
        show_default=default is not None,
        help="Largest acceptable drop from the baseline",
    )


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
