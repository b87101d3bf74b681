"""Goldens to tune on, and goldens for proof."""

from __future__ import annotations

import random
from collections.abc import Sequence

from rightcall.analysis import wanted_tool
from rightcall.model.golden import AnyGolden

TUNE = 0.4


def split_goldens(goldens: Sequence[AnyGolden], seed: str) -> tuple[list[AnyGolden], list[AnyGolden]]:
    """Tune and proof: whole clusters, alike in wanted tools and categories, the same for the same dataset."""
    groups: dict[tuple[str, str], dict[str, list[AnyGolden]]] = {}
    for golden in sorted(goldens, key=lambda one: one.id):
        clusters = groups.setdefault((golden.category, wanted_tool(golden)), {})
        clusters.setdefault(golden.cluster or golden.id, []).append(golden)
    tune: list[AnyGolden] = []
    proof: list[AnyGolden] = []
    placed: dict[str, list[AnyGolden]] = {}
    for key, clusters in sorted(groups.items()):
        names = sorted(clusters)
        random.Random(f"{seed}/{key}").shuffle(names)  # noqa: S311
        for number, name in enumerate(names):
            share = tune if number < round(TUNE * len(names)) else proof
            placed.setdefault(name, share).extend(clusters[name])
    return tune, proof
