"""Commands that are killed while they write complete when they are typed again, and leave nothing behind."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from benchmarks.kills import endure, prepare, undisturbed
from benchmarks.kills_jobs import JOBS

pytestmark = pytest.mark.stories

SEEDS = {
    "check": 41,
    "recording": 42,
    "mcp record": 48,
    "recording of a server": 49,
    "improve": 44,
    "generate": 43,
    "traces import": 45,
}
"""The moment of the kill; every third is SIGTERM."""


QUICK = ("check",)
"""The others are killed in `make nightly`."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.nightly) for name in JOBS]
)
def test_a_killed_command_is_completed_by_the_same_command(name: str, tmp_path: Path):
    job = JOBS[name]
    seed = SEEDS[name]
    template = prepare(job, tmp_path / "template")
    reference = undisturbed(job, Path(shutil.copytree(template, tmp_path / "reference")))
    ending = endure(job, Path(shutil.copytree(template, tmp_path / "killed")), reference, seed)
    assert not ending.wrong, f"seed {seed}: {ending}"
