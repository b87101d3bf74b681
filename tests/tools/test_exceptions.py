"""What a tool raises without explaining it: what the model reads, and what stops the agent."""

from __future__ import annotations

import errno
import socket
import sqlite3
import ssl
import urllib.error
from typing import Any

import pytest

from rightcall.agents.agent import Agent
from rightcall.agents.limits import Limits
from rightcall.records import ToolCall
from rightcall.tools.definitions.function import tool
from rightcall.tools.faults.plan import Fault, FaultPlan
from rightcall.tools.runtime.errors import Aborted, ToolError
from rightcall.tools.runtime.policy import ToolRules
from tests.agents.test_performing import perform, scripted
from tests.tools.helpers import Effects, a_box, a_call, invoke, invoke_all

SECRET = "/etc/secrets/hunter2"
RAISED: list[tuple[Exception, str, str, bool]] = [
    # raised, error for a read, error for a write, stops the agent when strict
    (
        PermissionError(errno.EACCES, "Permission denied", SECRET),
        "permission_denied",
        "permission_denied",
        True,
    ),
    (PermissionError(SECRET), "permission_denied", "permission_denied", True),
    (FileNotFoundError(errno.ENOENT, "No such file", SECRET), "not_found", "not_found", False),
    (TimeoutError(SECRET), "timeout", "outcome_unknown", False),
    (ConnectionResetError(SECRET), "upstream_error", "outcome_unknown", True),
    (BrokenPipeError(SECRET), "upstream_error", "outcome_unknown", True),
    (OSError(errno.EHOSTUNREACH, SECRET), "upstream_error", "outcome_unknown", True),
    (socket.gaierror(SECRET), "upstream_error", "outcome_unknown", True),
    (ssl.SSLError(SECRET), "upstream_error", "outcome_unknown", True),
    (urllib.error.URLError(SECRET), "upstream_error", "outcome_unknown", True),
    (OSError(errno.ENOSPC, SECRET), "internal_error", "internal_error", True),
    (IsADirectoryError(SECRET), "internal_error", "internal_error", True),
    (sqlite3.OperationalError(SECRET), "internal_error", "internal_error", True),
    (ValueError(SECRET), "internal_error", "internal_error", True),
]
IDS = [f"{type(row[0]).__name__}-{i}" for i, row in enumerate(RAISED)]


def a_tool(raised: Exception, *, reads: bool, **behaviour: Any) -> Any:
    @tool(read_only=reads, **behaviour)
    async def act() -> None:
        """Act."""
        raise raised

    return act


@pytest.mark.parametrize(("raised", "read", "write", "_"), RAISED, ids=IDS)
def test_the_model_reads_what_kind_of_failure_it_was_and_nothing_else(
    raised: Exception, read: str, write: str, _: bool
) -> None:
    for reads, code in ((True, read), (False, write)):
        made = invoke(a_box(a_tool(raised, reads=reads)), a_call("act"))
        assert made.error is not None and made.error.error == code
        assert SECRET not in str(made.call.output)
        assert ("connection" in made.error.detail) == (
            code == "outcome_unknown" and raised is not RAISED[3][0]
        )


@pytest.mark.parametrize(("raised", "_read", "_write", "stops"), RAISED, ids=IDS)
@pytest.mark.parametrize("said_by", ["tool", "rules"])
def test_strict_stops_the_agent_for_what_no_model_can_put_right(
    raised: Exception, _read: str, _write: str, stops: bool, said_by: str
) -> None:
    act = a_tool(raised, reads=True, strict=said_by == "tool")
    box = a_box(act, rules=ToolRules(strict=said_by == "rules"))
    if not stops:
        assert invoke(box, a_call("act")).outcome == "failed"
        return
    with pytest.raises(Aborted, match="hunter2") as stop:
        invoke(box, a_call("act"))
    assert SECRET not in str(stop.value.invocations[0].call.output)


UNEXPECTED = frozenset(("internal_error",))


