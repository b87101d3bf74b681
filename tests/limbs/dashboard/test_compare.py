"""Two runs side by side."""

from __future__ import annotations

import re
from html import unescape

import pytest

from rightcall.limbs.dashboard import views
from rightcall.run.decisions import compare_runs
from tests.store.builders import a_result, a_run


def passes(store, run):
    return {result.golden_id: result.passed for result in store.runs.results(run)}


def test_what_was_fixed_broken_and_stayed_is_counted_as_the_results_say(client, store):
    old = passes(store, "old")
    new = passes(store, "new")
    page = client.get("/compare?before=old&after=new").text
    shown = dict(re.findall(r'>(Fixed|Broken|Still failing|Still passing)<span class="num">(\d+)<', page))
    counted = {
        "Fixed": sum(not old[g] and new[g] for g in old),
        "Broken": sum(old[g] and not new[g] for g in old),
        "Still failing": sum(not old[g] and not new[g] for g in old),
        "Still passing": sum(old[g] and new[g] for g in old),
    }
    assert {word: int(count) for word, count in shown.items()} == counted


@pytest.mark.parametrize("change", ["fixed", "broken", "failing", "passing"])
def test_each_change_lists_its_goldens(client, store, change):
    old = passes(store, "old")
    new = passes(store, "new")
    wanted = {
        "fixed": (False, True),
        "broken": (True, False),
        "failing": (False, False),
        "passing": (True, True),
    }[change]
    page = client.get(f"/compare?before=old&after=new&change={change}").text
    shown = re.findall(r'class="row" href="[^"]*">([^<]*)', page)
    assert shown == [golden for golden in sorted(old) if (old[golden], new[golden]) == wanted][:50]


def test_two_runs_picked_from_a_list_come_in_the_order_of_their_time(client):
    page = client.get("/compare?run=new&run=old").text
    assert page.index('href="/runs/old"') < page.index('href="/runs/new"')


def test_both_transcripts_of_a_golden_are_shown(client):
    page = client.get("/compare/case?before=old&after=new&id=track-00").text
    assert page.count('class="transcript"') == 2


def test_a_golden_of_one_run_only_says_so(client):
    assert "no result in this run" in client.get("/compare/case?before=thrice&after=old&id=track-00").text
    assert client.get("/compare/case?before=thrice&after=old&id=nowhere").status_code == 404
    assert client.get("/compare/case?before=thrice&after=old").status_code == 400


def test_without_two_runs_there_is_a_choice(client):
    page = client.get("/compare?run=old").text
    assert page.count("<select") == 2


def test_other_differences_between_the_runs_are_shown(client):
    assert "tools changed" in client.get("/compare?before=old&after=new").text


def test_the_verdict_is_that_of_the_command(client, store):
    found = compare_runs(store, "old", ["new"], anyway=True)[0].comparison
    page = unescape(client.get("/compare?before=old&after=new").text)
    assert f"p {found.p:.3f}" in page or "p < 0.001" in page
    assert found.sentence[1:] in page


def test_changes_of_tools_and_calls_are_shown_as_differences(client):
    page = unescape(client.get("/compare?before=old&after=new&change=fixed").text)
    assert "<del>Cancel an order that was not sent yet</del>" in page
    assert "<ins>Cancel an order before it is sent</ins>" in page
    assert re.search(r"<del>(no call|\w+\(.*?)</del><ins>\w+\(", page)


def test_three_runs_are_a_matrix_of_the_goldens_on_which_they_differ(client, store):
    store.runs.begin(a_run("third", started_at="2026-06-01T00:00:00Z")).add([a_result("track-00")])
    page = client.get("/compare?run=new&run=third&run=old").text
    assert "3 runs, golden by golden" in page
    assert page.index('href="/runs/old"') < page.index('href="/runs/new"') < page.index('href="/runs/third"')
    old = passes(store, "old")
    new = passes(store, "new")
    assert page.count("<tr data-row>") == len(old) - (old["track-00"] == new["track-00"] is True)


def test_the_verdict_on_large_runs_comes_after_the_page(client, monkeypatch):
    monkeypatch.setattr(views, "AT_ONCE", 10)
    assert 'data-part="/compare/verdict?before=old' in client.get("/compare?before=old&after=new").text
    assert "B is" in client.get("/compare/verdict?before=old&after=new").text
    assert client.get("/compare/verdict?before=old").status_code == 400


def test_the_choice_starts_with_the_two_newest_finished_runs_of_one_suite(client):
    page = client.get("/compare").text
    chosen = re.findall(r'<option value="([^"]*)" selected', page)
    assert chosen == ["old", "new"]
