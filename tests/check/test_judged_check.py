"""`check` of a suite whose cases a judge decides: the judge's difference is observed and decides nothing."""

from __future__ import annotations

import pytest

import rightcall as rc
from tests.support.judged_example import make_run

pytestmark = pytest.mark.stories


def test_a_judge_alone_passes_no_change_unless_the_suite_allows_it(tmp_path, monkeypatch):
    make_run(tmp_path)
    monkeypatch.chdir(tmp_path)
    agent = tmp_path / "judging" / "refund_desk.py"
    suite = tmp_path / "judging" / "suite.yaml"
    agent.write_text(agent.read_text("utf-8").replace("is on its way", "is on the way"), "utf-8")
    result = rc.check("judging/suite.yaml", baseline="last")
    assert result.verdict == "INCONCLUSIVE" and result.cause == "judged"
    assert "refund_promised: judged, not corrected" in result.sentence and "judge label" in result.hint
    suite.write_text(suite.read_text("utf-8") + "judge: {uncalibrated: allow}\n", "utf-8")
    assert rc.check("judging/suite.yaml", baseline="last", again=True).verdict == "PASS"
