"""Checks, drift, alarms and goldens from production, through the doors users have."""

import json

import pytest

import rightcall as rc
from rightcall.limbs.monitor.demo import SETTINGS, live_traffic, planted_at, reference_traffic
from rightcall.limbs.monitor.settings import AgentSettings, MonitorSettings
from rightcall.limbs.traces.checks import CheckedAgent, run_checks
from rightcall.limbs.traces.reader import load_traces
from rightcall.limbs.traces.trace import Trace, time_text
from rightcall.records import Annotations, Message, Tool, ToolCall, Trajectory
from rightcall.store.address import open_store
from rightcall.store.base import TraceFilter
from tests.limbs.traces.samples import FOLDER

BOOK = Tool(
    "book",
    "",
    {"type": "object", "properties": {"seats": {"type": "integer"}}, "required": ["seats"]},
    annotations=Annotations(destructive=True),
)
LOOK = Tool("look", annotations=Annotations(read_only=True))


def trace(*calls: ToolCall, output="done", tools=(BOOK, LOOK), **more) -> Trace:
    return Trace("ab" * 16, Trajectory(calls=calls, output=output, **more), tools, "hi", time=1)


def call(name="look", arguments=None, status="ok", **more) -> ToolCall:
    return ToolCall(name, {} if arguments is None else arguments, status=status, **more)


@pytest.mark.parametrize(
    ("check", "found", "bad"),
    [
        ("schema_validity", trace(call("book", {"seats": "two"})), 1),
        ("schema_validity", trace(call("book", {"seats": 2})), 0),
        ("schema_validity", trace(ToolCall("book", None)), None),
        ("schema_validity", trace(call("book"), tools=()), None),
        ("unknown_tool", trace(call("bok")), 1),
        ("unknown_tool", trace(call("bok"), tools=()), None),
        ("malformed_call", trace(ToolCall("look", None, raw="{")), 1),
        ("malformed_call", trace(ToolCall("look", None)), 0),
        ("tool_errors", trace(call(status="error"), call()), 1),
        ("loop", trace(*[call("a"), call("b")] * 3, tools=()), 1),
        ("loop", trace(*[call("a"), call("b")] * 2, tools=()), 0),
        ("loop", trace(*[call("a", {"n": i}) for i in range(26)], tools=()), 1),
        ("loop", trace(*[ToolCall("a", None)] * 3), None),
        ("forbidden", trace(call("delete_account")), 1),
        ("forbidden", trace(call("refund")), 1),
        ("forbidden", trace(call("verify"), call("refund")), 0),
        ("forbidden", trace(call("pay", {"to": "acme"})), 1),
        ("forbidden", trace(call("pay", {"to": "us"})), 0),
        ("forbidden", trace(ToolCall("pay", None)), None),
        ("forbidden", trace(ToolCall("look", None)), 0),
        ("forbidden", trace(stop_reason="infra_error"), None),
        ("no_answer", trace(output="", messages=(Message("user", "x"),)), 1),
        ("no_answer", trace(output=""), None),
        ("truncated", trace(stop_reason="truncated"), 1),
        ("refused", trace(stop_reason="refused"), 1),
        ("refused", trace(stop_reason="filtered"), 1),
        ("no_answer", trace(stop_reason="rejected"), 1),
        ("no_answer", trace(stop_reason="unreadable"), 1),
        ("slow", trace(latency_ms=900.0), 1),
        ("slow", trace(), None),
    ],
)
def test_a_check_says_bad_fine_or_nothing(check, found, bad):
    settings = AgentSettings(
        forbidden_calls=("delete_account",),
        only_after={"refund": "verify"},
        forbidden_args={"pay": {"to": {"text": "ACME", "ignore": ["case"]}}},
    )
    (result,) = run_checks((check,), found, CheckedAgent(settings, {}, slow_ms=500.0))
    assert result.bad == bad


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    store = open_store(tmp_path_factory.mktemp("demo") / "demo.db")
    monitor = rc.Monitor(SETTINGS, store=store)
    monitor.feed(reference_traffic())
    monitor.make_baseline("travel", "2026-11-14", "2026-11-14")
    monitor.feed(live_traffic())
    yield store, monitor
    store.close()


def test_a_planted_drift_is_found_with_its_change_point(demo):
    _, monitor = demo
    (alarm,) = monitor.alarms
    assert (alarm.name, alarm.content["kind"]) == ("tool_errors", "drift")
    assert abs(_minutes(alarm.content["since"]) - _minutes(time_text(planted_at()))) <= 3
    assert alarm.content["evidence"] >= alarm.content["threshold"]


