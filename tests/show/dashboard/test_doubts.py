"""Doubted goldens in the dashboard: what speaks against each; keep, edit, drop; whatever is in them."""

from __future__ import annotations

import re

import pytest

from rightcall.datasets.review import review_of
from rightcall.improve.doubt_decisions import decisions, marks_of_kept
from rightcall.improve.golden_doubts import suite_doubts
from rightcall.model import CaseResult, ExpectedCall, Golden, Run, ToolCall, Trajectory
from tests.show.dashboard.test_hostile import EVIL

RIGHT = [
    Golden(f"Alarm in {n} minutes", id=f"right-{n}", expected_calls=(ExpectedCall("alarm", {"minutes": n}),))
    for n in range(3, 7)
]
WRONG = Golden("Alarm in 20 minutes", id="wrong", expected_calls=(ExpectedCall("alarm", {"minutes": 21}),))
ODD = Golden(EVIL, id=EVIL, expected_calls=(ExpectedCall("alarm", {"minutes": 1}),))


@pytest.fixture
def doubted(store):
    """Three agents of different makers that agree about two goldens of the suite `alarms`."""
    for agent in ("openai:gpt-5", "anthropic:claude-4", "gemini:pro-3"):
        run = Run(
            f"alarms-{agent[:3]}", "alarms", f"2026-11-1{len(agent) % 9}T10:00:00Z", agent, group="alarms"
        )
        writer = store.runs.begin(run)
        results = []
        for golden in (*RIGHT, WRONG, ODD):
            is_right = golden in RIGHT
            minutes = golden.expected_calls[0].args["minutes"] if is_right else 20
            trajectory = Trajectory(calls=(ToolCall("alarm", {"minutes": minutes}),))
            results.append(CaseResult(golden.id, 0, is_right, float(is_right), {}, trajectory=trajectory))
        writer.add_goldens((*RIGHT, WRONG, ODD))
        writer.add(results)
        store.runs.finish(run.id, None)
    return store


def seen(client, golden_id="wrong"):
    body = client.get("/doubts/alarms/golden", params={"id": golden_id}).text
    return re.search(r'name="seen" value="(\w+)"', body).group(1)


def decision(client, post, word, golden_id="wrong"):
    fields = {"decision": word, "seen": seen(client, golden_id), "author": "Lan"}
    return post("/doubts/alarms/golden/decide?id=wrong", fields)


def draft(store):
    return {golden.id: golden for golden in store.datasets.pull("alarms", finalized=False)}


def test_suites_and_their_doubted_goldens_are_listed(client, doubted):
    assert 'href="/doubts/alarms"' in client.get("/doubts").text
    body = client.get("/doubts/alarms").text
    assert (
        "likely wrong" in body
        and "3 of 3 agents, of 3 makers, agree; none passes" in body
        and "right-3" not in body
    )


def test_a_golden_shows_what_agents_do_and_what_could_change(client, doubted):
    body = client.get("/doubts/alarms/golden?id=wrong").text
    assert "alarm.minutes: the golden expects 21, they pass 20" in body
    assert "any_of" in body and "anthropic:claude-4" in body
    assert [f'data-press="{key}"' in body for key in "aer"] == [True] * 3


def test_a_kept_golden_is_not_doubted_again(client, post, doubted):
    before = suite_doubts(doubted, "alarms").doubts["wrong"]
    answer = decision(client, post, "keep")
    assert answer.status_code == 303 and answer.headers["location"].startswith("/doubts/alarms/golden?id=")
    assert {doubt.mark for doubt in before} <= marks_of_kept(doubted)
    assert "keep" in client.get("/doubts/alarms").text
    assert decision(client, post, "undo").status_code == 303
    assert marks_of_kept(doubted) == frozenset()


def test_an_edit_is_a_draft_with_the_change_and_the_run_stays(client, post, doubted):
    answer = decision(client, post, "edit")
    assert answer.headers["location"] == "/drafts/alarms/golden?id=wrong"
    assert client.get(answer.headers["location"]).status_code == 200
    edited = draft(doubted)["wrong"]
    assert (
        edited.any_of == ((ExpectedCall("alarm", {"minutes": 20}),),)
        and edited.expected_calls == WRONG.expected_calls
    )
    assert review_of(edited).state == "accepted" and len(draft(doubted)) == 6
    assert decisions(doubted)[seen(client)].decision == "edit" and marks_of_kept(doubted) == frozenset()


def test_a_dropped_golden_is_not_in_the_draft(client, post, doubted):
    decision(client, post, "drop")
    assert "wrong" not in draft(doubted) and len(draft(doubted)) == 5


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"decision": "keep", "seen": "stale"}, "has changed since"),
        ({"decision": "burn"}, "must be one of keep"),
    ],
)
def test_a_wrong_form_changes_nothing(client, post, doubted, fields, why):
    answer = post("/doubts/alarms/golden/decide?id=wrong", {"seen": seen(client), **fields})
    assert answer.status_code == 400 and why in answer.text
    assert decisions(doubted) == {} and doubted.datasets.versions("alarms") == []


def test_only_forms_of_the_dashboard_decide(client, doubted):
    fields = {"decision": "drop", "seen": seen(client)}
    assert client.post("/doubts/alarms/golden/decide?id=wrong", data=fields).status_code == 403
    assert client.get("/doubts/alarms/golden/decide?id=wrong").status_code in (404, 405)
    assert decisions(doubted) == {}


def test_hostile_texts_stay_text(client, doubted):
    for body in (
        client.get("/doubts/alarms").text,
        client.get("/doubts/alarms/golden", params={"id": EVIL}).text,
    ):
        assert "<script>alert" not in body and "<img src=x" not in body


def test_what_is_not_there_is_said(client, doubted):
    assert client.get("/doubts/alarms/golden?id=nope").status_code == 404
    assert client.get("/doubts/nowhere").status_code == 404
