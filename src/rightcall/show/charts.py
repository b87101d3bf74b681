"""Charts of a view: Vega-Lite specs, drawn as SVG when a report is built.

Colours are left to the page's style sheet, so that one drawing serves dark and light.
"""

from __future__ import annotations

from typing import Any

from rightcall.core.errors import MissingExtraError
from rightcall.show.text import one_line
from rightcall.show.view.run import RunView
from rightcall.show.view.spread import Spread
from rightcall.show.view.tools import INVENTED, NO_CALL, ConfusionMatrix

Spec = dict[str, Any]
SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
CONFIG: Spec = {
    "background": None,
    "font": "system-ui, sans-serif",
    "view": {"stroke": None},
    "axis": {"labelFontSize": 11, "titleFontSize": 11, "titleFontWeight": 500, "labelLimit": 170},
}
LONGEST_LABEL = 60


def charts(view: RunView) -> dict[str, str]:
    """An SVG for each chart that has data, by name."""
    specs = {
        "score": histogram(view.scores, "score", ".2f"),
        "latency": histogram(view.latency, "milliseconds", ",.3~f"),
        "cost": histogram(view.cost if view.cost and view.cost.total else None, "US dollars", "$,.4~f"),
        "confusion": heatmap(view.confusion),
    }
    return {name: to_svg(spec) for name, spec in specs.items() if spec is not None}


def histogram(spread: Spread | None, unit: str, number_format: str) -> Spec | None:
    """How many cases lie in each bin."""
    if spread is None or len(spread.bins) < 2:
        return None
    values = [{"low": b.low, "high": b.high, "cases": b.count} for b in spread.bins]
    return {
        "$schema": SCHEMA,
        "description": f"Cases by {unit}",
        "width": 300,
        "height": 120,
        "data": {"values": values},
        "mark": {"type": "bar", "binSpacing": 1, "tooltip": None},
        "encoding": {
            "x": {
                "field": "low",
                "bin": {"binned": True},
                "title": unit,
                "axis": {"format": number_format, "tickCount": 5, "grid": False},
            },
            "x2": {"field": "high"},
            "y": {
                "field": "cases",
                "type": "quantitative",
                "title": "cases",
                "axis": {"tickCount": min(3, max(b.count for b in spread.bins))},  # cases are whole
            },
        },
        "config": CONFIG,
    }


def heatmap(confusion: ConfusionMatrix) -> Spec | None:
    """Expected tools against called tools; darker is more frequent, and the diagonal is correct."""
    if not confusion.most:
        return None
    rows, columns = _labels(confusion.rows), _labels(confusion.columns)
    values = [
        {
            "expected": rows[i],
            "called": columns[j],
            "count": count,
            "share": count / max(1, sum(confusion.counts[i])),
            "right": confusion.rows[i] == confusion.columns[j],
        }
        for i in range(len(rows))
        for j in range(len(columns))
        if (count := confusion.counts[i][j])
    ]
    order: Spec = {"type": "nominal", "title": None, "axis": {"grid": False, "domain": False, "ticks": False}}
    x = {**order, "field": "called", "scale": {"domain": columns}}
    x["axis"] = {**order["axis"], "labelAngle": -35, "orient": "top"}
    y = {**order, "field": "expected", "scale": {"domain": rows}}
    shades: Spec = {"domain": [0, 1], "range": [0.15, 0.85]}
    colours: Spec = {"domain": [True, False], "range": ["#2e9e6b", "#d1495b"]}
    cell: Spec = {
        "mark": {"type": "rect", "tooltip": None, "cornerRadius": 3},
        "encoding": {
            "x": x,
            "y": y,
            "opacity": {"field": "share", "type": "quantitative", "scale": shades, "legend": None},
            "color": {"field": "right", "type": "nominal", "scale": colours, "legend": None},
        },
    }
    number: Spec = {
        "mark": {"type": "text", "tooltip": None, "fontSize": 11},
        "encoding": {"x": x, "y": y, "text": {"field": "count", "type": "quantitative"}},
    }
    return {
        "$schema": SCHEMA,
        "description": "Expected tool against called tool",
        "width": {"step": 42},
        "height": {"step": 28},
        "padding": {"left": 40, "top": 10, "right": 110, "bottom": 5},
        "data": {"values": values},
        "layer": [cell, number],
        "config": CONFIG,
    }


def to_svg(spec: Spec) -> str:
    """Draw a spec, without network access."""
    try:
        import vl_convert
    except ImportError:
        raise MissingExtraError("an HTML report", "vl-convert-python", "web") from None
    return str(vl_convert.vegalite_to_svg(spec, allowed_base_urls=[]))


def _labels(names: tuple[str, ...]) -> list[str]:
    """Names shortened for an axis, still distinct."""
    labels: dict[str, None] = {}
    for name in names:
        label = one_line(name, 40) if name not in (NO_CALL, INVENTED) else f"({name})"
        while label in labels:
            label += "′"
        labels[label] = None
    return list(labels)