def _minutes(text: str) -> int:
    return int(text[11:13]) * 60 + int(text[14:16])


def test_an_alarm_stays_latched_until_it_is_acknowledged(demo):
    store, monitor = demo
    again = [_later(trace, 3600) for trace in list(live_traffic())[450:]]
    monitor.feed(again)
    assert len(store.traces.alarms(latched=True)) == 1
    store.traces.acknowledge(monitor.alarms[0].key)
    monitor.feed([_later(trace, 7200) for trace in list(live_traffic())[450:]])
    assert len(store.traces.alarms(latched=True)) == 1
    assert len(store.traces.alarms()) == 2


def _later(trace: Trace, by: int) -> Trace:
    import msgspec

    digest = f"{int(trace.trace_id, 16) + by:032x}"[-32:]
    return msgspec.structs.replace(trace, trace_id=digest, time=trace.time + by * 10**9)


def test_the_same_trace_fed_again_is_neither_counted_nor_judged_twice(tmp_path):
    with open_store(tmp_path / "twice.db") as store:
        for _ in range(2):
            rc.Monitor(store=store).feed(load_traces(FOLDER / "otlp_genai_pydantic_ai.json"))
        counts = {count.name: count.seen for count in store.traces.check_counts()}
        assert counts["any"] == 2
        assert len(store.traces.page()) == 2


def test_a_forbidden_call_alarms_at_once_and_once(tmp_path):
    settings = MonitorSettings(
        agents={"demo": AgentSettings(match={"service.name": "demo"}, forbidden_calls=("book",))}
    )
    with open_store(tmp_path / "hard.db") as store:
        monitor = rc.Monitor(settings, store=store)
        monitor.feed(load_traces(FOLDER / "otlp_genai_pydantic_ai.json"))
        assert [alarm.content["kind"] for alarm in monitor.alarms] == ["forbidden"]


def test_equal_behaviour_waits_for_review_once_and_is_counted(tmp_path):
    with open_store(tmp_path / "queue.db") as store:
        first = next(iter(load_traces(FOLDER / "otlp_genai_pydantic_ai.json")))
        rc.Monitor(store=store).feed([_later(first, i) for i in range(5)])
        (queued,) = store.traces.page(TraceFilter(review="queued"))
        assert queued.seen == 5


def test_a_baseline_of_too_few_sessions_is_refused(tmp_path):
    with open_store(tmp_path / "few.db") as store:
        monitor = rc.Monitor(store=store)
        monitor.feed(load_traces(FOLDER / "otlp_genai_pydantic_ai.json"))
        with pytest.raises(rc.errors.InputError, match="a baseline needs 100"):
            monitor.make_baseline("demo", "2026-11-01", "2026-11-30")


def test_old_traces_are_forgotten_but_not_what_waits_for_review(tmp_path):
    import datetime

    with open_store(tmp_path / "old.db") as store:
        monitor = rc.Monitor(SETTINGS, store=store)
        monitor.feed(list(reference_traffic())[:50])
        waiting = len(store.traces.page(TraceFilter(review="queued"), limit=100))
        monitor.forget(datetime.datetime(2027, 12, 1, tzinfo=datetime.UTC))
        assert len(store.traces.page(limit=100)) == waiting
        assert {count.name: count.seen for count in store.traces.check_counts()}["any"] == 50


def test_settings_that_cannot_work_are_reported_all_at_once(tmp_path):
    (tmp_path / "monitor.yaml").write_text(
        "agents: {a: {forbidden_args: {pay: {to: {regex: '('}}}}}\n"
        "checks: [tool_error, loop]\nfalse_alarms: {share: 2, per: soon}\nalerts: [{when: [drift]}]\n"
    )
    with pytest.raises(rc.errors.ConfigError) as caught:
        rc.Monitor(tmp_path / "monitor.yaml", store=tmp_path / "x.db")
    assert len(caught.value.problems) == 5
    assert "did you mean 'tool_errors'?" in caught.value.problems[0]


def test_a_golden_of_a_trace_is_unreviewed_and_expects_what_was_seen():
    golden = next(iter(load_traces(FOLDER / "otlp_genai_pydantic_ai.json"))).golden()
    assert golden.metadata["review"] == {"state": "pending"}
    assert [(c.tool, c.args) for c in golden.expected_calls][-1] == ("book", {"city": "Hanoi", "seats": 2})
    assert golden.metadata["trace"]["trace_id"].startswith("d84faf")
    json.dumps(golden.metadata)
