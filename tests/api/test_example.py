"""The example project does what its page shows, to the letter."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import OTHER_PLUGINS

pytestmark = pytest.mark.stories

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "pytest.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"```console\n\$ (rightcall test [^\n]*)\n(.*?)```", PAGE, re.DOTALL)


def plain(text: str) -> str:
    """Without what differs from run to run: ids of runs, and seconds."""
    text = re.sub(r"\d{6}-\d{6}-[0-9a-f]{6}-[0-9a-f]{4}", "RUN", text)
    return re.sub(r"\d+\.\d\ds", "TIME", text).strip()


@pytest.mark.parametrize(("command", "shown"), SHOWN, ids=[command for command, _ in SHOWN])
def test_the_page_shows_what_appears(tmp_path, command, shown):
    project = tmp_path / "pytest-project"
    shutil.copytree(ROOT / "examples" / "pytest-project", project)
    words = command.split()[2:]
    run = "from rightcall.cli.test import test; test()"
    made = subprocess.run(
        [sys.executable, "-c", run, *words],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
        env={
            "PATH": "",
            "PYTHONDONTWRITEBYTECODE": "1",
            "COLUMNS": "80",
            "PYTEST_ADDOPTS": f"-p no:cacheprovider {OTHER_PLUGINS}",
        },
    )
    assert plain(made.stdout + made.stderr) == plain(shown)
    assert made.returncode == (0 if "gate PASS" in shown or "failed" not in shown else 1)


def test_the_page_shows_three_ways():
    assert len(SHOWN) == 3
