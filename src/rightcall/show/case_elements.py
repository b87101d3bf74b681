"""One drawing of a case for every page: a tree of elements, made from its view.

The dashboard and notebooks write it as HTML. `report.html` carries it as JSON, from which its script makes elements and
text nodes: no text of a model, a tool or a dataset is ever parsed as HTML there. `case.css` is its style on all pages.

A node is `[tag, class, child, …]`, with an object of attributes instead of the class where there are others; a child is
a node or a text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from html import escape
from itertools import chain
from typing import TypeAlias

from rightcall.show.text import decimal, duration, visible
from rightcall.show.view.calls import ArgumentRow, CallView
from rightcall.show.view.case import Bar, CaseView, ScoreLine
from rightcall.show.view.failures import danger_text
from rightcall.show.view.messages import MessageView

Node: TypeAlias = "list[str | dict[str, str] | Node]"
Attributes: TypeAlias = str | dict[str, str]

MARKS = {"passed": "✓", "failed": "✗", "error": "!", "unchecked": "?"}
STATES = {"ok": ("ok", "good"), "error": ("tool failed", "bad"), "not_run": ("did not run", "warn")}
SHORTEST_ENDLESS = 300
ENDLESS = re.compile(rf"\S{{{SHORTEST_ENDLESS}}}")
"""A browser needs seconds to find where to break one endless word, unless it may break anywhere (`solid`)."""
OPEN = 400
"""Characters of a result that is shown without a click."""


def node(tag: str, attributes: Attributes = "", *children: Node | str | None) -> Node:
    """An element; children that are None or empty are left out."""
    drawing: Node = [tag, attributes]
    for child in children:
        if child:
            drawing.append(child)
            if type(child) is str and len(child) >= SHORTEST_ENDLESS and ENDLESS.search(child):
                drawing[1] = _solid(attributes)
    return drawing


def _solid(attributes: Attributes) -> dict[str, str]:
    attribute_map = {"class": attributes} if isinstance(attributes, str) else attributes
    return {**attribute_map, "class": f"{attribute_map.get('class', '')} solid".strip()}


def as_html(drawing: Node) -> str:
    tag, attributes, *children = drawing
    attribute_map = {"class": attributes} if isinstance(attributes, str) else attributes
    assert isinstance(attribute_map, dict)
    written = "".join(
        f' {name}="{escape(value)}"' for name, value in attribute_map.items() if value or name != "class"
    )
    inner = "".join(
        as_html(child) if isinstance(child, list) else escape(visible(str(child)), quote=False)
        for child in children
    )
    return f"<{tag}{written}>{inner}</{tag}>"


def case_drawing(view: CaseView) -> list[Node]:
    """The whole case, part by part: what it is, its input, calls, transcript, time and scores."""
    sections = {
        "Input": input_drawing(view),
        "Expected and actual calls": [calls_drawing(view)],
        "Transcript": [transcript_drawing(view)],
        "Time": [bars] if (bars := time_drawing(view.timings)) else [],
        "Scores": [scores_drawing(view)],
    }
    drawn = (node("section", "", node("h2", "", title), *parts) for title, parts in sections.items() if parts)
    return [_head(view), *drawn]


def _head(view: CaseView) -> Node:
    danger = danger_text(view.danger)
    outcome = node("b", f"badge {view.outcome}", f"{MARKS[view.outcome]} {view.outcome}")
    warning = node("b", "badge danger", danger) if danger else None
    name = node("span", "text", visible(view.golden_id))
    facts = [node("span", "", fact) for fact in view.facts]
    tags = [node("span", "tag text", tag) for tag in view.tags]
    why = node("p", "why text", view.reason) if view.reason else None
    title = node("h1", "", outcome, " ", warning, " ", name)
    return node("section", "hero", title, node("p", "facts", *facts, *tags), why)


def input_drawing(view: CaseView) -> list[Node]:
    """What the golden asks, and its rules besides expected calls."""
    rules = [f"{name}: {rule}" for name, rule in view.rules if name != "system prompt" or not view.messages]
    shown = [node("div", "card prompt text", view.input)]
    return [*shown, node("p", "hint text", " · ".join(rules))] if rules else shown


def calls_drawing(view: CaseView, *, observed: bool = False) -> Node:
    """Expected and actual calls side by side; with `observed`, what was called, where nothing was expected."""
    if not view.calls:
        return node(
            "div", "card none", "No tool was called" + ("." if observed else ", and none was expected.")
        )
    return node("div", "calls", *(_call(call, observed) for call in view.calls))


def _call(call: CallView, observed: bool) -> Node:
    swapped = not observed and call.expected_tool and call.tool and call.expected_tool != call.tool
    names: list[Node] = [node("code", "text", call.tool or call.expected_tool)]
    if swapped:
        names = [
            node("code", "text", call.expected_tool),
            node("span", "swap", "expected, called"),
            node("code", "bad-ink text", call.tool),
        ]
    if call.agent:
        names = [node("span", "agent text", call.agent), *names]
    if call.expected_agent and call.kind in ("wrong_agent", "missing") and not observed:
        names.append(node("span", "swap", f"should be by {call.expected_agent}"))
    if call.written:
        names.append(node("span", "faint text", f"called as {call.written}"))
    word, tone = STATES.get(call.status, ("", "")) if observed else (call.word, call.tone)
    failed = call.status == "error" and not observed
    return node(
        "article",
        f"card pair {tone}{f' inner-{call.depth}' if call.depth else ''}".strip(),
        node(
            "header",
            "",
            node("span", f"badge {tone}", word) if word else None,
            *names,
            node("span", "faint num", duration(call.latency_ms)) if call.latency_ms is not None else None,
            node("span", "badge warn", "tool failed") if failed else None,
        ),
        node("div", "pad", *(node("div", "bad-ink text", note) for note in call.notes))
        if call.notes
        else None,
        _arguments(call.arguments, observed) if call.arguments else None,
        _raw_arguments(call),
        _output(call),
    )


def _raw_arguments(call: CallView) -> Node | None:
    if call.raw is None:
        return None
    hint = node("span", "hint", "arguments as written by the model")
    return node("div", "pad", hint, node("pre", "text", call.raw))


def _output(call: CallView) -> Node | None:
    if call.output is None:
        return None
    is_open = {"open": ""} if len(call.output) < OPEN else {}
    word = "failed with" if call.status == "error" else "result"
    return node(
        "details", {"class": "pad", **is_open}, node("summary", "", word), node("pre", "text", call.output)
    )


def _arguments(rows: Iterable[ArgumentRow], observed: bool) -> Node:
    titles = ("argument", "called with") if observed else ("argument", "expected", "called with")
    head = node("thead", "", node("tr", "", *(node("th", "", title) for title in titles)))
    return node("table", "args", head, node("tbody", "", *(_argument(row, observed) for row in rows)))


def _argument(row: ArgumentRow, observed: bool) -> Node:
    differs = row.mark != "same" and not observed
    marked: Attributes = {"class": "differs", "data-mark": row.mark} if differs else ""
    actual: Node | str | None = row.actual
    if differs and row.actual is not None:
        actual = node("mark", "", row.actual)
    sign = node("span", "sign", row.sign) if differs and row.sign else None
    note = node("span", "why text" if differs else "hint text", row.note) if row.note else None
    cells = [node("td", "name", row.name)]
    if not observed:
        cells.append(node("td", {"data-side": "expected"}, _value(row.expected)))
    return node("tr", marked, *cells, node("td", {"data-side": "called with"}, _value(actual), sign, note))


def _value(value: Node | str | None) -> Node:
    return node("span", "faint", "–") if value is None else node("pre", "text", value)


def transcript_drawing(view: CaseView) -> Node:
    """Who said what, with the calls and results of each message."""
    if not view.messages:
        return node("div", "card none", "No transcript was stored.")
    return node("div", "transcript", *chain.from_iterable(_message(message) for message in view.messages))


def _message(message: MessageView) -> Iterable[Node]:
    if message.heading:
        yield node("h3", "turn", message.heading)
    late = message.latency_ms
    parts = [
        node("div", "part", node("code", "text", title), node("pre", "text", body))
        for title, body in message.parts
    ]
    said = node("pre", "said text", message.text) if message.text else None
    yield node(
        "div",
        f"message {message.role}{' failing' if message.failing else ''}",
        node(
            "div",
            "who",
            node("b", "", f"{message.role} · {message.agent}" if message.agent else message.role),
            node("span", "badge bad", "first failing turn") if message.failing else None,
            node("span", "num", duration(late)) if late is not None else None,
        ),
        node("div", "card body", said, *parts, None if said or parts else node("span", "faint", "(empty)")),
    )


def time_drawing(bars: Iterable[Bar]) -> Node | None:
    """Where the time went, piece by piece."""
    pieces = list(bars)
    end = max((bar.start_ms + bar.duration_ms for bar in pieces), default=0.0)
    if end <= 0:
        return None
    return node("div", "waterfall", *(_bar(bar, end) for bar in pieces))


def _bar(bar: Bar, end: float) -> Node:
    lane = {"class": "lane", "viewBox": "0 0 100 10", "preserveAspectRatio": "none", "aria-hidden": "true"}
    piece = {
        "class": f"piece {bar.kind}{' estimated' if bar.estimated else ''}",
        "x": f"{100 * bar.start_ms / end:.2f}",
        "width": f"{max(0.5, 100 * bar.duration_ms / end):.2f}",
        "height": "10",
    }
    share = " (share)" if bar.estimated else ""
    return node(
        "div",
        "row",
        node("span", "label text", bar.label),
        node("svg", lane, node("rect", piece)),
        node("span", "num faint", duration(bar.duration_ms) + share),
    )


def scores_drawing(view: CaseView) -> Node:
    """Every metric with its value and why."""
    return _scores_table(view.scores, view.reason)


@lru_cache(maxsize=100)
def _scores_table(scores: tuple[ScoreLine, ...], reason: str) -> Node:
    """Most cases of a run have the same scores: those that are flawless."""
    rows = (_score(score, reason) for score in scores)
    return node("div", "card scroll", node("table", "scores", node("tbody", "", *rows)))


def _score(score: ScoreLine, reason: str) -> Node:
    word, tone = (
        ("error", "warn") if score.error else ("passed", "good") if score.passed else ("failed", "bad")
    )
    return node(
        "tr",
        "",
        node("td", "mono text", score.name, node("span", "badge quiet", "judged") if score.judged else None),
        node("td", "num", "–" if score.error else decimal(score.value)),
        node("td", "", node("span", f"badge {tone}", word)),
        node("td", "soft text", score.error or ("" if score.reason == reason else score.reason)),
    )
