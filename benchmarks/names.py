"""Vague and participle names in RightCall, httpx, Inspect and pydantic_evals.

    python -m benchmarks names [--json] [--list ROOM] [--download] [--folder FOLDER]

A variable is one place where code binds a name: the target of an assignment, `for`, `with … as`, `except … as`, `:=` or
a comprehension, or a capture of `match`. Fields in a class body, attributes, subscripts, imports, functions and classes
are not counted, nor is `_`. Parameters, without `self` and `cls`, are a separate share, since they dilute the other. A
name is vague when it is exactly a word of `VAGUE`; `COUSINS`, which say as little, are a separate figure.

A function counts whether it is a method, nested or at the top of a file; dunder methods do not. It begins with a
participle when its first word, without leading underscores, ends in -ed or -ing or is an irregular participle, and is
not one of `NOT_PARTICIPLES`. A lint rule is not counted: it is named for the fault that it finds (`untyped-parameter`).

A repeated function is defined at the top of several modules with different bodies (docstrings and leading underscores
ignored).

A package that is not installed is looked for in FOLDER, where `--download` puts the source of its newest release.
`--list ROOM` prints every such name under `src/rightcall/ROOM` (`.` for all) with its place.
`python -m benchmarks.names --json` prints nothing but JSON.
"""

from __future__ import annotations

import argparse
import ast
import json
import subprocess
import sys
import tempfile
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

ANCHORS = {"httpx": "httpx", "inspect_ai": "inspect-ai", "pydantic_evals": "pydantic-evals"}
"""Modules to compare with, and what pip calls them."""
VAGUE = frozenset({"found", "one", "made", "said", "known", "wanted", "given", "each"})
COUSINS = frozenset({"told", "taken", "left", "kept", "named", "shown", "seen", "asked", "held", "done"})
IRREGULAR = """
begun bought broken brought built caught chosen dealt done drawn driven fallen felt forgotten found frozen given gone
grown heard held hidden kept known laid led left lost made meant met overridden paid rebuilt rewritten risen said seen
sent shown sold sought spent spoken spun stolen struck swept taken taught thought told thrown understood withheld woken
won worn written
"""
NOT_PARTICIPLES = """
embed exceed feed need proceed seed speed succeed bring ping ring spring string thing nothing something everything
anything binding encoding embedding finding heading listing logging mapping pricing rating setting spelling timing
warning embedded missing nested
"""
"""Words in -ed and -ing that are verbs, nouns or adjectives in technical English."""
TOP = 20

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass
class PackageNames:
    """What one package names its variables and functions. The lists hold (place, name)."""

    variables: int = 0
    parameters: int = 0
    functions: int = 0
    vague: list[tuple[str, str]] = field(default_factory=list)
    vague_parameters: list[tuple[str, str]] = field(default_factory=list)
    cousins: list[tuple[str, str]] = field(default_factory=list)
    participles: list[tuple[str, str]] = field(default_factory=list)
    bodies: dict[str, dict[str, list[str]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(list))
    )
    """From the name of a module-level function to each of its bodies and where that is."""

    @property
    def vague_share(self) -> float:
        return len(self.vague) / max(self.variables, 1)

    @property
    def vague_parameter_share(self) -> float:
        return len(self.vague_parameters) / max(self.parameters, 1)

    @property
    def cousin_share(self) -> float:
        return len(self.cousins) / max(self.variables, 1)

    @property
    def participle_share(self) -> float:
        return len(self.participles) / max(self.functions, 1)

    @property
    def repeated(self) -> dict[str, int]:
        """Functions with several bodies, most first."""
        counts = {name: len(bodies) for name, bodies in self.bodies.items() if len(bodies) > 1}
        return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def syntax_tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def measure(package: Path, parse: Callable[[Path], ast.Module] = syntax_tree) -> PackageNames:
    """The names in every Python file below a folder."""
    names = PackageNames()
    for path in sorted(package.rglob("*.py")):
        tree = parse(path)
        file = path.relative_to(package).as_posix()
        for line, name in variables(tree):
            names.variables += 1
            if name in VAGUE:
                names.vague.append((f"{file}:{line}", name))
            elif name in COUSINS:
                names.cousins.append((f"{file}:{line}", name))
        for line, name in parameters(tree):
            names.parameters += 1
            if name in VAGUE:
                names.vague_parameters.append((f"{file}:{line}", name))
        for node in ast.walk(tree):
            if isinstance(node, Function) and not node.name.startswith("__") and not is_lint_rule(node):
                names.functions += 1
                if begins_with_participle(node.name):
                    names.participles.append((f"{file}:{node.lineno}", node.name))
        for node in tree.body:
            if isinstance(node, Function):
                names.bodies[node.name.lstrip("_")][body_text(node)].append(f"{file}:{node.lineno}")
    return names


