"""Edits as a patch of the files that the definitions came from, with everything else in them as it was."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rightcall.core.errors import RightCallError
from rightcall.lint.fixer import redefine_tools, rewrite_file
from rightcall.lint.source.read import read_paths
from rightcall.run.suite import Suite


def file_patch(suite: Suite, path: Path, edits: Sequence[Mapping[str, Any]]) -> str | None:
    """A patch for `git apply` or `patch -p1`; None when no file can be patched, as where tools are code."""
    of_tools = [(str(edit["tool"]), tuple(edit["path"]), edit["to"]) for edit in edits if edit["tool"]]
    of_system = [(("agent", "system"), edit["to"]) for edit in edits if not edit["tool"]]
    home = path.parent / suite.tools if isinstance(suite.tools, str) else path
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
    return "".join(_diff(change.before.name, change.before.text, change.after.text) for change in changed)


def _diff(name: str, before: str, after: str) -> str:
    shown = Path(os.path.relpath(name)).as_posix()
    old, new = (text.splitlines(keepends=True) for text in (before, after))
    lines = list(difflib.unified_diff(old, new, f"a/{shown}", f"b/{shown}"))
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )
