"""The same run, recorded by the real packages of ten instrumentations: every importer tells the same story."""

from __future__ import annotations

from pathlib import Path

import pytest

from rightcall.traces import load_traces

FOLDER = Path(__file__).parents[1] / "data" / "traces" / "real"
FILES = sorted(path.name for path in FOLDER.iterdir() if path.suffix != ".md")
QUESTION, ANSWER = "Weather in Hanoi and Hue, then book two seats", "Sunny, but no seats."
SEATS = {"city": "Hanoi", "seats": 2}


@pytest.mark.parametrize("name", FILES)
def test_a_real_export_tells_what_happened(name: str):
    trace = next(t for t in load_traces(FOLDER / name) if t.trajectory.calls)
    made = trace.trajectory
    failed = "ok" if name.startswith("traceloop_anthropic") else "error"  # it does not record is_error
    assert [(c.name, c.arguments, c.id, c.step, c.status) for c in made.calls] == [
        ("get_weather", {"city": "Hanoi"}, "c1", 0, "ok"),
        ("get_weather", {"city": "Hue"}, "c2", 0, "ok"),
        ("book", SEATS, "c3", 1, failed),
    ]
    assert [c.output for c in made.calls[:2]] == [{"celsius": 31}] * 2
    assert (trace.input, trace.system, made.output) == (QUESTION, "You plan trips.", ANSWER)
    cached = 5 * 3 if "anthropic" in name else 0
    assert (made.usage.input_tokens, made.usage.output_tokens) == (300 + cached, 30)
    assert [tool.name for tool in trace.tools] == ["get_weather", "book"]
    assert made.stop_reason == "done"


@pytest.mark.parametrize("name", FILES)
def test_the_error_of_the_tool_is_kept(name: str):
    trace = next(t for t in load_traces(FOLDER / name) if t.trajectory.calls)
    failed = trace.trajectory.calls[2]
    assert "no seats left" in f"{failed.output} {failed.notes.get('error')}"
