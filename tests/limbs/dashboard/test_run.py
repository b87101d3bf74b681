"""The page of a run."""

from __future__ import annotations

import re
from html import unescape

import msgspec
import pytest

from rightcall.limbs.dashboard import views
from rightcall.limbs.dashboard.links import segment
from rightcall.show.view.run import run_view
from rightcall.store.base import ResultFilter
from rightcall.store.sql import results
from tests.store.builders import a_result, a_run


def danger_first(store, results):
    """Ids of results with one trial each, in the order of the list."""
    dangerous = dangerous_goldens(store, "old")
    ordered = sorted(results, key=lambda result: (result.golden_id not in dangerous, result.passed))
    return [result.golden_id for result in ordered]


def dangerous_goldens(store, run):
    return store.runs.failures(run).dangerous_goldens(store.tools_of(store.runs.get(run)))


def test_the_page_shows_what_the_view_says(client, store):
    page = unescape(client.get("/runs/old").text)
    view = run_view(store, "old")
    assert f"{view.summary.total.pass_rate * 100:.1f}%" in page
    for row in view.tools:
        assert row.name in page
    for group in view.failures:
        assert group.title in page and f"code={group.code}" in page


@pytest.mark.parametrize(
    ("query", "check"),
    [
        ("outcome=failed", lambda r: not r.passed),
        ("outcome=passed", lambda r: r.passed),
        ("category=negative", lambda r: r.category == "negative"),
        ("code=wrong_tool", lambda r: any(f.code == "wrong_tool" for f in r.codes)),
        ("text=refund", lambda r: "refund" in r.golden_id),
        ("tool=cancel_order", lambda r: any(f.tool == "cancel_order" for f in r.codes)),
        ("code=nonsense", lambda r: True),
        ("metric=tool_f1", lambda r: not r.metrics["tool_f1"].passed),
    ],
)
def test_filters_narrow_the_cases(client, store, query, check):
    page = client.get(f"/runs/old/cases?{query}").text
    shown = re.findall(r'class="row" href="[^"]*">([^<]*)', page)
    fitting = danger_first(store, (result for result in store.runs.results("old") if check(result)))
    assert shown == fitting[: 15 if "nonsense" in query else 50]


def test_more_cases_follow_on_the_next_page(client, store):
    listed = danger_first(store, store.runs.results("old"))
    page = client.get("/runs/old").text
    more = unescape(re.search(r'rel="next" href="([^"]*)#cases"', page)[1])
    rest = re.findall(r'class="row" href="[^"]*">([^<]*)', client.get(more).text)
    assert rest == listed[15:65]


def test_the_trials_of_a_golden_are_one_row(client, store):
    page = client.get("/runs/thrice/cases").text
    goldens = {result.golden_id for result in store.runs.results("thrice")}
    assert page.count("data-row") == len(goldens)
    assert re.search(r">[012] of 3</span>", page) and ">3 of 3</span>" in page


def test_the_verdict_is_a_sentence(client, store):
    summary = msgspec.structs.replace(
        store.runs.get("old").run.summary, word="FAIL", reason="71% is too little"
    )
    store.runs.begin(a_run("gated")).add([a_result("one", passed=False)])
    store.runs.finish("gated", summary, "FAIL")
    page = client.get("/runs/gated").text
    assert re.search(r"<b>FAIL</b> 71% is too little", page)
    assert "cases passed</p>" in client.get("/runs/new").text


def test_a_large_run_is_added_up_after_the_page_is_there(client, monkeypatch):
    monkeypatch.setattr(views, "AT_ONCE", 10)
    assert 'data-part="/runs/old/insights"' in client.get("/runs/old").text
    assert "Why cases failed" in client.get("/runs/old/insights").text
    assert "data-part" not in client.get("/runs/old").text  # by now it is at hand


def test_a_run_in_progress_tells_how_far_it_is(client, store):
    before = client.get("/runs/going/live").json()
    assert (before["finished"], before["results"], before["planned"]) == (False, 39, 76)
    store.runs.resume("going").add([a_result("track-11")])
    after = client.get("/runs/going/live").json()
    assert after["results"] == 40 and after["seen"] != before["seen"]
    store.runs.finish("going", None, "PASS", early=True)
    assert client.get("/runs/going/live").json()["finished"]


def test_the_view_is_worked_out_again_when_the_run_grew(client, store):
    assert "39" in client.get("/runs/going").text
    store.runs.resume("going").add([a_result("zzz", passed=False)])
    assert "id=zzz" in client.get("/runs/going?outcome=failed&text=zzz").text


def test_runs_with_odd_ids_can_be_opened(client, store):
    for odd in ("a/b", "..", "~x", "%2e", "ă ê", "a?b#c"):
        store.runs.begin(a_run(odd)).add([a_result("one")])
        assert client.get(f"/runs/{segment(odd)}").status_code == 200
        assert client.get(f"/runs/{segment(odd)}/case?id=one").status_code == 200


def test_a_run_that_is_not_there_is_a_page_that_says_so(client):
    answer = client.get("/runs/nothing")
    assert answer.status_code == 404 and "no run matches" in answer.text


def test_numbers_that_vary_over_the_cases_are_drawn(client):
    page = client.get("/runs/old/insights").text
    drawn = [name for name in ("score", "time of a case", "cost") if f'aria-label="Cases by {name}"' in page]
    assert drawn == ["score", "time of a case"]  # every case cost the same


def test_what_takes_too_long_to_count_is_not_counted(client, monkeypatch):
    assert re.search(r"76 of\s+76", client.get("/runs/old?text=-0").text) is None
    monkeypatch.setattr("rightcall.limbs.dashboard.pages.runs.COUNTED", 10)
    assert "many of 76" in client.get("/runs/old?text=-").text
    assert "12 of 76" in client.get("/runs/old?text=refund-").text


@pytest.mark.parametrize("text", ["GARDEN", "refund-0", "nowhere", "100%_"])
def test_a_search_finds_the_same_in_small_and_large_runs(store, monkeypatch, text):
    found = []
    for looked_up in (0, 10_000):
        monkeypatch.setattr(results, "LOOKED_UP", looked_up)
        found.append(store.runs.goldens_page("old", ResultFilter(text=text), limit=200))
    assert found[0] == found[1] and bool(found[0]) == (text in ("GARDEN", "refund-0"))
