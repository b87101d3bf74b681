"""A run of `examples/judging`, and answers of people who follow its rule."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples" / "judging"


def make_run(folder: Path, *options: str) -> None:
    """Copy the example to `folder/judging`, and run its suite in `folder`."""
    ignore = shutil.ignore_patterns("__pycache__", ".rightcall", "labels", "recordings")
    shutil.copytree(EXAMPLE, folder / "judging", ignore=ignore)
    command = [sys.executable, "-m", "rightcall.cli.main", "run", "judging/suite.yaml", *options]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment, check=False)
    assert ended.returncode == 3 and "48 of 60 goldens passed, 12 failed by a model" in ended.stdout, (
        ended.stdout + ended.stderr
    )


KINDS = ("right",) * 6 + ("no order", "refused", "refused", "vague")


def kind_of(golden: str) -> str:
    """Which kind of answer the agent of the example gives."""
    return KINDS[(1000 + int(golden.removeprefix("refund-"))) * 7 % 10]


def people_say(golden: str) -> str:
    """The label by the rule: only an answer that promises the refund of an order passes."""
    return "pass" if kind_of(golden) == "right" else "fail"
