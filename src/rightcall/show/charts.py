"""Charts of a view: Vega-Lite specs, drawn as SVG when a report is built.

Colours are left to the page's style sheet, so that one drawing serves dark and light.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rightcall.core.errors import MissingExtraError
from rightcall.improve.step_funnel import DESTINATIONS, StepFunnel
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
NAMED = 2
"""Places named next to a bar of a funnel; the table has all."""


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


def funnel_chart(funnel: StepFunnel) -> Spec:
    """A bar per step: as long as the trials that took it, followed by an empty one for those that left there.

    The numbers and where trials went are written next to the bars, so the picture can be read without colour.
    """
    values = list(_bars(funnel))
    labels = [bar["step"] for bar in values]
    y: Spec = {
        "field": "step",
        "type": "nominal",
        "title": None,
        "scale": {"domain": labels, "paddingInner": 0.35},
        "axis": {"grid": False, "domain": False, "ticks": False, "labelLimit": 260, "labelPadding": 8},
    }
    x: Spec = {
        "type": "quantitative",
        "scale": {"domain": [0, max(1, funnel.trials)], "nice": False},
        "axis": None,
    }
    reached: Spec = {
        "mark": {"type": "bar", "tooltip": None},
        "encoding": {"y": y, "x": {**x, "field": "reached"}},
    }
    left: Spec = {
        "transform": [{"filter": "datum.before > datum.reached"}],
        "mark": {
            "type": "bar", "tooltip": None, "filled": False, "stroke": "#d1495b",
            "strokeDash": [3, 2], "strokeWidth": 1.2, "fill": "transparent",
        },
        "encoding": {"y": y, "x": {**x, "field": "reached"}, "x2": {"field": "before"}},
    }  # fmt: skip
    number: Spec = {
        "mark": {
            "type": "text",
            "tooltip": None,
            "align": "left",
            "baseline": "middle",
            "dx": 6,
            "fontSize": 12,
        },
        "encoding": {"y": y, "x": {**x, "field": "before"}, "text": {"field": "words"}},
    }
    return {
        "$schema": SCHEMA,
        "description": f"Trials that took each step: {one_line(funnel.path, 200)}",
        "width": 260,
        "height": {"step": 30},
        "padding": {"left": 30, "top": 5, "right": 60, "bottom": 5},
        "data": {"values": values},
        "layer": [reached, left, number],
        "config": CONFIG,
    }


def _bars(funnel: StepFunnel) -> Iterator[Spec]:
    before = funnel.trials
    for number, step in enumerate(funnel.steps, start=1):
        last = number == len(funnel.steps)
        label = "passed" if last else f"{number}. {one_line(step.label, LONGEST_LABEL)}"
        named = [f"{DESTINATIONS[exit_.where]} {exit_.trials:,}" for exit_ in step.exits[:NAMED]]
        if more := sum(exit_.trials for exit_ in step.exits[NAMED:]):
            named.append(f"elsewhere {more:,}")
        words = " · ".join((f"{step.reached:,} of {before:,}", *named))
        yield {"step": label, "reached": step.reached, "before": before, "words": words}
        before = step.reached


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
