"""A limb can be removed: the core imports, lists its commands, evaluates, and says what to install for the rest."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import rightcall
from rightcall.core.seam import BUILT_IN

pytestmark = pytest.mark.stories

PACKAGE = Path(rightcall.__file__).parent
LIMBS = sorted(path.name for path in (PACKAGE / "limbs").iterdir() if (path / "__init__.py").exists())
OUTSIDE = ["deepeval", "laminar"]
"""Limbs whose place is their import path."""


def copy_without(limbs: Sequence[str], folder: Path) -> Path:
    """The package without some limbs, as links to its folders."""
    package = folder / "rightcall"
    (package / "limbs").mkdir(parents=True)
    for path in PACKAGE.iterdir():
        if path.name not in ("limbs", "__pycache__", *limbs):
            (package / path.name).symlink_to(path)
    for path in (PACKAGE / "limbs").iterdir():
        if path.name not in ("__pycache__", *limbs):
            (package / "limbs" / path.name).symlink_to(path)
    return folder


USE = """
import contextlib, io, sys
import rightcall as rc
from rightcall.cli.main import MENU, cli, main
from rightcall.core.errors import ConfigError
from rightcall.core.seam import BUILT_IN, load

assert rc.__file__.startswith(sys.argv[1]), rc.__file__
limb = sys.argv[2]
shown = io.StringIO()
with contextlib.redirect_stdout(shown):
    cli.main(["--help"], standalone_mode=False)
assert all(name in shown.getvalue() for section in MENU.values() for name in section)
golden = rc.Golden("Weather in Hanoi?", id="a", expected_calls=(rc.ExpectedCall("get_weather"),))
agent = lambda golden: [rc.ToolCall("get_weather", {})]
assert rc.evaluate(agent, [golden], store=sys.argv[1] + "/runs.db").summary.overall.passed == 1
for kind, parts in BUILT_IN.items():
    for name, target in parts.items():
        if target.startswith(f"rightcall.limbs.{limb}"):
            try:
                load(kind, name)
            except ConfigError as error:
                assert "is not part of this installation; install it with: pip install" in str(error), error
            else:
                raise AssertionError(f"{kind} {name} was loaded")
assert not [name for name in sys.modules if name.startswith(f"rightcall.limbs.{limb}")]
"""


@pytest.mark.parametrize("limb", [*LIMBS, *OUTSIDE])
def test_the_core_works_without_a_limb(limb, tmp_path):
    folder = copy_without([limb], tmp_path)
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    words = [sys.executable, "-c", USE, str(folder), limb.removesuffix(".py")]
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, env=environment, check=False)
    assert done.returncode == 0, done.stderr


def test_the_command_of_a_removed_limb_is_one_line(tmp_path):
    folder = copy_without(["traces"], tmp_path)
    for words, about in (
        (["traces", "--help"], "command 'traces': "),
        (["monitor", "check", "runs.json"], ""),
    ):
        done = subprocess.run(
            [sys.executable, "-m", "rightcall.cli.main", *words],
            capture_output=True, text=True, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(folder)}, check=False,
        )  # fmt: skip
        assert done.returncode == 2
        assert done.stderr.strip() == (
            f"error: {about}rightcall.limbs.traces is not part of this installation; "
            "install it with: pip install --force-reinstall rightcall"
        )


def test_every_built_in_part_exists():
    from rightcall.core.seam import load

    assert [
        (kind, name) for kind, parts in BUILT_IN.items() for name in parts if load(kind, name) is None
    ] == []
