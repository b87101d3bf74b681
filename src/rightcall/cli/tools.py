"""`rightcall tools`: look at tool definitions."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from rightcall.cli.output import as_json_option, console, print_json, print_next
from rightcall.errors import InputError, suggestion

source_argument = click.argument("source", type=click.Path(path_type=Path))


@click.group()
def tools() -> None:
    """Look at tool definitions."""


@tools.command("list")
@source_argument
@as_json_option
def list_(source: Path, as_json: bool) -> None:
    """The tools of a JSON or YAML file, in whatever spelling: Anthropic, OpenAI or MCP."""
    from rightcall.report.terminal import clean
    from rightcall.tools import load_tools

    found = load_tools(source)
    if as_json:
        print_json(found)
        return
    if not found:
        raise InputError(str(source), "holds no tools", "write at least one")
    out = console()
    width = max(len(tool.name) for tool in found)
    for tool in found:
        required = tool.input_schema.get("required", [])
        names = [name if name in required else f"{name}?" for name in tool.parameters]
        first_line = tool.description.strip().partition("\n")[0]
        signature = clean(f"{tool.name:<{width}}  ({', '.join(names)})")
        out.print(signature, style="bold", markup=False, soft_wrap=True)
        if first_line:
            out.print(clean(f"{'':<{width}}  {first_line}"), style="dim", markup=False, soft_wrap=True)
    out.print()
    print_next(f"rightcall tools show {shlex.quote(str(source))} {shlex.quote(found[0].name)}")


@tools.command()
@source_argument
@click.argument("name")
@click.option("--as", "dialect", type=click.Choice(["native", "anthropic", "openai_chat", "openai_responses", "mcp"]),
              default="native", show_default=True, help="The spelling to show it in.")  # fmt: skip
def show(source: Path, name: str, dialect: str) -> None:
    """One tool, whole, as JSON in any provider's spelling."""
    from rightcall.model.dialects import SPELLINGS
    from rightcall.tools import load_tools

    found = {tool.name: tool for tool in load_tools(source)}
    if name not in found:
        hint = suggestion(name, found) or f"tools here: {', '.join(found)}"
        raise InputError(str(source), f"there is no tool '{name}'", hint)
    print_json(SPELLINGS[dialect].write_tool(found[name]))
