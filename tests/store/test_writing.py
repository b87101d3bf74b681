"""Results are stored once, whole, and before `add` returns."""

from __future__ import annotations

import asyncio
import math
import zlib

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from rightcall.core.errors import InputError
from rightcall.records import (
    CaseResult,
    ConversationalGolden,
    Failure,
    Golden,
    Message,
    Score,
    Summary,
    ToolCall,
    Trajectory,
    Usage,
)
from rightcall.records.run import GroupSummary
from rightcall.store.base import ResultFilter, changes
from rightcall.store.sql.record_bytes import SHORT, compress_json, decompress_json

from .builders import a_result, a_run

hostile = st.text(
    st.one_of(st.sampled_from("\x00\x1a\x1b0'\"\\%_😀é\u202e"), st.characters(exclude_categories=["Cs"]))
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | hostile,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(hostile, inner, max_size=3),
    max_leaves=6,
)
numbers = st.floats(allow_nan=False, allow_infinity=False)
failures = st.builds(Failure, st.just("wrong_value"), hostile, hostile, values, values, hostile)
scores = st.builds(Score, numbers, st.booleans(), hostile, st.tuples(failures) | st.just(()), hostile)
calls = st.builds(ToolCall, hostile, st.dictionaries(hostile, values, max_size=3), hostile, output=values)
trajectories = st.builds(
    Trajectory, st.tuples(st.builds(Message, st.just("user"), hostile)), st.tuples(calls), hostile
)
results = st.builds(
    CaseResult,
    golden_id=hostile.filter(lambda text: len(text) < 100),
    trial=st.integers(0, 2**31),
    passed=st.booleans(),
    score=numbers,
    metrics=st.dictionaries(hostile, scores, max_size=3),
    codes=st.lists(failures, max_size=2).map(tuple),
    error=hostile,
    latency_ms=st.none() | numbers,
    usage=st.builds(Usage, st.integers(0, 2**62), st.integers(0, 2**62), st.none() | numbers),
    trajectory=st.none() | trajectories,
    first_request=hostile,
)


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(result=results)
def test_every_result_comes_back_as_it_was(shared, result):
    writer = shared.runs.begin(a_run())
    assert writer.add([result]) == {(result.golden_id, result.trial)}
    assert (
        shared.runs.results_of(writer.run_id, [(result.golden_id, result.trial)], trajectories=True)[
            result.golden_id, result.trial
        ]
        == result
    )


def test_a_result_that_is_there_stays_as_it_was(shared):
    writer = shared.runs.begin(a_run())
    assert writer.add([a_result("a"), a_result("a", passed=False), a_result("b")]) == {
        ("a", 0),
        ("b", 0),
    }
    assert writer.add([a_result("b", passed=False), a_result("c")]) == {("c", 0)}
    assert [r.passed for r in shared.runs.results(writer.run_id)] == [True, True, True]
    assert shared.runs.get(writer.run_id).results == 3


def test_a_batch_of_a_thousand_with_one_double_stores_the_rest(shared):
    writer = shared.runs.begin(a_run())
    writer.add([a_result("g-0500")])
    new = writer.add([a_result(f"g-{number:04}") for number in range(1000)])
    assert new == {(f"g-{number:04}", 0) for number in range(1000)} - {("g-0500", 0)}
    assert len(list(shared.runs.results(writer.run_id))) == 1000


def test_the_run_counts_its_results_while_it_is_written(shared):
    writer = shared.runs.begin(a_run(), planned=10)
    writer.add(
        [a_result("a"), a_result("b", passed=False), a_result("c", passed=False, error="provider down")]
    )
    run = shared.runs.get(writer.run_id)
    assert (run.results, run.passed, run.errors, run.planned) == (3, 1, 1, 10)
    assert (run.usage, run.pass_rate, run.finished) == (Usage(300, 60, 0.75), 0.5, False)