def is_lint_rule(function: Function) -> bool:
    """Whether the name is the one that users type for a rule."""
    decorators = [getattr(decorator, "func", decorator) for decorator in function.decorator_list]
    return any(getattr(decorator, "id", "") in ("tool_rule", "set_rule") for decorator in decorators)


def variables(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Each place that binds a variable, as line and name."""
    fields = {
        id(target)
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        for statement in node.body
        if isinstance(statement, ast.Assign | ast.AnnAssign)
        for target in (statement.targets if isinstance(statement, ast.Assign) else [statement.target])
    }
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) if id(node) not in fields and name != "_":
                yield node.lineno, name
            case (
                ast.ExceptHandler(name=str(name))
                | ast.MatchAs(name=str(name))
                | ast.MatchStar(name=str(name))
            ):
                yield node.lineno, name


def parameters(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.arg) and node.arg not in ("self", "cls", "_"):
            yield node.lineno, node.arg


def begins_with_participle(function: str) -> bool:
    word = function.lstrip("_").partition("_")[0]
    return word in IRREGULAR.split() or (word.endswith(("ed", "ing")) and word not in NOT_PARTICIPLES.split())


def body_text(function: Function) -> str:
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return "\n".join(ast.dump(statement) for statement in body)


def source_folder(module: str, folder: Path) -> Path | None:
    """Where the source of a package is: installed here, or downloaded to a folder."""
    spec = find_spec(module)
    if spec is not None and spec.origin is not None:
        return Path(spec.origin).parent
    return folder / module if (folder / module).is_dir() else None


def download(folder: Path) -> None:
    """Put the source of each anchor that is not installed into a folder."""
    for module, project in ANCHORS.items():
        if source_folder(module, folder) is None:
            with tempfile.TemporaryDirectory() as wheels:
                command = [
                    sys.executable,
                    "-m",
                    "pip",
                    "download",
                    "--quiet",
                    "--no-deps",
                    "--only-binary=:all:",
                ]
                subprocess.run([*command, "--dest", wheels, project], check=True)
                for wheel in Path(wheels).glob("*.whl"):
                    zipfile.ZipFile(wheel).extractall(folder)


def report(packages: dict[str, PackageNames | None]) -> None:
    print(
        f"{'':<16}{'variables':>10}{'vague':>8}{'cousins':>9}{'parameters':>12}{'vague':>8}{'functions':>11}{'participle':>12}{'repeated':>10}"
    )
    for module, names in packages.items():
        if names is None:
            print(f"{module:<16}not installed; --download fetches its source")
            continue
        print(
            f"{module:<16}{names.variables:>10,}{names.vague_share:>8.1%}{names.cousin_share:>9.1%}"
            f"{names.parameters:>12,}{names.vague_parameter_share:>8.1%}"
            f"{names.functions:>11,}{names.participle_share:>12.1%}{len(names.repeated):>10}"
        )
    names = packages["rightcall"]
    if names is not None:
        repeated = [f"{name} {count}" for name, count in names.repeated.items()]
        print(f"\nfunctions with most different bodies: {', '.join(repeated[:TOP])}")


def as_json(names: PackageNames | None) -> dict[str, object] | None:
    if names is None:
        return None
    return {
        "variables": names.variables,
        "vague": len(names.vague),
        "vague_share": round(names.vague_share, 4),
        "cousins": len(names.cousins),
        "cousin_share": round(names.cousin_share, 4),
        "parameters": names.parameters,
        "vague_parameters": len(names.vague_parameters),
        "vague_parameter_share": round(names.vague_parameter_share, 4),
        "functions": names.functions,
        "participles": len(names.participles),
        "participle_share": round(names.participle_share, 4),
        "repeated": names.repeated,
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--list", metavar="ROOM")
    parser.add_argument("--download", action="store_true")
    parser.add_argument(
        "--folder", type=Path, default=Path(tempfile.gettempdir()) / "rightcall-peers" / "sources"
    )
    options = parser.parse_args()
    if options.download:
        download(options.folder)
    folders = {module: source_folder(module, options.folder) for module in ("rightcall", *ANCHORS)}
    if options.list is not None:
        room = (folders["rightcall"] or Path()) / options.list
        if not room.is_dir():
            sys.exit(f"there is no folder {room}")
        names = measure(room)
        for kind in ("vague", "vague_parameters", "cousins", "participles"):
            for place, name in getattr(names, kind):
                print(f"{kind:<17} {name:<28} {(Path(options.list) / place).as_posix()}")
        return
    packages = {module: measure(folder) if folder else None for module, folder in folders.items()}
    if options.json:
        print(json.dumps({module: as_json(names) for module, names in packages.items()}, indent=2))
    else:
        report(packages)


if __name__ == "__main__":
    main()
