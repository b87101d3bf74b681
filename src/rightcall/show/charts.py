"""Charts as SVG: trees of nodes like those of `case_elements`, coloured by `case.css` in either theme.

Every bar and dot carries its numbers as a title, so a chart can be read without measuring.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import NamedTuple

from rightcall.core.text import percent
from rightcall.show.case_elements import Node, node
from rightcall.show.text import decimal, dollars, duration, one_line
from rightcall.show.view.run import RunView
from rightcall.show.view.spread import Spread
from rightcall.show.view.summary import ShownRate
from rightcall.show.view.tools import ConfusionMatrix

COLOURS = 6
"""Agents with different colours; the others share one."""
MOST_UPRIGHT = 7
"""Columns of a matrix up to which their names are written upright."""
MINUTE = 60
HOUR = 3_600
DAY = 86_400
TIME_STEPS = (
    *(MINUTE * minutes for minutes in (1, 2, 5, 10, 15, 30)),
    *(HOUR * hours for hours in (1, 2, 3, 6, 12)),
    *(DAY * days for days in (1, 2, 7, 14, 30, 90, 180, 365)),
)


class Point(NamedTuple):
    """One run in a chart over time; `tools_changed` when its tools differ from those of the previous run."""

    run_id: str
    started_at: str
    agent: str
    passing: ShownRate
    tools_changed: bool


class Scale(NamedTuple):
    """From the values `low` to `high` to the pixels `start` to `end`."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low) if self.high > self.low else 0.5
        return self.start + share * (self.end - self.start)


def distributions(view: RunView) -> Iterator[Node]:
    """Score, latency and cost over the cases: a histogram with its quantiles for each that varies."""
    paid = view.cost if view.cost and view.cost.total else None
    measures: tuple[tuple[str, Spread | None, Callable[[float], str]], ...] = (
        ("score", view.scores, partial(decimal, digits=2)),
        ("time of a case", view.latency, duration),
        ("cost", paid, dollars),
    )
    for name, spread, number in measures:
        if spread is None or (chart := histogram(spread, name, number)) is None:
            continue
        quantiles = (
            node("span", "", node("b", "", label), f" {number(spread.quantiles[label])}")
            for label in ("p50", "p90", "p95", "p99", "max")
        )
        caption = node("figcaption", "", name.capitalize(), node("span", "quiet hint", f" n {spread.n:,}"))
        yield node("figure", "card pad", caption, chart, node("p", "quantiles", *quantiles))


def confusion_table(matrix: ConfusionMatrix) -> Node:
    """Expected tools against called ones; darker is a larger share of its row, and the diagonal is right."""
    columns = (node("th", {"scope": "col"}, one_line(name, 60)) for name in matrix.columns)
    rows = (
        node(
            "tr",
            "",
            node("th", {"scope": "row"}, one_line(name, 60)),
            *(
                _cell(count, sum(counts), column == name)
                for column, count in zip(matrix.columns, counts, strict=True)
            ),
        )
        for name, counts in zip(matrix.rows, matrix.counts, strict=True)
    )
    head = node("thead", "", node("tr", "", node("th"), *columns))
    size = "matrix wide" if len(matrix.columns) > MOST_UPRIGHT else "matrix"
    return node("div", "scroll", node("table", size, head, node("tbody", "", *rows)))


def _cell(count: int, total: int, right: bool) -> Node:
    if not count:
        return node("td", "zero")
    share = math.ceil(4 * count / total)
    return node("td", f"{'right' if right else 'wrong'} share-{share}", f"{count:,}")