def test_an_empty_id_is_an_id(shared):
    writer = shared.runs.begin(a_run())
    writer.add([a_result("a"), a_result("", passed=False)])
    assert not shared.runs.results_of(writer.run_id, [("", 0)], trajectories=True)["", 0].passed
    assert [r.golden_id for r in shared.runs.case(writer.run_id, "").results] == [""]


def test_an_unknown_cost_stays_unknown(shared):
    writer = shared.runs.begin(a_run())
    writer.add([a_result("a", usage=Usage(1, 1))])
    assert shared.runs.get(writer.run_id).usage.cost_usd is None


def test_counts_beyond_what_a_column_holds_do_not_stop_a_run(shared):
    writer = shared.runs.begin(a_run())
    many = Usage(2**62, 2**70)
    writer.add([a_result("a", usage=many), a_result("b", usage=many), a_result("c", usage=many)])
    writer.add([a_result("d", usage=many)])
    assert shared.runs.get(writer.run_id).usage == Usage(2**63 - 1, 2**63 - 1)
    assert shared.runs.get(writer.run_id).results == 4


def test_finished_tells_what_a_resumed_run_need_not_repeat(shared):
    writer = shared.runs.begin(a_run())
    writer.add([a_result("b"), a_result("a", 1), a_result("a", 0, error="429")])
    assert list(shared.runs.result_keys(writer.run_id)) == [("a", 0), ("a", 1), ("b", 0)]
    assert list(shared.runs.result_keys(writer.run_id, errors=False)) == [("a", 1), ("b", 0)]


def test_dropped_errors_can_be_tried_again(shared):
    writer = shared.runs.begin(a_run())
    writer.add([a_result("a", error="429"), a_result("b")])
    resumed = shared.runs.resume(writer.run_id)
    assert resumed.drop_errors() == 1
    assert resumed.add([a_result("a")]) == {("a", 0)}
    run = shared.runs.get(writer.run_id)
    assert (run.results, run.passed, run.errors) == (2, 2, 0)


def test_a_finished_run_carries_its_summary_and_takes_no_more(shared):
    writer = shared.runs.begin(a_run())
    summary = Summary(GroupSummary(1, 1, 0, {"overall": 1.0}), {}, {"wrong_value": 2})
    shared.runs.finish(writer.run_id, summary, "PASS")
    run = shared.runs.get(writer.run_id)
    assert (run.run.summary, run.verdict, run.finished) == (summary, "PASS", True)
    with pytest.raises(InputError, match="was finished or deleted"):
        writer.add([a_result()])
    with pytest.raises(InputError, match="was finished at"):
        shared.runs.resume(writer.run_id)


def test_two_runs_cannot_have_one_id(shared):
    run = a_run()
    shared.runs.begin(run)
    with pytest.raises(InputError, match=f"already exists in the store; resume it: --resume {run.id}"):
        shared.runs.begin(run)


def test_a_run_keeps_all_that_is_needed_to_repeat_it(shared):
    run = a_run(
        agent="scripted:x",
        trials=3,
        seed=2**70,
        group="nightly",
        fingerprints={"tools": "abc"},
        versions={"rightcall": "1"},
        settings={"temperature": 0, "stop": ["\x00"]},
    )
    shared.runs.begin(run, documents={"tools": b'[{"name": "x"}]'})
    assert shared.runs.get(run.id).run == run
    assert shared.runs.document("tools", "abc") == b'[{"name": "x"}]'
    assert shared.runs.document("tools", "other") is None


def test_changes_names_what_is_not_the_same(shared):
    run = a_run(fingerprints={"tools": "abc", "suite": "s"}, settings={"temperature": 0})
    now = a_run(fingerprints={"tools": "def", "suite": "s"}, settings={"temperature": 1}, trials=2)
    assert changes(run, run) == []
    assert changes(run, now) == [
        "setting temperature changed: was 0, is now 1",
        "tools changed: was abc, is now def",
        "trials changed: was 1, is now 2",
    ]


