"""What got no answer counts against a proposal."""

from __future__ import annotations

from rightcall.improve.improvement import Tried
from rightcall.improve.proof.arms import Arm, Measured
from rightcall.improve.proof.judgement import judge_proposal
from rightcall.records import Golden
from rightcall.records.run import CaseResult

GOLDENS = [Golden(f"Do {n}", id=f"g{n}") for n in range(20)]


def measured(passing: int, lost: int) -> Measured:
    """An arm of which the first goldens got no answer, and the next ones passed."""
    results = [
        CaseResult(golden.id, 0, lost <= n < lost + passing, 0.0, {}, error="no answer" if n < lost else "")
        for n, golden in enumerate(GOLDENS)
    ]
    return Measured(Arm((), "", GOLDENS, 1, "proof"), results=results)


def test_trials_without_an_answer_count_as_passed_before_and_as_failed_after():
    before = measured(10, 1)
    after = measured(14, 1)
    judged = judge_proposal(Tried("p", "add"), GOLDENS, GOLDENS, before, after)
    assert (judged.before, judged.after) == (11 / 20, 14 / 20)
