"""The tool by which RightCall's own loop offers skills: one call loads one skill, and the result is its body."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from rightcall.model.tool import Annotations, Tool

LOAD_SKILL = "load_skill"


class SkillLoader(NamedTuple):
    """The tool, and the mock that answers it."""

    tool: Tool
    mock: dict[str, Any]


def skill_loader(skills: Sequence[Tool]) -> SkillLoader:
    """The loader of skills that a model may load itself. Its description is the catalogue: names and descriptions."""
    offered = [skill for skill in skills if skill.skill is None or skill.skill.by_model]
    catalogue = "\n".join(f"- {skill.name}: {' '.join(skill.description.split())}" for skill in offered)
    tool = Tool(
        LOAD_SKILL,
        f"Load the instructions of a skill before you do a task that it is for. Skills:\n{catalogue}",
        {
            "type": "object",
            "properties": {
                "name": {
                    "type": "string",
                    "enum": [skill.name for skill in offered],
                    "description": "Name of the skill",
                }
            },
            "required": ["name"],
            "additionalProperties": False,
        },
        annotations=Annotations(read_only=True),
    )
    bodies = [
        {"args": {"name": skill.name}, "result": skill.skill.body if skill.skill else ""} for skill in offered
    ]
    return SkillLoader(tool, {"cases": bodies, "error": {"error": "not_found", "detail": "no such skill"}})


def with_described_skill(loader: Tool, skill: str, text: str) -> Tool:
    """The loader with more to its description of one skill; unchanged when its catalogue does not have the skill."""
    lines = loader.description.split("\n")
    mark = f"- {skill}: "
    joined = [f"{line} {' '.join(text.split())}" if line.startswith(mark) else line for line in lines]
    return msgspec.structs.replace(loader, description="\n".join(joined))
