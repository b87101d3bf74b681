"""Rooms are used through their windows, which tell people and Python the same names."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType

import pytest

import rightcall

SOURCE = Path(rightcall.__file__).parent
FILES = sorted(SOURCE.rglob("*.py"))


def module_of(path: Path) -> str:
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


def imported_names(tree: ast.AST) -> dict[str, str]:
    """From each name that a file imports from the package to the module it is imported from."""
    return {
        alias.asname or alias.name: node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("rightcall")
        for alias in node.names
    }


def windows() -> dict[str, dict[str, str]]:
    """Each room that has a window, with the names it shows to people and editors and where they live."""
    found = {}
    for path in FILES:
        text = path.read_text("utf-8")
        if path.name == "__init__.py" and "= window(" in text:
            names = imported_names(ast.parse(text))
            found[module_of(path)] = {
                name: home for name, home in names.items() if home != "rightcall.window"
            }
    return found


WINDOWS = windows()


@pytest.mark.parametrize("room", WINDOWS)
def test_both_lists_of_a_window_are_the_same(room):
    module = import_module(room)
    people, python = set(WINDOWS[room]), set(module.__all__)
    assert people == python, (
        f"{room}/__init__.py lists each name twice: under TYPE_CHECKING and in window(…); "
        f"only under TYPE_CHECKING: {sorted(people - python)}, only in window(…): {sorted(python - people)}"
    )
    assert sorted(python) == dir(module)


@pytest.mark.parametrize("room", WINDOWS)
def test_a_window_finds_each_name_where_editors_do(room):
    module = import_module(room)
    for name, home in WINDOWS[room].items():
        found = getattr(module, name)
        if isinstance(found, ModuleType):  # a room that answers calls, such as rc.gate
            assert callable(found)
        else:
            said = f"window(…) of {room} finds {name} elsewhere than `from {home} import {name}` does"
            assert found is getattr(import_module(home), name), said


def room_of(module: str) -> str:
    """The first room of a module: `rightcall.tools` of `rightcall.tools.mcp.client`."""
    return ".".join(module.split(".")[:2])


def test_other_rooms_are_imported_through_their_windows():
    past = []
    for path in FILES:
        here = room_of(module_of(path))
        for name, home in imported_names(ast.parse(path.read_text("utf-8"))).items():
            if here not in ("rightcall", room_of(home)) and room_of(home) in WINDOWS and home not in WINDOWS:
                past.append(f"{path.relative_to(SOURCE)} imports {name} from {home}")
    assert past == [], "import it from the room, and add it to both lists of the room's __init__.py"


def test_a_public_class_name_is_defined_once():
    homes: dict[str, list[str]] = {}
    for path in FILES:
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(module_of(path))
    assert {name: places for name, places in homes.items() if len(places) > 1} == {}


NOUNS = {
    "docstring", "binding", "early_stopping",  # nouns
    "scripted", "recorded", "tools_avoided", "tools_selected",  # what a user types for a provider or a metric
    "tracing",  # a path of DeepEval's
}  # fmt: skip


def test_files_are_named_by_nouns():
    participles = [
        str(path.relative_to(SOURCE))
        for path in FILES
        if path.stem.endswith(("ing", "ed")) and path.stem not in NOUNS
        # a rule and a cause are named for the fault they find
        if "lint/rules" not in path.as_posix() and "analysis/causes" not in path.as_posix()
    ]
    assert participles == []


@pytest.mark.parametrize("room", WINDOWS)
def test_no_name_in_a_window_is_also_a_file_of_the_room(room):
    """Importing the file would put the module where the name was. A room that answers calls may share its name."""
    module = import_module(room)
    files = {info.name for info in iter_modules(module.__path__)}
    shared = files & set(module.__all__)
    assert {name for name in shared if not callable(import_module(f"{room}.{name}"))} == set()


def named_in_table(docstring: str) -> list[str]:
    """The files that a room's docstring lists: `name   what it is`, or `one, two   what they are`."""
    rows = [
        re.match(r"\s*([a-z_]+/?(?:, [a-z_]+/?)*)(?:\s{2,}\S|$)", line) for line in docstring.splitlines()[1:]
    ]
    return [name.rstrip("/") for row in rows if row for name in row[1].split(", ")]


@pytest.mark.parametrize("room", [path.parent for path in FILES if path.name == "__init__.py"], ids=module_of)
def test_a_room_lists_only_files_that_it_has(room):
    docstring = ast.get_docstring(ast.parse((room / "__init__.py").read_text("utf-8"))) or ""
    there = {path.stem for path in room.iterdir()}
    assert [name for name in named_in_table(docstring) if name not in there] == []


def test_contributing_names_files_that_exist():
    text = (SOURCE.parents[1] / "CONTRIBUTING.md").read_text("utf-8")
    named = re.findall(r"`((?:[a-z_]+/)+(?:[a-z_]+\.py)?)`", text)
    assert [
        name for name in named if not (SOURCE / name).exists() and not (SOURCE.parents[1] / name).exists()
    ] == []
