"""Import of traces: spans per second on one core, JSON and protobuf, with redaction."""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path

from benchmarks.otlp_spans import RunSpan, spans_request
from rightcall.limbs.traces.reader import load_traces
from rightcall.limbs.traces.redaction import Redactor

HELD: dict[str, str | int | float] = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "x",
    "gen_ai.tool.call.arguments": '{"city": "Hanoi"}',
}
SAMPLE = Path(__file__).parents[1] / "tests" / "data" / "traces" / "otlp_genai_pydantic_ai.json"


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--traces", type=int, default=3000)
    count = options.parse_args().traces
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "traces.jsonl"
        spans = write(path, count)
        for redacted in (False, True):
            redactor = Redactor(b"key")
            start = time.process_time()
            for trace in load_traces(path):
                if redacted:
                    redactor.trace(trace)
            taken = time.process_time() - start
            label = "JSON, redacted" if redacted else "JSON"
            print(f"{label:<15} {spans:,} spans in {taken:.1f} s: {spans / taken:,.0f} spans/s")
        data = spans_request(
            RunSpan(f"{i // 8:032x}", f"{i + 1:016x}", "execute_tool x", 10**18 + i, 10**18 + i + 5, attributes=HELD)
            for i in range(8, spans)
        )  # fmt: skip
        binary = Path(folder) / "traces.pb"
        binary.write_bytes(data)
        start = time.process_time()
        found = sum(trace.spans for trace in load_traces(binary))
        taken = time.process_time() - start
        print(f"protobuf        {found:,} spans in {taken:.1f} s: {found / taken:,.0f} spans/s")


def write(path: Path, count: int) -> int:
    """The spans of a real trace, again and again under new trace ids; gives how many spans."""
    document = json.loads(SAMPLE.read_text())
    text = json.dumps(document)
    ids = sorted(
        {s["traceId"] for g in document["resourceSpans"] for c in g["scopeSpans"] for s in c["spans"]}
    )
    each = sum(len(c["spans"]) for g in document["resourceSpans"] for c in g["scopeSpans"])
    with path.open("w", encoding="utf-8") as out:
        for i in range(count // 2):
            line = text
            for k, old in enumerate(ids):
                line = line.replace(old, f"{2 * i + k + 1:032x}")
            out.write(line + "\n")
    return each * (count // 2)


if __name__ == "__main__":
    main()
