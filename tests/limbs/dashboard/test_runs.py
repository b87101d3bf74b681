"""The list of runs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from starlette.testclient import TestClient

from rightcall.limbs.dashboard.pages.runs import ON_A_PAGE
from rightcall.limbs.dashboard.server import make_app
from rightcall.show.view.summary import state_of
from rightcall.store.address import open_store
from tests.limbs.dashboard.conftest import HOST
from tests.store.builders import a_run


def test_every_run_is_listed_with_how_it_stands(client):
    page = client.get("/runs").text
    for run, word in (("old", "fail"), ("new", "pass"), ("going", "running")):
        assert f'href="/runs/{run}"' in page and f">{word}</span>" in page
    assert "Share of cases that passed, run by run" in page


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("text=NEW", {"new"}),
        ("name=refunds", {"thrice"}),
        ("agent=anthropic%3Amodel-b", {"new"}),
        ("tag=baseline", {"new"}),
        ("state=unfinished", {"going"}),
        ("group=nightly", {"old", "new", "thrice", "going"}),
        ("state=odd", {"old", "new", "thrice", "going"}),
        ("text=100%25", set()),
    ],
)
def test_filters_narrow_the_list(client, query, found):
    page = client.get(f"/runs?{query}").text
    assert {run for run in ("old", "new", "thrice", "going") if f'href="/runs/{run}"' in page} == found


def test_a_page_leads_to_the_older_ones_and_no_run_is_shown_twice(tmp_path):
    with open_store(tmp_path / "many.db") as store:
        for n in range(ON_A_PAGE + 3):
            store.runs.begin(a_run(f"r{n:03}"))
        client = TestClient(make_app(store), base_url=HOST)
        first = client.get("/runs").text
        assert f"after=r{3:03}" in first
        second = client.get("/runs?after=r003").text
        assert second.count("data-row") == 3 and 'href="/runs/r002"' in second


def test_an_empty_store_says_what_to_type(tmp_path):
    with open_store(tmp_path / "empty.db") as store:
        client = TestClient(make_app(store), base_url=HOST)
        for path in ("/runs", "/over-time", "/compare"):
            assert client.get(path).status_code == 200
        assert "rightcall run SUITE" in client.get("/runs").text


def test_a_run_without_recent_writes_is_shown_as_stopped(store):
    run = store.runs.get("going")
    now = datetime.now(UTC)
    assert state_of(run, now).word == "running"
    assert state_of(run, now + timedelta(minutes=10)).word == "stopped"
