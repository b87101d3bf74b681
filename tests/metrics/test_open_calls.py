"""A case in which a tool that runs for real gave no answer is an error, unless its golden says how that was checked."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from rightcall.metrics.case_result import result_of, score_trajectory
from rightcall.metrics.score_case import Scorer
from rightcall.metrics.tally import Tally
from rightcall.records import ExpectedCall, Golden, ToolCall, Trajectory
from rightcall.records.run import CaseResult
from rightcall.records.trajectory import LedgerEntry, LedgerPhase, StopReason
from rightcall.run.conclude import verdict_without_gate
from rightcall.tools.definitions.function import tool
from rightcall.tools.faults.plan import Fault, FaultPlan
from rightcall.tools.runtime.context import VirtualClock
from rightcall.tools.runtime.toolbox import Toolbox
from tests.tools.helpers import a_call, run

PAY = ToolCall("pay", {"cents": 5}, "c1", status="error", output={"error": "outcome_unknown"})
LOOK = ToolCall("list_payments", {}, "c2", status="ok", output=[])
READ = ToolCall("get", {"id": 1}, "c3", status="error", output={"error": "timeout"})
AGAIN = ToolCall("get", {"id": 1}, "c4", status="ok", output=1)


def golden(*tools: str, **more: Any) -> Golden:
    return Golden("q", id="g", expected_calls=tuple(ExpectedCall(name) for name in tools), **more)


def line(phase: LedgerPhase, call: ToolCall, key: str = "", number: int = 1) -> LedgerEntry:
    return LedgerEntry(number, phase, call.name, fingerprint="f", key=key, call_id=call.id, detail="it broke")


def scored(
    wanted: Golden, calls: list[ToolCall], ledger: list[LedgerEntry], stop: StopReason = "done"
) -> CaseResult:
    return result_of(wanted, 0, Trajectory(calls=calls, ledger=ledger, stop_reason=stop), {})


LOST = line("unanswered", PAY)
UNREAD = line("unreached", READ)


@pytest.mark.parametrize(
    ("wanted", "calls", "ledger", "state"),
    [
        (golden("pay"), [PAY], [], "passed"),
        (golden("pay"), [PAY], [line("unknown", PAY)], "passed"),
        (golden("pay"), [PAY], [LOST], "error"),
        (golden("pay", "list_payments"), [PAY, LOOK], [LOST], "error"),
        (golden("pay", "list_payments", outcome_checked_by=("list_payments",)), [PAY, LOOK], [LOST], "passed"),
        (golden("list_payments", "pay", outcome_checked_by=("list_payments",)), [LOOK, PAY], [LOST], "error"),
        (golden("pay", outcome_checked_by=("list_payments",)), [PAY], [LOST], "error"),
        (golden("pay"), [PAY], [LOST, line("late_effect", PAY)], "passed"),
        (golden("pay"), [PAY], [line("effect", PAY), LOST], "error"),
        (golden("pay"), [PAY], [line("unanswered", PAY, "k"), line("late_effect", LOOK, "k")], "passed"),
        (golden("get"), [READ], [UNREAD], "error"),
        (golden("get", "get"), [READ, AGAIN], [UNREAD], "passed"),
        (golden("get", outcome_checked_by=("get",)), [READ], [UNREAD], "error"),
        (golden("other"), [PAY], [LOST], "error"),
        (golden("pay", forbidden_calls=("pay",)), [PAY], [LOST], "failed"),
    ],
)  # fmt: skip
def test_a_call_without_an_answer_decides_what_its_case_can_say(wanted, calls, ledger, state):
    result = scored(wanted, calls, ledger)
    assert ("error" if result.error else "passed" if result.passed else "failed") == state
    assert not (result.error and result.passed)
    verdict = score_trajectory(wanted, Trajectory(calls=calls, ledger=ledger))
    assert (verdict.passed, verdict.error, verdict.failures) == (result.passed, result.error, result.codes)


def test_a_case_at_its_limit_fails_although_a_call_was_under_way():
    result = scored(golden("pay"), [PAY], [LOST], "limit")
    assert not result.passed and not result.error
    assert [failure.code for failure in result.codes] == ["loop_limit", "outcome_unknown"]


def test_an_outcome_that_nobody_looked_up_is_never_part_of_a_pass():
    checked = golden("pay", "list_payments", outcome_checked_by=("list_payments",))
    tally = Tally()
    tally.add(scored(checked, [PAY, LOOK], [LOST]))
    assert verdict_without_gate(tally.summary()).sentence == "PASS: 1 of 1 golden passed"
    tally.add(scored(golden("pay"), [PAY], [LOST]))
    verdict = verdict_without_gate(tally.summary())
    assert verdict.sentence == "ERROR: 1 of 2 goldens got no answer; 1 call: outcome unknown"
    assert verdict.exit_code == 4 and tally.summary().unknown_calls == 1


def test_no_metric_is_asked_about_a_case_without_evidence():
    class Judge:
        name = "judge"

        def measure(self, case: Any) -> Any:
            raise AssertionError

    case = Trajectory(calls=(PAY,), ledger=(LOST,))
    result = asyncio.run(Scorer(metrics=[Judge()]).result(golden("pay"), 0, case, {}))  # type: ignore[list-item]
    assert result.error.startswith("1 call: outcome unknown")


def marks(
    function: Any, *, faults: FaultPlan | None = None, execute: Any = "real", **behaviour: Any
) -> list[str]:
    box = Toolbox([tool(**behaviour)(function)], execute=execute, faults=faults, clock=VirtualClock())
    context = box.context(task="t")
    run(box.invoke(a_call(function.__name__), context))
    return [e.phase for e in context.ledger.entries if e.phase in ("unanswered", "unreached")]


def lost() -> str:
    """Lose the connection."""
    raise ConnectionResetError


def fine() -> str:
    """Answer."""
    return "ok"


async def slow() -> str:
    """Take too long."""
    await asyncio.sleep(30)
    return "late"


def test_only_real_tools_that_give_no_answer_are_marked():
    assert marks(lost) == ["unanswered"] and marks(lost, read_only=True) == ["unreached"]
    assert marks(slow, timeout_s=0.05) == ["unanswered"]
    assert marks(slow, timeout_s=0.05, read_only=True) == ["unreached"]
    assert marks(fine) == [] and marks(lost, execute="mock") == []


@pytest.mark.parametrize("kind", ["timeout_before", "timeout_after_effect", "reset_after_effect"])
def test_an_injected_fault_is_not_a_dead_tool(kind):
    assert marks(fine, faults=FaultPlan((Fault(kind, "fine"),))) == []
    assert marks(fine, faults=FaultPlan((Fault(kind, "fine"),)), read_only=True) == []
