"""A run that is still being written, or was stopped, can be reported on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from rightcall.metrics.case_result import result_of
from rightcall.records import Run
from rightcall.show.view.run import run_view
from rightcall.store.address import open_store
from tests.show.conftest import Made, written_anew
from tests.show.samples import varied_goldens


@pytest.fixture
def unfinished(tmp_path: Path) -> Iterator[Made]:
    goldens, did = varied_goldens()
    with open_store(tmp_path / "half.db") as store:
        writer = store.runs.begin(Run("half", "suite", "2026-01-02T03:04:05Z"), planned=10)
        writer.add_goldens(goldens)
        results = [result_of(golden, 0, did[golden.id], {}) for golden in goldens[:4]]
        writer.add([msgspec.structs.replace(r, trajectory=did[r.golden_id]) for r in results])
        yield store, "half"


def test_its_numbers_are_those_of_the_results_so_far(unfinished: Made) -> None:
    view = run_view(*unfinished)
    assert (view.finished, view.planned, view.summary.total.cases) == (False, 10, 4)


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("html", b"unfinished: 4 of 10 cases"),
        ("markdown", b"The run is not finished: 4 of 10 cases."),
        ("junit", b'name="verdict" value="unfinished"'),
        ("json", b'"finished":false'),
    ],
)
def test_every_format_says_that_it_is_not_finished(unfinished: Made, kind: str, says: bytes) -> None:
    assert says in written_anew(kind, unfinished)


def test_a_junit_file_of_it_is_never_green(unfinished: Made, tmp_path: Path) -> None:
    report = written_anew("junit", unfinished)
    assert b'message="the run is not finished: 4 of 10 cases"' in report
    with open_store(tmp_path / "empty.db") as store:
        store.runs.begin(Run("empty", "suite", "2026-01-02T03:04:05Z"), planned=3)
        assert b'tests="1" failures="0" errors="1"' in written_anew("junit", (store, "empty"))


def test_a_run_without_results_is_reported_as_empty(tmp_path: Path) -> None:
    with open_store(tmp_path / "empty.db") as store:
        store.runs.begin(Run("empty", "suite", "2026-01-02T03:04:05Z"), planned=3)
        for kind in ("html", "markdown", "junit", "json"):
            assert written_anew(kind, (store, "empty"))
