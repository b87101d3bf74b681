"""The page of a case, and what people add to it."""

from __future__ import annotations

import re
from html import unescape

import pytest

from rightcall.store.base import ResultFilter
from tests.limbs.dashboard import shop
from tests.limbs.dashboard.test_run import dangerous_goldens


def first(store, run, **which):
    return next(store.runs.results(run, ResultFilter(**which), limit=1, trajectories=True))


def test_the_argument_that_differs_is_marked_and_the_others_are_not(client, store):
    failed = first(store, "old", code="wrong_value")
    page = client.get(f"/runs/old/case?id={failed.golden_id}").text
    rows = re.findall(r'<tr class="differs" data-mark="different">\s*<td class="name">([^<]*)', page)
    assert rows == [failure.parameter for failure in failed.codes if failure.code == "wrong_value"]


def test_the_transcript_is_there(client, store):
    page = client.get("/runs/old/case?id=smalltalk-00").text
    assert "Thanks, that is all." in page and 'class="message assistant"' in page


def test_without_a_trial_the_first_that_failed_is_shown(client, store):
    failed = first(store, "thrice", outcome="failed")
    page = client.get(f"/runs/thrice/case?id={failed.golden_id}").text
    assert re.search(rf'trial={failed.trial}[^>]*aria-current="page"', page)
    assert page.count(">trial ") == 3


def test_the_filters_of_the_list_lead_to_the_next_case(client, store):
    which = ResultFilter(code="wrong_tool")
    dangerous = dangerous_goldens(store, "old")
    one, two = store.runs.goldens_page("old", which, limit=2, dangerous=dangerous)
    page = client.get(f"/runs/old/case?id={one.golden_id}&code=wrong_tool").text
    assert f'href="/runs/old/case?id={two.golden_id}&amp;code=wrong_tool"' in page
    assert 'data-key="previous"' not in page


@pytest.mark.parametrize("query", ["", "?trial=0", "?id=track-00&trial=9", "?id=track-00&trial=x"])
def test_an_address_that_names_no_case_is_a_mistake_and_no_crash(client, query):
    assert client.get(f"/runs/old/case{query}").status_code == 400
    assert client.get("/runs/old/case?id=nothing").status_code == 404


def test_the_time_is_drawn(client):
    page = client.get("/runs/new/case?id=track-00").text
    assert re.search(
        r'class="waterfall">.*track_shipment.*<rect class="piece tool" x="[\d.]+" width="[\d.]+"', page
    )


def test_a_tag_is_put_on_a_run_and_taken_off(post, store):
    post("/runs/old/tags", {"tag": "first"})
    assert store.runs.get("old").tags == ("first",)
    post("/runs/old/tags?tag=first&remove=1")
    assert store.runs.get("old").tags == ()


@pytest.mark.parametrize("tag", ["", "  ", "x" * 101])
def test_a_tag_the_store_refuses_is_explained(post, tag):
    answer = post("/runs/old/tags", {"tag": tag})
    assert answer.status_code == 400 and "between 1 and 100" in answer.text


def test_the_case_shows_what_the_model_was_given_and_how_to_run_it_again(client, store):
    page = unescape(client.get("/runs/old/case?id=cancel-00").text)
    assert "System prompt" in page and shop.SYSTEM in page
    assert "rightcall run suites/shop.yaml --only cancel-00" in page
    raw = client.get("/runs/old/case/request.json?id=cancel-00").json()
    assert raw["system"] == shop.SYSTEM and {tool["name"] for tool in raw["tools"]} >= {"cancel_order"}


def test_the_history_of_a_golden_leads_to_the_other_runs_of_its_suite(client, store):
    page = client.get("/runs/old/case?id=cancel-00").text
    history = page[page.index('id="history"') :]
    assert 'href="/runs/new/case?id=cancel-00"' in history and "/runs/thrice/" not in history
    assert 'href="/runs/old/case?id=cancel-00"' not in history
