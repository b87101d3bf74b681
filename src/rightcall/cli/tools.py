"""`rightcall tools`: list, show, call and convert tools."""

from __future__ import annotations

import shlex

import click

from rightcall.cli.options import json_option, source_argument
from rightcall.cli.output import console, print_json, print_next
from rightcall.cli.tools_call import call, serve
from rightcall.cli.tools_convert import convert
from rightcall.core.errors import InputError, suggestion


@click.group()
def tools() -> None:
    """List, show, call and convert tools, or serve them over MCP."""


@tools.command("list")
@source_argument
@json_option
def list_(source: str, as_json: bool) -> None:
    """List the tools of SOURCE: a JSON or YAML file, `module:attribute` (also a framework's agent) or `mcp:COMMAND`."""
    from rightcall.agents.observed.catalog import agent_tools
    from rightcall.show.terminal import clean
    from rightcall.tools.definitions.source import tools_of
    from rightcall.tools.mcp.client import empty_schemas

    tools = tools_of(source, agent_tools)
    if as_json:
        print_json(tools)
        return
    if not tools:
        raise InputError(source, "no tools found", "add at least one")
    out = console()
    width = max(len(tool.name) for tool in tools)
    for tool in tools:
        listed = tool.input_schema.get("required")
        required = listed if isinstance(listed, list) else []  # lint says what is wrong with it
        names = [name if name in required else f"{name}?" for name in tool.parameters]
        first_line = tool.description.strip().partition("\n")[0]
        signature = clean(f"{tool.name:<{width}}  ({', '.join(names)})")
        out.print(signature, style="bold", soft_wrap=True)
        if first_line:
            out.print(clean(f"{'':<{width}}  {first_line}"), style="dim", soft_wrap=True)
    out.print()
    for warning in empty_schemas(tools):
        out.print(clean(f"warning: {warning}"), style="yellow", soft_wrap=True)
    print_next(f"rightcall tools show {shlex.quote(source)} {shlex.quote(tools[0].name)}")


@tools.command()
@source_argument
@click.argument("name")
@click.option("--as", "dialect", type=click.Choice(["native", "anthropic", "openai_chat", "openai_responses", "mcp"]),
              default="native", show_default=True, help="Definition format")  # fmt: skip
def show(source: str, name: str, dialect: str) -> None:
    """Show one tool as JSON, in any provider's format."""
    from rightcall.agents.observed.catalog import agent_tools
    from rightcall.model.dialects import SPELLINGS
    from rightcall.tools.definitions.source import tools_of

    tools = {tool.name: tool for tool in tools_of(source, agent_tools)}
    if name not in tools:
        hint = suggestion(name, tools) or f"available: {', '.join(tools)}"
        raise InputError(source, f"no such tool '{name}'", hint)
    print_json(SPELLINGS[dialect].write_tool(tools[name]))


tools.add_command(call)
tools.add_command(convert)
tools.add_command(serve)
