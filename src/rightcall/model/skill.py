"""What a skill adds to a tool: its folder, its body, its files and who may load it."""

from __future__ import annotations

from typing import Any

from rightcall.model.record import Record, Sequenced, Several


class SkillFile(Record, frozen=True):
    """A file of a skill besides `SKILL.md`: its path below the folder, and a digest of its content."""

    path: str
    hash: str


class Skill(Record, frozen=True, metaclass=Sequenced):
    """A folder with a `SKILL.md`, as read. The name and the description, by which it is chosen, are the tool's.

    `hash` is a digest of the body and the files: what is done once it is loaded. `tokens` is the estimated size of the
    body. `allowed_tools` are those that its front matter allows, each as written. `by_model` and `by_user` say who may
    load it. `fields` are further keys of the front matter.
    """

    folder: str
    tokens: int = 0
    hash: str = ""
    allowed_tools: Several[str] = ()
    files: Several[SkillFile] = ()
    by_model: bool = True
    by_user: bool = True
    fields: dict[str, Any] = {}
    body: str = ""
