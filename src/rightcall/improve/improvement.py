"""The result of `improve`, and the patch that changes definitions and nothing else in their file."""

from __future__ import annotations

import copy
import difflib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from rightcall.core.errors import RightCallError
from rightcall.files.skill_folder import SkillFolder, read_skills
from rightcall.improve.hypothesis import ProposedChange
from rightcall.lint.features.text import estimate_tokens
from rightcall.lint.fixer import redefine_tools, rewrite_file
from rightcall.lint.source.read import read_paths
from rightcall.records.record import Record
from rightcall.records.tool import Tool
from rightcall.run.suite import Suite
from rightcall.run.suite_document import tool_sources

ImproveOutcome = Literal["accepted", "not_shown", "worse", "nothing_to_try", "too_few"]


class ToolEffect(Record, frozen=True):
    """The effect of a proposal on the goldens of one tool in proof, or on those that expect no call (`no call`)."""

    tool: str
    goldens: int
    before: float
    after: float
    low: float | None = None

    @property
    def difference(self) -> float:
        """Positive when the proposal helped."""
        return self.after - self.before


class Tried(Record, frozen=True):
    """One proposal and its result. Rates are of the goldens it is meant for, in proof.

    `not_shown` are tools of which a loss of ten points cannot be excluded.
    """

    name: str
    why: str
    refused: str = ""
    tune_before: float | None = None
    tune_after: float | None = None
    exposed: int = 0
    before: float | None = None
    after: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_adjusted: float | None = None
    whole: str = ""
    by_tool: tuple[ToolEffect, ...] = ()
    worse_tools: tuple[str, ...] = ()
    not_shown: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    tokens: int = 0
    cost_per_1000: float | None = None
    accepted: bool = False


class DangerLeft(Record, frozen=True):
    """Trials with one sort of danger (`model/danger.py`), before and after, and the goldens that still have it.

    With an accepted change both are of proof; otherwise both are of the analysed run, which nothing changed.
    """

    danger: str
    before: int
    after: int
    goldens: tuple[str, ...] = ()


class Improvement(Record, frozen=True):
    """What `improve` found: the proposals, the one accepted, and the patch. No file of the user is changed.

    `cost_usd` is what all of it cost; None when no price is known.
    """

    run: str
    outcome: ImproveOutcome
    sentence: str
    tried: tuple[Tried, ...] = ()
    patch: str = ""
    edits: tuple[dict[str, Any], ...] = ()
    tune: int = 0
    proof: int = 0
    alpha: float = 0.05
    proofs: int = 1
    set_aside: tuple[str, ...] = ()
    calls: int = 0
    proven: bool = True
    cost_usd: float | None = None
    danger: tuple[DangerLeft, ...] = ()

    @property
    def exit_code(self) -> int:
        """0 accepted, 1 worse, 3 not proven."""
        return {"accepted": 0, "worse": 1}.get(self.outcome, 3)


def apply_changes(
    changes: Iterable[ProposedChange], tools: Sequence[Tool], system: str
) -> tuple[list[Tool], str]:
    """Definitions and system prompt with the changes applied; the arguments are not modified."""
    raw = [copy.deepcopy(msgspec.to_builtins(tool)) for tool in tools]
    for change in changes:
        if not change.tool:
            system = str(change.after)
            continue
        target = next((definition for definition in raw if definition["name"] == change.tool), None)
        if target is not None:
            _put(target, change.path, change.after)
    return [msgspec.convert(definition, Tool) for definition in raw], system


def _put(target: Any, path: Sequence[str | int], value: Any) -> None:
    *inner, last = path
    for key in inner:
        target = target.setdefault(key, {}) if isinstance(target, dict) else target[key]
    target[last] = value


def tokens_of(tools: Sequence[Tool], system: str) -> int:
    """Estimated tokens of definitions and system prompt in every request."""
    text = msgspec.json.encode([[t.name, t.description, t.input_schema] for t in tools]).decode()
    return estimate_tokens(text) + estimate_tokens(system)


