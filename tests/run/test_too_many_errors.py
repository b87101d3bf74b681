"""A run stops asking once so many got no answer that it can only be an ERROR."""

from __future__ import annotations

import pytest

import rightcall as rc
from rightcall.store.address import open_store

GOLDENS = [rc.Golden(f"Say {n}", id=f"g{n:04}", no_calls=True) for n in range(600)]


@pytest.mark.parametrize("gate", [None, {"min": 0.5}])
def test_a_run_asks_no_more_once_its_verdict_can_only_be_an_error(gate, tmp_path):
    asked = []

    def agent(golden):
        asked.append(golden.id)
        raise rc.errors.InfrastructureError("no route")

    run = rc.evaluate(agent, GOLDENS, store=tmp_path / "s.db", gate=gate, concurrency=1)
    assert 30 < len(asked) < 600 and run.verdict.exit_code == 4
    assert "cases got no answer, more than 5% of 600; " in run.verdict.sentence
    (stored,) = open_store(tmp_path / "s.db").runs.page()
    assert not stored.finished  # `--resume` asks the others


def test_a_run_with_few_enough_errors_asks_all(tmp_path):
    def agent(golden):
        if golden.id in ("g0003", "g0030"):
            raise rc.errors.InfrastructureError("no route")
        return "Done."

    run = rc.evaluate(agent, GOLDENS[:40], store=tmp_path / "s.db", concurrency=1)
    assert len(run.results) == 40
    assert run.verdict.sentence == "INCONCLUSIVE: 38 of 38 goldens passed; 2 of 40 goldens got no answer"
