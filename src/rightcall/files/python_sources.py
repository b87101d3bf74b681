"""What Python files say about their inputs, read without running them: imports, environment variables, file names."""

from __future__ import annotations

import ast
import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, pairwise
from pathlib import Path

import msgspec

from rightcall.files.project_files import ProjectFiles
from rightcall.files.syntax_trees import syntax_tree

SETTINGS_PACKAGES = frozenset(
    ("pydantic_settings", "environs", "decouple", "dynaconf", "dotenv", "starlette")
)
"""Packages that read environment variables by names made from those of fields."""
OF_THE_MACHINE = frozenset(
    ("PATH", "HOME", "USER", "PWD", "OLDPWD", "SHELL", "LANG", "TERM", "TMPDIR", "HOSTNAME", "LOGNAME", "SHLVL")
)  # fmt: skip
READERS = frozenset(
    ("open", "read_text", "read_bytes", "load", "fromfile", "loadtxt", "read_csv", "listdir", "scandir", "iterdir",
     "glob", "rglob", "walk", "connect", "get_data", "files", "exists", "is_file", "isfile", "import_module",
     "__import__", "run_path", "subprocess", "system", "popen", "exec", "eval")
)  # fmt: skip
"""Words of what reads a file when a module is imported."""
_FILE = re.compile(r"[\w .@~+=,()/\\-]*[\w)-]\.[A-Za-z][A-Za-z0-9]{0,9}")


class SourceFacts(msgspec.Struct, frozen=True):
    """One source. `modules` are (level, module, name) of its imports, `words` its identifiers and texts.

    `files` are texts that look like file names, `variables` the environment variables it names; with `by_any_name` it
    also reads others. `reads_files` says that it may read a file, and is so for one that is not Python.
    """

    modules: tuple[tuple[int, str, str], ...] = ()
    files: frozenset[str] = frozenset()
    variables: frozenset[str] = frozenset()
    by_any_name: bool = False
    words: frozenset[str] = frozenset()
    reads_files: bool = False


def source_facts(path: Path) -> SourceFacts:
    """The facts of a file."""
    try:
        stat = path.stat()
    except OSError:
        return SourceFacts(reads_files=True)
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
        if path.suffix in (".py", ".pyi", ""):
            waiting.extend(_imports_of(path, project, search, looked))
    return sources


def variables_read_by_sources(sources: Iterable[Path], environment: Mapping[str, str]) -> set[str]:
    """Environment variables that sources read. Where one reads them by computed names, all that its words fit."""
    names: set[str] = set()
    for path in sources:
        facts = source_facts(path)
        names |= facts.variables
        if facts.by_any_name:
            words = {word.strip("_").upper() for word in facts.words if len(word.strip("_")) > 2}
            names |= {
                name for name in environment if name not in OF_THE_MACHINE and _fits(name.upper(), words)
            }
    return names


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


def _fits(name: str, words: set[str]) -> bool:
    parts = name.split("_")
    return any(
        "_".join(parts[:end]) in words or "_".join(parts[-end:]) in words for end in range(1, len(parts) + 1)
    )


