"""The step funnel of a run: one set of rows for every output, and one picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from rightcall.core.text import percent, pluralize
from rightcall.improve.step_funnel import DESTINATIONS, StepFunnel
from rightcall.show.charts import CONFIG, SCHEMA, Spec
from rightcall.show.screen import print_columns
from rightcall.show.text import one_line

if TYPE_CHECKING:
    from rightcall.show.screen import Screen

SHOWN = 3
"""Funnels that are shown; JSON has more."""
TITLES = ("step", "reached", "of those before", "the others went to")
LONGEST_LABEL = 60
NAMED = 2
"""Places named next to a bar; the table has all."""


class FunnelRow(NamedTuple):
    """One step as text: what it is, how many trials took it and all before, their share, and where the others went."""

    step: str
    reached: str
    share: str
    elsewhere: str


def funnel_title(funnel: StepFunnel) -> str:
    """`find_order → refund_order: 12 goldens, 36 trials`."""
    short = f", {funnel.shortcuts:,} of them passed without every step" if funnel.shortcuts else ""
    return f"{funnel.path}: {pluralize(funnel.goldens, 'golden')}, {pluralize(funnel.trials, 'trial')}{short}"


def funnel_rows(funnel: StepFunnel) -> list[FunnelRow]:
    """The steps in order, the last one to pass."""
    rows, before = [], funnel.trials
    for step in funnel.steps:
        share = percent(step.reached / before, 0) if before else "–"
        elsewhere = "; ".join(exit_.words for exit_ in step.exits)
        rows.append(FunnelRow(step.label, f"{step.reached:,} of {before:,}", share, elsewhere))
        before = step.reached
    return rows


def worth_showing(funnels: Sequence[StepFunnel]) -> list[StepFunnel]:
    """The largest funnels that some trials left."""
    return [funnel for funnel in funnels if any(step.exits for step in funnel.steps)][:SHOWN]


def print_funnels(out: Screen, funnels: Sequence[StepFunnel]) -> None:
    for funnel in worth_showing(funnels):
        out.print()
        texts = ("step", "the others went to")
        print_columns(out, TITLES, funnel_rows(funnel), texts=texts, caption=f"steps: {funnel_title(funnel)}")


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
