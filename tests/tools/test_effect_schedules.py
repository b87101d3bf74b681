"""Processes that race, time out, jump in time and are killed: the world and the ledger agree.

The long form is `python -m benchmarks effects`.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.stories

REPOSITORY = Path(__file__).parents[2]


def test_at_most_one_effect_for_a_key_and_the_ledger_knows_it_on_both_stores_and_for_every_kind_of_tool():
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "effects", "--schedules", "16", "--rounds", "1"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 broke the law" in done.stdout