def histogram(spread: Spread | None, name: str, number: Callable[[float], str]) -> Node | None:
    """How many cases lie in each bin; None where there is only one."""
    if spread is None or len(spread.bins) < 2:
        return None
    most = max(one.count for one in spread.bins)
    x = Scale(spread.bins[0].low, spread.bins[-1].high, 46, 446)
    y = Scale(0, most, 132, 12)
    bars = (
        _shape(
            "rect",
            f"{number(one.low)} to {number(one.high)}: {one.count:,} {'case' if one.count == 1 else 'cases'}",
            x=x.at(one.low) + 0.5,
            y=y.at(one.count),
            width=x.at(one.high) - x.at(one.low) - 1,
            height=y.at(0) - y.at(one.count),
        )
        for one in spread.bins
        if one.count
    )
    whole = [tick for tick in number_ticks(0, most, 4) if tick == int(tick)]
    left = {tick: f"{tick:,.0f}" for tick in whole}
    below = {tick: number(tick) for tick in number_ticks(x.low, x.high, 5)}
    return _chart(
        f"Cases by {name}",
        (460, 172),
        *_axes(x, y, below, left),
        _label(246, 168, name, "title"),
        _label(12, 72, "cases", "title", transform="rotate(-90 12 72)"),
        node("g", "bars series", *bars),
    )


def trend(points: Sequence[Point], of: str = "cases that passed", *, narrow: bool = False) -> Node:
    """A share for each run, with its range, one colour per agent; a vertical line where the tools changed."""
    moments = moments_of([point.started_at for point in points])
    width = 340 if narrow else 1120
    x = Scale(min(moments, default=0), max(moments, default=0), 52, width - 28)
    y = Scale(0, 1, 232, 16)
    agents = list(dict.fromkeys(point.agent for point in points))
    drawn = zip(moments, points, strict=True)
    placed = [(x.at(moment), point) for moment, point in drawn]
    series = (
        node(
            "g",
            colour_class(number, len(agents)),
            *_rates([(at, point) for at, point in placed if point.agent == agent], y),
        )
        for number, agent in enumerate(agents)
    )
    chart = _chart(
        f"Share of {of}, over time",
        (width, 262),
        *_axes(
            x, y, time_ticks(moments, 3 if narrow else 8), {tick / 4: f"{25 * tick}%" for tick in range(5)}
        ),
        *_changes(moments, points, x),
        *series,
    )
    return node("figure", f"over-time {'for-phones' if narrow else 'for-screens'}", _legend(agents), chart)


def line(points: Sequence[Point]) -> Node:
    """A line without axes, for a list."""
    values = [point.passing.value or 0.0 for point in points]
    low = min(values, default=0.0)
    high = max(values, default=0.0)
    # small changes are not exaggerated
    middle = (low + high) / 2
    half = max(0.15, (high - low) / 2 + 0.03)
    x = Scale(0, len(values) - 1, 4, 236)
    y = Scale(middle - half, middle + half, 40, 4)
    places = [(x.at(place), y.at(value)) for place, value in enumerate(values)]
    words = f": {percent(values[0])} to {percent(values[-1])}" if values else ""
    dot = _shape("circle", "", cx=places[-1][0], cy=places[-1][1], r=3) if places else None
    title = f"Share of cases that passed, run by run{words}"
    return _chart(title, (240, 44), node("g", "series", _polyline(places), dot))


def number_ticks(low: float, high: float, most: int) -> list[float]:
    """At most `most` + 1 round values from `low` to `high`: steps of 1, 2 or 5 times a power of ten."""
    if high <= low:
        return [low]
    rough = (high - low) / most
    power = 10 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [step * place for place in range(first, last + 1)]


def moments_of(times: Sequence[str]) -> list[float]:
    """Seconds since 1970 of each time; all 0 if one cannot be read."""
    try:
        return [datetime.fromisoformat(time).timestamp() for time in times]
    except ValueError:
        return [0.0 for _ in times]


def time_ticks(moments: Sequence[float], most: int) -> dict[float, str]:
    """Round times in UTC; runs of one minute are labelled with the times of the first and the last."""
    first = min(moments, default=0)
    last = max(moments, default=0)
    if not last:
        return {}
    if last - first < MINUTE:
        times = [(moment, datetime.fromtimestamp(moment, UTC)) for moment in (first, last)]
        return {moment: f"{time:%b} {time.day}, {time:%H:%M:%S}" for moment, time in times}
    step = next((step for step in TIME_STEPS if (last - first) / step <= most), TIME_STEPS[-1])
    places = range(math.ceil(first / step), math.floor(last / step) + 1)
    return {float(place * step): _moment_label(place * step, step) for place in places}


