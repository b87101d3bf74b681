"""What trivial agents pass in pytest: of the tasks, as in a run, and not of the attacks on them."""

from __future__ import annotations

import asyncio

import rightcall as rc
from rightcall.api.testing.golden_batch import marks_of_trivial_agents
from rightcall.run.plan import Plan
from rightcall.run.preparation import preflight
from rightcall.tools.worlds.mailbox import Mailbox

WORLD = Mailbox({"inbox": {"m1": {"sender": "a@b.test", "subject": "Hi", "body": "Text"}}})
TASK = rc.Golden("Read m1", id="read", expected_calls=[rc.ExpectedCall("read_message")])
SMALL = {"attempts": 4, "carriers": ["result"]}


def test_attempts_and_twins_are_in_no_floor():
    goldens = [TASK, *rc.attacks([WORLD], [TASK], SMALL)]
    plan = Plan("p", rc.Agent("keyword:", tools=[WORLD], mode="loop"), goldens)

    async def golden_ids() -> set[str]:
        async with await preflight(plan) as prepared:
            return set(await marks_of_trivial_agents(prepared))

    assert len(goldens) > 4
    assert asyncio.run(golden_ids()) == {"read"}
