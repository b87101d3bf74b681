"""A run whose store fails ends complete, or with exit code 4 and a command that completes it.

`python -m benchmarks chaos` does the same fifty times for each way.
"""

from __future__ import annotations

import pytest
from benchmarks.chaos import endure, stores
from benchmarks.chaos_agent import ON_POSTGRESQL, ON_SQLITE

from tests.support.selection import nightly_but


@pytest.fixture(scope="module")
def new_file(tmp_path_factory):
    with stores(list(ON_SQLITE), tmp_path_factory.mktemp("chaos")) as made:
        yield made


@pytest.mark.stories
@pytest.mark.parametrize("way", nightly_but(list(ON_SQLITE)[:1], ON_SQLITE))
def test_a_run_survives_what_happens_to_its_file(way, new_file, tmp_path):
    assert endure(way, new_file(way, 1), tmp_path, seed=1, goldens=60).wrong == []


@pytest.mark.stories
@pytest.mark.parametrize("way", nightly_but(list(ON_POSTGRESQL)[:1], ON_POSTGRESQL))
def test_a_run_survives_what_happens_to_its_server(way, server, tmp_path):
    assert endure(way, server.empty(), tmp_path, seed=1, goldens=60).wrong == []
