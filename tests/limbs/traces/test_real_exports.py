"""The same run, recorded by the real packages of many instrumentations: every importer tells the same story.

The story is what the model server answered: `tests/data/traces/make/loopback.py` is its script, and the programs beside
it made the exports.
"""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import Any

import pytest

from rightcall.limbs.traces.reader import load_traces
from rightcall.limbs.traces.trace import Trace
from tests.data.traces.make.loopback import ANSWER, QUESTION, STEPS, SYSTEM

FOLDER = Path(__file__).parents[2] / "data" / "traces" / "real"
FILES = sorted(path.name for path in FOLDER.iterdir() if path.suffix != ".md")
JSON_FILES = [name for name in FILES if name.endswith((".json.gz", ".jsonl.gz"))]
SHUFFLED = ("resourceSpans", "scopeSpans", "spans", "resourceLogs", "scopeLogs", "logRecords")
CALLS = [(name, arguments, id, step) for step, calls in enumerate(STEPS) for id, name, arguments in calls]


def the_trace(path: Path) -> Trace:
    return next(trace for trace in load_traces(path) if trace.trajectory.calls)


@pytest.mark.parametrize("name", FILES)
def test_a_real_export_tells_what_happened(name: str):
    trace = the_trace(FOLDER / name)
    made = trace.trajectory
    failed = "ok" if name.startswith("traceloop_anthropic") else "error"  # it does not record is_error
    assert [(c.name, c.arguments, c.id, c.step) for c in made.calls] == CALLS
    assert [c.status for c in made.calls] == ["ok", "ok", failed]
    assert [c.output for c in made.calls[:2]] == [{"celsius": 31}] * 2
    added = '\n\nYou are an agent. Your internal name is "travel".' if name.startswith("google_adk") else ""
    assert (trace.input, trace.system, made.output) == (QUESTION, SYSTEM + added, ANSWER)
    cached = 5 * 3 if "anthropic" in name else 0
    assert (made.usage.input_tokens, made.usage.output_tokens) == (300 + cached, 30)
    assert [tool.name for tool in trace.tools] == ["get_weather", "book"]
    assert made.stop_reason == "done"


@pytest.mark.parametrize("name", FILES)
def test_the_error_of_the_tool_is_kept(name: str):
    failed = the_trace(FOLDER / name).trajectory.calls[2]
    assert "no seats left" in f"{failed.output} {failed.notes.get('error')}"


@pytest.mark.parametrize("name", JSON_FILES)
def test_the_order_of_spans_does_not_matter(name: str, tmp_path: Path):
    lines = [json.loads(line) for line in gzip.decompress((FOLDER / name).read_bytes()).splitlines()]
    expected = the_trace(FOLDER / name)
    copy = tmp_path / name.removesuffix(".gz")
    for seed in range(5):
        chance = random.Random(seed)
        copy.write_text(
            "\n".join(json.dumps(shuffled(line, chance)) for line in chance.sample(lines, len(lines)))
        )
        trace = the_trace(copy)
        assert (trace.trajectory, trace.tools, trace.input) == (
            expected.trajectory,
            expected.tools,
            expected.input,
        ), seed


def shuffled(value: Any, chance: random.Random, *, in_span: bool = False) -> Any:
    """The document with its spans, log records and the groups they are in, in another order."""
    if isinstance(value, dict):
        spans = {name: held for name, held in value.items() if name in (*SHUFFLED, "data")}
        return value | {
            name: shuffled(
                chance.sample(held, len(held)) if isinstance(held, list) else held,
                chance,
                in_span=name == "spans",
            )
            for name, held in spans.items()
        }
    if isinstance(value, list):
        items = value if in_span else chance.sample(value, len(value))
        return [item if in_span else shuffled(item, chance) for item in items]
    return value


def test_an_id_that_is_not_specified_is_none_and_a_raised_error_ends_the_run():
    made = the_trace(FOLDER.parent / "raised" / "google_adk.json.gz").trajectory
    assert [(c.name, c.arguments, c.id, c.step) for c in made.calls] == CALLS
    assert [c.status for c in made.calls] == ["ok", "ok", "error"]
    assert (made.calls[2].output, made.stop_reason, made.error) == (
        None,
        "agent_error",
        "ValueError: no seats left",
    )


def test_a_streamed_answer_with_missing_chunks_is_unread_rather_than_without_calls(tmp_path: Path):
    export = json.loads(gzip.decompress((FOLDER / "mlflow_openai_stream.json.gz").read_bytes()))
    for span in export["data"]["spans"]:
        span["events"] = [event for event in span["events"] if event["name"] != "mlflow.chunk.item.1"]
    (tmp_path / "trace.json").write_text(json.dumps(export))
    made = the_trace(tmp_path / "trace.json").trajectory
    assert made.stop_reason == "infra_error" and "chunks were not recorded" in made.error
