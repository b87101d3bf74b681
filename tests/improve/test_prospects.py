"""What `improve` says before it runs anything."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from rightcall.improve.proof.material import announcement, no_cause


def material(tune: int, proof: int) -> Any:
    return SimpleNamespace(
        tune=[None] * tune, proof=[None] * proof, results=[], options=SimpleNamespace(trials=3)
    )


def test_one_golden_is_no_plural():
    assert announcement(material(1, 6), 1) == (
        "1 proposal on 1 golden, then the best on 6 others × 3 trials: up to 37 calls"
    )
    assert no_cause(material(1, 2)).startswith("The 1 golden to tune on shows no cause")
