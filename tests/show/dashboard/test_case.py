"""The page of a case, and what people add to it."""

from __future__ import annotations

import re
from html import unescape

import msgspec
import pytest

from rightcall.metrics.case_result import result_of
from rightcall.model import CaseResult, ExpectedCall, Golden, ToolCall, Trajectory
from rightcall.show.dashboard.pages.annotations import golden_from
from rightcall.store.base import ResultFilter, StoredCase
from tests.show.dashboard import shop
from tests.show.dashboard.test_run import dangerous_goldens
from tests.store.builders import a_run


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
    which, dangerous = ResultFilter(code="wrong_tool"), dangerous_goldens(store, "old")
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


def test_a_way_back_to_another_site_is_not_taken(post):
    answer = post("/runs/old/tags?back=https://evil.example", {"tag": "x"})
    assert answer.headers["location"].startswith("/")


def test_what_the_agent_did_becomes_a_golden_that_it_passes(client, store):
    failed = first(store, "old", code="wrong_value")
    line = client.get(f"/runs/old/case/golden.jsonl?id={failed.golden_id}&trial=0")
    assert line.headers["content-disposition"] == 'attachment; filename="golden.jsonl"'
    golden = msgspec.json.decode(line.content, type=Golden)
    assert golden.input == next(store.runs.goldens("old", [failed.golden_id]), None).input
    assert result_of(golden, 0, failed.trajectory, {}).passed


def test_a_forbidden_call_is_not_offered_as_a_golden_through_any_door(client, post, store):
    golden = Golden("Hello", id="hello", forbidden_calls=("cancel_order",), extra_calls="allow")
    done = Trajectory(calls=(ToolCall("cancel_order", {"order_id": "A-1"}, id="c", step=0),))
    bad = msgspec.structs.replace(result_of(golden, 0, done, {}), trajectory=done)
    writer = store.runs.begin(a_run("dangerous"))
    writer.add_goldens([golden])
    writer.add([bad])
    page = client.get("/runs/dangerous/case?id=hello").text
    assert "Not offered: this trial has forbidden call" in page and 'name="golden_id"' not in page
    assert client.get("/runs/dangerous/case/golden.jsonl?id=hello").status_code >= 400
    assert post("/runs/dangerous/case/golden?id=hello", {"alias": "x", "golden_id": "y"}).status_code >= 400


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


def test_a_case_without_calls_becomes_a_golden_that_forbids_them(store):
    made = golden_from(store.runs.case("new", "smalltalk-00"), first(store, "new", text="smalltalk-00"))
    assert made.no_calls and made.expected_calls == ()


def test_an_object_that_looks_like_a_matcher_is_expected_literally():
    call = ToolCall("find", {"where": {"regex": "^a"}})
    result = CaseResult("g", 0, True, 1.0, {}, trajectory=Trajectory(calls=(call,)))
    made = golden_from(StoredCase("g", Golden("find it", id="g"), (result,)), result)
    assert made.expected_calls == (ExpectedCall("find", {"where": {"exact": {"regex": "^a"}}}),)
    assert result_of(made, 0, result.trajectory, {}).passed


def test_goldens_gather_in_the_draft_of_a_dataset(post, store):
    for golden_id, name in (("track-00", "a"), ("track-01", "b"), ("track-02", "a")):
        answer = post(f"/runs/old/case/golden?id={golden_id}", {"alias": "regressions", "golden_id": name})
        assert answer.status_code == 200 and "regressions" in answer.text
    assert [golden.id for golden in store.datasets.pull("regressions", finalized=False)] == ["a", "b"]
    assert store.datasets.get("regressions", finalized=False).version == 1


def test_a_golden_needs_the_name_of_a_dataset(post):
    assert post("/runs/old/case/golden?id=track-00", {"alias": " "}).status_code == 400
