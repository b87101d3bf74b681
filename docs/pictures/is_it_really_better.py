"""The pictures of "Is it really better?", drawn from the library's own numbers.

pip install vl-convert-python && python docs/pictures/is_it_really_better.py
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import vl_convert

from rightcall.decide.comparison import compare
from rightcall.decide.outcome import Outcome
from rightcall.stats.gaffke import case_units, gaffke_bounds, gaffke_p_values

HERE = Path(__file__).parent
THRESHOLD = 0.9
SETTLED = {"domain": ["PASS", "FAIL", "INCONCLUSIVE"], "range": ["#2a7f4f", "#b3372f", "#8a8f98"]}


def main() -> None:
    """Write each picture beside this file."""
    for name, spec in (("same_rate", same_rate()), ("trials", trials()), ("changes", changes())):
        (HERE / f"{name}.svg").write_text(vl_convert.vegalite_to_svg(spec), encoding="utf-8")


def same_rate() -> dict[str, Any]:
    """The same 94% with more and more goldens: the interval shrinks until the gate can tell."""
    rows = [row(f"{n} goldens", [[1]] * round(0.94 * n) + [[0]] * (n - round(0.94 * n))) for n in SIZES]
    return intervals(rows, "94% passed. Is the agent above 90%?")


SIZES = (17, 50, 100, 200, 400)


def trials() -> dict[str, Any]:
    """150 trials: of 150 goldens, or of 30 goldens five times each, which teach less."""
    alike = [[1] * 5] * 28 + [[1, 1, 0, 0, 0], [0] * 5]
    passes = sum(map(sum, alike))
    return intervals(
        [
            row("150 goldens, 1 trial", [[1]] * passes + [[0]] * (150 - passes)),
            row("30 goldens, 5 trials", alike),
        ],
        f"{passes} of 150 trials passed. It matters whose trials they are.",
    )


def row(label: str, cases: list[list[float]]) -> dict[str, Any]:
    """One bar: the rate, the bounds and what the gate says."""
    found = case_units(cases)
    low, high = gaffke_bounds(found)
    p_pass, p_fail = gaffke_p_values(found, THRESHOLD)
    word = "PASS" if p_pass <= 0.05 else "FAIL" if p_fail < 0.05 else "INCONCLUSIVE"
    return {"label": label, "low": low, "high": high, "rate": found.mean, "word": word}


def intervals(rows: list[dict[str, Any]], title: str) -> dict[str, Any]:
    """Bars from bound to bound with the rate as a dot and the threshold as a line."""
    y = {"field": "label", "type": "nominal", "sort": None, "title": None}
    x = {
        "type": "quantitative",
        "scale": {"domain": [0.7, 1]},
        "axis": {"format": ".0%"},
        "title": "pass rate",
    }
    colour = {"field": "word", "type": "nominal", "scale": SETTLED, "title": "the gate says"}
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "title": title,
        "width": 480,
        "height": {"step": 34},
        "data": {"values": rows},
        "layer": [
            {
                "mark": {"type": "rule", "strokeWidth": 5},
                "encoding": {"y": y, "x": {**x, "field": "low"}, "x2": {"field": "high"}, "color": colour},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 90, "color": "black"},
                "encoding": {"y": y, "x": {**x, "field": "rate"}},
            },
            {"mark": {"type": "rule", "strokeDash": [5, 4]}, "encoding": {"x": {"datum": THRESHOLD}}},
        ],
    }


def changes() -> dict[str, Any]:
    """Three comparisons that all moved by +4 points, and how far the truth may be from that."""
    rows = []
    for label, n, broken, fixed in (
        ("50 goldens: 1 broken, 3 fixed", 50, 1, 3),
        ("200 goldens: 11 broken, 19 fixed", 200, 11, 19),
        ("200 goldens: 1 broken, 9 fixed", 200, 1, 9),
    ):
        before = [1.0] * broken + [0.0] * fixed + [1.0] * (n - broken - fixed)
        after = [0.0] * broken + [1.0] * fixed + [1.0] * (n - broken - fixed)
        found = compare(run_of(before), run_of(after))
        rows.append(
            {
                "label": label,
                "low": found.low,
                "high": found.high,
                "rate": found.difference,
                "word": found.change,
            }
        )
    y = {"field": "label", "type": "nominal", "sort": None, "title": None, "axis": {"labelLimit": 240}}
    x = {"type": "quantitative", "axis": {"format": "+.0%"}, "title": "B − A"}
    scale = {"domain": ["IMPROVED", "INCONCLUSIVE"], "range": ["#2a7f4f", "#8a8f98"]}
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "title": "B passes 4 points more than A. Is it better?",
        "width": 440,
        "height": {"step": 34},
        "data": {"values": rows},
        "layer": [
            {
                "mark": {"type": "rule", "strokeWidth": 5},
                "encoding": {
                    "y": y,
                    "x": {**x, "field": "low"},
                    "x2": {"field": "high"},
                    "color": {"field": "word", "type": "nominal", "scale": scale, "title": None},
                },
            },
            {
                "mark": {"type": "point", "filled": True, "size": 90, "color": "black"},
                "encoding": {"y": y, "x": {**x, "field": "rate"}},
            },
            {"mark": {"type": "rule", "strokeDash": [5, 4]}, "encoding": {"x": {"datum": 0}}},
        ],
    }


def run_of(passes: list[float]) -> list[Outcome]:
    """One trial of each golden."""
    return [Outcome(f"g{i}", (x,)) for i, x in enumerate(passes)]


if __name__ == "__main__":
    main()
