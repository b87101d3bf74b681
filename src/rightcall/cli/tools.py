"""`rightcall tools`: call and lock tools; what `rightcall list tools` shows."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import click

from rightcall.api.lint_sources import read_offer
from rightcall.cli.command_options import OUTPUT, CommandGroup, DeclaredCommand, source_argument
from rightcall.cli.output import console, print_json, print_next, tell
from rightcall.cli.tools_call import call, serve
from rightcall.core.errors import InputError, suggestion
from rightcall.core.options import JsonOption, Option
from rightcall.core.text import pluralize

if TYPE_CHECKING:
    from rightcall.model.tool import Tool
    from rightcall.show.screen import Screen


LOCK = Path("tools.lock")
FormatOption = Annotated[
    Literal["native", "anthropic", "openai_chat", "openai_responses", "gemini", "bedrock", "mcp"] | None,
    Option("Definition format", flags=("--as",)),
]


@click.command("lock", cls=DeclaredCommand)
@source_argument
def lock(source: str, output: Annotated[Path, Option("Lockfile to write", flags=OUTPUT)] = LOCK) -> None:
    """Write a lockfile that approves the current definitions of SOURCE.

    SOURCE is a suite, a file that `rightcall lint` reads, `module:attribute` or `mcp:COMMAND`. `check` and `run`
    compare the tools of a suite with the file tools.lock next to it, and `lint --lock` with any.
    """
    from rightcall.lint.lockfile import lock_of, write_lock

    sets = read_offer(source)
    write_lock(output, lock_of(sets))
    tell(f"{pluralize(sum(len(tool_set.tools) for tool_set in sets), 'tool')} locked in {output}")


@click.command("verify", cls=DeclaredCommand)
@source_argument
def verify(
    source: str,
    lockfile: Annotated[Path, Option("Lockfile to compare with", flags=("--lock",))] = LOCK,
    as_json: JsonOption = False,
) -> None:
    """Compare the definitions of SOURCE with the lockfile: changed, new, removed and renamed tools.

    Exit codes: 0 every definition matches, 1 one does not.
    """
    from rightcall.lint.lockfile import differences, read_lock
    from rightcall.show.terminal import clean

    locked = read_lock(lockfile)
    problems = differences(locked, [tool for tool_set in read_offer(source) for tool in tool_set.tools])
    if as_json:
        print_json({"locked": len(locked), "differences": [problem._asdict() for problem in problems]})
    else:
        out = console()
        for problem in problems:
            out.print(clean(f"{problem.kind}: {problem.tool}: {problem.text}"), soft_wrap=True)
        changes = f"{pluralize(len(problems), 'difference')} from"
        out.print(f"{changes if problems else 'as locked in'} {lockfile}")
    if problems:
        if not as_json:
            print_next(f"rightcall tools lock {shlex.quote(source)} -o {shlex.quote(str(lockfile))}")
        click.get_current_context().exit(1)


@click.group(cls=CommandGroup)
def tools() -> None:
    """Call and lock tools, or serve them over MCP."""


def list_tools(source: str, spelling: str | None, *, as_json: bool) -> None:
    """Print the tools of a source, or write them in a provider's format."""
    from rightcall.model.dialects import SPELLINGS
    from rightcall.show.terminal import clean
    from rightcall.tools.definitions.source import tools_of
    from rightcall.tools.mcp.client import empty_schemas

    tools = tools_of(source)
    if spelling is not None:
        print_json([SPELLINGS[spelling].write_tool(tool) for tool in tools])
        return
    if as_json:
        print_json(tools)
        return
    out = console()
    width = max(len(tool.name) for tool in tools)
    for tool in tools:
        listed = tool.input_schema.get("required")
        required = listed if isinstance(listed, list) else []  # lint says what is wrong with it
        names = [name if name in required else f"{name}?" for name in tool.parameters]
        _print_tool(out, tool, f"({', '.join(names)})", width)
    out.print()
    for warning in empty_schemas(tools):
        out.print(clean(f"warning: {warning}"), style="yellow", soft_wrap=True)
    print_next(f"rightcall list tools {shlex.quote(source)} {shlex.quote(tools[0].name)}")


def _print_tool(out: Screen, tool: Tool, about: str, width: int) -> None:
    """A tool in a list: its name and what follows it, and the first line of its description."""
    from rightcall.show.terminal import clean

    out.print(clean(f"{tool.name:<{width}}  {about}"), style="bold", soft_wrap=True)
    if first_line := tool.description.strip().partition("\n")[0]:
        out.print(clean(f"{'':<{width}}  {first_line}"), style="dim", soft_wrap=True)


def list_instructions(project: Path, as_json: bool) -> None:
    """What instructs an agent in a project: skills, commands, agents and notes."""
    from rightcall.files.agent_instructions import find_instructions
    from rightcall.schema.skill_definition import instruction_definitions
    from rightcall.show.terminal import clean

    instructions = find_instructions(project)
    definitions = instruction_definitions(instructions)
    notes = [{"file": str(path), "what": what} for path, what in instructions.notes]
    if as_json:
        print_json({"tools": definitions, "skills": list(map(str, instructions.skills)), "others": notes})
        return
    if not definitions and not notes:
        hint = "skills are kept in .claude/skills or .agents/skills"
        raise InputError(str(project), "nothing here instructs an agent", hint)
    out = console()
    width = max((len(tool.name) for tool in definitions), default=0)
    for tool in definitions:
        loads = "" if tool.skill is None or tool.skill.by_model else ", loaded by the user only"
        _print_tool(out, tool, f"{tool.kind}{loads}", width)
    for note in notes:
        out.print(clean(f"{note['file']}: {note['what']}"), soft_wrap=True)
    if instructions.skills:
        print_next(f"rightcall lint {shlex.quote(f'skills:{instructions.skills[0]}')}")


def show_tool(source: str, name: str, spelling: str) -> None:
    """Print one tool as JSON, in any provider's format."""
    from rightcall.model.dialects import SPELLINGS
    from rightcall.tools.definitions.source import tools_of

    tools = {tool.name: tool for tool in tools_of(source)}
    if name not in tools:
        hint = suggestion(name, tools) or f"available: {', '.join(tools)}"
        raise InputError(source, f"no such tool '{name}'", hint)
    print_json(SPELLINGS[spelling].write_tool(tools[name]))


tools.add_command(call)
tools.add_command(serve)
tools.add_command(lock)
tools.add_command(verify)