def _imports_of(
    path: Path, project: ProjectFiles, search: Sequence[Path], looked: set[tuple[Path, str]]
) -> Iterator[Path]:
    """The files that a file imports, but for modules that were `looked` for in the same folder before."""
    above = [place for place in path.parents if project.name(place) is not None]
    for level, module, name in source_facts(path).modules:
        if level:
            base = path.parents[level - 1] if level <= len(path.parents) else path.parent
            places: Sequence[Path] = (base,)
        else:
            places = (*search, *above)
        dotted = ".".join(part for part in (module, name) if part)
        for place in places:
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
def _facts(path: str, _size: int, _time: int) -> SourceFacts:
    try:
        tree = syntax_tree(Path(path).read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return SourceFacts(reads_files=True)
    reading = _Reading()
    for node in ast.walk(tree):
        reading.note_constant(node)
    reading.forget_ambiguous()
    for node in ast.walk(tree):
        reading.note(node)
    return SourceFacts(
        tuple(dict.fromkeys(reading.modules)),
        frozenset(reading.files),
        frozenset(reading.variables),
        reading.by_any_name,
        words=frozenset(reading.words),
        reads_files=bool(READERS & reading.words),
    )


@dataclass
class _Reading:
    """One walk over the nodes of a source, outer ones first."""

    modules: list[tuple[int, str, str]] = field(default_factory=list)
    files: set[str] = field(default_factory=set)
    variables: set[str] = field(default_factory=set)
    words: set[str] = field(default_factory=set)
    by_any_name: bool = False
    _values: dict[str, ast.expr] = field(default_factory=dict)
    _bound: Counter[str] = field(default_factory=Counter)
    _explained: set[int] = field(default_factory=set)

    def note_constant(self, node: ast.AST) -> None:
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                self._bound[name] += 1
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Name):
                    self._values[target.id] = node.value

    def forget_ambiguous(self) -> None:
        """A name that is bound twice, or also a parameter, does not stand for one value."""
        self._values = {name: value for name, value in self._values.items() if self._bound[name] == 1}

    def note(self, node: ast.AST) -> None:
        match node:
            case ast.Import(names=names):
                self.modules += [(0, alias.name, "") for alias in names]
            case ast.ImportFrom(module=module, names=names, level=level):
                self.modules += [
                    (level, module or "", "" if alias.name == "*" else alias.name) for alias in names
                ]
            case ast.Constant(value=str(text)):
                self._note_text(text)
            case ast.Constant(value=bytes(content)):
                self._note_text(content.decode("utf-8", "replace"))
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                self.words.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                self.words.add(name)
        if isinstance(node, ast.Import | ast.ImportFrom):
            tops = [
                module.partition(".")[0] for level, module, _ in self.modules[-len(node.names) :] if not level
            ]
            self.words |= {alias.name for alias in node.names}
            aliased = "os" in tops and any(alias.asname and "env" in alias.name for alias in node.names)
            self.by_any_name |= aliased or bool(SETTINGS_PACKAGES & {*tops})
        self._note_environment(node)
        if isinstance(node, ast.BinOp | ast.Call):
            self._note_joined(node)

    def _note_text(self, text: str) -> None:
        if len(text) < 200:
            self.words |= {*re.findall(r"\w{3,}", text)}
            if _FILE.fullmatch(text):
                self.files.add(text.replace("\\", "/").lstrip("/"))

    def _note_joined(self, node: ast.BinOp | ast.Call) -> None:
        """`folder / "prompts" / "system.md"` and `join(folder, "prompts", "system.md")` name one file."""
        parts: list[str] = []
        if isinstance(node, ast.BinOp):
            if not isinstance(node.op, ast.Div):
                return
            at: ast.expr = node
            while isinstance(at, ast.BinOp) and isinstance(at.op, ast.Div):
                parts.insert(0, self._text(at.right) or "")
                at = at.left
        else:
            parts = [self._text(argument) or "" for argument in node.args]
        whole = "/".join(part for part in parts if part)
        if len(parts) > 1 and _FILE.fullmatch(whole):
            self.files.add(whole.lstrip("/"))

    def _note_environment(self, node: ast.AST) -> None:
        environment, key = _variable_access(node)
        if environment is not None:
            self._explained.add(id(environment))
        if key is not None:
            if name := self._text(key):
                self.variables.add(name)
            else:
                self.by_any_name = True
        elif getattr(node, "attr", getattr(node, "id", "")) == "expandvars" or (
            _is_environ(node) and id(node) not in self._explained
        ):
            self.by_any_name = True

    def _text(self, node: ast.expr) -> str | None:
        value = self._values.get(node.id) if isinstance(node, ast.Name) else node
        return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else None


def _variable_access(node: ast.AST) -> tuple[ast.AST | None, ast.expr | None]:
    """The mapping and the key of an expression that reads an environment variable; None where there is none."""
    match node:
        case ast.Subscript(value=mapping, slice=key) | ast.Compare(left=key, comparators=[mapping]):
            return (mapping, key) if _is_environ(mapping) else (None, None)
        case ast.Call(func=ast.Name(id="getenv") | ast.Attribute(attr="getenv"), args=[key, *_]):
            return None, key
        case ast.Call(func=ast.Attribute(value=mapping, attr="get" | "pop" | "setdefault"), args=[key, *_]):
            return (mapping, key) if _is_environ(mapping) else (None, None)
        case ast.keyword(arg="envvar", value=key):
            return None, key
    return None, None


def _is_environ(node: ast.AST) -> bool:
    return (isinstance(node, ast.Attribute) and node.attr in ("environ", "environb")) or (
        isinstance(node, ast.Name) and node.id == "environ"
    )


def program_files(command: Sequence[str], folder: Path) -> list[Path]:
    """Files that the words of a command name, and those of `python -m module`."""
    files = list(chain.from_iterable(_word_files(word, folder) for word in command))
    modules = [after for word, after in pairwise(command) if word == "-m"]
    return files + list(chain.from_iterable(_module_files(folder, f"{name}.__main__") for name in modules))


def _word_files(word: str, folder: Path) -> Iterator[Path]:
    for part in dict.fromkeys((word, word.rpartition("=")[2])):
        try:
            if part and (folder / part).is_file():
                yield folder / part
        except (OSError, ValueError):
            continue