@pytest.mark.parametrize(("raised", "_read", "write", "strictly"), RAISED, ids=IDS)
@pytest.mark.parametrize(
    ("of_tool", "of_rules", "stops_for"),
    [
        ({}, None, "nothing"),
        ({"destructive": True}, None, "unexpected"),
        ({"destructive": True, "strict": False}, None, "nothing"),
        ({"destructive": True}, False, "nothing"),
        ({"destructive": True, "strict": False}, True, "all"),
        ({"destructive": True, "strict": True}, False, "all"),
    ],
)
def test_a_destructive_tool_that_breaks_stops_the_agent_unless_it_says_otherwise(
    raised: Exception,
    _read: str,
    write: str,
    strictly: bool,
    of_tool: dict[str, Any],
    of_rules: Any,
    stops_for: str,
) -> None:
    box = a_box(a_tool(raised, reads=False, **of_tool), rules=ToolRules(strict=of_rules))
    stops = strictly if stops_for == "all" else stops_for == "unexpected" and write in UNEXPECTED
    if stops:
        with pytest.raises(Aborted, match="hunter2") as stop:
            invoke(box, a_call("act"))
        made = stop.value.invocations[0]
    else:
        made = invoke(box, a_call("act"))
    assert made.error is not None and SECRET not in str(made.call.output)
    if write == "internal_error":
        assert made.error.effect == "unknown"  # whoever reads it, the effect may have happened


def test_a_connection_that_a_plan_breaks_is_for_the_model_to_deal_with() -> None:
    plan = FaultPlan((Fault("reset_after_effect", "pay", nth=1),))
    made = invoke(a_box(Effects().pay, faults=plan, rules=ToolRules(strict=True)), a_call("pay", amount=5))
    assert (made.outcome, made.error and made.error.error) == ("unknown", "outcome_unknown")


def test_an_agent_says_strict_and_is_stopped() -> None:
    forbidden = a_tool(PermissionError("no admin"), reads=True)
    for strict, stop in ((True, "agent_error"), (False, "done")):
        agent = Agent(
            scripted(ToolCall("act", {}), "it is not allowed"), tools=[forbidden], mode="loop",
            execute="real", strict=strict, limits=Limits(steps=3),
        )  # fmt: skip
        done = perform(agent)
        assert done.stop_reason == stop and done.calls[0].status == "error"
        assert "no admin" in done.error or not strict


def test_a_code_of_ones_own_reaches_the_model_with_its_hint() -> None:
    act = a_tool(ToolError("card_declined", "the bank refused", "ask for another card"), reads=True)
    output = invoke(a_box(act), a_call("act")).call.output
    assert (output["error"], output["hint"]) == ("card_declined", "ask for another card")


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        ("card_declined", "a custom code requires a hint"),
        ("not_fuond", "did you mean 'not_found'"),
        ("no such thing", "is not a valid error code"),
        ("", "is not a valid error code"),
    ],
)
def test_a_code_without_a_next_step_is_refused(code: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        ToolError(code, "it did not work")


def test_an_error_of_ones_own_survives_in_the_store_of_keys() -> None:
    @tool(idempotency="key")
    async def act() -> None:
        """Act."""
        raise ToolError("card_declined", "the bank refused", "ask for another card")

    first, again = invoke_all(a_box(act), *(a_call("act", idempotency_key="k") for _ in range(2)))
    assert again.replayed and again.error == first.error


@pytest.mark.parametrize(
    ("result", "told"),
    [
        ({"paid": 5}, {"paid": 5, "replayed": True}),
        ([1, 2], {"result": [1, 2], "replayed": True}),
        ("paid", "paid\n(this was already done under the same key and was not repeated)"),
        (None, {"result": None, "replayed": True}),
    ],
)
def test_the_model_learns_that_a_result_was_replayed(result: Any, told: Any) -> None:
    @tool(idempotency="args")
    async def act() -> Any:
        """Act."""
        return result

    call = ToolCall("act", {})
    done = perform(Agent(scripted(call, call, "done"), tools=[act], mode="loop", execute="real"))
    first, second = (message.results[0].output for message in done.messages if message.role == "tool")
    assert (first, second) == (result, told)
    assert [call.output for call in done.calls] == [result, result]
