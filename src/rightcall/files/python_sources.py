"""What Python files say about their inputs, read without running them: imports, names of files and of variables."""

from __future__ import annotations

import ast
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, pairwise
from pathlib import Path
from threading import Lock

import msgspec

from rightcall.files.project_files import ProjectFiles

SETTINGS_PACKAGES = frozenset(
    ("pydantic_settings", "environs", "decouple", "dynaconf", "dotenv", "starlette")
)
"""Packages that read environment variables by names made from those of fields."""
OF_THE_MACHINE = re.compile(
    r"(?:PATH|HOME|USER|PWD|OLDPWD|SHELL|LANG|TERM|TMPDIR|HOSTNAME|LOGNAME|SHLVL|DISPLAY|EDITOR|COLUMNS|LINES|CI"
    r"|(?:GITHUB|RUNNER|CI|GITLAB|BUILD|CIRCLE|JENKINS|XDG|SSH|VSCODE)_\w+)"
)
"""Variables of a terminal, a machine or a CI job, which say nothing about the agent; others are named by its files."""
READERS = frozenset(
    ("open", "read_text", "read_bytes", "load", "fromfile", "loadtxt", "read_csv", "listdir", "scandir", "iterdir",
     "glob", "rglob", "walk", "connect", "get_data", "files", "exists", "is_file", "isfile", "import_module",
     "__import__", "run_path", "subprocess", "system", "popen", "exec", "eval")
)  # fmt: skip
"""Words of what reads a file when a module is imported."""
PYTHON = (".py", ".pyi", "")
LARGEST = 1 << 20
"""Bytes up to which a file is read for what it names."""
_FILE = re.compile(r"[\w .@~+=,()/\\-]*[\w)-]\.[A-Za-z][A-Za-z0-9]{0,9}")
_NAMED = rb"\s*[\"']\w+[\"']"
_COMPUTED = re.compile(
    rb"expandvars|(?<!import )(?<!in )(?<!in os\.)\benvironb?\b(?!\s*(?:\[|\.(?:get|pop|setdefault)\()%b)"
    rb"|(?<!import )\bgetenvb?\b(?!\(%b)|\b(?:environb?|getenvb?) as\b" % (_NAMED, _NAMED)
)
"""The environment as a whole, and variables by computed names."""
_one_at_a_time = Lock()


class SourceFacts(msgspec.Struct, frozen=True):
    """One file. `modules` are (level, module, name) of its imports, `words` its identifiers and texts.

    `files` are texts that look like file names. With `by_any_name` it may read variables that it does not name.
    `reads_files` says that it may read a file, and is so for one that is not Python.
    """

    modules: tuple[tuple[int, str, str], ...] = ()
    files: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    by_any_name: bool = False
    reads_files: bool = True


def syntax_tree(source: bytes) -> ast.Module:
    """Raises `SyntaxError`, `ValueError`, `RecursionError` or `MemoryError` for what is not Python.

    Python 3.11 may raise `SystemError` while two threads parse (github.com/python/cpython/issues/106905).
    """
    with _one_at_a_time:
        return ast.parse(source)


def source_facts(path: Path) -> SourceFacts:
    """The facts of a file."""
    try:
        stat = path.stat()
    except OSError:
        return SourceFacts()
    return _facts(str(path), stat.st_size, stat.st_mtime_ns)


def source_closure(
    entries: Iterable[Path], project: ProjectFiles, search: Sequence[Path] = ()
) -> dict[str, Path]:
    """The Python files of the project that the entries import, directly or not, with the entries, by name.

    Modules are looked for in the `search` folders and next to the file that imports them.
    """
    sources: dict[str, Path] = {}
    waiting = deque(entries)
    looked = set[tuple[Path, str]]()
    while waiting:
        path = waiting.popleft()
        name = project.name(path)
        if name is None or name in sources or not path.is_file():
            continue
        sources[name] = path
        if path.suffix in PYTHON:
            waiting.extend(_imports_of(path, project, search, looked))
    return sources


def variables_named_by(files: Iterable[Path], environment: Mapping[str, str]) -> set[str]:
    """Environment variables that are set and that a file names; where it reads others too, all that its words fit."""
    names = set[str]()
    for path in files:
        facts = source_facts(path)
        names |= environment.keys() & facts.words
        if facts.by_any_name:
            words = {word.strip("_").upper() for word in facts.words if len(word.strip("_")) > 2}
            names |= {name for name in environment if _fits(name.upper(), words)}
    return {name for name in names if not OF_THE_MACHINE.fullmatch(name)}


