"""The most similar pairs as a picture: a self-contained Vega-Lite specification of a heat map."""

from __future__ import annotations

from typing import Any

from rightcall.lint.report import LintReport

MOST_TOOLS = 40


def matrix(report: LintReport) -> dict[str, Any]:
    """Tools against tools, darker where they are easier to confuse; both halves are filled."""
    names: dict[str, None] = {}
    for pair in report.pairs:
        if len(names) + 2 > MOST_TOOLS:
            break
        names[pair.first] = names[pair.second] = None
    cells = [
        {"tool": tool, "other": other, "score": round(pair.score, 3), "why": pair.why}
        for pair in report.pairs
        if pair.first in names and pair.second in names
        for tool, other in ((pair.first, pair.second), (pair.second, pair.first))
    ]
    axis = {"type": "nominal", "sort": sorted(names), "title": None}
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "description": "How similar the tools are; darker pairs are easier to confuse",
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
