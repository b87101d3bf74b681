"""The scores as a picture: a Vega-Lite specification of a heat map, self-contained."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rightcall.lint.confusability.pairs import Pair

MOST_TOOLS = 40


def matrix(pairs: Iterable[Pair]) -> dict[str, Any]:
    """A heat map of the tools that occur in the most alike pairs, both halves filled."""
    ranked = sorted(pairs, key=lambda pair: -pair.score)
    names: dict[str, None] = {}
    for pair in ranked:
        if len(names) + 2 > MOST_TOOLS:
            break
        names[pair.first.name] = names[pair.second.name] = None
    cells = [
        {"tool": one.name, "other": two.name, "score": round(pair.score, 3), "why": pair.why}
        for pair in ranked
        if pair.first.name in names and pair.second.name in names
        for one, two in ((pair.first, pair.second), (pair.second, pair.first))
    ]
    axis = {"type": "nominal", "sort": sorted(names), "title": None}
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "description": "How alike the tools are; darker is easier to confuse",
        "data": {"values": cells},
        "mark": "rect",
        "encoding": {
            "x": {"field": "tool", **axis, "axis": {"labelAngle": -45}},
            "y": {"field": "other", **axis},
            "color": {
                "field": "score",
                "type": "quantitative",
                "scale": {"domain": [0.5, 1.0], "scheme": "reds"},
                "title": "alike",
            },
            "tooltip": [{"field": field} for field in ("tool", "other", "score", "why")],
        },
    }
