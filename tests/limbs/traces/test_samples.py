"""Every sample becomes what it must, whatever the order, the split, the doubling and the packing."""

import base64
import bz2
import gzip
import json
import lzma
import re
from collections.abc import Iterable
from pathlib import Path

import msgspec
import pytest
import zstandard
from google.protobuf.json_format import MessageToDict, ParseDict, ParseError
from hypothesis import HealthCheck, given, settings, strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from rightcall.limbs.traces import reader, span_spool
from rightcall.limbs.traces.reader import load_traces
from rightcall.limbs.traces.trace import Trace
from tests.limbs.traces.samples import EXPECTED, FOLDER, OTLP_JSON, expected, read


@pytest.mark.parametrize("name", EXPECTED)
def test_each_sample_gives_the_expected_trace(name: str):
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


def records_of(name: str) -> list[dict]:
    """A sample in its smallest pieces: a span each, or the record that an export writes."""
    if name.endswith(".pb"):
        request = ExportTraceServiceRequest.FromString((FOLDER / name).read_bytes())
        return pieces(MessageToDict(request))
    if name in OTLP_JSON:
        return pieces(json.loads((FOLDER / name).read_text()))
    if name.endswith(".jsonl"):
        rows = [json.loads(line) for line in (FOLDER / name).read_text().splitlines()]
        return [piece for row in rows for piece in (pieces(row) if "resourceSpans" in row else [row])]
    return [json.loads((FOLDER / name).read_text())]


def pieces(document: dict) -> list[dict]:
    return [
        {"resourceSpans": [{**group, "scopeSpans": [{**scoped, "spans": [span]}]}]}
        for group in document["resourceSpans"]
        for scoped in group["scopeSpans"]
        for span in scoped["spans"]
    ]


def as_lines(records: list[dict]) -> bytes:
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def as_document(records: list[dict]) -> bytes:
    return json.dumps(records, indent=1).encode()


def as_protobuf(records: list[dict]) -> bytes:
    """As the official package writes them; what it has no words for stays JSON."""
    try:
        return b"".join(
            ParseDict(as_base64(r), ExportTraceServiceRequest()).SerializeToString() for r in records
        )
    except (ParseError, KeyError):
        return as_lines(records)


def as_base64(record: dict) -> dict:
    """Ids as protobuf's own JSON has them."""
    text = json.dumps(record)
    for span_id in set(re.findall(r'"(?:traceId|spanId|parentSpanId)": "([0-9a-f]{16,32})"', text)):
        text = text.replace(f'"{span_id}"', f'"{base64.b64encode(bytes.fromhex(span_id)).decode()}"')
    return json.loads(text)


def same_in_any_order(traces: Iterable[Trace]) -> list[Trace]:
    """All of each trace but the name of its file and the count of what was wrong with it."""
    return [msgspec.structs.replace(trace, source="", problems=()) for trace in traces]


PACKED = [bytes, gzip.compress, bz2.compress, lzma.compress, zstandard.ZstdCompressor().compress]


@pytest.mark.parametrize("name", [*EXPECTED, "langsmith_runs.jsonl"])
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_order_doubles_files_packing_and_memory_change_nothing(name: str, data, tmp_path_factory):
    records = records_of(name)
    shuffled = data.draw(st.permutations(records + data.draw(st.lists(st.sampled_from(records), max_size=5))))
    count = data.draw(st.integers(1, min(4, len(shuffled))))
    folder = tmp_path_factory.mktemp("cut")
    files = []
    for i in range(count):
        write = data.draw(st.sampled_from([as_lines, as_document, as_protobuf]))
        files.append(folder / f"{i}")
        files[-1].write_bytes(data.draw(st.sampled_from(PACKED))(write(shuffled[i::count])))
    with pytest.MonkeyPatch.context() as patched:  # spans that wait on disk are spans all the same
        patched.setattr(span_spool, "MOST_SPANS", data.draw(st.sampled_from([1, 3, 20_000])))
        patched.setattr(reader, "LARGE", data.draw(st.sampled_from([0, 4 * 2**20])))
        found = same_in_any_order(load_traces(*data.draw(st.permutations(files))))
    assert found == same_in_any_order(load_traces(FOLDER / name))


def test_spans_as_the_sdk_prints_them_give_the_same_trajectory(tmp_path: Path):
    file = tmp_path / "console.jsonl"
    with file.open("w") as out:
        for item in records_of("otlp_genai_pydantic_ai.json"):
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
