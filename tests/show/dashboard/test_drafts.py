"""Review of drafts in the dashboard: decide, edit, comment, write, finalize; by keyboard, in the dark, whatever is in them."""

from __future__ import annotations

import html
import re

import pytest

from rightcall.datasets.review import review_of
from rightcall.model import ConversationalGolden, ExpectedCall, Golden, Turn
from tests.show.dashboard.test_hostile import EVIL

DRAFTS = [
    Golden(
        "Set a timer for 5 minutes", id="timer", expected_calls=(ExpectedCall("set_timer", {"minutes": 5}),)
    ),
    Golden("Thanks!", id="thanks", no_calls=True, category="negative"),
    Golden("Play Yesterday", id="song", expected_calls=(ExpectedCall("play_song", {"title": "Yesterday"}),)),
]


@pytest.fixture
def shelf(store):
    store.datasets.push("mine", DRAFTS, finalized=False)
    return store


def seen(client, golden_id):
    body = client.get("/drafts/mine/golden", params={"id": golden_id}).text
    return re.search(r'name="seen" value="(\w+)"', body).group(1)


def state(store, golden_id):
    return review_of(next(g for g in store.datasets.pull("mine", finalized=False) if g.id == golden_id)).state


def test_a_draft_is_listed_with_what_is_left_to_decide(client, shelf):
    assert "mine" in client.get("/drafts").text
    body = client.get("/drafts/mine").text
    assert "Set a timer for 5 minutes" in body and "pending 3" in body


@pytest.mark.parametrize("decision", ["accepted", "rejected"])
def test_a_decision_is_kept_and_leads_to_the_next_that_is_pending(client, post, shelf, decision):
    answer = post(
        "/drafts/mine/golden/decide?id=timer",
        {"state": decision, "seen": seen(client, "timer"), "author": "Lan"},
    )
    assert answer.status_code == 303 and answer.headers["location"] == "/drafts/mine/golden?id=thanks"
    assert state(shelf, "timer") == decision


def test_a_decision_about_what_somebody_changed_meanwhile_is_refused(client, post, shelf):
    mark = seen(client, "timer")
    text = '{"input": "Set a timer for 6 minutes", "expected_calls": [{"tool": "set_timer", "args": {"minutes": 6}}]}'
    assert post("/drafts/mine/golden/edit?id=timer", {"text": text, "seen": mark}).status_code == 303
    answer = post("/drafts/mine/golden/decide?id=timer", {"state": "accepted", "seen": mark})
    assert answer.status_code == 400 and "someone else has changed" in answer.text
    assert state(shelf, "timer") == "pending"


def test_an_edit_that_is_not_a_golden_changes_nothing(client, post, shelf):
    answer = post(
        "/drafts/mine/golden/edit?id=timer", {"text": '{"inptu": "x"}', "seen": seen(client, "timer")}
    )
    assert answer.status_code == 400 and "inptu" in answer.text
    assert next(shelf.datasets.pull("mine", finalized=False)) == DRAFTS[0]


def test_only_accepted_goldens_become_final_and_pending_ones_stay_drafts(client, post, shelf):
    post("/drafts/mine/golden/decide?id=timer", {"state": "accepted", "seen": seen(client, "timer")})
    post("/drafts/mine/golden/decide?id=thanks", {"state": "rejected", "seen": seen(client, "thanks")})
    assert post("/drafts/mine/finalize").status_code == 200
    assert [golden.id for golden in shelf.datasets.pull("mine")] == ["timer"]
    assert [golden.id for golden in shelf.datasets.pull("mine", finalized=False)] == ["timer", "song"]


def test_a_draft_may_be_finalized_as_it_is(post, shelf):
    assert post("/drafts/mine/finalize", {"as_is": "1"}).status_code == 200
    assert len(list(shelf.datasets.pull("mine"))) == 3


def test_nothing_accepted_is_nothing_to_finalize(post, shelf):
    answer = post("/drafts/mine/finalize")
    assert answer.status_code == 400 and "none of its 3 goldens are accepted" in answer.text


def test_a_golden_written_by_hand_is_accepted(post, shelf):
    answer = post(
        "/drafts/mine/new", {"text": '{"id": "hand", "input": "Hello", "no_calls": true}', "author": "Lan"}
    )
    assert answer.status_code == 303 and state(shelf, "hand") == "accepted"
    assert post("/drafts/mine/new", {"text": '{"id": "hand", "input": "Hello"}'}).status_code == 400


def test_conversations_show_their_turns(client, store):
    turn = Turn("user", "Where is A-7?", expected_calls=(ExpectedCall("find_order", {"order_id": "A-7"}),))
    store.datasets.push("talks", [ConversationalGolden("A refund", id="t", turns=(turn,))], finalized=False)
    body = client.get("/drafts/talks/golden?id=t").text
    assert "Where is A-7?" in body and "find_order" in body


def test_nothing_in_a_draft_becomes_markup(client, store):
    call = ExpectedCall(EVIL, {EVIL: EVIL})
    evil = Golden(
        EVIL,
        id=EVIL,
        expected_calls=(call,),
        tags=(EVIL,),
        comments=EVIL,
        metadata={"generated": {EVIL: EVIL}},
    )
    store.datasets.push("evil", [evil], finalized=False)
    for address, query in (("/drafts/evil", {}), ("/drafts/evil/golden", {"id": EVIL})):
        answer = client.get(address, params=query)
        assert answer.status_code == 200
        assert (
            "<script>window" not in answer.text
            and "<img src=x" not in answer.text
            and "<svg/onload" not in answer.text
        )


def test_what_is_edited_comes_back_as_it_was(client, store):
    tricky = Golden("a < b & “c” \u200d</textarea>", id="x", no_calls=True)
    store.datasets.push("t", [tricky], finalized=False)
    body = client.get("/drafts/t/golden?id=x").text
    text = re.search(r'rows="14"[^>]*>(.*?)</textarea>', body, re.DOTALL).group(1)
    assert "a < b & “c” \u200d</textarea>" in html.unescape(text)


@pytest.mark.parametrize("address", ["/drafts/none", "/drafts/mine/golden?id=none", "/drafts/mine/golden"])
def test_what_is_not_there_is_not_found(client, shelf, address):
    assert client.get(address).status_code == 404


def test_a_change_without_the_token_of_the_page_is_refused(client, shelf):
    assert client.post("/drafts/mine/finalize", data={}).status_code == 403


def test_a_golden_without_a_category_has_no_empty_fact(client, store):
    store.datasets.push("mine", DRAFTS, finalized=False)
    page = client.get("/drafts/mine/golden?id=timer").text
    assert "<span>None</span>" not in page
