"""The text of a `SKILL.md`: front matter and body. Pure functions: nothing is opened, nothing is run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from rightcall.core.errors import InputError
from rightcall.files.yaml_text import yaml_value

CHARACTERS_PER_TOKEN = 4
_KEY = re.compile(r"([A-Za-z_][\w-]*)[ \t]*:(?:[ \t]+|$)(.*)")
_TOOL_WORDS = re.compile(r"[^\s,()]+(?:\([^()]*\))?|\([^()]*\)")


class SkillText(msgspec.Struct, frozen=True):
    """What a `SKILL.md` says.

    `fields` are those of the front matter, `key_lines` the line of each. `problem` says why the front matter is missing
    or is not YAML, at `problem_line`; it has then been read line by line as far as possible. `body_line` is the line
    where the body begins.
    """

    fields: dict[str, Any] = msgspec.field(default_factory=dict)
    body: str = ""
    body_line: int = 1
    key_lines: dict[str, int] = msgspec.field(default_factory=dict)
    problem: str = ""
    problem_line: int = 1

    @property
    def name(self) -> str:
        """The name as written; empty when there is none."""
        return _text(self.fields.get("name")).strip()

    @property
    def description(self) -> str:
        return _text(self.fields.get("description")).strip()

    @property
    def allowed_tools(self) -> tuple[str, ...]:
        return tool_words(self.fields.get("allowed-tools"))

    @property
    def tokens(self) -> int:
        """The estimated size of the body."""
        return -(-len(self.body) // CHARACTERS_PER_TOKEN)


def parse_skill(text: str) -> SkillText:
    """The parts of a `SKILL.md`. What cannot be read is a `problem`, never an exception."""
    lines = text.removeprefix("\ufeff").split("\n")
    if lines[0].rstrip() != "---":
        return SkillText(body=text, problem="no front matter: the first line is not ---")
    end = next((at for at in range(1, len(lines)) if lines[at].rstrip() == "---"), None)
    if end is None:
        return SkillText(body="", problem="the front matter has no closing ---")
    head = [line.rstrip("\r") for line in lines[1:end]]
    key_lines = {match[1]: at + 2 for at, line in enumerate(head) if (match := _KEY.match(line))}
    body = "\n".join(lines[end + 1 :]).replace("\r\n", "\n")
    fields, problem, line = _read_fields(head)
    return SkillText(fields, body, end + 2, key_lines, problem=problem, problem_line=line)


def tool_words(value: Any) -> tuple[str, ...]:
    """The tools that `allowed-tools` lists: words outside parentheses, or a list; `Bash(git:*)` keeps its pattern."""
    if isinstance(value, list):
        return tuple(str(entry).strip() for entry in value if str(entry).strip())
    return tuple(_TOOL_WORDS.findall(value)) if isinstance(value, str) else ()


def _read_fields(head: list[str]) -> tuple[dict[str, Any], str, int]:
    """The fields, why they are not YAML, and the line of the problem."""
    if not any(line.strip() for line in head):
        return {}, "the front matter is empty", 1
    try:
        fields = yaml_value("\n".join(head).encode(), "")
    except InputError as error:
        line = error.where.rpartition(":")[2]
        return dict(_plain_fields(head)), error.problem, int(line) + 1 if line.isdigit() else 1
    if not isinstance(fields, dict):
        return {}, "the front matter is not a map of keys and values", 2
    return fields, "", 1


def _plain_fields(head: list[str]) -> Iterator[tuple[str, str]]:
    """`key: rest of the line` with indented lines added, as readers do that do not insist on YAML."""
    key = ""
    parts = list[str]()
    for line in head:
        match = _KEY.match(line)
        if match is not None:
            if key:
                yield key, _join_text(parts)
            key = match[1]
            parts = [match[2]]
        elif key and line.strip() and line[:1] in " \t-":
            parts.append(line.strip().removeprefix("- "))
    if key:
        yield key, _join_text(parts)


def _join_text(parts: list[str]) -> str:
    text = " ".join(part for part in parts if part not in ("|", ">", "|-", ">-")).strip()
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
    return text[1:-1] if quoted else text


def _text(value: Any) -> str:
    """A scalar as text; a list or a map is none."""
    return value if isinstance(value, str) else str(value) if isinstance(value, int | float) else ""
