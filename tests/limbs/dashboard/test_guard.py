"""What every request passes, and what every answer carries."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from rightcall.core.errors import InfrastructureError
from rightcall.limbs.dashboard.server import LARGEST_BODY, make_app
from rightcall.store.sql.store import Runs
from tests.limbs.dashboard.conftest import HOST

TAGS = "/runs/new/tags"
WRITES = [
    TAGS,
    "/logout",
]


@pytest.mark.parametrize(
    "path", ["/runs", "/runs/new", "/static/style.css", "/nothing", "/over-time?suite=shop"]
)
def test_every_answer_forbids_what_a_page_does_not_need(client, path):
    headers = client.get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"


def test_pages_are_not_kept_by_caches_and_stamped_assets_are(client):
    assert client.get("/runs").headers["cache-control"] == "no-store"
    stamp = client.app.state.assets.stamp
    assert "immutable" in client.get(f"/static/style.css?v={stamp}").headers["cache-control"]


@pytest.mark.parametrize("path", WRITES)
def test_a_change_without_the_pages_token_is_refused(client, store, path):
    answer = client.post(path, data={"tag": "x", "text": "x", "alias": "x"}, headers={"origin": HOST})
    assert answer.status_code == 403
    assert store.runs.get("new").tags == ("baseline",) and store.datasets.versions() == []


@pytest.mark.parametrize("path", WRITES)
def test_a_change_from_another_site_is_refused_even_with_the_token(client, path):
    fields = {"csrf": client.app.state.access.csrf(admitted=True), "tag": "x"}
    for headers in (
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {},
        {"origin": HOST, "sec-fetch-site": "cross-site"},
    ):
        assert client.post(path, data=fields, headers=headers).status_code == 403


def test_a_token_of_another_dashboard_is_worth_nothing(client):
    assert client.post(TAGS, data={"csrf": "0" * 64, "tag": "x"}, headers={"origin": HOST}).status_code == 403


@pytest.mark.parametrize("path", WRITES)
def test_nothing_is_changed_by_reading(client, path):
    assert client.get(path).status_code in (404, 405)


def test_a_body_beyond_the_limit_is_refused_whether_or_not_it_says_its_length(client):
    headers = {"origin": HOST, "content-type": "application/x-www-form-urlencoded"}
    assert client.post(TAGS, content=b"x" * (LARGEST_BODY + 1), headers=headers).status_code == 413
    parts = (b"x" * 1000 for _ in range(LARGEST_BODY // 1000 + 1))
    assert client.post(TAGS, content=parts, headers=headers).status_code == 413


@pytest.mark.parametrize("body", [b"\xff\xfe", b"&" * 1000, b"a=1&" * 100, b"{}"])
def test_a_body_that_is_not_a_form_changes_nothing(client, body):
    headers = {"origin": HOST, "content-type": "application/x-www-form-urlencoded"}
    assert client.post(TAGS, content=body, headers=headers).status_code == 403


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static/..%2fapp.py",
        "/static/",
        "/static",
        "/templates/base.html",
        "/static/style.css/",
        "/static/%00",
        "//etc/passwd",
        "/.rightcall/rightcall.db",
    ],
)
def test_no_path_leads_into_a_folder(client, path):
    assert client.get(path, follow_redirects=False).status_code == 404


def test_a_fault_of_ours_is_a_page_too_with_the_same_headers(store, monkeypatch):
    client = TestClient(make_app(store), base_url=HOST, raise_server_exceptions=False)
    monkeypatch.setattr(Runs, "overview", lambda _runs: 1 / 0)
    answer = client.get("/runs")
    assert (
        answer.status_code == 500 and "Something went wrong" in answer.text and "Traceback" not in answer.text
    )
    assert "default-src 'none'" in answer.headers["content-security-policy"]


def test_a_store_that_does_not_answer_is_reported_as_such(client, store, monkeypatch):
    def down(_runs):
        raise InfrastructureError("store shop.db: disk I/O error")

    monkeypatch.setattr(Runs, "overview", down)
    answer = client.get("/runs")
    assert answer.status_code == 503 and "disk I/O error" in answer.text
