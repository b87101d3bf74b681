"""What a program may read of its source, which decides what an edit means: docstrings, annotations, local names.

Asked of all Python files of a program together, because one file may read what another one states.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from rightcall.files.python_sources import syntax_tree

TEXT_READERS = frozenset(
    ("getsource", "getsourcelines", "findsource", "getcomments", "getblock", "linecache", "tokenize", "get_source",
     "co_firstlineno", "f_lineno", "tb_lineno", "format_exc", "format_exception", "format_tb", "format_stack",
     "format_list", "extract_tb", "extract_stack", "cloudpickle", "dill", "streamlit")
)  # fmt: skip
"""Names of what reads the text of Python files, or the numbers of lines."""
FRAME_READERS = frozenset(
    ("locals", "vars", "dir", "exec", "eval", "_getframe", "currentframe", "f_locals", "f_back", "inspect",
     "gi_frame", "cr_frame", "tb_frame", "co_varnames", "__code__", "settrace", "setprofile", "capture_locals",
     "show_locals", "varname", "executing", "icecream", "numexpr", "duckdb", "pandasql", "breakpoint", "pdb",
     "__closure__", "_current_frames", "cgitb", "stackprinter", "polars", "pandas")
)  # fmt: skip
"""Names of what reads local variables by their names: `DataFrame.query("a > @limit")` does."""
DOCUMENT_READERS = frozenset(
    ("__doc__", "getdoc", "getmembers", "pydoc", "doctest", "globals", "signature", "getfullargspec",
     "getargspec", "get_type_hints", "get_annotations", "__annotations__", "__signature__", "import_module",
     "__import__", "run_path", "run_module", "exec", "eval", "fire", "beartype", "typeguard", "jaxtyping", "modules",
     "__dict__", "walk_packages", "iter_modules", "entry_points", "__wrapped__", "__func__")
)  # fmt: skip
"""Names of what reads docstrings and annotations, or reaches functions without naming them."""
PARSERS = {
    ".json": frozenset(("json", "orjson", "ujson", "simplejson", "rapidjson", "msgspec")),
    ".yaml": frozenset(("yaml", "ruamel", "omegaconf", "hydra")),
    ".toml": frozenset(("tomllib", "tomli", "toml", "tomlkit")),
}
PARSE = frozenset(("load", "loads", "load_all", "safe_load", "safe_load_all", "full_load", "decode"))
"""Functions of parsers that are given the text of a data file and return its value."""
READ = frozenset(("read", "read_text", "read_bytes", "readline", "readlines"))
QUIET_MODULES = frozenset(("functools", "contextlib", "abc", "typing"))
QUIET_DECORATORS = frozenset(("property", "staticmethod", "classmethod", "setter"))


class SourceUse(NamedTuple):
    """What a program reads. `values` are names that are used otherwise than by calling them; `parsers` the suffixes of
    data files for which it has a parser, `text_of_data` says that it may use the text of such a file as it is.
    """

    texts: bool = False
    frames: bool = False
    documents: bool = False
    values: frozenset[str] = frozenset()
    parsers: frozenset[str] = frozenset()
    text_of_data: bool = False
    aliases: frozenset[tuple[str, str]] = frozenset()

    def with_other(self, other: SourceUse) -> SourceUse:
        """The use of two files together."""
        both = zip(self, other, strict=True)
        return SourceUse(*(first | second for first, second in both))  # type: ignore[operator]


EVERYTHING = SourceUse(texts=True, frames=True, documents=True, text_of_data=True)


def program_use(code: Iterable[Path]) -> SourceUse:
    """What a program reads whose Python files these are."""
    use = SourceUse()
    for path in code:
        try:
            stat = path.stat()
        except OSError:
            continue
        use = use.with_other(_file_use(str(path), stat.st_size, stat.st_mtime_ns))
    values = use.values
    for _ in range(3):  # a function that is imported under other names several times
        values |= {name for other, name in use.aliases if other in values}
    return use._replace(values=values)


@lru_cache(2048)
def _file_use(path: str, _size: int, _time: int) -> SourceUse:
    try:
        tree = syntax_tree(Path(path).read_bytes())
        reading = _Reading()
        for node in ast.walk(tree):
            reading.note(node)
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return EVERYTHING
    words = reading.words
    suffixes = {suffix for suffix, names in PARSERS.items() if names & words}
    return SourceUse(
        texts=bool(TEXT_READERS & words) or reading.reads_itself,
        frames=bool(FRAME_READERS & words),
        documents=bool(DOCUMENT_READERS & words),
        values=frozenset(reading.values - reading.unused),
        parsers=frozenset(suffixes | ({".yml"} if ".yaml" in suffixes else set())),
        text_of_data=reading.text_of_data(),
        aliases=frozenset(reading.aliases),
    )


@dataclass
class _Reading:
    """One walk over the nodes of a file, outer ones first."""

    words: set[str] = field(default_factory=set)
    values: set[str] = field(default_factory=set)
    unused: set[str] = field(default_factory=set)
    aliases: set[tuple[str, str]] = field(default_factory=set)
    reads_itself: bool = False
    _harmless: set[int] = field(default_factory=set)
    _read: list[ast.expr] = field(default_factory=list)
    _assigned: dict[str, list[ast.expr]] = field(default_factory=dict)

    def note(self, node: ast.AST) -> None:
        match node:
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                module = getattr(node, "module", None) or ""
                for alias in aliases:
                    self.words |= {*module.split("."), *alias.name.split(".")}
                    if alias.asname:
                        self.aliases.add((alias.asname, alias.name.rpartition(".")[2]))
            case ast.Assign(targets=[ast.Name(id="__all__")], value=value):
                self._harmless |= {id(inner) for inner in ast.walk(value)}
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self._assigned.setdefault(name, []).append(value)
            case ast.withitem(context_expr=value, optional_vars=ast.Name(id=name)):
                self._assigned.setdefault(name, []).append(value)
            case ast.Call():
                self._note_call(node)
            case ast.Name(id=name) | ast.Attribute(attr=name):
                self.words.add(name)
                if isinstance(node, ast.Attribute):
                    self._harmless.add(id(node.value))
                if isinstance(node.ctx, ast.Load) and id(node) not in self._harmless:
                    self.values.add(name)
            case ast.Constant(value=str(text)) if text.isidentifier() and id(node) not in self._harmless:
                self.values.add(text)
                self.words |= {text} if text.startswith("_") else set()
            case ast.keyword(arg=str(name)):
                self.words.add(name)

    def _note_call(self, node: ast.Call) -> None:
        function = node.func
        self._harmless.add(id(function))
        name = getattr(function, "id", getattr(function, "attr", ""))
        about = [function.value] if isinstance(function, ast.Attribute) else []
        owner = getattr(about[0], "id", getattr(about[0], "attr", "")) if about else ""
        if name in PARSE and any(owner in names for names in PARSERS.values()):
            self._harmless |= {id(argument) for argument in node.args}
        if name in READ and about and owner != "stdin" and id(node) not in self._harmless:
            self._read += about
        paths = [*node.args[:1], *about]
        if name in READ | {"open"} and any(_is_own_file(inner) for inner in paths):
            self.reads_itself = True

    def text_of_data(self) -> bool:
        """Whether the text of a data file may be used: read, not parsed, and not that of another kind of file."""
        return not all(self._is_other_text(expression, 4) for expression in self._read)

    def _is_other_text(self, expression: ast.expr, deep: int) -> bool:
        """Whether an expression names a file that is not of data: `open("prompt.md")`."""
        nodes = [*ast.walk(expression)]
        texts = [
            node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)
        ]
        suffixes = {Path(text).suffix.lower() for text in texts} - {""}
        if suffixes:
            return not suffixes & {".json", ".yaml", ".yml", ".toml"}
        values = [self._assigned.get(node.id, []) for node in nodes if isinstance(node, ast.Name)]
        return deep > 0 and any(len(own) == 1 and self._is_other_text(own[0], deep - 1) for own in values)


def _is_own_file(expression: ast.expr) -> bool:
    """`__file__` and `Path(__file__)`; not a path that is only relative to it."""
    if isinstance(expression, ast.Call) and len(expression.args) == 1:
        expression = expression.args[0]
    return isinstance(expression, ast.Name) and expression.id == "__file__"
