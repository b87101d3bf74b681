"""What `rightcall list tools` shows."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from rightcall.cli.output import console, print_json, print_next
from rightcall.core.errors import InputError, suggestion
from rightcall.core.options import Option

if TYPE_CHECKING:
    from rightcall.records.tool import Tool
    from rightcall.show.screen import Screen


FormatOption = Annotated[
    Literal["native", "anthropic", "openai", "openai_responses", "gemini", "bedrock", "mcp"] | None,
    Option("Definition format", flags=("--as",)),
]


def list_tools(source: str, spelling: str | None, *, as_json: bool) -> None:
    """Print the tools of a source, or write them in a provider's format."""
    from rightcall.show.terminal import clean
    from rightcall.tools.definitions.source import tools_of
    from rightcall.tools.mcp.client import empty_schemas

    tools = tools_of(source)
    if spelling is not None:
        print_json([tool.write(spelling) for tool in tools])
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
    from rightcall.tools.definitions.source import tools_of

    tools = {tool.name: tool for tool in tools_of(source)}
    if name not in tools:
        hint = suggestion(name, tools) or f"available: {', '.join(tools)}"
        raise InputError(source, f"no such tool '{name}'", hint)
    print_json(tools[name].write(spelling))
