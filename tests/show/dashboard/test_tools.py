"""The tools of a run."""

from __future__ import annotations

from rightcall.show.view.run import run_view
from tests.store.builders import a_result, a_run


def test_each_tool_is_shown_with_its_definition_and_its_numbers(client, store):
    page = client.get("/tools/list?run=old").text
    assert "Cancel an order that was not sent yet." in page and "For example A-1042" in page
    worst = run_view(store, "old").tools[0]
    assert f"<dd>{worst.expected}</dd>" in page and worst.mixed_up_with[0][0] in page


def test_a_tool_neither_expected_nor_called_is_marked(client):
    assert "Neither expected nor called" in client.get("/tools/list?run=thrice").text


def test_lint_has_its_say_about_each_tool(client):
    page = client.get("/tools/list?run=old").text
    assert "TD403" in page and "a retry would refund twice" in page


def test_the_list_comes_after_the_page_the_first_time_and_with_it_later(client):
    assert 'data-part="/tools/list?run=old"' in client.get("/tools?run=old").text
    client.get("/tools/list?run=old")
    assert "a retry would refund twice" in client.get("/tools?run=old").text


def test_the_newest_run_is_shown_when_none_is_named(client):
    assert "going" in client.get("/tools").text


def test_the_page_opens_on_a_run_with_tools(client, store):
    store.runs.begin(a_run("zz-bare", started_at="2027-01-01T00:00:00Z")).add([a_result("one")])
    assert 'href="/runs/going"' in client.get("/tools").text


def test_a_run_without_its_definitions_still_has_a_page(client, store):
    store.runs.begin(a_run("bare")).add([a_result(passed=False)])
    page = client.get("/tools/list?run=bare").text
    assert "were not stored" in page and "get_weather" in page
