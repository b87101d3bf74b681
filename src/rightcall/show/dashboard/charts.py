"""The charts of the pages: Vega-Lite specs, drawn as SVG in the colours of either theme.

A page shows them as images. An image runs no script and loads nothing, whatever the names of tools and agents,
and a page does not wait for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any, Literal, NamedTuple

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from rightcall.show.charts import CONFIG, SCHEMA, Spec, to_svg
from rightcall.show.text import one_line
from rightcall.show.view.case import Bar
from rightcall.show.view.summary import ShownRate

Theme = Literal["light", "dark"]
MOST_AGENTS = 6
FONT = "Arial, Helvetica, Liberation Sans, sans-serif"
"""Monospace fonts: labels are measured here and drawn in the reader's browser."""


class Palette(NamedTuple):
    """The colours of a theme, those of the style sheet."""

    ink: str
    soft: str
    faint: str
    line: str
    accent: str
    mark: str
    tool: str


PALETTES: dict[str, Palette] = {
    "light": Palette("#1d1d1b", "#5f5f5a", "#6f6f69", "#e6e5e0", "#2f5fd0", "#b7791f", "#2a9d8f"),
    "dark": Palette("#ececea", "#a9a9a4", "#8f8f8a", "#2f2f33", "#8fb0ff", "#e8b95b", "#5cc7b8"),
}
SERIES = ["#4c78d8", "#d9822b", "#3a9d78", "#b05cc6", "#c8505a", "#7a8290"]


class Point(NamedTuple):
    """One run in a chart over time; `tools_changed` when its tools differ from those of the previous run."""

    run_id: str
    started_at: str
    agent: str
    passing: ShownRate
    tools_changed: bool


NARROW = 300
"""Width of the plot in a chart for a phone."""
WIDTH_OF_WORDS = 0.09
"""Share of a wide plot that the words "tools changed" take."""
SHORTEST = 60_000.0
"""Milliseconds between the first and the last run below which ticks would be fractions of a second."""


def line(points: Sequence[Point], theme: Theme) -> Spec:
    """A line without axes, for a list."""
    colours = PALETTES[theme]
    values = [{"at": place, "rate": point.passing.value} for place, point in enumerate(points)]
    x = {"field": "at", "type": "quantitative", "axis": None, "scale": {"nice": False}}
    y = {"field": "rate", "type": "quantitative", "axis": None, "scale": {"domain": _around(points)}}
    stroke: Spec = {
        "mark": {"type": "line", "color": colours.accent, "strokeWidth": 1.5, "interpolate": "monotone"},
        "encoding": {"x": x, "y": y},
    }
    last: Spec = {
        "transform": [{"filter": f"datum.at == {len(points) - 1}"}],
        "mark": {"type": "point", "filled": True, "color": colours.accent, "size": 28, "opacity": 1},
        "encoding": {"x": x, "y": y},
    }
    base = _spec("Share of cases that passed, run by run", values, 240, 36, theme)
    return {**base, "padding": 4, "layer": [stroke, last]}


def trend(
    points: Sequence[Point], theme: Theme, *, narrow: bool = False, of: str = "cases that passed"
) -> Spec:
    """A share with its interval for each run, one colour per agent; a vertical line where the tools changed."""
    moments = moments_of([point.started_at for point in points])
    changes = [point.tools_changed for point in points]
    values = [
        {
            "run": point.run_id,
            "at": point.started_at,
            "agent": one_line(point.agent, 40) or "agent",
            "rate": point.passing.value,
            "low": point.passing.low,
            "high": point.passing.high,
            "changed": point.tools_changed,
            "words": words,
        }
        for point, words in zip(points, sides_of_words(moments, changes), strict=True)
    ]
    axis = time_axis(moments, 3 if narrow else 8)
    x = {"field": "at", "type": "temporal", "title": None, "axis": axis}
    agents = list(dict.fromkeys(str(value["agent"]) for value in values))
    rates = _rate_layers(x, _agent_colour(agents, theme), of)
    rules, *words = _change_layers(x, theme)
    base = _spec(f"Share of {of}, over time", values, NARROW if narrow else 1040, 240, theme)
    return {**base, "layer": [rules, *rates, *([] if narrow else words)]}


def moments_of(times: Sequence[str]) -> list[float]:
    """Milliseconds since 1970 of each time; all 0 if one cannot be read."""
    try:
        return [datetime.fromisoformat(time).timestamp() * 1000 for time in times]
    except ValueError:
        return [0.0 for _ in times]


def time_axis(moments: Sequence[float], ticks: int) -> Spec:
    """An axis of `ticks` ticks; runs of one minute are labelled with the times of the first and the last."""
    if moments and any(moments) and max(moments) - min(moments) < SHORTEST:
        ends = [min(moments), max(moments)]
        return {"grid": False, "values": ends, "format": "%b %-d, %H:%M:%S", "labelFlush": True}
    return {"grid": False, "tickCount": ticks}


def sides_of_words(moments: Sequence[float], changes: Sequence[bool]) -> list[str]:
    """For each run, whether the words are written after its line or before it, near the end of the axis.

    Empty where nothing changed, and where the words would cover those of an earlier run.
    """
    first, span = min(moments, default=0.0), max(moments, default=0.0) - min(moments, default=0.0)
    sides, last = [], -1.0
    for moment, changed in zip(moments, changes, strict=True):
        share = (moment - first) / span if span else 0.0
        written = changed and share - last > WIDTH_OF_WORDS
        sides.append(("before" if share > 1 - WIDTH_OF_WORDS else "after") if written else "")
        last = share if written else last
    return sides