def test_goldens_of_both_kinds_are_kept_with_the_run(shared):
    writer = shared.runs.begin(a_run())
    one = Golden("hi\x00 😀", id="a\x00")
    several = ConversationalGolden("She asks twice", id="b")
    writer.add_goldens(iter([one, several, one]))
    assert next(shared.runs.goldens(writer.run_id, ["a\x00"]), None) == one
    assert next(shared.runs.goldens(writer.run_id, ["b"]), None) == several
    assert next(shared.runs.goldens(writer.run_id, ["c"]), None) is None
    assert list(shared.runs.goldens(writer.run_id)) == [one, several]
    assert shared.runs.previews(writer.run_id, ["b", "c"]) == {"b": "She asks twice"}


def test_an_id_no_engine_could_index_is_refused(shared):
    writer = shared.runs.begin(a_run())
    with pytest.raises(InputError, match="longer than 1000 bytes"):
        writer.add([a_result("é" * 600)])
    assert len(writer.add([a_result("x" * 1000)])) == 1


def test_what_json_cannot_hold_is_stored_in_a_likeness(shared):
    writer = shared.runs.begin(a_run())
    deep: list = []
    for _ in range(3000):
        deep = [deep]
    output = {"half": "\ud83d", ("a", 1): {1, 2}, "deep": deep, "object": object}
    call = ToolCall("x", output=output)
    writer.add([a_result("a", trajectory=Trajectory(calls=(call,)), error="\ud83d!")])
    stored = shared.runs.results_of(writer.run_id, [("a", 0)], trajectories=True)["a", 0]
    assert stored.error == "\ufffd!"
    kept = stored.trajectory.calls[0].output
    assert (kept["half"], kept["('a', 1)"], kept["object"]) == ("\ufffd", [1, 2], "<class 'object'>")


def test_numbers_beyond_the_engines_do_not_stop_a_run(shared):
    writer = shared.runs.begin(a_run())
    metrics = {"odd": Score(math.nan, False), "large": Score(math.inf, True)}
    writer.add([a_result("a", usage=Usage(10**40, 1, 0.5), metrics=metrics)])
    stored = shared.runs.results_of(writer.run_id, [("a", 0)], trajectories=True)["a", 0]
    assert math.isnan(stored.metrics["odd"].value) and stored.metrics["large"].value == math.inf
    assert stored.usage.input_tokens == 2**63 - 1


def test_an_async_caller_hands_batches_to_threads(shared):
    writer = shared.runs.begin(a_run())

    async def write_all():
        batches = ([a_result(f"g-{batch}-{number}") for number in range(20)] for batch in range(8))
        return await asyncio.gather(*(asyncio.to_thread(writer.add, batch) for batch in batches))

    assert [len(new) for new in asyncio.run(write_all())] == [20] * 8
    assert shared.runs.count(writer.run_id, ResultFilter()) == 160


def test_a_document_that_is_known_at_the_end_is_written_and_replaced(shared):
    run = a_run("late-document", fingerprints={"watched": "late-document"})
    shared.runs.begin(run)
    assert shared.runs.document("watched", run.id) is None
    for content in (b"first", b"second"):
        shared.runs.set_document(run.id, "watched", content)
        assert shared.runs.document("watched", run.id) == content


@pytest.mark.parametrize("length", [10, 199, 200, 1000, SHORT, SHORT + 1, 100_000])
def test_a_record_of_any_length_is_read_as_written_and_seldom_longer(length):
    data = b'"' + b"a" * (length - 2) + b'"'
    stored = compress_json(data)
    assert decompress_json(stored) == data and (len(stored) < length / 2 or length < 200)


def test_records_of_earlier_versions_are_read():
    data = b'{"content": "%b"}' % (b"hello " * 50)
    assert decompress_json(zlib.compress(data, 1)) == data == decompress_json(data)
