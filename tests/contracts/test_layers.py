"""Each room knows only the rooms below it, every room is on the map, and no file grows out of hand."""

from __future__ import annotations

import ast
import tomllib
from collections import Counter
from pathlib import Path

import rightcall
from tests.support.source_tree import source_files, syntax_tree

ROOT = Path(__file__).parents[2]
SOURCE = Path(rightcall.__file__).parent


def layers() -> list[set[str]]:
    """The lines of the contract in pyproject.toml, highest first."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    lines = settings["contracts"][0]["layers"]
    return [{name.strip().removeprefix("rightcall.") for name in line.split("|")} for line in lines]


def test_every_room_is_on_the_map():
    rooms = {
        path.name.removesuffix(".py") for path in SOURCE.iterdir() if path.suffix == ".py" or path.is_dir()
    }
    others = {
        "__init__",
        "__init__.pyi",
        "__main__",
        "__pycache__",
        "py.typed",
        "limbs",
        "deepeval",
        "laminar",
    }
    assert rooms - others == set().union(*layers())
    assert len(layers()) <= 10 and len(rooms - others) <= 20


def test_no_room_holds_more_than_sixty_files_and_no_file_four_hundred_lines():
    counts: Counter[str] = Counter()
    for path in source_files():
        parts = path.relative_to(SOURCE).parts
        counts["/".join(parts[: 2 if parts[0] == "limbs" else 1])] += 1
        assert len(path.read_text("utf-8").splitlines()) <= 400, f"{path} is too long for one subject"
    assert {room: count for room, count in counts.items() if count > 60} == {}


def test_every_room_says_what_lives_there():
    for init in SOURCE.rglob("__init__.py"):
        assert ast.get_docstring(syntax_tree(init)), f"{init} has no docstring"


def test_every_file_begins_with_what_it_is_for():
    for path in source_files():
        assert ast.get_docstring(syntax_tree(path)), f"{path} has no docstring"
