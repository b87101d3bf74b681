"""Every sample becomes what it must, whatever the order, the split, the doubling and the packing."""

import bz2
import gzip
import json
import lzma
import random
from pathlib import Path

import pytest
import zstandard

from rightcall.traces import load_traces
from tests.traces.samples import EXPECTED, FOLDER, OTLP_JSON, expected, read


@pytest.mark.parametrize("name", EXPECTED)
def test_a_sample_becomes_what_it_must(name: str):
    assert read(FOLDER / name) == expected(name)


def test_a_run_of_langsmith_keeps_ids_errors_and_tokens():
    (trace,) = read(FOLDER / "langsmith_runs.jsonl")
    assert [(c["id"], c["step"], c["status"]) for c in trace["calls"]] == [
        ("c_1", 0, "ok"),
        ("c_2", 0, "ok"),
        ("c_3", 1, "error"),
    ]
    assert trace["output"] == "Hanoi 31, Hue 29; booking failed."
    assert (trace["input_tokens"], trace["output_tokens"]) == (303, 30)


def test_broken_spans_are_counted_and_named():
    (trace,) = load_traces(FOLDER / "otlp_bad.json")
    assert list(trace.problems) == EXPECTED["otlp_bad.json"][0]["problems"]


def spans_of(name: str) -> list[dict]:
    found = []
    for group in json.loads((FOLDER / name).read_text())["resourceSpans"]:
        for scoped in group["scopeSpans"]:
            for span in scoped["spans"]:
                found.append({"resourceSpans": [{**group, "scopeSpans": [{**scoped, "spans": [span]}]}]})
    return found


@pytest.mark.parametrize("name", OTLP_JSON)
def test_shuffled_doubled_and_cut_over_three_files_changes_nothing(name: str, tmp_path: Path):
    for seed in range(3):
        spans = spans_of(name)
        spans += spans[::2]
        random.Random(seed).shuffle(spans)
        files = [tmp_path / f"{part}.jsonl" for part in "abc"]
        for i, file in enumerate(files):
            file.write_text("".join(json.dumps(span) + "\n" for span in spans[i::3]))
        random.Random(seed).shuffle(files)
        assert read(*files) == expected(name)


@pytest.mark.parametrize(
    "pack", [gzip.compress, bz2.compress, lzma.compress, zstandard.ZstdCompressor().compress]
)
@pytest.mark.parametrize(
    "name", ["otlp_genai_pydantic_ai.pb", "otlp_collector_file.jsonl", "mlflow_trace.json"]
)
def test_a_packed_file_is_read_like_a_plain_one(name: str, pack, tmp_path: Path):
    file = tmp_path / "traces"
    file.write_bytes(pack((FOLDER / name).read_bytes()))
    assert read(file) == expected(name)


def test_spans_as_the_sdk_prints_them_give_the_same_trajectory(tmp_path: Path):
    file = tmp_path / "console.jsonl"
    with file.open("w") as out:
        for item in spans_of("otlp_genai_pydantic_ai.json"):
            span = item["resourceSpans"][0]["scopeSpans"][0]["spans"][0]
            code = {1: "OK", 2: "ERROR"}.get(span.get("status", {}).get("code"), "UNSET")
            attributes = {a["key"]: next(iter(a["value"].values())) for a in span["attributes"]}
            out.write(json.dumps({
                "name": span["name"], "context": {"trace_id": f"0x{span['traceId']}", "span_id": f"0x{span['spanId']}"},
                "parent_id": f"0x{span['parentSpanId']}" if span.get("parentSpanId") else None,
                "start_time": int(span["startTimeUnixNano"]), "end_time": int(span["endTimeUnixNano"]),
                "status": {"status_code": code}, "attributes": attributes,
            }) + "\n")  # fmt: skip
    assert read(file) == expected("otlp_genai_pydantic_ai.json")
