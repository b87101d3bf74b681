"""`rightcall adapters`: supported agent frameworks, and the limitations of each adapter."""

from __future__ import annotations

from typing import Any

import click

from rightcall.agents.observed.catalog import (
    AdapterInfo,
    adapter_info,
    adapter_problems,
    all_adapters,
    hook_problem,
    version_of,
)
from rightcall.cli.command_options import CommandGroup
from rightcall.cli.output import print_json, print_next, tell
from rightcall.core.codec import to_plain
from rightcall.core.options import JsonOption


@click.group(cls=CommandGroup)
def adapters() -> None:
    """List agent frameworks that can be observed, and their limits."""


@adapters.command("list")
def list_(as_json: JsonOption = False) -> None:
    """List adapters with the installed and the tested version."""
    if as_json:
        print_json([_as_object(info) for info in all_adapters()])
        return
    for info in all_adapters():
        installed = f"installed {version}" if (version := version_of(info)) else "not installed"
        mocks = "tools can be mocked" if info.tools == "mock" else ""
        tell(f"{info.name:<18} {info.title:<28} {installed:<18} tested {info.tested:<8} {mocks}".rstrip())
    for problem in adapter_problems():
        tell(f"note: {problem}", err=True)
    print_next("rightcall adapters show langchain")


@adapters.command()
@click.argument("name")
def show(name: str, as_json: JsonOption = False) -> None:
    """Show one adapter: how it observes agents, whether tools can be mocked, and its limitations."""
    info = adapter_info(name)
    if as_json:
        print_json(_as_object(info))
        return
    here = version_of(info)
    tell(f"{info.title} ({info.package})")
    tell(f"installed   {here or f'no; pip install {info.package}'}")
    if here and (problem := hook_problem(info)):
        tell(f"problem     {problem}")
    tell(f"tested      {info.tested}" + (f", with {info.beside}" if info.beside else ""))
    tell(f"observes    {info.hook}")
    tell("tools       " + ("can be mocked and broken by faults" if info.tools == "mock" else "run for real"))
    tell("functions   " + ("observed too" if info.functions else "not observed: observe the agent object"))
    tell("limitations")
    for loss in info.loses:
        tell(f"  - {loss}")


def _as_object(info: AdapterInfo) -> dict[str, Any]:
    about = {"functions": info.functions, "tools": info.tools, "installed": version_of(info)}
    return {**to_plain(info), **about}
