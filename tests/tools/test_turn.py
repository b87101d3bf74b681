from __future__ import annotations

import asyncio
from typing import Any

from hypothesis import given, settings, strategies as st

from rightcall.tools.definitions.function import tool
from rightcall.tools.runtime.toolbox import Toolbox
from tests.support.examples import examples
from tests.tools.helpers import a_box, a_call, run


class Journal:
    """Two tools on accounts that write down when they start and end."""

    def __init__(self, pauses: list[int]) -> None:
        self.lines: list[tuple[str, str, int]] = []
        self.running = self.most = 0
        waits = iter(pauses)

        async def work(account: str, number: int) -> dict:
            self.running += 1
            self.most = max(self.most, self.running)
            self.lines.append(("start", account, number))
            for _ in range(next(waits, 0)):
                await asyncio.sleep(0)
            self.lines.append(("end", account, number))
            self.running -= 1
            return {"number": number}

        @tool(destructive=True, resource_key="account")
        async def write(account: str, number: int) -> dict:
            return await work(account, number)

        @tool(read_only=True, resource_key="account")
        async def read(account: str, number: int) -> dict:
            return await work(account, number)

        @tool(destructive=True)
        async def write_anywhere(account: str, number: int) -> dict:
            return await work(account, number)

        self.box: Toolbox = a_box(write, read, write_anywhere)


def test_reads_run_side_by_side():
    journal = Journal([5] * 4)
    run(
        journal.box.invoke_turn(
            [a_call("read", account="a", number=n) for n in range(4)], journal.box.context()
        )
    )
    assert journal.most == 4


def test_writes_on_different_resources_run_side_by_side_and_on_one_resource_in_order():
    journal = Journal([9, 0, 0, 0])
    turn = [a_call("write", account=account, number=n) for n, account in enumerate("aabb")]
    run(journal.box.invoke_turn(turn, journal.box.context()))
    assert journal.most == 2
    assert [n for phase, account, n in journal.lines if account == "a"] == [0, 0, 1, 1]


def test_a_write_that_does_not_say_what_it_touches_waits_for_all_others():
    journal = Journal([3] * 3)
    names = ["read", "write_anywhere", "write"]
    turn = [a_call(name, account=str(n), number=n) for n, name in enumerate(names)]
    run(journal.box.invoke_turn(turn, journal.box.context()))
    assert journal.most == 1 and [n for phase, _, n in journal.lines if phase == "start"] == [0, 1, 2]


calls = st.lists(
    st.tuples(st.sampled_from(["write", "read", "write_anywhere"]), st.sampled_from("ab")),
    min_size=1,
    max_size=8,
)


@settings(max_examples=examples(60), deadline=None)
@given(calls, st.lists(st.integers(0, 4), min_size=8, max_size=8))
def test_whatever_the_timing_conflicting_calls_keep_their_order_and_results_that_of_the_calls(made, pauses):
    journal = Journal(pauses)
    turn = [a_call(name, account=account, number=n) for n, (name, account) in enumerate(made)]
    results = run(journal.box.invoke_turn(turn, journal.box.context()))
    assert [r.call.output["number"] for r in results] == list(range(len(turn)))
    assert [r.call.id for r in results] == [c.id for c in turn]
    for later in range(len(made)):
        for earlier in range(later):
            if conflicting(made[earlier], made[later]):
                assert position(journal, "end", earlier) < position(journal, "start", later)


def conflicting(one: Any, other: Any) -> bool:
    (name, account) = one
    (other_name, other_account) = other
    if name == other_name == "read":
        return False
    return "write_anywhere" in (name, other_name) or account == other_account


def position(journal: Journal, phase: str, number: int) -> int:
    return next(i for i, (p, _, n) in enumerate(journal.lines) if (p, n) == (phase, number))


def test_a_call_delivered_twice_under_one_id_is_run_once_and_answered_twice():
    journal = Journal([])
    call = a_call("write", account="a", number=1)
    first, second = run(journal.box.invoke_turn([call, call], journal.box.context()))
    assert len(journal.lines) == 2 and first.call.output == second.call.output and second.replayed


def test_another_call_under_a_used_id_is_refused():
    import msgspec

    journal = Journal([])
    call = a_call("write", account="a", number=1)
    other = msgspec.structs.replace(call, arguments={"account": "a", "number": 2})
    first, second = run(journal.box.invoke_turn([call, other], journal.box.context()))
    assert first.outcome == "ok" and (second.outcome, second.error.error) == ("rejected", "conflict")
    assert len(journal.lines) == 2


def test_calls_without_ids_are_all_different():
    import msgspec

    journal = Journal([])
    call = msgspec.structs.replace(a_call("write", account="a", number=1), id="")
    run(journal.box.invoke_turn([call, call], journal.box.context()))
    assert len(journal.lines) == 4


def test_a_turn_without_calls_is_empty():
    journal = Journal([])
    assert run(journal.box.invoke_turn([], journal.box.context())) == []
