"""Names of the standard library that Windows lacks, read from the stubs that mypy ships."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path


def posix_names(*modules: str) -> dict[str, frozenset[str]]:
    """For each module, the names that exist on Linux and not on Windows."""
    return {
        module: frozenset(_defined(module, "linux")) - frozenset(_defined(module, "win32"))
        for module in modules
    }


def posix_modules() -> frozenset[str]:
    """Modules of which nothing is left on Windows."""
    stubs = {path.stem for path in _stubs().glob("*.pyi") if not path.stem.startswith("_")}
    return frozenset(
        name
        for name in stubs & sys.stdlib_module_names
        if any(_defined(name, "linux")) and not any(_defined(name, "win32"))
    )


def _stubs() -> Path:
    spec = find_spec("mypy")
    assert spec is not None and spec.origin
    return Path(spec.origin).parent / "typeshed" / "stdlib"


def _defined(module: str, platform: str) -> Iterator[str]:
    file = _stubs() / f"{module}.pyi"
    package = _stubs() / module / "__init__.pyi"
    tree = ast.parse((file if file.is_file() else package).read_text("utf-8"))
    yield from _names_of(tree.body, platform)


def _names_of(body: Iterable[ast.stmt], platform: str) -> Iterator[str]:
    """Names that statements define on a platform; a module's imports for its stub are not among them."""
    for node in body:
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
                if isinstance(node, ast.ClassDef) and any(
                    _name(base).endswith("Enum") for base in node.bases
                ):
                    yield from _names_of(node.body, platform)
            case ast.AnnAssign(target=ast.Name(id=name)) if not name.startswith("_"):
                yield name
            case ast.Assign(targets=[ast.Name(id=name)]) if not name.startswith("_"):
                yield name
            case ast.ImportFrom(names=names) if any(alias.asname == alias.name for alias in names):
                yield from (alias.name for alias in names)
            case ast.If(test=test, body=then, orelse=other):
                chosen = _holds(test, platform)
                yield from _names_of(then, platform) if chosen else ()
                yield from _names_of(other, platform) if not chosen else ()


def _name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _holds(test: ast.expr, platform: str) -> bool:
    """Whether a condition of a stub holds on a platform, for this Python."""
    names = {
        "sys": type("sys", (), {"platform": platform, "version_info": sys.version_info}),
        "TYPE_CHECKING": False,
    }
    return bool(eval(compile(ast.Expression(test), "stub", "eval"), names))
