"""The reference pages: every command, option, suite key, code, function and class, from the code itself.

    python docs/make_reference.py [FOLDER]

Writes commands.md, suite.md, codes.md and library.md next to this file, or into FOLDER. A test says when
they are out of date.
"""

from __future__ import annotations

import dataclasses
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from codes_reference import codes_page
from suite_reference import suite_page

import rightcall
from rightcall.cli.command_options import OwnCommand
from rightcall.cli.main import MENU, cli


def main() -> None:
    """Write the pages."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    pages = {
        "commands.md": commands_page,
        "suite.md": suite_page,
        "codes.md": codes_page,
        "library.md": library_page,
    }
    for name, page in pages.items():
        (folder / name).write_text(page(), "utf-8")


def commands_page() -> str:
    """Every command with its arguments and options."""
    parts = ["# Commands", "Generated from the commands; `rightcall COMMAND --help` shows the same."]
    context = click.Context(cli, info_name="rightcall")
    parts += _command_parts(cli, context, lists=False)
    for title, section in MENU.items():
        parts.append(f"## {title}")
        for name, summary in section.items():
            command = cli.get_command(context, name)
            assert command is not None
            parts += _command_parts(command, click.Context(command, context, info_name=name), summary)
    return "\n\n".join(parts) + "\n"


def _command_parts(
    command: click.Command, context: click.Context, summary: str = "", *, lists: bool = True
) -> Iterator[str]:
    yield f"### {context.command_path}"
    yield _prose(command.help or summary or "")
    options = [one for one in command.params if isinstance(one, click.Option) and not one.hidden]
    if options or not isinstance(command, click.Group):
        yield f"    {context.command_path} {' '.join(command.collect_usage_pieces(context))}"
    if options:
        yield "\n".join(
            ["| option | meaning |", "|---|---|", *(_option_row(one, context) for one in options)]
        )
    if taken := command.program_options() if isinstance(command, OwnCommand) else []:
        yield f"Also takes {' and '.join(f'`{flag}`' for flag in taken)}, as the program does."
    if lists and isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is not None and not inner.hidden:
                yield from _command_parts(inner, click.Context(inner, context, info_name=name))


def _option_row(option: click.Option, context: click.Context) -> str:
    names, text = option.get_help_record(context) or ("", "")
    return f"| `{_cell(names)}` | {_cell(text)} |"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _prose(text: str) -> str:
    """A docstring as Markdown, without click's marks."""
    return inspect.cleandoc(text).replace("\b\n", "").strip()


def library_page() -> str:
    """Every public name, functions first."""
    found = {name: getattr(rightcall, name) for name in sorted(rightcall.__all__)}
    functions = {name: value for name, value in found.items() if inspect.isroutine(value)}
    kinds = {name: value for name, value in found.items() if isinstance(value, type)}
    parts = [
        "# Library",
        "`import rightcall as rc`. Generated from the code; each name is imported on first use.",
        "## Functions",
        *(part for name, value in functions.items() for part in _function_parts(name, value)),
        "## Classes",
        *(part for name, value in kinds.items() for part in _class_parts(name, value)),
        "## Errors",
        "### rc.errors",
        _error_rows(found["errors"]),
    ]
    return "\n\n".join(parts) + "\n"


def _error_rows(module: Any) -> str:
    """The errors of `rc.errors`, each with its meaning."""
    rows = [
        f"| `rc.errors.{name}` | {_cell(_prose(kind.__doc__ or '').partition(chr(10) + chr(10))[0])} |"
        for name, kind in sorted(vars(module).items())
        if isinstance(kind, type) and issubclass(kind, Exception) and kind.__module__ == module.__name__
    ]
    return "\n".join(["| error | meaning |", "|---|---|", *rows])


def _function_parts(name: str, value: Any) -> Iterator[str]:
    yield f"### rc.{name}"
    yield f"```python\n{_signature(name, value)}\n```"
    yield _prose(value.__doc__ or "")


def _class_parts(name: str, kind: type) -> Iterator[str]:
    yield f"### rc.{name}"
    yield _prose(kind.__doc__ or "")
    fields = list(getattr(kind, "__struct_fields__", ()))
    if not fields and dataclasses.is_dataclass(kind):
        fields = [field.name for field in dataclasses.fields(kind)]
    if fields:
        yield f"Fields: {', '.join(f'`{field}`' for field in fields if not field.startswith('_'))}."
    rows = [
        f"| `{member}` | {_cell(_prose(value.__doc__).partition(chr(10) + chr(10))[0])} |"
        for member, value in sorted(vars(kind).items())
        if not member.startswith("_") and value.__doc__ and _is_method(value)
    ]
    if rows:
        yield "\n".join(["| method or property | meaning |", "|---|---|", *rows])


def _is_method(value: Any) -> bool:
    return isinstance(value, property | classmethod | staticmethod) or inspect.isfunction(value)


def _signature(name: str, function: Any) -> str:
    """The signature with types as they are written in the code, one parameter a line when it is long."""
    signature = inspect.signature(function)
    parameters = []
    starred = False
    for one in signature.parameters.values():
        if one.kind is one.KEYWORD_ONLY and not starred:
            parameters.append("*")
        starred = starred or one.kind in (one.KEYWORD_ONLY, one.VAR_POSITIONAL)
        parameters.append(_parameter(one))
    returned = "" if signature.return_annotation is signature.empty else f" -> {signature.return_annotation}"
    short = f"{name}({', '.join(parameters)}){returned}"
    if len(short) <= 100:
        return short
    lines = "".join(f"    {parameter},\n" for parameter in parameters)
    return f"{name}(\n{lines}){returned}"


def _parameter(one: inspect.Parameter) -> str:
    stars = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
    text = stars + one.name + ("" if one.annotation is one.empty else f": {one.annotation}")
    return text if one.default is one.empty else f"{text} = {one.default!r}"


if __name__ == "__main__":
    main()
