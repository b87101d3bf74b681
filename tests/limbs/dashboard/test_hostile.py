"""Whatever models, tools and datasets write: nothing of it runs, hides, or breaks a page."""

from __future__ import annotations

import msgspec
import pytest

from rightcall.limbs.dashboard.links import case_link, run_link, with_query
from rightcall.records import (
    CaseResult,
    ExpectedCall,
    Failure,
    Golden,
    Message,
    Run,
    Score,
    Tool,
    ToolCall,
    ToolResult,
    Trajectory,
)

EVIL = (
    '</script><script>window.pwned=1</script><img src=x onerror="window.pwned=2"><svg/onload=window.pwned=3>'
    "\"'><a href=javascript:window.pwned=4>click</a> {{7*7}} {% raw %} "
    "\x1b[31mred\x1b[0m \u202egnp.exe\u202c \u2066x\u2069\x00\x07"
)
JS_URL = "javascript:window.pwned=5"
HUGE = "x" * 5_000_000
DEEP: object = 1
for _ in range(300):
    DEEP = {"d": [DEEP]}


@pytest.fixture
def hostile(store):
    """A run in which every text is an attack."""
    tool = Tool(
        EVIL,
        EVIL,
        {"type": "object", "properties": {EVIL: {"type": EVIL, "description": EVIL}, "deep": DEEP}},
    )
    run = Run(
        f"evil {EVIL}",
        EVIL,
        "2026-06-01T00:00:00Z",
        agent=EVIL,
        group=EVIL,
        fingerprints={"tools": EVIL, EVIL: EVIL},
        versions={EVIL: EVIL},
    )
    writer = store.runs.begin(run, planned=3, documents={"tools": msgspec.json.encode([tool])})
    call = ToolCall(EVIL, {EVIL: EVIL, "deep": DEEP, "huge": HUGE}, EVIL, 0, "ok", {EVIL: [EVIL]}, 3.5)
    raw = ToolCall(JS_URL, None, "c2", 0, "error", EVIL, 1.0, EVIL)
    messages = (
        Message("system", EVIL),
        Message("user", HUGE),
        Message("assistant", EVIL, (call, raw)),
        Message("tool", EVIL, results=(ToolResult(EVIL, EVIL, True, EVIL),)),
    )
    golden = Golden(
        EVIL,
        id=EVIL,
        expected_calls=(ExpectedCall(EVIL, {EVIL: {"exact": EVIL}, "deep": {"exact": DEEP}}),),
        tags=(EVIL,),
    )
    codes = (
        Failure("wrong_value", EVIL, EVIL, EVIL, EVIL, EVIL, 0, 0),
        Failure("unknown_tool", JS_URL, "", None, EVIL, EVIL, 1),
    )
    result = CaseResult(
        EVIL,
        0,
        False,
        0.1,
        {EVIL: Score(0.1, False, EVIL), "overall": Score(0.1, False, EVIL)},
        codes,
        latency_ms=12.0,
        trajectory=Trajectory(messages, (call, raw), EVIL, latency_ms=12.0),
    )
    writer.add_goldens([golden])
    writer.add([result, msgspec.structs.replace(result, golden_id=JS_URL, error=EVIL)])
    store.runs.tag(run.id, EVIL[:100])
    store.datasets.push(EVIL[:200], [golden])
    return run.id


def paths(run_id):
    return {
        "runs": "/runs",
        "searched": with_query("/runs", text=EVIL, name=EVIL, tag=EVIL[:100]),
        "run": run_link(run_id),
        "filtered": run_link(run_id, text=EVIL, tool=EVIL, metric=EVIL),
        "case": case_link(run_id, EVIL),
        "error": case_link(run_id, JS_URL),
        "compare": with_query("/compare", before=run_id, after="new"),
        "compared case": with_query("/compare/case", before=run_id, after="new", id=EVIL),
        "over time": with_query("/over-time", suite=EVIL),
    }


@pytest.mark.stories
def test_nothing_of_it_runs_and_no_page_loses_its_shape(dashboard, visit, hostile):
    page = visit(dashboard, viewport={"width": 360, "height": 740})
    for name, path in paths(hostile).items():
        page.goto(dashboard + path)
        page.wait_for_selector("html[data-ready]")
        assert page.evaluate("window.pwned") is None, name
        assert page.locator("a[href^='javascript' i]").count() == 0, name
        assert (
            page.locator("main script, main [onerror], main [onload], main svg:not([viewBox])").count() == 0
        ), name
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, name
        text = page.evaluate("document.body.innerText")
        assert not set(text) & {"\u202e", "\u2066", "\x1b", "\x07"}, name
        assert "<script>window.pwned" in text, name  # shown as what it is


def test_no_page_grows_with_its_content(client, hostile):
    parts = {"insights": run_link(hostile) + "/insights"}
    for name, path in (paths(hostile) | parts).items():
        answer = client.get(path)
        assert answer.status_code == 200 and len(answer.content) < 400_000, name


def test_charts_escape_the_names_in_them(client, hostile):
    for path, name in (
        (with_query("/over-time", suite=EVIL), "over-time"),
        (case_link(hostile, EVIL), "waterfall"),
    ):
        page = client.get(path).text
        assert f'class="{name}' in page and "<script>" not in page and "<img src=x" not in page
