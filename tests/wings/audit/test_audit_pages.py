"""Audits in the store, in the dashboard, as files, and their changes as drafts: hostile text included."""

from __future__ import annotations

import html
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

from rightcall.cli.main import cli
from rightcall.datasets.goldens import load_goldens
from rightcall.datasets.review import needs_review
from rightcall.show.dashboard.server import make_app
from rightcall.store.address import open_store
from rightcall.store.sql.store import Store
from tests.wings.audit.shop import TOOLS

HOSTILE = "</script><img src=x onerror=alert(1)>\x1b[31m\u202e"
GOLDENS = [
    {"id": f"refund {HOSTILE}", "input": f"Refund 12.5 euros of order A-17. {HOSTILE}", "extra_calls": "allow",
     "expected_calls": [{"tool": "refund_order"}]},
    {"id": "alarm", "input": "Wake me in 20 minutes.",
     "expected_calls": [{"tool": "set_alarm", "args": {"minutes": 20}}]},
    {"id": "impossible", "input": "Cancel A-2", "max_calls": 0,
     "expected_calls": [{"tool": "cancel_order", "args": {"order_id": "A-2"}}]},
]  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("goldens.jsonl").write_text("\n".join(map(json.dumps, GOLDENS)), encoding="utf-8")
    tools = [
        {"name": t.name, "description": t.description, "input_schema": t.input_schema} for t in TOOLS.values()
    ]
    Path("tools.json").write_text(json.dumps(tools), encoding="utf-8")
    return tmp_path


@pytest.fixture
def store() -> Iterator[Store]:
    with open_store(None) as opened:
        yield opened


def run(*words: str, code: int = 0) -> str:
    result = CliRunner().invoke(cli, [*words], catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result.output


def audit(*words: str) -> str:
    return run("audit", "goldens.jsonl", "--tools", "tools.json", *words)


def test_the_dashboard_shows_the_last_audit_of_a_dataset(folder: Path, store: Store) -> None:
    client = TestClient(make_app(store), base_url="http://127.0.0.1")
    assert "No audits yet" in client.get("/audits").text
    audit()
    listed = client.get("/audits").text
    (entry,) = store.audits.entries()
    assert entry.planted and f"/audits/audit?dataset={entry.fingerprint}" in listed
    shown = client.get("/audits/audit", params={"dataset": entry.fingerprint}).text
    for words in ("refund_order twice passes", "double effect", "Kinds of bugs", "cannot be met"):
        assert words in shown
    assert "<img" not in shown.replace('<img src="/static/mark.svg', "") and "\u202e" not in shown
    assert client.get("/audits/audit", params={"dataset": "zz"}).status_code == 404


def make_drafts(store: Store) -> None:
    """The button of the page: the proposed changes become the draft `goldens audit`."""
    audit()
    client = TestClient(make_app(store), base_url="http://127.0.0.1")
    (entry,) = store.audits.entries()
    page = client.get("/audits/audit", params={"dataset": entry.fingerprint}).text
    token = page.split('action="/audits/draft')[1].split('value="')[1].split('"')[0]
    name = page.split('action="/audits/draft')[1].split('name="')[1].split('"')[0]
    answer = client.post(
        "/audits/draft",
        params={"dataset": entry.fingerprint},
        data={name: token},
        headers={"origin": "http://127.0.0.1"},
        follow_redirects=False,
    )
    assert answer.status_code == 303
    assert client.get(answer.headers["location"]).status_code == 200


def test_changes_become_drafts_that_are_reviewed_and_put_into_the_dataset(folder: Path, store: Store) -> None:
    before = Path("goldens.jsonl").read_bytes()
    make_drafts(store)
    (drafted,) = store.datasets.pull("goldens audit", finalized=False)
    assert needs_review(drafted) and drafted.extra_calls == "forbid"
    assert drafted.metadata["audit"]["catches"]
    run("generate", "review", "goldens audit", "--accept", "all")
    run("generate", "review", "goldens audit", "--finish", "--into", "goldens.jsonl", "-o", "new.jsonl")
    assert Path("goldens.jsonl").read_bytes() == before
    new = {golden.id: golden for golden in load_goldens("new.jsonl")}
    old = {golden.id: golden for golden in load_goldens("goldens.jsonl")}
    assert list(new) == list(old) and new["alarm"] == old["alarm"]
    assert new[drafted.id].extra_calls == "forbid" and "review" not in new[drafted.id].metadata


def test_rejected_drafts_leave_the_golden_as_it_was(folder: Path, store: Store) -> None:
    make_drafts(store)
    run("generate", "review", "goldens audit", "--reject", "all")
    with pytest.raises(Exception, match="none of its goldens has been accepted"):
        run("generate", "review", "goldens audit", "--finish", "--into", "goldens.jsonl", "-o", "new.jsonl")


def test_the_file_works_from_disk_without_scripts_and_escapes_everything(folder: Path) -> None:
    audit("-o", "audit.html")
    page = Path("audit.html").read_text("utf-8")
    assert "refund_order twice passes" in page and "Kinds of bugs" in page
    assert "<script" not in page and "<img" not in page and "\x1b" not in page and "\u202e" not in page
    assert "default-src 'none'" in html.unescape(page) and "prefers-color-scheme: dark" in page


def test_dataset_check_says_what_the_last_audit_found(folder: Path) -> None:
    line = "the last audit: catches"
    assert line not in run("dataset", "check", "goldens.jsonl", "--quality")
    audit()
    assert line in run("dataset", "check", "goldens.jsonl", "--quality")
    Path("goldens.jsonl").write_text(json.dumps(GOLDENS[1]), encoding="utf-8")
    assert line not in run("dataset", "check", "goldens.jsonl", "--quality")


def test_a_part_of_an_audit_is_not_kept(folder: Path, store: Store) -> None:
    for words in (["--operator", "drop_call"], ["--only", "mutants"]):
        audit(*words)
    assert store.audits.entries() == []
