"""Of the processes that write one run, those that were taken over store nothing more."""

from __future__ import annotations

import multiprocessing

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from rightcall.core.errors import InputError, RunTakenOver
from rightcall.store.address import open_store

from .builders import a_result, a_run

TAKEN_OVER = "was taken over by another process"
SLOW = settings(
    max_examples=25, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)


def test_a_writer_whose_run_was_resumed_stores_nothing_more(shared):
    first = shared.runs.begin(a_run())
    first.add([a_result("a")])
    second = shared.runs.resume(first.run_id)
    with pytest.raises(RunTakenOver, match=f"run {first.run_id} {TAKEN_OVER}") as refused:
        first.add([a_result("b")])
    assert not refused.value.retryable and refused.value.exit_code == 4
    assert second.add([a_result("b"), a_result("c")]) == {("b", 0), ("c", 0)}
    assert shared.runs.get(first.run_id).results == len(list(shared.runs.result_keys(first.run_id))) == 3


def test_a_writer_that_was_taken_over_drops_no_errors_and_finishes_nothing(shared):
    first = shared.runs.begin(a_run())
    shared.runs.resume(first.run_id).add([a_result("a", error="429")])
    with pytest.raises(RunTakenOver):
        first.drop_errors()
    with pytest.raises(RunTakenOver):
        shared.runs.finish(first.run_id, None, "PASS", epoch=first.epoch)
    run = shared.runs.get(first.run_id)
    assert (run.results, run.errors, run.finished, run.verdict) == (1, 1, False, "")


def test_a_writer_learns_that_the_one_who_took_over_has_finished(shared):
    first = shared.runs.begin(a_run())
    second = shared.runs.resume(first.run_id)
    shared.runs.finish(first.run_id, None, epoch=second.epoch)
    with pytest.raises(RunTakenOver):
        first.add([a_result("a")])
    with pytest.raises(InputError, match="was finished or deleted"):
        second.add([a_result("a")])


def test_writers_that_join_a_run_share_it_until_it_is_taken_over(shared):
    first = shared.runs.begin(a_run())
    joined = shared.runs.join(first.run_id)
    first.add([a_result("a")])
    joined.add([a_result("b")])
    late = shared.runs.join(first.run_id, epoch=shared.runs.resume(first.run_id).epoch - 1)
    for writer in (first, joined, late):
        with pytest.raises(RunTakenOver):
            writer.add([a_result("c")])
    assert shared.runs.join(first.run_id).add([a_result("c")]) == {("c", 0)}


@SLOW
@given(steps=st.lists(st.one_of(st.just("resume"), st.integers(0, 4)), min_size=1, max_size=12))
def test_only_the_newest_writer_stores_whatever_the_order(shared, steps):
    writers = [shared.runs.begin(a_run())]
    stored = 0
    for number, step in enumerate(steps):
        if step == "resume":
            writers.append(shared.runs.resume(writers[0].run_id))
        elif step % len(writers) == len(writers) - 1:
            stored += len(writers[-1].add([a_result(f"g-{number}")]))
        else:
            with pytest.raises(RunTakenOver):
                writers[step % len(writers)].add([a_result(f"g-{number}")])
    run = shared.runs.get(writers[0].run_id)
    assert run.results == stored == len(list(shared.runs.result_keys(run.id)))


def write_until_taken_over(url: str, run: str, name: int, ready, told) -> None:
    """One of two processes that resume a run at the same moment."""
    with open_store(url) as store:
        ready.wait()
        writer = store.runs.resume(run)
        try:
            for number in range(100):
                writer.add([a_result(f"g-{name}-{number}")])
            told.put((writer.epoch, 100, ""))
        except RunTakenOver as error:
            told.put((writer.epoch, number, str(error)))


@pytest.mark.stories
def test_of_two_processes_that_resume_at_once_the_earlier_gets_an_error(stores):
    url = stores.url()
    store = stores.open(url)
    store.runs.begin(a_run("twice"))
    spawn = multiprocessing.get_context("spawn")
    ready = spawn.Barrier(2)
    told = spawn.Queue()
    workers = [
        spawn.Process(target=write_until_taken_over, args=(url, "twice", name, ready, told))
        for name in range(2)
    ]
    for worker in workers:
        worker.start()
    (first, before, why), (second, after, nothing) = sorted(told.get(timeout=300) for _ in workers)
    for worker in workers:
        worker.join(300)
    assert (first, second, after, nothing) == (2, 3, 100, "")
    assert TAKEN_OVER in why or before == 100  # it may have been done before the other began
    assert store.runs.get("twice").results == before + after == len(list(store.runs.result_keys("twice")))


@SLOW
@given(ids=st.lists(st.text(max_size=5), unique=True, max_size=6), data=st.data())
def test_results_of_reads_back_the_keys_it_is_given(shared, ids, data):
    writer = shared.runs.begin(a_run())
    results = [a_result(golden_id, trial) for golden_id in ids for trial in range(2)]
    writer.add(results)
    wanted = (
        data.draw(st.lists(st.sampled_from(results), unique_by=lambda r: (r.golden_id, r.trial)))
        if ids
        else []
    )
    keys = [(result.golden_id, result.trial) for result in wanted] + [("not there", 7)]
    found = shared.runs.results_of(writer.run_id, keys, trajectories=True)
    assert found == {(result.golden_id, result.trial): result for result in wanted}


@SLOW
@given(ids=st.lists(st.text(max_size=5), unique=True, max_size=6), data=st.data())
def test_result_keys_of_goldens_names_the_results_of_the_goldens_it_is_given(shared, ids, data):
    writer = shared.runs.begin(a_run())
    writer.add([a_result(golden_id, trial) for golden_id in ids for trial in range(2)])
    wanted = data.draw(st.lists(st.sampled_from(ids), unique=True)) if ids else []
    found = set(shared.runs.result_keys(writer.run_id, [*wanted, "not there"]))
    assert found == {(golden_id, trial) for golden_id in wanted for trial in range(2)}
