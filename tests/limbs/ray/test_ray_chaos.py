"""Worker, node, driver and head killed in one run, at moments drawn from a seed: each case is stored once."""

import pytest
from benchmarks import scale_chaos as chaos

from tests.support.model_process import loopback_model

pytestmark = [pytest.mark.ray, pytest.mark.filterwarnings("default")]


GOLDENS = 300
LATENCY_MS = 150
"""Enough for five kills at different moments."""


def test_whatever_is_killed_each_case_is_stored_once_as_by_one_process(tmp_path):
    with chaos.Nodes() as nodes, loopback_model(latency_ms=LATENCY_MS) as port:
        expected = chaos.reference(tmp_path / "alone", port, goldens=GOLDENS)
        # The driver first: replacing a node takes seconds, in which a starved machine may finish the run.
        events = ("driver", "worker", "node", "worker", "head")
        ending = chaos.endure(nodes, tmp_path / "killed", port, 3, expected, events)
    assert ending.wrong == [] and ending.starts >= 2  # without a head the rest may still be done in time
    assert ending.asked_twice <= 5 * (chaos.AT_ONCE + 200)
