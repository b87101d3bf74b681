"""A digest of what a file means: equal for edits that cannot change what a program does.

Python is compared by its syntax tree, without comments, layout, the names of local variables, and those docstrings and
annotations that nothing reads; JSON, YAML and TOML by their values, in order, where the program parses that format.
Every other file has no such digest and is compared byte by byte, as is one that does not parse.

Whether something reads a docstring, an annotation or a name is asked of the whole program, its `SourceUse`. They count
where a function may become a tool: it has a decorator, is a method, or is named without being called.

What can still differ between equal digests: texts of errors (the name of a local variable in an `UnboundLocalError`,
numbers of lines in a traceback on the terminal), what a package outside of the project reads from the frames of its
caller without one of `FRAME_READERS`, and a data file whose text a package sends to a model.
"""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from rightcall.core.digest import hex_digest
from rightcall.files.local_names import rename_locals
from rightcall.files.project_files import ProjectFiles
from rightcall.files.python_sources import syntax_tree
from rightcall.files.source_use import QUIET_DECORATORS, QUIET_MODULES, SourceUse, program_use

DIGITS = 20
LARGEST = 4 << 20
"""Bytes up to which a file is parsed."""
SCRIPT_METADATA = re.compile(rb"(?m)\A#!.*|^# /// \w+[ \t]*\n(?:#.*\n)*?# ///[ \t]*$|^#.*coding[=:].*$")
"""Comments that are read: how a script is started, and what has to be installed for it."""
BUILTIN_TYPES = frozenset(
    ("int", "str", "float", "bool", "bytes", "complex", "list", "dict", "tuple", "set", "frozenset", "object")
)
PLAIN_WORD = re.compile(r"[A-Za-z_][\w ./-]*")
YAML_WORDS = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null"))
Function = ast.FunctionDef | ast.AsyncFunctionDef


def file_digests(
    texts: Mapping[str, str], project: ProjectFiles, code: Iterable[Path], as_text: Collection[str] = ()
) -> dict[str, str]:
    """The digest of each file, `text~meaning` or that of its text alone, as files of a program of these Python files.

    `texts` are hashes of files when they were read. One that has another text now, or is in `as_text` because the
    program read the source itself, is compared by that text.
    """
    use = program_use(code)
    digests = {}
    for name, text in texts.items():
        path = project.path(name)
        meaning_digest = "" if name.endswith("/") or name in as_text else digest_of_meaning(path, use)
        digests[name] = f"{text}~{meaning_digest}" if meaning_digest and project.hash(name) == text else text
    return digests


def same_content(first: str, second: str) -> bool:
    """Whether two digests are of files with the same text or the same meaning."""
    (text, _, own) = first.partition("~")
    (other_text, _, other) = second.partition("~")
    return text == other_text or (own != "" and own == other)


def same_text(first: str, second: str) -> bool:
    """Whether two digests are of files that are equal byte by byte."""
    return first.partition("~")[0] == second.partition("~")[0]


def canonical_digest(digest: str) -> str:
    """A digest that is equal whenever the meaning is."""
    return digest.rpartition("~")[2]


def digest_of_meaning(path: Path, use: SourceUse) -> str:
    """The digest of one file of a program; "" when its bytes are all that can be compared."""
    suffix = path.suffix.lower()
    if suffix != ".py" and (suffix not in _VALUES or use.text_of_data or suffix not in use.parsers):
        return ""
    if suffix == ".py" and use.texts:
        return ""
    try:
        stat = path.stat()
    except OSError:
        return ""
    if stat.st_size > LARGEST:
        return ""
    kept = _Kept(use.values, use.documents or path.stem in use.values, use.frames)
    return _digest(str(path), stat.st_size, stat.st_mtime_ns, kept)


class _Kept(NamedTuple):
    """Functions whose docstrings and annotations count, whether all of the module do, and whether local names do."""

    functions: frozenset[str]
    module: bool
    names: bool


@lru_cache(4096)
def _digest(path: str, _size: int, _time: int, kept: _Kept) -> str:
    try:
        data = Path(path).read_bytes()
        suffix = Path(path).suffix.lower()
        text = _python(data, kept) if suffix == ".py" else repr(_VALUES[suffix](data))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    return hex_digest(f"{suffix}\0{text}".encode("utf-8", "surrogatepass"), DIGITS)


def _python(data: bytes, kept: _Kept) -> str:
    tree = syntax_tree(data)
    tree = _Unread(tree, kept).visit(tree)
    if not kept.names:
        rename_locals(tree)
    comments = [match.group().strip() for match in SCRIPT_METADATA.finditer(data)]
    return "".join([repr(comments), *_tree_text(tree)])


def _tree_text(node: Any) -> Iterator[str]:
    """A tree as text, the same on every version of Python: fields that are empty are left out."""
    if isinstance(node, ast.AST):
        yield f"({type(node).__name__}"
        for name in node._fields:
            value = getattr(node, name, None)
            if (
                value is not None
                and value != []
                and name not in ("ctx", "kind", "type_comment", "type_ignores")
            ):
                yield f" {name}="
                yield from _tree_text(value)
        yield ")"
    elif isinstance(node, list):
        yield "["
        for value in node:
            yield from _tree_text(value)
            yield ","
        yield "]"
    else:
        yield f"{type(node).__name__}:{node!r}"


