"""Who may see the dashboard."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from rightcall.limbs.dashboard.access import COOKIE, Access, is_loopback
from rightcall.limbs.dashboard.server import make_app
from tests.limbs.dashboard.conftest import HOST

TOKEN = "open sesame"


@pytest.fixture
def locked_client(store):
    return TestClient(make_app(store, Access(TOKEN)), base_url=HOST, follow_redirects=False)


def test_no_token_is_required_on_loopback(client):
    assert client.get("/runs").status_code == 200


@pytest.mark.parametrize("path", ["/runs", "/runs/new", "/runs/new/case?id=track-00", "/over-time"])
def test_without_the_token_no_page_is_shown(locked_client, path):
    answer = locked_client.get(path)
    assert answer.status_code == 401
    assert "shop" not in answer.text


def test_a_browser_is_led_to_the_form(locked_client):
    answer = locked_client.get("/runs", headers={"accept": "text/html"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/login")
    assert "shop.db" not in locked_client.get("/login").text


def test_the_token_in_the_address_becomes_a_cookie_that_scripts_and_other_sites_cannot_use(locked_client):
    answer = locked_client.get(f"/?token={TOKEN}")
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=strict" in cookie and TOKEN not in cookie
    assert locked_client.get("/runs").status_code == 200


@pytest.mark.parametrize("token", ["", "open sesamf", "open sesame ", "ö", TOKEN * 2])
def test_a_wrong_token_opens_nothing(locked_client, token):
    assert locked_client.get("/", params={"token": token}).status_code == 401
    assert COOKIE not in locked_client.cookies


def test_a_made_up_cookie_opens_nothing(locked_client):
    locked_client.cookies.set(COOKIE, "0" * 64)
    assert locked_client.get("/runs").status_code == 401


def test_a_script_may_send_the_token_as_a_header(locked_client):
    assert locked_client.get("/runs", headers={"authorization": f"Bearer {TOKEN}"}).status_code == 200


def test_the_form_takes_the_token_and_says_when_it_is_wrong(locked_client):
    csrf = locked_client.app.state.access.csrf(admitted=False)
    wrong = locked_client.post("/login", data={"csrf": csrf, "token": "guess"}, headers={"origin": HOST})
    assert wrong.status_code == 401 and "Invalid token" in wrong.text
    right = locked_client.post("/login", data={"csrf": csrf, "token": TOKEN}, headers={"origin": HOST})
    assert right.headers["location"] == "/runs" and locked_client.get("/runs").status_code == 200


def test_logging_out_forgets_the_cookie(locked_client):
    locked_client.get(f"/?token={TOKEN}")
    csrf = locked_client.app.state.access.csrf(admitted=True)
    locked_client.post("/logout", data={"csrf": csrf}, headers={"origin": HOST})
    assert locked_client.get("/runs").status_code == 401


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", "evil.example:8765", "127.0.0.1.evil.example", "", "localhost.evil"),
        *("127.0.0.1/login?", "x@127.0.0.1", "localhost#", "127.0.0.1\\login"),
    ],
)
def test_a_name_that_is_not_ours_is_refused_so_that_rebinding_it_reaches_nothing(client, host):
    answer = client.get("/runs", headers={"host": host})
    assert answer.status_code == 421 and "shop" not in answer.text


@pytest.mark.parametrize(
    "host", ["localhost:8765", "127.0.0.1", "[::1]:8765", "192.168.1.7:8765", "LOCALHOST"]
)
def test_addresses_and_names_of_this_machine_are_ours(client, host):
    assert client.get("/runs", headers={"host": host}).status_code == 200


def test_another_name_can_be_allowed(store):
    client = TestClient(
        make_app(store, Access(names=["evals.team.example"])), base_url="http://evals.team.example"
    )
    assert client.get("/runs").status_code == 200


@pytest.mark.parametrize(
    ("host", "alone"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.1.7", False),
        ("example.org", False),
    ],
)
def test_loopback_is_distinguished_from_other_interfaces(host, alone):
    assert is_loopback(host) is alone
