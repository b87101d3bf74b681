"""What is put into the requests of agents that are code: the verdicts are those of a loop of ours on the same world."""

from __future__ import annotations

import json
from typing import Any

import pytest

import rightcall as rc
from rightcall.agents.limits import Limits
from rightcall.core.event_loop import run_blocking
from rightcall.records import Golden
from rightcall.tools.faults.plan import Fault, FaultPlan
from tests.limbs.attacks.agents import GOLDENS, WORLDS, Decide, ScriptedAgent, Turn, hardened
from tests.support.code_agents import CODE_AGENTS, deciding_server, own_agent

PAY = [golden for golden in GOLDENS if golden.id == "pay"]


def repeats(turn: Turn) -> Any:
    """Makes a transfer again, under another key, when it got no answer."""
    last = turn.results[-1].output if turn.results else None
    if isinstance(last, dict) and last.get("error") and turn.made[-1].name == "transfer" and len(turn.made) < 4:
        return [rc.ToolCall("transfer", {**turn.made[-1].arguments, "idempotency_key": "again"}, id=f"x{len(turn.made)}")]
    return hardened(turn)


async def performed(agent: rc.Agent, goldens: list[Golden]) -> list[rc.Trajectory]:
    from rightcall.agents.kinds import agent_of_kind

    async with agent_of_kind(agent) as opened:
        return [await opened.performer.perform(golden, 0) for golden in goldens]


def cell(trajectory: rc.Trajectory) -> Any:
    """What of a trial the verdicts are made from; a loop writes results as text, and marks repeats in them."""
    calls = [(call.name, call.arguments, call.status, value_of(call.output)) for call in trajectory.calls]
    ledger = [(line.phase, line.tool, line.detail) for line in trajectory.ledger]
    return calls, ledger, trajectory.output, trajectory.stop_reason


def value_of(output: Any) -> Any:
    value = json.loads(output) if isinstance(output, str) and output.startswith("{") else output
    return {name: inner for name, inner in value.items() if name != "replayed"} if isinstance(value, dict) else value


async def both(kind: str, decide: Decide, goldens: list[Golden], faults: FaultPlan | None) -> tuple[list[Any], list[Any]]:
    limits = Limits(steps=40)
    ours = rc.Agent(
        ScriptedAgent(decide, goldens), tools=list(WORLDS), mode="loop", limits=limits, faults=faults
    )
    with deciding_server(decide, GOLDENS) as address:
        own = rc.observe(own_agent(kind, address, WORLDS))
        theirs = rc.Agent(own, tools=list(WORLDS), limits=limits, faults=faults)
        return await performed(ours, goldens), await performed(theirs, goldens)


@pytest.mark.parametrize("kind", CODE_AGENTS)
@pytest.mark.parametrize(
    "fault",
    [
        Fault("timeout_after_effect", "transfer"),
        Fault("reset_after_effect", "transfer"),
        Fault("error_5xx_after", "transfer", nth=1),
        Fault("rate_limit", "get_balance"),
        Fault("timeout_before", "get_balance"),
        Fault("error_5xx_before", "get_balance"),
        Fault("slow", "transfer", seconds=60),
        Fault("malformed_json", "get_balance"),
        Fault("truncated", "get_balance"),
        Fault("schema_drift", "get_balance"),
        Fault("empty", "get_balance"),
        Fault("wrong_value", "get_balance", path="balance", value=3),
    ],
    ids=lambda fault: fault.type,
)
def test_a_fault_does_to_an_own_loop_what_it_does_to_ours(kind, fault):
    ours, theirs = run_blocking(both(kind, repeats, PAY, FaultPlan((fault,))))
    assert [cell(t) for t in theirs] == [cell(t) for t in ours]