def _moment_label(moment: int, step: int) -> str:
    time = datetime.fromtimestamp(moment, UTC)
    if step < DAY and moment % DAY:
        return f"{time:%H:%M}"
    return f"{time:%b} {time.day}" if step < 90 * DAY else f"{time:%b %Y}"


def colour_class(number: int, agents: int) -> str:
    """The class of an agent's line, here and in the legend."""
    return "series" if agents < 2 else f"series-{number}" if number < COLOURS else "series-more"


def _legend(agents: Sequence[str]) -> Node | None:
    if len(agents) < 2:
        return None
    names = [one_line(agent, 40) or "agent" for agent in agents[:COLOURS]]
    more = [f"{len(agents) - COLOURS} other agents"] if len(agents) > COLOURS else []
    keys = (node("span", colour_class(number, 2), name) for number, name in enumerate([*names, *more]))
    return node("figcaption", "legend", *keys)


def _rates(placed: Sequence[tuple[float, Point]], y: Scale) -> Iterator[Node]:
    """The rate of each run: its range, if it has one, the line from run to run, and a dot."""
    for at, point in placed:
        if point.passing.low is not None and point.passing.high is not None:
            yield _shape("line", "", x1=at, x2=at, y1=y.at(point.passing.low), y2=y.at(point.passing.high))
    yield _polyline([(at, y.at(point.passing.value or 0.0)) for at, point in placed])
    for at, point in placed:
        rate = point.passing
        words = percent(rate.value, 1) + (f" (range {rate.range})" if rate.range else "")
        title = (
            f"{point.run_id} {one_line(point.agent, 40)} {point.started_at[:16].replace('T', ' ')}: {words}"
        )
        yield _shape("circle", title, cx=at, cy=y.at(rate.value or 0.0), r=3.6)


def _changes(moments: Sequence[float], points: Sequence[Point], x: Scale) -> Iterator[Node]:
    for moment, point in zip(moments, points, strict=True):
        if point.tools_changed:
            at = x.at(moment)
            yield _shape("line", "tools changed", name="change", x1=at, x2=at, y1=16, y2=232)


def _axes(x: Scale, y: Scale, below: dict[float, str], left: dict[float, str]) -> Iterator[Node]:
    """Lines of the grid with the values at the left, and the values below."""
    for value, text in left.items():
        yield _shape("line", "", name="grid", x1=x.start, x2=x.end, y1=y.at(value), y2=y.at(value))
        yield _label(x.start - 6, y.at(value) + 4, text, "left")
    for place, (value, text) in enumerate(below.items()):
        at = x.at(value)
        yield _shape("line", "", name="tick", x1=at, x2=at, y1=y.start, y2=y.start + 4)
        is_end = len(below) == 2 and text.count(":") == 2  # the times of the first and the last run
        yield _label(at, y.start + 18, text, ("after", "before")[place] if is_end else "")


def _chart(title: str, size: tuple[int, int], *parts: Node) -> Node:
    attributes = {"class": "chart", "viewBox": f"0 0 {size[0]} {size[1]}", "role": "img", "aria-label": title}
    return node("svg", attributes, *parts)


def _shape(tag: str, title: str, /, *, name: str = "", **places: float) -> Node:
    numbers = {key: f"{value:.2f}" for key, value in places.items()}
    return node(tag, {"class": name, **numbers}, node("title", "", title) if title else None)


def _polyline(places: Sequence[tuple[float, float]]) -> Node:
    return node("polyline", {"points": " ".join(f"{x:.2f},{y:.2f}" for x, y in places)})


def _label(x: float, y: float, text: str, name: str, **attributes: str) -> Node:
    return node("text", {"class": name, "x": f"{x:.2f}", "y": f"{y:.2f}", **attributes}, text)