def patch_of(tools: Sequence[Tool], system: str, after: Sequence[Tool], new_system: str) -> str:
    """A unified diff of the definitions, as `tools.json`, and of the system prompt."""
    parts = [
        ("tools.json", tools_text(tools), tools_text(after)),
        ("system.txt", system + "\n", new_system + "\n"),
    ]
    return "".join(_diff(*part, "\n") for part in parts)


def tools_text(tools: Sequence[Tool]) -> str:
    """Definitions as the text of a `tools.json`."""
    return json.dumps([msgspec.to_builtins(tool) for tool in tools], indent=2, ensure_ascii=False) + "\n"


def file_patch(suite: Suite, path: Path, edits: Sequence[Mapping[str, Any]]) -> str | None:
    """A patch for `git apply` or `patch -p1`; None when no file can be patched, as where tools are code."""
    skills = skill_folders_of(suite, path.parent)
    of_skills = [edit for edit in edits if edit["tool"] in skills and tuple(edit["path"]) == ("description",)]
    edits = [edit for edit in edits if edit["tool"] not in skills]
    of_tools = [(str(edit["tool"]), tuple(edit["path"]), edit["to"]) for edit in edits if edit["tool"]]
    of_system = [(("agent", "system"), edit["to"]) for edit in edits if not edit["tool"]]
    listed = tool_sources(suite.tools).listed
    home = path.parent / listed if isinstance(listed, str) else path
    if of_tools and of_system and home == path:
        return None
    changed = []
    try:
        if of_tools:
            patched_tools = redefine_tools(read_paths([home]), of_tools)
            if patched_tools is None:
                return None
            changed += patched_tools
        if of_system:
            system = rewrite_file(path, of_system)
            if system is None:
                return None
            changed.append(system)
    except (RightCallError, OSError):  # a module, a server: nothing to patch
        return None
    texts = [(change.before.name, change.before.text, change.after.text) for change in changed]
    for edit in of_skills:
        folder = skills[str(edit["tool"])]
        before = folder.file.read_bytes().decode("utf-8-sig")
        texts.append((str(folder.file), before, with_description(before, str(edit["to"]))))
    return "".join(
        _diff(Path(os.path.relpath(name)).as_posix(), before, after, "\n\\ No newline at end of file\n")
        for name, before, after in texts
    )


def skill_folders_of(suite: Suite, folder: Path) -> dict[str, SkillFolder]:
    """The folders of the skills that a suite names, by name; empty when it names none, or they cannot be read."""
    offered = (suite.agent.skills,) if isinstance(suite.agent.skills, str) else suite.agent.skills or ()
    sources = tool_sources(suite.tools)
    names = [folder / name for name in (*sources.skills, *offered)]
    try:
        return {skill.name: skill for skill in read_skills(names, sources.ignore) if not skill.problem}
    except RightCallError:
        return {}


def with_description(text: str, description: str) -> str:
    """A `SKILL.md` with another description, everything else as it was."""
    lines = text.splitlines(keepends=True)
    start = next((at for at, line in enumerate(lines) if at and line.startswith("description:")), None)
    if start is None:
        return text
    end = start + 1
    while end < len(lines) and (lines[end][:1] in " \t" or not lines[end].strip()):
        end += 1
    ending = "\r\n" if lines[start].endswith("\r\n") else "\n"
    return "".join(
        [*lines[:start], f"description: {json.dumps(description, ensure_ascii=False)}{ending}", *lines[end:]]
    )


def _diff(name: str, before: str, after: str, ending: str) -> str:
    """A unified diff; `ending` stands after a line that has none."""
    old, new = (text.splitlines(keepends=True) for text in (before, after))
    lines = difflib.unified_diff(old, new, f"a/{name}", f"b/{name}")
    return "".join(line if line.endswith("\n") else line + ending for line in lines)
