"""`rightcall tools`: look at tool definitions."""

from __future__ import annotations

import shlex

import click

from rightcall.cli.output import as_json_option, console, print_json, print_next
from rightcall.cli.tools_call import call, serve
from rightcall.cli.tools_convert import convert
from rightcall.errors import InputError, suggestion

source_argument = click.argument("source")


@click.group()
def tools() -> None:
    """Look at tool definitions, call a tool, serve tools over MCP."""


@tools.command("list")
@source_argument
@as_json_option
def list_(source: str, as_json: bool) -> None:
    """The tools of SOURCE: a JSON or YAML file in any spelling, `module:attribute`, or `mcp:COMMAND`."""
    from rightcall.report import clean
    from rightcall.tools.definitions import tools_of
    from rightcall.tools.mcp import empty_schemas

    found = tools_of(source)
    if as_json:
        print_json(found)
        return
    if not found:
        raise InputError(source, "holds no tools", "write at least one")
    out = console()
    width = max(len(tool.name) for tool in found)
    for tool in found:
        required = tool.input_schema.get("required", [])
        names = [name if name in required else f"{name}?" for name in tool.parameters]
        first_line = tool.description.strip().partition("\n")[0]
        signature = clean(f"{tool.name:<{width}}  ({', '.join(names)})")
        out.print(signature, style="bold", soft_wrap=True)
        if first_line:
            out.print(clean(f"{'':<{width}}  {first_line}"), style="dim", soft_wrap=True)
    out.print()
    for warning in empty_schemas(found):
        out.print(clean(f"warning: {warning}"), style="yellow", soft_wrap=True)
    print_next(f"rightcall tools show {shlex.quote(source)} {shlex.quote(found[0].name)}")


@tools.command()
@source_argument
@click.argument("name")
@click.option("--as", "dialect", type=click.Choice(["native", "anthropic", "openai_chat", "openai_responses", "mcp"]),
              default="native", show_default=True, help="The spelling to show it in.")  # fmt: skip
def show(source: str, name: str, dialect: str) -> None:
    """One tool, whole, as JSON in any provider's spelling."""
    from rightcall.model.dialects import SPELLINGS
    from rightcall.tools.definitions import tools_of

    found = {tool.name: tool for tool in tools_of(source)}
    if name not in found:
        hint = suggestion(name, found) or f"tools here: {', '.join(found)}"
        raise InputError(source, f"there is no tool '{name}'", hint)
    print_json(SPELLINGS[dialect].write_tool(found[name]))


tools.add_command(call)
tools.add_command(convert)
tools.add_command(serve)
