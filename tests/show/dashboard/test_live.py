"""The live page and the page of a trace: what is watched, what was found, what a person decides."""

import msgspec
import pytest

import rightcall as rc
from rightcall.limbs.monitor.demo import SETTINGS, live_traffic, reference_traffic


@pytest.fixture
def watched(store):
    monitor = rc.Monitor(SETTINGS, store=store)
    monitor.feed(list(reference_traffic())[:200])
    monitor.make_baseline("travel", "2026-11-14", "2026-11-14")
    monitor.feed(list(live_traffic())[400:700])
    return store, monitor


def test_an_empty_store_says_how_to_begin(client):
    assert "rightcall monitor serve" in client.get("/live").text


def test_the_live_page_shows_traffic_checks_alarms_and_the_queue(client, watched):
    text = client.get("/live").text
    for word in ("travel", "tool_errors", "Acknowledge", "Waiting for review", "95%"):
        assert word in text


def test_an_alarm_is_acknowledged(client, post, watched):
    store, monitor = watched
    assert post(f"/live/ack?alarm={monitor.alarms[0].key}").status_code == 303
    assert store.traces.alarms(latched=True) == []


def test_a_trace_is_shown_with_its_command_and_taken_out_of_the_queue(client, post, watched):
    store, _ = watched
    row = next(row for row in store.traces.page(limit=500) if row.review == "queued")
    shown = client.get("/live/trace", params={"id": row.trace_id}).text
    assert "book" in shown and f"rightcall traces promote {row.trace_id}" in shown
    assert post(f"/live/trace/drop?id={row.trace_id}").status_code == 303
    assert store.traces.get(row.trace_id).row.review == "dropped"


def test_what_a_trace_says_is_only_text(client, watched):
    _store, monitor = watched
    first = next(iter(live_traffic(7)))
    bad = "<script>alert(1)</script>"
    hostile = msgspec.structs.replace(first, trace_id="f" * 32, input=bad, agent=bad, model=bad)
    monitor.feed(hostile)
    text = client.get("/live/trace", params={"id": "f" * 32}).text
    assert bad not in text
    assert "&lt;script&gt;" in text
