"""Names of files and classes, and what rooms say about themselves."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import rightcall
from tests.support.source_tree import source_files, syntax_tree

SOURCE = Path(rightcall.__file__).parent
FILES = source_files()


def module_of(path: Path) -> str:
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


def test_a_public_class_name_is_defined_once():
    homes: dict[str, list[str]] = {}
    for path in FILES:
        for node in syntax_tree(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(module_of(path))
    assert {name: places for name, places in homes.items() if len(places) > 1} == {}


NOUNS = {
    "docstring", "binding", "early_stopping",  # nouns
    "scripted", "recorded", "tools_avoided", "tools_selected", "followed",  # what a user types for a provider or a metric
    "resisted", "confirmed",  # metrics too
    "tracing",  # a path of DeepEval's
    "recording",  # noun
}  # fmt: skip


def test_files_are_named_by_nouns():
    participles = [
        str(path.relative_to(SOURCE))
        for path in FILES
        if path.stem.endswith(("ing", "ed")) and path.stem not in NOUNS
        # a rule, a cause and an operator are named for the fault they find or make
        if not any(shelf in path.as_posix() for shelf in ("lint/rules", "improve/causes", "audit/mutants"))
    ]
    assert participles == []


def named_in_table(docstring: str) -> list[str]:
    """The files that a room's docstring lists: `name   what it is`, or `one, two   what they are`."""
    rows = [
        re.match(r"\s*([a-z_]+/?(?:, [a-z_]+/?)*)(?:\s{2,}\S|$)", line) for line in docstring.splitlines()[1:]
    ]
    return [name.rstrip("/") for row in rows if row for name in row[1].split(", ")]


@pytest.mark.parametrize("room", [path.parent for path in FILES if path.name == "__init__.py"], ids=module_of)
def test_a_room_lists_only_files_that_it_has(room):
    docstring = ast.get_docstring(syntax_tree(room / "__init__.py")) or ""
    there = {path.stem for path in room.iterdir()}
    assert [name for name in named_in_table(docstring) if name not in there] == []


@pytest.mark.parametrize("room", [path.parent for path in FILES if path.name == "__init__.py"], ids=module_of)
def test_a_room_names_each_of_its_files(room):
    docstring = ast.get_docstring(syntax_tree(room / "__init__.py")) or ""
    files = {path.stem for path in room.glob("*.py")} - {"__init__"}
    alike = "one file" in docstring.lower() or room.name in ALIKE
    unnamed = sorted(name for name in files if not re.search(rf"\b{name}\b", docstring))
    assert alike or room == SOURCE or not unnamed, f"say in {room.name}/__init__.py what they are: {unnamed}"


ALIKE = ("formats", "commands")
"""Rooms whose files are all of one kind, each named after what it is for."""


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/architecture.md"])
def test_a_map_names_files_that_exist(page):
    root = SOURCE.parents[1]
    names = re.findall(r"`((?:[a-z_]+/)+(?:[a-z_]+\.py)?)`", (root / page).read_text("utf-8"))
    assert (
        names
        and [name for name in names if not (SOURCE / name).exists() and not (root / name).exists()] == []
    )


def test_the_picture_of_the_rooms_shows_the_contract(tmp_path):
    root = SOURCE.parents[1]
    drawn = tmp_path / "rooms.svg"
    subprocess.run([sys.executable, root / "docs/pictures/rooms.py", drawn], check=True)
    assert drawn.read_text("utf-8") == (root / "docs/pictures/rooms.svg").read_text("utf-8"), (
        "run: python docs/pictures/rooms.py"
    )


def test_the_page_of_the_architecture_has_the_spine_and_what_each_capability_weighs(tmp_path):
    root = SOURCE.parents[1]
    made = tmp_path / "architecture.md"
    subprocess.run([sys.executable, root / "docs/make_architecture.py", made], check=True)
    number = re.compile(r"(?<=\| )[\d,]+(?= \|)")
    pages = [path.read_text("utf-8") for path in (made, root / "docs/architecture.md")]
    now, told = (sum(int(lines.replace(",", "")) for lines in number.findall(page)) for page in pages)
    assert number.sub("", pages[0]) == number.sub("", pages[1]) and abs(now - told) <= 0.02 * told, (
        "run: python docs/make_architecture.py"
    )
