"""The files of a folder that may contain tool definitions."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

DOCUMENTS = (".json", ".yaml", ".yml")
NOT_OURS = frozenset(
    ("node_modules", "bower_components", "site-packages", "__pycache__", "venv", "dist", "build")
)
"""Folders of installed or built files; hidden folders and virtual environments are skipped too."""

_WORDS_OF_TOOLS = re.compile(rb"\binput_?schema\b|[\"']parameters[\"']\s*:", re.IGNORECASE)
_DECORATED = re.compile(rb"^[ \t]*@(?:\w+\.)*tool\b", re.MULTILINE)


def documents_in(folder: Path) -> list[Path]:
    """The JSON and YAML files of a folder and those below it, sorted; hidden ones are skipped."""
    return sorted(path for path in _files_in(folder) if path.suffix in DOCUMENTS)


def tool_modules_in(folder: Path) -> list[Path]:
    """The Python files of a folder and those below it in which a function is decorated with `@rc.tool` or `@tool`."""
    return sorted(path for path in _files_in(folder) if path.suffix == ".py" and _decorates(path))


def has_words_of_tools(path: Path) -> bool:
    """Whether a file that is not valid JSON or YAML was meant to define tools."""
    try:
        return _WORDS_OF_TOOLS.search(path.read_bytes()) is not None
    except OSError:
        return False


def _files_in(folder: Path) -> Iterator[Path]:
    for here, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if _is_ours(Path(here, name))]
        for name in files:
            path = Path(here, name)
            if not name.startswith(".") and path.is_file():
                yield path


def _is_ours(folder: Path) -> bool:
    hidden = folder.name.startswith(".")
    return not hidden and folder.name not in NOT_OURS and not (folder / "pyvenv.cfg").exists()


def _decorates(module: Path) -> bool:
    try:
        return _DECORATED.search(module.read_bytes()) is not None
    except OSError:
        return False
