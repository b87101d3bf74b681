"""The parts of a store are small."""

from __future__ import annotations

import pytest

from rightcall.store.sql.datasets import Datasets
from rightcall.store.sql.store import Runs
from rightcall.store.sql.traces import Traces


@pytest.mark.parametrize("part", [Runs, Datasets, Traces])
def test_a_part_has_at_most_25_public_methods(part):
    public = [name for name in dir(part) if not name.startswith("_")]
    assert 5 < len(public) <= 25, public
