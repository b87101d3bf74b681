"""A skill as the definition of a tool: chosen by name and description, with everything below its folder."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import Any

from rightcall.core.digest import digest_of_parts
from rightcall.core.errors import InputError
from rightcall.files.agent_instructions import AgentInstructions, InstructionFile
from rightcall.files.skill_folder import SkillFolder, read_skills, skill_files
from rightcall.files.skill_text import SkillText
from rightcall.records.tool import Skill, SkillFile, Tool

OWN_FIELDS = ("name", "description", "allowed-tools")
"""Keys of the front matter that have a field in the definition."""


def skill_definition(folder: SkillFolder) -> Tool:
    """The skill of a folder as a tool."""
    text = folder.text
    files = [SkillFile(*file) for file in skill_files(folder.path)]
    contents = [text.body.encode(), *(f"\0{file.path}\0{file.hash}".encode() for file in files)]
    below = folder.path.is_relative_to(folder.root)
    skill = _skill(
        text,
        contents,
        folder=folder.path.relative_to(folder.root).as_posix() if below else folder.path.name,
        files=tuple(files),
        by_model=text.fields.get("disable-model-invocation") is not True,
        by_user=text.fields.get("user-invocable") is not False,
    )
    return Tool(folder.name, text.description, kind="skill", skill=skill)


def _skill(text: SkillText, contents: Iterable[bytes], **facts: Any) -> Skill:
    return Skill(
        tokens=text.tokens,
        hash=digest_of_parts(contents, 32),
        allowed_tools=text.allowed_tools,
        fields={key: value for key, value in text.fields.items() if key not in OWN_FIELDS},
        body=text.body,
        **facts,
    )


def load_skills(folders: Iterable[str | Path], ignore: Iterable[str] = ()) -> list[Tool]:
    """The skills of folders as tools. Two of one name are an error; so is a set of which none can be read.

    A skill that cannot be read is left out, as clients do: `rightcall lint` reports it (SK101).
    """
    skills = read_skills(folders, ignore)
    readable = [skill for skill in skills if not skill.problem]
    if not readable:
        raise InputError(str(skills[0].file), skills[0].problem)
    places: dict[str, Path] = {}
    for skill in readable:
        earlier = places.setdefault(skill.name, skill.path)
        if earlier != skill.path:
            problem = f"a skill named '{skill.name}' is also in {earlier}"
            raise InputError(str(skill.path), problem, "rename one: clients load only one of them")
    return [skill_definition(skill) for skill in readable]


def instruction_definitions(instructions: AgentInstructions) -> list[Tool]:
    """Skills, commands and agents of a project as definitions.

    A command is a skill that only the user loads, unless it has a description. Of two with one name, the first counts.
    """
    skills = list(chain.from_iterable(load_skills([folder]) for folder in instructions.skills))
    commands = [_command_definition(file) for file in instructions.commands]
    agents = [Tool(file.name, file.text.description, kind="agent") for file in instructions.agents]
    by_name = {tool.name: tool for tool in reversed([*skills, *commands, *agents])}
    return [tool for tool in (*skills, *commands, *agents) if by_name[tool.name] is tool]


def _command_definition(file: InstructionFile) -> Tool:
    text = file.text
    contents = [text.body.encode()]
    skill = _skill(text, contents, folder=file.path.name, by_model=bool(text.description))
    return Tool(file.name, text.description, kind="skill", skill=skill)
