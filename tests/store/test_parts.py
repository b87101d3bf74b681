"""The parts of a store are small, and names from before it had parts still work, with a warning."""

from __future__ import annotations

import pytest

from rightcall.store.address import open_store
from rightcall.store.sql.datasets import Datasets
from rightcall.store.sql.runs import Runs
from rightcall.store.sql.store import RENAMED
from rightcall.store.sql.traces import Traces
from tests.store.builders import a_run


@pytest.mark.parametrize("part", [Runs, Datasets, Traces])
def test_a_part_has_at_most_25_public_methods(part):
    public = [name for name in dir(part) if not name.startswith("_")]
    assert 5 < len(public) <= 25, public


def test_former_names_of_methods_warn_and_work(tmp_path):
    with open_store(tmp_path / "r.db") as store:
        run = store.runs.begin(a_run()).run_id
        with pytest.warns(DeprecationWarning, match=r"store\.run is now store\.runs\.get"):
            assert store.run(run) == store.runs.get(run)
        for name, path in RENAMED.items():
            part, method = path.split(".")
            with pytest.warns(DeprecationWarning):
                assert getattr(store, name).__func__ is getattr(getattr(store, part), method).__func__
        with pytest.raises(AttributeError, match="no attribute 'begin'"):
            store.begin  # noqa: B018
