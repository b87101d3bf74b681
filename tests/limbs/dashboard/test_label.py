"""The page on which cases are labelled: the same rules as in the terminal, only from its own origin."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from rightcall.limbs.dashboard.access import Access
from rightcall.limbs.dashboard.server import make_app
from rightcall.store.address import open_store
from tests.limbs.dashboard.conftest import HOST
from tests.support.judged_example import make_run, people_say

FILE = "judging/labels/refund_promised.jsonl"


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    folder = tmp_path_factory.mktemp("judged")
    make_run(folder)
    return folder


@pytest.fixture
def store(example, tmp_path, monkeypatch):
    shutil.copytree(example, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    with open_store() as opened:
        yield opened


@pytest.fixture
def place(store) -> str:
    return f"/runs/{store.runs.get('last').id}/label/refund_promised"


def rows() -> list[dict]:
    path = Path(FILE)
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.is_file() else []


def form(client, address: str) -> dict[str, str]:
    page = client.get(address).text
    return dict(re.findall(r'<input type="hidden" name="(case|seen|shown_at)" value="([^"]*)"', page))


def test_the_run_leads_to_its_metrics_and_they_to_a_case(client, store, place):
    run = place.partition("/label")[0]
    assert f'href="{run}/label"' in client.get(run).text
    assert "refund_promised" in client.get(f"{run}/label").text
    page = client.get(place).text
    assert "0 of 48, rate so far is not shown" in page and "promises the refund" in page
    assert "judge says" not in page.casefold() and "votes against" not in page


def test_an_answer_is_stored_and_leads_to_the_next_case(client, post, place):
    fields = form(client, f"{place}?by=ana")
    answer = post(f"{place}?by=ana", {**fields, "label": "fail", "note": "  no order <b> "})
    assert answer.status_code == 303 and answer.headers["location"] == f"{place}?by=ana"
    (row,) = rows()
    assert (row["label"], row["by"], row["note"]) == ("fail", "ana", "no order <b>")
    assert (
        row["case"]["golden"] == fields["case"] and row["seconds"] >= 0 and row["plan"].startswith("chosen/")
    )
    assert form(client, f"{place}?by=ana")["case"] != fields["case"]
    again = client.get(f"{place}?by=ana&case={fields['case']}").text
    assert "you answered fail" in again and "no order &lt;b&gt;" in again


def test_skipping_and_sharing_out(client, place):
    first = form(client, f"{place}?by=ana")["case"]
    assert form(client, f"{place}?by=ana&after={first}")["case"] != first
    shares = [form(client, f"{place}?by={name}&people=ana,ben")["case"] for name in ("ana", "ben")]
    assert shares[0] != shares[1]
    assert client.get(f"{place}?by=cy&people=ana,ben").status_code == 400


def test_a_verdict_that_is_shown_is_noted(client, post, place):
    assert "The judge says" in client.get(f"{place}?by=ana&judge=1").text
    post(f"{place}?by=ana&judge=1", {**form(client, f"{place}?by=ana"), "label": "pass"})
    assert rows()[0]["saw_judge"]


@pytest.mark.parametrize(
    ("change", "status"),
    [({"label": "maybe"}, 400), ({"label": ""}, 400), ({"case": "nobody"}, 400), ({"seen": "0" * 16}, 400)],
)
def test_an_answer_that_is_none_is_refused(client, post, place, change, status):
    assert post(place, {**form(client, place), "label": "pass", **change}).status_code == status
    assert rows() == []


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1"])
def test_another_origin_cannot_label(client, post, place, origin):
    assert post(place, {**form(client, place), "label": "pass"}, origin=origin).status_code == 403
    assert rows() == []


def test_behind_a_token_only_those_who_have_it_label(store, place):
    locked = TestClient(make_app(store, Access("open sesame")), base_url=HOST)
    assert locked.get(place).status_code == 401
    headers = {"origin": HOST, "authorization": "Bearer wrong"}
    assert locked.post(place, data={"label": "pass", "case": "x"}, headers=headers).status_code in (401, 403)
    assert rows() == []


def test_when_everything_is_answered_the_page_says_what_labels_say(client, post, place):
    while fields := form(client, f"{place}?by=ana&n=24"):
        post(f"{place}?by=ana&n=24", {**fields, "label": people_say(fields["case"])})
    assert (
        len(rows()) == 24
        and "Every case of the plan has an answer" in client.get(f"{place}?by=ana&n=24").text
    )
    listed = client.get(place.removesuffix("/refund_promised")).text
    assert "24 labels: people pass" in listed


def test_a_run_without_its_suite_or_metric_says_so(client, place):
    assert client.get(place.replace("refund_promised", "other")).status_code == 404
    shutil.move("judging", "elsewhere")
    answer = client.get(place)
    assert answer.status_code == 400 and "is not in this folder" in answer.text
