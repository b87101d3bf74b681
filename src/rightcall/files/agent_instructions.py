"""What instructs an agent in a project, in the usual places: skills, commands, agents, notes and servers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from rightcall.core.errors import InputError
from rightcall.files.skill_folder import LARGEST, find_skill_folders
from rightcall.files.skill_text import SkillText, parse_skill

SKILL_PLACES = (".agents/skills", ".claude/skills", ".github/skills", ".cursor/skills")
COMMANDS = ".claude/commands"
AGENTS = ".claude/agents"
NOTES = {"AGENTS.md": "instructions", "CLAUDE.md": "instructions", ".mcp.json": "MCP servers"}
MOST_FILES = 2000


class InstructionFile(msgspec.Struct, frozen=True):
    """A file with instructions, and its front matter."""

    path: Path
    text: SkillText

    @property
    def name(self) -> str:
        return self.text.name or self.path.stem


class AgentInstructions(msgspec.Struct, frozen=True):
    """Everything in a project that instructs an agent. `skills` are folders that contain skills."""

    skills: tuple[Path, ...] = ()
    commands: tuple[InstructionFile, ...] = ()
    agents: tuple[InstructionFile, ...] = ()
    notes: tuple[tuple[Path, str], ...] = ()


def find_instructions(project: Path) -> AgentInstructions:
    """What instructs an agent in a project. Nothing is run, and no link is followed."""
    if not project.is_dir():
        raise InputError(str(project), "no such folder")
    places = [project / place for place in SKILL_PLACES]
    return AgentInstructions(
        tuple(place for place in places if _is_folder(place) and any(find_skill_folders(place))),
        tuple(_files(project / COMMANDS)),
        tuple(_files(project / AGENTS)),
        tuple((project / name, what) for name, what in NOTES.items() if _is_file(project / name)),
    )


def _files(folder: Path) -> Iterator[InstructionFile]:
    if not _is_folder(folder):
        return
    for path in sorted(folder.rglob("*.md"))[:MOST_FILES]:
        if _is_file(path) and path.stat().st_size <= LARGEST:
            text = path.read_bytes().decode("utf-8-sig", "replace")
            yield InstructionFile(path, parse_skill(text))


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _is_file(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()
