"""What every adapter that observes requests for approval must show: who was asked, what ran, and how it ended."""

from __future__ import annotations

from typing import Any

import pytest

import rightcall as rc
from rightcall.core import codec
from rightcall.metrics.case_result import score_trajectory
from rightcall.records import Golden, Trajectory
from tests.limbs.adapters.contract import performed
from tests.limbs.adapters.script import Journal

DELETE = {"id": 7}
EXPECTED = [{"tool": "delete_account", "args": DELETE}, {"tool": "list_accounts", "args": {}}]
GOLDEN = {"input": "delete 7", "expected_calls": EXPECTED}

CASES: dict[str, tuple[Any, str, str, str, list[int]]] = {
    # what the approver says, then: the decision, the call's status, why the agent stopped, what ran
    "nobody": (None, "waiting", "not_run", "waiting_for_approval", []),
    "escalate": ("escalate", "escalated", "not_run", "waiting_for_approval", []),
    "approve": ("approve", "approved", "ok", "done", [7]),
    "reject": ({"reject": "Ask support."}, "rejected", "not_run", "done", []),
    "edit": ({"edit": {"id": 8}}, "edited", "ok", "done", [8]),
}


def asked(agent: Any, line: Any) -> Trajectory:
    """What the agent did, with this line of the approver."""
    approvals = {"delete_account": line} if line is not None else None
    (trajectory,) = performed(rc.observe(agent), "delete 7", approvals=approvals)
    return trajectory


def codes(made: Trajectory, **fields: Any) -> list[str]:
    golden = codec.convert({**GOLDEN, **fields}, Golden, "test")
    return [failure.code for failure in score_trajectory(golden, made).failures]


class ApprovalContract:
    """`asking` makes an agent whose `delete_account` needs approval and notes in `ran` what it deleted; `eager` one
    whose tool needs none."""

    def asking(self, journal: Journal, ran: list[int]) -> Any:
        raise NotImplementedError

    def eager(self, journal: Journal, ran: list[int]) -> Any:
        raise NotImplementedError

    @pytest.mark.parametrize("case", CASES)
    def test_a_request_is_answered_as_the_suite_says(self, case):
        line, decision, status, stop, deleted = CASES[case]
        ran: list[int] = []
        made = asked(self.asking(Journal(), ran), line)
        call = next(call for call in made.calls if call.name == "delete_account")
        assert (call.approval and call.approval.decision, call.status) == (decision, status)
        assert (made.stop_reason, ran, call.arguments) == (stop, deleted, DELETE)
        assert len(made.calls) == 2 and made.approvals_seen
        assert codes(made, confirm=["delete_account"]) == []
        assert codes(made) == (["waiting_for_approval"] if case == "nobody" else [])
        if decision == "edited":
            assert call.approval is not None and call.approval.arguments == {"id": 8}
        if stop == "done":
            assert made.output == "Finished." and made.calls[1].status == "ok"
        else:
            assert "delete_account" in made.error

    def test_an_agent_that_does_not_ask_is_unconfirmed(self):
        ran: list[int] = []
        made = asked(self.eager(Journal(), ran), None)
        assert (ran, made.stop_reason) == ([7], "done")
        assert codes(made, confirm=["delete_account"]) == ["unconfirmed"]
