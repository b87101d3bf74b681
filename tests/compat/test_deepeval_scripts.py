"""The scripts of `scripts/` print with the installed DeepEval what is committed as its output."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.compat.deepeval_environment import run_with_deepeval

pytestmark = pytest.mark.stories

HERE = Path(__file__).parent


def test_deepeval_prints_what_is_committed(tmp_path):
    printed = json.loads(run_with_deepeval(HERE / "deepeval_scripts.py", folder=tmp_path))
    assert printed == json.loads((HERE / "scripts" / "printed.json").read_text("utf-8"))
