"""`rightcall mcp`: serve RightCall to coding assistants; record, serve and verify MCP servers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import click

from rightcall.cli.command_options import CommandGroup
from rightcall.core.options import Option, StoreOption
from rightcall.core.seam import load

CONTRACTS = ("record", "serve", "verify")


class McpGroup(CommandGroup):
    """A group that serves RightCall itself when no command is named."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(CONTRACTS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in CONTRACTS:
            return None
        command: click.Command = load("services", f"mcp_{cmd_name}")
        return command


@click.group(cls=McpGroup, invoke_without_command=True)
@click.option(
    "--project",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    default=Path(),
    help="Folder that paths are confined to [default: the working folder]",
)
@click.pass_context
def mcp(
    ctx: click.Context,
    project: Path,
    read_only: Annotated[bool, Option("Offer only tools that change nothing and call no model")] = False,
    trust: Annotated[
        bool, Option("Allow suites of the project to run, which can start programs and import modules")
    ] = False,
    store_url: StoreOption = None,
) -> None:
    """Serve RightCall to a coding assistant over MCP on stdio; or record, serve and verify MCP servers.

    The assistant can lint and fix tool definitions, check goldens, run suites, and look at and compare runs. It reads
    and writes nothing outside the project folder. Register it as the command `rightcall mcp`.
    """
    if ctx.invoked_subcommand is not None:
        return
    import os

    from rightcall.cli.interrupt import run_stdio_server

    os.chdir(project)
    run_stdio_server(load("services", "assistant")(Path.cwd(), store_url, trust=trust, read_only=read_only))
