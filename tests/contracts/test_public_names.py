"""The names a program may use: all load, and none costs anything before it is used."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from itertools import permutations
from typing import Any

import pytest

import rightcall

HEAVY = (
    "aiohttp", "asyncio", "click", "jsonschema_rs", "msgspec", "rich", "sqlalchemy", "sqlite3", "ssl",
    "yaml",
)  # fmt: skip

WATCHED = """
import json, sys
touched = []
def hook(event, arguments):
    if event == "open" and str(arguments[0]).endswith((".py", ".pyi", ".pyc", ".pth", ".so")):
        return
    exact = ("open", "os.mkdir", "os.remove", "os.rename", "os.putenv", "_thread.start_new_thread")
    if event in exact or event.startswith(("socket.", "sqlite3.", "subprocess.")):
        touched.append([event, str(arguments[0])[:200]])
before = set(sys.modules)
sys.addaudithook(hook)
IMPORT
print(json.dumps({"modules": sorted(set(sys.modules) - before), "touched": touched}))
"""


def watched(statement: str, folder) -> dict[str, Any]:
    """What a fresh interpreter loads and touches while it runs one statement in an empty folder."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "HOME": str(folder)}
    done = subprocess.run(
        [sys.executable, "-c", WATCHED.replace("IMPORT", statement)],
        cwd=folder, env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert list(folder.iterdir()) == []
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("name", rightcall.__all__)
def test_every_name_loads_and_explains_itself(name):
    value = getattr(rightcall, name)
    assert (callable(value) or name == "errors") and (value.__doc__ or "").strip()


def test_there_are_at_most_fifty_names():
    assert len(rightcall.__all__) <= 50


@pytest.mark.stories
@pytest.mark.parametrize(
    "order", list(permutations(("rightcall.lint.engine", "rightcall.check", "rightcall.decide")))
)
@pytest.mark.parametrize("first", [True, False], ids=["name first", "room first"])
def test_a_room_never_hides_the_function_of_its_name(order, first):
    """Whatever was imported before, `rc.lint`, `rc.check` and `rc.gate` are functions."""
    uses = "lint, check, gate = rc.lint, rc.check, rc.gate" if first else ""
    rooms = "; ".join(f"import {module}" for module in order)
    kinds = "print({type(f).__name__ for f in (rc.lint, rc.check, rc.gate)}, rc.lint.__module__)"
    statements = f"import rightcall as rc\n{uses}\n{rooms}\n{kinds}"
    done = subprocess.run([sys.executable, "-c", statements], capture_output=True, text=True, check=True)
    assert done.stdout == "{'function'} rightcall.api.tool_lint\n"


def test_a_name_that_does_not_exist_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'rightcall' has no attribute 'evaluatte'"):
        _ = rightcall.evaluatte


def test_importing_loads_nothing_heavy_and_touches_nothing(tmp_path):
    found = watched("import rightcall", tmp_path)
    assert not {module.partition(".")[0] for module in found["modules"]}.intersection(HEAVY)
    assert [m for m in found["modules"] if m.startswith("rightcall")] == ["rightcall"]
    assert found["touched"] == []


def test_data_types_load_neither_the_network_nor_the_terminal(tmp_path):
    found = watched(
        "import rightcall; rightcall.Golden, rightcall.Trajectory, rightcall.score_trajectory", tmp_path
    )
    opened = [path for event, path in found["touched"] if event == "open" and "site-packages" not in path]
    assert [event for event, _ in found["touched"] if event.startswith(("socket.", "sqlite3.", "os."))] == []
    assert not [path for path in opened if "rightcall" in path]


def test_the_menu_is_shown_without_loading_any_command(tmp_path):
    statement = (
        "import contextlib, io\n"
        "from rightcall.cli.main import cli\n"
        "with contextlib.redirect_stdout(io.StringIO()):\n"
        "    cli.main(['--help'], standalone_mode=False)"
    )
    found = watched(statement, tmp_path)
    assert [m for m in found["modules"] if m.startswith("rightcall")] == [
        "rightcall", "rightcall.cli", "rightcall.cli.main", "rightcall.core", "rightcall.core.errors",
        "rightcall.core.seam",
    ]  # fmt: skip
    assert not {module.partition(".")[0] for module in found["modules"]} & (set(HEAVY) - {"click"})


def test_the_package_is_sent_to_other_processes_by_its_name():
    assert pickle.loads(pickle.dumps(rightcall)) is rightcall