def files_named_by_sources(
    sources: Iterable[Path], project: ProjectFiles, folders: Sequence[Path] = ()
) -> set[str]:
    """Files that sources name: those that exist, and for the others where they would be looked for first."""
    names: set[str] = set()
    for path in sources:
        places = [*folders, *(place for place in path.parents if project.name(place) is not None)]
        for text in source_facts(path).files:
            there = [place / text for place in places if (place / text).is_file()]
            names |= {name for path in there or [place / text for place in places[:2]]
                      if (name := project.name(path)) is not None}  # fmt: skip
    return names


def program_files(command: Sequence[str], folder: Path) -> list[Path]:
    """Files that the words of a command name, and those of `python -m module`."""
    named = dict.fromkeys(chain.from_iterable((word, word.rpartition("=")[2]) for word in command))
    files = [folder / part for part in named if 0 < len(part) < 4096 and "\0" not in part]
    modules = [after for word, after in pairwise(command) if word == "-m"]
    found = chain.from_iterable(_module_files(folder, f"{name}.__main__") for name in modules)
    return [*filter(_is_file, files), *found]


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # too long for a name
        return False


def _fits(name: str, words: set[str]) -> bool:
    parts = name.split("_")
    ends = range(1, len(parts) + 1)
    return any("_".join(parts[:end]) in words or "_".join(parts[-end:]) in words for end in ends)


def _imports_of(
    path: Path, project: ProjectFiles, search: Sequence[Path], looked: set[tuple[Path, str]]
) -> Iterator[Path]:
    """The files that a file imports, but for modules that were `looked` for in the same folder before."""
    above = [place for place in path.parents if project.name(place) is not None]
    for level, module, name in source_facts(path).modules:
        base = path.parents[min(level, len(path.parents)) - 1] if level else path.parent
        dotted = ".".join(part for part in (module, name) if part)
        for place in (base,) if level else (*search, *above):
            if (place, dotted) not in looked:
                looked.add((place, dotted))
                yield from _module_files(place, dotted)


def _module_files(folder: Path, dotted: str) -> Iterator[Path]:
    """The files that importing a module runs: its packages' and its own."""
    place = folder
    for part in filter(None, dotted.split(".")):
        place /= part
        if (place / "__init__.py").is_file():
            yield place / "__init__.py"
        elif place.with_suffix(".py").is_file():
            yield place.with_suffix(".py")
        elif not place.is_dir():
            return
    if not dotted and (folder / "__init__.py").is_file():
        yield folder / "__init__.py"


@lru_cache(2048)
def _facts(path: str, size: int, _time: int) -> SourceFacts:
    try:
        source = Path(path).read_bytes() if size <= LARGEST else b""
    except OSError:
        return SourceFacts()
    try:
        tree = syntax_tree(source) if Path(path).suffix in PYTHON else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        tree = None
    if tree is None:
        return SourceFacts(words=frozenset(re.findall(r"\w+", source.decode("utf-8", "replace"))))
    modules = dict[tuple[int, str, str], None]()
    texts = set[str]()
    words = set[str]()
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                modules |= dict.fromkeys((0, alias.name, "") for alias in names)
                words |= {alias.name for alias in names}
            case ast.ImportFrom(module=module, names=names, level=level):
                modules |= {(level, module or "", "" if a.name == "*" else a.name): None for a in names}
                words |= {alias.name for alias in names}
            case ast.Constant(value=str() | bytes()) | ast.BinOp(op=ast.Div()) | ast.Call():
                texts.add(_path_text(node))
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                words.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                words.add(name)
    texts = {text for text in texts if len(text) < 200}
    words.update(*(re.findall(r"\w+", text) for text in texts))
    packages = {module.partition(".")[0] for level, module, _ in modules if not level}
    return SourceFacts(
        tuple(modules),
        frozenset(text.replace("\\", "/").lstrip("/") for text in texts if _FILE.fullmatch(text)),
        frozenset(words),
        bool(SETTINGS_PACKAGES & packages) or _COMPUTED.search(source) is not None,
        bool(READERS & words),
    )


def _path_text(node: ast.AST) -> str:
    """A text, or those of `folder / "prompts" / "system.md"` and `join(folder, "prompts", "system.md")` as a path."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.Constant(value=bytes(content)):
            return content.decode("utf-8", "replace")
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            parts = [left, right]
        case ast.Call(args=arguments):
            parts = arguments
        case _:
            return ""
    return "/".join(filter(None, map(_path_text, parts)))
