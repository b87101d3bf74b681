"""`rightcall mcp`: serve RightCall to coding assistants over MCP."""

from __future__ import annotations

from pathlib import Path

import click

from rightcall.cli.options import store_option


@click.command()
@click.option(
    "--project",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    default=Path(),
    help="Folder that paths are confined to [default: the working folder]",
)
@click.option("--read-only", is_flag=True, help="Offer only tools that change nothing and call no model")
@click.option(
    "--trust",
    is_flag=True,
    help="Allow suites of the project to start programs, import modules and connect to servers",
)
@store_option
def mcp(project: Path, read_only: bool, trust: bool, store_url: str | None) -> None:
    """Serve RightCall to a coding assistant over MCP, on standard input and output.

    The assistant can lint and fix tool definitions, check goldens, run suites, and look at and compare runs. It reads
    and writes nothing outside the project folder. Register it as the command `rightcall mcp`.
    """
    import os

    from rightcall.cli.interrupt import run_stdio_server
    from rightcall.wings.assistant.project import Project
    from rightcall.wings.assistant.server import serve_project

    os.chdir(project)
    run_stdio_server(serve_project(Project(Path.cwd(), store_url, trust), read_only=read_only))
