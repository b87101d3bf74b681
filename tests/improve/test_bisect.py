"""`compare --bisect`: the change that broke goldens is the one whose undoing repairs them."""

from __future__ import annotations

import asyncio

import msgspec
import pytest
from benchmarks.planted import planted
from benchmarks.planted_suites.domains import HELD_OUT
from benchmarks.planted_suites.provider import ReadingModel
from benchmarks.planted_suites.suites import clean_suite

from rightcall.agents.agent import Agent
from rightcall.improve.attribution import what_changed
from rightcall.improve.bisection import bisect_changes, undone
from rightcall.improve.changes import run_changes
from rightcall.improve.run_setup import RunRecord
from rightcall.run.plan import Plan
from rightcall.run.runner import run_plan
from rightcall.store.address import open_store


@pytest.mark.stories
def test_undoing_the_change_that_broke_goldens_repairs_them(tmp_path):
    broken, (truth,) = planted(HELD_OUT[0], ["unit"], "bisect", 12)
    clean = clean_suite(HELD_OUT[0], "bisect")
    other = next(tool for tool in broken.tools if tool.name not in truth.tools)
    longer = msgspec.structs.replace(other, description=f"{other.description} Its answer is short.")
    after = [longer if tool is other else tool for tool in broken.tools]
    with open_store(tmp_path / "s.db") as store:
        ids = []
        for tools in (clean.tools, after):
            agent = Agent(ReadingModel(broken, 0.03, str(len(ids))), tools=tools, system=broken.system)
            plan = Plan("p", agent, broken.goldens, trials=3)
            ids.append(asyncio.run(run_plan(plan, store)).run.id)
        changed = what_changed(store, store.runs.get(ids[0]), store.runs.get(ids[1]))
        found = asyncio.run(bisect_changes(plan, store, changed))
    assert (found[0].place, found[0].caused) == (
        f"{truth.tools and next(iter(truth.tools))}.{truth.parameter}",
        True,
    )
    assert found[0].without > found[0].with_change + 0.4
    assert not any(one.caused for one in found[1:])


def test_every_change_of_words_or_schemas_can_be_undone():
    for name in ("unit", "enum", "date", "required", "narrow", "contrast", "parameter", "parameters"):
        broken, _ = planted(HELD_OUT[1], [name], "undo", 7)
        before, after = clean_suite(HELD_OUT[1], "undo").tools, broken.tools
        left = after
        for item in run_changes(RunRecord("a", "m", tuple(before)), RunRecord("b", "m", tuple(after))):
            left, _ = undone(item, before, left, "")
        text = [(t.name, t.description.rstrip("."), sorted(t.input_schema["required"])) for t in left]
        assert text == [
            (t.name, t.description.rstrip("."), sorted(t.input_schema["required"])) for t in before
        ]
