"""A suite over time."""

from __future__ import annotations

from rightcall.show.dashboard.charts import trend
from rightcall.show.dashboard.pages.over_time import points_of
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
    assert "tools changed" in client.get("/over-time/trend.svg?suite=shop").text


def test_points_carry_the_rates_of_the_runs(store):
    values = trend(points_of(store.runs.page(RunFilter(name="shop"))), "light")["data"]["values"]
    assert [value["rate"] for value in values] == [
        store.runs.get(run).pass_rate for run in ("old", "new", "going")
    ]
    assert all(value["low"] < value["rate"] < value["high"] for value in values)


def test_groups_and_agents_have_lines_too(client):
    assert client.get("/over-time?group=nightly").text.count("data-row") == 4
    assert client.get("/over-time?agent=anthropic%3Amodel-b").text.count("data-row") == 1
    assert "No runs with this name" in client.get("/over-time?suite=nothing").text


def test_every_suite_can_be_chosen(client):
    page = client.get("/over-time").text
    assert "suite=shop" in page and "suite=refunds" in page


def test_a_chart_is_drawn_once(client):
    first = client.get("/over-time/line.svg?suite=shop")
    assert first.headers["content-type"] == "image/svg+xml"
    assert client.get("/over-time/line.svg?suite=shop").text == first.text
    assert client.get("/over-time/line.svg?suite=nothing").status_code == 200
