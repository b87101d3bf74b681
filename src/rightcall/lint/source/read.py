"""From paths, texts and folders to the sets that are linted. Nothing that is read is ever executed."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

from rightcall.core.errors import InputError
from rightcall.files.checked_read import require_file
from rightcall.files.documents import JsonPath
from rightcall.files.places import SUFFIXES, Document
from rightcall.files.skill_folder import find_skill_folders
from rightcall.lint.source.spellings import provider_run_in, stray_in, tools_in
from rightcall.lint.source.tools import SourceTool, ToolSet, tool_set
from rightcall.records.tool import Tool

LARGEST = 64 * 1024 * 1024

PythonLoader = Callable[[Path], Sequence[Tool]]
"""Imports a Python module and returns the tools it defines; only used when the user allows it."""


def read_paths(
    paths: Iterable[str | Path],
    *,
    import_python: PythonLoader | None = None,
    unreadable: Callable[[InputError], None] = lambda error: None,
) -> list[ToolSet]:
    """The tool sets of files and of all tool files in folders; a file found twice is read once.

    A file given by name must contain tools, a folder at least one file that does. Any other file in a folder
    is skipped; `unreadable` is called for a file there that is not even JSON or YAML.
    """
    read: dict[Path, list[ToolSet]] = {}
    for path in map(Path, paths):
        if path.is_dir():
            inside = _read_folder(path, import_python, unreadable, read)
            if not inside:
                raise _no_tools_in_folder(path, import_python)
            read |= inside
        elif (whole := _real_path(path)) not in read:
            read[whole] = read_file(path, import_python=import_python)
    tool_sets = list(chain.from_iterable(read.values()))
    if not tool_sets:
        raise InputError("", "no tool definitions found", "pass a JSON or YAML file with a list of tools")
    return tool_sets


def read_file(path: Path, *, import_python: PythonLoader | None = None) -> list[ToolSet]:
    """The tool sets of one file: one, or for JSONL one per line."""
    if path.suffix == ".py":
        if import_python is None:
            raise InputError(
                str(path), "a Python module must be executed to find its tools", "allow it with --import"
            )
        tools = import_python(path)
        if not tools:
            raise InputError(str(path), "no tool definitions found", "a tool is a function with @rc.tool")
        return _module_sets(path, tools)
    text = _text_of(path)
    sets = read_text(text, name=str(path), kind=path.suffix)
    if not any(tool_set.tools for tool_set in sets):
        raise InputError(
            str(path),
            "no tool definitions found",
            "a tool has a name and a description or schema; the list is the document or under 'tools'",
        )
    return sets


def _module_sets(path: Path, tools: Sequence[Tool]) -> list[ToolSet]:
    """The tools of a Python module, each at the line of its function."""
    if not tools:
        return []
    return [tool_set(tools, name=str(path), origin=str(path), lines=_function_lines(path))]


def read_text(text: str, *, name: str = "<text>", kind: str = ".json") -> list[ToolSet]:
    """The tool sets of a text; `kind` is the suffix that says its format (`.json`, `.yaml`, `.jsonl`)."""
    if kind == ".jsonl":
        lines = enumerate(text.split("\n"), start=1)
        documents = [Document(name, line, first_line=number) for number, line in lines if line.strip()]
    elif kind in SUFFIXES:
        documents = [Document(name, text, kind=SUFFIXES[kind])]
    else:
        raise InputError(
            name, f"cannot read tools from '{kind or 'a file without a suffix'}'", "use .json or .yaml"
        )
    return [read_document(document) for document in documents]


def read_document(document: Document) -> ToolSet:
    """The tools of one document as a set."""
    try:
        tools = tools_in(document)
        provider_run = provider_run_in(document)
        refuse_what_is_unclear(document, tools)
    except RecursionError:
        raise InputError(document.name, "nested too deeply", "the limit is about 900 levels") from None
    where = document.name if document.first_line == 1 else f"{document.name}:{document.first_line}"
    return ToolSet(where, tuple(tools), tuple(provider_run))


def _function_lines(path: Path) -> dict[str, int]:
    """Where the functions of a module begin, by name."""
    import ast  # only for modules

    defined = ast.walk(ast.parse(path.read_bytes()))
    return {
        node.name: node.lineno for node in defined if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


def _read_folder(
    folder: Path,
    import_python: PythonLoader | None,
    unreadable: Callable[[InputError], None],
    read: Mapping[Path, list[ToolSet]],
) -> dict[Path, list[ToolSet]]:
    """The files of a folder that contain tools, with their sets; already read files are skipped."""
    sets_of: dict[Path, list[ToolSet]] = {}
    modules = tool_modules_in(folder)
    for path in (*documents_in(folder), *(modules if import_python else ())):
        whole = _real_path(path)
        if whole in read:
            sets = read[whole]
        elif path.suffix == ".py" and import_python:
            sets = _module_sets(path, import_python(path))
        else:
            sets = _read_inside_folder(path, unreadable)
        if sets:
            sets_of[whole] = sets
    if sets_of and not import_python:
        for module in modules:
            problem = "its tools are in a Python module, which must be executed"
            unreadable(InputError(str(module), problem, "allow it with --import"))
    return sets_of


def _no_tools_in_folder(folder: Path, import_python: PythonLoader | None) -> InputError:
    if import_python is None and tool_modules_in(folder):
        return InputError(
            str(folder), "its tools are in Python modules, which must be executed", "allow it with --import"
        )
    if next(find_skill_folders(folder), None) is not None:
        return InputError(str(folder), "contains skills, not tool definitions", f"name it as skills:{folder}")
    return InputError(
        str(folder), "no tool definitions found in this folder", "add a JSON or YAML file with tools"
    )


def _read_inside_folder(path: Path, unreadable: Callable[[InputError], None]) -> list[ToolSet]:
    try:
        document = Document(str(path), _text_of(path), kind=SUFFIXES[path.suffix])
    except InputError as error:
        if has_words_of_tools(path):
            raise
        unreadable(error)
        return []
    tool_set = read_document(document)
    return [tool_set] if any(map(_is_surely_a_tool, tool_set.tools)) else []


def _is_surely_a_tool(tool: SourceTool) -> bool:
    """Whether it is more than a name with a description, which a package.json also has."""
    under_a_key = any(isinstance(part, str) for part in tool.base)
    return tool.spelling != "plain" or tool.input_schema is not None or under_a_key


def _real_path(path: Path) -> Path:
    """The path without links; unlike `Path.resolve` it leaves a loop of links to whoever opens the file."""
    return Path(os.path.realpath(path))


def _text_of(path: Path) -> str:
    try:
        data = require_file(path).read_bytes()
    except OSError as error:
        raise InputError(str(path), f"cannot be read: {error.strerror or error}") from None
    if len(data) > LARGEST:
        raise InputError(str(path), f"{len(data):,} bytes exceed the limit of {LARGEST:,}")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(str(path), "not valid UTF-8", "save the file as UTF-8") from None


def refuse_what_is_unclear(document: Document, tools: Sequence[SourceTool]) -> None:
    """Raise an `InputError` at the first entry that is not a tool, or the first duplicate key.

    For duplicate keys some parsers take the first and some the last: what was checked might not be what is used.
    """
    for tool in tools:
        _refuse_repeated_key(document, tool.base, f"the tool '{tool.name}'")
    stray = stray_in(document)
    if stray is not None:
        path, problem, hint = stray
        entry = f"entry {path[-1] + 1}: " if path and isinstance(path[-1], int) else ""
        raise InputError(f"{document.name}:{document.line(path)}", f"{entry}{problem}", hint)


def _refuse_repeated_key(document: Document, path: JsonPath, holder: str) -> None:
    repeated = document.repeated_key(path)
    if repeated is not None:
        line, key = repeated
        raise InputError(
            f"{document.name}:{line}",
            f"duplicate key '{key}' in one object of {holder}",
            "keep one: parsers differ in which one they use",
        )


NOT_OURS = frozenset(
    ("node_modules", "bower_components", "site-packages", "__pycache__", "venv", "dist", "build")
)
"""Folders of installed or built files; hidden folders and virtual environments are skipped too."""

_WORDS_OF_TOOLS = re.compile(rb"\binput_?schema\b|[\"']parameters[\"']\s*:", re.IGNORECASE)
_DECORATED = re.compile(rb"^[ \t]*@(?:\w+\.)*tool\b", re.MULTILINE)


def documents_in(folder: Path) -> list[Path]:
    """The JSON and YAML files of a folder and those below it, sorted; hidden ones are skipped."""
    return sorted(path for path in _files_in(folder) if path.suffix in SUFFIXES)


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
