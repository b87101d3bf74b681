"""Which files an assistant may write: tool definitions, goldens and suites, never a file that another program runs.

A new file has a name of ours (`shop.tools.json`). An existing file must already be what is written into it: nothing
that another program reads can be replaced, however well the new text would be read here.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from rightcall.api.goldens import load_dataset
from rightcall.core.errors import InputError, RightCallError
from rightcall.files.documents import read_document
from rightcall.run.suite import load_suite
from rightcall.tools.definitions.source import load_tools
from rightcall.wings.assistant.project import Project, RefusedPathError

Kind = Literal["tools", "goldens", "suite"]
SUFFIXES: dict[Kind, tuple[str, ...]] = {
    "tools": (".json", ".yaml", ".yml"),
    "goldens": (".jsonl", ".json", ".yaml", ".yml"),
    "suite": (".yaml", ".yml", ".json"),
}
READERS: dict[Kind, Callable[[Path], Any]] = {
    "tools": load_tools,
    "goldens": load_dataset,
    "suite": load_suite,
}
HEADER = {"format", "$schema"}
"""Keys that a document may have besides its list."""
TOOL_FIELDS = {
    *("name", "title", "description", "type", "function", "parameters", "strict", "annotations", "examples"),
    *("input_schema", "output_schema", "inputSchema", "outputSchema", "cache_control", "input_examples"),
    *("_meta", "icons", "execution", "defer_loading", "allowed_callers", "eager_input_streaming"),
}
"""Keys that a tool has in some provider's format: a list of objects with others could be tasks that a program runs."""


def writable_file(project: Project, text: str, *kinds: Kind) -> Path:
    """A path of the project that may be written as one of these kinds; raises when it may not."""
    path = project.writable(text)
    whole = project.root / path
    for kind in kinds:
        if path.suffix.lower() not in SUFFIXES[kind]:
            continue
        if not whole.exists() and has_our_name(path, kind):
            return path
        if whole.is_file() and is_of_kind(whole, kind, strictly=not has_our_name(path, kind)):
            return path
    if whole.exists():
        raise RefusedPathError(
            text[:200],
            f"it is not a file of {' or '.join(kinds)}, and nothing else is replaced",
            "edit it with another tool",
        )
    names = " or ".join(
        f"{kind}{suffix}, NAME.{kind}{suffix}" for kind in kinds for suffix in SUFFIXES[kind][:1]
    )
    raise RefusedPathError(text[:200], f"a new file here is called {names}", "choose such a name")


def has_our_name(path: Path, kind: Kind) -> bool:
    """Whether a file is called `tools.json`, `shop.tools.json`, `shop-tools.json` or the like."""
    return bool(re.fullmatch(rf"(.+[._-])?{kind}", path.stem, re.IGNORECASE))


def is_of_kind(file: Path, kind: Kind, *, strictly: bool = True) -> bool:
    """Whether a file can be read as this kind; `strictly` leaves no room for what another program would read."""
    try:
        READERS[kind](file)
        if strictly:
            require_only(file, kind)
    except RightCallError:
        return False
    return True


def require_text(project: Project, file: Path, content: str, kind: Kind) -> None:
    """Raise unless the text is of the kind and of nothing else, and, of a suite, starts nothing more than before.

    A copy is read, before the file is touched.
    """
    with tempfile.TemporaryDirectory(prefix="rightcall-") as folder:
        copy = Path(folder) / file.name
        try:
            copy.write_bytes(content.encode("utf-8"))
        except UnicodeEncodeError:
            raise InputError(str(file), "the text has characters that are not Unicode") from None
        try:
            read = READERS[kind](copy)
            require_only(copy, kind)
        except InputError as error:
            where = error.where.replace(str(copy), str(file))
            raise InputError(where, f"not written: {error.problem}", error.hint) from None
    if kind == "suite":
        whole = project.root / file
        project.require_same_actions(file, READERS[kind](whole) if whole.exists() else None, read)


def require_only(file: Path, kind: Kind) -> None:
    """Raise if a document of tools or goldens has anything besides its list. A suite has no unknown fields anyway."""
    if kind == "suite" or file.suffix.lower() == ".jsonl":
        return
    document = read_document(file)
    if isinstance(document, dict):
        if kind not in document:
            raise InputError(str(file), f"must be a list, or an object with `{kind}`")
        if unknown := sorted(map(str, document.keys() - {kind} - HEADER)):
            raise InputError(str(file), f"unknown field '{unknown[0]}' next to '{kind}'", "remove it")
    for tool in (document[kind] if isinstance(document, dict) else document) if kind == "tools" else ():
        if unknown := sorted(map(str, tool.keys() - TOOL_FIELDS)):
            raise InputError(str(file), f"unknown field '{unknown[0]}' in a tool", "remove it")
