"""The story of `examples/judging` at the gate: refused without labels, decided with them, allowed when asked to be."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.judged_example import make_run

METRIC = "refund_promised"


@pytest.mark.stories
def test_the_gate_refuses_then_people_decide(tmp_path, rightcall):
    make_run(Path.cwd())
    refused = rightcall("gate", "last", "--min", 0.45)
    assert refused.code == 3 and "0 of 24 labels" in refused.out
    assert (
        f"rightcall judge label {refused.out.split('judge label ')[1].split()[0]} --metric {METRIC}"
        in refused.out
    )
    allowed = rightcall("gate", "last", "--min", 0.45, "--uncalibrated", "allow")
    assert allowed.code == 0 and "judge not calibrated" in allowed.out
    for person in ("ana", "ben"):
        assert rightcall("judge", "import", "last", f"judging/{person}.csv").code == 0
    passed = rightcall("gate", "last", "--min", 0.45)
    assert passed.code == 0 and "58.4% by 46 labels of 60 cases (range " in passed.out
    failed = rightcall("gate", "last", "--min", 0.75, "--json")
    verdict = json.loads(failed.out)
    assert failed.code == 1 and verdict["word"] == "FAIL" and verdict["checks"][0]["judged"] == 0.8
    shown = rightcall("runs", "show", "last").out
    assert f"{METRIC}: 46 labels: people pass 58%" in " ".join(shown.split())
    assert "(judged)" in rightcall("runs", "show", "last", "refund-07").out