def _agent_colour(agents: list[str], theme: Theme) -> Spec:
    if len(agents) < 2:
        return {"value": PALETTES[theme].accent}
    scale = {"domain": agents[:MOST_AGENTS], "range": SERIES}
    legend = {"orient": "top", "title": None, "symbolType": "circle", "symbolStrokeWidth": 0}
    return {"field": "agent", "type": "nominal", "scale": scale, "legend": legend}


def _rate_layers(x: Spec, colour: Spec, of: str) -> list[Spec]:
    """The rate of each run: its interval, the line from run to run, and a dot."""
    y = {
        "field": "rate",
        "type": "quantitative",
        "title": "passed" if of == "cases that passed" else of,
        "scale": {"domain": [0, 1]},
        "axis": {"format": ".0%", "tickCount": 5},
    }
    at = {"x": x, "y": y, "color": colour}
    return [
        {
            "mark": {"type": "rule", "opacity": 0.35, "strokeWidth": 3, "strokeCap": "round"},
            "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}, "color": colour},
        },
        {"mark": {"type": "line", "strokeWidth": 1.75}, "encoding": at},
        {"mark": {"type": "point", "filled": True, "size": 44, "opacity": 1}, "encoding": at},
    ]


def _change_layers(x: Spec, theme: Theme) -> Iterator[Spec]:
    """Where the tools changed: a vertical line, and the words at its top, on the side where there is room."""
    colour = PALETTES[theme].mark
    rule = {"type": "rule", "strokeDash": [3, 3], "color": colour}
    yield {"transform": [{"filter": "datum.changed"}], "encoding": {"x": x}, "mark": rule}
    for side, align, dx in (("after", "left", 4), ("before", "right", -4)):
        words = {"type": "text", "text": "tools changed", "color": colour, "align": align, "dx": dx, "y": 8}
        yield {"transform": [{"filter": f"datum.words == '{side}'"}], "encoding": {"x": x}, "mark": words}


def waterfall(bars: Sequence[Bar], theme: Theme, *, narrow: bool = False) -> Spec:
    """Answers of the model and calls of tools, one under the other, from the start of the case."""
    colours = PALETTES[theme]
    values = [
        {
            "row": f"{place}  {'≈ ' if bar.estimated else ''}{one_line(bar.label, 18 if narrow else 40)}",
            "kind": bar.kind,
            "start": bar.start_ms,
            "end": bar.start_ms + bar.duration_ms,
        }
        for place, bar in enumerate(bars, 1)
    ]
    rows = {"domain": False, "ticks": False, "labelLimit": 0}
    y = {"field": "row", "type": "ordinal", "title": None, "sort": None, "axis": rows}
    time = {"tickCount": 3 if narrow else 6, "format": ",~r"}
    x = {"field": "start", "type": "quantitative", "title": "milliseconds", "axis": time}
    base = _spec("Where the time went", values, 200 if narrow else 900, {"step": 22}, theme)
    # Labels are measured with one font and drawn with the reader's, which may be wider by a third.
    longest = max((len(str(value["row"])) for value in values), default=0)
    return {
        **base,
        "padding": {"left": 8 + 2.5 * longest, "right": 12, "top": 4, "bottom": 4},
        "mark": {"type": "bar", "cornerRadius": 2, "height": {"band": 0.55}, "minBandSize": 2},
        "encoding": {
            "x": x,
            "x2": {"field": "end"},
            "y": y,
            "color": {
                "field": "kind",
                "type": "nominal",
                "scale": {"domain": ["model", "tool"], "range": [colours.accent, colours.tool]},
                "legend": {"orient": "top", "title": None},
            },
        },
    }


def apply_theme(spec: Spec, theme: Theme) -> Spec:
    """A spec of the report in the colours of a theme: an image does not see the page's style sheet."""
    return {**spec, "width": 460, "height": 140, "config": _config(theme)}


def is_narrow(request: Request) -> bool:
    """Whether the chart is for a phone."""
    return request.query_params.get("narrow") == "1"


def answer(request: Request, draw: Callable[[Theme], Spec | None]) -> Response:
    """The chart in the theme of the URL, drawn once for the same spec."""
    theme: Theme = "dark" if request.query_params.get("theme") == "dark" else "light"
    spec = draw(theme)
    if spec is None:
        return Response(status_code=404)
    key = msgspec.json.encode(spec)
    svg = request.app.state.charts.get(key, lambda: to_svg(spec))
    return Response(svg, media_type="image/svg+xml", headers={"cache-control": "private, max-age=10"})


def _spec(description: str, values: list[dict[str, Any]], width: int, height: Any, theme: Theme) -> Spec:
    return {
        "$schema": SCHEMA,
        "description": description,
        "width": width,
        "height": height,
        "data": {"values": values},
        "config": _config(theme),
    }


def _around(points: Sequence[Point]) -> list[float]:
    """A range that shows how a line moves without exaggerating small changes."""
    values = [point.passing.value or 0.0 for point in points] or [0.0]
    middle, half = (min(values) + max(values)) / 2, max(0.15, (max(values) - min(values)) / 2 + 0.03)
    return [middle - half, middle + half]


def _config(theme: Theme) -> Spec:
    colours = PALETTES[theme]
    axis = {
        **CONFIG["axis"],
        "labelColor": colours.soft,
        "titleColor": colours.faint,
        "gridColor": colours.line,
        "domainColor": colours.line,
        "tickColor": colours.line,
    }
    return {
        **CONFIG,
        "font": FONT,
        "axis": axis,
        "legend": {"labelColor": colours.soft, "labelFontSize": 11, "columnPadding": 18},
        "text": {"fontSize": 11},
        "bar": {"color": colours.accent},
    }
