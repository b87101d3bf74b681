"""Equal results are equal bytes, whatever order they finished in."""

from __future__ import annotations

import random

import msgspec
from hypothesis import HealthCheck, given, settings, strategies as st

from rightcall.records import CaseResult
from rightcall.store.base import ResultFilter
from rightcall.store.sql.results import export_lines

from .builders import a_result, a_run
from .test_writing import results

cases = st.lists(results, max_size=4, unique_by=lambda r: (r.golden_id, r.trial))


@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(batch=cases, seed=st.integers())
def test_the_order_of_completion_does_not_show(shared, batch, seed):
    first = shared.runs.begin(a_run())
    second = shared.runs.begin(a_run())
    first.add(batch)
    shuffled = random.Random(seed).sample(batch, len(batch))
    for result in shuffled:
        second.add([msgspec.structs.replace(result, metrics=dict(reversed(result.metrics.items())))])
    assert list(export_lines(shared.runs.results(first.run_id, trajectories=True))) == list(
        export_lines(shared.runs.results(second.run_id, trajectories=True))
    )


def test_an_exported_line_is_the_result_again(shared):
    writer = shared.runs.begin(a_run())
    given = [a_result("a"), a_result("b", passed=False)]
    writer.add(given)
    lines = list(export_lines(shared.runs.results(writer.run_id, trajectories=True)))
    assert [msgspec.json.decode(line, type=CaseResult) for line in lines] == given
    assert all(line.endswith(b"}\n") for line in lines)


def test_without_timings_equal_runs_are_equal_files(shared):
    exports = []
    for latency in (1.5, 99.0):
        writer = shared.runs.begin(a_run())
        writer.add([a_result("a", latency_ms=latency), a_result("b", latency_ms=latency)])
        exports.append(
            b"".join(export_lines(shared.runs.results(writer.run_id, trajectories=True), timings=False))
        )
    assert exports[0] == exports[1]
    assert b"latency_ms" not in exports[0]


def test_scores_can_be_exported_without_transcripts(shared):
    writer = shared.runs.begin(a_run())
    writer.add([a_result("a"), a_result("b", passed=False)])
    (line,) = export_lines(shared.runs.results(writer.run_id, ResultFilter(outcome="failed")))
    assert msgspec.json.decode(line, type=CaseResult) == a_result("b", passed=False, trajectory=None)
