"""The committed numbers of DeepEval are those that the installed DeepEval computes: every eighth, to save time.

`tests/metrics/test_deepeval_scores.py` compares ours with them.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.compat.deepeval_environment import run_with_deepeval

pytestmark = pytest.mark.stories

HERE = Path(__file__).parent


def test_the_committed_numbers_are_deepevals(tmp_path):
    measured = json.loads(run_with_deepeval(HERE / "deepeval_scores.py", "8", folder=tmp_path))
    committed = json.loads((HERE.parent / "metrics" / "data" / "deepeval_scores.json").read_text("utf-8"))
    assert measured == committed[::8]
