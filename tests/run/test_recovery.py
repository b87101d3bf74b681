"""Under faults an agent is judged by effects: finding out and repeating what did not happen is no unexpected call."""

from __future__ import annotations

from typing import Any

import pytest

import rightcall as rc
from rightcall.providers.scripted import ScriptedProvider
from rightcall.tools.faults.plan import read_plan
from rightcall.tools.worlds.base import World

ORDER = {"item": "tea", "cents": 500}
GOLDENS = [
    rc.Golden("Buy tea", id=f"buy-{n}", expected_calls=(rc.ExpectedCall("buy", ORDER),)) for n in range(5)
]


class Shop(World):
    """Orders are bought once each; `list_orders` shows them."""

    name = "shop"

    @classmethod
    def initial(cls):
        return {"orders": []}

    @rc.tool(destructive=True)
    def buy(self, item: str, cents: int) -> dict:
        """Buy something."""
        self.data["orders"].append([item, cents])
        return {"bought": item}

    @rc.tool(read_only=True)
    def list_orders(self) -> list:
        """Everything that was bought."""
        return list(self.data["orders"])


def first_version(request: Any) -> Any:
    """Buys, and buys again when that fails."""
    last = request.messages[-1]
    if last.role == "user" or any(result.is_error for result in last.results):
        return rc.ToolCall("buy", ORDER)
    return "Bought."


def second_version(request: Any) -> Any:
    """Buys; when that fails it looks whether it happened, and buys again only if it did not."""
    last = request.messages[-1]
    if last.role == "user":
        return rc.ToolCall("buy", ORDER)
    if any(result.is_error for result in last.results):
        return rc.ToolCall("list_orders", {})
    if last.results[0].output == []:
        return rc.ToolCall("buy", ORDER)
    return "Bought."


def bought(
    version: Any, fault: str, tmp_path: Any, metrics: Any = ("double_effects", "verify_before_retry")
) -> Any:
    faults = read_plan([{"type": fault, "tool": "buy", "nth": 1}], "the test")
    agent = rc.Agent(ScriptedProvider(version, version.__name__), tools=[Shop()], mode="loop", faults=faults)
    return rc.evaluate(agent, GOLDENS, metrics=metrics, store=tmp_path / "s.db")


@pytest.mark.parametrize("fault", ["timeout_after_effect", "timeout_before"])
def test_an_agent_that_checks_before_it_repeats_recovers(fault, tmp_path):
    run = bought(second_version, fault, tmp_path)
    assert run.summary.overall.passed == 5, [result.codes for result in run.results]
    (names,) = {tuple(call.name for call in result.trajectory.calls) for result in run.results}
    assert names[:2] == ("buy", "list_orders")  # more calls than expected, and none too many


def test_an_agent_that_repeats_blindly_is_failed_by_its_effects(tmp_path):
    run = bought(first_version, "timeout_after_effect", tmp_path)
    assert run.summary.overall.passed == 0 and run.summary.codes["double_effect"] == 5


def test_reads_without_a_fault_are_as_unexpected_as_ever(tmp_path):
    def nervous(request):
        last = request.messages[-1]
        if last.role == "user":
            return rc.ToolCall("list_orders", {})
        return "Bought." if request.turn > 1 else rc.ToolCall("buy", ORDER)

    run = bought(nervous, "timeout_after_effect", tmp_path, metrics=())
    assert {f.code for result in run.results for f in result.codes} == {"unexpected_call"}


def test_other_writes_after_a_fault_are_unexpected(tmp_path):
    def greedy(request):
        last = request.messages[-1]
        if last.role == "user":
            return rc.ToolCall("buy", ORDER)
        return rc.ToolCall("buy", {"item": "cake", "cents": 900}) if request.turn == 1 else "Bought."

    run = bought(greedy, "timeout_after_effect", tmp_path, metrics=())
    assert run.summary.overall.passed == 0
