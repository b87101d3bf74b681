"""`examples/plugin`, installed: each part that it adds is found through the seam and used like a built-in one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

PLUGIN = Path(__file__).parents[2] / "examples" / "plugin"
USE = Path(__file__).parent / "plugin_use.py"


def install(folder: Path, name: str, points: dict[str, dict[str, str]]) -> None:
    """What `pip install` leaves of a package's metadata."""
    metadata = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    lines = [
        f"[{group}]\n" + "".join(f"{point} = {target}\n" for point, target in parts.items())
        for group, parts in points.items()
    ]
    (metadata / "entry_points.txt").write_text("\n".join(lines))


def rightcall(*words: str, path: Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "rightcall.cli.main", *words],
        capture_output=True, text=True, check=False, cwd=cwd, env={**os.environ, "PYTHONPATH": str(path)},
    )  # fmt: skip


@pytest.fixture(scope="module")
def parts(tmp_path_factory) -> dict[str, object]:
    """What a program sees of each part."""
    folder = tmp_path_factory.mktemp("site")
    points = tomllib.loads((PLUGIN / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]
    install(folder, "rightcall-orbit", points)
    return use(os.pathsep.join([str(folder), str(PLUGIN / "src")]), tmp_path_factory.mktemp("here"))


def use(path: str, cwd: Path) -> dict[str, object]:
    done = subprocess.run(
        [sys.executable, USE], capture_output=True, text=True, cwd=cwd, env={**os.environ, "PYTHONPATH": path}, check=False
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


EXPECTED = {
    "provider": [["get_weather", {"city": "Hanoi"}]],
    "metric": [False, "3 words, limit 2"],
    "lint rule": ["ORB001"],
    "rules listed": True,
    "matcher": [1.0, 0.0],
    "importer": [["weather in Hanoi", "get_weather"]],
    "adapter": [["get_weather", {"city": "Hanoi"}]],
    "dialect": [["get_weather", {"city": "Hanoi"}]],
    "report format": ["golden_id,trial,passed", "a,0,True"],
    "command": ["brevity", "orbit", "unfinished-description"],
    "help": True,
}


@pytest.mark.parametrize("part", EXPECTED)
def test_a_part_of_an_installed_package_is_used(parts, part):
    assert parts[part] == EXPECTED[part]


def test_a_package_that_cannot_be_imported_is_named_and_breaks_nothing_else(tmp_path):
    (tmp_path / "broken_part.py").write_text("import nothing_like_this")
    groups = {
        f"rightcall.{kind}": {"broken": "broken_part:part"} for kind in ("commands", "metrics", "pages")
    }
    install(tmp_path, "acme-broken", groups)
    (tmp_path / "here").mkdir()
    done = rightcall("broken", path=tmp_path, cwd=tmp_path / "here")
    assert done.returncode == 2
    assert done.stderr.strip() == (
        "error: command 'broken' of the package acme-broken 1.0 cannot be loaded: "
        "ModuleNotFoundError: No module named 'nothing_like_this'; update or uninstall acme-broken"
    )
    listed = rightcall("list", "metrics", path=tmp_path, cwd=tmp_path / "here")
    assert listed.returncode == 0 and "metric 'broken' of the package acme-broken 1.0 cannot" in listed.stdout


def test_a_built_in_name_wins_and_the_listing_says_so(tmp_path):
    install(tmp_path, "acme", {"rightcall.commands": {"run": "acme:run", "traces": "acme:traces"}})
    (tmp_path / "here").mkdir()
    shown = rightcall("--help", path=tmp_path, cwd=tmp_path / "here").stdout
    notes = " ".join(shown.split())
    assert "command 'run' of the package acme 1.0 is not used: RightCall has a command of that name" in notes
    assert "command 'traces' of the package acme 1.0 is not used" in notes
    assert rightcall("run", "--help", path=tmp_path, cwd=tmp_path / "here").returncode == 0


def test_a_package_in_the_working_folder_is_not_installed(tmp_path):
    """A checkout could contain one, whose code would run unasked."""
    install(tmp_path, "evil", {"rightcall.lint_rules": {"evil": "evil:RULE"}})
    (tmp_path / "evil.py").write_text("open('ran', 'w')")
    (tmp_path / "tools.json").write_text("[]")
    rightcall("lint", "tools.json", path=tmp_path, cwd=tmp_path)
    assert not (tmp_path / "ran").exists()
