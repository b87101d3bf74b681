"""The options of a command from the class that declares them: click options in groups.

@click.command(cls=GroupedCommand)
@click.argument("suite")
@takes_options(RunOptions)
def run(suite: Path, options: RunOptions) -> None: ...

@click.command(cls=DeclaredCommand)
def brew(*, cups: Annotated[int, Option("Cups to brew", ge=1)] = 4) -> None: ...

Options and arguments that several commands share are declared at the end, each with one name, one type and one wording:
an argument is a decorator (`@run_argument`), an option the type of a parameter (`yes: YesOption = False`). Those that
Python functions have too are in `core/options.py`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin

import click
from click.core import ParameterSource

from rightcall.core.errors import InputError
from rightcall.core.options import CI, COMMON, SCALE, SELECTION, DeclaredOption, Option, option_of, options_of
from rightcall.core.own_output import OWN
from rightcall.core.seam import name_clashes, plugins
from rightcall.files.atomic import refuse_existing

Options = TypeVar("Options")
Command = TypeVar("Command", bound=Callable[..., Any])
PROGRAM_OPTIONS = {"--store": "store_url", "--json": "as_json"}
"""What a command with a store, or with JSON to print, takes without listing it; and the parameters of the program."""
GROUPS = (COMMON, SELECTION, SCALE, CI)


class FiniteRange(click.FloatRange):
    """A number within bounds. `nan` is within none, so that a gate given `nan` cannot pass."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if number is not None and not math.isfinite(number):
            self.fail(f"{value} is not a number", param, ctx)
        return number


class GroupedOption(click.Option):
    """An option that knows its group in `--help`, and what it writes."""

    group = COMMON

    def __init__(self, *args: Any, writes: str = "", **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.writes = writes


class ProgramOption(GroupedOption):
    """An option of the program, typed before the command or after it; its help is that of the program."""

    def consume_value(self, ctx: click.Context, opts: Mapping[str, Any]) -> tuple[Any, ParameterSource]:
        value, source = super().consume_value(ctx, opts)
        typed = ctx.find_root().params.get(PROGRAM_OPTIONS[self.opts[0]])
        return (
            (typed, ParameterSource.COMMANDLINE)
            if typed and source == ParameterSource.DEFAULT
            else (value, source)
        )


class OwnCommand(click.Command):
    """A command that is alone on stdout, whatever code under test prints. Help has been printed when it is invoked."""

    def invoke(self, ctx: click.Context) -> object:
        if not isinstance(self, click.Group):
            OWN.separate()
            self._refuse_unused(ctx)
            self._refuse_replacing(ctx)
        return super().invoke(ctx)

    def program_options(self) -> list[str]:
        """The options of the program that this command takes."""
        return [option.opts[0] for option in self.params if isinstance(option, ProgramOption)]

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if taken := self.program_options():
            formatter.write_paragraph()
            formatter.write_text(f"Also takes {' and '.join(taken)}: see `rightcall --help`.")

    def _refuse_unused(self, ctx: click.Context) -> None:
        typed = ctx.find_root().params
        for flag, name in PROGRAM_OPTIONS.items():
            if typed.get(name) and ctx.parent is not None and flag not in self.program_options():
                raise click.UsageError(f"`{ctx.command_path}` takes no {flag}")

    def _refuse_replacing(self, ctx: click.Context) -> None:
        """Refuse, before anything is done, to replace a document, or by a report what the command reads.

        `-` is stdout: the option is left out, where the command prints without it.
        """
        named = {option.name: option for option in self.params if isinstance(option, GroupedOption)}
        writes = {name: option.writes for name, option in named.items()}
        for name in [name for name in writes if writes[name] and str(ctx.params.get(name)) == "-"]:
            if "stdout" not in (named[name].help or ""):
                raise InputError("-", "is stdout, where this command does not write", "name a file")
            ctx.params[name] = None
        paths = {name: _texts(value) for name, value in ctx.params.items()}
        read = {os.path.realpath(text) for name in paths if not writes.get(name) for text in paths[name]}
        for name in [name for name in paths if writes.get(name)]:
            for path in paths[name]:
                if Path(path).is_file() and os.path.realpath(path) in read:
                    raise InputError(path, "is read by the same command", "choose another file")
                refuse_existing(Path(path), report=writes[name] == "report")


def _texts(value: Any) -> list[str]:
    """The texts and paths of a parameter, which may have several."""
    values = value if isinstance(value, tuple) else (value,)
    return [os.fspath(value) for value in values if isinstance(value, str | Path)]


class GroupedCommand(OwnCommand):
    """A command whose `--help` shows its options in groups."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for group in GROUPS:
            records = [
                record
                for option in self.get_params(ctx)
                if isinstance(option, click.Option)
                and getattr(option, "group", COMMON) == group
                and (record := option.get_help_record(ctx))
            ]
            if records:
                with formatter.section(group):
                    formatter.write_dl(records)


class DeclaredCommand(OwnCommand):
    """A command whose options are the parameters of its function that are annotated with an `Option`."""

    def __init__(self, name: str | None, *, callback: Any = None, params: Any = None, **attributes: Any):
        parameters = [*map(click_option, options_of(callback)), *(params or ())]
        parameters.sort(key=lambda parameter: isinstance(parameter, click.Option))  # arguments come first
        super().__init__(name, callback=callback, params=parameters, **attributes)


class CommandGroup(DeclaredCommand, click.Group):
    """A group of such commands, which may have options itself."""

    command_class = DeclaredCommand

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands with the first sentence of each in full; click would shorten it to one line."""
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [(name, command.get_short_help_str(limit=1000)) for name, command in commands if command]
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary.removesuffix(".")) for name, summary in rows])