class _Unread(ast.NodeTransformer):
    """Removes from a tree what nothing reads, and statements that do nothing."""

    def __init__(self, tree: ast.Module, kept: _Kept) -> None:
        self._kept = kept
        self._scopes: list[ast.AST] = [tree]
        imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        self._quiet = {
            alias.asname or alias.name
            for node in imports
            if node.module in QUIET_MODULES
            for alias in node.names
        } | QUIET_DECORATORS
        future = {alias.name for node in imports if node.module == "__future__" for alias in node.names}
        self._lazy = "annotations" in future
        names = {getattr(node, "name", getattr(node, "arg", None)) for node in ast.walk(tree)}
        names |= {
            node.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        self._types = BUILTIN_TYPES - names

    def visit_Module(self, node: ast.Module) -> ast.Module:
        node.body = self._statements(node.body, documented=self._kept.module)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return self._definition(node, documented=True)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._definition(node, documented=self._is_read(node))

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return self._definition(node, documented=self._is_read(node))

    def visit_Pass(self, _: ast.Pass) -> None:
        return None

    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        if isinstance(node.value, ast.Constant) and not isinstance(self._scopes[-1], ast.ClassDef):
            return None
        self.generic_visit(node)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        self.generic_visit(node)
        scope = self._scopes[-1]
        in_module = (
            isinstance(scope, ast.Module) and not self._kept.module and self._is_harmless(node.annotation)
        )
        if not isinstance(scope, Function) and not in_module:
            return node  # in a class it may be a field
        if node.value is not None:
            return ast.Assign(targets=[node.target], value=node.value)
        node.annotation = ast.Constant(None)
        return node

    def _definition(self, node: Function | ast.ClassDef, *, documented: bool) -> ast.AST:
        if isinstance(node, Function) and not documented:
            arguments = node.args
            every = [
                *arguments.posonlyargs,
                *arguments.args,
                *arguments.kwonlyargs,
                arguments.vararg,
                arguments.kwarg,
            ]
            for argument in filter(None, every):
                if argument.annotation is not None and self._is_harmless(argument.annotation):
                    argument.annotation = None
            if node.returns is not None and self._is_harmless(node.returns):
                node.returns = None
        self._scopes.append(node)
        node.body = self._statements(node.body, documented=documented)
        self._scopes.pop()
        body = node.body
        node.body = []
        self.generic_visit(node)  # decorators and defaults
        node.body = body
        return node

    def _statements(self, body: list[ast.stmt], *, documented: bool) -> list[ast.stmt]:
        first = body[:1] if documented and body and _is_text(body[0]) else []
        others = (self.visit(statement) for statement in body[len(first) :])
        return [*first, *(statement for statement in others if statement is not None)]

    def _is_read(self, node: Function) -> bool:
        """Whether the docstring and the annotations of a function may be read: it may become a tool."""
        is_method = isinstance(self._scopes[-1], ast.ClassDef)
        is_value = node.name in self._kept.functions or self._kept.module
        return is_method or is_value or not all(map(self._is_quiet, node.decorator_list))

    def _is_quiet(self, decorator: ast.expr) -> bool:
        """Whether a decorator is one of the standard library that reads nothing of the function."""
        if isinstance(decorator, ast.Call):
            decorator = decorator.func
        match decorator:
            case ast.Attribute(value=ast.Name(id=module)):
                return module in QUIET_MODULES
            case ast.Name(id=name):
                return name in self._quiet
        return False

    def _is_harmless(self, annotation: ast.expr) -> bool:
        """Whether evaluating an annotation cannot raise, or it is not evaluated at all."""
        return (
            self._lazy
            or (isinstance(annotation, ast.Constant) and isinstance(annotation.value, str | None))
            or self._is_type(annotation)
        )

    def _is_type(self, annotation: ast.expr) -> bool:
        match annotation:
            case ast.Name(id=name):
                return name in self._types
            case ast.Subscript(
                value=ast.Name(id="list" | "dict" | "tuple" | "set" | "frozenset" as name), slice=inner
            ):
                inside = inner.elts if isinstance(inner, ast.Tuple) else [inner]
                return name in self._types and all(map(self._is_type, inside))
            case ast.BinOp(left=left, op=ast.BitOr(), right=ast.Constant(value=None)):
                return self._is_type(left)
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                return self._is_type(left) and self._is_type(right)
        return False


def _is_text(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def _json_value(data: bytes) -> Any:
    """Objects as pairs, because an object may have a key twice; numbers as they are written."""
    return json.loads(
        data, object_pairs_hook=lambda pairs: ("object", pairs), parse_float=_Number, parse_int=_Number
    )


class _Number(str):
    """A number as it is written, which is not the text of the same digits."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"number:{self}"


def _toml_value(data: bytes) -> Any:
    return tomllib.loads(data.decode(), parse_float=_Number)


def _yaml_value(data: bytes) -> Any:
    import yaml

    seen: dict[int, int] = {}

    def plain(node: Any) -> Any:
        if id(node) in seen:
            return "alias", seen[id(node)]
        seen[id(node)] = len(seen)
        if isinstance(node, yaml.ScalarNode):
            is_word = PLAIN_WORD.fullmatch(node.value) and node.value.lower() not in YAML_WORDS
            return node.tag, node.value, node.style is None and not is_word
        if isinstance(node, yaml.SequenceNode):
            return node.tag, [plain(item) for item in node.value]
        return node.tag, [(plain(key), plain(value)) for key, value in node.value]

    try:
        documents = [*yaml.compose_all(data, yaml.SafeLoader)]  # all at once: no `id` is used again
        return [plain(document) for document in documents]
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from None


_VALUES: dict[str, Callable[[bytes], Any]] = {
    ".json": _json_value,
    ".yaml": _yaml_value,
    ".yml": _yaml_value,
    ".toml": _toml_value,
}
