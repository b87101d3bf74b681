from __future__ import annotations

from typing import Any

from rightcall.tools.definitions.function import tool
from rightcall.tools.faults.plan import Fault, FaultPlan
from rightcall.tools.runtime.errors import ToolError
from rightcall.tools.runtime.toolbox import Toolbox
from tests.tools.helpers import a_box, a_call, invoke_all


class Mailer:
    def __init__(self) -> None:
        self.sent: list[str] = []
        self.full: set[str] = set()

        @tool(destructive=True, idempotency="key", batch="recipients")
        async def send(recipients: list[str]) -> dict[str, Any]:
            """Send to many."""
            (one,) = recipients
            if one in self.full:
                full = f"the mailbox of {one} is full"
                raise ToolError("upstream_error", full, effect="none", retry="same_key")
            self.sent.append(one)
            return {"to": one}

        self.send = send


def call() -> Any:
    return a_call("send", recipients=["a", "b", "c", "d"], idempotency_key="k")


def test_repeating_a_batch_does_only_the_items_that_are_missing():
    mailer = Mailer()
    mailer.full = {"b", "d"}
    box = a_box(mailer.send)
    context = box.context()
    (first,) = invoke_all(box, call(), context=context)
    assert first.error.effect == "done" and first.error.retry == "same_key"
    assert "2 of 4 items of 'recipients' are done; missing: 1, 3" in first.error.detail
    mailer.full = set()
    second, third = invoke_all(box, call(), call(), context=context)
    assert sorted(mailer.sent) == ["a", "b", "c", "d"]
    assert second.call.output == third.call.output == {"items": [{"to": to} for to in "abcd"]}
    assert third.replayed


def test_a_batch_broken_off_half_way_by_a_fault_is_completed_without_repeating():
    mailer = Mailer()
    plan = FaultPlan((Fault("partial_batch", "send", nth=1),))
    box: Toolbox = a_box(mailer.send, faults=plan)
    context = box.context()
    first, second = invoke_all(box, call(), call(), context=context)
    assert "2 of 4 items" in first.error.detail and first.faults == ("0:partial_batch:send",)
    assert second.outcome == "ok" and mailer.sent == ["a", "b", "c", "d"]


def test_without_keys_a_fault_does_the_first_half_and_says_so():
    sent: list[str] = []

    @tool(destructive=True)
    async def send(recipients: list[str]) -> dict:
        sent.extend(recipients)
        return {}

    box = a_box(send, faults=FaultPlan((Fault("partial_batch", max_fires=1),)))
    (made,) = invoke_all(box, a_call("send", recipients=["a", "b", "c"]))
    assert sent == ["a"] and "stopped after 1 of 3 items" in made.error.detail and made.error.effect == "done"
