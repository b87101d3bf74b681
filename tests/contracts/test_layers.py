"""Each room knows only the rooms below it, every room is on the map, and no file grows out of hand."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

import rightcall

ROOT = Path(__file__).parents[2]
SOURCE = Path(rightcall.__file__).parent


def layers() -> list[set[str]]:
    """The lines of the contract in pyproject.toml, highest first."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    lines = settings["contracts"][0]["layers"]
    return [{name.strip().removeprefix("rightcall.") for name in line.split("|")} for line in lines]


def imports_of(path: Path) -> set[str]:
    """The rooms that a file names in any import, also in those that run later."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("rightcall."):
            found.add(node.module.split(".")[1])
        elif isinstance(node, ast.ImportFrom) and node.module == "rightcall":
            found |= {alias.name for alias in node.names}
    return found


def test_imports_go_down_only():
    level = {room: height for height, line in enumerate(layers()) for room in line}
    wrong = [
        f"{path.relative_to(SOURCE)} imports {room}"
        for path in SOURCE.rglob("*.py")
        if (home := path.relative_to(SOURCE).parts[0].removesuffix(".py")) in level
        for room in imports_of(path)
        if room != home and room in level and level[room] <= level[home]
    ]
    assert wrong == []


def test_every_room_is_on_the_map():
    rooms = {
        path.name.removesuffix(".py") for path in SOURCE.iterdir() if path.suffix == ".py" or path.is_dir()
    }
    data_only = {"demo", "__init__", "__main__", "__pycache__", "py.typed"}
    assert rooms - data_only == set().union(*layers())


def test_every_room_says_what_lives_there():
    for init in SOURCE.rglob("__init__.py"):
        assert ast.get_docstring(ast.parse(init.read_text("utf-8"))), f"{init} has no docstring"


def test_every_file_begins_with_what_it_is_for():
    for path in SOURCE.rglob("*.py"):
        assert ast.get_docstring(ast.parse(path.read_text("utf-8"))), f"{path} has no docstring"
