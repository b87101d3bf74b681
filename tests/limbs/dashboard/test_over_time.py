"""A suite over time."""

from __future__ import annotations

import re

from rightcall.limbs.dashboard.pages.over_time import points_of
from rightcall.store.base import RunFilter


def test_a_change_of_the_tools_is_marked_on_the_line_and_named(client, store):
    page = client.get("/over-time?suite=shop").text
    assert "tools changed" in page and "rewritten" in page and "cancel_order" in page
    points = points_of(store.runs.page(RunFilter(name="shop")))
    assert [(point.run_id, point.tools_changed) for point in points] == [
        ("old", False),
        ("new", True),
        ("going", True),
    ]
    assert re.search(r'class="change"[^>]*><title>tools changed</title>', page)


def test_points_carry_the_rates_of_the_runs(store):
    points = points_of(store.runs.page(RunFilter(name="shop")))
    rates = [point.passing for point in points]
    assert [rate.value for rate in rates] == [
        store.runs.get(run).pass_rate for run in ("old", "new", "going")
    ]


def test_groups_and_agents_have_lines_too(client):
    assert client.get("/over-time?group=nightly").text.count("data-row") == 4
    assert client.get("/over-time?agent=anthropic%3Amodel-b").text.count("data-row") == 1
    assert "No runs with this name" in client.get("/over-time?suite=nothing").text


def test_every_suite_can_be_chosen(client):
    page = client.get("/over-time").text
    assert "suite=shop" in page and "suite=refunds" in page