def takes_options(
    options: Callable[..., Options], parameter: str = "options"
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A decorator: the command has the options of a class, and its function gets them as one value, `parameter`."""
    names = {field.name: field for field in options_of(options) if not field.option.hidden}

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        @wraps(function)
        def call(**words: Any) -> None:
            values = {name: words.pop(name) for name in names}
            function(**words, **{parameter: options(**values)})

        later = getattr(function, "__click_params__", [])
        call.__click_params__ = [*later, *map(click_option, reversed(names.values()))]  # type: ignore[attr-defined]
        return call

    return decorate


def takes_option(options: Any, name: str) -> Callable[[Command], Command]:
    """A decorator: the command has an option that a class or an annotated type declares."""
    declared = option_of(options, name)

    def decorate(command: Command) -> Command:
        holder: Any = command
        if not hasattr(holder, "__click_params__"):
            holder.__click_params__ = []
        holder.__click_params__.append(click_option(declared))
        return command

    return decorate


def click_option(field: DeclaredOption) -> click.Option:
    kind = field.types[0]
    option = field.option
    is_many = get_origin(kind) in (Sequence, tuple)
    kind = get_args(kind)[0] if is_many else kind
    is_flag = kind is bool
    is_shown = not (is_flag or is_many or field.required or field.default in (None, ""))
    flags = option.flags or (f"--{field.name.replace('_', '-')}",)
    is_shared = flags[0] in PROGRAM_OPTIONS
    result = (ProgramOption if is_shared else GroupedOption)(
        [*flags, field.name],
        type=None if is_flag else _click_type(kind, field),
        is_flag=is_flag,
        **_alone(option),
        multiple=is_many,
        **({"required": True} if field.required else {"default": None if is_many else field.default}),
        show_default=is_shown,
        metavar=None if is_flag else option.metavar,
        help=_help(field, is_many),
        envvar=option.envvar,
        hidden=is_shared,
        writes=option.writes,
    )
    result.group = option.group
    return result


def _alone(option: Option) -> dict[str, Any]:
    return {"flag_value": option.alone} if option.alone else {}


def _help(field: DeclaredOption, is_many: bool) -> str:
    words = field.option.help
    default = field.option.default
    words += " (repeatable)" if is_many and "repeatable" not in words else ""
    return f"{words} [default: {default}]" if default else words


def _click_type(kind: Any, field: DeclaredOption) -> Any:
    option = field.option
    if get_origin(kind) is Literal:
        return click.Choice(get_args(kind))
    if kind is int:
        bounds = [None if bound is None else int(bound) for bound in (option.ge, option.le)]
        return click.INT if bounds == [None, None] else click.IntRange(bounds[0], bounds[1])
    if kind is float:
        low = option.ge if option.gt is None else option.gt
        high = option.le if option.lt is None else option.lt
        return FiniteRange(low, high, min_open=option.gt is not None, max_open=option.lt is not None)
    if kind is Path:
        return click.Path(path_type=Path)
    return str


FILE = click.Path(path_type=Path)

run_argument = click.argument("run", default="last")
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
        self._kind = kind
        self._built_in = built_in

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value not in self._built_in and value not in plugins(self._kind):
            names = [*self._built_in, *plugins(self._kind, self._built_in)]
            notes = "".join(f"; {note}" for note in name_clashes(self._kind, self._built_in))
            self.fail(f"'{value}' is not one of {', '.join(names)}{notes}", param, ctx)
        return str(value)
